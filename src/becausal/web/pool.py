# SPDX-License-Identifier: Apache-2.0
"""The memories of several users, opened when they are needed and closed when nobody needs them any more."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..errors import BecausalError, StoreBusy, StoreUnavailable
from .caller import current_user

if TYPE_CHECKING:
    from ..engine.memory import Memory

logger = logging.getLogger(__name__)


class _Place:
    """One user's memory, open or not. ``lock`` is held while it is opened or closed."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.memory: Memory | None = None
        self.opening = False
        self.users = 0
        self.used = 0.0


class Pool:
    """Open memories, at most so many at once. What is in use is never closed. Thread-safe.

    ``idle`` are the seconds without use after which ``sweep`` closes one.
    """

    def __init__(
        self,
        open_memory: Callable[[str], Memory],
        *,
        most: int,
        idle: float,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._open = open_memory
        self._most = most
        self._idle = idle
        self._monotonic = monotonic
        self._lock = threading.Lock()  # guards the places and their counts; nothing slow happens under it
        self._places: dict[str, _Place] = {}
        self._closed = False

    @property
    def size(self) -> int:
        """How many memories are open."""
        with self._lock:
            return sum(place.memory is not None for place in self._places.values())

    @contextmanager
    def hold(self, user: str) -> Iterator[None]:
        """Keep a user's memory from being closed, if it is open or opened meanwhile. Never waits."""
        with self._lock:
            place = self._places.setdefault(user, _Place())
            place.users += 1
        try:
            yield
        finally:
            with self._lock:
                place.users -= 1
                place.used = self._monotonic()

    def get(self, user: str) -> Memory:
        """Return a user's open memory, after opening it if need be. To be called by who holds it.

        Raises:
            BecausalError: it cannot be opened.
            StoreBusy: so many are in use that no other can be opened.
        """
        with self._lock:
            place = self._places[user]
        if (memory := place.memory) is not None:
            return memory
        with place.lock:
            if place.memory is None:
                self._make_room(place)
                try:
                    memory = self._open(user)
                    memory.warm(vectors=True)
                    place.memory = memory
                finally:
                    place.opening = False
            return place.memory

    @contextmanager
    def use(self, user: str) -> Iterator[Memory]:
        """Return a user's memory, which stays open meanwhile; see ``get``."""
        with self.hold(user):
            yield self.get(user)

    @contextmanager
    def some(self, user: str) -> Iterator[Memory]:
        """Return some memory that is open, or else the user's, to look at it: that does not count as use of it."""
        with self._lock:
            opened = [name for name, place in self._places.items() if place.memory is not None]
            chosen = user if user in opened or not opened else opened[0]
            place = self._places.setdefault(chosen, _Place())
            used = place.used
            place.users += 1
        try:
            yield self.get(chosen)
        finally:
            with self._lock:
                place.users -= 1
                place.used = max(used, place.used)

    def begin(self, user: str) -> None:
        """Start opening a user's memory in the background, unless it is open. Returns at once."""
        with self._lock:
            place = self._places.get(user)
            if place is not None and (place.memory is not None or place.lock.locked()):
                return
        threading.Thread(target=self._try, args=(user,), name="becausal-open", daemon=True).start()

    def sweep(self) -> None:
        """Close what has been idle for long enough."""
        now = self._monotonic()
        with self._lock:
            lapsed = [user for user, place in self._places.items() if now - place.used >= self._idle]
        for user in lapsed:
            self._close_idle(user)

    def wind_down(self) -> None:
        """Have nothing more begun in the background of what is open. Returns at once."""
        with self._lock:
            opened = [memory for place in self._places.values() if (memory := place.memory) is not None]
        for memory in opened:
            memory.wind_down()

    def close(self) -> None:
        """Close everything; what is still in use fails from then on."""
        with self._lock:
            self._closed = True
            places, self._places = list(self._places.values()), {}
        memories = []
        for place in places:
            with place.lock:
                memory, place.memory = place.memory, None
            if memory is not None:
                memory.wind_down()  # all at once: so closing takes as long as the longest step at hand
                memories.append(memory)
        for memory in memories:
            memory.close()

    def _make_room(self, wanted: _Place) -> None:
        """Close memories, the one used longest ago first, until another may be opened."""
        while True:
            with self._lock:
                if self._closed:
                    raise StoreUnavailable("the server is shutting down")
                if sum(place.memory is not None or place.opening for place in self._places.values()) < self._most:
                    wanted.opening = True
                    return
                idle = [
                    (place.used, user)
                    for user, place in self._places.items()
                    if place.memory is not None and not place.users
                ]
            if not idle:
                raise StoreBusy(f"{self._most} memories are in use, and no more may be open at once; try again later")
            self._close_idle(min(idle)[1])

    def _close_idle(self, user: str) -> None:
        """Close a memory, and forget its place, unless somebody uses it."""
        with self._lock:
            place = self._places.get(user)
            if place is None or place.users or not place.lock.acquire(blocking=False):
                return
            memory, place.memory = place.memory, None
        try:
            if memory is not None:
                memory.close()
        finally:
            with self._lock:
                if not place.users and place.memory is None:
                    self._places.pop(user, None)
            place.lock.release()

    def _try(self, user: str) -> None:
        try:
            with self.use(user):
                pass
        except BecausalError as error:
            logger.warning("a memory could not be opened: %s", error)
        except Exception:  # the thread's top level: whoever asks for the memory next gets the error told
            logger.exception("a memory could not be opened")


class CallersMemory:
    """The memory of whoever sent the request at hand, for the tools of the MCP server."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def get(self) -> Memory:
        return self._pool.get(current_user.get())

    def begin(self) -> None:
        self._pool.begin(current_user.get())

    @contextmanager
    def in_use(self) -> Iterator[None]:
        with self._pool.hold(current_user.get()):
            yield
