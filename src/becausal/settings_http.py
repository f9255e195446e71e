# SPDX-License-Identifier: Apache-2.0
"""The settings of ``becausal serve``: their rows of the table, and their fields."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import BaseModel, BeforeValidator, Field
from pydantic_core import PydanticCustomError
from pydantic_settings import NoDecode

from .settings_rows import Row, works

DEFAULT_PORT = 3000
LOOPBACK = ("localhost", "127.0.0.1", "::1")

_NAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?")
_HOSTS = "names or addresses of hosts, without a port, separated by commas"
_ORIGINS = "origins such as https://app.example.org or http://localhost:6274, separated by commas"

HTTP_ROWS: tuple[Row, ...] = (
    works(
        "POLYG_PORT",
        "http_port",
        "polyg",
        "Port on which `becausal serve` listens. 0: one that is free, which it prints.",
        default=f"`PORT`, or else {DEFAULT_PORT}",
        allowed="a whole number from 0 to 65535",
    ),
    works(
        "PORT",
        "port",
        "polyg",
        "The port where POLYG_PORT is not set. Nothing but `becausal serve` reads it.",
        allowed="a whole number from 0 to 65535",
    ),
    works(
        "BECAUSAL_HOST",
        "http_host",
        "becausal",
        "Address on which `becausal serve` listens. With any other than this machine's own loopback addresses, "
        "everybody who can reach it may try a token: see [security.md](security.md).",
        default="127.0.0.1",
        allowed="an IP address, or the name of a host",
    ),
    works(
        "BECAUSAL_HTTP_HOSTS",
        "http_hosts",
        "becausal",
        "Names under which the service may be called besides `localhost` and the address it was reached at: those of "
        "the machine, or of a proxy in front of it. A request for any other host is refused.",
        default="none",
        allowed=_HOSTS,
    ),
    works(
        "BECAUSAL_HTTP_ORIGINS",
        "http_origins",
        "becausal",
        "Origins of other web pages whose scripts may call the service with a token. A request from any other page "
        "than the service's own is refused.",
        default="none",
        allowed=_ORIGINS,
    ),
    works(
        "BECAUSAL_HTTP_BODY",
        "http_body",
        "becausal",
        "Most bytes that a request may have.",
        default="10485760",
        allowed="a whole number from 65536 to 1073741824",
    ),
    works(
        "BECAUSAL_HTTP_RATE",
        "http_rate",
        "becausal",
        "How many requests a token may make in a minute, a tenth of them at once; 0: any number.",
        default="6000",
        allowed="a whole number from 0 to 10000000",
    ),
    works(
        "BECAUSAL_HTTP_FAILURES",
        "http_failures",
        "becausal",
        "How many wrong tokens may come from an address in a minute, a tenth of them at once; tokens that it has not "
        "seen before wait then. 0: any number.",
        default="60",
        allowed="a whole number from 0 to 10000000",
    ),
    works(
        "BECAUSAL_HTTP_CONNECTIONS",
        "http_connections",
        "becausal",
        "How many connections may be open at once, and never more than half as many as the process may open files.",
        default="1000",
        allowed="a whole number from 10 to 100000",
    ),
    works(
        "BECAUSAL_HTTP_SESSIONS",
        "http_sessions",
        "becausal",
        "How many MCP sessions may be open at once.",
        default="100",
        allowed="a whole number from 1 to 100000",
    ),
    works(
        "BECAUSAL_HTTP_IDLE",
        "http_idle",
        "becausal",
        "Seconds without a request after which an MCP session ends, and a user's memory is closed.",
        default="1800",
        allowed="a number from 1 to 604800",
    ),
    works(
        "BECAUSAL_HTTP_MEMORIES",
        "http_memories",
        "becausal",
        "How many users' memories may be open at once; to open another, the one used longest ago is closed.",
        default="32",
        allowed="a whole number from 1 to 10000",
    ),
)


def is_loopback(host: str) -> bool:
    """Whether an address or name is this machine's own, which no other can reach."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.casefold() == "localhost"


def _host(value: object) -> str:
    text = str(value).strip().strip("[]").casefold()
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        if _NAME.fullmatch(text) is None:
            raise PydanticCustomError("wrong", "no host") from None
        return text


def _listed(value: object) -> Iterable[object]:
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, Iterable):
        raise PydanticCustomError("wrong", "no list")
    return [part for part in parts if str(part).strip()]


def _hosts(value: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(_host, _listed(value))))


def _origin(value: object) -> str:
    text = str(value).strip().casefold().rstrip("/")
    try:
        parts = urlsplit(text)
        sound = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        sound = False
    if not sound or text != f"{parts.scheme}://{parts.netloc}" or "@" in text or not text.isprintable():
        raise PydanticCustomError("wrong", "no origin")
    return text


def _origins(value: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(_origin, _listed(value))))


Port = Annotated[int, Field(ge=0, le=65_535)]


class HttpSettings(BaseModel):
    """The fields of ``Settings`` that only ``becausal serve`` reads."""

    http_port: Port | None = None
    port: Port | None = None
    http_host: Annotated[str, BeforeValidator(_host)] = "127.0.0.1"
    http_hosts: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_hosts)] = ()
    http_origins: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_origins)] = ()
    http_body: Annotated[int, Field(ge=65_536, le=1_073_741_824)] = 10_485_760
    http_rate: Annotated[int, Field(ge=0, le=10_000_000)] = 6000
    http_failures: Annotated[int, Field(ge=0, le=10_000_000)] = 60
    http_connections: Annotated[int, Field(ge=10, le=100_000)] = 1000
    http_sessions: Annotated[int, Field(ge=1, le=100_000)] = 100
    http_idle: Annotated[float, Field(ge=1, le=604_800)] = 1800
    http_memories: Annotated[int, Field(ge=1, le=10_000)] = 32

    @property
    def listening_port(self) -> int:
        """The port to listen on; 0 is one that is free."""
        if self.http_port is not None:
            return self.http_port
        return DEFAULT_PORT if self.port is None else self.port
