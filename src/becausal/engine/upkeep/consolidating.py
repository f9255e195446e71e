# SPDX-License-Identifier: Apache-2.0
"""Consolidation: its steps in their order, in one process at a time, gone on with where a crash left it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from time import monotonic

from ...consolidate.communities import cluster
from ...consolidate.fading import Pruning, decay, prune, strengthen
from ...consolidate.run import STATE, Run, Stopped
from ...consolidate.tidying import drop_orphans, tend_indexes
from ...domain.ids import new_id
from ...ports.batch import Batch
from ...ports.clock import Clock
from ...ports.store import GraphStore
from ..holders import new_holder, take, until
from .archive import Archive
from .results import Consolidated

log = logging.getLogger("becausal.consolidate")

CLAIM = ("consolidate", "memory")
LEASE = 30.0
"""Seconds for which the work is taken; another process takes it over after a crash (at once on the same machine)."""

LAST = "consolidated_at"
"""Key of the time of the last consolidation that was finished."""

STALE = timedelta(days=1)
"""Age from which an interrupted consolidation is not gone on with but begun anew."""

SHORTEST_PAUSE, LONGEST_PAUSE = 0.005, 0.05


class Consolidator:
    """Consolidates one memory: now, or when it is due."""

    def __init__(self, store: GraphStore, clock: Clock, archive: Archive, interval: float, bounds: Pruning) -> None:
        """Make one that is due every ``interval`` seconds, or never by itself for 0."""
        self._store = store
        self._clock = clock
        self._archive = archive
        self._interval = interval
        self._bounds = bounds
        self._holder = new_holder()
        self._here = threading.Lock()

    def last(self) -> datetime | None:
        """Return when the memory was last consolidated, by whichever process."""
        told = self._store.meta(LAST)
        return datetime.fromisoformat(told) if told else None

    def due_in(self) -> float | None:
        """Return the seconds until it is due, 0 if it is; ``None`` if it never is."""
        if self._interval <= 0:
            return None
        last = self.last()
        if last is None or self._store.meta(STATE) is not None:
            return 0.0
        passed = (self._clock.now() - last).total_seconds()
        return 0.0 if passed < 0 else max(0.0, self._interval - passed)

    def run(
        self, *, dry: bool = False, stopping: Callable[[], bool] = lambda: False, due: bool = False
    ) -> Consolidated:
        """Consolidate, unless another process is at it; ``due``: only if that is due when its turn has come.

        Ended by ``stopping`` it is gone on with next time.
        """
        began = monotonic()
        if dry:
            return self._preview(stopping, began)
        with self._here:
            if not take(self._store, CLAIM[0], CLAIM[1:], self._holder, LEASE):
                note = f"another process is consolidating this memory at the moment; {until(self._store, *CLAIM)}"
                return Consolidated(ran=False, note=note)
            try:
                if due and self.due_in() != 0:
                    return Consolidated(ran=False, note="another process has just consolidated this memory")
                return self._consolidate(stopping, began)
            finally:
                if self._store.claim(CLAIM[0], CLAIM[1:], self._holder, LEASE):
                    self._store.write(Batch(release=(CLAIM,)))

    def _preview(self, stopping: Callable[[], bool], began: float) -> Consolidated:
        run = Run(self._store, self._clock.now(), self._pace(stopping, holding=False), dry=True)
        for step in self._steps(run):
            run.after = ""
            step()
        return self._result(run, began)

    def _consolidate(self, stopping: Callable[[], bool], began: float) -> Consolidated:
        run = Run(self._store, self._clock.now(), self._pace(stopping, holding=True))
        left = self._store.meta(STATE)
        if left is not None:
            run.go_on_from(left)
            if abs(self._clock.now() - run.started) > STALE:
                run, left = Run(self._store, self._clock.now(), run.pause), None
        steps = self._steps(run)
        try:
            while run.step < len(steps):
                self._store.write(Batch(meta={STATE: run.state()}))
                steps[run.step]()
                run.step, run.after = run.step + 1, ""
        except Stopped:
            return self._result(run, began, note="interrupted; the next consolidation goes on from here")
        self._store.write(Batch(meta={STATE: None, LAST: self._clock.now().isoformat()}))
        log.info(
            "consolidated in %.1f s: %s", monotonic() - began, {name: dict(each) for name, each in run.counts.items()}
        )
        return self._result(run, began, resumed=left is not None)

    def _steps(self, run: Run) -> Sequence[Callable[[], None]]:
        return (
            partial(decay, run, self._bounds),
            partial(prune, run, self._bounds, partial(self._archiving, run)),
            partial(strengthen, run),
            partial(drop_orphans, run),
            partial(cluster, run),
            partial(tend_indexes, run),
        )

    def _archiving(self, run: Run, memories: Sequence[tuple[str, int]]) -> Batch:
        if run.dry:
            return Batch()
        first = not run.counts["prune"]["archived"]
        if first:
            run.notes["undo"] = new_id()
        return self._archive.batch(memories, run.notes["undo"], first=first)

    def _pace(self, stopping: Callable[[], bool], *, holding: bool) -> Callable[[], None]:
        """Return what gives way to others between two pieces of work, as long as the last piece took."""
        nap = threading.Event()
        last = renewed = monotonic()

        def pause() -> None:
            nonlocal last, renewed
            if stopping():
                raise Stopped
            nap.wait(min(LONGEST_PAUSE, max(SHORTEST_PAUSE, monotonic() - last)))
            last = monotonic()
            if holding and last - renewed > LEASE / 3:
                renewed = last
                if not self._store.claim(CLAIM[0], CLAIM[1:], self._holder, LEASE):
                    raise Stopped

        return pause

    def _result(self, run: Run, began: float, *, resumed: bool = False, note: str | None = None) -> Consolidated:
        undo = run.notes.get("undo") if run.counts["prune"]["archived"] else None
        return Consolidated(
            ran=True,
            dry_run=run.dry,
            steps={name: dict(counts) for name, counts in run.counts.items()},
            weak=tuple(run.weak),
            undo=None if run.dry else undo,
            seconds=monotonic() - began,
            resumed=resumed,
            note=note,
        )
