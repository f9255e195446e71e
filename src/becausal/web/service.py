# SPDX-License-Identifier: Apache-2.0
"""``becausal serve``: from the first start's token to a stop that loses nothing."""

from __future__ import annotations

import gc
import logging
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import BecausalError
from ..server.stdio import Deadline, Signals
from .tokens import Tokens

if TYPE_CHECKING:
    from ..settings import Settings
    from .app import Service

GRACE = 2.0
"""Seconds that requests in progress are given after a signal."""

LAST = 0.5
"""Seconds that what is still in progress is given after that, when it has no memory to work on any more."""

DEADLINE = 4.0
"""Seconds from a signal to the end of the process, whatever still runs."""


class CannotListen(BecausalError):
    """The port cannot be listened on."""


def serve(settings: Settings, announce: Callable[[str, str | None], None]) -> int:
    """Serve the memories of all who have a token until SIGTERM or SIGINT comes; return 0.

    ``announce`` is called once it listens, with its address and, at the first start, with the token that was made.
    To be called once in a process, from its main thread.

    Raises:
        CannotListen: the port is taken, or the address is none of this machine's.
        StoreUnavailable: the first token cannot be kept.
    """
    import anyio

    signals = Signals()
    deadline = Deadline(DEADLINE)
    listener = listen(settings.http_host, settings.listening_port)
    first = Tokens(settings.storage_location).create_first(settings.user)
    anyio.run(_serve, settings, listener, signals, deadline, lambda address: announce(address, first))
    gc.freeze()  # all is closed: to look for garbage once more would take the interpreter longer than all the rest
    return 0


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that is bound.

    Raises:
        CannotListen: it cannot be bound.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
        except OSError:
            listener.close()
            raise
    except OSError as error:
        raise CannotListen(f"{host}:{port} cannot be listened on: {error.strerror}") from error
    return listener


async def _serve(
    settings: Settings,
    listener: socket.socket,
    signals: Signals,
    deadline: Deadline,
    announce: Callable[[str], None],
) -> None:
    import asyncio

    import anyio
    import uvicorn

    from .app import build_service
    from .connections import bounded, room_for

    class Server(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Generator[None]:
            yield  # a signal is for what stands around it

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            gc.freeze()  # what has been loaded stays: to look for garbage in it would only keep requests waiting
            announce(address_of(listener))

    from ..composition import opener

    # What a client sends may be what memories say, and these log it.
    for name in ("mcp.server.sse", "mcp.server.streamable_http"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    service = build_service(settings, opener(settings))
    server = Server(
        uvicorn.Config(
            service.app,
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            ws="none",
            http=bounded(room_for(settings.http_connections)),
            timeout_graceful_shutdown=1,
        )
    )
    signalled = anyio.Event()
    signals.watch(asyncio.get_running_loop(), signalled.set)

    async def end_on_signal() -> None:
        await signalled.wait()
        deadline.start()
        await finish(service)
        if service.app.at_work:  # it waits for nothing that could be told to end
            deadline.end("a call was still running at the end and was broken off")
        server.should_exit = True

    async with anyio.create_task_group() as group:
        group.start_soon(end_on_signal)
        await server.serve([listener])
        group.cancel_scope.cancel()


async def finish(service: Service) -> None:
    """Let no new request in, wait a while for those in progress, end what would go on for ever, close the memories.

    What is done in the background ends with its next step, and whoever opens the memories next goes on with it.
    """
    import anyio
    from anyio import to_thread

    async def rest(seconds: float) -> None:
        with anyio.move_on_after(seconds):
            while service.app.at_work:
                await anyio.sleep(0.02)

    service.app.closing = True
    service.ending.begin()
    service.pool.wind_down()
    await rest(GRACE)
    service.app.end_streams()
    await service.endpoint.end_sessions()
    await to_thread.run_sync(service.pool.close, limiter=anyio.CapacityLimiter(1))
    await rest(LAST)


def address_of(listener: socket.socket) -> str:
    """Return where a socket listens, as an address for a browser."""
    host, port = listener.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def first_token_file(location: Path) -> Path:
    """Return the file that keeps the token of the first start."""
    return Tokens(location).first
