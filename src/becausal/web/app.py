# SPDX-License-Identifier: Apache-2.0
"""The web application: its routes, behind the guard."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from ..server.app import Ending, build_server
from ..server.errors import conceal
from ..server.toolsets import choose
from .attempts import Attempts
from .guard import Guard
from .health import Health
from .login_page import PAGE
from .logins import Logins
from .mcp import McpEndpoint
from .metrics import Metrics
from .pool import CallersMemory, Pool
from .refusals import MESSAGES, refusal, wants_events
from .routes import Routes
from .tokens import Tokens

if TYPE_CHECKING:
    from ..engine.memory import Memory
    from ..settings import Settings

PATHS = (
    *("/", "/mcp", "/sse", MESSAGES, "/graphql", "/login", "/logout", "/session", "/health"),
    "/metrics",
)
"""All routes but the page's files, as a test makes sure."""

SWEEP = 15.0
"""Seconds between two looks for memories that nobody has used for long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """The application and the parts that whoever runs it needs to end it."""

    app: Guard
    routes: tuple[Route | Mount, ...]
    endpoint: McpEndpoint
    ending: Ending
    pool: Pool


def build_service(settings: Settings, open_memory: Callable[[str], Memory]) -> Service:
    """Put the service together; ``open_memory`` opens the memory of a user.

    It works while its lifespan lasts, and closes the memories at the end of it.
    """
    tokens = Tokens(settings.storage_location)
    attempts = Attempts(tokens, settings.http_failures)
    logins = Logins()
    pool = Pool(open_memory, most=settings.http_memories, idle=settings.http_idle)
    tools, instructions = choose(settings.tools, settings.tool_prefix)
    ending = Ending()
    metrics = Metrics(PATHS, ("/assets",))
    server = build_server(tools, CallersMemory(pool), instructions, ending, metrics.call)
    endpoint = McpEndpoint(
        server, most=settings.http_sessions, idle=settings.http_idle, most_bytes=settings.http_body + 1
    )
    health = Health(pool, endpoint, settings.user)
    answers = Routes(pool, attempts, logins, health)
    page = Route("/", answers.page, methods=["GET"])

    async def root(scope: Scope, receive: Receive, send: Send) -> None:
        page_wanted = scope["method"] in ("GET", "HEAD") and not wants_events(scope)
        await (page.handle if page_wanted else endpoint)(scope, receive, send)

    routes = (
        Route("/", _Raw(root)),
        Route("/mcp", _Raw(endpoint)),
        Route("/sse", _Raw(endpoint.sse), methods=["GET"]),
        Route(MESSAGES, _Raw(endpoint.messages), methods=["POST"]),
        Route("/graphql", answers.graphql, methods=["POST"]),
        Route("/login", answers.login, methods=["POST"]),
        Route("/logout", answers.logout, methods=["POST"]),
        Route("/session", answers.session, methods=["GET"]),
        Route("/health", answers.health, methods=["GET"]),
        Route("/metrics", metrics.show, methods=["GET"]),
        Mount("/assets", _Revalidated(StaticFiles(directory=PAGE)), name="assets"),
    )

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with endpoint.running(), anyio.create_task_group() as group:
            group.start_soon(_sweep, pool)
            try:
                yield
            finally:
                group.cancel_scope.cancel()
                with anyio.CancelScope(shield=True):
                    await to_thread.run_sync(pool.close)

    app = Starlette(
        routes=list(routes),
        lifespan=lifespan,
        exception_handlers={HTTPException: _refuse, Exception: _conceal},
    )
    app.router.redirect_slashes = False
    guard = Guard(app, settings, tokens, attempts, logins, metrics.request)
    metrics.watch(pool, endpoint, guard)
    return Service(app=guard, routes=routes, endpoint=endpoint, ending=ending, pool=pool)


class _Raw:
    """An ASGI application as an endpoint: Starlette takes a plain function for one of its own kind."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


class _Revalidated:
    """The page's files, which a browser may keep but asks for again each time: they change with the version."""

    def __init__(self, files: StaticFiles) -> None:
        self._files = files

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._files.get_response(self._files.get_path(scope), scope)
        response.headers["cache-control"] = "no-cache"
        await response(scope, receive, send)


async def _sweep(pool: Pool) -> None:
    while True:
        await anyio.sleep(SWEEP)
        await to_thread.run_sync(pool.sweep)


async def _refuse(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    told = {404: "Not found", 405: "Method not allowed"}.get(error.status_code, error.detail)
    code = told.upper().replace(" ", "_")
    return refusal(request.scope, error.status_code, code, told, headers=error.headers)


async def _conceal(request: Request, error: Exception) -> Response:
    return refusal(request.scope, 500, "INTERNAL_ERROR", conceal("a request", error))
