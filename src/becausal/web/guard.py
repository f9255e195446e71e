# SPDX-License-Identifier: Apache-2.0
"""What every request has to pass: the one door to all routes.

In this order: the host it is for, the page it comes from, who sends it, that the page itself sent it, how many there
were lately, and its size. Only ``/health`` has no door, and says no more than one word to a stranger.
"""

from __future__ import annotations

import hmac
import ipaddress
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any

import anyio
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..settings_http import LOOPBACK
from .attempts import Attempts, TooManyWrong
from .caller import Caller, caller_of, current_user, set_caller
from .login_page import login_page
from .logins import Logins
from .rates import Rates
from .refusals import refusal, too_many_wrong, wants_events
from .tokens import Tokens

if TYPE_CHECKING:
    from ..settings import Settings

OPEN = "/health"
STREAM = "/sse"
LOGIN = "/login"
CSRF = "x-csrf-token"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})

BODY_SECONDS = 30.0
"""Seconds in which the whole body of a request must have come."""

LOOKS = 2.0
"""Seconds after which the token of a stream that stays open is looked at again."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)

HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # With "no-referrer" a browser names no origin for the form that logs in, and the door stays shut.
    "referrer-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}

OVER = "Your login is over: after twelve hours without use, with a restart, or with its token."

Watch = Callable[[Scope, int, float | None], None]

_ALLOWED_METHODS = "GET, POST, DELETE"
_ALLOWED_HEADERS = (
    "authorization, content-type, accept, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name"
)


class Refused(Exception):
    """A request is answered here and goes no further."""

    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


class Guard:
    """The door. ``closing`` is set when no new request is to be let through any more."""

    def __init__(
        self,
        app: ASGIApp,
        settings: Settings,
        tokens: Tokens,
        attempts: Attempts,
        logins: Logins,
        watch: Watch,
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Guard ``app``; ``watch`` is told of every request: its status, and its seconds if it was no stream."""
        self._app = app
        self._watch = watch
        self._monotonic = monotonic
        self._settings = settings
        self._tokens = tokens
        self._attempts = attempts
        self._logins = logins
        self._rates = Rates(settings.http_rate, monotonic)
        self._hosts = {*LOOPBACK, *settings.http_hosts, settings.http_host}
        self._streams: set[anyio.Event] = set()
        self.closing = False
        self.at_work = 0
        """Requests that are being answered, but for streams that only wait for news."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": 1008})
            return
        begun = self._monotonic()
        status = 500
        streams = False
        headers = Headers(scope=scope)

        async def noting(message: Message) -> None:
            nonlocal status, streams
            if message["type"] == "http.response.start":
                status = message["status"]
                streams = b"text/event-stream" in dict(message.get("headers", ())).get(b"content-type", b"")
            await send(message)

        try:
            await self._answer(scope, headers, receive, _with_headers(noting, self._cors(headers.get("origin"))))
        finally:
            self._watch(scope, status, None if streams else self._monotonic() - begun)

    async def _answer(self, scope: Scope, headers: Headers, receive: Receive, sending: Send) -> None:
        try:
            if scope["path"] == OPEN:
                self._greet(scope, headers)
            else:
                await self._check(scope, headers)
                receive = await self._whole(scope, headers, receive)
        except Refused as refused:
            await refused.response(scope, receive, sending)
            return
        waits = scope["method"] == "GET" and (scope["path"] == STREAM or wants_events(scope))
        self.at_work += not waits
        try:
            if waits:
                await self._watched(scope, receive, sending)
            else:
                await self._as_caller(scope, receive, sending)
        finally:
            self.at_work -= not waits

    def identify(self, scope: Scope, headers: Headers) -> Caller | None:
        """Return who sends a request; what is sent as a bearer's token is never made good by a cookie.

        Raises:
            TooManyWrong: a token is not looked at, since too many others from its address were wrong.
        """
        authorization = headers.get("authorization")
        if authorization is not None:
            scheme, _, secret = authorization.partition(" ")
            token = self._attempts.find(secret.strip(), scope) if scheme.casefold() == "bearer" else None
            return None if token is None else Caller(token=token)
        cookie = cookie_of(headers, port_of(scope))
        login = None if cookie is None else self._logins.find(cookie)
        token = None if login is None else self._tokens.known(login.token)
        return None if token is None else Caller(token=token, login=login)

    def _greet(self, scope: Scope, headers: Headers) -> None:
        try:
            caller = self.identify(scope, headers)
        except TooManyWrong:
            return  # a stranger, then
        if caller is not None:
            set_caller(scope, caller)

    async def _check(self, scope: Scope, headers: Headers) -> None:
        self._check_host(scope, headers)
        self._check_origin(scope, headers)
        if self.closing:
            raise Refused(_shutting_down(scope))
        if scope["path"] == LOGIN and scope["method"] == "POST":
            return  # it brings the token itself, and is for its route to check
        try:
            caller = self.identify(scope, headers)
        except TooManyWrong as error:
            raise Refused(too_many_wrong(scope, error)) from None
        if caller is None:
            raise Refused(_unknown(scope, headers))
        if caller.login is not None and _comes_from_elsewhere(scope, headers):
            told = "requests that another page makes are not served with a browser's login"
            raise Refused(refusal(scope, 403, "ORIGIN_REFUSED", told))
        if caller.login is not None and scope["method"] not in SAFE:
            given = headers.get(CSRF, "")
            if not hmac.compare_digest(given.encode(), caller.login.csrf.encode()):
                told = f"a browser that is logged in must send the header {CSRF}"
                raise Refused(refusal(scope, 403, "CSRF_REFUSED", told))
        wait = self._rates.take(caller.token.digest)
        if wait > 0:
            seconds = str(max(1, round(wait)))
            told = f"more than {self._settings.http_rate} requests a minute; try again in {seconds} s"
            raise Refused(refusal(scope, 429, "RATE_LIMIT", told, headers={"retry-after": seconds}))
        set_caller(scope, caller)

    def _check_host(self, scope: Scope, headers: Headers) -> None:
        given = headers.getlist("host")
        name = host_name(given[0]) if len(given) == 1 else None
        if name is None or (name not in self._hosts and name != _own_address(scope)):
            told = "this host is not served here; BECAUSAL_HTTP_HOSTS names those that are"
            raise Refused(refusal(scope, 421, "HOST_REFUSED", told))

    def _check_origin(self, scope: Scope, headers: Headers) -> None:
        given = headers.getlist("origin")
        if not given:
            return
        origin = given[0].casefold() if len(given) == 1 else "null"
        if origin in (f"http://{headers['host'].casefold()}", f"https://{headers['host'].casefold()}"):
            return
        if origin not in self._settings.http_origins:
            told = "requests from this page are not served; BECAUSAL_HTTP_ORIGINS names the pages that are"
            raise Refused(refusal(scope, 403, "ORIGIN_REFUSED", told))
        if scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
            raise Refused(
                Response(
                    status_code=204,
                    headers={
                        "access-control-allow-methods": _ALLOWED_METHODS,
                        "access-control-allow-headers": _ALLOWED_HEADERS,
                        "access-control-max-age": "600",
                    },
                )
            )

    def _cors(self, origin: str | None) -> dict[str, str]:
        if origin is None or origin.casefold() not in self._settings.http_origins:
            return {}
        return {
            "access-control-allow-origin": origin,
            "access-control-expose-headers": "mcp-session-id, retry-after",
            "cross-origin-resource-policy": "cross-origin",
            "vary": "origin",
        }

    async def _whole(self, scope: Scope, headers: Headers, receive: Receive) -> Receive:
        """Read the body as far as it may go, and return what hands it on."""
        most = self._settings.http_body
        told = f"the body must be at most {most:,} bytes"
        too_large = refusal(scope, 413, "BODY_TOO_LARGE", told, headers={"connection": "close"})
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > most:
            raise Refused(too_large)
        if length == "0" and "transfer-encoding" not in headers:
            return receive
        parts: list[bytes] = []
        size = 0
        with anyio.move_on_after(BODY_SECONDS) as patience, self._ends() as over:
            coming = _until(over, receive)
            while True:
                message = await coming()
                if over.is_set():
                    raise Refused(_shutting_down(scope))
                if message["type"] != "http.request":
                    return _replay([message], receive)
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > most:
                    raise Refused(too_large)
                if not message.get("more_body", False):
                    break
        if patience.cancelled_caught:
            told = f"the body did not come within {BODY_SECONDS:g} s"
            raise Refused(refusal(scope, 408, "BODY_TOO_SLOW", told, headers={"connection": "close"}))
        return _replay([{"type": "http.request", "body": b"".join(parts), "more_body": False}], receive)

    async def _as_caller(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] in (OPEN, LOGIN):
            await self._app(scope, receive, send)
            return
        reset = current_user.set(caller_of(scope).user)
        try:
            await self._app(scope, receive, send)
        finally:
            current_user.reset(reset)

    def end_streams(self) -> None:
        """Tell the streams that only wait for news that nobody listens any more, so that they end in good order.

        Requests whose bodies are still coming are refused.
        """
        for over in self._streams:
            over.set()

    @contextmanager
    def _ends(self) -> Iterator[anyio.Event]:
        """Return what is set when the streams are to end."""
        over = anyio.Event()
        self._streams.add(over)
        try:
            yield over
        finally:
            self._streams.discard(over)

    async def _watched(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with a stream, which ends when the token does."""
        digest = caller_of(scope).token.digest
        begun = done = False

        async def watch(over: anyio.Event) -> None:
            while not over.is_set():
                with anyio.move_on_after(LOOKS):
                    await over.wait()
                if self._tokens.known(digest) is None:
                    over.set()

        async def noting(message: Message) -> None:
            nonlocal begun, done
            await send(message)
            begun = True
            done = message["type"] == "http.response.body" and not message.get("more_body", False)

        with self._ends() as over:
            async with anyio.create_task_group() as group:
                group.start_soon(watch, over)
                await self._as_caller(scope, _until(over, receive), noting)
                group.cancel_scope.cancel()
        if begun and not done:
            await send({"type": "http.response.body", "body": b"", "more_body": False})


def _shutting_down(scope: Scope) -> Response:
    told = "the server is shutting down"
    return refusal(scope, 503, "SHUTTING_DOWN", told, headers={"connection": "close"})


def port_of(scope: Scope) -> int:
    """Return the port that a request came in at; a cookie is named by it, because browsers mix up ports."""
    server = scope.get("server")
    return int(server[1] or 0) if server else 0


def cookie_name(port: int) -> str:
    return f"becausal_{port}"


def cookie_of(headers: Headers, port: int) -> str | None:
    """Return the login cookie that a request brings."""
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(cookie_name(port))
    except CookieError:
        return None
    return None if morsel is None else morsel.value


def host_name(host: str) -> str | None:
    """Return the name or address in a ``Host`` header, without its port; ``None`` if it is none."""
    name, colon, port = host.casefold().rpartition(":")
    if not colon or host.endswith("]"):
        name, port = host.casefold(), "0"
    if not (port.isascii() and port.isdigit()):
        return None
    if name.startswith("["):
        try:
            return str(ipaddress.IPv6Address(name.removeprefix("[").removesuffix("]")))
        except ValueError:
            return None
    return name or None


def _comes_from_elsewhere(scope: Scope, headers: Headers) -> bool:
    """Whether a browser says that a page at another address makes the request, and not a person who follows a link.

    Pages of one machine count as one site to a browser, whatever their ports: they get the cookie sent along.
    """
    if headers.get("sec-fetch-site") not in ("same-site", "cross-site"):
        return False
    return not (scope["path"] == "/" and scope["method"] == "GET" and headers.get("sec-fetch-mode") == "navigate")


def _own_address(scope: Scope) -> str | None:
    """Return the address of this machine at which a request came in. No stranger's name can stand for it."""
    server = scope.get("server")
    try:
        return str(ipaddress.ip_address(server[0])) if server else None
    except ValueError:
        return None


def _unknown(scope: Scope, given: Headers) -> Response:
    headers = {"www-authenticate": "Bearer"}
    if scope["path"] == "/" and scope["method"] in ("GET", "HEAD") and not wants_events(scope):
        return login_page(401, headers, "" if cookie_of(given, port_of(scope)) is None else OVER)
    told = "a token is needed: 'Authorization: Bearer TOKEN' with one that 'becausal token create' made"
    return refusal(scope, 401, "TOKEN_REQUIRED", told, headers=headers)


def _with_headers(send: Send, more: dict[str, str]) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message.get("headers", ())}
            added = {"content-security-policy": POLICY, "cache-control": "no-store", **HEADERS, **more}
            headers: list[Any] = list(message.get("headers", ()))
            headers += [
                (name.encode(), value.encode()) for name, value in added.items() if name.encode() not in present
            ]
            message = {**message, "headers": headers}
        await send(message)

    return sending


def _until(over: anyio.Event, receive: Receive) -> Receive:
    """Return what receives a request's messages, until it is over: then its client counts as gone."""

    async def receiving() -> Message:
        message: Message = {"type": "http.disconnect"}

        async def hear() -> None:
            nonlocal message
            message = await receive()
            group.cancel_scope.cancel()

        async def end() -> None:
            await over.wait()
            group.cancel_scope.cancel()

        async with anyio.create_task_group() as group:
            group.start_soon(hear)
            group.start_soon(end)
        return message

    return receiving


def _replay(messages: list[Message], receive: Receive) -> Receive:
    async def replaying() -> Message:
        return messages.pop(0) if messages else await receive()

    return replaying
