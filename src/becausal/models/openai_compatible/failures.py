# SPDX-License-Identifier: Apache-2.0
"""What went wrong with a model service, in the terms of the error tree, without giving a key away."""

from __future__ import annotations

import email.utils
import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime

from ...errors import (
    AccessDenied,
    ContentFiltered,
    ContextTooLong,
    KeyRefused,
    RateLimited,
    RequestRefused,
    ServerFailed,
    ServiceError,
    UnknownModel,
)

SHOWN = 200
"""Characters of a service's own words in an error."""

LONGEST_WAIT = 86_400.0
"""Seconds that a service may ask to be left alone; what asks for more gets that."""

GATEWAY_LATE = (504, 524)
"""Statuses of a gateway for which the service behind it took too long; 524 is Cloudflare's."""

_KEY_LIKE = re.compile(r"\b(?:sk|pk|key|gsk|xai|hf)[-_][\w*-]{6,}|(?i:\bbearer\s+\S+)")
_CONTEXT = re.compile(
    r"context[ _]?(?:length|size|window)|maximum context|too many tokens|exceeds? .{0,40}\bcontext", re.I
)
_FILTERED = re.compile(r"content[ _]?(?:filter|policy|management)|safety system|moderation", re.I)


class Censor:
    """Takes secrets out of texts that were not written here."""

    def __init__(self, *secrets: str | None) -> None:
        self._secrets = tuple(secret for secret in secrets if secret)

    def __call__(self, text: str) -> str:
        """Return a text as one short line without the secrets and without what looks like a key."""
        for secret in self._secrets:
            text = text.replace(secret, "…")
        return _KEY_LIKE.sub("…", " ".join(text.split()))[:SHOWN]


def http_failure(
    what: str, status: int, headers: Mapping[str, str], body: bytes, censor: Censor, now: datetime | None = None
) -> ServiceError:
    """Return the error of an HTTP status that is no success; ``what`` names the service and its settings' prefix."""
    code, message = _told(body)
    told = censor(message)
    said = f": {told}" if told else ""
    after = retry_after(headers, now)
    match status:
        case 401:
            return KeyRefused(f"{what} refuses the key (401){said}")
        case 403:
            return AccessDenied(f"{what} denies access (403){said}")
        case 404:
            return UnknownModel(f"{what} has no such model, or the address is wrong (404){said}")
        case 408 | 429:
            return RateLimited(f"{what} asks to wait ({status}){said}", retry_after=after)
        case _ if status >= 500:
            # A gateway that has given up waiting says nothing about what is still at work behind it.
            return ServerFailed(f"{what} failed ({status}){said}", retry_after=after, reached=status in GATEWAY_LATE)
        case _ if 300 <= status < 400:
            return RequestRefused(f"{what} sends elsewhere ({status}), which is not followed; set its address in full")
    if _CONTEXT.search(code) or _CONTEXT.search(message):
        return ContextTooLong(f"{what} cannot read so long a text ({status}){said}")
    if _FILTERED.search(code) or _FILTERED.search(message):
        return ContentFiltered(f"{what} declines the text ({status}){said}")
    return RequestRefused(f"{what} refuses the request ({status}){said}")


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return the seconds of a ``Retry-After`` header (RFC 9110, section 10.2.3), a number or a date."""
    told = headers.get("retry-after", "").strip()
    if not told:
        return None
    try:
        seconds = float(told)
    except ValueError:
        try:
            moment = email.utils.parsedate_to_datetime(told)
        except ValueError:
            return None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        seconds = (moment - (now or datetime.now(UTC))).total_seconds()
    return min(max(0.0, seconds), LONGEST_WAIT) if seconds == seconds else None  # not a NaN


def _told(body: bytes) -> tuple[str, str]:
    """Return the code and the message of an error as OpenAI and others write it, or the text of the body."""
    text = body[:4_000].decode("utf-8", "replace")
    try:
        data = json.loads(body[:100_000])
    except (ValueError, RecursionError):
        return "", "" if text.lstrip().startswith("<") else text
    error = data.get("error", data) if isinstance(data, dict) else data
    if isinstance(error, str):
        return "", error
    if not isinstance(error, dict):
        return "", text
    code = f"{error.get('code') or ''} {error.get('type') or ''}"
    message = error.get("message") or error.get("detail") or ""
    return code, message if isinstance(message, str) else json.dumps(message)
