# SPDX-License-Identifier: Apache-2.0
"""Answers of a chat model, kept in the store so that the same question is not paid for twice."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256

from ..ports.batch import Batch
from ..ports.clock import Clock
from ..ports.models import ChatModel, ChatReply, ChatRequest
from ..ports.store import GraphStore

SLOTS = 512
"""Answers kept; one that falls into the slot of another takes its place."""

LARGEST = 16_000
"""Characters of the largest answer that is kept."""

KEPT = timedelta(days=7)
USED = "chat_cache"
"""Key that the store has once an answer was kept."""


def _slot(number: int) -> str:
    return f"chat_cache:{number}"


def clear_answers(store: GraphStore) -> None:
    """Take away every answer that is kept: they may hold what some memory said."""
    if store.meta(USED) is not None:
        store.write(Batch(meta={USED: None, **{_slot(number): None for number in range(SLOTS)}}))


class CachingChat:
    """A chat model around another one: what was answered to the very same request in the last days is given again.

    Only requests of some ``purposes`` are kept. Such an answer took no call and no tokens.
    """

    def __init__(self, inner: ChatModel, store: GraphStore, clock: Clock, purposes: Collection[str]) -> None:
        self._inner = inner
        self._store = store
        self._clock = clock
        self._purposes = frozenset(purposes)

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def host(self) -> str | None:
        return self._inner.host

    def complete(self, request: ChatRequest) -> ChatReply:
        """Answer a request; see ``ChatModel.complete``."""
        if request.purpose not in self._purposes:
            return self._inner.complete(request)
        digest = self._digest(request)
        slot = _slot(int(digest[:8], 16) % SLOTS)
        if (known := self._known(slot, digest)) is not None:
            return known
        reply = self._inner.complete(request)
        kept = json.dumps({"digest": digest, "at": self._clock.now().isoformat(), "data": reply.data})
        if not reply.cut and len(kept) <= LARGEST:
            self._store.write(Batch(meta={slot: kept, USED: "1"}))
        return reply

    def close(self) -> None:
        """Let go of all connections."""
        self._inner.close()

    def _known(self, slot: str, digest: str) -> ChatReply | None:
        told = self._store.meta(slot)
        if told is None:
            return None
        kept = json.loads(told)
        if kept["digest"] != digest or self._clock.now() - datetime.fromisoformat(kept["at"]) > KEPT:
            return None
        return ChatReply(data=kept["data"], calls=0)

    def _digest(self, request: ChatRequest) -> str:
        same = replace(request, seconds=0.0, repair=False)
        parts = (self.name, self.host or "", same.purpose, same.version, same.system, same.user, str(same.max_tokens))
        text = json.dumps([*parts, same.schema], sort_keys=True)
        return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
