# SPDX-License-Identifier: Apache-2.0
"""From a text to the records and links that keep it: the durable half of writing, as one batch."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from typing import cast

from ..domain.ids import derived_id, new_id
from ..domain.records import Engram, Json, Kind, LinkKind, MemoryType, NodeType, Passage
from ..domain.redaction import Redact, nothing, redact_json
from ..domain.temporal.text import find_times
from ..domain.text import passages, terms
from ..domain.time import Interval, describe
from ..graphs.linking import Draft, Node
from ..graphs.timeline import Closing, Timeline
from ..models.words import embed_text
from ..ports.batch import Batch, Put, PutVector, Space
from .derive import MAX_EVENTS, derive
from .enrichment import read_part
from .extract import extract


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """One text as a caller told it, validated."""

    content: str
    importance: float = 0.5
    tags: tuple[str, ...] = ()
    source: str | None = None
    session: str | None = None
    label: str | None = None
    node_type: NodeType = NodeType.MEMORY
    memory_type: MemoryType | None = None
    occurred: Interval | None = None
    metadata: Mapping[str, Json]
    told: Mapping[str, Json] = field(default_factory=dict)
    pinned: bool = False
    id: str | None = None  # what a new memory is to be known by; one that exists already is a conflict

    @property
    def content_hash(self) -> str:
        """SHA-256 of what makes two tellings the same memory."""
        told = self.occurred.start.isoformat() if self.occurred else ""
        parts = (self.content, self.session or "", self.node_type, self.label or "", self.source or "", told)
        return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """The engram of a telling, the batch that keeps it, the names of its cues, and the facts it closes."""

    engram: Engram
    batch: Batch
    cues: tuple[str, ...]
    closings: tuple[Closing, ...]


def retelling(engram: Engram) -> Telling:
    """Return the telling that would make an engram again."""
    occurred = None
    if engram.occurred_at and engram.occurred_end and engram.precision:
        occurred = Interval(engram.occurred_at, engram.occurred_end, engram.precision)
    return Telling(
        content=engram.content,
        importance=engram.importance,
        tags=engram.tags,
        source=engram.source,
        session=engram.session,
        label=engram.label,
        node_type=engram.node_type,
        memory_type=engram.memory_type,
        occurred=occurred,
        metadata=engram.metadata,
        told=engram.told,
        pinned=engram.pinned,
    )


def redacted(telling: Telling, redact: Redact) -> Telling:
    """Return a telling without secrets."""
    if redact is nothing:
        return telling
    return replace(
        telling,
        content=redact(telling.content),
        tags=tuple(map(redact, telling.tags)),
        source=telling.source and redact(telling.source),
        label=telling.label and redact(telling.label),
        metadata=cast("dict[str, Json]", redact_json(dict(telling.metadata), redact)),
        told=cast("dict[str, Json]", redact_json(dict(telling.told), redact)),
    )


def index_terms(engram: Engram, zone: tzinfo) -> tuple[str, ...]:
    """Return what the text index holds of an engram.

    These are its label, text, tags, source, the date it happened, and what was said outright with the text.
    """
    happened = (
        describe(Interval(engram.occurred_at, engram.occurred_end, engram.precision), zone)
        if engram.occurred_at and engram.occurred_end and engram.precision
        else ""
    )
    parts = (engram.label, engram.content, *engram.tags, engram.source, happened, *_said_outright(engram))
    return terms("\n".join(filter(None, parts)))


def _said_outright(engram: Engram) -> Iterator[str]:
    """Yield the names and descriptions that the caller gave, as far as the text does not have them word for word."""
    told = cast("Mapping[str, Sequence[Mapping[str, str]]]", engram.told)
    for of, fields in (("entities", ("name",)), ("causes", ("cause", "effect")), ("facts", ("subject", "object"))):
        for item in told.get(of, ()):
            yield from (item[field] for field in fields if item[field] not in engram.content)


def compose(
    telling: Telling,
    *,
    user: str,
    now: datetime,
    zone: tzinfo,
    timeline: Timeline,
    previous: str | None,
    existing: Engram | None = None,
    pause: Callable[[], object] = lambda: None,
) -> Composed:
    """Return everything a telling adds to the graph.

    ``previous`` is the engram told before it in the same source. ``existing`` is the engram that this
    telling replaces the text of: it keeps its id and its history of use. ``pause`` is for long texts; see ``derive``.
    """
    found = extract(telling.content, label=telling.label, tags=telling.tags, source=telling.source)
    anchor = telling.occurred.start if telling.occurred else (existing.at if existing else now)
    read = read_part(telling.told) or {}
    engram = Engram(
        id=existing.id if existing else telling.id or new_id(),
        content=telling.content,
        summary=read.get("summary") or found.summary,
        label=telling.label,
        memory_type=telling.memory_type or found.memory_type,
        node_type=telling.node_type,
        importance=telling.importance,
        tags=telling.tags,
        source=telling.source,
        session=telling.session,
        occurred_at=telling.occurred.start if telling.occurred else None,
        occurred_end=telling.occurred.end if telling.occurred else None,
        precision=telling.occurred.precision if telling.occurred else None,
        at=anchor,
        created_at=existing.created_at if existing else now,
        last_accessed_at=existing.last_accessed_at if existing else now,
        access_count=existing.access_count if existing else int(is_node(telling.node_type)),
        decay_factor=existing.decay_factor if existing else 1.0,
        cluster_id=existing.cluster_id if existing else -1,
        pinned=telling.pinned,
        metadata=telling.metadata,
        told=telling.told,
        content_hash=telling.content_hash,
        archived_at=existing.archived_at if existing else None,
    )
    draft = Draft(user, now, source=engram.id)
    times = find_times(telling.content, anchor=telling.occurred or anchor, zone=zone, limit=MAX_EVENTS)
    closings = derive(draft, engram, found, times, timeline, pause)
    if previous is not None:
        draft.link(LinkKind.FOLLOWS, Node(Kind.ENGRAM, engram.id), Node(Kind.ENGRAM, previous))
    _add_passages(draft, engram)
    draft.vectors += word_vectors(engram)
    batch = draft.batch()
    first = Put(engram, terms=index_terms(engram, zone), expect_version=0 if telling.id and not existing else None)
    return Composed(
        engram=engram,
        batch=replace(batch, puts=(first, *batch.puts)),
        cues=tuple(dict.fromkeys(cue.name for cue in found.cues)),
        closings=closings,
    )


def is_node(node_type: NodeType) -> bool:
    """Whether an engram is a node of a session's graph."""
    return node_type is not NodeType.MEMORY


def word_vectors(engram: Engram) -> tuple[PutVector, ...]:
    """Return the vector by which a session finds its node, which waits for no model; other memories have none."""
    if not is_node(engram.node_type):
        return ()
    import numpy as np

    vector = np.array(embed_text(f"{engram.label or ''} {engram.content}"), np.float32)
    return (PutVector(Kind.ENGRAM, engram.id, vector, Space.HASHED),)


def _add_passages(draft: Draft, engram: Engram) -> None:
    for position, (start, end) in enumerate(passages(engram.content)):
        record = Passage(
            id=derived_id(draft.user, Kind.PASSAGE, engram.id, str(start), str(end)),
            engram_id=engram.id,
            position=position,
            start=start,
            end=end,
        )
        draft.put(record, terms(engram.content[start:end]))
