# SPDX-License-Identifier: Apache-2.0
"""The log of what can be undone: what each change kept of the state before it, for some days."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, cast

from ..domain.leases import results_of
from ..domain.records import Change, Kind
from ..ports.batch import Batch, Ref
from ..ports.clock import Clock
from ..ports.store import Condition, GraphStore, Op, Order
from .changes import engrams_before, make_change
from .removal import erase_expired

SOME = 500
"""Memories whose changes are looked for at a time."""


class ChangeLog:
    """The changes of one memory that are kept, each for ``kept_for``."""

    def __init__(self, store: GraphStore, clock: Clock, kept_for: timedelta) -> None:
        self._store = store
        self._clock = clock
        self.kept_for = kept_for

    def make(self, action: str, targets: Sequence[str], note: str, **before: Any) -> Change:
        """Return the record of a change made now, to be written with it; see ``changes.make_change``."""
        return make_change(action, targets, note, now=self._clock.now(), kept_for=self.kept_for, **before)

    def find(self, id: str) -> Change | None:
        """Return a change that can still be undone, by its id."""
        kept = cast("Change | None", self._store.get(Kind.CHANGE, [id]).get(id))
        return kept if kept is not None and kept.expires_at > self._clock.now() else None

    def newest(self, limit: int) -> tuple[Change, ...]:
        """Return what can still be undone, newest first; what one call did is one change."""
        alive = (Condition("expires_at", Op.GT, self._clock.now()),)
        found: list[Change] = []
        page = self._store.find(Kind.CHANGE, alive, Order("id", descending=True), limit)
        while True:
            changes = [cast(Change, record) for record in page.records]
            wholes = self._store.get(Kind.CHANGE, [each.targets[-1] for each in changes if each.targets])
            found += [each for each in changes if not (each.targets and each.targets[-1] in wholes)]
            if page.next is None or len(found) >= limit:
                return tuple(found[:limit])
            page = self._store.find(Kind.CHANGE, alive, Order("id", descending=True), limit, page.next)

    def of(self, ids: Sequence[str]) -> tuple[Change, ...]:
        """Return the changes of some records, newest first, also those past their days that are still there."""
        page = self._store.find(Kind.CHANGE, (Condition("targets", Op.HAS, tuple(ids)),), Order("id", True), 1000)
        return tuple(cast(Change, record) for record in page.records)

    def about(self, id: str) -> str:
        """Return the id of the newest change that can be undone of what has an id, or the id itself."""
        now = self._clock.now()
        return next((each.id for each in self.of([id]) if each.expires_at > now), id)

    def whole(self, change: Change) -> tuple[Change, ...]:
        """Return all changes that one call made together, the newest first.

        The first has the id of the whole; the others name it as their last target.
        """
        group = change.targets[-1] if self._store.get(Kind.CHANGE, change.targets[-1:]) else change.id
        first = cast(Change, self._store.get(Kind.CHANGE, [group])[group])
        return (*(each for each in self.of([group]) if each.id != group), first)

    def erase(self, ids: Sequence[str]) -> None:
        """Delete every kept state of some memories."""
        for start in range(0, len(ids), SOME):
            for change in self.of(ids[start : start + SOME]):
                held = tuple(lease for engram in engrams_before(change) for lease in results_of(engram))
                self._store.write(Batch(deletes=(Ref(Kind.CHANGE, change.id),), release=held))

    def erase_expired(self, *, hurry: bool = False) -> int:
        """Erase what is past its days; see ``removal.erase_expired``."""
        return erase_expired(self._store, self._clock.now(), hurry=hurry)
