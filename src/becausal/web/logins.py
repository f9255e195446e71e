# SPDX-License-Identifier: Apache-2.0
"""Browsers that are logged in. Each is kept in this process alone: a restart ends it, or the end of its token."""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from .tokens import digest_of

LASTS = 12 * 3600.0
"""Seconds without a request after which a browser has to log in again."""

MOST = 1000
"""Logins at once; beyond that, the one used longest ago ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """One browser: the token it came with, and what it must send along with every request that may change something."""

    token: str  # its digest
    csrf: str


class Logins:
    """All logins. To be used on the event loop alone."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._logins: OrderedDict[str, tuple[Login, float]] = OrderedDict()

    def begin(self, token: str) -> tuple[str, Login]:
        """Log in with the token of a digest; return the value of the cookie and the login."""
        cookie = secrets.token_urlsafe(32)
        login = Login(token=token, csrf=secrets.token_urlsafe(32))
        self._logins[digest_of(cookie)] = (login, self._monotonic())
        while len(self._logins) > MOST:
            self._logins.popitem(last=False)
        return cookie, login

    def find(self, cookie: str) -> Login | None:
        """Return the login of a cookie, ``None`` if there is none or it has lapsed."""
        key = digest_of(cookie)
        login, used = self._logins.get(key, (None, 0.0))
        if login is None:
            return None
        now = self._monotonic()
        if now - used > LASTS:
            del self._logins[key]
            return None
        self._logins[key] = (login, now)
        self._logins.move_to_end(key)
        return login

    def end(self, cookie: str) -> None:
        """Log out."""
        self._logins.pop(digest_of(cookie), None)
