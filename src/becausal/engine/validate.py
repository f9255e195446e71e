# SPDX-License-Identifier: Apache-2.0
"""What callers may pass in, with the limits and the words that refuse the rest."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TypeVar, cast

from ..domain.records import Json
from ..errors import InvalidInput

MAX_CONTENT = 1024 * 1024  # bytes of UTF-8
MAX_QUERY = 8_000  # characters
MAX_TAGS = 256
MAX_NAME = 512  # characters of a tag, source, session or label
MAX_METADATA = 64 * 1024  # bytes as JSON
MAX_LIMIT = 100
MAX_TOKENS = 100_000
MIN_TOKENS = 50

E = TypeVar("E", bound=StrEnum)


def text(value: object, field: str, *, longest: int, what: str = "characters") -> str:
    """Return ``value`` if it is text that can be kept: not blank, no NUL, no lone surrogate, not too long."""
    if not isinstance(value, str):
        raise InvalidInput(field, f"must be text, not {type(value).__name__}")
    if not value.strip():
        raise InvalidInput(field, "is required and must not be blank")
    if "\0" in value:
        raise InvalidInput(field, "must not contain NUL characters")
    try:
        size = len(value.encode()) if what == "bytes" else len(value)
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            field, f"must be valid Unicode, but has a lone surrogate at character {error.start}"
        ) from None
    if size > longest:
        raise InvalidInput(field, f"must be at most {longest:,} {what}, got {size:,}")
    return value


def content(value: object) -> str:
    if isinstance(value, str) and not value.strip():
        raise InvalidInput("content", "content is required and must not be blank")
    return text(value, "content", longest=MAX_CONTENT, what="bytes")


def query(value: object) -> str:
    return text(value, "query", longest=MAX_QUERY)


def name(value: object, field: str) -> str | None:
    """A short name such as a source or a label; ``None`` and blank mean: none."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    return text(value, field, longest=MAX_NAME).strip()


def tags(value: object) -> tuple[str, ...]:
    """Tags as a sequence or one comma-separated text: trimmed, without blanks and repetitions."""
    if value is None:
        return ()
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, Sequence) or not all(isinstance(part, str) for part in parts):
        raise InvalidInput("tags", "must be comma-separated text or a list of texts")
    kept = dict.fromkeys(text(part, "tags", longest=MAX_NAME).strip() for part in parts if part.strip())
    if len(kept) > MAX_TAGS:
        raise InvalidInput("tags", f"must be at most {MAX_TAGS}, got {len(kept)}")
    return tuple(kept)


def importance(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput("importance", f"must be a number from 0 to 1, not {type(value).__name__}")
    if not 0 <= value <= 1:  # NaN is not either
        raise InvalidInput("importance", f"must be a number from 0 to 1, got {value:g}")
    return float(value)


def integer(value: object, field: str, low: int, high: int) -> int:
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not whole:
        raise InvalidInput(field, f"must be a whole number from {low} to {high:,}, got {value!r}")
    number = int(cast(float, value))
    if not low <= number <= high:
        raise InvalidInput(field, f"must be a whole number from {low} to {high:,}, got {number:,}")
    return number


def limit(value: object) -> int:
    return integer(value, "limit", 1, MAX_LIMIT)


def max_tokens(value: object) -> int | None:
    return None if value is None else integer(value, "max_tokens", MIN_TOKENS, MAX_TOKENS)


def choice(value: object, field: str, options: type[E]) -> E:
    """Return the member of an enumeration that ``value`` names."""
    try:
        return options(cast(str, value))
    except ValueError:
        allowed = ", ".join(option.value for option in options)
        raise InvalidInput(field, f"must be one of {allowed}, got {value!r}") from None


def metadata(value: object, field: str = "metadata") -> Mapping[str, Json]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise InvalidInput(field, "must be an object with text keys")
    try:
        encoded = json.dumps(dict(value), ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError):
        raise InvalidInput(field, "must hold only JSON values (no NaN, no lone surrogates)") from None
    if len(encoded) > MAX_METADATA:
        raise InvalidInput(field, f"must be at most {MAX_METADATA:,} bytes as JSON, got {len(encoded):,}")
    return cast(Mapping[str, Json], json.loads(encoded))


def identifier(value: object, field: str) -> str:
    return text(value, field, longest=MAX_NAME).strip()
