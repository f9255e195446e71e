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
    """Does jobs again and again in a daemon thread of its own, the first time after ``delay`` seconds."""

    def __init__(self, jobs: Sequence[Job], delay: float = DELAY) -> None:
        self._jobs = tuple(jobs)
        self._delay = delay
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, if there is any job."""
        if self._jobs:
            self._thread = threading.Thread(target=self._run, name="becausal-upkeep", daemon=True)
            self._thread.start()

    def wind_down(self) -> None:
        """Have the work end as soon as the piece at hand is done."""
        self._stop.set()

    def close(self) -> None:
        """Wait until it has ended."""
        self.wind_down()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        delay = self._delay
        while not self._stop.wait(delay):
            delay = min(AGAIN, *(self._do(job) for job in self._jobs))

    def _do(self, job: Job) -> float:
        try:
            return max(0.01, job(self._stop.is_set))
        except BecausalError as error:
            if not self._stop.is_set():  # else it was broken off
                log.warning("upkeep will be tried again: %s", error)
        except Exception:  # the thread's top level: the next round must come whatever went wrong in this one
            log.exception("upkeep failed and will be tried again")
        return AGAIN
