# SPDX-License-Identifier: Apache-2.0
"""The short-term layer: values under keys, in the process, of a bounded number of sessions."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass

from ..errors import InvalidInput

DEFAULT_SIZE = 256


@dataclass(slots=True)
class Slot:
    """A value. ``uses`` counts how often it was read since it was last changed, ``kept`` that it was kept for good."""

    index: int
    key: str
    value: str
    last_accessed: int
    uses: int = 0
    kept: bool = False
    expires: float | None = None
    resolved: bool = True


class Silo:
    """A store of texts with stable slot indexes; when it is full the least recently used one goes.

    Reading and writing both count as use. An index is never given to another key. All methods are safe to
    call from several threads.
    """

    def __init__(
        self, silo_size: int = DEFAULT_SIZE, ttl: float | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """``silo_size`` below 1 counts as 1. ``ttl``: seconds after which a value that was not set again is gone.

        Raises:
            InvalidInput: ``silo_size`` is no number.
        """
        self.silo_size = size_of(silo_size)
        self._ttl = ttl
        self._clock = clock
        self._lock = threading.RLock()
        self._slots: OrderedDict[str, Slot] = OrderedDict()  # the least recently used first
        self._next = 0
        self._sequence = 0

    def peek(self, key: str) -> tuple[bool, str | None, int | None]:
        """Return whether the key is there, its value and its index."""
        with self._lock:
            slot = self._use(key)
            return (False, None, None) if slot is None else (True, slot.value, slot.index)

    def use(self, key: str, keep_after: int = 0) -> tuple[str, int, bool] | None:
        """Return a key's value, its index, and whether it is due to be kept for good; ``None`` if it is not there.

        It is due once, at the first read from the ``keep_after``-th on since it was last changed; 0: never.
        """
        with self._lock:
            slot = self._use(key)
            if slot is None:
                return None
            due = 0 < keep_after <= slot.uses and not slot.kept
            slot.kept = slot.kept or due
            return slot.value, slot.index, due

    def keep_later(self, key: str) -> None:
        """Say that a value could not be kept when it was due, so that it is due again."""
        with self._lock:
            if key in self._slots:
                self._slots[key].kept = False

    def _use(self, key: str) -> Slot | None:
        slot = self._slots.get(key) if isinstance(key, str) else None
        if slot is None:
            return None
        if slot.expires is not None and self._clock() >= slot.expires:
            del self._slots[key]
            return None
        slot.uses += 1
        self._touch(slot)
        return slot

    def _touch(self, slot: Slot) -> None:
        self._sequence += 1
        slot.last_accessed = self._sequence
        self._slots.move_to_end(slot.key)

    def set(self, key: str, value: str) -> int:
        """Put a value under a key, in place if the key is there, and return its index.

        Raises:
            InvalidInput: the key or the value is no text.
        """
        for name, given in (("key", key), ("value", value)):
            if not isinstance(given, str):
                raise InvalidInput(name, f"must be text, not {type(given).__name__}")
        with self._lock:
            slot = self._slots.get(key)
            expires = None if self._ttl is None else self._clock() + self._ttl
            if slot is not None and slot.expires is not None and self._clock() >= slot.expires:
                del self._slots[key]
                slot = None
            if slot is None:
                if len(self._slots) >= self.silo_size:
                    self._drop_expired()
                while len(self._slots) >= self.silo_size:
                    self._slots.popitem(last=False)
                slot = self._slots[key] = Slot(self._next, key, value, 0)
                self._next += 1
            elif slot.value != value:
                slot.value, slot.uses, slot.kept = value, 0, False
            slot.expires = expires
            self._touch(slot)
            return slot.index

    def flush(self) -> int:
        """Remove everything, begin the indexes at 0 again, and return how many values there were."""
        with self._lock:
            self._drop_expired()
            gone = len(self._slots)
            self._slots.clear()
            self._next = 0
            return gone

    def _drop_expired(self) -> None:
        if self._ttl is not None:
            now = self._clock()
            for key in [key for key, slot in self._slots.items() if slot.expires is not None and now >= slot.expires]:
                del self._slots[key]

    def slots(self) -> tuple[Slot, ...]:
        """Return what is in it, by index. They are its own: do not change them."""
        with self._lock:
            self._drop_expired()
            return tuple(sorted(self._slots.values(), key=lambda slot: slot.index))

    def __len__(self) -> int:
        with self._lock:
            self._drop_expired()
            return len(self._slots)

    def __contains__(self, key: object) -> bool:
        with self._lock:
            slot = self._slots.get(key) if isinstance(key, str) else None
            return slot is not None and (slot.expires is None or self._clock() < slot.expires)


def size_of(given: object) -> int:
    """Return how many values a silo is to hold: the whole part of a number, at least 1."""
    try:
        return max(1, int(given))  # type: ignore[call-overload, no-any-return]
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput("silo_size", f"must be a whole number, got {given!r:.40}") from None


class Silos(MutableMapping[str, Silo]):
    """The silos of sessions by name; beyond ``most`` the one that was used longest ago goes."""

    def __init__(self, most: int = 1000, ttl: float | None = None) -> None:
        self.most = most
        self.ttl = ttl
        self._lock = threading.Lock()
        self._silos: OrderedDict[str, Silo] = OrderedDict()

    def of(self, session: str, silo_size: int = DEFAULT_SIZE) -> Silo:
        """Return the silo of a session; it is made with this size if there is none."""
        with self._lock:
            silo = self._silos.get(session)
            if silo is None:
                return self._put(session, Silo(silo_size, self.ttl))
            self._silos.move_to_end(session)
            return silo

    def reset(self, session: str, silo_size: int = DEFAULT_SIZE) -> tuple[Silo, int]:
        """Give a session a new silo; return it, and how many values were in the one before."""
        with self._lock:
            before = self._silos.pop(session, None)
            return self._put(session, Silo(silo_size, self.ttl)), 0 if before is None else len(before)

    def drop(self, session: str) -> int:
        """Take a session's silo away; return how many values it held."""
        with self._lock:
            silo = self._silos.pop(session, None)
        return 0 if silo is None else silo.flush()

    def _put(self, session: str, silo: Silo) -> Silo:
        while len(self._silos) >= self.most:
            self._silos.popitem(last=False)
        self._silos[session] = silo
        return silo

    def __getitem__(self, session: str) -> Silo:
        with self._lock:
            return self._silos[session]

    def __setitem__(self, session: str, silo: Silo) -> None:
        with self._lock:
            self._silos.pop(session, None)
            self._put(session, silo)

    def __delitem__(self, session: str) -> None:
        with self._lock:
            del self._silos[session]

    def __iter__(self) -> Iterator[str]:
        with self._lock:
            return iter(list(self._silos))

    def __len__(self) -> int:
        with self._lock:
            return len(self._silos)

    def clear(self) -> None:
        with self._lock:
            self._silos.clear()
