# SPDX-License-Identifier: Apache-2.0
"""From what a caller says to a checked telling: the one door for every text that is to be remembered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, tzinfo
from typing import TypeAlias

from ...domain.interval import Interval
from ...domain.records import Json, MemoryType, NodeType
from ...domain.time import parse_when
from ...encode.compose import Telling
from ...errors import InvalidInput
from .. import validate
from .told import told

Moment: TypeAlias = datetime | date | str
"""A time as a caller may give it: a datetime, a date, ISO 8601 text, or words such as "last Tuesday"."""


def moment(value: Moment | None, field: str, zone: tzinfo, now: datetime) -> Interval | None:
    """Return the interval that a caller means; blank text means none."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    return parse_when(value, field=field, zone=zone, anchor=now)


def make_telling(
    content: str,
    *,
    zone: tzinfo,
    now: datetime,
    importance: float = 0.5,
    tags: Sequence[str] | str = (),
    source: str | None = None,
    session: str | None = None,
    label: str | None = None,
    node_type: str = NodeType.MEMORY,
    memory_type: str | None = None,
    occurred_at: Moment | None = None,
    metadata: Mapping[str, Json] | None = None,
    pinned: bool = False,
    entities: Sequence[str | Mapping[str, Json]] | None = None,
    causes: Sequence[Mapping[str, Json]] | None = None,
    facts: Sequence[Mapping[str, Json]] | None = None,
) -> Telling:
    """Return a telling of what ``Memory.store`` takes.

    Raises:
        InvalidInput: naming the field and what is allowed.
    """
    occurred = moment(occurred_at, "occurred_at", zone, now)
    return Telling(
        content=validate.content(content),
        importance=validate.importance(importance),
        tags=validate.tags(tags),
        source=validate.name(source, "source"),
        session=validate.name(session, "session"),
        label=validate.name(label, "label"),
        node_type=validate.choice(node_type, "node_type", NodeType),
        memory_type=None if memory_type is None else validate.choice(memory_type, "memory_type", MemoryType),
        occurred=occurred,
        metadata=validate.metadata(metadata),
        told=told(entities, causes, facts, zone=zone, anchor=occurred.start if occurred else now),
        pinned=bool(pinned),
    )


def make_changes(
    *,
    zone: tzinfo,
    now: datetime,
    content: str | None = None,
    importance: float | None = None,
    tags: Sequence[str] | str | None = None,
    source: str | None = None,
    label: str | None = None,
    memory_type: str | None = None,
    occurred_at: Moment | None = None,
    metadata: Mapping[str, Json] | None = None,
    pinned: bool | None = None,
) -> dict[str, object]:
    """Return, by the fields of a telling, what ``Memory.update`` is given; ``None`` means that it stays.

    Raises:
        InvalidInput: naming the field and what is allowed, or there is nothing to change.
    """
    changes: dict[str, object] = {}
    if content is not None:
        changes["content"] = validate.content(content)
    if importance is not None:
        changes["importance"] = validate.importance(importance)
    if tags is not None:
        changes["tags"] = validate.tags(tags)
    if source is not None:
        changes["source"] = validate.name(source, "source")
    if label is not None:
        changes["label"] = validate.name(label, "label")
    if memory_type is not None:
        changes["memory_type"] = validate.choice(memory_type, "memory_type", MemoryType)
    if occurred_at is not None:
        changes["occurred"] = moment(occurred_at, "occurred_at", zone, now)
    if metadata is not None:
        changes["metadata"] = validate.metadata(metadata)
    if pinned is not None:
        changes["pinned"] = bool(pinned)
    if not changes:
        raise InvalidInput("update", "needs at least one field to change")
    return changes
