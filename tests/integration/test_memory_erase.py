# SPDX-License-Identifier: Apache-2.0
"""Erasing a whole memory, in every database: what is left is as empty as a new one, and nobody else's is touched."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC
from pathlib import Path

import pytest

from becausal.engine.memory import Memory
from becausal.engine.transfer.migrating import REMEMBERED
from becausal.engine.upkeep.erasing import STAYS
from becausal.models.fake import FakeEmbedder
from becausal.models.lazy import LazyEmbedder
from commandline import CommandLine
from places import PLACES, Opener

TOLD = [f"Pump {number} failed because the filter was clogged" for number in range(12)]


@pytest.fixture(params=sorted(PLACES))
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opener]:
    yield from PLACES[request.param](tmp_path)


def opened(place: Opener, user: str) -> Memory:
    return Memory(place(user), LazyEmbedder(FakeEmbedder()), timezone=UTC, start_worker=False)


def tell(memory: Memory) -> None:
    for text in TOLD:
        memory.store(text, source="mill", tags=["pump"])
    memory.settle(30)


def test_an_erased_memory_is_empty_and_can_be_told_again_and_the_others_is_whole(place: Opener) -> None:
    with opened(place, "alice") as memory, opened(place, "bob") as other:
        tell(memory)
        tell(other)
        memory.graphs.add_entity("Mara", "person")
        memory.forget(memory.recall("pump 3", limit=1).results[0].engram.id)
        memory.upkeep.consolidate()
        before = other.status().counts
        assert memory.upkeep.erase().records > len(TOLD)
        assert not any(memory.status().counts.values())
        assert memory.changes() == ()
        assert memory.upkeep.clusters() == ()
        assert [key for key in REMEMBERED if key not in STAYS and memory._store.meta(key) is not None] == []
        assert memory.recall("why did the pump fail").results == ()
        assert memory.ask("Why did pump 3 fail?").abstained
        assert other.status().counts == before
        assert len(other.recall("pump", limit=50).results) == len(TOLD)
        tell(memory)
        assert len(memory.recall("pump", limit=50).results) == len(TOLD)
        assert memory.upkeep.check() == other.upkeep.check() == ()


@pytest.fixture
def becausal(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path)


def test_nothing_is_erased_without_a_yes(becausal: CommandLine) -> None:
    becausal("store", TOLD[0])
    ran = becausal("erase")
    assert ran.code == 2
    assert "1 memory of user 'alice'" in ran.err
    assert "--yes" in ran.err
    assert len(becausal.ids("list")) == 1


def test_of_an_erased_memory_no_text_is_left_in_the_folder(becausal: CommandLine) -> None:
    for text in TOLD:
        becausal("store", text)
    becausal("store", "Of another user", "--user", "bob")
    ran = becausal("erase", "--yes", "--json")
    assert ran.code == 0, ran.err
    assert ran.json["records"] > len(TOLD)
    assert becausal.ids("list") == []
    held = b"".join(path.read_bytes() for path in (becausal.folder / "alice").rglob("*") if path.is_file())
    assert not any(word in held for word in (b"filter", b"clogged"))
    assert len(becausal.ids("list", "--user", "bob")) == 1


@pytest.mark.parametrize("backend", ["sqlite", "ladybug"])
def test_what_was_set_aside_when_a_memory_was_mended_or_restored_is_named_by_every_erasing(
    becausal: CommandLine, backend: str
) -> None:
    becausal = replace(becausal, env={**becausal.env, "DB_TYPE": backend})
    becausal("store", TOLD[0])
    folder = becausal.folder / "alice"
    (file,) = (path for path in folder.iterdir() if path.suffix in (".db", ".lbug"))
    copies = [file.with_name(f"{file.name}.{ending}") for ending in ("before-1", "damaged-1", "quarantine.jsonl")]
    for copy in copies:
        copy.write_text("filter")
    for args in (["forget", *becausal.ids("list"), "--purge", "--yes"], ["erase", "--yes"]):
        ran = becausal(*args, "--json")
        assert ran.code == 0, ran.err
        assert [copy.name for copy in copies if not any(str(copy) in line for line in ran.json["remains"])] == []


def test_a_row_that_was_set_aside_in_the_file_is_named_by_an_erasing(becausal: CommandLine) -> None:
    for text in TOLD[:2]:
        becausal("store", text)
    victim, _ = becausal.ids("list")
    with closing(sqlite3.connect(becausal.folder / "alice" / "becausal.db")) as db, db:
        db.execute("UPDATE engram SET memory_type = 'poetic' WHERE id = ?", (victim,))
    assert becausal("doctor", "--fix").code == 0
    ran = becausal("erase", "--yes", "--json")
    assert any("1 of its rows" in line for line in ran.json["remains"])
