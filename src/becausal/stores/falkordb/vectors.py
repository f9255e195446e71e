# SPDX-License-Identifier: Apache-2.0
"""Vectors as nodes: every change of one takes the owner's next number, and what was taken away stays as an empty node.

They are kept as text, base 64 of 32-bit floats, which is a fifth of a list of numbers; the nearest are found in a
matrix in this process that follows them (see ``stores/matrix.py``): faster than the server's index up to the sizes
that fit into memory, exact, and never another owner's.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...domain.records import Kind
from ...ports.batch import PutVector, Space
from ...ports.store import TokenVectors
from ..packing import packed_tokens, packed_vector
from .reading import chunks
from .session import Session
from .values import keys_of

if TYPE_CHECKING:
    from ...ports.models import Tokens, Vector, Vectors

_ROWS = 2000


def space_name(kind: Kind, space: Space) -> str:
    """Return what the vectors of a kind in a space are filed under."""
    return f"{kind.value}@{space.value}" if space.value else kind.value


def place(owner: str, seq: int) -> str:
    """Return where a change of a vector stands among all of its owner's, in the order of text."""
    return f"{owner} {seq:016x}"


@dataclass(frozen=True, slots=True)
class ServerRows:
    """The vectors of a ``space_name``, for a matrix to follow."""

    session: Session
    name: str

    def load(self, dimension: int) -> Iterator[tuple[list[str], Vectors]]:
        after = place(self.session.owner, 0)
        while rows := self._after(after, _ROWS):
            after = rows[-1][0]
            whole = [row for row in rows if row[2] is not None and row[3] == dimension]
            if whole:
                yield [row[1] for row in whole], _array([row[2] for row in whole], dimension)

    def changed(self, dimension: int, after: int) -> list[tuple[str, Vector | None]]:
        found: list[tuple[str, Vector | None]] = []
        last = place(self.session.owner, after)
        while rows := self._after(last, _ROWS):
            last = rows[-1][0]
            found += [
                (id, _array([data], dimension)[0] if data is not None and size == dimension else None)
                for _, id, data, size in rows
            ]
        return found

    def _after(self, after: str, limit: int) -> list[list[Any]]:
        return self.session.read(
            "MATCH (v:Vector) WHERE v._place > $after AND v.space = $space AND v._owner = $o "
            "RETURN v._place, v.id, v.data, v.size ORDER BY v._place LIMIT $limit",
            after=after,
            space=self.name,
            limit=limit,
        )


def _array(texts: Sequence[str], dimension: int) -> Vectors:
    import numpy as np

    return np.frombuffer(b"".join(map(b64decode, texts)), dtype="<f4").reshape(-1, dimension).astype(np.float32)


def vector_row(item: PutVector, dimension: int | None) -> tuple[dict[str, Any], int]:
    """Return the properties of a vector that is put, and its length.

    Raises:
        InvalidInput: it has another length than the others, or holds something else than finite numbers.
    """
    data, size = packed_vector(item.vector, dimension)
    return {"data": b64encode(data).decode(), "size": size}, size


def token_row(tokens: Tokens) -> dict[str, Any]:
    """Return the properties of token vectors.

    Raises:
        InvalidInput: they are not rows of whole numbers of one byte.
    """
    width, data = packed_tokens(tokens)
    return {"width": width, "data": b64encode(data).decode()}


def read_tokens(session: Session, kind: Kind, ids: Sequence[str], width: int) -> TokenVectors:
    """See ``GraphStore.token_vectors``."""
    import numpy as np

    found: list[tuple[str, bytes]] = []
    for chunk in chunks(ids):
        rows = session.read(
            "MATCH (v:Token) WHERE v._owner = $o AND v._id IN $ids AND v.kind = $kind AND v.width = $width "
            "RETURN v.id, v.data",
            ids=keys_of(chunk),
            kind=kind.value,
            width=width,
        )
        found += [(id, b64decode(data)) for id, data in rows]
    joined = np.frombuffer(b"".join([data for _, data in found]), np.int8).reshape(-1, width)
    return TokenVectors(tuple([id for id, _ in found]), tuple([len(data) // width for _, data in found]), joined)


def read_vectors(session: Session, kind: Kind, ids: Sequence[str]) -> dict[str, tuple[Vector, Tokens | None]]:
    """Return the vectors in the embedder's space, and the token vectors, of those records that have any."""
    import numpy as np

    tokens: dict[str, Tokens] = {}
    found: dict[str, tuple[Vector, Tokens | None]] = {}
    for chunk in chunks(ids):
        rows = session.read(
            "MATCH (v:Token) WHERE v._owner = $o AND v._id IN $ids AND v.kind = $kind RETURN v.id, v.width, v.data",
            ids=keys_of(chunk),
            kind=kind.value,
        )
        tokens |= {id: np.frombuffer(b64decode(data), np.int8).reshape(-1, width) for id, width, data in rows}
        rows = session.read(
            "MATCH (v:Vector) WHERE v._owner = $o AND v._id IN $ids AND v.space = $space AND v.data IS NOT NULL "
            "RETURN v.id, v.data, v.size",
            ids=keys_of(chunk),
            space=space_name(kind, Space.MODEL),
        )
        found |= {id: (_array([data], size)[0], tokens.get(id)) for id, data, size in rows}
    return found
