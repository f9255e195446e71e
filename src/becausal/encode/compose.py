# SPDX-License-Identifier: Apache-2.0
"""From a text to the records and links that keep it: the durable half of writing, as one batch."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from ..domain.ids import derived_id, link_id, new_id
from ..domain.records import (
    Cue,
    CueType,
    Engram,
    Entity,
    Event,
    Json,
    Kind,
    Link,
    LinkKind,
    MemoryType,
    NodeType,
    Passage,
)
from ..domain.temporal_text import TimeMention, find_times
from ..domain.text import clip, passages, sentences, terms
from ..domain.time import Interval, describe
from ..ports.store import Batch, Put, PutLink
from .extract import Extraction, extract

MAX_EVENTS = 64
"""Dated sentences kept as events, per memory."""

MAX_PAIRED_CUES = 6
"""Cues of one memory that gain co-occurrence strength with each other: 15 pairs at most."""

DESCRIPTION_LENGTH = 500


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
    pinned: bool = False

    @property
    def content_hash(self) -> str:
        """SHA-256 of what makes two tellings the same memory."""
        told = self.occurred.start.isoformat() if self.occurred else ""
        parts = (self.content, self.session or "", self.node_type, self.label or "", self.source or "", told)
        return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """The engram of a telling, the batch that keeps it, and the names of its cues."""

    engram: Engram
    batch: Batch
    cues: tuple[str, ...]


def index_terms(engram: Engram, zone: tzinfo) -> tuple[str, ...]:
    """Return what the text index holds of an engram: label, text, tags, source and the date it happened."""
    told = (
        describe(Interval(engram.occurred_at, engram.occurred_end, engram.precision), zone)
        if engram.occurred_at and engram.occurred_end and engram.precision
        else ""
    )
    return terms("\n".join(filter(None, (engram.label, engram.content, *engram.tags, engram.source, told))))


def compose(
    telling: Telling, *, user: str, now: datetime, zone: tzinfo, previous: str | None, existing: Engram | None = None
) -> Composed:
    """Return everything a telling adds to the graph.

    ``previous`` is the engram told before it in the same source. ``existing`` is the engram that this
    telling replaces the text of: it keeps its id and its history of use.
    """
    found = extract(telling.content, label=telling.label, tags=telling.tags, source=telling.source)
    anchor = telling.occurred.start if telling.occurred else (existing.at if existing else now)
    engram = Engram(
        id=existing.id if existing else new_id(),
        content=telling.content,
        summary=found.summary,
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
        access_count=existing.access_count if existing else 0,
        decay_factor=existing.decay_factor if existing else 1.0,
        cluster_id=existing.cluster_id if existing else -1,
        pinned=telling.pinned,
        metadata=telling.metadata,
        content_hash=telling.content_hash,
    )
    builder = _Builder(user, engram, now)
    builder.add_cues(found)
    builder.add_events(find_times(telling.content, anchor=anchor, zone=zone)[:MAX_EVENTS], found)
    if previous is not None:
        builder.link(LinkKind.FOLLOWS, engram.id, previous, Kind.ENGRAM, Kind.ENGRAM)
    builder.add_passages()
    puts = (Put(engram, terms=index_terms(engram, zone)), *builder.puts)
    return Composed(
        engram=engram,
        batch=Batch(puts=puts, links=tuple(builder.links)),
        cues=tuple(cue.name for cue in found.cues),
    )


class _Builder:
    """Gathers the records around one engram."""

    def __init__(self, user: str, engram: Engram, now: datetime) -> None:
        self.user = user
        self.engram = engram
        self.now = now
        self.puts: list[Put] = []
        self.links: list[PutLink] = []
        self.entities: dict[str, str] = {}  # name key → entity id

    def link(self, kind: LinkKind, src: str, dst: str, src_kind: Kind, dst_kind: Kind, *, adds: bool = False) -> None:
        self.links.append(
            PutLink(
                Link(
                    id=link_id(self.user, kind, src, dst),
                    kind=kind,
                    src=src,
                    dst=dst,
                    src_kind=src_kind,
                    dst_kind=dst_kind,
                    sources=() if adds or src == self.engram.id else (self.engram.id,),
                    created_at=self.now,
                ),
                merge="add" if adds else "keep",
            )
        )

    def add_cues(self, found: Extraction) -> None:
        for entity in found.entities:
            # A type read from the text never splits a name in two, so the name alone is the identity.
            id = self.entities[entity.key] = derived_id(self.user, Kind.ENTITY, entity.key)
            record = Entity(
                id=id, name=entity.name, key=entity.key, entity_type=entity.entity_type, created_at=self.now
            )
            self.puts.append(Put(record, terms=terms(entity.name), if_absent=True))
            self.link(LinkKind.X_RECORDS, self.engram.id, id, Kind.ENGRAM, Kind.ENTITY)
        ids = []
        for cue in found.cues:
            id = derived_id(self.user, Kind.CUE, cue.cue_type, cue.name)
            ids.append(id)
            record_ = Cue(id=id, name=cue.name, cue_type=cue.cue_type, created_at=self.now)
            self.puts.append(Put(record_, terms=terms(cue.name), if_absent=True))
            self.link(LinkKind.ENCODED_BY, self.engram.id, id, Kind.ENGRAM, Kind.CUE)
            if cue.cue_type is CueType.ENTITY and cue.name in self.entities:
                self.link(LinkKind.X_REPRESENTS, id, self.entities[cue.name], Kind.CUE, Kind.ENTITY)
        for one, other in itertools.combinations(sorted(ids[:MAX_PAIRED_CUES]), 2):
            self.link(LinkKind.CO_OCCURS, one, other, Kind.CUE, Kind.CUE, adds=True)

    def add_events(self, mentions: Sequence[TimeMention], found: Extraction) -> None:
        """Keep every sentence that tells a time as an event, involving the entities it names."""
        if not mentions:
            return
        content = self.engram.content
        spans = sentences(content)
        place = 0
        for mention in mentions:
            while place < len(spans) - 1 and spans[place][1] <= mention.start:
                place += 1
            told = content[spans[place][0] : spans[place][1]]
            sentence = clip(told.strip(), DESCRIPTION_LENGTH)
            id = derived_id(self.user, Kind.EVENT, self.engram.id, str(mention.start), sentence)
            event = Event(
                id=id,
                description=sentence,
                occurred_at=mention.interval.start,
                occurred_end=mention.interval.end,
                precision=mention.interval.precision,
                created_at=self.now,
            )
            self.puts.append(Put(event, terms=terms(sentence)))
            self.link(LinkKind.X_RECORDS, self.engram.id, id, Kind.ENGRAM, Kind.EVENT)
            for entity in found.entities:
                if entity.name in told:
                    self.link(LinkKind.X_INVOLVES, id, self.entities[entity.key], Kind.EVENT, Kind.ENTITY)

    def add_passages(self) -> None:
        for position, (start, end) in enumerate(passages(self.engram.content)):
            record = Passage(
                id=derived_id(self.user, Kind.PASSAGE, self.engram.id, str(start), str(end)),
                engram_id=self.engram.id,
                position=position,
                start=start,
                end=end,
            )
            self.puts.append(Put(record, terms=terms(self.engram.content[start:end])))
