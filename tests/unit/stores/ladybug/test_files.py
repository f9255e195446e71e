# SPDX-License-Identifier: Apache-2.0
"""Files that are another program's, damaged, read-only, or hold what was erased."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import ladybug
import pytest

from becausal.domain.records import Kind
from becausal.errors import SchemaTooNew, StoreCorrupt, StoreUnavailable
from becausal.foreign import find_foreign
from becausal.ports.batch import Batch, Ref
from becausal.stores.ladybug import upkeep
from becausal.stores.ladybug.connection import Connection, memory_is_blank, open_database
from becausal.stores.ladybug.database import Database
from becausal.stores.ladybug.files import ROOT
from becausal.stores.ladybug.store import LadybugStore
from becausal.stores.registry import swap_store
from contract.samples import engram, link, passage, put


def opened(folder: Path) -> LadybugStore:
    return LadybugStore.open(location=folder, user="alice", wait=0.0)


def file_in(folder: Path) -> Path:
    return folder / "alice" / "memory.lbug"


def smritis(folder: Path, content: str = "Theirs.") -> Path:
    """Make a database with the tables of smriti-mcp."""
    file = file_in(folder)
    file.parent.mkdir(parents=True)
    database = ladybug.Database(str(file), max_db_size=1 << 30)
    connection = ladybug.Connection(database)
    connection.execute("CREATE NODE TABLE Engram (id STRING PRIMARY KEY, content STRING)").close()
    connection.execute("CREATE (:Engram {id: 'e1', content: $content})", {"content": content}).close()
    connection.close()
    database.close()
    return file


def digests(folder: Path) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}


def holding(folder: Path, text: bytes) -> list[str]:
    return [file.name for file in folder.rglob("*") if file.is_file() and text in file.read_bytes()]


def test_a_file_of_smritis_stays_as_it_is_and_the_memory_lies_beside_it(tmp_path: Path) -> None:
    theirs = smritis(tmp_path)
    before = digests(theirs.parent)
    with closing(opened(tmp_path)) as store:
        put(store, engram("a"))
        assert store.location == str(theirs.with_name("becausal.lbug"))
    with closing(opened(tmp_path)) as store:
        assert store.count()["engram"] == 1
    assert before.items() <= digests(theirs.parent).items()
    found = find_foreign(storage=tmp_path, user="alice", home=tmp_path / "home")
    assert [(each.system, each.path) for each in found] == [("smriti-mcp", str(theirs))]


def test_a_file_of_smritis_that_speaks_of_this_packages_tables_is_still_smritis(tmp_path: Path) -> None:
    theirs = smritis(tmp_path, content=f"The table {ROOT} marks a memory of becausal's own.")
    assert ROOT.encode() in theirs.read_bytes()
    before = digests(theirs.parent)
    assert len(find_foreign(storage=tmp_path, user="alice", home=tmp_path / "home")) == 1
    with closing(opened(tmp_path)) as store:
        assert store.location == str(theirs.with_name("becausal.lbug"))
    assert before.items() <= digests(theirs.parent).items()


def test_the_memory_beside_a_file_of_smritis_is_found_when_that_file_is_gone(tmp_path: Path) -> None:
    theirs = smritis(tmp_path)
    with closing(opened(tmp_path)) as store:
        put(store, engram("a"))
    theirs.unlink()
    with closing(opened(tmp_path)) as store:
        assert store.count()["engram"] == 1


def test_a_memory_of_ones_own_is_not_taken_for_smritis_also_without_the_lock_beside_it(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as store:
        put(store, engram("a"))
    for kept in (True, False):
        if not kept:
            file_in(tmp_path).with_name("memory.lbug.lock").unlink()
        assert find_foreign(storage=tmp_path, user="alice", home=tmp_path / "home") == ()
    with closing(opened(tmp_path)) as store:
        assert store.location == str(file_in(tmp_path))
        assert store.count()["engram"] == 1


def test_files_are_private_and_nothing_is_beside_a_closed_one_but_its_lock(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as store:
        put(store, engram("a"))
    folder = tmp_path / "alice"
    assert sorted(file.name for file in folder.iterdir()) == ["memory.lbug", "memory.lbug.lock"]
    assert {file.stat().st_mode & 0o077 for file in (folder, *folder.iterdir())} == {0}


def test_what_was_erased_is_in_no_byte_of_the_folder_and_the_rest_is_there(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as store:
        put(store, *(engram(f"e{i}", content=f"Kept {i}.") for i in range(50)), terms=("kept",))
        put(store, engram("gone", content="A zanzibar secret."), terms=("zanzibar",))
        put(store, passage("p", "gone"))
        store.write(Batch(deletes=(Ref(Kind.ENGRAM, "gone"),)))
        assert store.erase_traces() == ()
        assert holding(tmp_path, b"zanzibar") == []
        assert store.count()["engram"] == 50
        assert len(store.text_search(Kind.ENGRAM, ["kept"], 100).hits) == 50
        put(store, engram("later"))
    with closing(opened(tmp_path)) as store:
        assert store.count()["engram"] == 51
        assert store.check() == ()


FILLED = """
import pathlib, random, sys
from contextlib import closing
sys.path.insert(0, sys.argv[2])
from becausal.stores.ladybug.store import LadybugStore
from contract.samples import engram, put, put_vector

sizes = [600, 900, 1024, 2048, 4096, 5000, 8192, 20_000, 65_536, 262_144]
random.seed(4)

def leave_something_behind():
    kept = []
    for _ in range(3000):
        kept.append(b"LeftOver" * (random.choice(sizes) // 8))
        if len(kept) > 300:
            kept.pop(random.randrange(300))

with closing(LadybugStore.open(location=pathlib.Path(sys.argv[1]), user="alice")) as store:
    for round in range(3):
        leave_something_behind()
        put(store, *(engram(f"e{round}-{i}", content=f"Kept {i}.") for i in range(20)), terms=("kept",))
        for i in range(20):
            put_vector(store, f"e{round}-{i}", *[0.5] * 384)
        leave_something_behind()
        store._database.checkpoint()
"""


def test_nothing_that_lay_in_the_memory_of_the_process_gets_into_the_file(tmp_path: Path) -> None:
    # Its own process, since what keeps that out of the file holds for a process as a whole.
    subprocess.run([sys.executable, "-c", FILLED, str(tmp_path), str(Path(__file__).parents[3])], check=True)
    assert file_in(tmp_path).exists()
    assert holding(tmp_path, b"LeftOver") == [] or not memory_is_blank()


def test_where_that_cannot_be_had_a_person_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(opened(tmp_path)) as store:
        assert store.notes == ()
        monkeypatch.setattr("becausal.stores.ladybug.store.memory_is_blank", lambda: False)
        (note,) = store.notes
        assert "another user" in note


def test_while_a_file_is_written_anew_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = upkeep._copy
    seen: list[int] = []

    def copy_and_read(database: Database, path: Path) -> None:
        copy(database, path)
        with ThreadPoolExecutor(1) as another:  # what would wait for ever if the reading waited for the end of this
            seen.append(another.submit(lambda: store.count()["engram"]).result(20))

    monkeypatch.setattr(upkeep, "_copy", copy_and_read)
    with closing(opened(tmp_path)) as store:
        put(store, engram("a"))
        assert store.erase_traces() == ()
        assert seen == [1]


def test_what_a_crash_left_of_a_file_that_was_being_written_anew_goes(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as store:
        put(store, engram("a"))
    for name in ("memory.lbug.fresh", "memory.lbug.fresh.wal"):
        file_in(tmp_path).with_name(name).write_bytes(b"zanzibar")
    with closing(opened(tmp_path)) as store:
        assert store.count()["engram"] == 1
    assert holding(tmp_path, b"zanzibar") == []


def test_erasing_says_so_when_the_memory_is_being_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("becausal.stores.ladybug.upkeep._PATIENCE", 0.05)
    with closing(opened(tmp_path)) as store:
        put(store, engram("a"))
        with store.snapshot():
            (remains,) = store.erase_traces()
            assert "being read" in remains
        assert store.erase_traces() == ()


def test_a_newer_memory_is_refused_and_keeps_what_it_holds(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as store:
        put(store, engram("a"))

    def changed(version: int) -> list[list[object]]:
        database = open_database(file_in(tmp_path))
        connection = Connection(database, file_in(tmp_path))
        found = connection.run("MATCH (r:becausal_root) RETURN r.version")
        connection.run("MATCH (r:becausal_root) SET r.version = $version", version=version)
        connection.close()
        database.close()
        return found

    changed(99)
    with pytest.raises(SchemaTooNew, match="99"):
        opened(tmp_path)
    assert changed(1) == [[99]]
    with closing(opened(tmp_path)) as store:
        assert store.count()["engram"] == 1


@pytest.mark.parametrize("content", [b"no database at all" * 100, b"LBUG", b"LBUG1" + bytes(9000)])
def test_a_file_that_is_no_database_is_a_clear_error_and_not_replaced(tmp_path: Path, content: bytes) -> None:
    with closing(opened(tmp_path)) as store:
        put(store, engram("a"))
    file_in(tmp_path).write_bytes(content)
    with pytest.raises(StoreCorrupt, match=r"memory\.lbug .*doctor"):
        opened(tmp_path)
    with pytest.raises(StoreCorrupt, match="left as it is"):
        LadybugStore.mend(location=tmp_path, user="alice")
    assert file_in(tmp_path).read_bytes() == content


def test_half_a_file_is_damaged_and_not_taken_for_anothers(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as store:
        put(store, *(engram(f"e{i}") for i in range(100)))
    file = file_in(tmp_path)
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(StoreCorrupt, match="damaged"):
        opened(tmp_path)


def test_mending_sets_aside_what_cannot_be_read_and_drops_what_belongs_to_nothing(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as store:
        put(store, engram("bad"), engram("good"), passage("p", "good"))
        put(store, engram("other"))
        store.write(Batch())
        with store._database.writing() as writing:
            writing.db.run("MATCH (t:engram {id: 'bad'}) SET t.tags = 'no json'")
            writing.db.run("MATCH (t:passage {id: 'p'}) SET t.engram_id = 'nobody'")
        assert store.get(Kind.ENGRAM, ["bad", "good"]).keys() == {"good"}
        assert [record.id for record in store.find(Kind.ENGRAM, limit=2).records] == ["good", "other"]
        assert "'bad' cannot be read" in store.notes[-1]
        assert len(store.check()) == 2
    mended = LadybugStore.mend(location=tmp_path, user="alice")
    assert [said.split(" ")[:2] for said in mended.done] == [["engram", "'bad'"], ["1", "passages"]]
    assert {ref.id for ref in mended.unlisted} == {"good", "other"}
    kept = json.loads((tmp_path / "alice" / "memory.lbug.quarantine.jsonl").read_text())
    assert (kept["kind"], kept["row"]["id"], kept["row"]["tags"]) == ("engram", "bad", "no json")
    with closing(opened(tmp_path)) as store:
        assert store.check() == ()
        assert store.count()["engram"] == 2


def test_there_is_nothing_to_mend_where_there_is_no_memory(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="no memory"):
        LadybugStore.mend(location=tmp_path, user="alice")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions do not hold for this user")
def test_a_memory_that_cannot_be_written_to_is_read(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as store:
        put(store, engram("a"))
    (tmp_path / "alice").chmod(0o500)
    try:
        with closing(opened(tmp_path)) as store:
            assert store.read_only
            assert store.count()["engram"] == 1
    finally:
        (tmp_path / "alice").chmod(0o700)


def test_read_only_a_memory_answers_and_takes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(opened(tmp_path)) as store:
        put(store, engram("a"), engram("b"), terms=("word",))
        put(store, engram("c"))
        store.write(Batch(links=()))
    monkeypatch.setattr("becausal.stores.ladybug.store.cannot_be_written", lambda path: True)
    before = digests(tmp_path / "alice")
    with closing(opened(tmp_path)) as store:
        assert store.read_only
        assert len(store.text_search(Kind.ENGRAM, ["word"], 5).hits) == 2
        for change in (
            lambda: put(store, engram("d")),
            lambda: store.claim("k", ["a"], "me", 1),
            lambda: store.clear([Kind.CUE]),
            lambda: store.erase_traces(),
        ):
            with pytest.raises(StoreUnavailable, match="read-only"):
                change()
        assert store.check() == ()
    assert digests(tmp_path / "alice") == before


def test_one_memory_takes_the_place_of_another_which_is_kept(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as store:
        put(store, engram("old"))
    with closing(opened(tmp_path / "side")) as store:
        put(store, engram("new"))
    kept = swap_store("ladybug", location=tmp_path, user="alice", side=tmp_path / "side")
    assert kept is not None
    assert kept.name.startswith("memory.lbug.before-")
    with closing(opened(tmp_path)) as store:
        assert store.get(Kind.ENGRAM, ["old", "new"]).keys() == {"new"}
        assert store.erase_traces() == (f"{kept}: the memory as it was before a restore",)


def test_links_in_memory_are_those_in_the_file_after_many_changes(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as store:
        put(store, *(engram(f"e{i}") for i in range(30)))
        from becausal.ports.batch import PutLink, WeakenLink

        for i in range(200):
            one, two = f"e{i * 7 % 30}", f"e{i * 11 % 29}"
            store.write(Batch(links=(PutLink(link(f"l{i % 60}", one, two), "replace"),)))
            if i % 3 == 0:
                store.write(Batch(weaken=(WeakenLink(f"l{i % 50}", 0.4),)))
        before = store.links([f"e{i}" for i in range(30)])
    with closing(opened(tmp_path)) as store:
        assert store.links([f"e{i}" for i in range(30)]) == before
        assert len(before) > 20
