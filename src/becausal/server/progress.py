# SPDX-License-Identifier: Apache-2.0
"""Telling a client that a long call is still being worked on, so that it does not give up."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

EVERY = 2.0
"""Seconds between two notifications; a call that is shorter gives none."""


@asynccontextmanager
async def reporting(context: ServerRequestContext[Any, Any]) -> AsyncIterator[None]:
    """Meanwhile tell the client, if it asked for that, how many seconds the call has taken so far."""
    if "progress_token" not in (context.meta or {}):
        yield
        return
    import anyio

    begun = anyio.current_time()

    async def tell() -> None:
        while True:
            await anyio.sleep(EVERY)
            seconds = round(anyio.current_time() - begun)
            await context.session.report_progress(seconds, None, f"still working, after {seconds} s")

    async with anyio.create_task_group() as group:
        group.start_soon(tell)
        yield
        group.cancel_scope.cancel()
