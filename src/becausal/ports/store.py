# SPDX-License-Identifier: Apache-2.0
"""The graph store, as a port: a few verbs, synchronous and thread-safe.

A handle is opened for one user and cannot express a question about another. Anything smarter than one
hop, one filter or one nearest-neighbour question is the engine's work, so that every backend gives the
same answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias

from ..domain.records import Kind, Link, LinkKind, Record
from .batch import Batch, Ref, Space, Written

if TYPE_CHECKING:
    from .models import Tokens, Vector

Scalar: TypeAlias = str | int | float | bool | datetime


# --- asking -------------------------------------------------------------------------------------


class Op(StrEnum):
    EQ = "eq"
    NE = "ne"  # also true where the field is null
    IN = "in"  # value: a tuple; an empty one matches nothing
    LT = "lt"
    LE = "le"
    GT = "gt"
    GE = "ge"
    NULL = "null"  # value: True for "is null", False for "is not null"
    HAS = "has"  # a tuple field (``tags``) holds at least one of the value, a tuple


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition on a field of a record. The names are those of the record's dataclass."""

    field: str
    op: Op
    value: Scalar | tuple[Scalar, ...] | bool


Where: TypeAlias = tuple[Condition, ...]
"""Conditions that must all hold."""


@dataclass(frozen=True, slots=True)
class Order:
    """By one field, then by id in the same direction. Null sorts before every value."""

    field: str = "id"
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a page ended: the order field's value and the id of its last record."""

    value: Scalar | None
    id: str


@dataclass(frozen=True, slots=True)
class Page:
    records: tuple[Record, ...]
    next: Cursor | None  # None when nothing follows


class Edge(NamedTuple):
    """A link reduced to what walking the graph needs."""

    src: str
    dst: str
    kind: LinkKind
    relation_type: str
    strength: float
    asserted: bool = False


class Lease(NamedTuple):
    """A claim that has not run out."""

    holder: str
    left: float  # seconds


class VectorHit(NamedTuple):
    id: str
    score: float  # cosine similarity, −1 … 1


class TokenVectors(NamedTuple):
    """The token vectors of some records, one record's below the other's."""

    ids: tuple[str, ...]
    counts: tuple[int, ...]  # of rows of each record
    rows: Tokens  # shape (sum of counts, width)


class TextHit(NamedTuple):
    id: str
    frequencies: tuple[int, ...]  # of each query term in the record, in the order asked
    length: int  # number of terms of the record


@dataclass(frozen=True, slots=True)
class TextMatches:
    """Candidates for a text query, with the statistics BM25 needs; in no particular order.

    ``document_frequencies``, ``documents`` and ``mean_length`` cover all the user's records of the kind,
    whatever the filter.
    """

    hits: tuple[TextHit, ...]
    document_frequencies: tuple[int, ...]
    documents: int
    mean_length: float


# --- going through everything -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Kept:
    """A record or link as ``scan`` yields it, with its vector and tokens if they were asked for and there are any."""

    item: Record | Link
    vector: Vector | None = None
    tokens: Tokens | None = None


@dataclass(frozen=True, slots=True)
class Damaged:
    """What is stored under an id but cannot be read. ``kind`` is that of a record, or ``link``."""

    kind: str
    id: str
    problem: str


@dataclass(frozen=True, slots=True)
class Mended:
    """What mending a store did, for a person to read, and what is left for the engine to make again.

    ``unlisted`` are records that the text index holds nothing of, ``unindexed`` engrams that lack a vector
    though they are marked as indexed; ``torn`` is whether anything read from texts, or a link, was lost.
    """

    done: tuple[str, ...]
    unlisted: tuple[Ref, ...] = ()
    unindexed: tuple[str, ...] = ()
    torn: bool = False


class GraphStore(Protocol):
    """One user's memory graph."""

    @property
    def user(self) -> str: ...

    @property
    def location(self) -> str:
        """Where it is kept, for a person to read."""
        ...

    @property
    def host(self) -> str | None:
        """The host that what is told is sent to, ``None`` where it stays in a file."""
        ...

    @property
    def read_only(self) -> bool:
        """Whether nothing can be written to it from here: what would write is a ``StoreUnavailable``."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know: about the place it is kept in, and what of it cannot be read.

        A record or link that cannot be read is left out of every answer, and the rest works.
        """
        ...

    def close(self) -> None:
        """Let go of everything. Doing so twice does nothing; any other call afterwards is an error."""
        ...

    def write(self, batch: Batch) -> Written:
        """Apply a batch in one durable transaction.

        Raises:
            Conflict: an ``expect_version`` does not hold, or another engram has the ``content_hash``.
            StoreError: nothing was written.
        """
        ...

    def claim(self, kind: str, ids: Sequence[str], holder: str, ttl: float) -> frozenset[str]:
        """Take leases of ``ttl`` seconds; return the ids now held by ``holder``.

        A lease is granted where none is held, the old one has run out, or ``holder`` has it already
        (then it is renewed).
        """
        ...

    def leases(self, kind: str, ids: Sequence[str]) -> dict[str, Lease]:
        """Return who holds which of some claims, and for how long; those that nobody holds are left out."""
        ...

    def snapshot(self) -> AbstractContextManager[None]:
        """Have all that this thread reads in a ``with`` block come from one state of the memory.

        What is written meanwhile, by this thread too, is not seen. It also saves a store the cost of many
        small transactions. One inside another changes nothing. A database that has no such reading shows the newest
        state instead, or what was read since the snapshot began or this thread last wrote; the statistics and hits of
        a text search still come from one state.
        """
        ...

    def get(self, kind: Kind, ids: Sequence[str]) -> dict[str, Record]:
        """Return the records that exist, by id."""
        ...

    def peek(self, kind: Kind, ids: Sequence[str], fields: Sequence[str]) -> dict[str, tuple[Any, ...]]:
        """Return the values of some fields of the records that exist, in the order asked, by id.

        It costs a fraction of ``get`` where a few values of many records are wanted.
        """
        ...

    def find(
        self,
        kind: Kind,
        where: Where = (),
        order: Order = Order(),
        limit: int = 100,
        after: Cursor | None = None,
    ) -> Page:
        """Return the records that match, filtered before the limit."""
        ...

    def links(
        self,
        ids: Sequence[str],
        kinds: Sequence[LinkKind] = (),
        direction: Literal["out", "in", "both"] = "both",
        limit: int = 1000,
    ) -> tuple[Link, ...]:
        """Return links one hop from any of ``ids``, strongest first; no ``kinds`` means all."""
        ...

    def edges(
        self, ids: Sequence[str], kinds: Sequence[LinkKind], direction: Literal["out", "in", "both"], each: int
    ) -> tuple[Edge, ...]:
        """Return links one hop from ``ids`` as bare edges: of every id up to ``each`` per kind and direction.

        The strongest are taken, of equally strong ones the newest. A link between two of the ids comes once.
        The edges are in no particular order.
        """
        ...

    def sweep(
        self, kind: Kind, fields: Sequence[str], where: Where = (), after: str = "", limit: int = 1000
    ) -> tuple[tuple[Any, ...], ...]:
        """Return the id and some fields of the records that match and whose id follows ``after``, by id.

        It walks over all records of a kind at a fraction of what ``find`` costs.
        """
        ...

    def passing(self, kind: Kind, ids: Sequence[str], where: Where) -> frozenset[str]:
        """Return those of ``ids`` whose records exist and match; for passages ``where`` is about their engram."""
        ...

    def vector_search(
        self, kind: Kind, vector: Vector, k: int, where: Where = (), space: Space = Space.MODEL
    ) -> tuple[VectorHit, ...]:
        """Return the ``k`` nearest records by cosine similarity, nearest first, filtered before the limit.

        For passages ``where`` is about the engram they belong to.
        """
        ...

    def token_vectors(self, kind: Kind, ids: Sequence[str], width: int) -> TokenVectors:
        """Return the token vectors of those records that have any of this width, in no particular order."""
        ...

    def text_search(self, kind: Kind, terms: Sequence[str], k: int, where: Where = ()) -> TextMatches:
        """Return up to ``k`` records that hold any of the terms, the most promising ones.

        For passages ``where`` is about the engram they belong to.
        """
        ...

    def occurrences(self, kind: Kind, terms: Sequence[str], ids: Sequence[str]) -> tuple[TextHit, ...]:
        """Return how often the terms occur in some records; those that hold none are left out.

        What is asked of a few known records: unlike ``text_search`` it gathers no statistics.
        """
        ...

    def count(self) -> dict[str, int]:
        """Return how many records there are of each kind and links of each kind, and ``pending`` engrams."""
        ...

    def scan(self, vectors: bool = False) -> Iterator[Kept | Damaged]:
        """Yield everything as it stands at one moment: engrams, each before its passages, the other records, links.

        Each kind comes in the order of ids. Memory use does not grow with what is stored. Close the iterator
        if it is not read to its end.
        """
        ...

    def clear(self, kinds: Sequence[Kind]) -> int:
        """Erase all records of these kinds with their links, vectors and terms; return how many records."""
        ...

    def meta(self, key: str) -> str | None:
        """Return a remembered value. The keys and their change are part of ``write``."""
        ...

    def erase_traces(self) -> tuple[str, ...]:
        """Scrub deleted data from the store's files; return what may still hold it, for a person to read."""
        ...

    def tend(self) -> bool:
        """Do a little, some milliseconds of work, of what keeps indexes quick; return whether there is more to do.

        Indexes that pay only from some number of records on are made here, once there are as many. The answers to
        all questions stay the same.
        """
        ...

    def check(self) -> tuple[str, ...]:
        """Verify the store's integrity; return the problems found."""
        ...
