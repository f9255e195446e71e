# SPDX-License-Identifier: Apache-2.0
"""A live graph in Neo4j, read in transactions that may not write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from ..errors import InvalidInput, StoreUnavailable
from .databases import Address, Database, Edge, Node, missing

CONNECT = 15.0
"""Seconds to wait for a connection."""

FETCH = 1_000
"""Rows that the server sends at a time."""

_OURS = "coalesce({0}.user, '') IN ['', $owner]"
_NODES = (
    f"MATCH (n) WHERE $label IN labels(n) AND {_OURS.format('n')} "
    "RETURN elementId(n) AS key, labels(n) AS labels, properties(n) AS fields ORDER BY id(n)"
)
_EDGES = (
    f"MATCH (n)-[r]->(m) WHERE {_OURS.format('n')} AND {_OURS.format('m')} AND any(l IN labels(n) WHERE l IN $labels) "
    "AND any(l IN labels(m) WHERE l IN $labels) RETURN elementId(r) AS key, "
    "type(r) AS kind, elementId(n) AS source, elementId(m) AS target, properties(r) AS fields"
)


@contextmanager
def opened(address: Address) -> Iterator[Database]:
    """Lend the database at an address; without a name it is the server's own choice.

    Raises:
        InvalidInput: there is no such database, or the package is missing.
        StoreUnavailable: the server cannot be reached, or refuses.
    """
    try:
        import neo4j
        from neo4j import exceptions
    except ImportError:
        raise missing("neo4j") from None

    host = f"[{address.host}]" if ":" in address.host else address.host
    user = address.username or "neo4j"
    try:
        with neo4j.GraphDatabase.driver(
            f"{address.scheme}://{host}:{address.port or 7687}",
            auth=None if address.password is None else (user, address.password),
            connection_timeout=CONNECT,
            connection_acquisition_timeout=CONNECT,
            notifications_min_severity="OFF",
        ) as driver:
            database = address.name or None
            with driver.session(default_access_mode=neo4j.READ_ACCESS, fetch_size=FETCH, database=database) as session:
                yield _Graph(session, address.owner)
    except exceptions.AuthError:
        raise StoreUnavailable(
            f"{address} refuses the user name or password: set NEO4J_USERNAME and NEO4J_PASSWORD"
        ) from None
    except exceptions.ClientError as error:
        if str(error.code).endswith("DatabaseNotFound"):
            raise InvalidInput("source", f"names a database that is not there: '{address.name}'") from None
        raise StoreUnavailable(f"{address} cannot be read ({error.code})") from None
    except (exceptions.DriverError, exceptions.Neo4jError) as error:
        raise StoreUnavailable(
            f"{address} cannot be reached ({type(error).__name__}): is the server running?"
        ) from None


class _Graph:
    """A database that is open."""

    def __init__(self, session: Any, owner: str) -> None:
        self._session = session
        self._owner = owner

    def labels(self) -> frozenset[str]:
        # db.labels() would name labels that no node has any more.
        rows = self._ask("MATCH (n) UNWIND labels(n) AS label RETURN DISTINCT label", {})
        return frozenset(row["label"] for row in rows)

    def nodes(self, labels: Sequence[str]) -> Iterator[Node]:
        for label in labels:
            for row in self._ask(_NODES, {"label": label, "owner": self._owner}):
                yield Node(key=row["key"], labels=tuple(row["labels"]), fields=_plain(row["fields"]))

    def edges(self, labels: Sequence[str]) -> Iterator[Edge]:
        for row in self._ask(_EDGES, {"labels": list(labels), "owner": self._owner}):
            yield Edge(
                key=row["key"],
                kind=row["kind"],
                source=row["source"],
                target=row["target"],
                fields=_plain(row["fields"]),
            )

    def _ask(self, query: str, values: Mapping[str, Any]) -> Iterator[Any]:
        return iter(self._session.run(query, dict(values)))


def _plain(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return properties with the server's times as Python's own."""
    return {name: value.to_native() if hasattr(value, "to_native") else value for name, value in fields.items()}
