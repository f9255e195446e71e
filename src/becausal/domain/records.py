# SPDX-License-Identifier: Apache-2.0
"""The records of the memory graph and the links between them.

All times are aware datetimes in UTC. Every record has an ``id`` that is unique across kinds, and a
``version`` that the store raises by one on each write (0 means: not stored yet).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


class Kind(StrEnum):
    """The kinds of record a store keeps."""

    ENGRAM = "engram"
    PASSAGE = "passage"
    CUE = "cue"
    ENTITY = "entity"
    EVENT = "event"
    FACT = "fact"
    CAUSE = "cause"
    CHANGE = "change"


class MemoryType(StrEnum):
    """Tulving's kinds of long-term memory: what happened, what is so, how it is done."""

    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"


class NodeType(StrEnum):
    """What an engram stands for; ``memory`` unless a session node says otherwise."""

    MEMORY = "memory"
    CONCEPT = "concept"
    FILE = "file"
    SYMBOL = "symbol"
    NOTE = "note"


class CueType(StrEnum):
    """What sort of retrieval cue a name is."""

    ENTITY = "entity"
    KEYWORD = "keyword"
    CONCEPT = "concept"
    CONTEXT = "context"


class LinkKind(StrEnum):
    """The relationships of the graph, each with the kinds it joins."""

    ENCODED_BY = "ENCODED_BY"  # engram → cue
    ASSOCIATED_WITH = "ASSOCIATED_WITH"  # engram → engram
    FOLLOWS = "FOLLOWS"  # later engram → the one told before it in the same source; event → event
    CO_OCCURS = "CO_OCCURS"  # cue – cue, stored once, smaller id first
    E_RELATES = "E_RELATES"  # entity → entity
    C_CAUSES = "C_CAUSES"  # cause → cause
    SAME_AS = "SAME_AS"  # cause – cause
    X_REPRESENTS = "X_REPRESENTS"  # cue → entity
    X_INVOLVES = "X_INVOLVES"  # event or fact → entity
    X_AFFECTS = "X_AFFECTS"  # cause → entity
    X_REFERS_TO = "X_REFERS_TO"  # event → cause
    X_RECORDS = "X_RECORDS"  # engram → entity, event, fact or cause


class Precision(StrEnum):
    """How exactly a time was told."""

    INSTANT = "instant"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    SEASON = "season"
    YEAR = "year"
    DECADE = "decade"
    RANGE = "range"  # an interval whose ends were told, such as "since 2019"


@dataclass(frozen=True, slots=True, kw_only=True)
class Engram:
    """One memory, as it was told.

    ``occurred_at`` … ``occurred_end`` is the half-open interval in which it happened (``None`` if nobody
    said); ``at`` is what it is filed under on a time line: ``occurred_at`` when known, else
    ``created_at``. ``indexed_at`` is ``None`` until its vectors and associations exist.
    """

    id: str
    content: str
    summary: str
    label: str | None = None
    memory_type: MemoryType = MemoryType.SEMANTIC
    node_type: NodeType = NodeType.MEMORY
    importance: float = 0.5
    tags: tuple[str, ...] = ()
    source: str | None = None
    session: str | None = None
    occurred_at: datetime | None = None
    occurred_end: datetime | None = None
    precision: Precision | None = None
    at: datetime
    created_at: datetime
    last_accessed_at: datetime
    access_count: int = 0
    decay_factor: float = 1.0
    cluster_id: int = -1
    pinned: bool = False
    metadata: Mapping[str, Json] = field(default_factory=dict)
    # entities, causes and facts the caller gave with the text, and what a model read out of it under "model"
    told: Mapping[str, Json] = field(default_factory=dict)
    content_hash: str | None = None  # of everything that makes it "the same memory"; unique per user
    archived_at: datetime | None = None
    indexed_at: datetime | None = None
    version: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A stretch ``content[start:end]`` (in characters) of a long engram, indexed on its own."""

    id: str
    engram_id: str
    position: int
    start: int
    end: int
    version: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """A name under which engrams are found again. ``name`` is normalised: case folded, trimmed."""

    id: str
    name: str
    cue_type: CueType
    description: str | None = None
    asserted: bool = False
    created_at: datetime
    version: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """Somebody or something with a name. ``key`` is the normalised name that gives it its identity."""

    id: str
    name: str
    key: str
    entity_type: str
    aliases: tuple[str, ...] = ()
    properties: Mapping[str, Json] = field(default_factory=dict)
    asserted: bool = False
    created_at: datetime
    version: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened in the half-open interval ``occurred_at`` … ``occurred_end``."""

    id: str
    description: str
    occurred_at: datetime
    occurred_end: datetime
    precision: Precision
    duration: str | None = None
    asserted: bool = False
    created_at: datetime
    version: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Subject, predicate, object, true from ``valid_from`` until ``valid_to`` (``None``: still).

    ``told_to`` is the end that was told; ``valid_to`` is earlier where ``superseded_by`` closed it.
    """

    id: str
    subject: str
    predicate: str
    object: str
    valid_from: datetime
    valid_to: datetime | None = None
    told_to: datetime | None = None
    recorded_at: datetime
    superseded_by: str | None = None
    asserted: bool = False
    version: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """A node of the causal graph. ``key`` is the normalised description that gives it its identity."""

    id: str
    description: str
    key: str
    node_type: str = "event"
    asserted: bool = False
    created_at: datetime
    version: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that was done to the memory and can be undone until ``expires_at``.

    ``inverse`` is the batch that takes it back, as JSON; ``targets`` are the records it touched, engrams and
    facts; what is one of several that a call made together names the first of them last.
    """

    id: str
    action: str
    targets: tuple[str, ...]
    note: str
    inverse: Mapping[str, Json]
    created_at: datetime
    expires_at: datetime
    version: int = 0


Record: TypeAlias = Engram | Passage | Cue | Entity | Event | Fact | Cause | Change

RECORD_TYPES: Mapping[Kind, type[Record]] = {
    Kind.ENGRAM: Engram,
    Kind.PASSAGE: Passage,
    Kind.CUE: Cue,
    Kind.ENTITY: Entity,
    Kind.EVENT: Event,
    Kind.FACT: Fact,
    Kind.CAUSE: Cause,
    Kind.CHANGE: Change,
}

KIND_OF: Mapping[type[Record], Kind] = {cls: kind for kind, cls in RECORD_TYPES.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A directed relationship between two records.

    Its ``id`` is derived from kind, ends and ``relation_type``, so that telling it twice makes it once.
    ``sources`` are the engrams it was read from; ``asserted`` says that a caller stated it outright.
    """

    id: str
    kind: LinkKind
    src: str
    dst: str
    src_kind: Kind
    dst_kind: Kind
    relation_type: str = ""
    strength: float = 1.0
    confidence: float = 1.0
    evidence: str | None = None
    sources: tuple[str, ...] = ()
    asserted: bool = False
    metadata: Mapping[str, Json] = field(default_factory=dict)
    created_at: datetime
