# SPDX-License-Identifier: Apache-2.0
"""The LadybugDB store: each verb of the port as one transaction."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from ...domain.records import Kind, Link, LinkKind, Record
from ...errors import StoreCorrupt, StoreUnavailable
from ...ports.batch import Batch, Space, Written
from ...ports.store import (
    Cursor,
    Damaged,
    Edge,
    Kept,
    Lease,
    Mended,
    Order,
    Page,
    TextHit,
    TextMatches,
    TokenVectors,
    VectorHit,
    Where,
)
from ..checks import check_ttl, must_be_positive
from ..damage import Damage
from ..graphdb.tally import counts_of
from ..matrix import State as VectorState
from ..nearest import search_vectors
from ..packing import DIMENSION_KEY
from ..paths import folder_name, private_folder
from ..places import Place, place_of
from ..terms import check_terms, is_selective
from . import upkeep
from .connection import LARGEST, POOL, Connection, memory_is_blank
from .database import Database, State, acquire, release
from .files import file_of
from .reading import (
    StoredVectors,
    dimension_in_use,
    find_records,
    read_fields,
    read_links,
    read_records,
    read_tokens,
    sweep_fields,
)
from .scan import scan_all, survey
from .schema import LINK
from .where import matching_ids
from .writing import apply_batch, clear_kinds, take_claims

if TYPE_CHECKING:
    from ...ports.models import Vector

log = logging.getLogger("becausal.store")

T = TypeVar("T")
WAIT = 3.0
"""Seconds to wait for another process to let go of the file."""

UNFILLED = (
    "On this system LadybugDB fills unused parts of its file with what lay in this program's memory: what was erased, "
    "or belongs to another user of the same 'becausal serve', may get into it. Other stores do not do that."
)

_ENDS: dict[str, tuple[Literal["src", "dst"], ...]] = {"out": ("src",), "in": ("dst",), "both": ("src", "dst")}
_ALL = 1 << 62


class _Pinned(threading.local):
    """The transaction that a thread's snapshot reads from, if it has one open."""

    now: tuple[Connection, State] | None = None


class LadybugStore:
    """One user's memory in one LadybugDB file. See ``GraphStore`` for what the methods promise."""

    def __init__(self, user: str, database: Database) -> None:
        self._user = user
        self._database = database
        self._closed = False
        self._closing = threading.Lock()
        self._damage = Damage()
        self._pinned = _Pinned()

    @classmethod
    def open(
        cls, *, location: Path, user: str, wait: float = WAIT, pool: int = POOL, largest: int = LARGEST
    ) -> LadybugStore:
        """Open the memory of ``user`` below ``location``, making it if there is none.

        ``pool`` is how many bytes of the file are held in memory at most, ``largest`` how many it may grow to;
        they hold for the first handle of a process, and the others share what it has opened. Where the file or
        its folder cannot be written to, it is opened for reading alone.

        Raises:
            InvalidInput: the user name is empty or holds a NUL character.
            StoreBusy: another process has it open.
            SchemaTooNew: a newer becausal wrote it.
            StoreError: it cannot be opened.
        """
        path = file_of(location / folder_name(user))
        read_only = cannot_be_written(path)
        if not read_only:
            private_folder(location, user)
        return cls(user, acquire(path, wait=wait, read_only=read_only, pool=pool, largest=largest))

    @classmethod
    def mend(cls, *, location: Path, user: str) -> Mended:
        """Mend the memory of ``user``, which nobody should have open.

        Raises:
            StoreError: it cannot be mended, or has nothing to mend.
        """
        return upkeep.mend_file(location, user, WAIT)

    @property
    def user(self) -> str:
        return self._user

    @property
    def location(self) -> str:
        return str(self._database.path)

    @property
    def host(self) -> str | None:
        return None

    @property
    def read_only(self) -> bool:
        return self._database.read_only

    @property
    def notes(self) -> tuple[str, ...]:
        notes = []
        place = place_of(self._database.path.parent)
        if place is not Place.LOCAL:
            notes.append(f"{self._database.path.parent} is in {place.value}: a local disk is the better place.")
        if not memory_is_blank():
            notes.append(UNFILLED)
        return (*notes, *self._damage.notes())

    def close(self) -> None:
        with self._closing:
            if not self._closed:
                self._closed = True
                release(self._database)

    def write(self, batch: Batch) -> Written:
        return apply_batch(self._open(), batch)

    def claim(self, kind: str, ids: Sequence[str], holder: str, ttl: float) -> frozenset[str]:
        check_ttl(ttl)
        return take_claims(self._open(), kind, ids, holder, ttl)

    def leases(self, kind: str, ids: Sequence[str]) -> dict[str, Lease]:
        database, now = self._open(), time.time()
        with database.gate:
            held = {id: claim for id in ids if (claim := database.memory.claims.get((kind, id))) is not None}
        return {id: Lease(holder, expires - now) for id, (holder, expires) in held.items() if expires > now}

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        database = self._open()
        if self._pinned.now is not None:
            yield
            return
        with database.gate:
            database.links()
            for kind in Kind:
                database.texts(kind)
            now = database.begin()
        self._pinned.now = now
        try:
            yield
        finally:
            self._pinned.now = None
            database.end(*now)

    @contextmanager
    def _reading(self) -> Iterator[tuple[Connection, State]]:
        database = self._open()
        if self._pinned.now is not None:
            yield self._pinned.now
            return
        now = database.begin()
        try:
            yield now
        finally:
            database.end(*now)

    def get(self, kind: Kind, ids: Sequence[str]) -> dict[str, Record]:
        return self._around(kind.value, lambda db, without: read_records(db, kind, ids, without))

    def peek(self, kind: Kind, ids: Sequence[str], fields: Sequence[str]) -> dict[str, tuple[Any, ...]]:
        return self._around(kind.value, lambda db, without: read_fields(db, kind, ids, fields, without))

    def find(
        self,
        kind: Kind,
        where: Where = (),
        order: Order = Order(),
        limit: int = 100,
        after: Cursor | None = None,
    ) -> Page:
        must_be_positive("limit", limit)
        return self._around(kind.value, lambda db, without: find_records(db, kind, where, order, limit, after, without))

    def links(
        self,
        ids: Sequence[str],
        kinds: Sequence[LinkKind] = (),
        direction: Literal["out", "in", "both"] = "both",
        limit: int = 1000,
    ) -> tuple[Link, ...]:
        must_be_positive("limit", limit)
        with self._linked():
            found = self._strongest(ids, [kind.value for kind in kinds] or None, direction, limit)
            damaged = self._damage.ids(LINK)
            entries = sorted(found.values(), key=lambda entry: entry.key, reverse=True)
            best = [entry.id for entry in entries if entry.id not in damaged][:limit]
            return self._around(LINK, lambda db, without: read_links(db, best, without))

    def edges(
        self, ids: Sequence[str], kinds: Sequence[LinkKind], direction: Literal["out", "in", "both"], each: int
    ) -> tuple[Edge, ...]:
        must_be_positive("each", each)
        with self._linked():
            found = self._strongest(ids, list(dict.fromkeys(kind.value for kind in kinds)), direction, each)
        return tuple(entry.edge for entry in found.values())

    @contextmanager
    def _linked(self) -> Iterator[None]:
        """Have the links in memory before a transaction begins."""
        database = self._open()
        if self._pinned.now is None and database.memory.links is None:
            with database.gate:
                database.links()
        yield

    def _strongest(self, ids: Sequence[str], kinds: Sequence[str] | None, direction: str, each: int) -> dict[int, Any]:
        with self._reading() as (_, state), self._database.gate:
            return self._database.links().strongest(ids, kinds, _ENDS[direction], each, state.revision)

    def sweep(
        self, kind: Kind, fields: Sequence[str], where: Where = (), after: str = "", limit: int = 1000
    ) -> tuple[tuple[Any, ...], ...]:
        must_be_positive("limit", limit)
        return self._around(
            kind.value, lambda db, without: sweep_fields(db, kind, fields, where, after, limit, without)
        )

    def passing(self, kind: Kind, ids: Sequence[str], where: Where) -> frozenset[str]:
        with self._reading() as (db, _):
            return frozenset(matching_ids(db, kind, where, among=ids))

    def vector_search(
        self, kind: Kind, vector: Vector, k: int, where: Where = (), space: Space = Space.MODEL
    ) -> tuple[VectorHit, ...]:
        must_be_positive("k", k)
        with self._reading() as (db, state):
            memory = self._database.memory
            known = state.meta.get(DIMENSION_KEY) if space is Space.MODEL else None
            dimension = int(known) if known else dimension_in_use(db, space)
            with self._database.gate:
                matrix = memory.matrices[kind, space]
            return search_vectors(
                matrix,
                StoredVectors(db, memory, kind, space, state.seq),
                VectorState(state.epoch, state.seq, dimension),
                kind,
                vector,
                k,
                where,
                lambda among: matching_ids(db, kind, where, among=among),
            )

    def token_vectors(self, kind: Kind, ids: Sequence[str], width: int) -> TokenVectors:
        must_be_positive("width", width)
        with self._reading() as (db, _):
            return read_tokens(db, kind, ids, width)

    def text_search(self, kind: Kind, terms: Sequence[str], k: int, where: Where = ()) -> TextMatches:
        must_be_positive("k", k)
        check_terms(terms)
        with self._indexed(kind), self._reading() as (db, state):

            def few(most: int) -> Sequence[str] | None:
                if not is_selective(where):
                    return None
                ids = matching_ids(db, kind, where, most + 1)
                return ids if len(ids) <= most else None

            def passing(ids: Sequence[str]) -> set[str]:
                return set(matching_ids(db, kind, where, among=ids))

            with self._database.gate:
                return self._database.texts(kind).search(terms, k, state.revision, few, passing if where else None)

    def occurrences(self, kind: Kind, terms: Sequence[str], ids: Sequence[str]) -> tuple[TextHit, ...]:
        check_terms(terms)
        with self._indexed(kind), self._reading() as (_, state), self._database.gate:
            return self._database.texts(kind).occurrences(terms, ids, state.revision)

    @contextmanager
    def _indexed(self, kind: Kind) -> Iterator[None]:
        """Have the text index of a kind in memory before a transaction begins."""
        database = self._open()
        if self._pinned.now is None and kind not in database.memory.texts:
            with database.gate:
                database.texts(kind)
        yield

    def count(self) -> dict[str, int]:
        with self._reading() as (_, state):
            return counts_of(state.tally)

    def scan(self, vectors: bool = False) -> Iterator[Kept | Damaged]:
        with self._reading() as (db, _):
            yield from scan_all(db, vectors)

    def clear(self, kinds: Sequence[Kind]) -> int:
        return clear_kinds(self._open(), kinds)

    def meta(self, key: str) -> str | None:
        database = self._open()
        if key == "schema_version":
            return str(database.version)
        state = self._pinned.now[1] if self._pinned.now is not None else database.memory.state
        return state.meta.get(key)

    def erase_traces(self) -> tuple[str, ...]:
        return upkeep.erase_traces(self._open())

    def tend(self) -> bool:
        """Do nothing: the indexes are in memory and need no tending."""
        self._open()
        return False

    def check(self) -> tuple[str, ...]:
        return upkeep.find_problems(self._open())

    def _open(self) -> Database:
        if self._closed:
            raise StoreUnavailable(f"the memory at {self._database.path} has been closed")
        self._database.must_be_usable()
        return self._database

    def _around(self, table: str, read: Callable[[Connection, frozenset[str]], T]) -> T:
        """Return what is read of a table; if a node of it cannot be read, what is read without such nodes."""
        try:
            with self._reading() as (db, _):
                return read(db, self._damage.ids(table))
        except StoreCorrupt:
            with self._reading() as (db, _):
                found = survey(db, table)
            if not self._damage.add(table, found):
                raise  # no node is to blame
            for id, problem in found.items():
                log.error("%s '%s' cannot be read and is left out: %s", table, id, problem)
        with self._reading() as (db, _):
            return read(db, self._damage.ids(table))


def cannot_be_written(path: Path) -> bool:
    """Say whether a file is there whose content, or whose neighbours, cannot be written to."""
    import os

    try:
        return path.is_file() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))
    except OSError:  # whoever opens it will be told
        return False
