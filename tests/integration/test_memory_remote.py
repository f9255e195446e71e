# SPDX-License-Identifier: Apache-2.0
"""An embedding service as a memory's embedder: found out, remembered, changed for another, and done without."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from becausal import Memory
from becausal.composition import open_memory
from becausal.errors import EmbedderMismatch, ModelUnavailable
from memory_tools import contents
from model_server import KEY, ModelServer, Raw, embeddings, error, model_server

TEXTS = ["the blue kettle boils", "tax returns are due", "a red bicycle"]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as server:
        yield server


def opened(folder: Path, server: ModelServer | None, **more: Any) -> Memory:
    if server is None:
        return open_memory(folder, user="alice", embedder="hashing", **more)
    remote = {"embedding_base_url": server.url, "embedding_api_key": KEY, "embedding_model": "tiny"}
    return open_memory(folder, user="alice", **remote, max_retries=0, **more)


def told(memory: Memory) -> Memory:
    for text in TEXTS:
        memory.store(text)
    assert memory.settle(30) == 0
    return memory


def test_meaning_is_found_with_vectors_of_the_service_and_their_host_is_named(
    server: ModelServer, tmp_path: Path
) -> None:
    with told(opened(tmp_path, server)) as memory:
        assert contents(memory.recall("blue kettle", mode="search"))[0] == TEXTS[0]
        status = memory.status()
        assert (status.embedder, status.embedder_state, status.degraded) == ("remote:tiny", "ready", None)
        assert status.sends_text_to == (server.host,)


def test_the_length_of_vectors_is_remembered(server: ModelServer, tmp_path: Path) -> None:
    with told(opened(tmp_path, server)):
        pass
    server.by["embeddings"] = lambda body: embeddings(body["input"], 8)
    with opened(tmp_path, server) as memory:
        recalled = memory.recall("blue kettle")

        assert contents(recalled)[0] == TEXTS[0]  # by its words
        assert "gives vectors of 8 numbers" in (recalled.degraded or "")
        assert "becausal reindex" in (recalled.degraded or "")
    with opened(tmp_path, server, reindexing=True) as memory:
        assert memory.reindex() == 3
        assert contents(memory.recall("blue kettle", mode="search"))[0] == TEXTS[0]


def test_vectors_of_two_embedders_are_never_mixed_and_reindex_changes_over_both_ways(
    server: ModelServer, tmp_path: Path
) -> None:
    with told(opened(tmp_path, None)):
        pass
    for now, other in ((server, None), (None, server)):
        with pytest.raises(EmbedderMismatch, match="becausal reindex"):
            opened(tmp_path, now)
        with opened(tmp_path, now, reindexing=True) as memory:
            assert memory.reindex() == 3
        with pytest.raises(EmbedderMismatch):
            opened(tmp_path, other)
        with opened(tmp_path, now) as memory:
            assert memory.settle(30) == 0
            assert contents(memory.recall("blue kettle", mode="search"))[0] == TEXTS[0]


def test_a_change_that_the_service_does_not_survive_can_be_taken_back(server: ModelServer, tmp_path: Path) -> None:
    with told(opened(tmp_path, None)):
        pass
    calls = []

    def dies(body: dict[str, Any]) -> Raw:
        calls.append(body)
        return embeddings(body["input"]) if len(calls) == 1 else error(500)

    server.by["embeddings"] = dies
    with opened(tmp_path, server, reindexing=True) as memory, pytest.raises(ModelUnavailable):
        memory.reindex()
    with opened(tmp_path, None, reindexing=True) as memory:
        assert memory.reindex() == 3
    with opened(tmp_path, None) as memory:
        assert contents(memory.recall("blue kettle", mode="search"))[0] == TEXTS[0]


@pytest.mark.parametrize("answer", [error(401, f"bad key {KEY}"), error(500), Raw(drop=True)])
def test_without_the_service_memories_are_kept_and_found_by_words_and_indexed_when_it_returns(
    server: ModelServer, tmp_path: Path, answer: Raw
) -> None:
    server.by["embeddings"] = answer
    with opened(tmp_path, server) as memory:
        memory.store(TEXTS[0])
        assert memory.settle(30) == 1
        recalled = memory.recall("blue kettle")
        assert contents(recalled) == [TEXTS[0]]
        assert "no embedder" in (recalled.degraded or "")
        assert KEY not in str(memory.status()) + str(recalled)
    del server.by["embeddings"]
    with opened(tmp_path, server) as memory:
        assert memory.settle(30) == 0
        assert contents(memory.recall("blue kettle", mode="search")) == [TEXTS[0]]
