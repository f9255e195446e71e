# SPDX-License-Identifier: Apache-2.0
"""The types of the schema, and how they are made of records."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

import strawberry
from strawberry.scalars import JSON
from strawberry.types import Info

from ..domain import records
from ..domain.records import Kind, LinkKind
from ..engine import validate
from ..engine.results import Answer as Answered
from ..engine.results import Result, Status
from .access import Access
from .bounds import MAX_LENGTH, Length, Size


def access(info: Info[Access, Any]) -> Access:
    return info.context


@strawberry.type(description="A relationship between two records.")
class Link:
    id: strawberry.ID
    kind: str
    source_id: strawberry.ID
    source_kind: str
    target_id: strawberry.ID
    target_kind: str
    relation: str
    strength: float
    confidence: float
    evidence: str | None
    asserted: bool
    created_at: datetime
    metadata: JSON

    @strawberry.field(description="The record it comes from.")
    def source(self, info: Info[Access, Any]) -> Node | None:
        found: Node | None = record(access(info).one(Kind(self.source_kind), self.source_id))
        return found

    @strawberry.field(description="The record it leads to.")
    def target(self, info: Info[Access, Any]) -> Node | None:
        found: Node | None = record(access(info).one(Kind(self.target_kind), self.target_id))
        return found


def links_around(info: Info[Access, Any], id: str, kinds: list[str] | None, first: int) -> list[Link]:
    chosen = [validate.choice(kind, "kinds", LinkKind) for kind in kinds or ()]
    return [link(each) for each in access(info).links(id, chosen, first)]


@strawberry.interface(description="What every record of the memory has.")
class Node:
    id: strawberry.ID

    @strawberry.field(description="Links from and to it, the strongest first.")
    def links(self, info: Info[Access, Any], kinds: list[str] | None = None, first: Size = 20) -> list[Link]:
        return links_around(info, self.id, kinds, first)


@strawberry.type(description="A name under which memories are found again.")
class Cue(Node):
    name: str
    cue_type: str
    description: str | None
    created_at: datetime


@strawberry.type(description="One memory, as it was told; with a nodeType other than memory, a node of a session.")
class Engram(Node):
    summary: str
    label: str | None
    memory_type: str
    node_type: str
    importance: float
    tags: list[str]
    origin: str | None = strawberry.field(description="Where it comes from.")
    session: str | None
    occurred_at: datetime | None
    occurred_until: datetime | None
    precision: str | None = strawberry.field(description="How exactly it is known when it happened.")
    created_at: datetime
    last_accessed_at: datetime
    access_count: int
    pinned: bool
    archived_at: datetime | None = strawberry.field(description="Since when it is in the archive.")
    indexed_at: datetime | None = strawberry.field(description="Since when it is found by meaning too.")
    cluster_id: int | None = strawberry.field(description="The cluster it is in.")
    metadata: JSON
    text: strawberry.Private[str]

    @strawberry.field(description="Its text, from a character on and of a length of up to 100,000.")
    def content(self, offset: int = 0, length: Length = 20_000) -> str:
        start = validate.integer(offset, "offset", 0, 10**9)
        return self.text[start : start + validate.integer(length, "length", 1, MAX_LENGTH)]

    @strawberry.field(description="How many characters its text has.")
    def content_length(self) -> int:
        return len(self.text)

    @strawberry.field(description="The names under which it is found.")
    def cues(self, info: Info[Access, Any], first: Size = 20) -> list[Cue]:
        found = access(info).beyond(self.id, LinkKind.ENCODED_BY, Kind.CUE, first)
        return [cast(Cue, record(each)) for each in found]


@strawberry.type(description="Somebody or something with a name.")
class Entity(Node):
    name: str
    entity_type: str
    aliases: list[str]
    properties: JSON
    created_at: datetime


@strawberry.type(description="Something that happened, in the half-open interval from occurredAt to occurredUntil.")
class Event(Node):
    description: str
    occurred_at: datetime
    occurred_until: datetime
    precision: str
    duration: str | None
    created_at: datetime


@strawberry.type(description="Subject, predicate and object, true from validFrom until validTo, or still.")
class Fact(Node):
    subject: str
    predicate: str
    object: str
    valid_from: datetime
    valid_to: datetime | None
    recorded_at: datetime
    superseded_by: strawberry.ID | None


@strawberry.type(description="Something that causes or is caused.")
class Cause(Node):
    description: str
    node_type: str
    created_at: datetime


@strawberry.type(
    description="A memory that was found, and how. passage: what of a long text fits, from its character start to end."
)
class Found:
    engram: Engram
    score: float
    text: str
    truncated: bool
    passage: str | None
    start: int | None
    end: int | None
    match_type: str
    path: list[str]
    parts: JSON = strawberry.field(description="What the score is made of, by name.")


@strawberry.type(
    description="What was found. confidence: how likely it is that the memory holds it, where that is judged; "
    "degraded: why it may be worse than usual; next: cursor for more."
)
class Recalled:
    results: list[Found]
    confidence: float | None
    degraded: str | None
    next: str | None
    pending: int


@strawberry.type(
    description="One hop of a causal chain; cumulative is the product of the confidences so far, source the number "
    "of the source that says so, stated whether somebody said it outright."
)
class ChainStep:
    cause: str
    cause_id: strawberry.ID
    effect: str
    effect_id: strawberry.ID
    confidence: float
    cumulative: float
    evidence: str | None
    source: int | None
    stated: bool


@strawberry.type(description="What an answer rests on: a memory, or what somebody stated outright.")
class Source:
    number: int
    kind: str
    engram_id: strawberry.ID | None
    record_id: strawberry.ID | None
    text: str
    origin: str | None
    at: datetime


@strawberry.type(description="An answer and what it rests on. abstained: nothing told answers the question.")
class Answer:
    answer: str
    intent: str
    confidence: float
    abstained: bool
    chain: list[ChainStep]
    chain_confidence: float | None
    root_cause: str | None
    remarks: list[str] = strawberry.field(description="Sentences behind a chain: other causes, what contradicts it.")
    facts: list[Fact]
    timeline: list[Event]
    entities: list[Entity]
    sources: list[Source]
    views: JSON = strawberry.field(description="How many nodes each view of the graph brought.")
    missing: JSON = strawberry.field(description="The views that failed or were late, and why.")
    made_by: JSON = strawberry.field(description="What made the intent and the answer, where there is a chat model.")
    degraded: str | None
    pending: int


@strawberry.type(description="The state of the memory.")
class MemoryStatus:
    version: str
    user: str
    backend: str
    location: str
    embedder: str
    embedder_state: str
    degraded: str | None
    pending: int
    counts: JSON
    sends_text_to: list[str]
    notes: list[str]
    schema: int
    oldest_undo: datetime | None
    consolidated_at: datetime | None
    backup_trouble: str | None = strawberry.field(description="What keeps a copy from being made.")
    backup_at: datetime | None = strawberry.field(description="When a copy was made last.")
    backup_place: str | None = strawberry.field(description="Where copies are kept, if anywhere.")
    foreign: list[str] = strawberry.field(description="Data of other memory systems found here, and what to do.")
    chat: JSON | None = strawberry.field(description="How the chat model is doing, where there is one.")
    unread: int = strawberry.field(description="Memories that the chat model has not read yet.")
    unreadable: int = strawberry.field(description="Memories that the chat model could not read.")


# --- from records to types ---


def engram(told: records.Engram) -> Engram:
    return Engram(
        id=strawberry.ID(told.id),
        summary=told.summary,
        label=told.label,
        memory_type=told.memory_type.value,
        node_type=told.node_type.value,
        importance=told.importance,
        tags=list(told.tags),
        origin=told.source,
        session=told.session,
        occurred_at=told.occurred_at,
        occurred_until=told.occurred_end,
        precision=told.precision.value if told.precision else None,
        created_at=told.created_at,
        last_accessed_at=told.last_accessed_at,
        access_count=told.access_count,
        pinned=told.pinned,
        archived_at=told.archived_at,
        indexed_at=told.indexed_at,
        cluster_id=told.cluster_id if told.cluster_id >= 0 else None,
        metadata=_json(told.metadata),
        text=told.content,
    )


def link(told: records.Link) -> Link:
    return Link(
        id=strawberry.ID(told.id),
        kind=told.kind.value,
        source_id=strawberry.ID(told.src),
        source_kind=told.src_kind.value,
        target_id=strawberry.ID(told.dst),
        target_kind=told.dst_kind.value,
        relation=told.relation_type,
        strength=told.strength,
        confidence=told.confidence,
        evidence=told.evidence,
        asserted=told.asserted,
        created_at=told.created_at,
        metadata=_json(told.metadata),
    )


def record(told: records.Record | None) -> Any:
    """Return a record as its type; ``None`` for one that is gone or of a kind that the schema does not show."""
    match told:
        case records.Engram():
            return engram(told)
        case records.Cue():
            return Cue(
                id=strawberry.ID(told.id),
                name=told.name,
                cue_type=told.cue_type.value,
                description=told.description,
                created_at=told.created_at,
            )
        case records.Entity():
            return Entity(
                id=strawberry.ID(told.id),
                name=told.name,
                entity_type=told.entity_type,
                aliases=list(told.aliases),
                properties=_json(told.properties),
                created_at=told.created_at,
            )
        case records.Event():
            return Event(
                id=strawberry.ID(told.id),
                description=told.description,
                occurred_at=told.occurred_at,
                occurred_until=told.occurred_end,
                precision=told.precision.value,
                duration=told.duration,
                created_at=told.created_at,
            )
        case records.Fact():
            return Fact(
                id=strawberry.ID(told.id),
                subject=told.subject,
                predicate=told.predicate,
                object=told.object,
                valid_from=told.valid_from,
                valid_to=told.valid_to,
                recorded_at=told.recorded_at,
                superseded_by=strawberry.ID(told.superseded_by) if told.superseded_by else None,
            )
        case records.Cause():
            return Cause(
                id=strawberry.ID(told.id),
                description=told.description,
                node_type=told.node_type,
                created_at=told.created_at,
            )
        case _:
            return None


def found(result: Result) -> Found:
    return Found(
        engram=engram(result.engram),
        score=result.score,
        text=result.text,
        truncated=result.truncated,
        passage=result.passage,
        start=result.start,
        end=result.end,
        match_type=result.how.match_type,
        path=list(result.how.path),
        parts=_json(result.how.parts),
    )


def answer(told: Answered) -> Answer:
    return Answer(
        answer=told.answer,
        intent=told.intent,
        confidence=told.confidence,
        abstained=told.abstained,
        chain=[
            ChainStep(
                cause=step.cause,
                cause_id=strawberry.ID(step.cause_id),
                effect=step.effect,
                effect_id=strawberry.ID(step.effect_id),
                confidence=step.confidence,
                cumulative=step.cumulative,
                evidence=step.evidence,
                source=step.source,
                stated=step.stated,
            )
            for step in told.chain
        ],
        chain_confidence=told.chain_confidence,
        root_cause=told.root_cause,
        remarks=list(told.remarks),
        facts=[record(each) for each in told.facts[: validate.MAX_LIMIT]],
        timeline=[record(each) for each in told.timeline[: validate.MAX_LIMIT]],
        entities=[record(each) for each in told.entities[: validate.MAX_LIMIT]],
        sources=[
            Source(
                number=each.number,
                kind=each.kind,
                engram_id=strawberry.ID(each.engram) if each.engram else None,
                record_id=strawberry.ID(each.record) if each.record else None,
                text=each.text,
                origin=each.source,
                at=each.at,
            )
            for each in told.sources
        ],
        views=_json(told.views),
        missing=_json(told.missing),
        made_by=_json(told.made_by),
        degraded=told.degraded,
        pending=told.pending,
    )


def memory_status(told: Status) -> MemoryStatus:
    return MemoryStatus(
        version=told.version,
        user=told.user,
        backend=told.backend,
        location=told.location,
        embedder=told.embedder,
        embedder_state=told.embedder_state,
        degraded=told.degraded,
        pending=told.pending,
        counts=_json(told.counts),
        sends_text_to=list(told.sends_text_to),
        notes=list(told.notes),
        schema=told.schema,
        oldest_undo=told.oldest_undo,
        consolidated_at=told.consolidated_at,
        backup_trouble=told.backup.trouble if told.backup else None,
        backup_at=told.backup.last if told.backup else None,
        backup_place=told.backup.place if told.backup else None,
        foreign=[f"{each.system} at {each.path}: {each.advice}" for each in told.foreign],
        chat=_json(told.chat.as_json()) if told.chat else None,
        unread=told.unread,
        unreadable=sum(told.unreadable.values()),
    )


def _json(value: Mapping[str, Any]) -> JSON:
    return cast(JSON, dict(value))
