# SPDX-License-Identifier: Apache-2.0
"""Data of other memory systems is recognised where they keep it, and left as it was."""

from __future__ import annotations

import shlex
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from becausal.engine.results import Foreign
from becausal.foreign import find_foreign

LADYBUG_HEAD = b"LBUG1\0\0\0\0\0\0\0" + bytes(52)  # magic, then the storage version as a 64-bit number
KUZU_HEAD = b"KUZU'\0\0\0\0\0\0\0" + bytes(52)


def smriti_file(folder: Path, user: str, content: bytes = LADYBUG_HEAD) -> Path:
    file = folder / user / "memory.lbug"
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    return file


def pmll_file(file: Path, key: str = "PRIMARY KEY (session_id, id)") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(file)) as connection:
        for table in ("nodes", "edges"):
            connection.execute(f"CREATE TABLE {table} (session_id TEXT NOT NULL, id TEXT NOT NULL, {key})")
        connection.execute("INSERT INTO nodes VALUES ('s', 'mn-1')")
        connection.commit()
    return file


def found(tmp_path: Path, *, user: str = "alice", **places: Path) -> tuple[Foreign, ...]:
    storage = places.pop("storage", tmp_path / "storage")
    return find_foreign(storage=storage, user=user, home=tmp_path / "home", **places)


def state(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {str(file): (file.read_bytes(), file.stat().st_mtime_ns) for file in folder.rglob("*") if file.is_file()}


def test_a_machine_without_other_systems_has_nothing_foreign(tmp_path: Path) -> None:
    assert found(tmp_path) == ()


def test_a_smriti_memory_is_found_in_the_storage_location(tmp_path: Path) -> None:
    file = smriti_file(tmp_path / "storage", "alice")

    (foreign,) = found(tmp_path)

    assert (foreign.system, foreign.path) == ("smriti-mcp", str(file))
    assert foreign.advice == (
        f"A memory of smriti-mcp, in LadybugDB. It is left untouched. To bring it in: becausal import {file}"
    )


def test_a_smriti_memory_is_found_in_its_own_home_folder(tmp_path: Path) -> None:
    file = smriti_file(tmp_path / "home" / ".smriti", "alice")

    assert [foreign.path for foreign in found(tmp_path)] == [str(file)]


def test_a_storage_location_that_is_smritis_home_is_reported_once(tmp_path: Path) -> None:
    smriti_file(tmp_path / "home" / ".smriti", "alice")

    assert len(found(tmp_path, storage=tmp_path / "home" / ".smriti")) == 1


def test_a_file_of_ladybugs_predecessor_is_recognised(tmp_path: Path) -> None:
    smriti_file(tmp_path / "storage", "alice", KUZU_HEAD)

    assert "in Kuzu" in found(tmp_path)[0].advice


def test_a_memory_of_another_user_is_not_reported(tmp_path: Path) -> None:
    smriti_file(tmp_path / "storage", "bob")

    assert found(tmp_path) == ()


@pytest.mark.parametrize("user", ["../bob", "..", ".", "", "a\\b", "a\0b"])
def test_a_user_name_cannot_lead_out_of_the_storage_location(tmp_path: Path, user: str) -> None:
    smriti_file(tmp_path, "bob")
    (tmp_path / "storage").mkdir()
    smriti_file(tmp_path / "storage", "x")
    (tmp_path / "storage" / "memory.lbug").write_bytes(LADYBUG_HEAD)

    assert found(tmp_path, user=user) == ()


@pytest.mark.parametrize("content", [b"", b"LBU", b"SQLite format 3\0", b"some text"])
def test_a_file_of_that_name_with_other_content_is_not_taken_for_a_smriti_memory(
    tmp_path: Path, content: bytes
) -> None:
    smriti_file(tmp_path / "storage", "alice", content)

    assert found(tmp_path) == ()


def test_a_folder_named_like_a_smriti_memory_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "storage" / "alice" / "memory.lbug").mkdir(parents=True)

    assert found(tmp_path) == ()


@pytest.mark.parametrize(
    ("place", "argument"),
    [
        ("chosen/graph.db", "pmll_graph"),
        ("data/memory_graph.sqlite3", "data_home"),
        ("home/.local/share/pmll/memory_graph.sqlite3", None),
    ],
)
def test_a_pmll_graph_is_found_in_each_of_its_places(tmp_path: Path, place: str, argument: str | None) -> None:
    file = pmll_file(tmp_path / place)
    places = {"pmll_graph": {"pmll_graph": file}, "data_home": {"data_home": file.parent}, None: {}}[argument]

    (foreign,) = found(tmp_path, **places)

    assert (foreign.system, foreign.path) == ("pmll-memory-mcp", str(file))
    assert foreign.advice == (
        "A memory graph of pmll-memory-mcp, in SQLite. It is left untouched. "
        f"To bring it in: becausal import {shlex.quote(foreign.path)}"
    )


def test_a_pmll_graph_in_two_places_is_reported_for_each_and_a_link_to_one_is_not(tmp_path: Path) -> None:
    usual = pmll_file(tmp_path / "home/.local/share/pmll/memory_graph.sqlite3")
    chosen = pmll_file(tmp_path / "chosen.db")
    (tmp_path / "data").mkdir()
    (tmp_path / "data/memory_graph.sqlite3").symlink_to(usual)

    paths = [foreign.path for foreign in found(tmp_path, pmll_graph=chosen, data_home=tmp_path / "data")]

    assert paths == [str(chosen), str(tmp_path / "data/memory_graph.sqlite3")]


def test_a_path_with_characters_that_mean_something_in_an_address_is_read(tmp_path: Path) -> None:
    file = pmll_file(tmp_path / "100% #1?mode=rwc" / "記憶.db")

    assert [foreign.path for foreign in found(tmp_path, pmll_graph=file)] == [str(file)]


def test_another_sqlite_file_is_not_taken_for_a_pmll_graph(tmp_path: Path) -> None:
    other = pmll_file(tmp_path / "other.db", key="PRIMARY KEY (id)")

    assert found(tmp_path, pmll_graph=other) == ()


def test_a_damaged_sqlite_file_is_reported_with_the_reason(tmp_path: Path) -> None:
    file = tmp_path / "damaged.db"
    file.write_bytes(b"SQLite format 3\0" + b"\xff" * 4096)

    (foreign,) = found(tmp_path, pmll_graph=file)

    assert foreign.advice.startswith("A file named like pmll-memory-mcp's, which cannot be read (")


def test_looking_changes_no_file_and_leaves_none_behind(tmp_path: Path) -> None:
    smriti_file(tmp_path / "storage", "alice")
    file = pmll_file(tmp_path / "chosen.db")
    with closing(sqlite3.connect(file)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
    before = state(tmp_path)

    assert len(found(tmp_path, pmll_graph=file)) == 2
    assert state(tmp_path) == before


def test_a_pmll_graph_that_its_owner_has_locked_is_recognised_without_waiting_for_the_lock(tmp_path: Path) -> None:
    file = pmll_file(tmp_path / "chosen.db")
    with closing(sqlite3.connect(file, isolation_level=None)) as owner:
        owner.execute("BEGIN EXCLUSIVE")

        assert len(found(tmp_path, pmll_graph=file)) == 1
