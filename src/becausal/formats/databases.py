# SPDX-License-Identifier: Apache-2.0
"""Graph databases of other programs, read as nodes and links whatever they are kept in. Nothing is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import parse_qsl, unquote, urlsplit

from ..errors import InvalidInput

FALKORDB = ("falkordb", "redis", "rediss")
NEO4J = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
EXAMPLES = "falkordb://localhost:6379/polyg or neo4j://localhost:7687/neo4j"

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a database is: ``name`` is that of the graph or database, ``owner`` whose part of it is wanted.

    The password is no part of ``str(address)``.
    """

    scheme: str
    host: str
    port: int | None
    name: str
    owner: str
    username: str | None = None
    password: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}{f':{self.port}' if self.port else ''}/{self.name}".rstrip("/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node as its database has it; ``key`` names it there."""

    key: str
    labels: tuple[str, ...]
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A relationship as its database has it, from one node to another, by their keys."""

    key: str
    kind: str
    source: str
    target: str
    fields: Mapping[str, Any]


class Database(Protocol):
    """A database that is open for reading.

    Every method may raise ``StoreUnavailable`` when it is out of reach.
    """

    def labels(self) -> frozenset[str]:
        """Return the labels that its nodes have."""
        ...

    def nodes(self, labels: Sequence[str]) -> Iterator[Node]:
        """Yield the nodes that have one of some labels, label by label, oldest first where that is known.

        Those whose ``user`` is another than the owner asked for are left out.
        """
        ...

    def edges(self, labels: Sequence[str]) -> Iterator[Edge]:
        """Yield the relationships both of whose ends are nodes that ``nodes`` yields for these labels."""
        ...


Opener = Callable[[Address], AbstractContextManager[Database]]


def is_address(source: object) -> bool:
    """Tell whether a source is the address of a server rather than a path."""
    return isinstance(source, str) and _ADDRESS.match(source) is not None


def parse_address(
    text: str, *, owner: str, username: str | None = None, passwords: Mapping[str, str] | None = None
) -> Address:
    """Return what an address says: ``scheme://host:port/name?user=owner``.

    ``passwords`` are those by the first scheme of each kind of server, ``falkordb`` and ``neo4j``.

    Raises:
        InvalidInput: it says too little, or something that is not known.
    """
    try:
        parts = urlsplit(text)
        scheme, host, port = parts.scheme.lower(), parts.hostname, parts.port
        query = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=True) if parts.query else []
    except ValueError:
        raise InvalidInput("source", f"must be an address such as {EXAMPLES}") from None
    if scheme not in (*FALKORDB, *NEO4J):
        raise InvalidInput("source", f"cannot be read by '{scheme}': give an address such as {EXAMPLES}")
    if parts.username is not None or parts.password is not None:
        raise InvalidInput("source", "must not have a name or password in it: give them as settings")
    if not host or parts.fragment or any(name != "user" or not value for name, value in query) or len(query) > 1:
        raise InvalidInput("source", f"must be an address such as {EXAMPLES}, with ?user=NAME where need be")
    name = unquote(parts.path.strip("/"))
    kind = "falkordb" if scheme in FALKORDB else "neo4j"
    if not name and kind == "falkordb":
        raise InvalidInput("source", f"must name the graph, such as {EXAMPLES}")
    return Address(
        scheme=scheme,
        host=host,
        port=port,
        name=name,
        owner=query[0][1] if query else owner,
        username=username if kind == "neo4j" else None,
        password=(passwords or {}).get(kind),
    )


def opener(address: Address) -> Opener:
    """Return what opens the database at an address."""
    if address.scheme in FALKORDB:
        from .falkordb import opened

        return opened
    from .neo4j import opened as opened_neo4j

    return opened_neo4j


def missing(package: str) -> InvalidInput:
    """Return the error that says which extra a source needs."""
    return InvalidInput("source", f"cannot be read without the package '{package}': pip install 'becausal[{package}]'")
