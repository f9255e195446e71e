# SPDX-License-Identifier: Apache-2.0
"""The SQLite store: each verb of the port as one transaction."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
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
from ..matrix import Matrix
from ..migrations import migrate
from ..nearest import search_vectors
from ..paths import folder_name, private_file, private_folder
from . import schema, upkeep
from .batches import apply_batch, clear_kinds
from .claims import read_leases, take_claims
from .connections import Connections
from .damage import LINK, survey
from .emptied import found_empty, keep_note, note_of_empty
from .links import read_edges, read_links
from .mending import mend_file
from .postings import Postings
from .read_only import cannot_be_written
from .reading import find_records, read_counts, read_fields, read_records, sweep_fields
from .scan import scan_all
from .text import count_terms, search_text
from .tokens import read_tokens
from .vectors import FileRows, read_state, space_name, vectors_by_id
from .where import any_archived, matching_ids, needed

if TYPE_CHECKING:
    from ...ports.models import Vector

log = logging.getLogger("becausal.store")

T = TypeVar("T")
FILE_NAME = "becausal.db"
BUSY_TIMEOUT = 30.0
"""Seconds to wait for another process's lock."""


class SqliteStore:
    """One user's memory in one file. See ``GraphStore`` for what the methods promise."""

    def __init__(self, user: str, connections: Connections, notes: tuple[str, ...] = ()) -> None:
        self._user = user
        self._notes = notes
        self._connections = connections
        self._damage = Damage()
        self._postings = Postings()
        self._matrices: Mapping[tuple[Kind, Space], Matrix] = {
            (kind, space): Matrix() for kind in Kind for space in Space
        }

    @classmethod
    def open(cls, *, location: Path, user: str, busy_timeout: float = BUSY_TIMEOUT) -> SqliteStore:
        """Open the memory of ``user`` below ``location``, making it if there is none.

        Where its file or folder cannot be written to, it is opened for reading alone.

        Raises:
            InvalidInput: the user name is empty or holds a NUL character.
            SchemaTooNew: a newer becausal wrote it.
            StoreError: it cannot be opened.
        """
        path = location / folder_name(user) / FILE_NAME
        read_only = cannot_be_written(path)
        empty = not read_only and found_empty(path)
        if not read_only:
            private_folder(location, user)
            private_file(path)
        connections = Connections(path, busy_timeout, read_only=read_only)
        try:
            where = f"the memory at {path}"
            migrate(schema.Versions(connections), schema.STEPS, where)
            connections.check = partial(schema.must_be_current, where=where)
            if empty:
                keep_note(connections)
            notes = note_of_empty(connections)
        except BaseException:
            connections.close()
            raise
        return cls(user, connections, notes)

    @classmethod
    def mend(cls, *, location: Path, user: str, busy_timeout: float = BUSY_TIMEOUT) -> Mended:
        """Mend the memory of ``user``, which nobody should have open.

        Raises:
            StoreError: it cannot be mended, or has nothing to mend.
        """
        path = private_folder(location, user) / FILE_NAME
        if not path.is_file():
            raise StoreUnavailable(f"there is no memory at {path}")
        return mend_file(path, busy_timeout)

    @property
    def user(self) -> str:
        return self._user

    @property
    def location(self) -> str:
        return str(self._connections.path)

    @property
    def host(self) -> str | None:
        return None

    @property
    def read_only(self) -> bool:
        return self._connections.read_only

    @property
    def notes(self) -> tuple[str, ...]:
        return (*self._connections.notes, *self._notes, *self._damage.notes())

    def close(self) -> None:
        self._connections.close()

    def write(self, batch: Batch) -> Written:
        with self._connections.writing() as db:
            return apply_batch(db, batch)

    def claim(self, kind: str, ids: Sequence[str], holder: str, ttl: float) -> frozenset[str]:
        check_ttl(ttl)
        with self._connections.writing() as db:
            return take_claims(db, kind, ids, holder, time.time(), ttl)

    def leases(self, kind: str, ids: Sequence[str]) -> dict[str, Lease]:
        with self._connections.reading() as db:
            return read_leases(db, kind, ids, time.time())

    def snapshot(self) -> AbstractContextManager[None]:
        return self._connections.snapshot()

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
        return self._around(LINK, lambda db, without: read_links(db, ids, kinds, direction, limit, without))

    def edges(
        self, ids: Sequence[str], kinds: Sequence[LinkKind], direction: Literal["out", "in", "both"], each: int
    ) -> tuple[Edge, ...]:
        must_be_positive("each", each)
        with self._connections.reading() as db:
            return read_edges(db, ids, kinds, direction, each)

    def sweep(
        self, kind: Kind, fields: Sequence[str], where: Where = (), after: str = "", limit: int = 1000
    ) -> tuple[tuple[Any, ...], ...]:
        must_be_positive("limit", limit)
        return self._around(
            kind.value, lambda db, without: sweep_fields(db, kind, fields, where, after, limit, without)
        )

    def passing(self, kind: Kind, ids: Sequence[str], where: Where) -> frozenset[str]:
        with self._connections.reading() as db:
            return frozenset(matching_ids(db, kind, self._needed(db, kind, where), among=ids))

    def vector_search(
        self, kind: Kind, vector: Vector, k: int, where: Where = (), space: Space = Space.MODEL
    ) -> tuple[VectorHit, ...]:
        must_be_positive("k", k)
        name = space_name(kind, space)
        with self._connections.reading() as db:
            where = self._needed(db, kind, where)
            return search_vectors(
                self._matrices[kind, space],
                FileRows(db, name),
                self._connections.once(space, lambda: read_state(db, space)),
                kind,
                vector,
                k,
                where,
                lambda among: matching_ids(db, kind, where, among=among),
                partial(vectors_by_id, db, name),
            )

    def token_vectors(self, kind: Kind, ids: Sequence[str], width: int) -> TokenVectors:
        must_be_positive("width", width)
        with self._connections.reading() as db:
            return read_tokens(db, kind, ids, width)

    def text_search(self, kind: Kind, terms: Sequence[str], k: int, where: Where = ()) -> TextMatches:
        must_be_positive("k", k)
        with self._connections.reading() as db:
            return search_text(db, self._postings, kind, terms, k, self._needed(db, kind, where))

    def occurrences(self, kind: Kind, terms: Sequence[str], ids: Sequence[str]) -> tuple[TextHit, ...]:
        with self._connections.reading() as db:
            return count_terms(db, kind, terms, ids)

    def count(self) -> dict[str, int]:
        with self._connections.reading() as db:
            return read_counts(db)

    def scan(self, vectors: bool = False) -> Iterator[Kept | Damaged]:
        with self._connections.reading() as db:
            yield from scan_all(db, vectors)

    def clear(self, kinds: Sequence[Kind]) -> int:
        with self._connections.writing() as db:
            return clear_kinds(db, kinds)

    def meta(self, key: str) -> str | None:
        with self._connections.reading() as db:
            row = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def erase_traces(self) -> tuple[str, ...]:
        return upkeep.erase_traces(self._connections)

    def tend(self) -> bool:
        return upkeep.tend_indexes(self._connections)

    def _needed(self, db: sqlite3.Connection, kind: Kind, where: Where) -> Where:
        return needed(kind, where, lambda: self._connections.once("archived", lambda: any_archived(db)))

    def _around(self, table: str, read: Callable[[sqlite3.Connection, frozenset[str]], T]) -> T:
        """Return what is read of a table; if a row of it cannot be read, what is read without such rows."""
        try:
            with self._connections.reading() as db:
                return read(db, self._damage.ids(table))
        except StoreCorrupt:
            with self._connections.reading() as db:
                found = survey(db, table)
            if not self._damage.add(table, found):
                raise  # no row is to blame
            for id, problem in found.items():
                log.error("%s '%s' cannot be read and is left out: %s", table, id, problem)
        with self._connections.reading() as db:
            return read(db, self._damage.ids(table))

    def check(self) -> tuple[str, ...]:
        return upkeep.find_problems(self._connections)
