# SPDX-License-Identifier: Apache-2.0
"""Looking up the tokens that strangers send: from one address only so many wrong ones."""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Callable
from dataclasses import dataclass

from starlette.types import Scope

from .rates import Rates
from .tokens import Token, Tokens, digest_of


@dataclass(frozen=True, slots=True)
class TooManyWrong(Exception):
    """So many wrong tokens came from an address that it has to wait before another is looked at."""

    seconds: int


class Attempts:
    """Finds tokens, at most ``per_minute`` wrong ones from an address; 0: any number.

    A token that was found before is looked at whatever else comes from its address, which may be that of a proxy or
    of a machine that many use: who tries tokens shuts nobody out who is already let in.
    """

    def __init__(self, tokens: Tokens, per_minute: int, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._tokens = tokens
        self._rates = Rates(per_minute, monotonic)
        self._found: set[str] = set()

    def find(self, secret: str, scope: Scope) -> Token | None:
        """Return what is known of a token that a request brings, ``None`` if it is none or no longer one.

        Raises:
            TooManyWrong: it is not looked at, since too many others were wrong.
        """
        digest, address = digest_of(secret), address_of(scope)
        if digest not in self._found and (wait := self._rates.wait(address)) > 0:
            raise TooManyWrong(max(1, round(wait)))
        token = self._tokens.known(digest)
        if token is None:
            self._found.discard(digest)
            self._rates.take(address)
        else:
            self._found.add(digest)
        return token


def address_of(scope: Scope) -> str:
    """Return where a request comes from, as far as one client can choose it: of IPv6, the network."""
    client = scope.get("client")
    name = str(client[0]) if client else ""
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return name
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    return str(address.ipv4_mapped or ipaddress.IPv6Network((address, 64), strict=False))
