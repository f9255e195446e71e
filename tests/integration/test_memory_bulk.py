# SPDX-License-Identifier: Apache-2.0
"""Many memories at once: indexed in long rounds, with the same result as one by one."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from becausal import Memory
from becausal.domain.records import Cue, Kind, LinkKind
from becausal.engine import worker
from becausal.models.fake import FakeEmbedder
from becausal.ports.store import Condition, Op
from memory_tools import open_test_memory

PEOPLE = ("Ana", "Goran", "Hana", "Priya", "Sven")
THINGS = ("kettle", "retry queue", "audit log", "pottery class", "rate limiter", "allotment", "search index")
DEEDS = ("restarted", "painted", "reviewed", "mislaid")
REASONS = ("the disk was full", "the token had expired", "it rained in Lisbon", "nobody had asked")


def texts(count: int) -> list[str]:
    """Return made-up notes, many of them much alike, some with a reason."""
    made = []
    for n in range(count):
        note = f"{PEOPLE[n % 5]} {DEEDS[n % 4]} the {THINGS[n % 7]} for ticket OPS-{2100 + n * 37 % 7000}"
        made.append(f"{note} because {REASONS[n % 4]}." if n % 3 == 0 else f"{note}.")
    return made


def bring_in(memory: Memory, folder: Path, told: list[str]) -> None:
    file = folder / "notes.jsonl"
    file.write_text("".join(json.dumps({"content": text, "source": "notes"}) + "\n" for text in told), encoding="utf-8")
    report = memory.transfer.import_file(file)
    assert (report.refused, report.unindexed) == (0, 0)


def graph(memory: Memory) -> Counter[tuple[Any, ...]]:
    """Return all links, with what their ends say in place of ids."""
    names: dict[str, str] = {}
    for kept in memory._store.scan():
        item: Any = kept.item  # type: ignore[union-attr]
        for field in ("content", "name", "description", "object"):
            if hasattr(item, field):
                names.setdefault(item.id, f"{type(item).__name__} {getattr(item, field)}")
    found: Counter[tuple[Any, ...]] = Counter()
    for kept in memory._store.scan():
        link: Any = kept.item  # type: ignore[union-attr]
        if hasattr(link, "src"):
            sources = tuple(sorted(names[source] for source in link.sources))
            ends = names[link.src], names[link.dst]
            if link.kind.value in ("CO_OCCURS", "SAME_AS"):  # which end is first depends on ids
                ends = min(ends), max(ends)
            found[link.kind.value, *ends, link.relation_type, round(link.strength, 5), sources] += 1
    return found


@pytest.mark.parametrize("start_worker", [True, False])
def test_an_import_makes_the_graph_that_storing_one_by_one_makes(tmp_path: Path, start_worker: bool) -> None:
    told = texts(300)
    with open_test_memory(tmp_path / "one by one", embedder=FakeEmbedder()) as memory:
        for text in told:
            memory.store(text, source="notes")
            memory.settle()
        expected = graph(memory)
    with open_test_memory(tmp_path / "import", embedder=FakeEmbedder(), start_worker=start_worker) as memory:
        bring_in(memory, tmp_path, told)
        assert graph(memory) == expected


def test_each_of_many_texts_that_are_all_alike_is_associated_with_five_earlier_ones(tmp_path: Path) -> None:
    with open_test_memory(tmp_path / "memory", embedder=FakeEmbedder()) as memory:
        bring_in(memory, tmp_path, [f"The kettle in kitchen {n} boiled over; Ana mended it." for n in range(150)])
        assert memory._store.count()[LinkKind.ASSOCIATED_WITH.value] == 0 + 1 + 2 + 3 + 4 + 145 * 5


def test_an_import_does_not_run_far_ahead_of_its_indexing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "AHEAD", 100)
    monkeypatch.setattr(worker, "BREATH", 60.0)
    waiting: list[int] = []
    with open_test_memory(tmp_path / "memory", embedder=FakeEmbedder(), start_worker=True) as memory:
        file = tmp_path / "notes.jsonl"
        file.write_text("\n".join(map(json.dumps, texts(600))), encoding="utf-8")
        memory.transfer.import_file(file, progress=lambda _: waiting.append(memory._worker.pending()))
    assert len(waiting) > 9
    assert max(waiting) <= 100


def test_an_import_is_not_held_up_where_nothing_is_indexed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "AHEAD", 100)
    monkeypatch.setattr(worker, "BREATH", 600.0)
    embedder = FakeEmbedder()
    embedder.fail("the model file is gone")
    with open_test_memory(tmp_path / "memory", embedder=embedder, start_worker=True) as memory:
        file = tmp_path / "notes.jsonl"
        file.write_text("\n".join(map(json.dumps, texts(300))), encoding="utf-8")
        report = memory.transfer.import_file(file)
        assert (report.added["engram"], report.unindexed) == (300, 300)


def test_each_text_of_an_import_is_embedded_once(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    with open_test_memory(tmp_path / "memory", embedder=embedder, start_worker=True) as memory:
        bring_in(memory, tmp_path, texts(300))
        counts = memory.status().counts
        ids = [cue.id for cue in memory._store.find(Kind.CUE, limit=5000).records]
        probe = embedder.embed(["probe"])[0]
        where = (Condition("id", Op.IN, tuple(ids)),)
        cues = len(memory._store.vector_search(Kind.CUE, probe, len(ids), where))
        assert embedder.texts - 1 == counts["engram"] + counts["cause"] + cues
        assert cues > 0


def test_a_model_that_fails_during_an_import_loses_nothing(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    with open_test_memory(tmp_path / "memory", embedder=embedder) as memory:
        for text in texts(300):
            memory.store(text)
        assert memory._worker._round()
        embedder.fail("the model file is gone")
        while memory._worker._round():
            pass
        assert 100 < memory._worker.pending() < 300
    with open_test_memory(tmp_path / "memory", embedder=FakeEmbedder()) as memory:
        assert memory.settle(10) == 0  # nothing is held by the one that could not do it


def test_a_memory_that_is_closed_during_an_import_lets_go_of_what_it_had_taken(tmp_path: Path) -> None:
    with open_test_memory(tmp_path / "memory", embedder=FakeEmbedder()) as memory:
        for text in texts(300):
            memory.store(text)
        assert memory._worker._round()
        ids = [engram.id for engram in memory._store.find(Kind.ENGRAM, limit=500).records]
    with open_test_memory(tmp_path / "memory", embedder=FakeEmbedder()) as memory:
        assert memory._store.leases("index", ids) == {}


def test_a_name_that_is_one_of_very_many_is_found_by_its_words_alone(tmp_path: Path) -> None:
    with open_test_memory(tmp_path, embedder=FakeEmbedder()) as memory:
        memory.store("Ana closed OPS-4832 after the ferry of 2019 came in.")
        memory.settle()
        cues = {cue.name: cue.id for cue in memory._store.find(Kind.CUE, limit=100).records if isinstance(cue, Cue)}
        where = (Condition("id", Op.IN, tuple(cues.values())),)
        found = {hit.id for hit in memory._store.vector_search(Kind.CUE, FakeEmbedder().embed(["ana"])[0], 99, where)}
        assert cues["ana"] in found
        assert cues["ops 4832"] not in found
        assert "ops 4832" in str(memory.graphs.semantic_search("OPS-4832"))
