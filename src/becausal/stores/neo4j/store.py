# SPDX-License-Identifier: Apache-2.0
"""The Neo4j store: each verb of the port as one transaction on the server."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from urllib.parse import urlsplit

from ...domain.records import Kind, Link, LinkKind, Record
from ...errors import SettingsError, StoreUnavailable
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
from ..checks import LONGEST_CLAIM, must_be_positive
from ..foreign_graphs import SYSTEMS, advice
from ..matrix import Matrix
from ..migrations import migrate
from ..nearest import search_vectors
from . import names, schema, upkeep
from .connection import Connection, make_driver
from .reading import Around, Reader
from .text import count_terms, search_text
from .vectors import Rows, read_tokens
from .where import matching
from .writing import Root, apply_batch, claim_row, finite, lock

if TYPE_CHECKING:
    from neo4j import Driver, ManagedTransaction

    from ...ports.models import Vector

T = TypeVar("T")


class Neo4jStore:
    """One user's memory on a Neo4j server. See ``GraphStore`` for what the methods promise."""

    def __init__(self, user: str, mark: str, connection: Connection, notes: tuple[str, ...] = ()) -> None:
        self._user = user
        self._mark = mark
        self._connection = connection
        self._notes = notes
        self._damage = Around()
        self._reader = Reader(connection, mark, self._damage)
        self._matrices: Mapping[tuple[Kind, Space], Matrix] = {
            (kind, space): Matrix() for kind in Kind for space in Space
        }

    @classmethod
    def open(
        cls,
        *,
        user: str,
        uri: str,
        location: Path | None = None,
        username: str | None = None,
        password: str | None = None,
        database: str = "neo4j",
        isolation: Literal["tenant", "database"] = "tenant",
        query_timeout: float = 30.0,
        driver: Callable[[str, tuple[str, str] | None], Driver] = make_driver,
    ) -> Neo4jStore:
        """Open the memory of ``user`` on the server at ``uri``, making it if there is none.

        ``location`` is not used: nothing is kept on this machine. ``query_timeout`` is in seconds.

        Raises:
            InvalidInput: the user name is empty or holds a NUL character.
            SettingsError: the server has no databases for each user.
            SchemaTooNew: a newer becausal wrote it.
            StoreError: it cannot be opened.
        """
        mark = names.owner(user)
        connection = Connection(
            uri, (username, password) if username and password is not None else None, query_timeout, driver
        )
        try:
            if isolation == "database":
                database = names.database_name(user)
                _make_database(connection, database)
            connection.use(database, mark)
            where = f"the memory at {uri}"
            connection.prepare(partial(schema.prepare, connection))
            migrate(schema.Versions(connection, mark, user), schema.STEPS, where)
            note = _of_others(connection)
        except BaseException:
            connection.close()
            raise
        return cls(user, mark, connection, () if note is None else (note,))

    @classmethod
    def mend(cls, **options: Any) -> Mended:
        """Refuse: the server keeps its files in order itself.

        Raises:
            StoreUnavailable: always.
        """
        raise StoreUnavailable(
            f"the Neo4j server at {options.get('uri')} keeps its files itself: check it with neo4j-admin, and bring "
            "back what is damaged from a backup"
        )

    @property
    def user(self) -> str:
        return self._user

    @property
    def location(self) -> str:
        return f"{self._connection.uri.rstrip('/')}/{self._connection.database}#{self._mark}"

    @property
    def host(self) -> str | None:
        return urlsplit(self._connection.uri).hostname

    @property
    def read_only(self) -> bool:
        return False

    @property
    def notes(self) -> tuple[str, ...]:
        return (*self._notes, *self._damage.notes())

    def close(self) -> None:
        self._connection.close()

    def write(self, batch: Batch) -> Written:
        return self._locked(lambda root: apply_batch(root, batch))

    def _locked(self, work: Callable[[Root], T], *, unhurried: bool = False) -> T:
        def transaction(tx: ManagedTransaction) -> T:
            return work(lock(tx, self._mark, len(schema.STEPS)))

        return self._connection.write(transaction, unhurried=unhurried)

    def claim(self, kind: str, ids: Sequence[str], holder: str, ttl: float) -> frozenset[str]:
        finite(ttl)

        def work(root: Root) -> frozenset[str]:
            now = time.time()
            rows = [claim_row(self._mark, kind, id, holder, now + ttl) for id in dict.fromkeys(ids)]
            # What runs out later than any claim can was taken before the clock was set back.
            root.run(
                f"MATCH (c:{names.CLAIM}) WHERE c.mark = $mark AND (c.expires <= $now OR c.expires > $last) DELETE c",
                now=now,
                last=now + LONGEST_CLAIM,
            )
            held = root.run(
                f"UNWIND $rows AS row MERGE (c:{names.CLAIM} {{pk: row.pk}}) ON CREATE SET c = row "
                "WITH c, row WHERE c.holder = row.holder SET c.expires = row.expires RETURN c.id",
                rows=rows,
            )
            return frozenset(id for (id,) in held)

        return self._locked(work)

    def leases(self, kind: str, ids: Sequence[str]) -> dict[str, Lease]:
        now = time.time()
        keys = [names.key(self._mark, "claim", kind, id) for id in dict.fromkeys(ids)]
        query = f"MATCH (c:{names.CLAIM}) WHERE c.pk IN $keys AND c.expires > $now RETURN c.id, c.holder, c.expires"
        rows = self._connection.read(query, keys=keys, now=now)
        return {id: Lease(holder, expires - now) for id, holder, expires in rows}

    def snapshot(self) -> AbstractContextManager[None]:
        return self._connection.together()

    def get(self, kind: Kind, ids: Sequence[str]) -> dict[str, Record]:
        return self._reader.records(kind, ids)

    def peek(self, kind: Kind, ids: Sequence[str], fields: Sequence[str]) -> dict[str, tuple[Any, ...]]:
        return self._reader.fields(kind, ids, fields)

    def find(
        self,
        kind: Kind,
        where: Where = (),
        order: Order = Order(),
        limit: int = 100,
        after: Cursor | None = None,
    ) -> Page:
        must_be_positive("limit", limit)
        return self._reader.find(kind, where, order, limit, after)

    def links(
        self,
        ids: Sequence[str],
        kinds: Sequence[LinkKind] = (),
        direction: Literal["out", "in", "both"] = "both",
        limit: int = 1000,
    ) -> tuple[Link, ...]:
        must_be_positive("limit", limit)
        return self._reader.links(ids, kinds, direction, limit)

    def edges(
        self, ids: Sequence[str], kinds: Sequence[LinkKind], direction: Literal["out", "in", "both"], each: int
    ) -> tuple[Edge, ...]:
        must_be_positive("each", each)
        return self._reader.edges(ids, kinds, direction, each)

    def sweep(
        self, kind: Kind, fields: Sequence[str], where: Where = (), after: str = "", limit: int = 1000
    ) -> tuple[tuple[Any, ...], ...]:
        must_be_positive("limit", limit)
        return self._reader.sweep(kind, fields, where, after, limit)

    def passing(self, kind: Kind, ids: Sequence[str], where: Where) -> frozenset[str]:
        return self._reader.passing(kind, ids, where)

    def vector_search(
        self, kind: Kind, vector: Vector, k: int, where: Where = (), space: Space = Space.MODEL
    ) -> tuple[VectorHit, ...]:
        must_be_positive("k", k)
        matching(kind, where, self._mark)  # refuses what cannot be asked, also where there is no vector yet
        rows = Rows(self._connection, self._mark, kind, space)

        def matching_ids(ids: Sequence[str] | None) -> list[str]:
            if ids is None:
                return self._reader.all_matching(kind, where)
            return list(self._reader.passing(kind, ids, where))

        state = rows.state()
        return search_vectors(self._matrices[kind, space], rows, state, kind, vector, k, where, matching_ids)

    def token_vectors(self, kind: Kind, ids: Sequence[str], width: int) -> TokenVectors:
        must_be_positive("width", width)
        return read_tokens(self._connection, self._mark, kind, ids, width)

    def text_search(self, kind: Kind, terms: Sequence[str], k: int, where: Where = ()) -> TextMatches:
        must_be_positive("k", k)
        return search_text(self._connection, self._mark, kind, terms, k, where)

    def occurrences(self, kind: Kind, terms: Sequence[str], ids: Sequence[str]) -> tuple[TextHit, ...]:
        return count_terms(self._connection, self._mark, kind, terms, ids)

    def count(self) -> dict[str, int]:
        return self._reader.counts()

    def scan(self, vectors: bool = False) -> Iterator[Kept | Damaged]:
        return upkeep.scan(self._connection, self._mark, len(schema.STEPS), vectors)

    def clear(self, kinds: Sequence[Kind]) -> int:
        return self._locked(lambda root: upkeep.clear(root, kinds), unhurried=True)

    def meta(self, key: str) -> str | None:
        return self._reader.meta(key)

    def erase_traces(self) -> tuple[str, ...]:
        self._locked(upkeep.erase_traces, unhurried=True)
        return (
            f"the Neo4j server at {self._connection.uri}: its transaction logs hold what was deleted until it drops "
            "them (db.tx_log.rotation.retention_policy), and so do backups made there",
        )

    def tend(self) -> bool:
        return False

    def check(self) -> tuple[str, ...]:
        return tuple(self._locked(upkeep.find_problems, unhurried=True))


def _of_others(connection: Connection) -> str | None:
    """Return what a person should know of another system's memory in the same database: no label is common to both."""
    for system, labels in SYSTEMS.items():
        if connection.read(f"MATCH (n:{'|'.join(labels)}) RETURN 1 LIMIT 1"):
            address = f"{connection.uri.rstrip('/')}/{connection.database}"
            told = f"The database '{connection.database}' holds nodes of {system} too. They are left untouched."
            return told + advice(system, address)
    return None


def _make_database(connection: Connection, name: str) -> None:
    """Make a user's own database if there is none.

    Raises:
        SettingsError: the server is of an edition that has but one.
    """
    rows = connection.run("CALL dbms.components() YIELD edition RETURN edition", database="system")
    if [edition for (edition,) in rows] != ["enterprise"]:
        raise SettingsError(
            "NEO4J_ISOLATION",
            "'database' takes Neo4j Enterprise, and this server is of the Community edition, which has one database "
            "for all: use tenant",
        )
    connection.run("CREATE DATABASE $name IF NOT EXISTS WAIT", database="system", name=name)
