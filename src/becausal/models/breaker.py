# SPDX-License-Identifier: Apache-2.0
"""A service that keeps failing is left alone for a while, so that nobody waits for it in vain."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from ..errors import (
    AccessDenied,
    KeyRefused,
    ModelUnavailable,
    RateLimited,
    ReplyUnusable,
    RequestRefused,
    ServiceError,
    ServicePaused,
    UnknownModel,
)
from ..ports.models import ChatModel, ChatReply, ChatRequest

FAILURES = 3
"""Failures in a row after which the service is left alone ..."""

PAUSE = 30.0
"""... for so many seconds, and twice as long after each further one, ..."""

LONGEST_PAUSE = 900.0
"""... up to this."""

AT_ONCE = (KeyRefused, AccessDenied, UnknownModel, RateLimited)
"""What trying again at once cannot heal."""


class BreakingChat:
    """A chat model around another one with a circuit breaker.

    After the pause one call is let through; how that ends decides. A service that answers, even if it refuses a
    request or writes what cannot be used, has not failed.
    """

    def __init__(self, inner: ChatModel, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._inner = inner
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._failures = 0
        self._pauses = 0
        self._until: float | None = None
        self._trying = False
        self._reason = ""

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def host(self) -> str | None:
        return self._inner.host

    def paused(self) -> tuple[float, str] | None:
        """Return for how many seconds more the service is left alone, and why; ``None`` if it is not."""
        with self._lock:
            left = 0.0 if self._until is None else self._until - self._monotonic()
            return (left, self._reason) if left > 0 else None

    def complete(self, request: ChatRequest) -> ChatReply:
        """Answer a request; see ``ChatModel.complete``.

        Raises:
            ServicePaused: the service has failed too often of late.
        """
        self._enter()
        try:
            reply = self._inner.complete(request)
        except (ReplyUnusable, RequestRefused):
            self._succeeded()
            raise
        except ServiceError as error:
            self._failed(error)
            raise
        except BaseException:
            self._left()
            raise
        self._succeeded()
        return reply

    def close(self) -> None:
        """Let go of all connections."""
        self._inner.close()

    def _enter(self) -> None:
        with self._lock:
            if self._until is None:
                return
            left = self._until - self._monotonic()
            if left > 0 or self._trying:
                left = max(left, 1.0)
                raise ServicePaused(f"left alone for {left:.0f} s more, since {self._reason}", retry_after=left)
            self._trying = True

    def _left(self) -> None:
        with self._lock:
            self._trying = False

    def _succeeded(self) -> None:
        with self._lock:
            self._trying, self._until, self._failures, self._pauses = False, None, 0, 0

    def _failed(self, error: ModelUnavailable) -> None:
        with self._lock:
            again, self._trying = self._trying, False
            self._failures += 1
            if not (again or self._failures >= FAILURES or isinstance(error, AT_ONCE)):
                return
            pause = min(PAUSE * 2**self._pauses, LONGEST_PAUSE)
            if isinstance(error, ServiceError) and error.retry_after is not None:
                pause = error.retry_after
            else:
                self._pauses += 1
            self._until, self._reason = self._monotonic() + pause, str(error)
