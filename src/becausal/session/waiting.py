# SPDX-License-Identifier: Apache-2.0
"""Waiting for promises: who waits in this process is told at once, and soon what other processes have done."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Self

from ..errors import BecausalError

log = logging.getLogger(__name__)

LOOK = 0.05
"""Seconds between looks for what other processes have done."""


class Ticket:
    """Somebody's place among those who wait. It fires once; ``close`` gives the place up."""

    def __init__(self, watch: Watch, id: str) -> None:
        self._watch = watch
        self.id = id
        self._lock = threading.Lock()
        self._fired = threading.Event()
        self._then: Callable[[], object] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def on_fire(self, then: Callable[[], object]) -> None:
        """Have ``then`` called, from whatever thread, when there is news; at once if there is some already."""
        with self._lock:
            self._then = then
            fired = self._fired.is_set()
        if fired:
            then()

    def fire(self) -> None:
        with self._lock:
            self._fired.set()
            then = self._then
        if then is not None:
            then()

    def wait(self, timeout: float) -> bool:
        """Block this thread until it fires or ``timeout`` seconds are over; return whether it has fired."""
        return self._fired.wait(timeout)

    def close(self) -> None:
        self._watch.leave(self)


class Watch:
    """Fires the tickets of promises that are no longer pending.

    ``pending`` returns which of some ids still are. It is asked by one thread for all who wait, which ends
    when nobody does.
    """

    def __init__(self, pending: Callable[[list[str]], set[str]]) -> None:
        self._pending = pending
        self._changed = threading.Condition()
        self._tickets: dict[str, set[Ticket]] = {}
        self._thread: threading.Thread | None = None
        self._closed = False

    def join(self, id: str) -> Ticket:
        """Return a ticket for news of a promise. Look at the promise after taking it, then wait."""
        ticket = Ticket(self, id)
        with self._changed:
            if self._closed:
                ticket.fire()
                return ticket
            self._tickets.setdefault(id, set()).add(ticket)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="becausal-promises", daemon=True)
                self._thread.start()
        return ticket

    def leave(self, ticket: Ticket) -> None:
        with self._changed:
            waiting = self._tickets.get(ticket.id, set())
            waiting.discard(ticket)
            if not waiting:
                self._tickets.pop(ticket.id, None)

    def news(self, id: str) -> None:
        """Fire the tickets of one promise."""
        with self._changed:
            tickets = self._tickets.pop(id, set())
        for ticket in tickets:
            ticket.fire()

    def close(self) -> None:
        """Fire everything and end the thread."""
        with self._changed:
            self._closed = True
            ids = list(self._tickets)
            thread = self._thread
            self._changed.notify_all()
        for id in ids:
            self.news(id)
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                if not self._closed:
                    self._changed.wait(LOOK)
                if self._closed or not self._tickets:
                    self._thread = None
                    return
                ids = list(self._tickets)
            try:
                still = self._pending(ids)
            except BecausalError as error:
                log.warning("promises cannot be looked at, which is tried again: %s", error)
                continue
            except Exception:  # the thread's top level: those who wait must still be told
                log.exception("promises cannot be looked at, which is tried again")
                continue
            for id in ids:
                if id not in still:
                    self.news(id)
