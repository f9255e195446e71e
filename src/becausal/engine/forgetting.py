# SPDX-License-Identifier: Apache-2.0
"""Taking memories out again, in bulk as well, with everything that only they supported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..domain.ids import new_id
from ..domain.leases import results_of
from ..domain.records import Kind
from ..domain.text import clip
from ..encode.pairs import weaker_pairs
from ..errors import Conflict
from ..graphs.timeline import Timeline
from ..ports.batch import Put, PutLink, Ref
from ..ports.clock import Clock
from ..ports.store import GraphStore, Where
from .change_log import ChangeLog
from .removal import derived_from, engrams, erase_traces, facts_gone, healed, links_of, stated
from .results import Forgotten
from .writing import ATTEMPTS

GROUP = 500
"""Memories forgotten in one transaction."""

MAX_FORGOTTEN = 100_000


class Forgetter:
    """Forgets memories, in one transaction for each few hundred."""

    def __init__(self, store: GraphStore, clock: Clock, log: ChangeLog, elsewhere: tuple[str, ...] = ()) -> None:
        """Forget in a store; ``elsewhere`` names what keeps what is purged here."""
        self._store = store
        self._clock = clock
        self._log = log
        self.elsewhere = elsewhere

    def forget(self, ids: Sequence[str], *, purge: bool) -> Forgotten:
        """Take engrams out of the memory, with everything that only they supported.

        Kept for undoing until the days are over, unless ``purge`` erases them, their earlier versions and
        their traces in the store's files at once.
        """
        group = new_id()
        forgotten: list[str] = []
        for start in range(0, len(ids), GROUP):
            forgotten += self._forget_some(ids[start : start + GROUP], group, purge, first=not start)
        remains: tuple[str, ...] = ()
        if purge:
            self._log.erase(ids)
            remains = erase_traces(self._store, self.elsewhere)
        return Forgotten(
            ids=tuple(forgotten),
            purged=purge,
            undo=None if purge or not forgotten else group,
            erased_at=None if purge or not forgotten else self._clock.now() + self._log.kept_for,
            remains=remains,
        )

    def _forget_some(self, ids: Sequence[str], group: str, purge: bool, *, first: bool) -> list[str]:
        for _ in range(ATTEMPTS):
            try:
                return self._forget_group(ids, group, purge, first=first)
            except Conflict:
                continue  # one of them, or a fact that opens again, was changed in this moment
        raise Conflict("what these memories told is being changed elsewhere; try again")

    def _forget_group(self, ids: Sequence[str], group: str, purge: bool, *, first: bool) -> list[str]:
        found = engrams(self._store, ids)
        if not found:
            return []
        gone = {engram.id for engram in found}
        links = links_of(self._store, gone)
        closed = healed(self._store.user, gone, links, self._clock.now())
        removed = derived_from(self._store, gone, links)
        reopened = Timeline(self._store).reopened(facts_gone(removed))
        puts: tuple[Put, ...] = ()
        if not purge:
            what = clip(found[0].summary, 80) if len(found) == 1 else f"{len(found)} memories"
            change = self._log.make(
                "forget",
                sorted(gone) if first else (*sorted(gone), group),
                f"forgot: {what}",
                id=group if first else new_id(),
                engrams=found,
                links=stated(links),
                healed=[link.id for link in closed],
                closings=reopened,
            )
            puts = (Put(change),)
        self._store.write(
            replace(
                removed,
                # One that is indexed in this moment gives strength that would not be taken back.
                deletes=removed.deletes + tuple(Ref(Kind.ENGRAM, each.id, each.version) for each in found),
                weaken=removed.weaken + weaker_pairs(self._store, found),
                puts=puts,
                patches=Timeline.patches(reopened),
                links=tuple(PutLink(link, merge="keep") for link in closed),
                release=tuple(lease for each in found for lease in results_of(each)) if purge else (),
            )
        )
        return [engram.id for engram in found]

    def matching(self, where: Where) -> tuple[str, ...]:
        """Return the ids of all engrams that match, up to 100,000."""
        ids: list[str] = []
        page = self._store.find(Kind.ENGRAM, where, limit=1000)
        while True:
            ids += [record.id for record in page.records]
            if page.next is None or len(ids) >= MAX_FORGOTTEN:
                return tuple(ids[:MAX_FORGOTTEN])
            page = self._store.find(Kind.ENGRAM, where, limit=1000, after=page.next)
