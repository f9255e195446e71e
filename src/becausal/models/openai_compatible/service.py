# SPDX-License-Identifier: Apache-2.0
"""Calling a model service: one bounded JSON request and answer, tried again where that may help."""

from __future__ import annotations

import contextlib
import ipaddress
import json
import math
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...errors import (
    ModelUnavailable,
    RateLimited,
    ReplyUnusable,
    ServerFailed,
    ServiceError,
    ServiceTimeout,
    ServiceUnreachable,
)
from ..patience import BLIND_SECONDS, seconds_left
from .failures import Censor, http_failure

if TYPE_CHECKING:
    import httpx2

CONNECT_SECONDS = 5.0
MOST_BYTES = 8 * 1024 * 1024
"""Size of an answer beyond which it is not read further."""

FIRST_WAIT = 1.0
"""Seconds before the second attempt (polyg-mcp's); every further wait is twice as long, ..."""

LONGEST_WAIT = 30.0
"""... up to this."""


@dataclass(slots=True)
class _Line:
    """A client of its own for whoever calls at the moment, and the sockets that it has opened."""

    client: httpx2.Client
    sockets: list[Any] = field(default_factory=list)
    fresh: bool = False  # whether a connection was opened for the call under way
    off: bool = False  # whether that is to be broken off
    sent: bool = False  # whether it has begun to be sent

    def traced(self, name: str, info: Mapping[str, Any]) -> None:
        """Note the socket of a new connection, and what is sent; see the ``trace`` extension of httpx."""
        self.sent |= "send_request" in name
        if name in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self.fresh = True
            stream = info.get("return_value")
            self.sockets = [*self.sockets[-3:], stream.get_extra_info("socket")] if stream is not None else []
            if self.off:
                self.cut()

    def cut(self) -> None:
        """Break off whatever is being read: the reader gets an error at once, or when it is connected."""
        self.off = True
        for each in self.sockets:
            with contextlib.suppress(OSError, AttributeError):
                each.shutdown(socket.SHUT_RDWR)


class Service:
    """An address with an interface like OpenAI's. ``what`` is how errors name it, such as "the chat service"."""

    def __init__(
        self,
        base_url: str,
        key: str | None,
        *,
        what: str,
        retries: int = 3,
        first_wait: float = FIRST_WAIT,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        """Make one; nothing is sent. ``retries`` is how often a call is tried again, ``first_wait`` is in seconds."""
        self._base = base_url.rstrip("/")
        self._key = key
        self._retries = retries
        self._first_wait = first_wait
        self._most_bytes = most_bytes
        self._censor = Censor(key)
        self.host = host_of(base_url)
        self._what = f"{what} at {self.host}"
        self._lock = threading.Lock()
        self._idle: list[_Line] = []
        self._busy: list[_Line] = []
        self._closed = False

    def post(self, path: str, body: Mapping[str, Any], seconds: float) -> Any:
        """Send a JSON object and return the JSON that comes back, within ``seconds`` for all attempts together.

        Tried again, after a wait that grows or that the service asks for: what found no connection, 429 and 5xx.
        Somebody who waits (see ``patience``) does so for ``BLIND_SECONDS`` between attempts, unless the service asks
        for more.

        Raises:
            ServiceError: of the kind that fits; an answer that is too long or no JSON is ``ReplyUnusable``.
        """
        import stamina

        left = seconds_left()
        end = time.monotonic() + min(seconds, left)
        waits = self._waits()
        blind = BLIND_SECONDS if left < math.inf else math.inf
        reached = False

        def worth_trying(error: Exception) -> bool | float:
            nonlocal blind, reached
            reached |= isinstance(error, ServiceError) and error.reached
            if not isinstance(error, RateLimited | ServerFailed | ServiceUnreachable):
                return False
            wait = next(waits)
            if error.retry_after is not None:
                wait = max(error.retry_after, 0.001)
            elif (blind := blind - wait) < 0:
                return False
            # There is no use in waiting for an answer that would come too late.
            return wait if time.monotonic() + wait < end else False

        try:
            for attempt in stamina.retry_context(on=worth_trying, attempts=self._retries + 1, timeout=None):
                with attempt:
                    return self._exchange(path, body, end)
        except ServiceError as error:
            error.reached |= reached
            raise
        raise AssertionError("a retried call returns or raises")

    def unusable(self, problem: str, received: int | None = None) -> ReplyUnusable:
        """Return the error of an answer, of so many bytes, that is not what was asked for."""
        return ReplyUnusable(f"{self._what} answered with {problem}", reached=True, received=received)

    def described(self, make: Callable[[str], ServiceError], problem: str) -> ServiceError:
        """Return an error that names the service."""
        return make(f"{self._what} {problem}")

    def close(self) -> None:
        """Close all connections; calls under way end with an error."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
            busy = list(self._busy)
        for line in idle:
            line.client.close()
        for line in busy:
            line.cut()

    def _waits(self) -> Iterator[float]:
        wait = self._first_wait
        while True:
            yield wait * random.uniform(0.8, 1.2)  # so that many clients do not come back at the same moment
            wait = min(wait * 2, LONGEST_WAIT)

    # --- one exchange ---

    def _exchange(self, path: str, body: Mapping[str, Any], end: float) -> Any:
        import httpx2

        with self._line() as line:
            left = end - time.monotonic()
            if left <= 0:
                raise self._late(line)
            late = threading.Event()

            def cut() -> None:
                late.set()
                line.cut()

            timer = threading.Timer(left, cut)
            timer.daemon = True
            timer.start()
            try:
                status, headers, data = self._send(line, path, body, left)
            except httpx2.TimeoutException:
                raise self._late(line) from None
            except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
                # The error may quote the request, so neither it nor its causes are passed on.
                if late.is_set():
                    raise self._late(line) from None
                problem = self._censor(str(error)) or type(error).__name__
                told = f"{self._what} cannot be reached: {problem}"
                raise ServiceUnreachable(told, reached=line.sent) from None
            finally:
                timer.cancel()
        if not 200 <= status < 300:
            raise http_failure(self._what, status, headers, data, self._censor)
        return self._read(data)

    def _send(
        self, line: _Line, path: str, body: Mapping[str, Any], left: float
    ) -> tuple[int, Mapping[str, str], bytes]:
        import httpx2

        headers = {"Accept": "application/json"} | ({"Authorization": f"Bearer {self._key}"} if self._key else {})
        request = line.client.build_request(
            "POST",
            f"{self._base}/{path}",
            content=json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"),
            headers={**headers, "Content-Type": "application/json"},
            timeout=httpx2.Timeout(left, connect=min(left, CONNECT_SECONDS)),
            extensions={"trace": line.traced},
        )
        line.fresh = False
        try:
            response = line.client.send(request, stream=True)
        except (httpx2.RemoteProtocolError, httpx2.NetworkError):
            if line.fresh or not line.sockets:
                raise
            # A connection kept from an earlier call may be closed by the service in the moment it is used again.
            line.sockets = []
            return self._send(line, path, body, left)
        try:
            data = bytearray()
            for chunk in response.iter_bytes():
                data += chunk
                if len(data) > self._most_bytes:
                    raise self.unusable(f"more than {self._most_bytes:,} bytes", len(data))
            return response.status_code, {name.lower(): value for name, value in response.headers.items()}, bytes(data)
        finally:
            response.close()

    def _read(self, data: bytes) -> Any:
        if not data.strip():
            raise self.unusable("nothing", 0)
        try:
            return json.loads(data, parse_constant=_no_number)
        except UnicodeDecodeError:
            raise self.unusable("bytes that are no UTF-8", len(data)) from None
        except (ValueError, RecursionError):
            raise self.unusable("something that is not JSON", len(data)) from None

    def _late(self, line: _Line) -> ServiceTimeout:
        return ServiceTimeout(f"{self._what} did not answer in time", reached=line.sent)

    @contextlib.contextmanager
    def _line(self) -> Iterator[_Line]:
        """Lend a client that nobody else uses meanwhile."""
        with self._lock:
            if self._closed:
                raise ModelUnavailable("the memory has been closed")
            line = self._idle.pop() if self._idle else _Line(self._client())
            line.off = line.sent = False
            self._busy.append(line)
        try:
            yield line
        finally:
            with self._lock:
                self._busy.remove(line)
                keep = not self._closed and len(self._idle) < 4
                if keep:
                    self._idle.append(line)
            if not keep:
                line.client.close()

    def _client(self) -> httpx2.Client:
        import httpx2

        # A proxy of the environment is for the world outside; a service on this machine is not behind it.
        return httpx2.Client(trust_env=not is_local(self.host), follow_redirects=False)


def _no_number(name: str) -> float:
    raise ValueError(name)


def host_of(url: str) -> str:
    """Return the host of an address, with its port if it names one."""
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    return f"{host}:{parts.port}" if parts.port else host


def is_local(host: str) -> bool:
    """Whether a host, perhaps with a port, is this machine by its name or number."""
    name = host.rsplit(":", 1)[0].strip("[]") if host.count(":") == 1 or host.startswith("[") else host
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
