# SPDX-License-Identifier: Apache-2.0
"""A chat model with all that stands around it: cache, budget, circuit breaker and counters."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from ..domain.records import Json
from ..domain.time import iso
from ..errors import ModelUnavailable
from ..ports.clock import Clock
from ..ports.models import ChatModel, ChatReply, ChatRequest
from ..ports.store import GraphStore
from .breaker import BreakingChat
from .budget import BudgetedChat, Limits, Usage
from .caching import CachingChat

CACHED = ("plan", "answer", "clusters")
"""Purposes whose answers are kept. What is read out of a memory is kept with the memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatState:
    """How a chat model is doing. ``unavailable`` is why it would not be asked at this moment.

    ``usage`` and ``limits`` are of the memory, whatever process; the rest is of this process: ``calls`` by purpose,
    ``cached`` answers, ``failures`` by kind, and the ``last_failure``. ``seconds`` is the mean time of a call.
    """

    model: str
    host: str | None
    unavailable: str | None
    usage: Usage
    limits: Limits
    calls: dict[str, int] = field(default_factory=dict)
    cached: int = 0
    failures: dict[str, int] = field(default_factory=dict)
    last_failure: str | None = None
    last_failure_at: datetime | None = None
    seconds: float = 0.0

    def as_json(self) -> dict[str, Json]:
        """Return it as JSON, times as ISO 8601 text."""
        return {
            "model": self.model,
            "host": self.host,
            "unavailable": self.unavailable,
            "calls_this_hour": self.usage.calls,
            "calls_allowed": self.limits.calls or None,
            "tokens_this_hour": self.usage.tokens,
            "tokens_allowed": self.limits.tokens or None,
            "tokens_estimated_this_hour": self.usage.estimated,
            "calls_ever": self.usage.all_calls,
            "tokens_ever": self.usage.all_tokens,
            "tokens_estimated_ever": self.usage.all_estimated,
            "calls": dict(self.calls),
            "answers_kept": self.cached,
            "failures": dict(self.failures),
            "last_failure": self.last_failure,
            "last_failure_at": iso(self.last_failure_at) if self.last_failure_at else None,
            "seconds": self.seconds,
        }


class GuardedChat:
    """A chat model around another one: what was answered lately is given again, nothing is used beyond the limits,
    and a service that keeps failing is left alone for a while."""

    def __init__(
        self,
        inner: ChatModel,
        store: GraphStore,
        clock: Clock,
        limits: Limits = Limits(),
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._breaker = BreakingChat(inner, monotonic=monotonic)
        self._budget = BudgetedChat(self._breaker, store, clock, limits)
        self._outer = CachingChat(self._budget, store, clock, CACHED)
        self._lock = threading.Lock()
        self._calls: Counter[str] = Counter()
        self._failures: Counter[str] = Counter()
        self._cached = 0
        self._spent = 0.0
        self._last: tuple[str, datetime] | None = None

    @property
    def name(self) -> str:
        return self._outer.name

    @property
    def host(self) -> str | None:
        return self._outer.host

    def complete(self, request: ChatRequest) -> ChatReply:
        """Answer a request; see ``ChatModel.complete``."""
        began = time.monotonic()
        try:
            reply = self._outer.complete(request)
        except ModelUnavailable as error:
            with self._lock:
                self._failures[type(error).__name__] += 1
                self._last = (str(error), self._clock.now())
            raise
        with self._lock:
            if reply.calls:
                self._calls[request.purpose] += 1
                self._spent += time.monotonic() - began
            else:
                self._cached += 1
        return reply

    def unavailable(self) -> str | None:
        """Return why it would not be asked at this moment, if so."""
        paused = self._breaker.paused()
        return f"left alone for {paused[0]:.0f} s more, since {paused[1]}" if paused else self._budget.spent()

    def state(self) -> ChatState:
        """Describe how it is doing."""
        with self._lock:
            total = sum(self._calls.values())
            return ChatState(
                model=self.name,
                host=self.host,
                unavailable=self.unavailable(),
                usage=self._budget.usage(),
                limits=self._budget.limits,
                calls=dict(self._calls),
                cached=self._cached,
                failures=dict(self._failures),
                last_failure=self._last[0] if self._last else None,
                last_failure_at=self._last[1] if self._last else None,
                seconds=round(self._spent / total, 3) if total else 0.0,
            )

    def close(self) -> None:
        """Let go of all connections."""
        self._outer.close()
