# SPDX-License-Identifier: Apache-2.0
"""What the service counts, for Prometheus. Nothing it tells holds a user's name, a token or what a memory says."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from starlette.requests import Request
from starlette.responses import Response

if TYPE_CHECKING:
    from starlette.types import Scope

    from .guard import Guard
    from .mcp import McpEndpoint
    from .pool import Pool

_METHODS = frozenset({"GET", "HEAD", "POST", "DELETE", "OPTIONS", "PUT", "PATCH"})
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Metrics:
    """Counters and gauges of one service, in a registry of its own. Times are in seconds."""

    def __init__(self, routes: Collection[str], folders: Collection[str]) -> None:
        """Count requests by route: any other path, which a stranger may make up, is ``other``."""
        self._routes = frozenset(routes)
        self._folders = tuple(folders)
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._requests = Counter(
            "becausal_http_requests",
            "Requests that were answered, or refused.",
            ("route", "method", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "becausal_http_request_seconds",
            "Time to the end of an answer, but for event streams.",
            ("route",),
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._calls = Counter(
            "becausal_tool_calls", "Calls of MCP tools.", ("tool", "outcome"), registry=self._registry
        )
        self._call_seconds = Histogram(
            "becausal_tool_call_seconds",
            "Time that calls of MCP tools take.",
            ("tool",),
            buckets=_BUCKETS,
            registry=self._registry,
        )

    def watch(self, pool: Pool, endpoint: McpEndpoint, guard: Guard) -> None:
        """Tell how many memories and sessions are open, and requests being answered, too."""
        for name, text, look in (
            ("becausal_requests_at_work", "Requests that are being answered, this one too.", lambda: guard.at_work),
            ("becausal_open_memories", "Memories that are open.", lambda: pool.size),
            ("becausal_mcp_sessions", "MCP sessions that are open.", lambda: endpoint.active),
        ):
            Gauge(name, text, registry=self._registry).set_function(look)

    def request(self, scope: Scope, status: int, seconds: float | None) -> None:
        """Count a request; ``seconds`` is ``None`` for a stream."""
        route = self._route(scope["path"])
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._requests.labels(route, method, str(status)).inc()
        if seconds is not None:
            self._seconds.labels(route).observe(seconds)

    def call(self, tool: str, seconds: float, failed: bool) -> None:
        """Count a call of a tool that there is."""
        self._calls.labels(tool, "failed" if failed else "done").inc()
        self._call_seconds.labels(tool).observe(seconds)

    async def show(self, request: Request) -> Response:
        return Response(generate_latest(self._registry), headers={"content-type": CONTENT_TYPE_PLAIN_0_0_4})

    def _route(self, path: str) -> str:
        if path in self._routes:
            return path
        return next((folder for folder in self._folders if path.startswith(f"{folder}/")), "other")
