# SPDX-License-Identifier: Apache-2.0
"""The archive: memories that are kept and can be brought back, but that no question finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import cast

from ...consolidate.communities import SHAPE
from ...domain.ids import new_id
from ...domain.records import Change, Engram, Kind
from ...domain.text import clip
from ...errors import Conflict, NotFound
from ...ports.batch import Batch, Patch, Put, Ref
from ...ports.clock import Clock
from ...ports.store import Condition, Cursor, GraphStore, Op, Order, Where
from ..change_log import ChangeLog
from ..removal import engrams
from .results import Archived, Restored

ARCHIVED: Where = (Condition("archived_at", Op.NULL, False),)
ACTION = "archive"
BACK = "unarchive"
ATTEMPTS = 5
GROUP = 100
"""Memories put away or brought back in one transaction."""


class Archive:
    """Puts memories away, lists them and brings them back."""

    def __init__(self, store: GraphStore, clock: Clock, log: ChangeLog) -> None:
        self._store = store
        self._clock = clock
        self._log = log

    def batch(self, memories: Sequence[tuple[str, int]], group: str, *, first: bool) -> Batch:
        """Return what archives some memories, given as (id, version), as part of one change.

        ``group`` is the id of the whole change; the ``first`` batch makes it, the others name it.
        """
        ids = [id for id, _ in memories]
        change = self._change(ACTION, f"archived: {self._named(ids)}", ids, group, first=first)
        return Batch(
            puts=(Put(change),),
            patches=tuple(
                Patch(Kind.ENGRAM, id, set={"archived_at": change.created_at}, expect_version=version)
                for id, version in memories
            ),
            meta={SHAPE: None},
        )

    def _change(self, action: str, note: str, ids: Sequence[str], group: str, *, first: bool) -> Change:
        return self._log.make(action, ids if first else (*ids, group), note, id=group if first else new_id())

    def _named(self, ids: Sequence[str]) -> str:
        if len(ids) > 1:
            return f"{len(ids)} memories"
        return clip(engrams(self._store, ids)[0].summary, 80) if ids else "nothing"

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
        group = new_id()
        due = [(engram.id, engram.archived_at) for engram in self._all(ids) if engram.archived_at is not None]
        for at in range(0, len(due), GROUP):
            since = dict(due[at : at + GROUP])
            note = f"brought back from the archive: {self._named(list(since))}"
            change = self._change(BACK, note, list(since), group, first=not at)
            change = replace(change, inverse={"since": {id: moment.isoformat() for id, moment in since.items()}})
            self._store.write(replace(self.revival(list(since)), puts=(Put(change),)))
        return Restored(ids=tuple(id for id, _ in due))

    def take_out(self, change: Change) -> list[str]:
        """Bring back what a change archived, except what has been brought back since, or forgotten."""
        found = self._store.peek(Kind.ENGRAM, change.targets, ["archived_at"])
        ids = [id for id, (since,) in found.items() if since == change.created_at]
        self._store.write(replace(self.revival(ids), deletes=(Ref(Kind.CHANGE, change.id),)))
        return ids

    def put_back(self, change: Change) -> list[str]:
        """Archive again what a change brought back, except what has been archived since, or forgotten."""
        since = cast("Mapping[str, str]", change.inverse["since"])
        found = self._store.peek(Kind.ENGRAM, list(since), ["archived_at"])
        ids = [id for id, (archived,) in found.items() if archived is None]
        patches = [Patch(Kind.ENGRAM, id, set={"archived_at": datetime.fromisoformat(since[id])}) for id in ids]
        self._store.write(Batch(patches=tuple(patches), deletes=(Ref(Kind.CHANGE, change.id),), meta={SHAPE: None}))
        return ids

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
