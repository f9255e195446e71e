# SPDX-License-Identifier: Apache-2.0
"""An embedding service as a memory's embedder: found out, remembered, changed for another, and done without."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from becausal import Memory
from becausal.composition import open_memory
from becausal.errors import EmbedderMismatch, ModelUnavailable
from commandline import CommandLine
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


@pytest.mark.parametrize("mode", ["recall", "search", "hybrid"])
def test_a_hanging_service_keeps_a_question_waiting_no_longer_than_its_limit_and_the_next_not_at_all(
    server: ModelServer, tmp_path: Path, mode: str
) -> None:
    server.by["embeddings"] = Raw(hang=True)
    with opened(tmp_path, server, ask_timeout=3) as memory:
        memory.store(TEXTS[0])
        took = []
        for _ in range(2):
            began = time.monotonic()
            recalled = memory.recall("blue kettle", mode=mode)
            took.append(time.monotonic() - began)
            assert f"the embedding service at {server.host} has not answered yet" in (recalled.degraded or "")

    assert took[0] < 8
    assert took[1] < 2


def test_a_service_that_begins_to_hang_keeps_no_question_waiting_beyond_its_limit(
    server: ModelServer, tmp_path: Path
) -> None:
    with told(opened(tmp_path, server, ask_timeout=1)) as memory:
        server.by["embeddings"] = Raw(hang=True)
        began = time.monotonic()
        recalled = memory.recall("a blue kettle")
        answer = memory.ask("What about the blue kettle, again?")

    assert time.monotonic() - began < 6
    assert contents(recalled)[0] == TEXTS[0]
    for each in (recalled.degraded, answer.degraded):
        assert "did not answer in time" in (each or "")


def test_stating_something_waits_no_longer_than_a_question_for_a_service_that_hangs(
    server: ModelServer, tmp_path: Path
) -> None:
    with told(opened(tmp_path, server, ask_timeout=1)) as memory:
        server.by["embeddings"] = Raw(hang=True)
        began = time.monotonic()
        memory.graphs.add_causal_link("no water", "the kettle is dry")

    assert time.monotonic() - began < 6


@pytest.mark.parametrize("command", ["recall", "ask", "why"])
def test_a_command_waits_for_dead_services_no_longer_than_a_question_may(
    server: ModelServer, tmp_path: Path, command: str
) -> None:
    server.by["embeddings"] = server.by["plan"] = server.by["answer"] = Raw(hang=True)
    where = {"EMBEDDING_BASE_URL": server.url, "LLM_BASE_URL": server.url, "BECAUSAL_ASK_TIMEOUT": "2"}
    becausal = CommandLine(tmp_path, {"ACCESSING_USER": "alice", **where})
    began = time.monotonic()
    assert becausal("store", "--no-wait", TEXTS[0]).code == 0
    assert time.monotonic() - began < 8
    began = time.monotonic()
    ran = becausal(command, "the blue kettle boils")

    assert time.monotonic() - began < 8
    assert TEXTS[0] in ran.out
    assert "embedding service" in ran.err


def test_status_says_where_a_memory_of_another_embedder_is_what_it_holds_and_what_to_do(
    server: ModelServer, tmp_path: Path
) -> None:
    becausal = CommandLine(tmp_path)
    becausal.store(TEXTS[0])
    remote = {"EMBEDDING_BASE_URL": server.url, "EMBEDDING_MODEL": "tiny", "BECAUSAL_EMBEDDER": "remote"}
    ran = becausal("status", env=remote)
    told = becausal("status", "--json", env=remote).json

    assert ran.code == 0
    assert str(tmp_path) in ran.out
    assert "1 memory" in ran.out
    assert "indexed with 'hashing-blake2b-128'" in told["degraded"]
    assert "becausal reindex" in " ".join(ran.out.split())
    refused = becausal("recall", "kettle", env=remote)
    assert refused.code == 1
    assert all(part in " ".join(refused.err.split()) for part in (str(tmp_path), "holds 1 memory", "becausal reindex"))
    assert becausal("reindex", env=remote).code == 0
    assert becausal("status", "--json", env=remote).json["degraded"] is None


def test_status_of_a_new_memory_makes_the_embedder_its_own(tmp_path: Path) -> None:
    becausal = CommandLine(tmp_path)
    assert "indexed with" not in becausal("status", "--json").json["degraded"]
    assert "indexed with" in becausal("status", "--json", env={"BECAUSAL_EMBEDDER": "minilm"}).json["degraded"]


def test_a_length_that_the_memorys_vectors_do_not_have_is_refused_before_any_is_made(
    server: ModelServer, tmp_path: Path
) -> None:
    with told(opened(tmp_path, server)):
        pass
    calls = len(server.requests)
    with pytest.raises(EmbedderMismatch, match=r"24 numbers.* 8 \(EMBEDDING_DIMS\): run 'becausal reindex'"):
        opened(tmp_path, server, embedding_dims=8)
    assert len(server.requests) == calls
    server.by["embeddings"] = lambda body: embeddings(body["input"], 8)
    with opened(tmp_path, server, embedding_dims=8, reindexing=True) as memory:
        assert "24 numbers" in (memory.status().degraded or "")
        assert memory.reindex() == 3
    with opened(tmp_path, server, embedding_dims=8) as memory:
        assert contents(memory.recall("blue kettle", mode="search"))[0] == TEXTS[0]


def test_vectors_of_another_length_than_was_set_are_not_taken(server: ModelServer, tmp_path: Path) -> None:
    with opened(tmp_path, server, embedding_dims=8) as memory:
        memory.store(TEXTS[0])
        memory.settle(10)
        recalled = memory.recall("blue kettle")

        assert contents(recalled) == [TEXTS[0]]
        assert "gives vectors of 24 numbers, but EMBEDDING_DIMS says 8" in (recalled.degraded or "")
        assert memory.status().pending == 1
