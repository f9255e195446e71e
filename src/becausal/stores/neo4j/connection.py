# SPDX-License-Identifier: Apache-2.0
"""The way to the server: one driver for all handles that reach it alike, transactions, and errors in plain words."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from ...errors import BecausalError, InvalidInput, StoreBusy, StoreError, StoreUnavailable
from .together import SharedTransaction

if TYPE_CHECKING:
    from neo4j import Driver, ManagedTransaction, Session, Transaction

    Reading: TypeAlias = ManagedTransaction | Transaction

T = TypeVar("T")

PATIENCE = 15.0
"""Seconds in which a transaction that met a passing trouble is tried again, and a connection is waited for."""

_CONNECT = 5.0
_OPEN: dict[tuple[object, ...], _Shared] = {}
_guard = threading.Lock()


@dataclass(slots=True)
class _Shared:
    """What the handles of this process that reach a server alike have in common."""

    driver: Driver
    bookmarks: Any
    handles: int = 0
    prepared: set[str] = field(default_factory=set)
    gates: dict[tuple[str, str], Gate] = field(default_factory=dict)


class Gate:
    """Lets many read or one write.

    The server shows a transaction's changes one by one while it commits them. So that no reader of this process
    sees half of what another thread writes, they wait for each other here.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._readers = 0
        self._writing = False
        self._waiting = 0

    @contextmanager
    def reading(self) -> Iterator[None]:
        with self._changed:
            self._changed.wait_for(lambda: not self._writing and not self._waiting)
            self._readers += 1
        try:
            yield
        finally:
            with self._changed:
                self._readers -= 1
                self._changed.notify_all()

    @contextmanager
    def writing(self) -> Iterator[None]:
        with self._changed:
            self._waiting += 1
            self._changed.wait_for(lambda: not self._writing and not self._readers)
            self._waiting -= 1
            self._writing = True
        try:
            yield
        finally:
            with self._changed:
                self._writing = False
                self._changed.notify_all()


def make_driver(uri: str, auth: tuple[str, str] | None) -> Driver:
    """Return a driver. It connects when it is first used.

    Raises:
        StoreUnavailable: the library is missing.
    """
    try:
        from neo4j import GraphDatabase, NotificationMinimumSeverity
    except ImportError:
        raise StoreUnavailable("DB_TYPE=neo4j takes the Neo4j driver: pip install 'becausal[neo4j]'") from None
    return GraphDatabase.driver(
        uri,
        auth=auth,
        connection_timeout=_CONNECT,
        connection_acquisition_timeout=PATIENCE,
        max_transaction_retry_time=PATIENCE,
        notifications_min_severity=NotificationMinimumSeverity.OFF,
        user_agent="becausal",
        telemetry_disabled=True,
    )


class Connection:
    """A handle's way to a database on the server. All methods are safe to call from several threads."""

    def __init__(
        self, uri: str, auth: tuple[str, str] | None, query_timeout: float, make: Callable[..., Driver] = make_driver
    ) -> None:
        self.uri = uri
        self._timeout = query_timeout
        self._identity = (uri, auth, make)
        self._closed = False
        with _guard:
            shared = _OPEN.get(self._identity)
            if shared is None:
                driver = make(uri, auth)
                shared = _OPEN[self._identity] = _Shared(driver, _bookmarks())
            shared.handles += 1
        self._shared = shared
        self.database = ""
        self._gate = Gate()
        self._together = SharedTransaction(lambda: self._session(write=False), query_timeout)

    def use(self, database: str, mark: str) -> None:
        """Set the database, and whose memory it is that reads and writes wait for each other in."""
        self.database = database
        with _guard:
            self._gate = self._shared.gates.setdefault((database, mark), Gate())

    def close(self) -> None:
        with _guard:
            if self._closed:
                return
            self._closed = True
            self._shared.handles -= 1
            if self._shared.handles:
                return
            del _OPEN[self._identity]
        self._shared.driver.close()

    def prepare(self, make: Callable[[], None]) -> None:
        """Do once in a process what a database needs before it can be used."""
        with _guard:
            known = self.database in self._shared.prepared
        if not known:
            make()
            with _guard:
                self._shared.prepared.add(self.database)

    def read(self, query: str, **params: object) -> list[Any]:
        """Return the rows of a query, each a list of its values."""

        def work(tx: Reading) -> list[Any]:
            return tx.run(cast(Any, query), params).values()

        with self._gate.reading():
            if (done := self._together.read(work)) is not None:
                return done[0]
            if (rows := self._read_at_once(query, params)) is not None:
                return rows
            return self._managed(work, write=False, timeout=self._timeout)

    def _read_at_once(self, query: str, params: Mapping[str, object]) -> list[Any] | None:
        """Return the rows of a query that goes without a transaction around it, which takes one way there, not three.

        ``None`` where anything goes wrong: the query is then to be asked again with the patience for it.
        """
        from neo4j import Query
        from neo4j.exceptions import DriverError, Neo4jError

        try:
            with self._session(write=False) as session:
                return session.run(Query(cast(Any, query), timeout=self._timeout), dict(params)).values()
        except (Neo4jError, DriverError, UnicodeEncodeError):
            return None

    def listed(self, query: str, **params: object) -> list[Any]:
        """Return what a query collects into one list: as rows of its own it would take both sides twice as long."""
        rows = self.read(query, **params)
        return cast("list[Any]", rows[0][0]) if rows else []

    def remembered(self) -> dict[object, Any] | None:
        """Return what the reads of this thread's snapshot remember of each other, ``None`` without one."""
        return self._together.remembered()

    def read_in_one(self, work: Callable[[Reading], T]) -> T:
        """Return what a function reads in one transaction, which may be begun again."""
        with self._gate.reading():
            if (done := self._together.read(work)) is not None:
                return done[0]
            return self._managed(work, write=False, timeout=self._timeout)

    def together(self) -> AbstractContextManager[None]:
        """Let what this thread reads meanwhile share a transaction, and what is remembered of it."""
        return self._together.kept()

    def write(self, work: Callable[[ManagedTransaction], T], *, unhurried: bool = False) -> T:
        """Do what a function does in one transaction, which may be begun again; ``unhurried``: without a time limit."""
        self._together.end()
        with self._gate.writing():
            return self._managed(work, write=True, timeout=None if unhurried else self._timeout)

    def run(self, query: str, database: str | None = None, **params: object) -> list[Any]:
        """Return the rows of a query that manages its own transaction."""
        with self._errors(), self._session(write=True, database=database) as session:
            return session.run(cast(Any, query), params).values()

    def change_schema(self, query: str) -> None:
        """Make a constraint or an index. Of several processes that do so at once the server lets some try again."""
        self._managed(lambda tx: tx.run(cast(Any, query)).consume(), write=True, timeout=None)

    def _managed(self, work: Callable[[ManagedTransaction], T], *, write: bool, timeout: float | None) -> T:
        from neo4j import unit_of_work

        timed = unit_of_work(timeout=timeout)(work) if timeout else work
        with self._errors(), self._session(write=write) as session:
            return session.execute_write(timed) if write else session.execute_read(timed)

    def _session(self, *, write: bool, database: str | None = None) -> Session:
        if self._closed:
            raise StoreUnavailable("the memory has been closed")
        return self._shared.driver.session(
            database=database or self.database,
            default_access_mode="WRITE" if write else "READ",
            bookmark_manager=self._shared.bookmarks,
            fetch_size=-1,  # what is asked for is bounded by the question
        )

    @contextmanager
    def _errors(self) -> Iterator[None]:
        from neo4j.exceptions import DriverError, Neo4jError

        try:
            yield
        except UnicodeEncodeError as error:
            raise InvalidInput("text", "holds half of a surrogate pair, which is not valid Unicode") from error
        except (Neo4jError, DriverError) as error:
            raise translated(error, self.uri) from error


def _bookmarks() -> Any:
    """Let every handle of this process see, also on another member of a cluster, what any of them has written."""
    from neo4j import GraphDatabase

    return GraphDatabase.bookmark_manager()


def translated(error: Exception, uri: str) -> BecausalError:
    """Return a driver's or the server's error in plain words: no query, no value, no password."""
    from neo4j import exceptions as neo4j

    server = f"the Neo4j server at {uri}"
    code = getattr(error, "code", None) or ""
    if isinstance(error, neo4j.IncompleteCommit):
        return StoreUnavailable(
            f"the connection to {server} broke while it was writing: the change was made or not, but not in part"
        )
    if isinstance(error, neo4j.AuthError):
        return StoreUnavailable(
            f"{server} refuses the user name or the password: check NEO4J_USERNAME and NEO4J_PASSWORD"
        )
    if isinstance(error, neo4j.ServiceUnavailable | neo4j.SessionExpired | neo4j.ConnectionAcquisitionTimeoutError):
        return StoreUnavailable(f"{server} cannot be reached: start it, or check NEO4J_URI")
    if "TransactionTimedOut" in code or "LockClientStopped" in code:
        return StoreBusy(f"{server} took longer than NEO4J_QUERY_TIMEOUT allows")
    if "DatabaseNotFound" in code:
        return StoreUnavailable(f"{server} has no such database: check NEO4J_DATABASE")
    if isinstance(error, neo4j.TransientError):
        return StoreBusy(f"{server} is too busy, or not ready ({code}): try again")
    return StoreError(f"{server} refuses what was asked of it ({code or type(error).__name__})")


def first(rows: list[Any], default: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the only value of the only row."""
    return rows[0][0] if rows else default
