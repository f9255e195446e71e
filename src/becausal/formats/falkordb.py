# SPDX-License-Identifier: Apache-2.0
"""A live graph in FalkorDB, read by queries that may not write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ..errors import InvalidInput, StoreUnavailable
from .databases import Address, Database, Edge, Node, missing

WINDOW = 2_000
"""Ids looked at by one query, which bounds each answer."""

TIMEOUT = 60_000
"""Milliseconds that a query may take."""

_OURS = "({0}._owner IS NULL AND ({0}.user IS NULL OR {0}.user = '' OR {0}.user = $owner))"
"""Whether a node is the owner's; what has an ``_owner`` is a memory of becausal, which may share the graph."""

_WINDOW = "ID(n) >= $low AND ID(n) < $high"
_NODES = f"MATCH (n) WHERE {_WINDOW} AND $label IN labels(n) AND {_OURS.format('n')} RETURN n ORDER BY ID(n)"
_EDGES = (
    f"MATCH (n) WHERE {_WINDOW} AND {_OURS.format('n')} AND any(l IN labels(n) WHERE l IN $labels) "
    f"MATCH (n)-[r]->(m) WHERE {_OURS.format('m')} AND any(l IN labels(m) WHERE l IN $labels) "
    "RETURN r, ID(n), ID(m) ORDER BY ID(n), ID(r)"
)


@contextmanager
def opened(address: Address) -> Iterator[Database]:
    """Lend the graph at an address.

    Raises:
        InvalidInput: there is no graph of that name, or the package is missing.
        StoreUnavailable: the server cannot be reached, or refuses.
    """
    try:
        import falkordb
    except ImportError:
        raise missing("falkordb") from None
    import redis

    try:
        client = falkordb.FalkorDB(
            host=address.host,
            port=address.port or 6379,
            password=address.password,
            ssl=address.scheme == "rediss",
            socket_connect_timeout=10,
            socket_timeout=TIMEOUT / 1000 + 5,
        )
        try:
            if address.name not in client.list_graphs():  # a query would make it
                raise InvalidInput("source", f"names a graph that is not there: '{address.name}'")
            yield _Graph(client.select_graph(address.name), address.owner)
        finally:
            client.connection.close()
    except redis.AuthenticationError:
        raise StoreUnavailable(
            f"{address} refuses the password: set FALKORDB_PASSWORD to the one that the server takes"
        ) from None
    except (redis.ConnectionError, redis.TimeoutError) as error:
        raise StoreUnavailable(f"{address} cannot be reached ({error}): is the server running?") from None
    except redis.RedisError as error:
        raise StoreUnavailable(f"{address} cannot be read ({error})") from None


class _Graph:
    """A graph that is open."""

    def __init__(self, graph: Any, owner: str) -> None:
        self._graph = graph
        self._owner = owner

    def labels(self) -> frozenset[str]:
        return frozenset(row[0] for row in self._ask("CALL db.labels()", {}))

    def nodes(self, labels: Sequence[str]) -> Iterator[Node]:
        for label in labels:
            for (node,) in self._windows(_NODES, {"label": label}):
                yield Node(key=str(node.id), labels=tuple(node.labels or ()), fields=node.properties)

    def edges(self, labels: Sequence[str]) -> Iterator[Edge]:
        for edge, source, target in self._windows(_EDGES, {"labels": list(labels)}):
            yield Edge(
                key=str(edge.id),
                kind=edge.relation,
                source=str(source),
                target=str(target),
                fields=edge.properties,
            )

    def _windows(self, query: str, values: Mapping[str, Any]) -> Iterator[Any]:
        ((last,),) = self._ask("MATCH (n) RETURN max(ID(n))", {})
        for low in range(0, int(-1 if last is None else last) + 1, WINDOW):
            yield from self._ask(query, {**values, "low": low, "high": low + WINDOW})

    def _ask(self, query: str, values: Mapping[str, Any]) -> list[Any]:
        owner = {"owner": self._owner} if "$owner" in query else {}
        answer: list[Any] = self._graph.ro_query(query, {**values, **owner}, timeout=TIMEOUT).result_set
        return answer
