# SPDX-License-Identifier: Apache-2.0
"""Secrets in texts: recognised by their form, and replaced by what they were.

What is found is what tells itself apart: keys and tokens that begin as their issuers have them begin, key
blocks, tokens in three signed parts, passwords in addresses and after words such as "password:", and payment
card numbers, whose last digit is a checksum (ISO/IEC 7812-1, Luhn). A secret that looks like any other word is
not found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from enum import StrEnum

from .records import Json


class Secret(StrEnum):
    """What may be redacted."""

    KEYS = "keys"
    CARDS = "cards"


Redact = Callable[[str], str]
"""Takes a text; returns it without the secrets in it."""

_KEYS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        (
            "private key",
            r"-----BEGIN (?P<kind>[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?)-----[^-]{1,20000}(?:-----END (?P=kind)-----)?",
        ),
        ("AWS key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
        ("GitHub token", r"\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})"),
        ("GitLab token", r"\bglpat-[A-Za-z0-9_-]{20,255}"),
        ("Slack token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,255}"),
        ("Stripe key", r"\b[srp]k_(?:live|test)_[A-Za-z0-9]{16,255}"),
        ("API key", r"\bsk-(?=[A-Za-z_-]{0,20}[A-Za-z0-9_-]*[0-9])[A-Za-z0-9_-]{20,255}"),
        ("Google key", r"\bAIza[0-9A-Za-z_-]{35}"),
        ("package token", r"\b(?:npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{50,255}|hf_[A-Za-z0-9]{30,255})"),
        ("token", r"\beyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,2000}"),
        ("token", r"(?i:(?<=\bbearer ))(?=[A-Za-z._~+/-]*[0-9])[A-Za-z0-9._~+/-]{20,2000}={0,2}"),
        ("password", r"(?<=://)[^\s/:@]{1,100}:[^\s/@]{1,200}(?=@)"),
    )
)
_NAMED = re.compile(
    r"(?i)(?P<name>\b(?:password|passwd|pwd|passphrase|secret|api[ _-]?key|access[ _-]?key|"
    r"(?:access|auth|refresh|client)[ _-]?(?:token|secret)|token)[\"']?[ \t]{0,3}(?:=|:|\bis\b)[ \t]{0,3}[\"'`]?)"
    r"(?P<value>(?=[^\s\"'`,;]{0,200}[0-9])(?=[^\s\"'`,;]{0,200}[A-Za-z])[^\s\"'`,;]{6,200})"
)
_CARD = re.compile(r"(?<![\w.,-])[3-6]\d(?:[ -]?\d){11,17}(?![\w-]|[.,]\d)")


def redactor(secrets: Collection[Secret]) -> Redact:
    """Return what takes secrets of these kinds out of texts."""

    def redact(text: str) -> str:
        if Secret.KEYS in secrets:
            for name, pattern in _KEYS:
                text = pattern.sub(_mark(name), text)
            text = _NAMED.sub(lambda found: found["name"] + _mark("password"), text)
        if Secret.CARDS in secrets:
            text = _CARD.sub(lambda found: _mark("card number") if is_card(found[0]) else found[0], text)
        return text

    return redact


def nothing(text: str) -> str:
    """Redact nothing."""
    return text


def _mark(name: str) -> str:
    return f"[redacted: {name}]"


def is_card(text: str) -> bool:
    """Whether digits, with spaces or hyphens between them, are a card number by length and checksum."""
    digits = [int(char) for char in text if char.isdigit()]
    if not 13 <= len(digits) <= 19 or len(set(digits)) == 1:
        return False
    doubled = (digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2])
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def redact_json(data: Json, redact: Redact) -> Json:
    """Return JSON data with all its texts redacted; names of fields stay."""
    if isinstance(data, str):
        return redact(data)
    if isinstance(data, list):
        return [redact_json(each, redact) for each in data]
    if isinstance(data, dict):
        return {name: redact_json(each, redact) for name, each in data.items()}
    return data
