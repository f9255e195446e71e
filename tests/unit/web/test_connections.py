# SPDX-License-Identifier: Apache-2.0
"""Connections that bring no request, or bring it too slowly."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import anyio
import anyio.lowlevel
import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from becausal.web.connections import bounded, room_for

pytestmark = pytest.mark.anyio

PATIENCE = 0.3


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the body, in two parts, the second after longer than a head may take."""
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body", False):
            break
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"4")]})
    await send({"type": "http.response.body", "body": b"ab", "more_body": True})
    with anyio.move_on_after(2 * PATIENCE):
        await receive()
    await send({"type": "http.response.body", "body": b"cd"})


@asynccontextmanager
async def listening(most: int = 10) -> AsyncIterator[int]:
    """Serve on a free port; give the port."""
    server = uvicorn.Server(
        uvicorn.Config(app, port=0, lifespan="off", log_config=None, ws="none", http=bounded(most, PATIENCE))
    )
    with server.capture_signals():
        async with anyio.create_task_group() as group:
            group.start_soon(server._serve)
            while not server.started:
                await anyio.lowlevel.checkpoint()
            yield server.servers[0].sockets[0].getsockname()[1]
            server.should_exit = True


async def closed(stream: anyio.abc.ByteStream) -> bytes:
    """Return what comes until the other side closes."""
    got = b""
    with suppress(anyio.BrokenResourceError), anyio.fail_after(20):
        async for part in stream:
            got += part
    return got


async def over(stream: anyio.abc.ByteStream, seconds: float) -> bool:
    """Return whether the other side closes within some seconds."""
    with anyio.move_on_after(seconds):
        await closed(stream)
        return True
    return False


async def test_a_connection_that_brings_nothing_is_closed() -> None:
    async with listening() as port, await anyio.connect_tcp("127.0.0.1", port) as stream:
        assert await closed(stream) == b""


async def test_a_head_that_drips_is_not_waited_for() -> None:
    async with listening() as port, await anyio.connect_tcp("127.0.0.1", port) as stream:
        with anyio.fail_after(20):
            await stream.send(b"GET / HTTP/1.1\r\nx: ")
            while not await over(stream, PATIENCE / 10):
                await stream.send(b"y")


async def test_a_request_may_take_its_time_and_the_connection_serves_the_next_one() -> None:
    async with listening() as port, await anyio.connect_tcp("127.0.0.1", port) as stream:
        for _ in range(2):
            await stream.send(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
            got = b""
            while not got.endswith(b"cd"):
                got += await stream.receive()
        assert await closed(stream) == b""  # and then it is not kept for long


async def test_the_body_of_a_request_is_not_cut_off_here() -> None:
    async with listening() as port, await anyio.connect_tcp("127.0.0.1", port) as stream:
        await stream.send(b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\n\r\n")
        assert not await over(stream, 2 * PATIENCE)
        await stream.send(b"1")
        got = b""
        while not got.endswith(b"cd"):
            got += await stream.receive()


async def test_past_the_limit_a_connection_is_closed_at_once_and_makes_no_difference_to_the_others() -> None:
    async with listening(1) as port, await anyio.connect_tcp("127.0.0.1", port) as first:
        async with await anyio.connect_tcp("127.0.0.1", port) as second:
            assert await closed(second) == b""
        await first.send(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        assert (await first.receive()).startswith(b"HTTP/1.1 200")


def test_there_is_room_for_as_many_connections_as_half_of_the_files_that_may_be_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    resource = pytest.importorskip("resource")
    limits = [(1024, 4096)]
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _, given: limits.append(given))
    assert room_for(1000) == 1000
    assert room_for(9000) == 2048
    assert limits[-1] == (4096, 4096)
