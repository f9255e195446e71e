# SPDX-License-Identifier: Apache-2.0
"""How many requests somebody may make: a bucket of tokens that fills up again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

MOST = 10_000
"""Buckets at once; beyond that, the one used longest ago is forgotten, as if it were full again."""


class Rates:
    """A bucket for each key, with room for a tenth of what it may take in a minute; with 0 a minute, no limit."""

    def __init__(self, per_minute: int, monotonic: Callable[[], float]) -> None:
        self._per_second = per_minute / 60
        self._room = max(1.0, per_minute / 10)
        self._monotonic = monotonic
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, key: str) -> float:
        """Return 0, or the seconds after which a request may be made, if there were too many. Counts nothing."""
        if not self._per_second:
            return 0.0
        left, _ = self._left(key)
        return max(0.0, (1 - left) / self._per_second)

    def take(self, key: str) -> float:
        """Count a request; return 0, or the seconds after which it may be made, if there were too many."""
        if not self._per_second:
            return 0.0
        left, now = self._left(key)
        wait = max(0.0, (1 - left) / self._per_second)
        self._buckets[key] = (left if wait else left - 1, now)
        self._buckets.move_to_end(key)
        if len(self._buckets) > MOST:
            self._buckets.popitem(last=False)
        return wait

    def _left(self, key: str) -> tuple[float, float]:
        now = self._monotonic()
        left, since = self._buckets.get(key, (self._room, now))
        return min(self._room, left + (now - since) * self._per_second), now
