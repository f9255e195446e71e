# SPDX-License-Identifier: Apache-2.0
"""What is changed in a graph store: the parts of a batch, which happen together or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from ..domain.records import Kind, Link, LinkKind, Record

if TYPE_CHECKING:
    from .models import Tokens, Vector


class Space(StrEnum):
    """Which of a record's vectors is meant: those of different spaces are never compared."""

    MODEL = ""  # the memory's embedder's
    HASHED = "hashed"  # word hashing of a session's nodes, the same whatever the embedder is


@dataclass(frozen=True, slots=True)
class Ref:
    """A record to delete. ``expect_version``: the version it must have if it is there, else ``Conflict``."""

    kind: Kind
    id: str
    expect_version: int | None = None


@dataclass(frozen=True, slots=True)
class Put:
    """Insert a record, or replace the one with its id.

    ``terms``: what the text index holds of it from now on (in text order, with repetitions); ``None``
    leaves it as it was. With ``if_absent`` an existing record is left untouched. ``expect_version``: the
    version the stored record must have (0: must not exist), else ``Conflict``. With ``keep_version`` it is
    stored with the version it carries, at least 1: for a record that comes from another store.
    """

    record: Record
    terms: tuple[str, ...] | None = None
    if_absent: bool = False
    expect_version: int | None = None
    keep_version: bool = False


@dataclass(frozen=True, slots=True)
class Patch:
    """Change some fields of a stored record. One that does not exist is passed over.

    ``set`` replaces values; ``increment`` adds to numbers, afterwards held to the bounds in ``clamp``
    (lowest, highest).
    """

    kind: Kind
    id: str
    set: Mapping[str, object] = field(default_factory=dict)
    increment: Mapping[str, float] = field(default_factory=dict)
    clamp: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    expect_version: int | None = None


@dataclass(frozen=True, slots=True)
class PutVector:
    """The vector of a record in a space; ``None`` takes it away.

    ``tokens`` are the vectors of the tokens it is the mean of, and go when it goes or is replaced. All of a
    store have the same width.
    """

    kind: Kind
    id: str
    vector: Vector | None
    space: Space = Space.MODEL
    tokens: Tokens | None = None


@dataclass(frozen=True, slots=True)
class PutLink:
    """Insert a link, or meet the one with its id according to ``merge``.

    ``replace``: the new one stands, with the sources of both, asserted if either is.
    ``add``: strengths are added, sources joined, all else stays. ``keep``: sources are joined, all else
    stays. A link with an end that does not exist is passed over.
    """

    link: Link
    merge: Literal["replace", "add", "keep"] = "replace"


@dataclass(frozen=True, slots=True)
class WeakenLink:
    """Take ``by`` off a link's strength and ``source`` out of its sources.

    A link whose strength is used up goes, and so does one that loses its last source and is not asserted.
    """

    id: str
    by: float = 0.0
    source: str | None = None


@dataclass(frozen=True, slots=True)
class DropUnlinked:
    """Delete a record unless a link of the kind ``support`` leads to it by then."""

    kind: Kind
    id: str
    support: LinkKind


@dataclass(frozen=True, slots=True)
class Grant:
    """Give a claim to ``holder`` for ``ttl`` seconds, whoever has it."""

    kind: str
    id: str
    holder: str
    ttl: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Changes that happen together or not at all, in the order of the fields."""

    deletes: tuple[Ref, ...] = ()  # with their vectors, terms, passages and links
    unlinks: tuple[str, ...] = ()  # link ids
    weaken: tuple[WeakenLink, ...] = ()
    puts: tuple[Put, ...] = ()
    patches: tuple[Patch, ...] = ()
    vectors: tuple[PutVector, ...] = ()  # of records that exist after the puts; others are passed over
    links: tuple[PutLink, ...] = ()
    unlinked: tuple[DropUnlinked, ...] = ()
    release: tuple[tuple[str, str], ...] = ()  # claims to give up: (kind, id)
    grants: tuple[Grant, ...] = ()
    meta: Mapping[str, str | None] = field(default_factory=dict)  # None removes a key


@dataclass(frozen=True, slots=True)
class Written:
    """``created``: ids of the records and links that did not exist before."""

    created: frozenset[str]
