# SPDX-License-Identifier: Apache-2.0
"""The MCP server on standard input and output, from the first byte to a clean exit."""

from __future__ import annotations

import gc
import logging
import os
import signal
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

from .opening import LazyMemory
from .toolsets import DEFAULT, choose

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

    from mcp.server.lowlevel import Server

    from ..engine.memory import Memory

logger = logging.getLogger(__name__)

GRACE = 2.0
"""Seconds that calls in progress are given after a signal."""

DEADLINE = 5.0
"""Seconds from the end of the session to the end of the process, whatever still runs."""


def run(path: Path | None = None, *, user: str | None = None) -> int:
    """Serve the memory in a folder (default: as configured) over standard input and output.

    Raises:
        SettingsError: a setting is wrong; nothing has been read or written yet.
    """
    from ..settings import Settings
    from ..telemetry import configure_logging

    settings = Settings.load(storage_location=path, user=user)
    configure_logging(settings.log_level)

    def open_memory() -> Memory:
        from ..composition import build_memory

        return build_memory(settings)

    return run_stdio(open_memory, settings.tools, settings.tool_prefix)


def run_stdio(open_memory: Callable[[], Memory], toolsets: Sequence[str] = DEFAULT, prefix: str | None = None) -> int:
    """Serve some toolsets until the input ends, SIGTERM or SIGINT comes, or nobody reads the output; return 0.

    ``open_memory`` is called in a thread when a client first asks for the tools, and called again at
    the next tool call if it fails: until then the memory's error is every tool's answer. The memory is
    closed at the end. Everything printed while this runs goes to standard error. To be called once in
    a process, from its main thread. A standard stream that is closed is logged, and 1 returned.
    """
    signals = Signals()
    try:
        source, sink = claim_standard_streams()
    except OSError as error:
        logger.error("standard input and output must both be open: %s", error)
        return 1
    memories = LazyMemory(open_memory)
    deadline = Deadline()
    try:
        gc.disable()  # the imports make many objects and no garbage: a sixteenth of the time to the first answer
        import anyio

        from .app import Ending, build_server

        tools, instructions = choose(toolsets, prefix)
        ending = Ending()
        server = build_server(tools, memories, instructions, ending)
        gc.freeze()
        gc.enable()
        anyio.run(_serve, server, source, sink, signals, deadline, ending.begin)
    finally:
        deadline.start()
        memories.close()
    gc.freeze()  # all is closed: to look for garbage once more would only keep whoever waits for the end
    return 0


def claim_standard_streams() -> tuple[int, int]:
    """Return private descriptors for the protocol; what stays is empty input, and output to standard error.

    Whatever other code or a child process prints then misses the protocol.
    """
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return source, sink


class Signals:
    """Turns SIGTERM or SIGINT into a call on the event loop; a second one, of either, ends the process at once."""

    def __init__(self) -> None:
        self._came = False
        self._loop: AbstractEventLoop | None = None
        self._then: Callable[[], Any] = lambda: None
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._handle)

    def watch(self, loop: AbstractEventLoop, then: Callable[[], Any]) -> None:
        """Have ``then`` called on ``loop`` when a signal comes, or soon if one came already."""
        self._loop, self._then = loop, then
        if os.name == "posix":
            # Of two signals at once the second may come to another thread; the loop's, which handles it, must wake up.
            woken, waking = os.pipe()
            os.set_blocking(woken, False)
            os.set_blocking(waking, False)
            loop.add_reader(woken, os.read, woken, 64)
            signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
        if self._came:
            loop.call_soon(then)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._came:
            # Only now does it end the process: of two that come at once, Python would drop the second one.
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        self._came = True
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._then)


class Deadline:
    """Ends the process if its worker threads do not, some time after the session is over.

    What was answered is on disk by then, and what was not was never promised.
    """

    def __init__(self, seconds: float = DEADLINE) -> None:
        self._seconds = seconds
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True
        self._started = False

    def start(self) -> None:
        if not self._started:
            self._started = True
            self._timer.start()

    def end(self, why: str) -> NoReturn:
        """End the process now."""
        logger.warning("%s", why)
        logging.shutdown()
        os._exit(0)

    def _end(self) -> None:
        self.end(f"stopped {self._seconds:g} seconds after the session ended, while a call was still running")


async def _serve(
    server: Server[Any],
    source: int,
    sink: int,
    signals: Signals,
    deadline: Deadline,
    on_stop: Callable[[], None],
) -> None:
    import asyncio

    import anyio

    from .wire import Wire

    wire = Wire(source, sink, on_stop=on_stop, on_end=deadline.start)
    signalled = anyio.Event()
    signals.watch(asyncio.get_running_loop(), signalled.set)
    options = server.create_initialization_options()

    async def end_on_signal() -> None:
        await signalled.wait()
        await wire.stop(GRACE)

    async with anyio.create_task_group() as group:
        group.start_soon(end_on_signal)
        await wire.carry(partial(server.run, initialization_options=options))
        group.cancel_scope.cancel()
