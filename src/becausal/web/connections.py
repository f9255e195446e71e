# SPDX-License-Identifier: Apache-2.0
"""What a connection may take before there is a request for the guard to look at: a place, and some seconds."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 15.0
"""Seconds in which the head of a request must have come whole, from the connection's beginning or the last answer."""

MOST_FILES = 65_536


def bounded(most: int, seconds: float = HEAD_SECONDS) -> type[asyncio.Protocol]:
    """Return a protocol for uvicorn: at most so many connections at once, each cut off if no request comes."""

    class Bounded(_Bounded):
        MOST = most
        SECONDS = seconds

    return Bounded


def room_for(wanted: int) -> int:
    """Let the process open as many files as it may, and return for how many connections there is room then.

    Half of the files are kept for the memories: each connection is one, and so is each file of a database.
    """
    try:
        import resource
    except ImportError:  # Windows, where sockets do not count as files
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        soft = most
    return wanted if soft == resource.RLIM_INFINITY else max(1, min(wanted, soft // 2))


class _Bounded(H11Protocol):
    """uvicorn's protocol waits for ever for a request, and accepts every connection."""

    MOST: ClassVar[int]
    SECONDS: ClassVar[float]

    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.MOST:
            transport.abort()
        else:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self._stop_waiting()  # a request is there; how long its body may take is the guard's to say

    def on_response_complete(self) -> None:
        self._wait()
        super().on_response_complete()

    def _wait(self) -> None:
        self._stop_waiting()
        self._patience = self.loop.call_later(self.SECONDS, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None
