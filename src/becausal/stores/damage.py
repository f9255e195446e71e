# SPDX-License-Identifier: Apache-2.0
"""What of a store is known to be unreadable, so that everything else can be read around it."""

from __future__ import annotations

import threading
from collections.abc import Mapping

NOTHING: frozenset[str] = frozenset()
_MOST_NAMED = 5


class Damage:
    """The rows of one store that are known to be unreadable, by table. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, dict[str, str]] = {}

    def ids(self, table: str) -> frozenset[str]:
        """Return the ids to leave out when reading a table."""
        known = self._known.get(table)
        return frozenset(known) if known else NOTHING

    def add(self, table: str, found: Mapping[str, str]) -> bool:
        """Remember what a survey found; return whether any of it is news."""
        with self._lock:
            known = self._known.setdefault(table, {})
            news = found.keys() - known.keys()
            known.update(found)
            return bool(news)

    def forget(self) -> None:
        """Know nothing any more, after the rows were taken out."""
        with self._lock:
            self._known.clear()

    def notes(self) -> tuple[str, ...]:
        """Return what a person should know of them."""
        damaged = [f"{kind} '{id}'" for kind, id, _ in self.all()]
        if not damaged:
            return ()
        named = ", ".join(damaged[:_MOST_NAMED]) + (" and others" if len(damaged) > _MOST_NAMED else "")
        return (f"{named} cannot be read and is left out: run 'becausal doctor'.",)

    def all(self) -> tuple[tuple[str, str, str], ...]:
        """Return table, id and problem of every row that is known."""
        with self._lock:
            return tuple((table, id, why) for table, known in self._known.items() for id, why in known.items())
