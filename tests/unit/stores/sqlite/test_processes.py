# SPDX-License-Identifier: Apache-2.0
"""Several processes on one memory at once."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from becausal.domain.records import Kind
from becausal.ports.batch import Batch, Ref
from becausal.stores.sqlite import connections
from becausal.stores.sqlite.store import SqliteStore
from contract.samples import engram, put, put_vector, vector

PREAMBLE = """
import sys, pathlib
import numpy as np
from datetime import datetime, UTC
from becausal.domain.records import *
from becausal.ports.batch import *
from becausal.stores.sqlite.store import SqliteStore

NOW = datetime.now(UTC)
number = sys.argv[2]

def engram(id):
    return Engram(id=id, content=id, summary=id, at=NOW, created_at=NOW, last_accessed_at=NOW)

def opened():
    return SqliteStore.open(location=pathlib.Path(sys.argv[1]), user="alice")
"""

OPEN_AND_WRITE = """
sys.stdin.readline()  # all start at once
store = opened()
for i in range(20):
    id = f"p{number}-{i}"
    vectors = (PutVector(Kind.ENGRAM, id, np.array([1, i], np.float32)),)
    counted = (Patch(Kind.ENGRAM, "shared", increment={"access_count": 1}),)
    store.write(Batch(puts=(Put(engram("shared"), if_absent=True), Put(engram(id), ("word", id))), patches=counted,
                      vectors=vectors))
    assert store.vector_search(Kind.ENGRAM, np.array([1, i], np.float32), 1)
store.close()
"""

DIE_AFTER_WRITING = """
import os
store = opened()
store.write(Batch(puts=(Put(engram("committed"), ("word",)),)))
with store._connections.writing() as db:
    db.execute("DELETE FROM engram")
    os._exit(9)  # as if killed in the middle of the next write
"""


def start(script: str, folder: Path, number: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PREAMBLE + script, str(folder), str(number)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, text=True)


def test_processes_that_open_a_new_memory_at_once_share_it_and_lose_nothing(tmp_path: Path) -> None:
    processes = [start(OPEN_AND_WRITE, tmp_path, number) for number in range(4)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        process.communicate()
        assert process.returncode == 0
    store = SqliteStore.open(location=tmp_path, user="alice")
    assert store.count()["engram"] == 81
    assert store.get(Kind.ENGRAM, ["shared"])["shared"].version == 81
    assert store.text_search(Kind.ENGRAM, ["word"], 5).document_frequencies == (80,)
    assert len(store.vector_search(Kind.ENGRAM, vector(1, 1), 500)) == 80
    assert store.check() == ()
    store.close()


def test_vectors_another_process_changes_are_found(store: SqliteStore, tmp_path: Path) -> None:
    put(store, engram("mine"))
    put_vector(store, "mine", 1, 0)
    assert len(store.vector_search(Kind.ENGRAM, vector(1, 0), 100)) == 1
    process = start(OPEN_AND_WRITE, tmp_path, 0)
    process.communicate("go\n")
    assert process.returncode == 0
    assert len(store.vector_search(Kind.ENGRAM, vector(1, 0), 100)) == 21
    store.write(Batch(deletes=(Ref(Kind.ENGRAM, "p0-3"),)))
    assert len(store.vector_search(Kind.ENGRAM, vector(1, 0), 100)) == 20


def test_a_process_that_dies_while_writing_leaves_what_it_had_committed(tmp_path: Path) -> None:
    process = start(DIE_AFTER_WRITING, tmp_path, 0)
    process.communicate()
    assert process.returncode == 9
    store = SqliteStore.open(location=tmp_path, user="alice")
    assert store.get(Kind.ENGRAM, ["committed"]).keys() == {"committed"}
    assert store.check() == ()
    store.close()


def test_a_writer_looks_every_few_milliseconds_whether_another_process_still_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SqliteStore.open(location=tmp_path, user="alice")
    with closing(store), closing(sqlite3.connect(store.location, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        slept: list[float] = []

        def sleep(seconds: float) -> None:
            slept.append(seconds)
            if len(slept) == 60:
                other.execute("ROLLBACK")

        monkeypatch.setattr(connections.time, "sleep", sleep)
        store.write(Batch(meta={"told": "late"}))
        assert store.meta("told") == "late"
    assert len(slept) == 60
    assert max(slept) <= 0.005
