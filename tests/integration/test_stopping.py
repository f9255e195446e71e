# SPDX-License-Identifier: Apache-2.0
"""A stop in the midst of long work: one more step at most, and the rest is done after the next start, once."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from becausal.composition import open_memory
from becausal.domain.records import Passage
from becausal.encode.index import PIECE
from becausal.engine.memory import Memory
from becausal.engine.upkeep.backups import CLAIM, BackupPlan
from becausal.errors import NotFound, StoreUnavailable
from becausal.models.fake import FakeEmbedder
from becausal.ports.backup import Fetched, Manifest, Version
from becausal.ports.store import Kept
from memory_tools import open_test_memory
from toolclient import speaking
from webclient import JSON, MCP, bearer, serving

if TYPE_CHECKING:
    from datetime import datetime

    from becausal.ports.models import Vectors

LONG = " ".join(
    f"On day {number} the pump in hall {number} failed because valve {number} had been left open by the night shift."
    for number in range(500)
)
"""Some 140 passages."""


class Watched(FakeEmbedder):
    """Calls ``then`` at the beginning of its call number ``at``, counted from one; notes the size of every call."""

    def __init__(self, at: int = 0, then: Callable[[], object] = lambda: None) -> None:
        super().__init__()
        self._at, self._then = at, then
        self.sizes: list[int] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.sizes.append(len(texts))
        if len(self.sizes) == self._at:
            self._then()
        return super().embed(texts)


def without_vector(memory: Memory) -> int:
    kept = [each for each in memory._store.scan(vectors=True) if isinstance(each, Kept)]
    return sum(each.vector is None for each in kept if isinstance(each.item, Passage))


def begin_to_close(memory: Memory) -> threading.Thread:
    """Have another thread close a memory, and return once it has begun to."""
    thread = threading.Thread(target=memory.close)
    thread.start()
    while not memory._embedder._closed:
        assert thread.is_alive()
    return thread


def test_a_long_text_is_indexed_to_the_end_by_whoever_opens_the_memory_next_and_hardly_anything_of_it_twice(
    tmp_path: Path,
) -> None:
    closing: list[threading.Thread] = []
    began = threading.Event()

    def stop() -> None:
        closing.append(begin_to_close(memory))
        began.set()

    first = Watched(3, stop)
    memory = open_test_memory(tmp_path / "stopped", embedder=first, start_worker=True)
    memory.store(LONG)
    assert began.wait(30)
    closing[0].join()
    assert len(first.sizes) == 3  # the piece at hand, and no other
    assert max(first.sizes) <= PIECE

    second, whole = Watched(), Watched()
    with open_test_memory(tmp_path / "stopped", embedder=second) as memory:
        assert memory.status().pending == 1
        assert memory.settle() == 0
        assert without_vector(memory) == 0
    with open_test_memory(tmp_path / "whole", embedder=whole) as memory:
        memory.store(LONG)
        assert memory.settle() == 0
        assert without_vector(memory) == 0
    assert sum(whole.sizes) > 6 * PIECE
    assert sum(first.sizes) + sum(second.sizes) <= sum(whole.sizes) + PIECE


def test_a_memory_that_winds_down_begins_no_other_round_and_still_answers(tmp_path: Path) -> None:
    reached, gate = threading.Event(), threading.Event()

    def pause() -> None:
        reached.set()
        assert gate.wait(30)

    embedder = Watched(1, pause)
    with open_test_memory(tmp_path, embedder=embedder, start_worker=True) as memory:
        memory.store("The kettle is blue.")
        assert reached.wait(30)
        memory.wind_down()
        memory.store("The pan is red.")
        gate.set()
        assert [each.text for each in memory.recall("pan", mode="fts").results] == ["The pan is red."]
    assert len(embedder.sizes) == 1
    with open_test_memory(tmp_path) as memory:
        assert memory.status().pending == 1


def test_a_long_text_that_is_being_read_when_the_memory_is_closed_is_not_kept(tmp_path: Path) -> None:
    memory = open_test_memory(tmp_path)
    check, sentences = memory._writer.pause, 0
    closing: list[threading.Thread] = []

    def pause() -> None:
        nonlocal sentences
        sentences += 1
        if sentences == 3:
            closing.append(begin_to_close(memory))
        check()

    memory._writer.pause = pause
    with pytest.raises(StoreUnavailable, match="the memory has been closed"):
        memory.store(LONG)
    closing[0].join()
    assert sentences == 3
    with open_test_memory(tmp_path) as memory:
        assert memory.status().counts["engram"] == 0
        memory.store(LONG)
        assert memory.status().counts["engram"] == 1


def test_a_consolidation_that_was_asked_for_is_gone_on_with_after_a_stop(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        for number in range(60):
            memory.store(f"Trifle {number}.", importance=0.1)
        memory._closing.begin()
        assert memory.upkeep.consolidate().note == "interrupted; the next consolidation goes on from here"
    with open_test_memory(tmp_path) as memory:
        assert memory.upkeep.consolidate().resumed


class Shelf:
    """A place for copies that none has reached."""

    name = "shelf"
    hosts = ()
    remembers = "the shelf: what was put there"

    def put(self, file: Path, manifest: Manifest, at: datetime, *, known: str | None, overwrite: bool) -> Version:
        raise AssertionError("a copy that is not whole was put there")

    def get(self, into: Path, *, limit: int, version: str | None = None) -> Fetched | None:
        return None

    def versions(self, limit: int) -> tuple[Version, ...]:
        return ()

    def accept(self, version: str) -> None:
        raise NotFound("backup", version)


def test_a_copy_that_is_being_made_at_a_stop_is_broken_off_and_leaves_nothing_behind(tmp_path: Path) -> None:
    plan = BackupPlan(place=Shelf(), folder=tmp_path / "alice")
    plan.folder.mkdir(mode=0o700)
    with open_test_memory(tmp_path, backup=plan) as memory:
        memory.store("The kettle is blue.")
        assert memory.backups is not None
        memory._closing.begin()
        with pytest.raises(StoreUnavailable, match="the memory has been closed"):
            memory.backups.run()
        assert memory._store.leases(CLAIM[0], CLAIM[1:]) == {}
        assert memory.backups.status().trouble is None
    assert not list(plan.folder.glob(".backup-*"))


def test_a_stop_ends_every_kind_of_connection_in_good_order_while_a_long_text_is_indexed(tmp_path: Path) -> None:
    with serving(tmp_path) as service, ExitStack() as open_:
        token = service.token("alice")
        http = open_.enter_context(service.http(token))
        body = {"query": "mutation($t: String!) { store(content: $t) { created } }", "variables": {"t": LONG}}
        stored = http.post("/graphql", json=body, headers=JSON)
        assert "errors" not in stored.json(), stored.text
        for accept in ({}, {"accept": "text/event-stream"}):
            stream = open_.enter_context(http.stream("GET", "/sse", headers=accept))
            assert stream.status_code == 200
        slow = open_.enter_context(socket.create_connection(("127.0.0.1", service.port)))
        head = {"host": f"127.0.0.1:{service.port}", "content-length": "1000", **bearer(token), **MCP}
        lines = ["POST /mcp HTTP/1.1", *(f"{name}: {value}" for name, value in head.items())]
        slow.sendall(("\r\n".join(lines) + "\r\n\r\n{").encode())
        assert http.get("/session").status_code == 200
        begun = time.monotonic()
        assert service.stop() == 0
        assert time.monotonic() - begun <= 5
        slow.settimeout(30)
        assert b" 503 " in slow.recv(4096).splitlines()[0]
        assert service.log.rest() == ""
    with open_memory(tmp_path, user="alice", embedder="hashing") as memory:
        assert memory.status().counts["engram"] == 1


def test_an_input_that_ends_while_a_long_text_is_indexed_is_no_trouble(tmp_path: Path) -> None:
    with speaking(tmp_path) as server:
        server.greet()
        assert not server.call("smriti_store", content=LONG).failed
        assert server.end() == ([], "", 0)
    with open_memory(tmp_path, user="alice", embedder="hashing") as memory:
        assert memory.settle(30) == 0
        assert without_vector(memory) == 0


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(("first", "second"), [("SIGTERM", "SIGINT"), ("SIGINT", "SIGTERM"), ("SIGTERM", "SIGTERM")])
def test_a_second_signal_ends_the_service_at_once_with_what_was_acknowledged(
    tmp_path: Path, first: str, second: str
) -> None:
    with serving(tmp_path) as service, service.http(service.token("alice")) as http:
        body = {"query": 'mutation { store(content: "acknowledged") { created } }'}
        assert http.post("/graphql", json=body, headers=JSON).json()["data"]["store"]["created"]
        service.process.send_signal(getattr(signal, first))
        service.process.send_signal(getattr(signal, second))
        # The system may deliver two at once as one, or in another order.
        assert service.process.wait(30) in (0, -signal.SIGINT, -signal.SIGTERM)
        assert service.log.rest() == ""
    with open_memory(tmp_path, user="alice", embedder="hashing") as memory:
        assert memory.settle(30) == 0
        assert [each.text for each in memory.recall("acknowledged").results] == ["acknowledged"]
