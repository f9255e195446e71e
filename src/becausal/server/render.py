# SPDX-License-Identifier: Apache-2.0
"""Results as JSON for the tools. Times are ISO 8601 in UTC with milliseconds; lists are cut to a bound."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from ..domain.records import Change, Engram, LinkKind
from ..engine.results import Detail, Forgotten, Recalled, Result, Status, Stored, Undone
from ..engine.upkeep.results import BackupStatus
from ..graphs.timeline import fact_text

PAGE = 20_000
"""Characters of one memory's content that ``get`` returns at a time."""

MANY = 50
"""Ids, cues, links or events of one kind in an answer."""

RECENT = 5
"""Changes named in ``status``, so that one of them can be undone."""

Document = dict[str, Any]


def moment(value: datetime | None) -> str | None:
    """Return a time as ``2026-03-01T09:30:00.000Z``."""
    if value is None:
        return None
    return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def kept(engram: Engram) -> Document:
    """The five fields that say what was stored."""
    return {
        "id": engram.id,
        "summary": engram.summary,
        "memory_type": engram.memory_type.value,
        "importance": engram.importance,
        "tags": ",".join(engram.tags),
    }


def closed(value: Stored) -> list[str]:
    """Return the facts that a telling has closed, each with its end."""
    return [f"{fact_text(fact)} (until {moment(fact.valid_to)})" for fact in value.superseded[:MANY]]


def stored(value: Stored) -> Document:
    """What was stored, whether it is new, and the names under which it will be found."""
    document = kept(value.engram) | {"created": value.created, "cues": list(value.cues[:MANY])}
    if value.engram.archived_at is not None:
        document["archived_at"] = moment(value.engram.archived_at)
    if value.superseded:
        document["superseded"] = closed(value)
    return document


def found(value: Result) -> Document:
    """The ten fields of a recalled memory."""
    engram = value.engram
    return {
        "id": engram.id,
        "content": value.text,
        "summary": engram.summary,
        "memory_type": engram.memory_type.value,
        "importance": engram.importance,
        "score": round(value.score, 6),
        "match_type": value.how.match_type,
        "tags": ",".join(engram.tags),
        "source": engram.source or "",
        "created_at": moment(engram.created_at),
    }


def found_with_reasons(value: Result) -> Document:
    """The ten fields and, where there is something to say, when it happened and how it was found."""
    extra = {
        "label": value.engram.label,
        "session": value.engram.session,
        "occurred_at": moment(value.engram.occurred_at),
        "truncated": value.truncated,
        "passage": value.passage if value.passage != value.text else None,
        "path": list(value.how.path),
        "parts": {name: round(part, 4) for name, part in value.how.parts.items()},
    }
    return found(value) | told(extra)


def recalled(value: Recalled) -> Document:
    """The results with their reasons; ``degraded`` and ``next`` are null when there is nothing to say."""
    document: Document = {
        "results": [found_with_reasons(result) for result in value.results],
        "degraded": value.degraded,
        "next": value.next,
    }
    if value.confidence is not None:
        document["confidence"] = value.confidence
    if value.pending:
        document["pending"] = value.pending
    return document


def change(value: Change) -> Document:
    return {
        "change_id": value.id,
        "action": value.action,
        "note": value.note,
        "targets": list(value.targets[:MANY]),
        "created_at": moment(value.created_at),
        "expires_at": moment(value.expires_at),
    }


def detail(value: Detail, offset: int) -> Document:
    """One memory and what surrounds it, with ``PAGE`` characters of its content from ``offset`` on."""
    engram = value.engram
    end = offset + PAGE
    long = offset > 0 or end < len(engram.content)
    page = {"offset": offset, "total": len(engram.content), "next_offset": end if end < len(engram.content) else None}
    extra = {
        "label": engram.label,
        "source": engram.source,
        "session": engram.session,
        "occurred_at": moment(engram.occurred_at),
        "occurred_until": moment(engram.occurred_end),
        "last_accessed_at": moment(engram.last_accessed_at),
        "pinned": engram.pinned,
        "archived_at": moment(engram.archived_at),
        "metadata": dict(engram.metadata),
        "cues": [cue.name for cue in value.cues[:MANY]],
        "links": [
            {"kind": link.kind.value, "relation": link.relation_type, "from": link.src, "to": link.dst}
            for link in [link for link in value.links if link.kind is not LinkKind.ENCODED_BY][:MANY]
        ],
        "events": [
            {"description": event.description, "occurred_at": moment(event.occurred_at)}
            for event in value.events[:MANY]
        ],
        "changes": [change(item) for item in value.changes[:RECENT]],
    }
    return (
        kept(engram)
        | {"content": engram.content[offset:end], "created_at": moment(engram.created_at)}
        | (page if long else {})
        | {"access_count": engram.access_count}
        | told(extra)
    )


def forgotten(value: Forgotten) -> Document:
    """How many were forgotten or would be, the first of them, and how to take it back."""
    extra = {
        "purged": value.purged,
        "undo": value.undo,
        "erased_at": moment(value.erased_at),
        "remains": list(value.remains[:MANY]),
    }
    return {"dry_run": value.dry_run, "count": len(value.ids), "ids": list(value.ids[:MANY])} | told(extra)


def undone(value: Undone) -> Document:
    return {"undone": value.change.action, "change_id": value.change.id, "ids": list(value.ids[:MANY])}


def status(value: Status, recent: Iterable[Change]) -> Document:
    return {
        "version": value.version,
        "user": value.user,
        "backend": value.backend,
        "location": value.location,
        "schema": value.schema,
        "embedder": value.embedder,
        "embedder_state": value.embedder_state,
        "degraded": value.degraded,
        "counts": dict(value.counts),
        "pending": value.pending,
        "oldest_undo": moment(value.oldest_undo),
        "consolidated_at": moment(value.consolidated_at),
        "backup": None if value.backup is None else backup(value.backup),
        "sends_text_to": list(value.sends_text_to),
        "foreign": [{"system": item.system, "path": item.path, "advice": item.advice} for item in value.foreign],
        "notes": list(value.notes),
        "changes": [change(item) for item in recent],
        **({} if value.chat is None else {"chat": value.chat_as_json()}),
    }


def backup(value: BackupStatus) -> Document:
    return {"place": value.place, "last": moment(value.last), "trouble": value.trouble, "note": value.note}


def told(fields: Mapping[str, Any]) -> Document:
    """Leave out what says nothing: null, false, and empty."""
    return {name: value for name, value in fields.items() if value not in (None, False, [], {})}
