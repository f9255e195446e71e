# SPDX-License-Identifier: Apache-2.0
"""Vectors: rows on the server are the truth, and a matrix in this process follows them by their sequence numbers.

A scan on the server reads each vector as a list of numbers for every question; the matrix reads each once, and
compares it as the other stores do, so that answers are the same to the last digit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ...domain.records import Kind
from ...ports.batch import Space
from ...ports.store import TokenVectors
from ..matrix import State
from . import names
from .connection import Connection
from .standing import read_state

if TYPE_CHECKING:
    from ...ports.models import Vector, Vectors

_BATCH = 4096  # rows read at a time


class Rows:
    """The stored vectors of one kind and space of a user; see ``VectorRows``."""

    def __init__(self, connection: Connection, mark: str, kind: Kind, space: Space) -> None:
        self._connection = connection
        self._mark = mark
        self._space = space
        self._name = names.space_name(kind, space)

    def state(self) -> State:
        """Return how far the user's vectors have come."""
        return read_state(self._connection, self._mark, self._space)

    def load(self, dimension: int) -> Iterator[tuple[list[str], Vectors]]:
        after = -1
        query = (
            f"MATCH (v:{names.VECTOR}) WHERE v.mark = $mark AND v.name = $name AND v.seq > $after "
            "WITH v ORDER BY v.mark, v.name, v.seq LIMIT $limit RETURN v.seq, v.id, v.dimension, v.data"
        )
        while True:
            rows = self._connection.read(query, mark=self._mark, name=self._name, after=after, limit=_BATCH)
            held = [(id, data) for _, id, size, data in rows if size == dimension]
            if held:
                yield [id for id, _ in held], _array([data for _, data in held], dimension)
            if len(rows) < _BATCH:
                return
            after = rows[-1][0]

    def changed(self, dimension: int, after: int) -> Sequence[tuple[str, Vector | None]]:
        query = (
            f"MATCH (v:{names.VECTOR}) WHERE v.mark = $mark AND v.name = $name AND v.seq > $after "
            "WITH v ORDER BY v.mark, v.name, v.seq RETURN collect([v.id, v.dimension, v.data])"
        )
        rows = self._connection.listed(query, mark=self._mark, name=self._name, after=after)
        return [(id, _array([data], dimension)[0] if size == dimension else None) for id, size, data in rows]


def read_tokens(connection: Connection, mark: str, kind: Kind, ids: Sequence[str], width: int) -> TokenVectors:
    """See ``GraphStore.token_vectors``."""
    import numpy as np

    keys = [names.key(mark, "vector", names.space_name(kind, Space.MODEL), id) for id in dict.fromkeys(ids)]
    found: list[Any] = []
    if keys:
        found = connection.listed(
            f"MATCH (v:{names.VECTOR}) WHERE v.pk IN $keys AND v.width = $width RETURN collect([v.id, v.tokens])",
            keys=keys,
            width=width,
        )
    rows = np.frombuffer(b"".join([data for _, data in found]), np.int8).reshape(-1, width)
    return TokenVectors(tuple([id for id, _ in found]), tuple([len(data) // width for _, data in found]), rows)


def _array(blobs: Sequence[bytes], dimension: int) -> Vectors:
    import numpy as np

    return np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(blobs), dimension).astype(np.float32, copy=False)
