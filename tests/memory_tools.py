# SPDX-License-Identifier: Apache-2.0
"""Memories to test with: a real SQLite store, a clock that can be turned, an embedder that can fail."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from becausal.engine.assisting import ChatOptions
from becausal.engine.memory import Memory
from becausal.models.budget import Limits
from becausal.models.fake import FakeEmbedder
from becausal.models.guarded import GuardedChat
from becausal.models.lazy import LazyEmbedder
from becausal.models.registry import make_embedder
from becausal.ports.models import ChatModel, Embedder
from becausal.ports.store import GraphStore
from becausal.stores.registry import open_store

NOON = datetime(2026, 6, 10, 12, tzinfo=UTC)  # a Wednesday


@dataclass
class TurnableClock:
    """A clock that stands still until it is turned."""

    moment: datetime = field(default=NOON)

    def now(self) -> datetime:
        self.moment += timedelta(microseconds=1)  # no two events at one time
        return self.moment

    def turn(self, **delta: float) -> None:
        self.moment += timedelta(**delta)


@cache
def minilm() -> Embedder:
    """Return the model, which takes long to load: one for all memories of a test process."""
    return make_embedder("minilm")


def open_test_memory(
    folder: Path,
    *,
    user: str = "alice",
    embedder: Embedder | None = None,
    clock: TurnableClock | None = None,
    backend: str = "sqlite",
    **more: Any,
) -> Memory:
    """Open a memory in ``folder`` whose indexing is done by ``settle`` and by recalls, in the calling thread."""
    store = open_store(backend, location=folder, user=user)
    lazy = LazyEmbedder(embedder or FakeEmbedder())
    more = {"timezone": UTC, "start_worker": False, **more}
    return Memory(store, lazy, clock=clock or TurnableClock(), **more)


def chat_options(store: GraphStore, clock: TurnableClock, model: ChatModel, **more: Any) -> ChatOptions:
    """Return how a memory uses a chat model; ``calls`` and ``tokens`` are its limits."""
    limits = Limits(calls=more.pop("calls", 0), tokens=more.pop("tokens", 0))
    more = {"question_seconds": 30.0, "call_seconds": 30.0, **more}
    return ChatOptions(chat=GuardedChat(model, store, clock, limits), **more)


def open_chat_memory(
    folder: Path, model: ChatModel, *, embedder: Embedder | None = None, start_worker: bool = False, **more: Any
) -> Memory:
    """Open a memory with a chat model; ``more`` is for ``chat_options``."""
    clock = TurnableClock()
    store = open_store("sqlite", location=folder, user="alice")
    options = chat_options(store, clock, model, **more)
    lazy = LazyEmbedder(embedder or FakeEmbedder())
    return Memory(store, lazy, clock=clock, timezone=UTC, start_worker=start_worker, chat=options)


def bytes_of(folder: Path) -> bytes:
    """Return everything that the files of a folder hold."""
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


def contents(recalled: Any) -> list[str]:
    """Return the contents of what was recalled, in order."""
    return [result.engram.content for result in recalled.results]
