# SPDX-License-Identifier: Apache-2.0
"""Queries to one graph of a FalkorDB server, and what can go wrong with them."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from ...errors import StoreBusy, StoreCorrupt, StoreError, StoreUnavailable
from .values import packed, rows_of

if TYPE_CHECKING:
    from falkordb import Graph

log = logging.getLogger("becausal.store")

T = TypeVar("T")
CONNECT_SECONDS = 5.0
INDEX_SECONDS = 30.0
_POLL = 0.05
_INDEXES = "CALL db.indexes() YIELD label, status WHERE status <> 'OPERATIONAL' RETURN label"


class _Own(threading.local):
    depth = 0
    remembered: dict[object, Any] | None = None


class Session:
    """One graph, asked by one user's store. Every query has the parameter ``o``, the owner of what it may see.

    Thread-safe. A connection that was lost is made anew by the next query; a query that only reads is then asked
    again by itself.
    """

    def __init__(
        self, *, host: str, port: int, username: str | None, password: str | None, graph: str, owner: str, timeout: int
    ) -> None:
        """Connect when first asked. ``timeout`` is what a query that reads may take, in milliseconds; 0 is no end."""
        self.server = f"falkordb://{host}:{port}"
        self.host = host
        self.graph = graph
        self.owner = owner
        self._timeout = timeout
        self._settings = {"host": host, "port": port, "username": username, "password": password}
        self._own = _Own()
        self._lock = threading.Lock()
        self._graph: Graph | None = None
        self._closed = False

    @property
    def location(self) -> str:
        return f"{self.server}/{self.graph}"

    def graphs(self) -> frozenset[str]:
        """Return the names of the server's graphs.

        Raises:
            StoreError: the server is away, or refuses it.
        """
        return frozenset(row[0] for row in self._asked(lambda graph, _: _Names(graph.client), {}, again=True))

    def use(self, graph: str) -> None:
        """Ask another graph of the server from now on."""
        with self._lock:
            self.graph, old, self._graph = graph, self._graph, None
        if old is not None:
            old.client.connection.close()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Let what this thread reads meanwhile remember what was read before, until this thread writes."""
        self._own.depth += 1
        try:
            yield
        finally:
            self._own.depth -= 1
            if not self._own.depth:
                self._own.remembered = None

    def remembered(self) -> dict[object, Any] | None:
        """Return what this thread's reads want to remember of each other, ``None`` if they do not belong together."""
        own = self._own
        if own.depth and own.remembered is None:
            own.remembered = {}
        return own.remembered

    def read(self, query: str, **params: Any) -> list[list[Any]]:
        """Return the rows that a query finds.

        Raises:
            StoreError: the server is away, or refuses it.
        """
        return self._asked(
            lambda graph, all: graph.ro_query(query, all, timeout=self._timeout or None), params, again=True
        )

    def write(self, query: str, **params: Any) -> list[list[Any]]:
        """Have a query change the graph, wholly or not at all; return the rows it gives back.

        Raises:
            Interrupted: the connection broke: it may have been done or not.
            StoreError: the server is away, or refuses it; nothing was changed.
        """
        self._own.remembered = None
        return self._asked(lambda graph, all: graph.query(query, all), params, again=False)

    def wait_for_indexes(self) -> None:
        """Wait until all indexes can be used: they are made anew after the server was started."""
        end = time.monotonic() + INDEX_SECONDS
        while self.read(_INDEXES):
            if time.monotonic() > end:
                raise StoreUnavailable(f"the indexes of {self.location} are not ready after {INDEX_SECONDS:.0f} s")
            time.sleep(_POLL)

    def command(self, *words: str) -> None:
        """Give the server a command of its own.

        Raises:
            StoreError: the server is away, or refuses it.
        """
        self._asked(lambda graph, _: graph.execute_command(*words), {}, again=False)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            graph, self._graph = self._graph, None
        if graph is not None:
            graph.client.connection.close()

    def _connected(self) -> Graph:
        with self._lock:
            if self._closed:
                raise StoreError("this memory was closed")
            if self._graph is None:
                self._graph = self._connect()
            return self._graph

    def _connect(self) -> Graph:
        try:
            from falkordb import FalkorDB
            from redis.backoff import NoBackoff
            from redis.retry import Retry
        except ImportError:
            raise StoreUnavailable(
                "DB_TYPE=falkordb needs the client of FalkorDB: pip install 'becausal[falkordb]'"
            ) from None
        client = FalkorDB(
            **self._settings,
            socket_connect_timeout=CONNECT_SECONDS,
            socket_keepalive=True,
            retry=Retry(NoBackoff(), 0),
        )
        return client.select_graph(self.graph)

    def _asked(
        self, ask: Callable[[Graph, dict[str, Any]], Any], params: Mapping[str, Any], again: bool
    ) -> list[list[Any]]:
        import redis

        all_params = packed({"o": self.owner, **params})
        try:
            try:
                result = ask(self._connected(), all_params)
            except (redis.ConnectionError, redis.TimeoutError) as error:
                # Also one of several kept connections that a restart of the server has broken: they all are.
                self._forget()
                if not again or isinstance(error, redis.BusyLoadingError):
                    raise
                result = ask(self._connected(), all_params)
        except redis.RedisError as error:
            raise self._translated(error, redis) from error
        return rows_of(getattr(result, "result_set", ()))

    def _forget(self) -> None:
        with self._lock:
            graph, self._graph = self._graph, None
        if graph is not None:
            # One that another thread is reading from is left to that thread, which will see for itself.
            graph.client.connection.connection_pool.disconnect(inuse_connections=False)

    def _translated(self, error: Exception, redis: Any) -> StoreError:
        text = str(error)
        where = f"the FalkorDB server at {self.location}"
        if isinstance(error, redis.BusyLoadingError):
            return StoreBusy(f"{where} is still loading what it holds; try again in a moment")
        if isinstance(error, redis.AuthenticationError) or "WRONGPASS" in text or "NOAUTH" in text:
            return StoreUnavailable(f"{where} refuses the user name or password; check FALKORDB_PASSWORD")
        if isinstance(error, redis.ConnectionError | redis.TimeoutError):
            return Interrupted(f"{where} cannot be reached; start it, or check FALKORDB_HOST and FALKORDB_PORT")
        if "timed out" in text:
            return StoreBusy(f"{where} took longer than FALKORDB_QUERY_TIMEOUT ({self._timeout} ms) over a question")
        if "unknown command" in text.lower():
            return StoreUnavailable(f"{where} is a Redis without the FalkorDB module")
        if "empty key" in text:
            return StoreUnavailable(f"{where}: the graph was deleted while it was in use")
        if "already indexed" in text:
            return AlreadyThere(f"{where} has this index already")
        if "OOM" in text or "MISCONF" in text or "READONLY" in text:
            return StoreUnavailable(f"{where} takes no writes now: {text.split('.')[0]}")
        if "WRONGTYPE" in text:
            return StoreCorrupt(f"{where}: what has this name there is no graph")
        log.error("%s refused a query: %s", where, text)
        return StoreError(f"{where} refused an operation; the log says why")


class _Names:
    """The names of a server's graphs, as rows."""

    def __init__(self, client: Any) -> None:
        self.result_set = [[name] for name in client.list_graphs()]


class Interrupted(StoreUnavailable):
    """The connection broke, so that nobody knows whether what was asked for was done."""


class AlreadyThere(StoreError):
    """An index is there that was to be made."""
