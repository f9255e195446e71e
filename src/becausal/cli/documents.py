# SPDX-License-Identifier: Apache-2.0
"""The JSON that ``--json`` prints. Times are ISO 8601 in UTC; what is not known is null."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from ..domain.records import Change, Engram, Entity, Event, Fact
from ..engine.results import Answer, Detail, Forgotten, Recalled, Result, Status, Stored, Undone
from ..engine.transfer.results import Exported, Imported, Migrated
from ..engine.upkeep.results import Erased

Document = dict[str, Any]


def moment(value: datetime | None) -> str | None:
    return None if value is None else value.isoformat().replace("+00:00", "Z")


def engram(value: Engram) -> Document:
    """Everything that was told about a memory, and what the memory keeps about it."""
    return {
        "id": value.id,
        "content": value.content,
        "summary": value.summary,
        "label": value.label,
        "memory_type": value.memory_type.value,
        "node_type": value.node_type.value,
        "importance": value.importance,
        "tags": list(value.tags),
        "source": value.source,
        "session": value.session,
        "occurred_at": moment(value.occurred_at),
        "occurred_end": moment(value.occurred_end),
        "precision": None if value.precision is None else value.precision.value,
        "created_at": moment(value.created_at),
        "last_accessed_at": moment(value.last_accessed_at),
        "access_count": value.access_count,
        "pinned": value.pinned,
        "metadata": dict(value.metadata),
        "indexed_at": moment(value.indexed_at),
        "archived_at": moment(value.archived_at),
    }


def stored(value: Stored, pending: int) -> Document:
    return {
        "memory": engram(value.engram),
        "created": value.created,
        "cues": list(value.cues),
        "superseded": [fact(item) for item in value.superseded],
        "pending": pending,
    }


def result(value: Result) -> Document:
    document = engram(value.engram)
    document["content"] = value.text
    return document | {
        "truncated": value.truncated,
        "passage": value.passage,
        "start": value.start,
        "end": value.end,
        "score": value.score,
        "match_type": value.how.match_type,
        "path": list(value.how.path),
        "parts": dict(value.how.parts),
    }


def recalled(value: Recalled) -> Document:
    return {
        "results": [result(item) for item in value.results],
        "mode": value.mode,
        "confidence": value.confidence,
        "degraded": value.degraded,
        "pending": value.pending,
        "next": value.next,
    }


def change(value: Change) -> Document:
    return {
        "id": value.id,
        "action": value.action,
        "targets": list(value.targets),
        "note": value.note,
        "created_at": moment(value.created_at),
        "expires_at": moment(value.expires_at),
    }


def event(value: Event) -> Document:
    return {
        "id": value.id,
        "description": value.description,
        "occurred_at": moment(value.occurred_at),
        "occurred_end": moment(value.occurred_end),
        "precision": value.precision.value,
    }


def fact(value: Fact) -> Document:
    return {
        "id": value.id,
        "subject": value.subject,
        "predicate": value.predicate,
        "object": value.object,
        "valid_from": moment(value.valid_from),
        "valid_to": moment(value.valid_to),
        "superseded_by": value.superseded_by,
    }


def entity(value: Entity) -> Document:
    return {"id": value.id, "name": value.name, "type": value.entity_type, "aliases": list(value.aliases)}


def answered(value: Answer) -> Document:
    """The answer with all that it rests on, and the subgraph it was read from as ``context``."""
    return {
        "question": value.question,
        "answer": value.answer,
        "intent": value.intent,
        "confidence": value.confidence,
        "abstained": value.abstained,
        "chain": [
            {
                "cause": step.cause,
                "cause_id": step.cause_id,
                "effect": step.effect,
                "effect_id": step.effect_id,
                "confidence": step.confidence,
                "cumulative": step.cumulative,
                "evidence": step.evidence,
                "source": step.source,
                "stated": step.stated,
            }
            for step in value.chain
        ],
        "chain_confidence": value.chain_confidence,
        "root_cause": value.root_cause,
        "remarks": list(value.remarks),
        "timeline": [event(item) for item in value.timeline],
        "facts": [fact(item) for item in value.facts],
        "entities": [entity(item) for item in value.entities],
        "sources": [
            {
                "number": source.number,
                "id": source.id,
                "kind": source.kind,
                "text": source.text,
                "source": source.source,
                "at": moment(source.at),
                "until": moment(source.occurred_end) if source.occurred_end else None,
                "precision": source.precision.value if source.precision else None,
            }
            for source in value.sources
        ],
        **({"made_by": dict(value.made_by)} if value.made_by else {}),
        "context": value.context,
        "strategy": value.strategy,
        "views": dict(value.views),
        "missing": dict(value.missing),
        "degraded": value.degraded,
        "pending": value.pending,
        "timings": dict(value.timings),
    }


def detail(value: Detail) -> Document:
    return {
        "memory": engram(value.engram),
        "cues": [{"name": cue.name, "type": cue.cue_type.value} for cue in value.cues],
        "links": [
            {
                "kind": link.kind.value,
                "from": link.src,
                "to": link.dst,
                "relation": link.relation_type or None,
                "strength": link.strength,
            }
            for link in value.links
        ],
        "events": [event(item) for item in value.events],
        "passages": value.passages,
        "changes": [change(item) for item in value.changes],
    }


def forgotten(values: Sequence[Forgotten], not_found: Sequence[str] = ()) -> Document:
    """Each way of forgetting has its own undo; ``ids`` are all of them together."""
    return {
        "ids": [id for value in values for id in value.ids],
        "dry_run": any(value.dry_run for value in values),
        "purged": any(value.purged for value in values),
        "undo": [value.undo for value in values if value.undo is not None],
        "erased_at": next((moment(value.erased_at) for value in values if value.erased_at is not None), None),
        "remains": list(dict.fromkeys(trace for value in values for trace in value.remains)),
        "not_found": list(not_found),
    }


def erased(value: Erased) -> Document:
    return {"records": value.records, "remains": list(value.remains)}


def undone(value: Undone) -> Document:
    return {"change": change(value.change), "ids": list(value.ids)}


def status(value: Status) -> Document:
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
        "backup": None
        if value.backup is None
        else {
            "place": value.backup.place,
            "last": moment(value.backup.last),
            "version": value.backup.version,
            "trouble": value.backup.trouble,
            "note": value.backup.note,
            "remembers": value.backup.remembers,
        },
        "sends_text_to": list(value.sends_text_to),
        "foreign": [{"system": item.system, "path": item.path, "advice": item.advice} for item in value.foreign],
        "notes": list(value.notes),
        **({} if value.chat is None else {"chat": value.chat_as_json()}),
    }


def exported(value: Exported, file: str) -> Document:
    return {
        "file": file,
        "records": dict(value.records),
        "links": value.links,
        "damaged": [{"where": item.where, "why": item.why} for item in value.damaged],
    }


def migrated(value: Migrated) -> Document:
    return {
        "from": value.source,
        "to": value.target,
        "records": dict(value.records),
        "links": value.links,
        "known": value.known,
        "damaged": [{"where": item.where, "why": item.why} for item in value.damaged],
    }


def imported(value: Imported) -> Document:
    return {
        "format": value.format,
        "dry_run": value.dry_run,
        "added": dict(value.added),
        "links": value.links,
        "known": value.known,
        "refused": value.refused,
        "skipped": [{"where": item.where, "why": item.why} for item in value.skipped],
        "passed": dict(value.passed),
        "unindexed": value.unindexed,
    }
