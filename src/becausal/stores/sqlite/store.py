# SPDX-License-Identifier: Apache-2.0
"""The SQLite store: each verb of the port as one transaction."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ...domain.records import Kind, Link, LinkKind, Record
from ...errors import InvalidInput, StoreUnavailable
from ...ports.store import (
    Batch,
    Cursor,
    Damaged,
    Edge,
    Kept,
    Lease,
    Order,
    Page,
    Space,
    TextHit,
    TextMatches,
    TokenVectors,
    VectorHit,
    Where,
    Written,
)
from ..migrations import Step, migrate
from ..paths import folder_name, private_file, private_folder
from . import schema, upkeep
from .batches import apply_batch, clear_kinds
from .claims import check_ttl, read_leases, take_claims
from .connections import Connections
from .links import read_edges, read_links
from .matrix import Matrix
from .nearest import search_vectors
from .read_only import cannot_be_written
from .reading import find_records, read_counts, read_fields, read_records, sweep_fields
from .scan import scan_all
from .text import count_terms, search_text
from .tokens import read_tokens
from .where import matching_ids

if TYPE_CHECKING:
    from ...ports.models import Vector

FILE_NAME = "becausal.db"
BUSY_TIMEOUT = 30.0
"""Seconds to wait for another process's lock."""


class SqliteStore:
    """One user's memory in one file. See ``GraphStore`` for what the methods promise."""

    def __init__(self, user: str, connections: Connections) -> None:
        self._user = user
        self._connections = connections
        self._matrices: Mapping[tuple[Kind, Space], Matrix] = {
            (kind, space): Matrix(kind, space) for kind in Kind for space in Space
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
        if not read_only:
            private_folder(location, user)
            private_file(path)
        connections = Connections(path, busy_timeout, read_only=read_only)
        try:
            migrate(_Schema(connections), schema.STEPS, f"the memory at {path}")
        except BaseException:
            connections.close()
            raise
        return cls(user, connections)

    @property
    def user(self) -> str:
        return self._user

    @property
    def location(self) -> str:
        return str(self._connections.path)

    @property
    def read_only(self) -> bool:
        return self._connections.read_only

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
        with self._connections.reading() as db:
            return read_records(db, kind, ids)

    def peek(self, kind: Kind, ids: Sequence[str], fields: Sequence[str]) -> dict[str, tuple[Any, ...]]:
        with self._connections.reading() as db:
            return read_fields(db, kind, ids, fields)

    def find(
        self,
        kind: Kind,
        where: Where = (),
        order: Order = Order(),
        limit: int = 100,
        after: Cursor | None = None,
    ) -> Page:
        _must_be_positive("limit", limit)
        with self._connections.reading() as db:
            return find_records(db, kind, where, order, limit, after)

    def links(
        self,
        ids: Sequence[str],
        kinds: Sequence[LinkKind] = (),
        direction: Literal["out", "in", "both"] = "both",
        limit: int = 1000,
    ) -> tuple[Link, ...]:
        _must_be_positive("limit", limit)
        with self._connections.reading() as db:
            return read_links(db, ids, kinds, direction, limit)

    def edges(
        self, ids: Sequence[str], kinds: Sequence[LinkKind], direction: Literal["out", "in", "both"], each: int
    ) -> tuple[Edge, ...]:
        _must_be_positive("each", each)
        with self._connections.reading() as db:
            return read_edges(db, ids, kinds, direction, each)

    def sweep(
        self, kind: Kind, fields: Sequence[str], where: Where = (), after: str = "", limit: int = 1000
    ) -> tuple[tuple[Any, ...], ...]:
        _must_be_positive("limit", limit)
        with self._connections.reading() as db:
            return sweep_fields(db, kind, fields, where, after, limit)

    def passing(self, kind: Kind, ids: Sequence[str], where: Where) -> frozenset[str]:
        with self._connections.reading() as db:
            return frozenset(matching_ids(db, kind, where, among=ids))

    def vector_search(
        self, kind: Kind, vector: Vector, k: int, where: Where = (), space: Space = Space.MODEL
    ) -> tuple[VectorHit, ...]:
        _must_be_positive("k", k)
        with self._connections.reading() as db:
            return search_vectors(db, self._matrices[kind, space], kind, vector, k, where)

    def token_vectors(self, kind: Kind, ids: Sequence[str], width: int) -> TokenVectors:
        _must_be_positive("width", width)
        with self._connections.reading() as db:
            return read_tokens(db, kind, ids, width)

    def text_search(self, kind: Kind, terms: Sequence[str], k: int, where: Where = ()) -> TextMatches:
        _must_be_positive("k", k)
        with self._connections.reading() as db:
            return search_text(db, kind, terms, k, where)

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

    def check(self) -> tuple[str, ...]:
        return upkeep.find_problems(self._connections)


class _Schema:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def schema_version(self) -> int:
        connections = self._connections
        with connections.reading() if connections.read_only else connections.exclusive() as db:
            return schema.schema_version(db)

    def advance(self, step: Step[sqlite3.Connection]) -> None:
        if self._connections.read_only:
            raise StoreUnavailable(
                f"the memory at {self._connections.path} is of an older version and read-only here: "
                "open it once where it can be written to"
            )
        with self._connections.writing() as db:
            schema.advance(db, step)


def _must_be_positive(name: str, value: int) -> None:
    if value < 1:
        raise InvalidInput(name, "must be 1 or more")
