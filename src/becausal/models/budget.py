# SPDX-License-Identifier: Apache-2.0
"""No more calls and tokens an hour than are allowed, counted in the store for all processes together."""

from __future__ import annotations

import json
import math
import os
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from ..errors import BudgetSpent, ModelUnavailable, ServiceError, Used
from ..ports.batch import Batch
from ..ports.clock import Clock
from ..ports.models import ChatModel, ChatReply, ChatRequest
from ..ports.store import GraphStore

USAGE = "chat_usage"
"""Key under which the store keeps what was used."""

CHARS_PER_TOKEN = 4
LEASE = 2.0
PATIENCE = 1.0
"""Seconds that one process waits for another that counts; after that it counts all the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a memory's chat model was used for: in the hour ``hour``, and ever.

    ``estimated`` of the tokens are estimates: the service did not say, or has not answered (yet).
    """

    hour: str = ""
    calls: int = 0
    tokens: int = 0
    estimated: int = 0
    all_calls: int = 0
    all_tokens: int = 0
    all_estimated: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What may be used in an hour; 0 stands for no limit."""

    calls: int = 0
    tokens: int = 0


class BudgetedChat:
    """A chat model around another one that is not asked once the hour's calls or tokens are used up.

    A call is counted before it is made, with an estimate of its tokens, and set right when it is over.
    """

    def __init__(self, inner: ChatModel, store: GraphStore, clock: Clock, limits: Limits) -> None:
        self._inner = inner
        self._store = store
        self._clock = clock
        self._limits = limits
        self._holder = f"{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def host(self) -> str | None:
        return self._inner.host

    @property
    def limits(self) -> Limits:
        return self._limits

    def complete(self, request: ChatRequest) -> ChatReply:
        """Answer a request; see ``ChatModel.complete``.

        Raises:
            BudgetSpent: it would be more than is allowed.
        """
        expected = estimate(request)
        self._count(1, expected, expected, check=True)
        try:
            reply = self._inner.complete(request)
        except ModelUnavailable as error:
            # What came to the model may have been paid for, whatever came back.
            used = error.used if isinstance(error, ServiceError) else Used()
            self._count(used.calls - 1, used.tokens - expected, used.estimated - expected)
            raise
        self._count(reply.calls - 1, reply.tokens_in + reply.tokens_out - expected, reply.estimated - expected)
        return reply

    def usage(self) -> Usage:
        """Return what was used up to now."""
        return self._read()

    def spent(self) -> str | None:
        """Return why nothing more may be used in this hour, if that is so."""
        usage = self._read()
        for what in ("calls", "tokens"):
            limit = getattr(self._limits, what)
            if limit and getattr(usage, what) >= limit:
                return self._refusal(what, limit)
        return None

    def close(self) -> None:
        """Let go of all connections."""
        self._inner.close()

    # --- counting ---

    def _count(self, calls: int, tokens: int, estimated: int, *, check: bool = False) -> None:
        with self._lock, self._alone():
            usage = self._read()
            if check:
                for what, wanted in (("calls", calls), ("tokens", tokens)):
                    limit, used = getattr(self._limits, what), getattr(usage, what)
                    # A single call that takes more than the limit on its own is for an hour that nothing was used in.
                    if limit and used and used + wanted > limit:
                        raise BudgetSpent(self._refusal(what, limit), retry_after=self._left())
            more = {"calls": calls, "tokens": tokens, "estimated": estimated}
            fields: dict[str, Any] = {"hour": usage.hour}
            for what, number in more.items():
                for name in (what, f"all_{what}"):
                    fields[name] = max(0, getattr(usage, name) + number)
            self._store.write(Batch(meta={USAGE: json.dumps(fields)}))

    def _read(self) -> Usage:
        hour = f"{self._clock.now():%Y-%m-%dT%H}"
        told: dict[str, Any] = json.loads(self._store.meta(USAGE) or "{}")
        usage = Usage(**{name: value for name, value in told.items() if name in Usage.__slots__})
        return usage if usage.hour == hour else replace(usage, hour=hour, calls=0, tokens=0, estimated=0)

    def _refusal(self, what: str, limit: int) -> str:
        until = (self._clock.now() + timedelta(seconds=self._left())).strftime("%H:%M UTC")
        return f"the budget of {limit:,} {what} an hour is used up until {until}"

    def _left(self) -> float:
        now = self._clock.now()
        return 3600.0 - now.minute * 60 - now.second

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other processes from counting meanwhile."""
        end = time.monotonic() + PATIENCE
        while not self._store.claim("chat", ["usage"], self._holder, LEASE) and time.monotonic() < end:
            time.sleep(0.01)
        try:
            yield
        finally:
            self._store.write(Batch(release=(("chat", "usage"),)))


def estimate(request: ChatRequest) -> int:
    """Return about how many tokens a request takes at most."""
    text = len(request.system) + len(request.user) + len(json.dumps(request.schema))
    return math.ceil(text / CHARS_PER_TOKEN) + request.max_tokens
