# SPDX-License-Identifier: Apache-2.0
"""A memory that was exported is the same memory after its import."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from becausal import Memory
from becausal.errors import InvalidInput
from becausal.models.fake import FakeEmbedder
from becausal.models.lazy import LazyEmbedder
from becausal.stores.registry import open_store


def opened(folder: Path, user: str = "alice", *, embedder: str = "hashing") -> Memory:
    return Memory.open(folder, user=user, embedder=embedder, consolidation_interval=0)


@pytest.fixture
def told(tmp_path: Path) -> Iterator[Memory]:
    """A memory with a record of every kind and a link of most kinds, a forgotten memory and an edited one."""
    with opened(tmp_path / "told") as memory:
        memory.store(
            "The cooling broke down on Sunday, so we moved the backup to eight.", source="ops", tags=["a", "b"]
        )
        memory.store("Because we moved the backup to eight, the disk is overloaded at nine.", source="ops", pinned=True)
        memory.store("Maria lives in Lisbon.", occurred_at="2026-01-03")
        memory.store("Maria lives in Porto.", occurred_at="2026-05-01", metadata={"from": ["a", {"letter": None}]})
        memory.store("記憶 of a long day. " * 300, label="Long")
        edited = memory.store("The key is under the mat").engram.id
        forgotten = memory.store("Nobody needs to know this, because it is over").engram.id
        memory.graphs.add_entity("Maria", "person", {"born": 1990}, ["Mia"])
        memory.graphs.add_entity("Maria", "ship")
        memory.graphs.link_entities("Maria", "sails", "Porto")
        memory.graphs.add_event("Launch", "2026-01-01", ["Maria"])
        memory.graphs.add_causal_link("rain", "the wet street", 0.7)
        memory.graphs.add_concept("Weather", "what the sky does")
        memory.settle()
        memory.update(edited, content="The key is in the drawer")
        memory.forget(forgotten)
        memory.recall("backup")
        memory.upkeep.consolidate()
        memory.settle()
        yield memory


def exported(memory: Memory, **options: Any) -> bytes:
    file = io.BytesIO()
    memory.transfer.export(file, **options)
    return file.getvalue()


@pytest.mark.parametrize("vectors", [False, True])
def test_export_wipe_import_export_gives_the_same_bytes(told: Memory, tmp_path: Path, vectors: bool) -> None:
    first = exported(told, vectors=vectors)
    kinds = {json.loads(line)["record"]["kind"] for line in first.splitlines() if line.startswith(b'{"record"')}
    assert kinds == {"engram", "passage", "cue", "entity", "event", "fact", "cause", "change"}
    with opened(tmp_path / "again") as memory:
        imported = memory.transfer.restore(io.BytesIO(first))
        assert (imported.refused, imported.known, imported.unindexed) == (0, 0, 0)
        assert sum(imported.added.values()) + imported.links == len(first.splitlines()) - 2
        assert memory.settle(30) == 0
        assert exported(memory, vectors=vectors) == first


def test_what_was_imported_is_found_answered_and_undone_as_before(told: Memory, tmp_path: Path) -> None:
    with opened(tmp_path / "again") as memory:
        memory.transfer.restore(io.BytesIO(exported(told)))
        for question in ("backup", "who is in Porto", "記憶"):
            before = [result.engram.id for result in told.recall(question, strengthen=False).results]
            assert [result.engram.id for result in memory.recall(question, strengthen=False).results] == before
        assert memory.ask("Why is the disk overloaded at nine?").root_cause == "The cooling broke down on Sunday"
        assert len(memory.undo().ids) == 1
        assert "Nobody needs to know" in memory.recall("nobody needs").results[0].text


def test_importing_twice_adds_nothing(told: Memory, tmp_path: Path) -> None:
    data = exported(told)
    with opened(tmp_path / "again") as memory:
        memory.transfer.restore(io.BytesIO(data))
        again = memory.transfer.restore(io.BytesIO(data))
        assert (dict(again.added), again.links, again.refused) == ({}, 0, 0)
        assert again.known == len(data.splitlines()) - 2
        assert exported(memory) == data


def test_a_dry_run_says_what_would_come_and_changes_nothing(told: Memory, tmp_path: Path) -> None:
    data = exported(told)
    with opened(tmp_path / "again") as memory:
        would = memory.transfer.restore(io.BytesIO(data), dry_run=True)
        assert memory.status().counts["engram"] == 0
        did = memory.transfer.restore(io.BytesIO(data))
        assert (would.added, would.links, would.dry_run) == (did.added, did.links, True)


def test_an_import_that_broke_off_goes_on_to_the_same_memory(told: Memory, tmp_path: Path) -> None:
    for number in range(150):
        told.store(f"Note {number} about the harbour and its cranes", source=f"log {number % 3}")
    told.settle()
    data = exported(told)

    class Broken(Exception):
        pass

    with opened(tmp_path / "again") as memory:
        for stop in (100, 300, 700):

            def show(progress: Any, stop: int = stop) -> None:
                if progress.what == "importing" and progress.done >= stop:
                    raise Broken

            with pytest.raises(Broken):
                memory.transfer.restore(io.BytesIO(data), progress=show)
        assert memory.status().counts["engram"] > 0
        memory.transfer.restore(io.BytesIO(data))
        memory.settle()
        assert exported(memory) == data


def test_another_owner_gets_the_same_memory_and_tells_on(told: Memory, tmp_path: Path) -> None:
    data = exported(told)
    with opened(tmp_path / "again", "bob") as memory:
        imported = memory.transfer.restore(io.BytesIO(data))
        assert imported.refused == 0
        before = memory.status().counts
        memory.store("Because we moved the backup to eight, the disk is overloaded at nine.", source="mail")
        memory.graphs.add_entity("Maria", "person")
        memory.settle()
        after = memory.status().counts
        same = ("entity", "fact", "cause")
        assert [after[kind] for kind in same] == [before[kind] for kind in same]  # what it told is known already
        assert memory.status().user == "bob"
        assert memory._store.check() == ()


def test_what_is_there_stays_when_another_memory_is_brought_in(told: Memory, tmp_path: Path) -> None:
    with opened(tmp_path / "other") as memory:
        mine = memory.store("Maria lives in Lisbon.", occurred_at="2026-01-03").engram
        memory.store("The harbour is closed")
        imported = memory.transfer.restore(io.BytesIO(exported(told)))
        assert imported.refused == 0
        assert imported.added["engram"] == told.status().counts["engram"] - 1
        assert memory.get(mine.id).engram.access_count == mine.access_count
        assert memory._store.check() == ()


def test_damaged_lines_are_named_and_the_rest_is_taken(told: Memory, tmp_path: Path) -> None:
    lines = exported(told).splitlines()
    at = next(number for number, line in enumerate(lines) if b'"kind":"cue"' in line)
    lines[at] = b'{"record": {"kind": "cue", "id": '
    lines.insert(at, b"\xff\xfe nonsense")
    lines.insert(at, json.dumps({"record": {"kind": "engram", "id": "x", "content": "y", "importance": 7}}).encode())
    lines.insert(at, b"[" * 100_000)
    with opened(tmp_path / "again") as memory:
        imported = memory.transfer.restore(io.BytesIO(b"\n".join(lines)))
        named = [item.where for item in imported.skipped]
        assert [f"line {at + number}" for number in (1, 2, 3, 4)] == named[:4]
        assert memory.status().counts["engram"] == told.status().counts["engram"]
        assert memory._store.check() == ()


def test_an_export_that_was_cut_off_says_so(told: Memory, tmp_path: Path) -> None:
    data = exported(told)
    with opened(tmp_path / "again") as memory:
        imported = memory.transfer.restore(io.BytesIO(data[: len(data) // 2]))
        assert any("cut off" in item.why for item in imported.skipped)
        assert imported.added["engram"] > 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"", "is not an export"),
        (b'{"becausal": "memory", "format": 99, "user": "alice"}\n', "use a newer one"),
        (b'{"becausal": "something else", "format": 1, "user": "alice"}\n', "is not an export"),
        (b"{}\n", "is not an export"),
        (b"[1]\n", "is not an export"),
    ],
)
def test_what_is_no_export_is_refused_before_anything_is_read(tmp_path: Path, line: bytes, said: str) -> None:
    with opened(tmp_path) as memory, pytest.raises(InvalidInput, match=said):
        memory.transfer.restore(io.BytesIO(line))


def test_without_a_model_everything_is_imported_and_indexed_once_it_is_back(told: Memory, tmp_path: Path) -> None:
    embedder = FakeEmbedder(dimension=128)
    embedder.fail("not today")
    store = open_store("sqlite", location=tmp_path, user="alice")
    with Memory(store, LazyEmbedder(embedder, retry_after=0)) as memory:
        imported = memory.transfer.restore(io.BytesIO(exported(told)))
        assert imported.unindexed == imported.added["engram"]
        embedder.heal()
        memory._embedder.load()
        assert memory.settle(30) == 0
        assert memory.recall("backup", mode="search").results


def test_vectors_of_another_embedder_are_made_anew(told: Memory, tmp_path: Path) -> None:
    embedder = FakeEmbedder(dimension=64)
    store = open_store("sqlite", location=tmp_path, user="alice")
    with Memory(store, LazyEmbedder(embedder)) as memory:
        memory.transfer.restore(io.BytesIO(exported(told, vectors=True)))
        assert memory.settle(30) == 0
        assert embedder.texts > 0
        assert memory.recall("backup", mode="search").results


def test_an_export_can_leave_out_what_was_forgotten(told: Memory) -> None:
    assert b"Nobody needs to know" in exported(told)
    assert b"Nobody needs to know" not in exported(told, changes=False)


def test_consolidation_waits_for_an_import_and_takes_nothing_that_is_on_its_way(told: Memory, tmp_path: Path) -> None:
    data = exported(told)
    ran: list[bool] = []
    with opened(tmp_path / "again") as memory, opened(tmp_path / "again") as other:

        def consolidate(progress: Any) -> None:
            if progress.what == "importing":
                ran.append(other.upkeep.consolidate().ran)

        memory.transfer.restore(io.BytesIO(data), progress=consolidate)
        assert ran
        assert not any(ran)
        assert exported(memory) == data
        assert other.upkeep.consolidate().ran


def test_a_memory_that_waits_for_indexing_takes_no_association_of_others_away(told: Memory, tmp_path: Path) -> None:
    for mark in ".!?":
        told.store(f"Grafana shows the Kafka lag of the ledger{mark}")
    told.settle()
    lines = exported(told).splitlines(keepends=True)
    last = max(number for number, line in enumerate(lines) if line.startswith(b'{"record":{"kind":"engram"'))
    waiting = json.loads(lines[last])
    waiting["record"]["indexed_at"] = None
    lines[last] = json.dumps(waiting, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    with opened(tmp_path / "again") as memory:
        assert memory.transfer.restore(io.BytesIO(b"".join(lines))).unindexed == 1
        assert memory.settle(30) == 0
        before, after = told.status().counts, memory.status().counts
        assert before["ASSOCIATED_WITH"] >= 3
        assert after["ASSOCIATED_WITH"] == before["ASSOCIATED_WITH"]
