# SPDX-License-Identifier: Apache-2.0
"""The FalkorDB store: each verb of the port as a query or a few."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from ...domain.records import Kind, Link, LinkKind, Record
from ...errors import StoreUnavailable
from ...ports.batch import Batch, Ref, Space, Written
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
from ..checks import must_be_positive
from ..damage import Damage
from ..graphdb.tally import counts_of
from ..matrix import Matrix
from ..migrations import migrate
from ..nearest import search_vectors
from ..paths import folder_name
from . import upkeep
from .beside import settle
from .claims import read_leases, take_claims
from .linking import read_edges, read_links
from .reading import find_records, matched, matching_ids, read_fields, read_records, sweep_fields
from .root import known_root, read_root
from .scan import scan_all
from .schema import STEPS, VERSION_KEY, Versions
from .session import Session
from .text import count_terms, search_text
from .values import key_of
from .vectors import ServerRows, read_tokens, space_name
from .writing import write_batch

if TYPE_CHECKING:
    from ...ports.models import Vector

log = logging.getLogger("becausal.store")

_SUFFIX = "_smriti"
_ERASED_AT_ONCE = 500


class FalkorStore:
    """One user's memory on a FalkorDB server. See ``GraphStore`` for what the methods promise."""

    def __init__(self, user: str, session: Session, notes: tuple[str, ...] = ()) -> None:
        self._user = user
        self._session = session
        self._notes = notes
        self._damage = Damage()
        self._matrices: Mapping[tuple[Kind, Space], Matrix] = {
            (kind, space): Matrix() for kind in Kind for space in Space
        }

    @classmethod
    def open(
        cls,
        *,
        user: str,
        location: Path | None = None,
        host: str = "localhost",
        port: int = 6379,
        username: str | None = None,
        password: str | None = None,
        graph: str = "becausal",
        isolation: Literal["tenant", "graph"] = "tenant",
        query_timeout: float = 30.0,
    ) -> FalkorStore:
        """Open the memory of ``user``, making it if there is none; ``location`` is of no use to a server.

        With ``isolation`` by ``tenant`` all users are in the one ``graph``, with ``graph`` each has one of his own.
        A graph that another program has made is not written to: the memory then lies beside it. ``query_timeout`` is in
        seconds.

        Raises:
            InvalidInput: the user name is empty or holds a NUL character.
            SchemaTooNew: a newer becausal wrote it.
            StoreError: it cannot be opened.
        """
        owner = folder_name(user)
        session = Session(
            host=host,
            port=port,
            username=username,
            password=password,
            graph=graph if isolation == "tenant" else owner + _SUFFIX,
            owner=owner,
            timeout=round(query_timeout * 1000),
        )
        try:
            note = settle(session)
            migrate(Versions(session), STEPS, f"the memory of this user at {session.location}")
            session.wait_for_indexes()
        except BaseException:
            session.close()
            raise
        return cls(user, session, () if note is None else (note,))

    @classmethod
    def mend(cls, *, user: str, location: Path | None = None, **options: Any) -> Mended:
        """Refuse: what a server keeps is mended there.

        Raises:
            StoreUnavailable: always.
        """
        raise StoreUnavailable(
            "a memory on a FalkorDB server is not mended from here: bring the server's own backup back, or restore "
            "one of this memory with 'becausal restore'"
        )

    @property
    def user(self) -> str:
        return self._user

    @property
    def location(self) -> str:
        return f"{self._session.location} ({self._session.owner})"

    @property
    def host(self) -> str | None:
        return self._session.host

    @property
    def read_only(self) -> bool:
        return False

    @property
    def notes(self) -> tuple[str, ...]:
        return (*self._notes, *self._damage.notes())

    def close(self) -> None:
        self._session.close()

    def write(self, batch: Batch) -> Written:
        return write_batch(self._session, batch)

    def claim(self, kind: str, ids: Sequence[str], holder: str, ttl: float) -> frozenset[str]:
        return take_claims(self._session, kind, ids, holder, ttl)

    def leases(self, kind: str, ids: Sequence[str]) -> dict[str, Lease]:
        return read_leases(self._session, kind, ids)

    def snapshot(self) -> AbstractContextManager[None]:
        return self._session.together()

    def get(self, kind: Kind, ids: Sequence[str]) -> dict[str, Record]:
        return read_records(self._session, kind, ids, self._skip)

    def peek(self, kind: Kind, ids: Sequence[str], fields: Sequence[str]) -> dict[str, tuple[Any, ...]]:
        return read_fields(self._session, kind, ids, fields, self._skip)

    def find(
        self,
        kind: Kind,
        where: Where = (),
        order: Order = Order(),
        limit: int = 100,
        after: Cursor | None = None,
    ) -> Page:
        must_be_positive("limit", limit)
        return find_records(self._session, kind, where, order, limit, after, self._skip)

    def links(
        self,
        ids: Sequence[str],
        kinds: Sequence[LinkKind] = (),
        direction: Literal["out", "in", "both"] = "both",
        limit: int = 1000,
    ) -> tuple[Link, ...]:
        must_be_positive("limit", limit)
        return read_links(self._session, ids, kinds, direction, limit, self._skip)

    def edges(
        self, ids: Sequence[str], kinds: Sequence[LinkKind], direction: Literal["out", "in", "both"], each: int
    ) -> tuple[Edge, ...]:
        must_be_positive("each", each)
        return read_edges(self._session, ids, kinds, direction, each)

    def sweep(
        self, kind: Kind, fields: Sequence[str], where: Where = (), after: str = "", limit: int = 1000
    ) -> tuple[tuple[Any, ...], ...]:
        must_be_positive("limit", limit)
        return sweep_fields(self._session, kind, fields, where, after, limit, self._skip)

    def passing(self, kind: Kind, ids: Sequence[str], where: Where) -> frozenset[str]:
        return frozenset(matching_ids(self._session, kind, where, among=ids))

    def vector_search(
        self, kind: Kind, vector: Vector, k: int, where: Where = (), space: Space = Space.MODEL
    ) -> tuple[VectorHit, ...]:
        must_be_positive("k", k)
        return search_vectors(
            self._matrices[kind, space],
            ServerRows(self._session, space_name(kind, space)),
            known_root(self._session).state(space),
            kind,
            vector,
            k,
            where,
            lambda among: matching_ids(self._session, kind, where, among=among),
        )

    def token_vectors(self, kind: Kind, ids: Sequence[str], width: int) -> TokenVectors:
        must_be_positive("width", width)
        return read_tokens(self._session, kind, ids, width)

    def text_search(self, kind: Kind, terms: Sequence[str], k: int, where: Where = ()) -> TextMatches:
        must_be_positive("k", k)
        return search_text(self._session, kind, terms, k, where)

    def occurrences(self, kind: Kind, terms: Sequence[str], ids: Sequence[str]) -> tuple[TextHit, ...]:
        return count_terms(self._session, kind, terms, ids)

    def count(self) -> dict[str, int]:
        return counts_of(known_root(self._session).tally)

    def scan(self, vectors: bool = False) -> Iterator[Kept | Damaged]:
        return scan_all(self._session, vectors)

    def clear(self, kinds: Sequence[Kind]) -> int:
        gone = 0
        for kind in dict.fromkeys(kinds):
            while rows := self._session.read(f"{matched(kind)} RETURN t.id LIMIT {_ERASED_AT_ONCE}"):
                self.write(Batch(deletes=tuple(Ref(kind, id) for (id,) in rows)))
                gone += len(rows)
        return gone

    def meta(self, key: str) -> str | None:
        if key == VERSION_KEY:
            return str(read_root(self._session).version)
        remembered = self._session.remembered()
        if remembered is None:
            return self._meta(key)
        if ("meta", key) not in remembered:
            remembered["meta", key] = self._meta(key)
        return cast("str | None", remembered["meta", key])

    def _meta(self, key: str) -> str | None:
        rows = self._session.read("MATCH (m:Meta) WHERE m._owner = $o AND m._id = $key RETURN m.value", key=key_of(key))
        return rows[0][0] if rows else None

    def erase_traces(self) -> tuple[str, ...]:
        return upkeep.erase_traces(self._session)

    def tend(self) -> bool:
        return False  # the server looks after its indexes

    def check(self) -> tuple[str, ...]:
        return upkeep.find_problems(self._session)

    def _skip(self, kind: str, id: str, problem: str) -> None:
        if self._damage.add(kind, {id: problem}):
            log.error("%s '%s' cannot be read and is left out: %s", kind, id, problem)
