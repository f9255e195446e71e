# SPDX-License-Identifier: Apache-2.0
"""How long somebody who waits for an answer waits for services, whichever of them are asked, and through whatever."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

BLIND_SECONDS = 1.5
"""Seconds that somebody who waits lets go by between attempts at a service that does not say when to come back."""

_END: ContextVar[float] = ContextVar("end of the patience", default=math.inf)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Let no call of a service that is made inside go on for longer than so many seconds from now.

    It holds for the calling thread; a limit around it that ends earlier stays.
    """
    token = _END.set(min(_END.get(), time.monotonic() + seconds))
    try:
        yield
    finally:
        _END.reset(token)


def seconds_left() -> float:
    """Return the seconds that the innermost ``within`` leaves, without one infinitely many."""
    return _END.get() - time.monotonic()
