# SPDX-License-Identifier: Apache-2.0
"""Reading memories with a chat model, in a thread of its own or when it is asked to."""

from __future__ import annotations

import logging
import math
import threading
from collections import Counter, deque
from collections.abc import Callable
from datetime import tzinfo
from time import monotonic
from typing import cast

from ...domain.records import Engram, Kind
from ...encode.enrichment import FAILED
from ...errors import BecausalError, ModelUnavailable, RequestRefused, ServiceError
from ...models import prompts
from ...models.budget import CHARS_PER_TOKEN
from ...models.guarded import ChatState
from ...ports.batch import Batch
from ...ports.clock import Clock
from ...ports.store import GraphStore
from ..assisting import ChatOptions
from ..holders import new_holder, take
from ..results import Progress
from ..worker import Worker
from ..writing import Writer
from .due import INDEXED, PAGE, READABLE, Due, is_unread, part_of
from .naming import name_clusters
from .reading import Reader
from .results import Enriched, Estimate

log = logging.getLogger("becausal.enriching")

POLL = 5.0
"""Seconds between looks for memories that other processes were told."""

LOOK_BACK = 600.0
"""Seconds between looks at all memories: another process may have indexed one that the thread had passed."""

PAUSE = 60.0
"""Seconds without the model after it could not be used, unless it says how long."""

CLOSING = 1.0
"""Seconds that closing waits for the call under way."""

REASONS = 5
"""Reasons for which memories could not be read that are told apart."""

REFUSALS = 3
"""Requests refused one after the other, and none taken, after which it is not the texts."""


class Enrichment:
    """Reads memories with a chat model: in a thread of its own, or when it is asked to.

    Without a model (``options`` is ``None``) there is nothing to do.
    """

    def __init__(
        self,
        store: GraphStore,
        options: ChatOptions | None,
        writer: Writer,
        worker: Worker,
        clock: Clock,
        zone: tzinfo,
    ) -> None:
        self._store = store
        self._options = options
        self._worker = worker
        self._due = Due(store, clock)
        self._reader = Reader(store, options, writer, worker, clock, zone, lambda: self._stopping)
        self._holder = new_holder()
        self._changed = threading.Condition()
        self._stopping = False
        self._again: deque[str] = deque(maxlen=100_000)  # indexed (again) since the thread passed them
        self._refused: dict[str, str] = {}  # that this process does not try again, and why
        self._reached = ""
        self._look_back = 0.0
        self._news = False
        self._trouble: str | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to read in the background what is indexed and was not read yet."""
        if self._options is not None and self._options.enrich:
            self._worker.on_indexed = self._indexed
            self._thread = threading.Thread(target=self._run, name="becausal-enriching", daemon=True)
            self._thread.start()

    def wind_down(self) -> None:
        """Begin nothing more."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()

    def close(self) -> None:
        """Begin nothing more, and break off what does not end at once."""
        self.wind_down()
        if self._thread is not None:
            self._thread.join(CLOSING)
        if self._options is not None:
            self._options.chat.close()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    # --- asked for ---

    def state(self) -> ChatState | None:
        """Describe the chat model, if there is one."""
        return None if self._options is None else self._options.chat.state()

    def unread(self) -> int:
        """Return how many memories the model has not read yet, without those that it could not read."""
        return self.standing()[0]

    def standing(self) -> tuple[int, dict[str, int]]:
        """Return how many memories are still to be read, and how many could not be, by reason, the most frequent first.

        What could not be read is tried again by ``run`` alone.
        """
        unread, failed = 0, Counter[str]()
        if self._options is not None:
            for id, told in self._due.all():
                part = part_of(told)
                problem = part.get(FAILED) if part else self._refused.get(id)
                unread += not part and problem is None
                failed.update([] if problem is None else [str(problem)])
        shown = dict(failed.most_common(REASONS))
        if rest := failed.total() - sum(shown.values()):
            shown["other reasons"] = rest
        return unread, shown

    def estimate(self, *, all: bool = False) -> Estimate:
        """Return what ``run`` would take.

        Raises:
            ModelUnavailable: there is no chat model.
        """
        room = self._reader.room
        number = characters = 0
        for engram in self._due.engrams(self._due.wanted(all)):
            number += 1
            characters += prompts.overhead() + min(len(engram.content), room)
        return Estimate(
            memories=number,
            tokens_in=math.ceil(characters / CHARS_PER_TOKEN),
            tokens_out=number * prompts.ENRICH_TOKENS,
        )

    def run(
        self, *, all: bool = False, limit: int | None = None, progress: Callable[[Progress], None] | None = None
    ) -> Enriched:
        """Read what was not read yet or could not be; with ``all`` everything, anew.

        It can be interrupted and goes on where it stopped when called again. It stops where the model cannot be used.
        A request that the service refuses is laid to the text, once the service has taken another one.

        Raises:
            ModelUnavailable: there is no chat model.
        """
        _ = self._reader.model
        tell = progress or (lambda _: None)
        if all:
            self._due.begin_anew()
        wanted = self._due.wanted(all)
        total = self._due.count(wanted)
        total = total if limit is None else min(total, limit)
        read, failed, stopped, unnamed = 0, Counter[str](), None, None
        refused: list[tuple[Engram, str]] = []
        before = self._reader.used
        tell(Progress(what="reading", done=0, total=total))
        for engram in self._due.engrams(wanted):
            if (done := read + failed.total() + len(refused)) >= total:
                break
            try:
                problem = self._reader.read(engram, repair=True)
                read += problem is None
                failed.update([problem] if problem else [])
            except RequestRefused as error:
                refused.append((engram, str(error)))
                if not (read or failed) and len(refused) == REFUSALS:
                    break
            except ModelUnavailable as error:
                stopped = str(error)
                break
            tell(Progress(what="reading", done=done + 1, total=total))
        for engram, problem in refused if read or failed else ():
            self._reader.give_up(engram, problem)
            failed[problem] += 1
        if refused and not (read or failed):
            stopped = stopped or refused[0][1]
        if stopped is None:
            try:
                name_clusters(self._store, self._reader)
            except ModelUnavailable as error:
                unnamed = str(error)
        left = self._due.count(wanted)
        if all and (not left or (stopped is None and limit is None)):
            self._due.end_anew()
        self._worker.wake()
        return Enriched(
            read=read,
            failed=dict(failed),
            left=left,
            stopped=stopped,
            unnamed=unnamed,
            tokens=self._reader.used.tokens - before.tokens,
            estimated=self._reader.used.estimated - before.estimated,
        )

    def settle(self, timeout: float | None = None) -> int:
        """Wait until everything was read, or ``timeout`` seconds; return how many memories were not.

        It ends early when the model cannot be used, or nothing is read in the background, and does not wait for what
        could not be read.
        """
        end = None if timeout is None else monotonic() + timeout
        while unread := self.unread():
            left = 1.0 if end is None else end - monotonic()
            if left <= 0 or self._thread is None or self._trouble is not None or self._stopping:
                break
            with self._changed:
                self._changed.wait(min(0.05, left))
        return unread

    # --- in the background ---

    def _indexed(self, ids: list[str]) -> None:
        """Take note of memories that were indexed: those the thread has passed are looked at again."""
        with self._changed:
            for id in ids:
                self._refused.pop(id, None)  # it may say something else by now
            self._again.extend(id for id in ids if id <= self._reached)
            self._news = True
            self._changed.notify_all()

    def _run(self) -> None:
        while not self._stopping:
            wait, trouble = POLL, None
            try:
                busy = self._round()
                wait = 0.0 if busy else POLL
            except ServiceError as error:
                log.warning("reading memories pauses: %s", error)
                trouble = str(error)
                wait = max(1.0, PAUSE if error.retry_after is None else error.retry_after)
            except BecausalError as error:
                log.warning("reading memories will be tried again: %s", error)
                trouble, wait = str(error), PAUSE
            except Exception as error:  # the thread's top level: reading must go on after whatever went wrong
                log.exception("reading memories failed and will be tried again")
                trouble, wait = str(error), PAUSE
            with self._changed:
                self._trouble = trouble
                self._changed.notify_all()
                # What failed is not tried again just because something new was told.
                if wait:
                    self._changed.wait_for(lambda: self._stopping or (self._trouble is None and self._news), wait)
                self._news = False

    def _round(self) -> bool:
        """Read one memory, if there is one to be read; return whether there was."""
        while self._again and not self._stopping:
            if self._read_alone(self._again.popleft()):
                return True
        if monotonic() >= self._look_back:
            self._look_back, self._reached = monotonic() + LOOK_BACK, ""
        while page := self._store.sweep(Kind.ENGRAM, ("told",), INDEXED, self._reached, PAGE):
            for id, told in page:
                if self._stopping:
                    return False
                if is_unread(told) and self._read_alone(id):
                    self._reached = id
                    return True
            self._reached = page[-1][0]
        return not self._stopping and name_clusters(self._store, self._reader)

    def _read_alone(self, id: str) -> bool:
        """Read a memory unless that is done, or another process is at it; return whether it was tried."""
        seconds = self._reader.model.call_seconds
        if id in self._refused or not take(self._store, "enrich", [id], self._holder, seconds + 30):
            return False
        try:
            # Another process may have read it just before the lease was free.
            if not self._store.passing(Kind.ENGRAM, [id], READABLE):
                return False
            found = cast("Engram | None", self._store.get(Kind.ENGRAM, [id]).get(id))
            if found is None or not is_unread(found.told):
                return False
            self._reader.read(found, repair=False)
        except RequestRefused as error:
            self._refused[id] = str(error)
            raise
        finally:
            self._store.write(Batch(release=(("enrich", id),)))
        return True
