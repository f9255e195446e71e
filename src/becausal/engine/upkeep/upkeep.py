# SPDX-License-Identifier: Apache-2.0
"""``Memory.upkeep``: what a memory does for itself, and looking at and correcting that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import cast

from ...consolidate.communities import Cluster, read_clusters
from ...consolidate.fading import Pruning
from ...consolidate.run import LIVE
from ...domain.records import Engram, Kind
from ...errors import InvalidInput, NotFound
from ...ports.clock import Clock
from ...ports.store import Condition, GraphStore, Op, Order
from .. import cursors, validate
from ..background import Closing
from ..change_log import ChangeLog
from ..forgetting import Forgetter
from ..results import Forgotten
from .archive import ARCHIVED, Archive
from .consolidating import Consolidator
from .erasing import erase_all
from .history import history
from .results import Archived, ArchivePage, Consolidated, Erased, History, Restored, Topic

MAX_AT_ONCE = 10_000
"""Memories archived or brought back by one call."""


class Upkeep:
    """Consolidation, clusters, the archive, and the history of memories."""

    def __init__(
        self,
        store: GraphStore,
        clock: Clock,
        forgetter: Forgetter,
        log: ChangeLog,
        archive: Archive,
        interval: float,
        pruning: Pruning,
        closing: Closing,
    ) -> None:
        self._store = store
        self._clock = clock
        self._forgetter = forgetter
        self._log = log
        self._archive = archive
        self._consolidator = Consolidator(store, clock, archive, interval, pruning)
        self._closing = closing

    # --- consolidation ---

    def consolidate(self, *, dry_run: bool = False) -> Consolidated:
        """Do at once what is otherwise done every ``CONSOLIDATION_INTERVAL`` seconds.

        What has faded and is of little importance goes into the archive, what is used often is strengthened,
        what nothing leads to is dropped, clusters are found anew, and indexes are looked after. Reads and writes
        go on meanwhile. ``dry_run`` says what would be done, and changes nothing.
        """
        return self._consolidator.run(dry=dry_run, stopping=self._closing.begun)

    def consolidated_at(self) -> datetime | None:
        """Return when a consolidation was last finished."""
        return self._consolidator.last()

    def consolidate_when_due(self, stopping: Callable[[], bool]) -> float:
        """Consolidate if it is time; return the seconds until it may be time again."""
        if self._consolidator.due_in() == 0:
            self._consolidator.run(stopping=stopping, due=True)
        due = self._consolidator.due_in()
        return float("inf") if due is None else due or 1.0

    def check(self) -> tuple[str, ...]:
        """Verify that all parts of the memory's storage agree; return the problems found."""
        return self._store.check()

    # --- clusters ---

    def clusters(self, limit: int = 20) -> tuple[Cluster, ...]:
        """Return the largest clusters (1 … 100), the largest first, as the last consolidation found them."""
        return read_clusters(self._store)[: validate.limit(limit)]

    def cluster(self, id: int, limit: int = 20) -> Topic:
        """Return a cluster with its most important memories (1 … 100).

        Raises:
            NotFound: no memory is in a cluster with this id.
        """
        number = validate.integer(id, "cluster_id", 0, 2**31)
        inside = (*LIVE, Condition("cluster_id", Op.EQ, number))
        page = self._store.find(Kind.ENGRAM, inside, Order("importance", descending=True), validate.limit(limit))
        if not page.records:
            raise NotFound("cluster", str(number))
        known = next((each for each in read_clusters(self._store) if each.id == number), None)
        members = tuple(cast(Engram, record) for record in page.records)
        return Topic(cluster=known or Cluster.of(number, len(members)), memories=members)

    # --- the archive ---

    def archived(self, limit: int = 20, cursor: str | None = None) -> ArchivePage:
        """Return what is in the archive, the latest first; ``cursor`` is the ``next`` of an earlier answer."""
        found, after = self._archive.listed(validate.limit(limit), cursors.read(cursor) if cursor else None)
        return ArchivePage(memories=found, next=cursors.written(after) if after else None)

    def archive(self, ids: Sequence[str]) -> Archived:
        """Put memories into the archive, pinned ones too: no question finds them until they are brought back.

        Raises:
            NotFound: one of the ids is no memory's; nothing was changed.
        """
        return self._archive.put_away(_ids(ids))

    def restore(self, ids: Sequence[str]) -> Restored:
        """Bring memories back from the archive.

        Raises:
            NotFound: one of the ids is no memory's; nothing was changed.
        """
        return self._archive.bring_back(_ids(ids))

    def empty_archive(self, *, purge: bool = False, dry_run: bool = True) -> Forgotten:
        """Forget all that is archived, by default just say what that would be; see ``Memory.forget_matching``."""
        ids = self._forgetter.matching(ARCHIVED)
        return Forgotten(ids=ids, dry_run=True) if dry_run else self._forgetter.forget(ids, purge=purge)

    # --- everything ---

    def erase(self) -> Erased:
        """Erase the whole memory for good: nothing brings it back but a copy kept elsewhere.

        The user can go on with the memory, which then is empty.
        """
        return erase_all(self._store, self._forgetter.elsewhere)

    # --- history ---

    def history(self, id: str) -> History:
        """Return what has happened to a memory, also to one that is forgotten but can still be brought back.

        Raises:
            NotFound: there is no such memory, and none that could be brought back.
        """
        known = validate.identifier(id, "memory_id")
        engram = cast("Engram | None", self._store.get(Kind.ENGRAM, [known]).get(known))
        changes = self._log.of([known])
        if engram is None and not changes:
            raise NotFound("memory", known)
        return history(known, engram, changes, self._clock.now())


def _ids(ids: Sequence[str]) -> list[str]:
    if isinstance(ids, str) or not 1 <= len(ids) <= MAX_AT_ONCE:
        raise InvalidInput("ids", f"must be 1 to {MAX_AT_ONCE:,} ids of memories")
    return [validate.identifier(id, "memory_id") for id in ids]
