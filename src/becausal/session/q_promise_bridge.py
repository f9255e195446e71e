# SPDX-License-Identifier: Apache-2.0
"""Promises of one process, kept by whoever makes the registry; those between processes are ``promises``."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from .promises import State

__all__ = ["QPromise", "QPromiseRegistry"]


@dataclass(slots=True)
class QPromise:
    """A promise; ``expires`` is on the registry's clock."""

    status: State
    payload: str | None = None
    expires: float | None = None


class QPromiseRegistry:
    """Promises by id. All methods are safe to call from several threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._promises: dict[str, QPromise] = {}

    def register(self, promise_id: str, ttl: float | None = None) -> None:
        """Make a promise pending, whatever it was before; it expires after ``ttl`` seconds, if given."""
        with self._changed:
            expires = None if ttl is None else self._clock() + ttl
            self._promises[promise_id] = QPromise(State.PENDING, None, expires)

    def resolve(self, promise_id: str, payload: str) -> bool:
        """Fulfil a promise; return false if there is none of this id."""
        return self._end(promise_id, State.RESOLVED, payload)

    def reject(self, promise_id: str, reason: str | None = None) -> bool:
        """Break a promise; return false if there is none of this id."""
        return self._end(promise_id, State.REJECTED, reason)

    def _end(self, promise_id: str, status: State, payload: str | None) -> bool:
        with self._changed:
            if promise_id not in self._promises:
                return False
            self._promises[promise_id] = QPromise(status, payload)
            self._changed.notify_all()
            return True

    def peek_promise(self, promise_id: str) -> tuple[bool, str | None, str | None]:
        """Return whether there is such a promise, how it stands, and its payload."""
        with self._changed:
            promise = self._promises.get(promise_id)
            if promise is None:
                return False, None, None
            if promise.status is State.PENDING and promise.expires is not None and self._clock() >= promise.expires:
                promise.status = State.EXPIRED
            return True, promise.status.value, promise.payload

    def wait(self, promise_id: str, timeout: float | None = None) -> tuple[bool, str | None, str | None]:
        """Wait until a promise is no longer pending or ``timeout`` seconds are over; return what it is then."""
        end = None if timeout is None else self._clock() + timeout
        with self._changed:
            while True:
                found = self.peek_promise(promise_id)
                promise = self._promises.get(promise_id)
                ends = [each for each in (end, promise.expires if promise else None) if each is not None]
                left = min(ends) - self._clock() if ends else None
                if found[1] != State.PENDING or (end is not None and self._clock() >= end):
                    return found
                self._changed.wait(left if left is None else max(0.0, left))

    def __len__(self) -> int:
        with self._changed:
            return len(self._promises)

    def __contains__(self, promise_id: object) -> bool:
        with self._changed:
            return promise_id in self._promises
