# SPDX-License-Identifier: Apache-2.0
"""Mending a file: never under somebody who has it open, and around every damaged page."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from becausal.domain.records import Kind
from becausal.errors import StoreBusy, StoreUnavailable
from becausal.ports.batch import Batch, Put, PutLink
from becausal.stores.sqlite.store import SqliteStore
from contract.samples import engram, link, put, put_vector


def filled(folder: Path, count: int) -> Path:
    store = SqliteStore.open(location=folder, user="alice")
    for start in range(0, count, 50):
        ids = range(start, start + 50)
        store.write(
            Batch(puts=tuple(Put(engram(f"e{n:04}", content=f"{n} " * 200, tags=("t",)), ("word",)) for n in ids))
        )
    store.write(Batch(links=tuple(PutLink(link(f"l{n}", f"e{n:04}", f"e{n + 1:04}")) for n in range(count - 1))))
    put_vector(store, "e0000", 1, 0)
    store.close()
    return folder / "alice" / "becausal.db"


def test_a_damaged_file_is_not_exchanged_while_another_program_has_it_open(tmp_path: Path) -> None:
    path = filled(tmp_path, 50)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        data = bytearray(path.read_bytes())
        data[-4096:] = b"\xa5" * 4096
        with path.open("r+b") as file:
            file.write(data)
        with pytest.raises(StoreBusy, match="open elsewhere"):
            SqliteStore.mend(location=tmp_path, user="alice", busy_timeout=0.1)
    assert [file.name for file in path.parent.glob("becausal.db.*")] == []


def test_everything_around_many_damaged_pages_is_saved(tmp_path: Path) -> None:
    path = filled(tmp_path, 1000)
    with closing(sqlite3.connect(path)) as db:
        try:
            sql = "SELECT pageno FROM dbstat WHERE name = 'engram' AND pagetype = 'leaf' ORDER BY pageno"
            pages = [page for (page,) in db.execute(sql)]
        except sqlite3.OperationalError:
            pytest.skip("this SQLite does not tell which pages belong to which table")
    victims = pages[3::10]
    data = bytearray(path.read_bytes())
    for page in victims:
        data[(page - 1) * 4096 : page * 4096] = b"\xa5" * 4096
    path.write_bytes(data)
    mended = SqliteStore.mend(location=tmp_path, user="alice")
    assert "was damaged" in mended.done[0]
    store = SqliteStore.open(location=tmp_path, user="alice")
    left = store.count()[Kind.ENGRAM.value]
    lost_at_most = len(victims) * 8  # rows of 600 bytes and more on a page of 4096
    assert 1000 - lost_at_most <= left < 1000
    assert store.check() == ()
    assert len(store.find(Kind.ENGRAM, limit=1000).records) == left
    put(store, engram("new"))
    store.close()


def test_where_there_is_no_memory_there_is_nothing_to_mend(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="no memory"):
        SqliteStore.mend(location=tmp_path, user="alice")
