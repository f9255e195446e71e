# SPDX-License-Identifier: Apache-2.0
"""The archive: memories that are kept and can be brought back, but that no question finds."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import cast

from ...consolidate.communities import SHAPE
from ...domain.ids import new_id
from ...domain.records import Engram, Kind
from ...domain.text import clip
from ...errors import Conflict, NotFound
from ...ports.batch import Batch, Patch, Put
from ...ports.clock import Clock
from ...ports.store import Condition, Cursor, GraphStore, Op, Order, Where
from ..changes import make_change
from ..removal import engrams
from ..results import Archived, Restored

ARCHIVED: Where = (Condition("archived_at", Op.NULL, False),)
ACTION = "archive"
ATTEMPTS = 5
GROUP = 100
"""Memories put away or brought back in one transaction."""


class Archive:
    """Puts memories away, lists them and brings them back."""

    def __init__(self, store: GraphStore, clock: Clock, undo_days: int) -> None:
        self._store = store
        self._clock = clock
        self._undo = timedelta(days=undo_days)

    def batch(self, memories: Sequence[tuple[str, int]], group: str, *, first: bool) -> Batch:
        """Return what archives some memories, given as (id, version), as part of one change.

        ``group`` is the id of the whole change; the ``first`` batch makes it, the others name it.
        """
        now = self._clock.now()
        ids = [id for id, _ in memories]
        change = make_change(
            ACTION,
            ids if first else (*ids, group),
            self._note(ids),
            now=now,
            kept_for=self._undo,
            id=group if first else new_id(),
        )
        return Batch(
            puts=(Put(change),),
            patches=tuple(
                Patch(Kind.ENGRAM, id, set={"archived_at": now}, expect_version=version) for id, version in memories
            ),
            meta={SHAPE: None},
        )

    def _note(self, ids: Sequence[str]) -> str:
        if len(ids) > 1:
            return f"archived: {len(ids)} memories"
        return f"archived: {clip(engrams(self._store, ids)[0].summary, 80)}" if ids else "archived: nothing"

    def put_away(self, ids: Sequence[str]) -> Archived:
        """Archive memories; those that are archived already stay as they are.

        Raises:
            NotFound: one of the ids is no memory's; nothing was changed.
        """
        group, done = new_id(), list[str]()
        for _ in range(ATTEMPTS):
            due = [engram for engram in self._all(ids) if engram.archived_at is None]
            try:
                for at in range(0, len(due), GROUP):
                    piece = [(engram.id, engram.version) for engram in due[at : at + GROUP]]
                    self._store.write(self.batch(piece, group, first=not done))
                    done += [id for id, _ in piece]
                return Archived(ids=tuple(done), undo=group if done else None)
            except Conflict:
                continue  # one of them was used or changed in this moment
        raise Conflict("these memories are being used or changed elsewhere; try again")

    def bring_back(self, ids: Sequence[str]) -> Restored:
        """Take memories out of the archive, as fresh as if they had just been told: they have been asked for.

        Raises:
            NotFound: one of the ids is no memory's; nothing was changed.
        """
        due = [engram for engram in self._all(ids) if engram.archived_at is not None]
        for at in range(0, len(due), GROUP):
            self._store.write(self.revival([engram.id for engram in due[at : at + GROUP]]))
        return Restored(ids=tuple(engram.id for engram in due))

    def revival(self, ids: Sequence[str]) -> Batch:
        """Return what brings archived memories back."""
        now = self._clock.now()
        fresh = {"archived_at": None, "last_accessed_at": now, "decay_factor": 1.0}
        return Batch(patches=tuple(Patch(Kind.ENGRAM, id, set=fresh) for id in ids), meta={SHAPE: None})

    def listed(self, limit: int, after: Cursor | None) -> tuple[tuple[Engram, ...], Cursor | None]:
        """Return what is archived, the latest first, and where the rest begins."""
        page = self._store.find(Kind.ENGRAM, ARCHIVED, Order("archived_at", descending=True), limit, after)
        return tuple(cast(Engram, record) for record in page.records), page.next

    def _all(self, ids: Sequence[str]) -> list[Engram]:
        found = engrams(self._store, list(dict.fromkeys(ids)))
        missing = set(ids) - {engram.id for engram in found}
        if missing:
            raise NotFound("memory", min(missing))
        return found
