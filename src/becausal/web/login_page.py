# SPDX-License-Identifier: Apache-2.0
"""The page that a browser without a login gets: one file, whose style and script are allowed by their digests."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from starlette.responses import HTMLResponse

PAGE = Path(__file__).parent / "page"
PROBLEM = "<!--problem-->"
"""Stands in the file where the page says what is wrong."""

_INLINE = re.compile(r"<(style|script)>(.*?)</\1>", re.DOTALL)


@cache
def _file() -> str:
    return (PAGE / "login.html").read_text(encoding="utf-8")


@cache
def login_policy() -> str:
    """Return the Content-Security-Policy of the page."""
    digests: dict[str, list[str]] = {"style": [], "script": []}
    for kind, text in _INLINE.findall(_file()):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        digests[kind].append(f"'sha256-{digest}'")
    rules = [f"{kind}-src {' '.join(found)}" for kind, found in digests.items() if found]
    fixed = ("img-src data:", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'", "connect-src 'self'")
    return "; ".join(("default-src 'none'", *rules, *fixed))


def login_page(status: int, headers: Mapping[str, str] | None = None, problem: str = "") -> HTMLResponse:
    """Return the page, with what went wrong, if anything did."""
    text = _file().replace(PROBLEM, html.escape(problem))
    return HTMLResponse(text, status, headers={"content-security-policy": login_policy(), **(headers or {})})
