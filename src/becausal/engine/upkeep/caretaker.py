# SPDX-License-Identifier: Apache-2.0
"""The thread that looks after a memory while it is open, without getting in anybody's way."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence

from ...errors import BecausalError

log = logging.getLogger("becausal.upkeep")

DELAY = 5.0
"""Seconds after the opening in which nothing is begun, so that a short command is not held up by it."""

AGAIN = 60.0
"""Seconds at most until it is looked again whether anything is due, and after a failure."""

Job = Callable[[Callable[[], bool]], float]
"""Does what is due unless told to stop; returns the seconds until it may be due again."""


class Caretaker:
    """Does jobs again and again in a daemon thread of its own."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self._jobs = tuple(jobs)
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, delay: float = DELAY) -> None:
        """Begin after ``delay`` seconds."""
        if self._jobs:
            self._thread = threading.Thread(target=self._run, args=(delay,), name="becausal-upkeep", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End as soon as the piece of work at hand is done."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self, delay: float) -> None:
        while not self._stop.wait(delay):
            delay = min(AGAIN, *(self._do(job) for job in self._jobs))

    def _do(self, job: Job) -> float:
        try:
            return max(0.01, job(self._stop.is_set))
        except BecausalError as error:
            log.warning("upkeep will be tried again: %s", error)
        except Exception:  # the thread's top level: the next round must come whatever went wrong in this one
            log.exception("upkeep failed and will be tried again")
        return AGAIN
