# SPDX-License-Identifier: Apache-2.0
"""Complaints about other memory servers' files, each as the behaviour that is promised here instead."""

from __future__ import annotations

import io
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import anyio
import pytest
from mcp.client import Client

from becausal import Memory
from becausal.errors import EmbedderMismatch
from becausal.models.fake import FakeEmbedder
from becausal.models.lazy import LazyEmbedder
from becausal.stores.registry import open_store
from commandline import CommandLine
from toolclient import call, client, done, program, ready, speaking


@pytest.mark.anyio
async def test_parallel_tool_calls_corrupt_the_file(memory: Memory) -> None:
    async with client(ready(memory)) as agent, anyio.create_task_group() as group:
        for number in range(100):
            group.start_soon(lambda n=number: done(agent, "smriti_store", content=f"Entry {n} of the log"))  # type: ignore[misc]
    assert memory.status().counts["engram"] == 100
    assert memory._store.check() == ()


@pytest.mark.anyio
async def test_two_server_processes_discard_each_others_writes(tmp_path: Path) -> None:
    async with Client(program(tmp_path)) as alpha, Client(program(tmp_path)) as beta:
        for number in range(20):
            await done(alpha, "smriti_store", content=f"alpha {number}")
            await done(beta, "smriti_store", content=f"beta {number}")
        assert len((await call(beta, "smriti_recall", limit=100)).json) == 40


@pytest.mark.anyio
async def test_one_bad_line_kills_every_tool_at_start(tmp_path: Path) -> None:
    becausal = CommandLine(tmp_path)
    bad, good = becausal.store("The bad one of the harbour"), becausal.store("The good one of the harbour")
    with closing(sqlite3.connect(tmp_path / "alice" / "becausal.db")) as db, db:
        db.execute("UPDATE engram SET metadata = '{' WHERE id = ?", (bad,))
    with Memory.open(tmp_path, user="alice", embedder="hashing") as memory:
        async with client(ready(memory)) as agent:
            assert [each["id"] for each in (await done(agent, "smriti_recall", query="harbour")).json] == [good]
            await done(agent, "smriti_store", content="And it goes on")
    assert bad in becausal("doctor", "--fix").out


def test_the_path_setting_is_ignored_and_the_data_lost_with_a_cache(tmp_path: Path) -> None:
    code = "from becausal.settings import Settings; print(Settings.load(user='a').storage_location)"
    own = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "becausal" in own
    assert not {"cache", "tmp", "temp", "_npx"} & {part.casefold() for part in Path(own.strip()).parts[-3:]}
    becausal = CommandLine(tmp_path / "chosen")
    becausal.store("One thing")
    assert str(tmp_path / "chosen" / "alice" / "becausal.db") in becausal("status").out
    assert (tmp_path / "chosen" / "alice" / "becausal.db").is_file()


def test_what_was_queued_is_silently_dropped(tmp_path: Path) -> None:
    with speaking(tmp_path, BECAUSAL_EMBEDDER="minilm", BECAUSAL_MODEL_PATH=str(tmp_path / "none.onnx")) as server:
        server.greet()
        id = server.call("smriti_store", content="Acknowledged, then the process was killed").json["id"]
        server.process.kill()
        server.process.wait(60)
    with Memory.open(tmp_path, user="alice", model_path=tmp_path / "none.onnx") as memory:
        assert memory.get(id).engram.content == "Acknowledged, then the process was killed"
        assert memory.status().pending == 1


def test_after_a_change_of_model_recall_is_empty_without_a_word(tmp_path: Path) -> None:
    def opened(name: str, dimension: int, **more: bool) -> Memory:
        store = open_store("sqlite", location=tmp_path, user="alice")
        try:
            return Memory(store, LazyEmbedder(FakeEmbedder(name=name, dimension=dimension)), **more)
        except BaseException:
            store.close()
            raise

    with opened("old", 64) as memory:
        memory.store("The harbour is closed")
        memory.settle()
    with pytest.raises(EmbedderMismatch, match=r"'old'.*'new'.*becausal reindex"):
        opened("new", 32)
    with opened("new", 32, reindexing=True) as memory:
        memory.reindex()
        assert memory.recall("harbour", mode="search").results


def test_the_vector_index_diverges_from_the_database(memory: Memory, tmp_path: Path) -> None:
    for number in range(30):
        memory.store(f"Ship {number} is in the harbour")
    memory.settle()
    gone = memory.recall("ship 7", limit=1).results[0].engram.id
    with Memory.open(tmp_path, user="alice", embedder="hashing") as other:
        other.forget(gone)
        other.store("Ship 99 is in the harbour")
        other.settle()
    found = {result.engram.id for result in memory.recall("ship harbour", mode="search", limit=100).results}
    assert gone not in found
    assert len(found) == 30
    assert memory._store.check() == ()


def test_the_database_is_locked_and_writes_are_lost(memory: Memory, tmp_path: Path) -> None:
    memory.store("Before")
    path = tmp_path / "alice" / "becausal.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM engram").fetchone()
        for number in range(20):
            memory.store(f"While somebody reads, {number}")
        reader.execute("COMMIT")
    assert memory.status().counts["engram"] == 21


def test_there_is_no_export_no_import_and_no_delete(memory: Memory, tmp_path: Path) -> None:
    kept = memory.store("Kept because it matters").engram.id
    gone = memory.store("Gone").engram.id
    memory.forget(gone, purge=True)
    memory.settle()
    data = io.BytesIO()
    memory.transfer.export(data)
    with Memory.open(tmp_path / "other", user="alice", embedder="hashing", consolidation_interval=0) as other:
        other.transfer.restore(io.BytesIO(data.getvalue()))
        again = io.BytesIO()
        other.transfer.export(again)
        assert again.getvalue() == data.getvalue()
        assert other.update(kept, content="Edited").engram.content == "Edited"
    assert gone.encode() not in data.getvalue()
