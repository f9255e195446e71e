# SPDX-License-Identifier: Apache-2.0
"""What is answered in plain HTTP: GraphQL, logging in and out, the page and its files, and how the service is doing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response

from .._version import __version__
from ..errors import BecausalError, InvalidInput, StoreError
from ..server.errors import conceal
from .attempts import Attempts, TooManyWrong
from .caller import caller_if_any, caller_of
from .guard import cookie_name, cookie_of, port_of
from .login_page import PAGE, login_page
from .logins import LASTS, Logins
from .refusals import refusal, retry_after, too_many, too_many_wrong

if TYPE_CHECKING:
    from .health import Health
    from .pool import Pool

WRONG_TOKEN = "This is no token of this service, or it was revoked."
READS = 16
WRITES = 4
MAX_TOKEN = 200


class Routes:
    """The endpoints. Whoever reaches one of them, but for ``health`` and ``login``, has passed the guard."""

    def __init__(self, pool: Pool, attempts: Attempts, logins: Logins, health: Health) -> None:
        self._pool = pool
        self._attempts = attempts
        self._logins = logins
        self._health = health
        self._reads = CapacityLimiter(READS)
        self._writes = CapacityLimiter(WRITES)

    async def page(self, request: Request) -> Response:
        return FileResponse(PAGE / "index.html", headers={"cache-control": "no-cache"})

    async def session(self, request: Request) -> Response:
        """Tell the page whose memory it shows, and what it must send along to change something."""
        caller = caller_of(request.scope)
        csrf = None if caller.login is None else caller.login.csrf
        return JSONResponse({"user": caller.user, "csrf": csrf, "version": __version__})

    async def login(self, request: Request) -> Response:
        """Log a browser in, with a form or with JSON; either is answered in kind."""
        body = await request.body()
        form = _is(request, "application/x-www-form-urlencoded")
        secret = _from_form(body) if form else _from_json(body) if _is(request, "application/json") else ""
        headers = {"www-authenticate": "Bearer"}
        try:
            token = self._attempts.find(secret, request.scope) if 0 < len(secret) <= MAX_TOKEN else None
        except TooManyWrong as error:
            if form:
                return login_page(429, retry_after(error), too_many(error))
            return too_many_wrong(request.scope, error)
        if token is None:
            if form:
                return login_page(401, headers, WRONG_TOKEN)
            return refusal(request.scope, 401, "TOKEN_REQUIRED", WRONG_TOKEN, headers=headers)
        cookie, login = self._logins.begin(token.digest)
        answer: Response = (
            RedirectResponse("/", 303) if form else JSONResponse({"user": token.user, "csrf": login.csrf})
        )
        answer.set_cookie(
            cookie_name(port_of(request.scope)),
            cookie,
            max_age=int(LASTS),
            path="/",
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="strict",
        )
        return answer

    async def logout(self, request: Request) -> Response:
        port = port_of(request.scope)
        cookie = cookie_of(request.headers, port)
        if cookie is not None:
            self._logins.end(cookie)
        answer = Response(status_code=204, headers={"clear-site-data": '"cache"'})
        answer.delete_cookie(cookie_name(port), path="/", httponly=True, samesite="strict")
        return answer

    async def graphql(self, request: Request) -> Response:
        """Run a request on the caller's memory, as GraphQL over HTTP has it; only POST, and only JSON."""
        if not _is(request, "application/json"):
            return refusal(request.scope, 415, "JSON_REQUIRED", "the body must be application/json")
        try:
            given = _request(await request.body())
            return await self._run(caller_of(request.scope).user, given)
        except InvalidInput as error:
            return _graphql_error(400, str(error))
        except StoreError as error:
            return _graphql_error(503, str(error))
        except BecausalError as error:
            return _graphql_error(400, str(error))
        except Exception as error:  # noqa: BLE001 - the top: logged under a reference, and never shown raw
            return _graphql_error(500, conceal("a GraphQL request", error))

    async def health(self, request: Request) -> Response:
        caller = caller_if_any(request.scope)
        status, document = await self._health.look(known=caller is not None)
        return JSONResponse(document, status)

    async def _run(self, user: str, given: Mapping[str, Any]) -> Response:
        from ..graphql.schema import is_mutation, run

        operation = given["query"]

        def work() -> Response:
            with self._pool.use(user) as memory:
                ran = run(memory, operation, given["variables"], given["operationName"])
            document: dict[str, Any] = {"data": ran.data}
            if ran.errors:
                document["errors"] = list(ran.errors)
            return JSONResponse(document)

        with self._pool.hold(user):
            limiter = self._writes if is_mutation(operation) else self._reads
            return await to_thread.run_sync(partial(work), limiter=limiter)


def _request(body: bytes) -> dict[str, Any]:
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        raise InvalidInput("body", "must be JSON") from None
    if not isinstance(given, dict):
        raise InvalidInput("body", "must be a JSON object")
    query, variables, name = (given.get(key) for key in ("query", "variables", "operationName"))
    if not isinstance(query, str):
        raise InvalidInput("query", "is required: a GraphQL query or mutation")
    if variables is not None and not isinstance(variables, dict):
        raise InvalidInput("variables", "must be an object")
    if name is not None and not isinstance(name, str):
        raise InvalidInput("operationName", "must be a string")
    return {"query": query, "variables": variables, "operationName": name}


def _graphql_error(status: int, message: str) -> Response:
    return JSONResponse({"errors": [{"message": message}]}, status)


def _is(request: Request, media_type: str) -> bool:
    return request.headers.get("content-type", "").partition(";")[0].strip().casefold() == media_type


def _from_form(body: bytes) -> str:
    try:
        return parse_qs(body.decode("ascii"), max_num_fields=10).get("token", [""])[-1].strip()
    except ValueError:
        return ""


def _from_json(body: bytes) -> str:
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    secret = given.get("token") if isinstance(given, dict) else None
    return secret.strip() if isinstance(secret, str) else ""
