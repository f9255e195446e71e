# SPDX-License-Identifier: Apache-2.0
"""JSON-RPC messages, one a line, between two file descriptors and the SDK's message streams.

The SDK has a standard-input transport too. This one answers what cannot be read instead of dropping
it, hands text that is not valid Unicode on to the tools (which name the argument it stands in), bounds
the length of a line and the number of calls in progress, lets calls finish when the input ends, and
never keeps the process alive while it waits for input.
"""

from __future__ import annotations

import json
import logging
import os
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator

import anyio
from anyio import from_thread, to_thread
from anyio.lowlevel import EventLoopToken, current_token
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)

logger = logging.getLogger(__name__)

MAX_LINE = 16 * 1024 * 1024
"""Bytes of one message; a longer one is refused."""

MAX_CALLS = 512
"""Requests in progress; while there are as many, the input is left unread."""

DRAIN = 10.0
"""Seconds that requests in progress are given once the input has ended."""

CHUNK = 64 * 1024

Serve = Callable[
    [MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]], Awaitable[None]
]


class Unreadable(Exception):
    """A line that holds no message; ``answer`` says so to the other side."""

    def __init__(self, code: int, problem: str, id: str | int | None = None) -> None:
        super().__init__(problem)
        self.answer = JSONRPCError(jsonrpc="2.0", id=id, error=ErrorData(code=code, message=problem))


def parse(line: bytes) -> JSONRPCMessage:
    """Return the message in a line.

    Lone surrogates and bytes that are not UTF-8 come through as lone surrogates in its arguments.

    Raises:
        Unreadable: it is not JSON, or not JSON-RPC 2.0.
    """
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        pass  # once more below, with a parser that is slower and takes more
    try:
        document = json.loads(line.decode("utf-8", "surrogateescape").lstrip("\ufeff"))
    except ValueError as error:
        raise Unreadable(PARSE_ERROR, f"the message is not valid JSON: {error}") from None
    except RecursionError:
        raise Unreadable(PARSE_ERROR, "the message is nested too deeply") from None
    try:
        return jsonrpc_message_adapter.validate_python(document, by_name=False)
    except ValueError:
        id = document.get("id") if isinstance(document, dict) else None
        usable = isinstance(id, int) or (isinstance(id, str) and id.isprintable())
        problem = "the message is not a JSON-RPC 2.0 request, notification or response"
        raise Unreadable(INVALID_REQUEST, problem, id if usable and not isinstance(id, bool) else None) from None


def encode(message: JSONRPCMessage) -> bytes:
    """Return a message as one line of UTF-8."""
    try:
        return message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
    except ValueError:
        logger.exception("an answer could not be written as JSON")
        id = message.id if isinstance(message, JSONRPCResponse | JSONRPCError) else None
        error = ErrorData(code=INTERNAL_ERROR, message="the answer could not be written as JSON")
        return JSONRPCError(jsonrpc="2.0", id=id, error=error).model_dump_json(exclude_unset=True).encode() + b"\n"


def lines(source: int) -> Iterator[bytes | None]:
    """Yield the lines read from a file descriptor without blanks, and ``None`` for one over ``MAX_LINE``."""
    held = bytearray()
    skipping = False
    while chunk := os.read(source, CHUNK):
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            held += part
            if skipping or len(held) > MAX_LINE:
                yield None
            elif not held.isspace() and held:
                yield bytes(held)
            held.clear()
            skipping = False
        held += rest
        if len(held) > MAX_LINE:
            held.clear()
            skipping = True
    if skipping:
        yield None
    elif held and not held.isspace():
        yield bytes(held)


class Wire:
    """Carries messages from ``source`` and to ``sink`` for one server."""

    def __init__(
        self,
        source: int,
        sink: int,
        *,
        on_stop: Callable[[], None] = lambda: None,
        on_end: Callable[[], None] = lambda: None,
    ) -> None:
        """``on_stop`` is called once no more calls will be taken, ``on_end`` once none will be answered either."""
        self._source = source
        self._sink = sink
        self._on_stop = on_stop
        self._on_end = on_end
        self._calls: Counter[str | int] = Counter()
        self._settled = anyio.Condition()

    async def carry(self, serve: Serve) -> None:
        """Run ``serve`` until the input has ended, ``stop`` is called or nobody reads the output."""
        self._inward, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outgoing, outward = anyio.create_memory_object_stream[SessionMessage](0)
        self._refusals = outgoing.clone()
        async with anyio.create_task_group() as group:
            self._scope = group.cancel_scope
            reader = threading.Thread(target=self._read, args=(current_token(),), name="becausal-stdin", daemon=True)
            reader.start()
            group.start_soon(self._write, outward)
            await serve(incoming, outgoing)
            self._refusals.close()

    async def stop(self, grace: float) -> None:
        """Take no more messages, and give the calls in progress ``grace`` seconds to be answered."""
        self._on_stop()
        with anyio.move_on_after(grace):
            async with self._settled:
                while self._calls:
                    await self._settled.wait()
        self._on_end()
        self._inward.close()

    def _read(self, token: EventLoopToken) -> None:
        try:
            try:
                for line in lines(self._source):
                    from_thread.run(self._receive, line, token=token)
            except OSError as error:
                logger.warning("standard input cannot be read: %s", error)
            from_thread.run(self.stop, DRAIN, token=token)
        except (anyio.ClosedResourceError, anyio.BrokenResourceError, RuntimeError):
            logger.debug("the session ended before its input")

    async def _receive(self, line: bytes | None) -> None:
        try:
            if line is None:
                raise Unreadable(INVALID_REQUEST, f"a message must be at most {MAX_LINE:,} bytes")
            message = parse(line)
        except Unreadable as unreadable:
            await self._refusals.send(SessionMessage(unreadable.answer))
            return
        match message:
            case JSONRPCRequest():
                async with self._settled:
                    while self._calls.total() >= MAX_CALLS:
                        await self._settled.wait()
                    self._calls[message.id] += 1
            case JSONRPCNotification(method="notifications/cancelled", params={"requestId": str() | int() as id}):
                await self._settle(id)  # it will not be answered
        await self._inward.send(SessionMessage(message))

    async def _write(self, outward: MemoryObjectReceiveStream[SessionMessage]) -> None:
        limiter = anyio.CapacityLimiter(1)
        async with outward:
            async for item in outward:
                try:
                    await to_thread.run_sync(self._put, encode(item.message), limiter=limiter)
                except OSError as error:
                    logger.info("nobody reads the answers any more: %s", error)
                    self._on_end()
                    self._scope.cancel()
                    return
                if isinstance(item.message, JSONRPCResponse | JSONRPCError) and item.message.id is not None:
                    await self._settle(item.message.id)

    async def _settle(self, id: str | int) -> None:
        async with self._settled:
            if self._calls[id] > 1:
                self._calls[id] -= 1
            else:
                del self._calls[id]
            self._settled.notify_all()

    def _put(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._sink, view) :]
