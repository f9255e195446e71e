# SPDX-License-Identifier: Apache-2.0
"""What is on the disk: who can read it, how it is written, and what is left of what was deleted."""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from contextlib import closing
from pathlib import Path

import pytest

from becausal.domain.records import Change, Kind, MemoryType
from becausal.ports.batch import Batch, Put, PutLink, PutVector, Ref
from becausal.ports.store import Condition, Op, Order
from becausal.stores.sqlite.store import SqliteStore
from becausal.stores.sqlite.where import compile_where, order_by
from contract.samples import T0, cue, engram, link, passage, put, put_vector, vector

MARKER = "Xyzzymarker"
STEM = "xyzzymark"


def bytes_on_disk(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file())


def test_each_user_has_one_file_in_a_folder_of_their_own(store: SqliteStore, tmp_path: Path, path: Path) -> None:
    assert path == tmp_path / "alice" / "becausal.db"


def test_a_file_without_a_byte_is_taken_for_a_new_memory_and_that_is_told_for_some_weeks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "alice" / "becausal.db"
    path.parent.mkdir()
    path.touch()
    os.utime(path, (1_000_000_000, 1_000_000_000))

    for _ in range(2):
        with closing(SqliteStore.open(location=tmp_path, user="alice")) as store:
            (note,) = store.notes
            put(store, engram("a"))
            assert store.count()["engram"] == 1
        assert "without a single byte" in note
        assert "becausal restore" in note
    later = time.time() + 31 * 86_400
    monkeypatch.setattr(time, "time", lambda: later)
    with closing(SqliteStore.open(location=tmp_path, user="alice")) as store:
        assert store.notes == ()


def test_a_memory_that_is_just_being_made_is_not_taken_for_one_that_was_lost(tmp_path: Path) -> None:
    path = tmp_path / "alice" / "becausal.db"
    path.parent.mkdir()
    path.touch()

    with closing(SqliteStore.open(location=tmp_path, user="alice")) as store:
        assert store.notes == ()


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o277])
def test_only_the_owner_can_read_the_files(tmp_path: Path, umask: int) -> None:
    old = os.umask(umask)
    try:
        store = SqliteStore.open(location=tmp_path / "new", user="alice")
        put(store, engram("a"))
        store.get(Kind.ENGRAM, ["a"])
        files = list((tmp_path / "new" / "alice").iterdir())
        assert {file.name for file in files} == {"becausal.db", "becausal.db-wal", "becausal.db-shm"}
        assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
        folders = (tmp_path / "new", tmp_path / "new" / "alice")
        assert {stat.S_IMODE(folder.stat().st_mode) for folder in folders} == {0o700}
        store.close()
    finally:
        os.umask(old)


def test_the_file_is_written_durably_and_deletes_overwrite(store: SqliteStore) -> None:
    with store._connections.exclusive() as db:
        settings = {name: db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")}
        settings["secure_delete"] = db.execute("PRAGMA secure_delete").fetchone()[0]
    assert settings == {"journal_mode": "wal", "synchronous": 2, "secure_delete": 1}


def test_closing_leaves_one_file(store: SqliteStore, path: Path) -> None:
    put(store, engram("a"))
    store.get(Kind.ENGRAM, ["a"])
    store.close()
    assert [file.name for file in path.parent.iterdir()] == ["becausal.db"]


def test_a_long_text_stands_behind_what_filters_read(store: SqliteStore, path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        names = [row[1] for row in db.execute("PRAGMA table_info(engram)")]
    assert names[-1] == "content"
    assert set(names[-4:-1]) == {"summary", "told", "metadata"}


def test_nothing_is_left_of_what_was_deleted_once_traces_are_erased(store: SqliteStore, path: Path) -> None:
    def full(n: int) -> Batch:
        text = f"{MARKER} " * (2000 if n % 7 == 0 else 3)
        marked = {"label": MARKER, "tags": (MARKER,), "source": MARKER, "session": MARKER, "metadata": {"k": MARKER}}
        terms = (STEM, f"{STEM}{n}", "common")
        change = Change(
            id=f"h{n}", action="forget", targets=(MARKER,), note=MARKER, inverse={"k": MARKER}, created_at=T0,
            expires_at=T0,
        )  # fmt: skip
        return Batch(
            puts=(
                Put(engram(f"e{n}", content=text, content_hash=f"{MARKER}{n}", **marked), terms),
                Put(passage(f"p{n}", f"e{n}"), terms),
                Put(cue(f"c{n}", name=MARKER, description=MARKER), (STEM,)),
                Put(change),
            ),
            vectors=(PutVector(Kind.ENGRAM, f"e{n}", vector(1, n)),),
            links=(PutLink(link(f"l{n}", f"e{n}", f"c{n}", dst_kind=Kind.CUE, evidence=MARKER, sources=(MARKER,))),),
        )

    put(store, engram("kept", content="plain kept text"), terms=("common", "kept"))
    put_vector(store, "kept", 1, 0)
    for n in range(60):
        store.write(full(n))
    before = bytes_on_disk(path.parent)
    assert all(word.encode() in before for word in (MARKER, STEM, MARKER.lower()[:9]))
    gone = [Ref(kind, f"{letter}{n}") for n in range(60) for kind, letter in ((Kind.CUE, "c"), (Kind.CHANGE, "h"))]
    store.write(Batch(deletes=(*gone[:60], *(Ref(Kind.ENGRAM, f"e{n}") for n in range(60)))))
    store.write(Batch(deletes=tuple(gone[60:])))

    assert store.erase_traces() == ()

    after = bytes_on_disk(path.parent)
    assert not any(word in after.lower() for word in (MARKER.lower().encode(), STEM.encode()))
    assert len(after) < len(before) / 4
    assert b"plain kept text" in after
    assert [hit.id for hit in store.text_search(Kind.ENGRAM, ["common"], 5).hits] == ["kept"]
    assert [hit.id for hit in store.vector_search(Kind.ENGRAM, vector(1, 0), 5)] == ["kept"]
    assert store.check() == ()


def test_replaced_text_is_erased_as_well(store: SqliteStore, path: Path) -> None:
    put(store, engram("a", content=MARKER), terms=(STEM,))
    put(store, engram("a", content="harmless"), terms=("harmless",))
    assert store.erase_traces() == ()
    after = bytes_on_disk(path.parent).lower()
    assert STEM.encode() not in after
    assert b"harmless" in after


def test_a_reader_that_holds_the_log_is_reported(store: SqliteStore, path: Path) -> None:
    put(store, engram("a", content=MARKER))
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM engram").fetchone()
        store.write(Batch(deletes=(Ref(Kind.ENGRAM, "a"),)))
        (message,) = store.erase_traces()
        assert "becausal.db-wal" in message
        assert MARKER.encode() in bytes_on_disk(path.parent)
        reader.execute("COMMIT")
        assert store.erase_traces() == ()
    assert MARKER.encode() not in bytes_on_disk(path.parent)


def test_a_file_from_before_token_vectors_gets_them_by_being_indexed_again(tmp_path: Path, path: Path) -> None:
    with closing(SqliteStore.open(location=tmp_path, user="alice")) as store:
        put(store, engram("a", indexed_at=T0), engram("b", indexed_at=None))
        put_vector(store, "a", 1, 0)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DROP TABLE token")
        db.execute("UPDATE meta SET value = '1' WHERE key = 'schema_version'")

    with closing(SqliteStore.open(location=tmp_path, user="alice")) as store:
        assert store.count()["pending"] == 2
        assert [hit.id for hit in store.vector_search(Kind.ENGRAM, vector(1, 0), 9)] == ["a"]
        assert store.check() == ()


def test_a_file_from_before_the_indexes_for_pages_gets_them(tmp_path: Path, path: Path) -> None:
    def indexes(db: sqlite3.Connection) -> set[tuple[str, str]]:
        return set(db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"))

    with closing(SqliteStore.open(location=tmp_path, user="alice")) as store:
        put(store, engram("a"))
    with closing(sqlite3.connect(path)) as db, db:
        wanted = indexes(db)
        for name in ("engram_5", "engram_10", "engram_11", "engram_12", "cue_2", "entity_2", "fact_2", "cause_2"):
            db.execute(f"DROP INDEX {name}")
        db.execute('CREATE INDEX engram_5 ON engram ("at", id)')
        db.execute("UPDATE meta SET value = '2' WHERE key = 'schema_version'")

    with closing(SqliteStore.open(location=tmp_path, user="alice")) as store:
        assert store.check() == ()
    with closing(sqlite3.connect(path)) as db:
        assert indexes(db) == wanted


LIVE = Condition("archived_at", Op.NULL, True)
PAGES = {
    "the newest memories": (Kind.ENGRAM, (LIVE,), "created_at"),
    "those of a source": (Kind.ENGRAM, (LIVE, Condition("source", Op.EQ, "x")), "created_at"),
    "those until a time": (Kind.ENGRAM, (LIVE, Condition("at", Op.LT, T0)), "at"),
    "those since a time": (Kind.ENGRAM, (LIVE, Condition("at", Op.GE, T0)), "at"),
    "those that say when": (Kind.ENGRAM, (LIVE, Condition("occurred_at", Op.NULL, False)), "at"),
    "those that do not": (
        Kind.ENGRAM,
        (LIVE, Condition("occurred_at", Op.NULL, True), Condition("memory_type", Op.EQ, MemoryType.EPISODIC)),
        "at",
    ),
    "a cluster": (Kind.ENGRAM, (LIVE, Condition("cluster_id", Op.EQ, 3)), "importance"),
    "events": (Kind.EVENT, (Condition("occurred_at", Op.LT, T0),), "occurred_at"),
    "facts that hold": (Kind.FACT, (Condition("valid_to", Op.NULL, True),), "valid_from"),
    "names": (Kind.ENTITY, (), "created_at"),
    "cues": (Kind.CUE, (), "created_at"),
    "causes": (Kind.CAUSE, (), "created_at"),
}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_read_from_an_index_and_not_chosen_from_all_there_is(tmp_path: Path, path: Path, page: str) -> None:
    kind, where, by = PAGES[page]
    with closing(SqliteStore.open(location=tmp_path, user="alice")) as store:
        put(store, engram("a"))
    condition, params = compile_where(kind, where, "t")
    order = order_by(kind, Order(by, descending=True))
    with closing(sqlite3.connect(path)) as db:
        statement = f"EXPLAIN QUERY PLAN SELECT t.* FROM {kind.value} AS t WHERE 1{condition} {order} LIMIT 20"
        plan = [row[3] for row in db.execute(statement, params)]
    assert len(plan) == 1, plan
    assert "USING INDEX" in plan[0], plan
