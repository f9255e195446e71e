# SPDX-License-Identifier: Apache-2.0
"""Every store the contract suite is run over. A new adapter needs one entry here."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TypeAlias

import pytest

import neo4j_server
from becausal.ports.store import GraphStore
from becausal.stores.ladybug.connection import Connection, open_database
from becausal.stores.registry import open_store as open_backend
from contract.samples import OpenStore
from falkor_server import FalkorServer

GRAPH = "contract"
Opener: TypeAlias = Callable[[Path, str], GraphStore]


def _sqlite(request: pytest.FixtureRequest) -> Opener:
    return lambda folder, user: open_backend("sqlite", location=folder, user=user)


def _ladybug(request: pytest.FixtureRequest) -> Opener:
    return lambda folder, user: open_backend("ladybug", location=folder, user=user)


def _falkordb(request: pytest.FixtureRequest) -> Opener:
    server: FalkorServer = request.getfixturevalue("falkor_server")

    def empty() -> None:
        import falkordb

        client = falkordb.FalkorDB(port=server.port)
        if GRAPH in client.list_graphs():
            client.select_graph(GRAPH).query("MATCH (n) DELETE n")  # its indexes stay, which take long to make

    request.addfinalizer(empty)
    return lambda folder, user: open_backend("falkordb", location=folder, user=user, port=server.port, graph=GRAPH)


def _neo4j(request: pytest.FixtureRequest) -> Opener:
    given = neo4j_server.options()
    realm = neo4j_server.apart(request.getfixturevalue("monkeypatch"), str(request.getfixturevalue("tmp_path")))
    realm.__enter__()
    request.addfinalizer(lambda: realm.__exit__(None, None, None))
    return lambda folder, user: open_backend("neo4j", location=folder, user=user, **given)


STORES: Mapping[str, Callable[[pytest.FixtureRequest], Opener]] = {
    "falkordb": _falkordb,
    "ladybug": _ladybug,
    "neo4j": _neo4j,
    "sqlite": _sqlite,
}


# --- the schema version, behind a store's back ----------------------------------------------------


def _sqlite_version(request: pytest.FixtureRequest, version: int) -> None:
    with closing(sqlite3.connect(request.getfixturevalue("tmp_path") / "alice" / "becausal.db")) as db, db:
        db.execute("UPDATE meta SET value = ? WHERE key = 'schema_version'", (str(version),))


def _ladybug_version(request: pytest.FixtureRequest, version: int) -> None:
    path = request.getfixturevalue("tmp_path") / "alice" / "memory.lbug"
    database = open_database(path)
    with closing(database), closing(Connection(database, path)) as connection:
        connection.run("MATCH (r:becausal_root) SET r.version = $version", version=version)


def _falkordb_version(request: pytest.FixtureRequest, version: int) -> None:
    import falkordb

    graph = falkordb.FalkorDB(port=request.getfixturevalue("falkor_server").port).select_graph(GRAPH)
    graph.query("MATCH (r:Root {_owner: 'alice'}) SET r.version = $version", {"version": version})


def _neo4j_version(request: pytest.FixtureRequest, version: int) -> None:
    from neo4j import GraphDatabase

    from becausal.stores.neo4j import names

    given = neo4j_server.options()
    query = f"MATCH (r:{names.ROOT} {{mark: $mark}}) SET r.schema_version = $version"
    with GraphDatabase.driver(given["uri"], auth=(given["username"], given["password"])) as driver:
        driver.execute_query(query, mark=names.owner("alice"), version=version, database_="neo4j")


VERSIONS: Mapping[str, Callable[[pytest.FixtureRequest, int], None]] = {
    "falkordb": _falkordb_version,
    "ladybug": _ladybug_version,
    "neo4j": _neo4j_version,
    "sqlite": _sqlite_version,
}


@pytest.fixture
def write_version(request: pytest.FixtureRequest, store_name: str) -> Callable[[int], None]:
    """Writes the schema version that alice's memory has; a LadybugDB file must be closed for that."""
    return partial(VERSIONS[store_name], request)


@pytest.fixture(scope="session")
def falkor_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FalkorServer]:
    with FalkorServer(tmp_path_factory.mktemp("falkordb")) as server:
        yield server


@pytest.fixture(params=sorted(STORES))
def store_name(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def open_store(request: pytest.FixtureRequest, store_name: str, tmp_path: Path) -> Iterator[OpenStore]:
    """Opens handles, as many as asked for, on the memories of any users in one place; closes them all."""
    handles: list[GraphStore] = []
    opener = STORES[store_name](request)

    def open_one(user: str = "alice") -> GraphStore:
        handles.append(opener(tmp_path, user))
        return handles[-1]

    yield open_one
    for handle in handles:
        handle.close()


@pytest.fixture
def store(open_store: OpenStore) -> GraphStore:
    return open_store()
