# SPDX-License-Identifier: Apache-2.0
"""MCP over HTTP: streamable, with and without sessions, and the older transport with an event stream of its own.

Which transport a client speaks follows from its request. Sessions, their number and their end follow polyg-mcp; what
a session is asked is answered by the SDK's transport. A session belongs to the user who began it: to anybody else it
does not exist.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import anyio
from anyio.abc import TaskGroup, TaskStatus
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.sse import SseServerTransport
from mcp.server.streamable_http import StreamableHTTPServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from .caller import caller_of
from .refusals import MESSAGES, refusal

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

logger = logging.getLogger(__name__)

SESSION = "mcp-session-id"
VERSION = "mcp-protocol-version"


@dataclass(frozen=True, slots=True)
class _Session:
    transport: StreamableHTTPServerTransport
    user: str


class McpEndpoint:
    """The MCP server on HTTP. It works while ``running``."""

    def __init__(self, server: Server[Any], *, most: int, idle: float, most_bytes: int) -> None:
        self._server = server
        self._most = most
        self._idle = idle
        self._most_bytes = most_bytes
        self._sessions: dict[str, _Session] = {}
        self._streams = 0  # of the older transport: each is a session
        self._sse = SseServerTransport(MESSAGES, max_request_body_size=most_bytes)
        self._sessionless = StreamableHTTPSessionManager(server, stateless=True, max_request_body_size=most_bytes)
        self._group: TaskGroup | None = None

    @property
    def active(self) -> int:
        """How many sessions are open."""
        return len(self._sessions) + self._streams

    @property
    def most(self) -> int:
        return self._most

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve meanwhile."""
        async with self._sessionless.run(), anyio.create_task_group() as group:
            self._group = group
            try:
                yield
            finally:
                self._group = None
                group.cancel_scope.cancel()

    async def end_sessions(self) -> None:
        """End all sessions but those of the older transport, which end with their streams."""
        for id, session in list(self._sessions.items()):
            await self._end(id, session)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of streamable HTTP."""
        headers = Headers(scope=scope)
        version = headers.get(VERSION)
        if version is not None and version not in HANDSHAKE_PROTOCOL_VERSIONS:
            await self._sessionless.handle_request(scope, receive, send)
            return
        id = headers.get(SESSION)
        if id is None:
            await self._begin(scope, receive, send)
            return
        session = self._sessions.get(id)
        if session is None or session.user != caller_of(scope).user:
            told = "Session not found or expired: begin a new one with 'initialize'"
            await refusal(scope, 404, "SESSION_NOT_FOUND", told, data={"sessionId": id[:64]})(scope, receive, send)
            return
        await session.transport.handle_request(scope, receive, send)
        if session.transport.is_terminated:
            await self._end(id, session)

    async def sse(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Open the stream of a session of the older transport."""
        if self.active >= self._most:
            await self._full(scope, receive, send)
            return
        user = caller_of(scope).user
        _identify(scope, user)
        self._streams += 1
        try:
            async with self._sse.connect_sse(scope, receive, send) as (reading, writing):
                await self._server.run(reading, writing, self._server.create_initialization_options())
        finally:
            self._streams -= 1

    async def messages(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take a message for a session of the older transport."""
        _identify(scope, caller_of(scope).user)
        await self._sse.handle_post_message(scope, receive, send)

    async def _begin(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await Request(scope, receive).body()
        if scope["method"] != "POST" or not _is_initialize(body):
            told = f"a session is required: begin one with 'initialize', and send its {SESSION}"
            await refusal(scope, 400, "SESSION_REQUIRED", told)(scope, receive, send)
            return
        if self.active >= self._most:
            await self._full(scope, receive, send)
            return
        id = uuid4().hex
        transport = StreamableHTTPServerTransport(mcp_session_id=id, idle_timeout=self._idle)
        session = _Session(transport, caller_of(scope).user)
        self._sessions[id] = session
        begun = False
        try:
            if self._group is None:
                raise RuntimeError("the endpoint is not running")
            await self._group.start(self._serve, id, session)
            status = await _answer(transport, scope, body, receive, send)
            begun = 200 <= status < 300
        except Exception:  # the top of what one request does; nothing of it has been answered yet
            logger.exception("a session could not be begun")
            told = "the session could not be begun; the server's log has the details"
            await refusal(scope, 500, "SESSION_CREATION_FAILED", told)(scope, receive, send)
        finally:
            if not begun:
                with anyio.CancelScope(shield=True):
                    await self._end(id, session)

    async def _serve(
        self, id: str, session: _Session, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED
    ) -> None:
        """Be a session until its client, its time or the server ends it."""
        transport = session.transport
        try:
            async with transport.connect() as (reading, writing):
                task_status.started()
                with transport.idle_scope or anyio.CancelScope():
                    await self._server.run(reading, writing, self._server.create_initialization_options())
        except Exception:  # a session's top level
            logger.exception("a session broke off")
        finally:
            with anyio.CancelScope(shield=True):
                await self._end(id, session)

    async def _end(self, id: str, session: _Session) -> None:
        self._sessions.pop(id, None)
        if not session.transport.is_terminated:
            await session.transport.terminate()

    async def _full(self, scope: Scope, receive: Receive, send: Send) -> None:
        told = f"there are {self._most} sessions already, and no more may be open at once; try again later"
        refused = refusal(scope, 503, "SESSION_LIMIT", told, data={"maxSessions": self._most})
        await refused(scope, receive, send)


def _is_initialize(body: bytes) -> bool:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(message, dict) and message.get("method") == "initialize"


async def _answer(
    transport: StreamableHTTPServerTransport, scope: Scope, body: bytes, receive: Receive, send: Send
) -> int:
    """Let a transport answer a request whose body has been read; return the status."""
    told = [{"type": "http.request", "body": body, "more_body": False}]
    status = 0

    async def again() -> Any:
        return told.pop() if told else await receive()

    async def watching(message: Any) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
        await send(message)

    await transport.handle_request(scope, again, watching)
    return status


def _identify(scope: Scope, user: str) -> None:
    """Tell the SDK whose request it is: its older transport looks after whose session is whose."""
    scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=user, scopes=[]))
