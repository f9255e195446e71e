# SPDX-License-Identifier: Apache-2.0
"""How a request is refused: in the form that its protocol reads, and with a code for programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse, Response
from starlette.types import Scope

if TYPE_CHECKING:
    from .attempts import TooManyWrong

SERVER_ERROR = -32000
"""The code of JSON-RPC for what a server refuses; what exactly it is stands in ``data.code``, as in polyg-mcp."""

MESSAGES = "/messages"


def speaks_mcp(scope: Scope) -> bool:
    """Whether a request is one of MCP, whatever comes of it."""
    path: str = scope["path"]
    return path in ("/mcp", "/sse", MESSAGES) or (path == "/" and (scope["method"] != "GET" or wants_events(scope)))


def wants_events(scope: Scope) -> bool:
    """Whether the client asks for an event stream, which a browser that opens a page does not."""
    accept = b",".join(value for name, value in scope["headers"] if name == b"accept")
    return b"text/event-stream" in accept.lower()


def refusal(
    scope: Scope,
    status: int,
    code: str,
    message: str,
    *,
    data: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return the answer to a request that is refused."""
    more = dict(data or {})
    body: dict[str, Any]
    if speaks_mcp(scope):
        error = {"code": SERVER_ERROR, "message": message, "data": {"code": code, **more}}
        body = {"jsonrpc": "2.0", "error": error, "id": None}
    else:
        body = {"error": message, "code": code, **more}
    return JSONResponse(body, status, headers=dict(headers or {}))


def too_many(error: TooManyWrong) -> str:
    return f"too many wrong tokens came from this address; try again in {error.seconds} s"


def retry_after(error: TooManyWrong) -> dict[str, str]:
    return {"retry-after": str(error.seconds)}


def too_many_wrong(scope: Scope, error: TooManyWrong) -> Response:
    """Return the answer to whoever sends a token that is not looked at."""
    return refusal(scope, 429, "TOO_MANY_WRONG", too_many(error), headers=retry_after(error))
