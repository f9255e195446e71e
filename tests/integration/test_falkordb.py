# SPDX-License-Identifier: Apache-2.0
"""A memory on a FalkorDB server: the server goes and comes back, users are kept apart, copies come back."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from becausal.composition import build_memory, examine_memory, restore_backup
from becausal.domain.records import Kind
from becausal.engine.holders import take
from becausal.errors import InvalidInput, SchemaTooNew, StoreBusy, StoreUnavailable
from becausal.ports.backup import HISTORY
from becausal.ports.batch import Batch, Put, PutVector
from becausal.ports.store import Condition, Op
from becausal.settings import Settings
from becausal.stores.falkordb.session import Session
from becausal.stores.falkordb.store import FalkorStore
from contract.samples import engram, put, vector
from falkor_server import FalkorServer


@pytest.fixture
def server(tmp_path: Path) -> Iterator[FalkorServer]:
    folder = tmp_path / "server"
    folder.mkdir()
    with FalkorServer(folder) as running:
        yield running


def settings(server: FalkorServer, home: Path, **more: Any) -> Settings:
    where = {"storage_location": home, "falkordb_host": "127.0.0.1", "falkordb_port": server.port}
    return Settings.load(**(where | {"user": "alice", "db_type": "falkordb", "embedder": "hashing"} | more))


def opened(server: FalkorServer, **options: Any) -> FalkorStore:
    return FalkorStore.open(user="alice", host="127.0.0.1", port=server.port, **options)


def test_what_was_acknowledged_is_there_after_the_server_was_killed_in_the_middle(server: FalkorServer) -> None:
    acknowledged: list[str] = []
    killed, told = threading.Event(), threading.Event()

    def write() -> None:
        number = 0
        with closing(opened(server)) as store:
            while not killed.is_set() and number < 5000:
                id = f"e{number}"
                try:
                    store.write(
                        Batch(
                            puts=(Put(engram(id), ("word",)),), vectors=(PutVector(Kind.ENGRAM, id, vector(1, number)),)
                        )
                    )
                except StoreUnavailable:
                    return
                acknowledged.append(id)
                number += 1
                if number == 40:
                    told.set()

    thread = threading.Thread(target=write)
    thread.start()
    assert told.wait(60)
    server.kill()
    killed.set()
    thread.join()
    server.start()
    with closing(opened(server)) as store:
        there = {record.id for record in store.find(Kind.ENGRAM, limit=10_000).records}
        assert set(acknowledged) <= there
        assert len(there) <= len(acknowledged) + 1
        found = store.text_search(Kind.ENGRAM, ["word"], 10_000)
        assert len(found.hits) == found.documents == found.document_frequencies[0] == len(there)
        assert len(store.vector_search(Kind.ENGRAM, vector(1, 0), 10_000)) == len(there)
        assert store.check() == ()


def test_an_open_memory_says_that_the_server_is_away_and_goes_on_when_it_is_back(server: FalkorServer) -> None:
    with closing(opened(server)) as store:
        put(store, engram("before"))
        server.kill()
        for use in (lambda: put(store, engram("lost")), lambda: store.count()):
            with pytest.raises(StoreUnavailable, match=f"127.0.0.1:{server.port}.*cannot be reached; start it"):
                use()
        server.start()
        put(store, engram("after"))
        assert store.get(Kind.ENGRAM, ["before", "lost", "after"]).keys() == {"before", "after"}


def test_whose_question_is_being_answered_keeps_his_connection_when_another_loses_theirs(server: FalkorServer) -> None:
    import falkordb

    watcher = falkordb.FalkorDB(port=server.port).connection
    slow = "UNWIND range(1, 2000000) AS x WITH x WHERE x % 7 = 0 RETURN count(x)"
    with closing(opened(server)) as store, ThreadPoolExecutor(1) as pool:
        asked = pool.submit(store._session.read, slow)
        while not asked.done() and not any(each["cmd"].startswith("graph") for each in watcher.client_list()):
            pass
        store._session._forget()  # as a thread does that meets a broken connection
        assert asked.result(60) == [[285714]]


def test_with_a_graph_for_each_user_no_graph_holds_anything_of_another(server: FalkorServer) -> None:
    import falkordb

    for user in ("alice", "bob"):
        with closing(FalkorStore.open(user=user, host="127.0.0.1", port=server.port, isolation="graph")) as store:
            put(store, engram(f"of-{user}"))
            assert [record.id for record in store.find(Kind.ENGRAM).records] == [f"of-{user}"]
    client = falkordb.FalkorDB(port=server.port)
    assert set(client.list_graphs()) == {"alice_smriti", "bob_smriti"}
    held = client.select_graph("alice_smriti").query("MATCH (n:Engram) RETURN n.id").result_set
    assert held == [["of-alice"]]


def test_a_memory_that_another_process_makes_in_the_same_moment_is_nobody_elses(server: FalkorServer) -> None:
    import falkordb

    falkordb.FalkorDB(port=server.port).select_graph("becausal").query("RETURN 1")  # there, and empty
    asked = Session.read
    others: list[FalkorStore] = []

    def read(session: Session, query: str, **params: Any) -> list[list[Any]]:
        rows = asked(session, query, **params)
        if not others:  # after the first look at the graph
            patch.undo()
            others.append(opened(server))
        return rows

    patch = pytest.MonkeyPatch()
    patch.setattr(Session, "read", read)
    with closing(opened(server)) as store, closing(others[0]) as other:
        put(store, engram("a"))
        assert other.get(Kind.ENGRAM, ["a"]).keys() == {"a"}
        assert store.location == other.location == f"falkordb://127.0.0.1:{server.port}/becausal (alice)"


THEIRS = {
    "smriti-mcp": ("alice_smriti", "CREATE (:Engram {id: 'm1', content: 'Theirs.'})-[:EncodedBy]->(:Cue {name: 'c'})"),
    "polyg-mcp": ("polyg", "CREATE (:E_Entity {uuid: 'e1', name: 'Valve 7', entity_type: 'part'})"),
    "another program": ("polyg", "CREATE (:Invoice {number: 7})"),
}


@pytest.mark.parametrize("system", THEIRS)
def test_the_graph_of_another_program_is_left_as_it_is_and_the_memory_lies_beside_it(
    server: FalkorServer, tmp_path: Path, system: str
) -> None:
    import falkordb

    name, query = THEIRS[system]
    client = falkordb.FalkorDB(port=server.port)
    client.select_graph(name).query(query)
    more = {"falkor_isolation": "graph"} if name == "alice_smriti" else {"falkor_graph": name}

    def held() -> list[Any]:
        graph = client.select_graph(name)
        return [
            graph.query(asked).result_set
            for asked in ("MATCH (n) RETURN labels(n), properties(n)", "CALL db.indexes()")
        ]

    before = held()
    for _ in range(2):
        with build_memory(settings(server, tmp_path, **more), start_worker=False) as memory:
            memory.store("Ours.")
            status = memory.status()
            assert status.location.startswith(f"falkordb://127.0.0.1:{server.port}/{name}_becausal")
            (note,) = status.notes
            assert f"'{name}' is of {system}. It is left untouched" in note
            address = f"becausal import falkordb://127.0.0.1:{server.port}/{name}"
            assert note.endswith(address) == (system != "another program")
    assert held() == before
    client.select_graph(name).delete()
    with build_memory(settings(server, tmp_path, **more), start_worker=False) as memory:
        assert memory.status().counts["engram"] == 1
        assert memory.status().notes == ()


def test_a_memory_of_a_newer_becausal_is_refused_and_left_as_it_is(server: FalkorServer) -> None:
    import falkordb

    with closing(opened(server)) as store:
        graph = falkordb.FalkorDB(port=server.port).select_graph("becausal")
        graph.query("MATCH (r:Root) SET r.version = 99")
        with pytest.raises(SchemaTooNew):
            put(store, engram("a"))
    with pytest.raises(SchemaTooNew, match="version 99"):
        opened(server)


def test_a_record_that_cannot_be_read_is_left_out_and_named(server: FalkorServer) -> None:
    import falkordb

    with closing(opened(server)) as store:
        put(store, engram("good"), engram("bad"))
        graph = falkordb.FalkorDB(port=server.port).select_graph("becausal")
        graph.query("MATCH (n:Engram) WHERE n.id = 'bad' SET n.memory_type = 'colourful', n.at = NULL")
        assert [record.id for record in store.find(Kind.ENGRAM).records] == ["good"]
        assert store.get(Kind.ENGRAM, ["bad"]) == {}
        (note,) = store.notes
        assert "engram 'bad' cannot be read" in note


def test_a_question_that_takes_too_long_is_ended(server: FalkorServer) -> None:
    with closing(opened(server)) as store:
        store.write(Batch(puts=tuple(Put(engram(f"e{number}", content="x" * 5000)) for number in range(3000))))
    hurried = Session(
        host="127.0.0.1",
        port=server.port,
        username=None,
        password=None,
        graph="becausal",
        owner="alice",
        timeout=1,
    )
    with closing(FalkorStore("alice", hurried)) as store, pytest.raises(StoreBusy, match="FALKORDB_QUERY_TIMEOUT"):
        store.find(Kind.ENGRAM, (Condition("content", Op.NE, "y"),), limit=3000)


def test_a_server_that_is_not_there_is_told_of_by_its_address(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="localhost:1/becausal cannot be reached"):
        FalkorStore.open(user="alice", port=1)


def test_a_copy_comes_back_into_an_empty_memory_and_into_no_other(server: FalkorServer, tmp_path: Path) -> None:
    import subprocess

    remote = tmp_path / "alice_smriti.git"
    subprocess.run(["git", "init", "-q", "--bare", str(remote)], check=True)
    copies = {"backup_type": "git", "git_base_url": str(tmp_path), "consolidation_interval": 0}
    here = settings(server, tmp_path / "home", **copies)
    with build_memory(here, start_worker=False) as memory:
        id = memory.store("The cooling broke down on Sunday.", source="ops").engram.id
        assert memory.backups is not None
        memory.backups.run()
        assert "127.0.0.1" in memory.status().sends_text_to
    with pytest.raises(InvalidInput, match=r"memory: is not empty at .*another FALKOR_GRAPH"):
        restore_backup(here)
    elsewhere = settings(server, tmp_path / "other", falkordb_graph="another", **copies)
    assert restore_backup(elsewhere).memories == 1
    with build_memory(elsewhere, start_worker=False) as memory:
        assert memory.get(id).engram.content == "The cooling broke down on Sunday."
    assert examine_memory(elsewhere).healthy


def test_what_is_purged_is_in_no_file_of_the_server_once_it_has_rewritten_its_log(
    server: FalkorServer, tmp_path: Path
) -> None:
    import redis

    with build_memory(settings(server, tmp_path)) as memory:
        gone = memory.store("Quokkapurge lives on the hill.").engram.id
        memory.store("Wombats live in the valley.")
        memory.settle(30)
        memory.recall("Who lives on the hill?")
        memory.forget(gone, purge=True)
    client = redis.Redis(port=server.port)
    while client.info("persistence")["aof_rewrite_in_progress"] or client.info("persistence")["aof_rewrite_scheduled"]:
        pass
    files = b"".join(file.read_bytes() for file in server.folder.rglob("*") if file.is_file())
    assert b"Quokkapurge" not in files
    assert b"quokkapurge" not in files
    assert b"Wombats" in files


def test_copies_that_lie_on_this_machine_are_named_by_a_purge_and_an_erasing_on_a_server(
    server: FalkorServer, tmp_path: Path
) -> None:
    history = tmp_path / "home" / "alice" / HISTORY
    history.mkdir(parents=True)
    with build_memory(settings(server, tmp_path / "home"), start_worker=False) as memory:
        id = memory.store("The codeword is Xylophonist.").engram.id
        for remains in (memory.forget(id, purge=True).remains, memory.upkeep.erase().remains):
            assert sum(str(history) in line for line in remains) == 1


def test_what_a_killed_process_held_on_a_server_is_taken_over_at_once(server: FalkorServer) -> None:
    child = [sys.executable, "-c", "from becausal.engine.holders import new_holder; print(new_holder())"]
    ended = subprocess.run(child, capture_output=True, text=True, check=True, timeout=60).stdout.strip()
    with closing(opened(server)) as store:
        assert store.claim("work", ["a"], ended, 60) == {"a"}
        assert store.claim("work", ["a"], "me", 60) == frozenset()
        assert take(store, "work", ["a"], "me", 60) == {"a"}
