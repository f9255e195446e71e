# SPDX-License-Identifier: Apache-2.0
"""What can be asked of a memory: modes, filters, validated questions, and where a page of an answer begins."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import math
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from enum import StrEnum
from time import monotonic

from ..domain.records import MemoryType
from ..errors import InvalidInput
from ..ports.store import Condition, Cursor, Op, Where
from . import validate

DEPTH = 200
"""Results a question has in all, over all its pages."""


class Mode(StrEnum):
    RECALL = "recall"
    SEARCH = "search"
    FTS = "fts"
    HYBRID = "hybrid"
    LIST = "list"


class Scoring(StrEnum):
    DEFAULT = "default"
    SMRITI = "smriti"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A validated question."""

    query: str | None
    mode: Mode
    limit: int
    where: Where
    cursor: str | None
    max_tokens: int | None
    strengthen: bool
    zone: tzinfo
    patience: float = math.inf  # seconds that an embedding service may keep it waiting, counted from ``at``
    at: float = field(default_factory=monotonic)
    cues: tuple[str, ...] = ()  # normalised names to look for beside those in the question

    @property
    def seconds_left(self) -> float:
        return self.at + self.patience - monotonic()


def mode_of(name: str | None, asked: str | None) -> Mode:
    """Return the mode of a name; without one, what suits a question, or the lack of one."""
    if not name:
        return Mode.LIST if asked is None else Mode.RECALL
    try:
        mode = Mode(name)
    except ValueError:
        allowed = ", ".join(Mode)
        raise InvalidInput("mode", f"unknown mode: {name} (it must be one of {allowed})") from None
    if asked is None and mode is not Mode.LIST:
        raise InvalidInput("query", f"query is required for {mode} mode")
    return mode


def filters(
    *,
    memory_type: MemoryType | None,
    tags: tuple[str, ...],
    source: str | None,
    session: str | None,
    since: datetime | None,
    until: datetime | None,
) -> Where:
    """Return the conditions of a caller's filters; archived memories never match."""
    where = [Condition("archived_at", Op.NULL, True)]
    if memory_type is not None:
        where.append(Condition("memory_type", Op.EQ, memory_type))
    if tags:
        where.append(Condition("tags", Op.HAS, tags))
    if source is not None:
        where.append(Condition("source", Op.EQ, source))
    if session is not None:
        where.append(Condition("session", Op.EQ, session))
    if since is not None:
        where.append(Condition("at", Op.GE, since))
    if until is not None:
        where.append(Condition("at", Op.LT, until))
    if since is not None and until is not None and since >= until:
        raise InvalidInput("until", "must be later than since")
    return tuple(where)


# --- cursors: opaque, bound to the question they continue ---


def _digest(request: Request) -> str:
    asked = json.dumps([request.query, request.mode, [str(each) for each in request.where]])
    return hashlib.sha256(asked.encode("utf-8", "replace")).hexdigest()[:12]


def continuation(request: Request, **state: object) -> str:
    """Return the cursor that continues a question from a state of its answer."""
    told = json.dumps({"q": _digest(request), **state})
    return base64.urlsafe_b64encode(told.encode()).decode().rstrip("=")


def _decode(request: Request) -> dict[str, object]:
    cursor = request.cursor or ""
    try:
        state = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, binascii.Error):
        state = None
    if not isinstance(state, dict) or state.get("q") != _digest(request):
        raise InvalidInput("cursor", "must be the 'next' of an earlier answer to the same question and filters")
    return state


def offset(request: Request) -> int:
    """Return how many results earlier pages have shown.

    Raises:
        InvalidInput: the cursor is not of this question.
    """
    if request.cursor is None:
        return 0
    return validate.integer(_decode(request).get("o"), "cursor", 0, DEPTH)


def list_cursor(request: Request) -> Cursor | None:
    """Return after which memory a page of a list begins.

    Raises:
        InvalidInput: the cursor is not of this list.
    """
    if request.cursor is None:
        return None
    state = _decode(request)
    return Cursor(datetime.fromisoformat(str(state["t"])), str(state["i"]))
