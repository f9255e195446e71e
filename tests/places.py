# SPDX-License-Identifier: Apache-2.0
"""Where memories of several users can be kept side by side: every backend, with every way to keep users apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

import pytest

import neo4j_server
from becausal.ports.store import GraphStore
from becausal.stores.registry import open_store
from falkor_server import FalkorServer

Opener: TypeAlias = Callable[[str], GraphStore]


def _file(backend: str) -> Callable[[Path], Iterator[Opener]]:
    def opener(folder: Path) -> Iterator[Opener]:
        yield lambda user: open_store(backend, location=folder, user=user)

    return opener


def _falkordb(isolation: str) -> Callable[[Path], Iterator[Opener]]:
    def opener(folder: Path) -> Iterator[Opener]:
        with FalkorServer(folder) as server:
            yield lambda user: open_store(
                "falkordb", location=folder, user=user, port=server.port, graph="shared", isolation=isolation
            )

    return opener


def _neo4j(folder: Path) -> Iterator[Opener]:
    given = neo4j_server.options()
    with pytest.MonkeyPatch.context() as patch, neo4j_server.apart(patch, str(folder)):
        yield lambda user: open_store("neo4j", location=folder, user=user, **given)


PLACES: Mapping[str, Callable[[Path], Iterator[Opener]]] = {
    "sqlite": _file("sqlite"),
    "falkordb-tenant": _falkordb("tenant"),
    "falkordb-graph": _falkordb("graph"),
    "ladybug": _file("ladybug"),
    "neo4j-tenant": _neo4j,
}
"""Every backend with every way to keep users apart. A new one needs one entry here.

Neo4j's ``database`` takes the Enterprise edition, which no test can start: that it sends each user's queries to his
database is tested with a driver that records them (tests/unit/stores/neo4j/test_neo4j_routing.py).
"""
