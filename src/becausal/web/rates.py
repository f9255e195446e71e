# SPDX-License-Identifier: Apache-2.0
"""How many requests somebody may make: a bucket of tokens that fills up again."""

from __future__ import annotations

from collections.abc import Callable


class Rates:
    """A bucket for each key, with room for a tenth of what it may take in a minute."""

    def __init__(self, per_minute: int, monotonic: Callable[[], float]) -> None:
        self._per_second = per_minute / 60
        self._room = max(1.0, per_minute / 10)
        self._monotonic = monotonic
        self._buckets: dict[str, tuple[float, float]] = {}

    def take(self, key: str) -> float:
        """Count a request; return 0, or the seconds after which it may be made, if there were too many."""
        if not self._per_second:
            return 0.0
        now = self._monotonic()
        left, since = self._buckets.get(key, (self._room, now))
        left = min(self._room, left + (now - since) * self._per_second)
        if left < 1:
            self._buckets[key] = (left, now)
            return (1 - left) / self._per_second
        self._buckets[key] = (left - 1, now)
        return 0.0
