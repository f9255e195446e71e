# SPDX-License-Identifier: Apache-2.0
"""``doctor``: what it finds, what it mends, and that nothing is thrown away."""

from __future__ import annotations

import json
import os
import random
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from commandline import CommandLine

PUMPS = [f"Memory number {number}, because pump {number} failed at the mill" for number in range(30)]


@pytest.fixture
def becausal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "storage"
    folder.mkdir()
    return CommandLine(folder)


def tell(becausal: CommandLine) -> Path:
    """Tell some memories; return the file they are in."""
    with becausal.memory() as memory:
        for text in PUMPS:
            memory.store(text, source="mill", tags=["pump"])
        memory.settle()
    return becausal.folder / "alice" / "becausal.db"


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        for statement in statements:
            db.execute(statement)


def found(becausal: CommandLine) -> list[str]:
    """Return the texts that a recall finds."""
    ran = becausal("recall", "pump", "--limit", "100", "--json")
    assert ran.code == 0, ran.err
    return sorted(item["content"] for item in ran.json["results"])


def test_a_memory_in_order_is_told_so_and_left_as_it_is(becausal: CommandLine) -> None:
    path = tell(becausal)
    before = path.read_bytes()
    ran = becausal("doctor", "--json")
    assert (ran.code, ran.json["healthy"], ran.json["done"]) == (0, True, [])
    assert any("all parts agree" in line for line in ran.json["checked"])
    assert becausal("doctor", "--fix", "--json").json["done"] == []
    assert path.read_bytes() == before


def test_no_memory_is_no_illness_and_none_is_made(becausal: CommandLine) -> None:
    ran = becausal("doctor")
    assert ran.code == 0
    assert "no memory here yet" in ran.out
    assert list(becausal.folder.iterdir()) == []


@pytest.mark.parametrize("damage", ["memory_type = 'poetic'", "tags = '['", "content = CAST(x'ff6162' AS TEXT)"])
def test_one_row_that_cannot_be_read_is_named_set_aside_and_costs_nothing_else(
    becausal: CommandLine, damage: str
) -> None:
    path = tell(becausal)
    victim = becausal("recall", "pump 7", "--limit", "1", "--json").json["results"][0]
    change(path, f"UPDATE engram SET {damage} WHERE id = '{victim['id']}'")
    rest = sorted(text for text in PUMPS if text != victim["content"])
    assert found(becausal) == rest
    assert victim["id"] in becausal.program("list", "--limit", "100").err
    assert becausal("store", "Another pump").code == 0
    ran = becausal("doctor")
    assert ran.code == 1
    assert victim["id"] in ran.out
    ran = becausal("doctor", "--fix", "--json")
    assert (ran.code, ran.json["healthy"]) == (0, True), ran.out
    assert any(victim["id"] in line and "set aside" in line for line in ran.json["done"])
    with closing(sqlite3.connect(path)) as db:
        (kept,) = db.execute("SELECT row FROM quarantine").fetchone()
    assert victim["id"].encode() in kept
    assert found(becausal) == sorted([*rest, "Another pump"])
    assert becausal("doctor").code == 0


def test_what_is_made_from_memories_is_made_again(becausal: CommandLine) -> None:
    path = tell(becausal)
    change(
        path,
        "DELETE FROM doc WHERE number % 3 = 0",
        "DELETE FROM vector WHERE kind = 'engram' AND seq % 2 = 0",
        "DELETE FROM member",
        "UPDATE tally SET n = n + 7",
    )
    assert becausal("doctor").code == 1
    ran = becausal("doctor", "--fix", "--json")
    assert (ran.code, ran.json["healthy"]) == (0, True), ran.out
    assert len(ran.json["done"]) >= 3
    assert found(becausal) == sorted(PUMPS)
    assert len(becausal.ids("list", "--tag", "pump", "--limit", "100")) == len(PUMPS)
    assert len(becausal.ids("recall", "pump", "--mode", "search", "--limit", "100")) == len(PUMPS)
    assert becausal("doctor").code == 0


def test_list_items_that_are_missing_are_noticed_and_made_again(becausal: CommandLine) -> None:
    path = tell(becausal)
    change(path, "DELETE FROM member WHERE field = 'tags'")
    ran = becausal("doctor")
    assert ran.code == 1
    assert "30 list items of engrams' tags are missing" in ran.out
    assert becausal("recall", "pump", "--tag", "pump", "--json").json["results"] == []
    assert becausal("doctor", "--fix").code == 0
    assert len(becausal("recall", "pump", "--tag", "pump", "--limit", "100", "--json").json["results"]) == 30
    assert becausal("doctor").code == 0


def test_damaged_pages_cost_what_stood_on_them_and_the_file_is_kept(becausal: CommandLine) -> None:
    path = tell(becausal)
    data = bytearray(path.read_bytes())
    with closing(sqlite3.connect(path)) as db:
        (root,) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'engram'").fetchone()
        named = "SELECT pageno FROM dbstat WHERE name = 'engram'"
        pages = [page for (page,) in db.execute(named)] if _dbstat(db) else []
    victims = [page for page in pages if page != root][:1] or [len(data) // 4096]
    for page in victims:
        data[(page - 1) * 4096 : page * 4096] = b"\xa5" * 4096
    path.write_bytes(data)
    ran = becausal("doctor")
    assert ran.code == 1
    assert "becausal.db" in ran.out
    ran = becausal("doctor", "--fix", "--json")
    assert (ran.code, ran.json["healthy"]) == (0, True), ran.out
    (kept,) = path.parent.glob("becausal.db.damaged-*")
    assert kept.read_bytes() == bytes(data)
    assert len(found(becausal)) >= len(PUMPS) / 2
    assert becausal("store", "After the repair").code == 0


@pytest.mark.parametrize("first", [1, 5])
def test_however_much_of_a_file_is_damaged_it_is_kept_and_the_memory_can_be_used_again(
    becausal: CommandLine, first: int
) -> None:
    path = tell(becausal)
    data = bytearray(path.read_bytes())
    noise = random.Random(7)
    data[first * 4096 :] = noise.randbytes(len(data) - first * 4096)
    path.write_bytes(data)
    ran = becausal("doctor")
    assert (ran.code, "damaged" in ran.out) == (1, True)
    ran = becausal("doctor", "--fix", "--json")
    assert (ran.code, ran.json["healthy"]) == (0, True), ran.out + ran.err
    (kept,) = path.parent.glob("becausal.db.damaged-*")
    assert kept.read_bytes() == bytes(data)
    assert not path.with_name("becausal.db.rescued").exists()
    assert becausal("store", "After the repair").code == 0
    assert [item["content"] for item in becausal("recall", "after repair", "--json").json["results"]][:1] == [
        "After the repair"
    ]


def test_what_memories_tell_is_read_again_after_the_end_of_a_file_was_lost(becausal: CommandLine) -> None:
    told = [f"Pump {number} failed because valve {number} jammed in the cold." for number in range(150)]
    Path("pumps.jsonl").write_text("\n".join(json.dumps({"content": text, "source": "log"}) for text in told))
    assert becausal("import", "pumps.jsonl").code == 0
    path = becausal.folder / "alice" / "becausal.db"
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * 0.6)])
    ran = becausal("doctor", "--fix", "--json")
    assert ran.code == 0, ran.out + ran.err
    first, *others = ran.json["done"]
    assert "; what is lost is of " in first
    counts = becausal("status", "--json").json["counts"]
    left = counts["engram"]
    assert left > 100
    assert f"{left} memories were read again, for names, events, causes and links of theirs were lost" in others
    assert (counts["C_CAUSES"], counts["FOLLOWS"]) == (left, left - 1)
    assert becausal("doctor").code == 0


def _dbstat(db: sqlite3.Connection) -> bool:
    return any("DBSTAT" in option for (option,) in db.execute("PRAGMA compile_options"))


def test_a_file_that_lost_every_byte_is_told_of_also_once_a_new_memory_was_begun_in_it(becausal: CommandLine) -> None:
    path = tell(becausal)
    path.write_bytes(b"")
    for beside in path.parent.glob("becausal.db-*"):
        beside.unlink()
    os.utime(path, (1_000_000_000, 1_000_000_000))

    assert found(becausal) == []
    tell(becausal)
    for command in ("doctor", "status"):
        ran = becausal(command)
        assert ran.code == 0
        assert "without a single byte" in " ".join((ran.out + ran.err).split())


def test_a_file_that_is_none_of_ours_is_kept_and_a_new_memory_begun(becausal: CommandLine) -> None:
    path = tell(becausal)
    path.write_bytes(b"something else entirely\n" * 1000)
    ran = becausal("recall", "pump")
    assert ran.code == 1
    assert "becausal doctor --fix" in ran.err
    assert becausal("doctor", "--fix").code == 0
    (kept,) = path.parent.glob("becausal.db.damaged-*")
    assert kept.read_bytes().startswith(b"something else")
    assert found(becausal) == []


def test_a_graph_file_that_cannot_be_mended_is_left_as_it_is_and_a_backup_is_advised(becausal: CommandLine) -> None:
    becausal = replace(becausal, env={**becausal.env, "DB_TYPE": "ladybug"})
    becausal.store(PUMPS[0])
    path = becausal.folder / "alice" / "memory.lbug"
    data = bytearray(path.read_bytes())
    data[4096:] = random.Random(7).randbytes(len(data) - 4096)
    path.write_bytes(data)
    ran = becausal("doctor")
    assert (ran.code, "doctor --fix" in ran.out) == (1, True)
    ran = becausal("doctor", "--fix", "--json")
    (finding,) = (each["what"] for each in ran.json["findings"] if each["serious"])
    assert ran.code == 1
    assert "left as it is: restore the memory from a backup" in finding
    assert "doctor" not in becausal("doctor", "--fix").out
    assert path.read_bytes() == bytes(data)


def test_the_wrong_embedder_is_found_and_is_nothing_to_mend(becausal: CommandLine) -> None:
    tell(becausal)
    ran = becausal("doctor", env={"BECAUSAL_EMBEDDER": "minilm"})
    assert ran.code == 1
    assert "becausal reindex" in ran.out
    assert "--fix" not in ran.out
    fixed = becausal("doctor", "--fix", "--json", env={"BECAUSAL_EMBEDDER": "minilm"})
    assert (fixed.code, fixed.json["done"]) == (1, [])


def test_a_server_that_is_away_is_said_to_be_so_and_is_nothing_to_mend(becausal: CommandLine) -> None:
    for fix in ([], ["--fix"]):
        ran = becausal("doctor", *fix, env={"DB_TYPE": "falkordb", "FALKORDB_HOST": "127.0.0.1", "FALKORDB_PORT": "1"})
        assert ran.code == 1
        assert "cannot be reached; start it" in " ".join(ran.out.split())
        assert "--fix" not in ran.out
