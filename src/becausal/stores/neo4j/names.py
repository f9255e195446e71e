# SPDX-License-Identifier: Apache-2.0
"""What things are called on the server: labels, the keys by which a user's own are found, tokens of the text index.

All of a user's nodes carry a digest of the user's name, so that no name, however long or odd, becomes part of
a query or of an index.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import cache

from ...domain.records import Kind
from ...errors import InvalidInput
from ...ports.batch import Space
from ..codec import CODECS, LINK_CODEC
from ..columns import Flat, Form
from ..graphdb.where import property_name
from ..terms import check_terms

ROOT, RECORD, TERM, VECTOR, CLAIM, META = (
    f"Becausal_{name}" for name in ("user", "record", "term", "vector", "claim", "meta")
)
OTHER_LABELS = (TERM, VECTOR, CLAIM, META)
TEXT_INDEX = "becausal_text"
TOKEN_LENGTH = 20  # characters: 80 bits, so that of a million terms no two are likely to share one

HASHED = {
    Kind.ENGRAM: ("label", "source", "session", "content_hash"),
    Kind.CUE: ("name",),
    Kind.ENTITY: ("key",),
    Kind.FACT: ("subject", "predicate"),
    Kind.CAUSE: ("key",),
}
"""Text fields that are often asked for: a digest of each is indexed, since an index takes no text of any length."""


ORDERED = {
    Kind.ENGRAM: ("created_at", "last_accessed_at", "at", "indexed_at", "waiting"),
    Kind.PASSAGE: ("engram_id",),
    Kind.EVENT: ("occurred_at", "occurred_end"),
    Kind.CHANGE: ("created_at", "expires_at"),
}
"""What records are read in the order of. ``waiting`` is true of an engram that is not indexed: null is in no index."""


def label(kind: Kind) -> str:
    """Return the label of a kind of record."""
    return f"Becausal_{kind.value}"


def kind_of(label: str) -> Kind:
    """Return the kind of record that has a label."""
    return Kind(label.removeprefix("Becausal_"))


def owner(user: str) -> str:
    """Return what a user's nodes are marked with.

    Raises:
        InvalidInput: the name is empty or holds a NUL character.
    """
    if not user:
        raise InvalidInput("user", "must not be empty")
    if "\0" in user:
        raise InvalidInput("user", "must not hold a NUL character")
    return _digest(user, 16)


def database_name(user: str) -> str:
    """Return the name of a user's own database: two users never share one."""
    plain = re.sub(r"[^a-z0-9]+", "-", user.lower())[:20].strip("-")
    return f"becausal-{plain}-{_digest(user, 8)}" if plain else f"becausal-{_digest(user, 8)}"


def key(mark: str, *parts: str) -> str:
    """Return the key of something of a user's that is found by several names together."""
    return f"{mark}:{_digest(chr(0).join(parts), 16)}"


def hashed(value: Flat) -> Flat:
    """Return the digest of a text, null of null."""
    return None if value is None else _digest(str(value), 8)


def hashed_name(name: str) -> str:
    return f"{name}_hash"


def space_name(kind: Kind, space: Space) -> str:
    """Return what the vectors of a kind in a space are filed under."""
    return f"{kind.value}@{space.value}" if space.value else kind.value


def tokens(mark: str, kind: Kind, terms: Sequence[str]) -> tuple[str, ...]:
    """Return the token of each term: a digest of user, kind and term, in letters and digits no analyser changes.

    Raises:
        InvalidInput: a term is empty or holds a space or a control character.
    """
    check_terms(terms)
    start = hashlib.blake2b(f"{mark}{kind.value}\0".encode(), digest_size=TOKEN_LENGTH // 2)
    found = []
    for term in terms:
        digest = start.copy()
        digest.update(term.encode("utf-8", "surrogatepass"))
        found.append(digest.hexdigest())
    return tuple(found)


def _digest(text: str, size: int) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).hexdigest()


@cache
def tuple_fields(kind: Kind) -> tuple[str, ...]:
    return tuple(column.name for column in CODECS[kind].columns if column.form is Form.TUPLE)


def columns_of(names: Sequence[str], alias: str) -> str:
    """Return ``[alias.a, alias.b, …]``."""
    return f"[{', '.join(f'{alias}.{property_name(name)}' for name in names)}]"


@cache
def row_of(kind: Kind) -> str:
    """Return the expression of a record's row, for the node ``t``."""
    return columns_of(CODECS[kind].names, "t")


VECTORS_OF = (
    f"MATCH (v:{VECTOR}) USING INDEX v:{VECTOR}(mark, name, seq) "
    "WHERE v.mark = $mark AND v.name IN $names AND v.seq >= 0"
)
"""What leads to a user's vectors by their index: without the hint, one that will do is looked for by its label."""

LINK_ROW = columns_of(LINK_CODEC.names, "l")
