# SPDX-License-Identifier: Apache-2.0
"""The background half of writing, and everything else that must not keep a caller waiting."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import cast

from ..domain.records import Cause, Cue, Engram, Kind
from ..encode.index import finish, stated_without_vector
from ..errors import BecausalError, ModelUnavailable, StoreUnavailable
from ..models.lazy import CLOSED, LazyEmbedder
from ..ports.batch import Batch
from ..ports.clock import Clock
from ..ports.store import Condition, GraphStore, Op
from .embedding import VECTORS_DUE, may_index, note_dimension
from .holders import new_holder, take
from .rounds import Round

log = logging.getLogger("becausal.worker")

BATCH = 32
"""Engrams indexed at a time: few enough that one round is well under a second ..."""

BULK = 64
"""... and where many are waiting, as after an import: longer rounds cost less for each."""

AHEAD = 4 * BULK
"""Memories that may be waiting before who tells many is held up ..."""

BREATH = 0.5
"""... and for how many seconds at a time."""

LEASE = 10.0
"""Seconds for which engrams are taken; another process takes them over after a crash (at once on the same machine)."""

QUIET, BURST = 0.03, 0.25
"""Seconds without a telling after which indexing begins, and the longest that it waits for that."""

UPKEEP = 3600.0
"""Seconds between looks at what is past its days."""

POLL = 2.0
"""Seconds between looks for what other processes, or an earlier run, left unindexed."""

PENDING = (Condition("indexed_at", Op.NULL, True),)


class Worker:
    """Indexes what is pending, here and by lease in every process, and makes deferred writes.

    ``upkeep`` is called when its thread begins, and every hour.
    """

    def __init__(
        self, store: GraphStore, embedder: LazyEmbedder, clock: Clock, upkeep: Callable[[], object] = lambda: None
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._clock = clock
        self._holder = new_holder()
        self._upkeep = upkeep
        self._upkeep_due = 0.0
        self._changed = threading.Condition()
        self._working = threading.Lock()
        self._deferred: deque[Batch] = deque(maxlen=10_000)
        self._stopping = False
        self._told = 0.0  # when something was last said to be pending
        self._resting = False  # whether the thread lets a burst of tellings end, and looks at the clock by itself
        self._awaited = 0  # how many wait for the work to be done
        self.on_indexed: Callable[[list[str]], object] = lambda ids: None  # is told what was indexed
        self._noted = False
        self._warming = False  # whether vectors are to be read before anybody asks for any
        self._look = True  # an earlier run may have ended between the note and the work
        self._thread: threading.Thread | None = None
        self._ahead: Round | None = None  # whose vectors are being made while another is written

    def start(self) -> None:
        """Begin working in a daemon thread, unless the store is read-only: then there is nothing to do."""
        if self._store.read_only:
            return
        self._thread = threading.Thread(target=self._run, name="becausal-worker", daemon=True)
        self._thread.start()

    def wind_down(self) -> None:
        """Begin no other round."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()

    def close(self) -> None:
        """Finish what is at hand, make the deferred writes, and end."""
        self.wind_down()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        with self._working:
            self._give_up_ahead()
        self._write_deferred()

    def wake(self) -> None:
        """Say that something is pending."""
        with self._changed:
            self._told = monotonic()
            if not self._resting:  # a thread that is woken for nothing keeps the teller waiting
                self._changed.notify_all()

    def warm(self) -> None:
        """Have the store read the vectors soon, which of very many takes longer than a question should."""
        with self._changed:
            self._warming = True
            self._changed.notify_all()

    def defer(self, batch: Batch) -> None:
        """Write a batch soon. It may be lost in a crash, and a failure is only logged."""
        if self._store.read_only:
            return
        self._deferred.append(batch)
        self.wake()

    def pending(self) -> int:
        """Return how many memories are not indexed yet."""
        if not self._store.find(Kind.ENGRAM, PENDING, limit=1).records:  # as a rule, and cheaper than counting all
            return 0
        return self._store.count()["pending"]

    @property
    def stalled(self) -> bool:
        """Whether nothing is indexed because the embedder cannot run, or the memory is being closed."""
        return self._embedder.state == "failed" or self._stopping

    def check(self) -> None:
        """Return if it goes on working.

        Raises:
            StoreUnavailable: it does not, since the memory is being closed.
        """
        if self._stopping:
            raise StoreUnavailable(CLOSED)

    def settle(self, timeout: float | None) -> int:
        """Wait until nothing is pending, the work is ``stalled``, or ``timeout`` seconds are over.

        Without a thread of its own the work is done by the caller; in a read-only store nobody does it.
        Returns what is still pending.
        """
        if self._store.read_only:
            return self.pending()
        with self.awaited():
            return self._settled(timeout)

    def let_catch_up(self) -> None:
        """Wait for a while if very many are pending.

        Whoever tells on and on, and means to wait for the end of it anyway, is done earlier so: reading texts beside
        the indexing keeps the model, which sets the pace, waiting for what it is to read next.
        """
        end = monotonic() + BREATH
        while self._thread is not None and not self.stalled and self.pending() > AHEAD:
            if (left := end - monotonic()) <= 0:
                return
            with self._changed:
                self._changed.wait(left)

    @contextmanager
    def awaited(self) -> Iterator[None]:
        """Have what is told in a ``with`` block indexed at once, without waiting for a burst of tellings to end."""
        with self._changed:
            self._awaited += 1
            self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._awaited -= 1

    def _settled(self, timeout: float | None) -> int:
        end = None if timeout is None else monotonic() + timeout
        while True:
            self._write_deferred()
            pending = self.pending()
            left = None if end is None else end - monotonic()
            if not (pending or self._due()) or self.stalled or (left is not None and left <= 0):
                return pending
            if self._thread is None and (self._round() or not (self.pending() or self._due())):
                continue
            with self._changed:
                # Another process may hold the lease: nobody here will say when it is done.
                self._changed.wait(0.05 if left is None else min(0.05, left))

    def _run(self) -> None:
        while True:
            try:
                self._write_deferred()
                self._look_after()
                self._warm_up()
                self._rest()
                busy = not self._stopping and self._round()
            except BecausalError as error:
                log.warning("indexing will be tried again: %s", error)
                busy = False
            except Exception:  # the thread's top level: indexing must go on after whatever went wrong
                log.exception("indexing failed and will be tried again")
                busy = False
            with self._changed:
                self._changed.notify_all()
                if self._stopping:
                    return
                if not busy and not self._deferred:
                    self._changed.wait(POLL)
                if self._stopping:
                    return

    def _rest(self) -> None:
        """Let a burst of tellings end: indexed together they cost less, and indexing beside them slows them down."""
        end = monotonic() + BURST
        with self._changed:
            self._resting = True
            while not (self._stopping or self._awaited):
                left = min(self._told + QUIET, end) - monotonic()
                if left <= 0:
                    break
                self._changed.wait(left)
            self._resting = False

    def _look_after(self) -> None:
        if monotonic() >= self._upkeep_due:
            self._upkeep_due = monotonic() + UPKEEP
            self._upkeep()

    def _warm_up(self) -> None:
        if self._warming and self._embedder.dimension and may_index(self._store, self._embedder):
            import numpy as np

            self._warming = False
            self._store.vector_search(Kind.ENGRAM, np.eye(1, self._embedder.dimension, dtype=np.float32)[0], 1)

    def _round(self) -> bool:
        """Index one batch; return whether there was any that could be taken."""
        with self._working:
            if not may_index(self._store, self._embedder):
                self._give_up_ahead()
                return False
            now, self._ahead = self._ahead or self._take(), None
            try:
                if not now.memories and not now.stated:
                    return False
                if not self._embedder.dimension:
                    self._embedder.load()  # only that tells how long its vectors are
                if now.more and not self._stopping:
                    # The model goes on with the next ones without a pause, while these are written.
                    if not now.started:
                        now.start(self._store, self._embedder)
                    self._ahead = self._take(but=now.ids)
                    self._ahead.start(self._store, self._embedder, after=now)
                prepared = now.prepared(self._store, self._embedder)
            except ModelUnavailable as error:
                log.debug("not indexed: %s", error)
                self._let_go(now)
                self._give_up_ahead()
                return False
            done = finish(self._store, prepared, self._clock.now())
            if not self._noted:
                note_dimension(self._store, self._embedder)
                self._noted = True
            self.on_indexed(done)
            return True

    def _take(self, but: Collection[str] = ()) -> Round:
        """Take what is pending, ``but`` what is at hand."""
        memories, more = self._take_pending(but)
        try:
            return Round(memories, self._take_stated(), more=more)
        except ModelUnavailable as error:
            log.debug("nothing stated is indexed: %s", error)
            self._let_go(Round(memories, (), more=False))
            return Round((), (), more=False)

    def _let_go(self, round: Round) -> None:
        """Leave a round to whoever can do it: another process may have a model that works."""
        self._store.write(
            Batch(
                release=tuple(("index", id) for id in sorted(round.ids)),
                meta={VECTORS_DUE: "1"} if round.stated else {},
            )
        )

    def _give_up_ahead(self) -> None:
        if self._ahead is not None:
            ahead, self._ahead = self._ahead, None
            ahead.wait()
            self._let_go(ahead)

    def _take_pending(self, but: Collection[str]) -> tuple[list[Engram], bool]:
        """Return memories taken under leases, and whether more are waiting behind them."""
        page = self._store.sweep(Kind.ENGRAM, (), PENDING, limit=BULK * 4)
        waiting = [id for (id,) in page if id not in but]
        if not waiting:
            return [], False
        size = BATCH if len(waiting) < BULK * 2 else BULK
        taken = take(self._store, "index", waiting[:size], self._holder, LEASE)
        if not taken:
            taken = take(self._store, "index", waiting[size:], self._holder, LEASE)
        # Read again: another process may have finished one just before the lease was free.
        fresh = self._store.get(Kind.ENGRAM, sorted(taken)).values() if taken else ()
        more = len(waiting) - len(taken) >= BATCH  # fewer are left to whoever comes first
        return [engram for engram in map(_engram, fresh) if engram.indexed_at is None], more

    def _due(self) -> bool:
        """Whether records that callers have stated may lack their vectors."""
        return self._look or self._store.meta(VECTORS_DUE) is not None

    def _take_stated(self) -> list[Cue | Cause]:
        """Return stated records that lack their vectors."""
        if not self._due():
            return []
        if self._embedder.state == "failed" or not self._embedder.dimension:
            self._embedder.load()  # raises while it is of no use to try
        # The note is taken down before the look, so that whatever is stated from now on puts it up again.
        if self._store.meta(VECTORS_DUE) is not None:
            self._store.write(Batch(meta={VECTORS_DUE: None}))
        found = stated_without_vector(self._store, self._embedder)
        self._look = bool(found)
        return found

    def _write_deferred(self) -> None:
        while self._deferred:
            try:
                batch = self._deferred.popleft()
            except IndexError:  # another thread took the last one
                return
            try:
                self._store.write(batch)
            except BecausalError as error:
                log.warning("a deferred write was given up: %s", error)


def _engram(record: object) -> Engram:
    return cast(Engram, record)
