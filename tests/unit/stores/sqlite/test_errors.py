# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with a file is said in words that name it, and never in SQLite's own."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from becausal.domain.records import Kind
from becausal.errors import SchemaTooNew, StoreBusy, StoreCorrupt, StoreError, StoreUnavailable
from becausal.ports.batch import Batch, Put, PutLink
from becausal.ports.store import Damaged
from becausal.stores.sqlite import connections as connections_module
from becausal.stores.sqlite.errors import translate
from becausal.stores.sqlite.store import SqliteStore
from contract.samples import engram, link, put


def test_a_file_locked_by_another_process_is_busy_and_then_free(store: SqliteStore, path: Path) -> None:
    put(store, engram("a"))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        for call in (lambda: put(store, engram("b")), lambda: store.clear([Kind.CUE]), lambda: store.erase_traces()):
            with pytest.raises(StoreBusy, match=r"becausal\.db"):
                call()
        assert store.count()["engram"] == 1
        other.execute("ROLLBACK")
        put(store, engram("b"))
    assert store.count()["engram"] == 2


def test_a_thread_that_writes_for_too_long_makes_the_others_busy(store: SqliteStore) -> None:
    entered, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with store._connections.writing():
            entered.set()
            leave.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    entered.wait(60)
    with pytest.raises(StoreBusy, match="thread"):
        put(store, engram("a"))
    leave.set()
    thread.join()
    put(store, engram("a"))


def test_a_file_that_is_no_memory_is_corrupt(tmp_path: Path) -> None:
    (tmp_path / "alice").mkdir()
    (tmp_path / "alice" / "becausal.db").write_bytes(b"something else entirely\n" * 100)
    with pytest.raises(StoreCorrupt, match=r"becausal\.db.*backup"):
        SqliteStore.open(location=tmp_path, user="alice")
    assert (tmp_path / "alice" / "becausal.db").read_bytes().startswith(b"something else")


def test_a_damaged_file_is_corrupt_and_its_check_says_so(tmp_path: Path) -> None:
    store = SqliteStore.open(location=tmp_path, user="alice")
    store.write(Batch(puts=tuple(Put(engram(f"e{i}", content="x" * 3000), ("word",)) for i in range(200))))
    store.close()
    file = tmp_path / "alice" / "becausal.db"
    with closing(sqlite3.connect(file)) as other:
        (first,) = other.execute("SELECT max(rootpage) FROM sqlite_master").fetchone()  # what comes after holds rows
    data = bytearray(file.read_bytes())
    for page in range(first, len(data) // 4096):
        data[page * 4096 : page * 4096 + 100] = b"\xff" * 100
    file.write_bytes(data)
    store = SqliteStore.open(location=tmp_path, user="alice")
    with pytest.raises(StoreCorrupt, match=r"becausal\.db"):
        store.find(Kind.ENGRAM, limit=1000)
    assert store.check()
    store.close()


@pytest.mark.parametrize(
    "damage", ["memory_type = 'poetic'", "tags = '[1'", "summary = CAST(x'ff6162' AS TEXT)", "metadata = '7'"]
)
def test_a_record_that_cannot_be_read_is_named_and_the_rest_is_read(
    store: SqliteStore, path: Path, damage: str
) -> None:
    put(store, engram("a"), engram("b"), engram("c"))
    with closing(sqlite3.connect(path)) as other, other:
        other.execute(f"UPDATE engram SET {damage} WHERE id = 'b'")
    assert store.find(Kind.ENGRAM, limit=2).records == tuple(store.get(Kind.ENGRAM, ["a", "b", "c"]).values())
    assert [record.id for record in store.find(Kind.ENGRAM).records] == ["a", "c"]
    assert store.peek(Kind.ENGRAM, ["a", "b"], ["memory_type", "tags", "summary", "metadata"]).keys() == {"a"}
    assert [id for id, *_ in store.sweep(Kind.ENGRAM, ["tags", "memory_type", "summary", "metadata"])] == ["a", "c"]
    (note,) = store.notes
    assert "engram 'b'" in note
    assert "becausal doctor" in note
    scanned = list(store.scan())
    assert [each.id for each in scanned if isinstance(each, Damaged)] == ["b"]
    assert any("'b'" in problem for problem in store.check())


def test_a_link_that_cannot_be_read_is_left_out(store: SqliteStore, path: Path) -> None:
    put(store, engram("a"), engram("b"), engram("c"))
    store.write(Batch(links=(PutLink(link("l1", "a", "b")), PutLink(link("l2", "a", "c")))))
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("UPDATE link SET metadata = '[' WHERE id = 'l1'")
    assert [each.id for each in store.links(["a"])] == ["l2"]
    assert [each.id for each in store.links(["a"], limit=1)] == ["l2"]
    assert "link 'l1'" in store.notes[0]


def test_a_file_that_cannot_be_opened_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "alice" / "becausal.db").mkdir(parents=True)
    with pytest.raises(StoreUnavailable, match=r"becausal\.db"):
        SqliteStore.open(location=tmp_path, user="alice")


def test_a_location_that_is_a_file_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnavailable, match="file"):
        SqliteStore.open(location=tmp_path / "file", user="alice")


def test_a_full_disk_is_unavailable_and_leaves_what_was_there(store: SqliteStore) -> None:
    put(store, engram("a"))
    with store._connections.exclusive() as db:
        (pages,) = db.execute("PRAGMA page_count").fetchone()
        db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreUnavailable, match="full"):
        put(store, engram("b", content="x" * 1_000_000))
    assert store.get(Kind.ENGRAM, ["a", "b"]).keys() == {"a"}
    with store._connections.exclusive() as db:
        db.execute("PRAGMA max_page_count = 1000000")
    put(store, engram("b", content="x" * 1_000_000))


def test_a_memory_of_a_newer_version_is_refused_and_not_touched(tmp_path: Path) -> None:
    store = SqliteStore.open(location=tmp_path, user="alice")
    with store._connections.writing() as db:
        db.execute("UPDATE meta SET value = '99' WHERE key = 'schema_version'")
    store.close()
    with pytest.raises(SchemaTooNew, match=r"becausal\.db.*99"):
        SqliteStore.open(location=tmp_path, user="alice")


def test_an_sqlite_that_is_too_old_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections_module, "OLDEST_SQLITE", (99, 0, 0))
    with pytest.raises(StoreUnavailable, match="too old"):
        SqliteStore.open(location=tmp_path, user="alice")


def provoke(call: Callable[[sqlite3.Connection], object]) -> sqlite3.Error:
    with closing(sqlite3.connect(":memory:")) as db, pytest.raises(sqlite3.Error) as raised:
        call(db)
    return raised.value


def test_a_missing_full_text_module_is_named() -> None:
    error = provoke(lambda db: db.execute("CREATE VIRTUAL TABLE t USING no_such_thing(x)"))
    assert isinstance(translate(error, Path("f")), StoreUnavailable)
    assert "FTS5" in str(translate(error, Path("f")))


def test_anything_unforeseen_is_a_store_error_without_its_sql() -> None:
    error = provoke(lambda db: db.execute("SELECT secret FROM nowhere"))
    told = translate(error, Path("f"))
    assert type(told) is StoreError
    assert "secret" not in str(told)
    assert "nowhere" not in str(told)
    assert type(translate(sqlite3.ProgrammingError("secret"), Path("f"))) is StoreError


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_handle_is_refused_in_a_forked_process(store: SqliteStore) -> None:
    put(store, engram("a"))
    child = os.fork()
    if child == 0:
        try:
            store.get(Kind.ENGRAM, ["a"])
        except StoreUnavailable as error:
            os._exit(0 if "fork" in str(error) else 2)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert store.count()["engram"] == 1
