# SPDX-License-Identifier: Apache-2.0
"""What goes on in an open memory by itself or takes long, and how it ends when the memory is closed."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Protocol

from ..errors import StoreUnavailable
from ..models.lazy import CLOSED


class Part(Protocol):
    """Something that works in a thread of its own."""

    def start(self) -> None: ...

    def wind_down(self) -> None:
        """Begin nothing more. Returns at once."""
        ...

    def close(self) -> None:
        """Wind down, and wait for the end of the step at hand."""
        ...


class Background:
    """The parts of a memory that work by themselves."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = tuple(parts)

    def start(self) -> None:
        for part in self._parts:
            part.start()

    def wind_down(self) -> None:
        """Have all of them end, at once: so closing takes as long as the longest step at hand, not as all of them."""
        for part in self._parts:
            part.wind_down()

    def close(self) -> None:
        """Wait until all of them have ended."""
        for part in self._parts:
            part.close()


class Closing:
    """Whether a memory is being closed, for whoever works on it for long because somebody asked for that."""

    def __init__(self) -> None:
        self._come = threading.Event()

    def begin(self) -> None:
        self._come.set()

    def begun(self) -> bool:
        return self._come.is_set()

    def check(self) -> None:
        """Return if the memory stays open.

        Raises:
            StoreUnavailable: it does not.
        """
        if self._come.is_set():
            raise StoreUnavailable(CLOSED)
