# SPDX-License-Identifier: Apache-2.0
"""A memory on a real Neo4j server: as a user meets it, and when the server dies while it is written to."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import neo4j_server
from becausal import Memory
from becausal.composition import open_memory
from becausal.domain.records import Kind
from becausal.errors import StoreError, StoreUnavailable
from becausal.ports.batch import Batch, Put
from becausal.stores.neo4j.store import Neo4jStore
from contract.samples import engram

sys.path.append(str(Path(__file__).parents[2] / "tools" / "neo4j"))


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    given = neo4j_server.options()
    settings = {"db_type": "neo4j", "neo4j_uri": given["uri"], "neo4j_password": given["password"]}
    with (
        neo4j_server.apart(monkeypatch, str(tmp_path)),
        open_memory(tmp_path, user="alice", embedder="hashing", **settings) as opened,
    ):
        yield opened


def test_what_is_stored_on_neo4j_is_recalled_and_forgotten(memory: Memory) -> None:
    kept = memory.store("The deploy failed because the disk was full.")
    memory.store("Ada paints on Sundays.")

    assert [hit.engram.id for hit in memory.recall("Why did the deploy fail?", limit=1).results] == [kept.engram.id]
    assert memory.status().backend == "neo4j"
    assert "hunter2" not in memory.status().location

    memory.forget(kept.engram.id, purge=True)
    assert kept.engram.id not in {hit.engram.id for hit in memory.recall("Why did the deploy fail?", limit=5).results}


def test_what_an_older_version_left_unindexed_is_indexed_by_this_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from neo4j import GraphDatabase

    given = neo4j_server.options()
    with (
        GraphDatabase.driver(given["uri"], auth=(given["username"], given["password"])) as driver,
        neo4j_server.apart(monkeypatch, str(tmp_path)),
    ):
        with closing(Neo4jStore.open(user="alice", **given)) as store:
            store.write(Batch(puts=(Put(engram("a", content="The disk was full.")),)))
            mark = store.location.rpartition("#")[2]
        driver.execute_query("MATCH (t:Becausal_engram {mark: $mark}) REMOVE t.waiting", mark=mark)
        driver.execute_query("MATCH (r:Becausal_user {mark: $mark}) SET r.schema_version = 1", mark=mark)
        settings = {"db_type": "neo4j", "neo4j_uri": given["uri"], "neo4j_password": given["password"]}
        with open_memory(tmp_path, user="alice", embedder="hashing", **settings) as memory:
            assert memory.settle(30) == 0
            assert [hit.engram.id for hit in memory.recall("full disk", mode="search").results] == ["a"]


def test_nodes_of_smriti_in_the_same_database_are_told_and_left_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from neo4j import GraphDatabase

    given = neo4j_server.options()
    with (
        GraphDatabase.driver(given["uri"], auth=(given["username"], given["password"])) as driver,
        neo4j_server.apart(monkeypatch, str(tmp_path)),
    ):
        driver.execute_query("CREATE (:Engram {id: $id, user: $id, content: 'Theirs.'})", id=str(tmp_path))
        try:
            with closing(Neo4jStore.open(user="alice", **given)) as store:
                store.write(Batch(puts=(Put(engram("a")),)))
                (note,) = store.notes
            assert (
                f"smriti-mcp too. They are left untouched. To bring it in: becausal import {given['uri']}/neo4j" in note
            )
            found = driver.execute_query("MATCH (n:Engram {id: $id}) RETURN properties(n)", id=str(tmp_path)).records
            assert [record.values() for record in found] == [
                [{"id": str(tmp_path), "user": str(tmp_path), "content": "Theirs."}]
            ]
        finally:
            driver.execute_query("MATCH (n:Engram {id: $id}) DELETE n", id=str(tmp_path))


def test_a_server_that_cannot_be_reached_is_named_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match=r":1 cannot be reached: start it, or check NEO4J_URI"):
        open_memory(tmp_path, user="alice", embedder="hashing", db_type="neo4j", neo4j_uri="bolt://127.0.0.1:1")


def test_a_wrong_password_is_refused_without_being_shown(tmp_path: Path) -> None:
    given = neo4j_server.options()
    with pytest.raises(StoreUnavailable, match="check NEO4J_USERNAME and NEO4J_PASSWORD") as caught:
        Neo4jStore.open(user="alice", uri=given["uri"], username="neo4j", password="hunter2")
    assert "hunter2" not in str(caught.value)


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Any]:
    """A server that a test may kill."""
    neo4j_server.options()
    from server import Server

    server = Server(Path(os.environ[neo4j_server.JARS]), tmp_path / "neo4j")
    server.start()
    yield server
    server.kill()


@pytest.mark.timeout(400)
def test_a_server_killed_while_it_is_written_to_keeps_what_was_acknowledged_and_is_found_again(
    own_server: Any,
) -> None:
    store = Neo4jStore.open(user="alice", uri=own_server.uri, username="neo4j", password=own_server.password)
    acknowledged: list[str] = []
    enough = threading.Event()
    problems: list[StoreError] = []

    def write() -> None:
        while not problems:
            id = f"e{len(acknowledged):05}"
            try:
                store.write(Batch(puts=(Put(engram(id), ("word", id)),)))
            except StoreError as error:
                problems.append(error)
                return
            acknowledged.append(id)
            if len(acknowledged) == 20:
                enough.set()

    writer = threading.Thread(target=write)
    writer.start()
    assert enough.wait(120)
    own_server.kill()
    writer.join()
    assert isinstance(problems[0], StoreUnavailable)
    assert own_server.uri in str(problems[0])

    own_server.start()

    found = store.get(Kind.ENGRAM, acknowledged)
    assert found.keys() == set(acknowledged)
    assert store.check() == ()
    store.write(Batch(puts=(Put(engram("after")),)))
    assert store.count()["engram"] in (len(acknowledged) + 1, len(acknowledged) + 2)
    store.close()
