# SPDX-License-Identifier: Apache-2.0
"""What the facade answers with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from ..domain.records import Change, Cue, Engram, Entity, Event, Fact, Json, Link, Precision
from ..models.guarded import ChatState
from .upkeep.results import BackupStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A memory was kept, durably. ``created`` is false when it was known and has been strengthened."""

    engram: Engram
    created: bool
    cues: tuple[str, ...]
    superseded: tuple[Fact, ...] = ()  # facts this one closed, with their ends
    made: Mapping[str, int] = field(default_factory=dict)  # how many records and links are new, by kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """How a result was found.

    ``match_type``: cue, text, vector, time, neighbour, name or association (``hybrid``, ``search``, ``fts`` and
    ``list`` in those modes). ``path``: readable steps from the query to the memory. ``parts``: the
    normalised scores that went into the result's score, by name.
    """

    match_type: str
    path: tuple[str, ...] = ()
    parts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One recalled memory.

    ``passage`` is the part of a long memory that matched best, ``start`` and ``end`` where it stands in
    ``engram.content``. ``text`` is what to show: the content, or, when that is too long for the answer,
    the passage and what surrounds it (then ``truncated``).
    """

    engram: Engram
    score: float
    text: str
    truncated: bool = False
    passage: str | None = None
    start: int | None = None
    end: int | None = None
    how: Explanation


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """The answer to a recall. ``degraded`` says why it may be worse than usual; ``next`` asks for more.

    ``confidence``, 0 … 1, is how likely it is that the memory holds what was asked for; ``None`` where that is
    not judged: by default it is, in mode ``recall``, for a question about something and not just some time.
    """

    results: tuple[Result, ...]
    mode: str
    degraded: str | None = None
    next: str | None = None
    pending: int = 0  # memories told but not yet indexed
    confidence: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What an answer rests on, and what it says. ``number`` is how the answer refers to it.

    Its ``kind`` is ``memory``, or that of a record which a caller stated outright: ``fact``, ``relation``, ``event``,
    ``cause``, ``concept`` or ``entity``; then ``engram`` is ``None`` and ``record`` its id. ``at`` is when it happened
    or began to hold, if that is known, else when it was told. ``occurred_end`` and ``precision`` say how exactly that
    is known; without them it is not, or it is when it was told.
    """

    number: int
    engram: str | None
    text: str
    source: str | None
    at: datetime
    occurred_end: datetime | None = None
    precision: Precision | None = None
    kind: str = "memory"
    record: str | None = None

    @property
    def id(self) -> str:
        """The id of the memory or the stated record: what ``Memory.forget`` takes."""
        return self.engram or self.record or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainStep:
    """One hop of a causal chain. ``cumulative`` is the product of the confidences up to and with this hop."""

    cause: str
    cause_id: str
    effect: str
    effect_id: str
    confidence: float
    cumulative: float
    evidence: str | None
    source: int | None  # number of the source that says so; None if that was forgotten in this moment
    stated: bool = False  # a caller stated it outright


LOCAL = "local"
"""What made an answer, or a part of it, where no chat model did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to a question, and everything it rests on.

    ``confidence``, 0 … 1, is how sure it is that this answers the question, ``chain_confidence`` that each step of
    the chain holds. When ``abstained``, ``answer`` says that nothing told answers the question, and what comes
    nearest; then ``confidence`` is that of what was declined. ``views`` counts the nodes of each view, ``missing``
    names the views that failed or were late. ``remarks`` are the sentences of the answer behind a chain: other
    causes, and what contradicts it; or how many moments were left out.
    ``context`` is the linearised subgraph, for a model to read. ``timings`` are milliseconds.
    Where there is a chat model, ``made_by`` names what made the ``intent`` and the ``answer``: the model, or
    ``local``, with the reason.
    """

    question: str
    answer: str
    intent: str
    confidence: float
    abstained: bool
    chain: tuple[ChainStep, ...]
    root_cause: str | None
    chain_confidence: float | None
    timeline: tuple[Event, ...]
    facts: tuple[Fact, ...]
    entities: tuple[Entity, ...]
    sources: tuple[Source, ...]
    context: str
    strategy: str
    views: Mapping[str, int]
    missing: Mapping[str, str]
    degraded: str | None
    pending: int
    timings: Mapping[str, float]
    remarks: tuple[str, ...] = ()
    made_by: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """Everything around one engram."""

    engram: Engram
    cues: tuple[Cue, ...]
    links: tuple[Link, ...]
    events: tuple[Event, ...]
    passages: int
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """``ids`` were forgotten (or would be: ``dry_run``). ``undo`` takes it back until ``erased_at``.

    They are memories or, where ``stated``, what callers had stated outright.
    """

    ids: tuple[str, ...]
    dry_run: bool = False
    purged: bool = False
    undo: str | None = None
    erased_at: datetime | None = None
    remains: tuple[str, ...] = ()  # what may still hold traces after a purge
    stated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    change: Change
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreign:
    """Data of another memory system, found where this one would keep its own. It is never written to."""

    system: str
    path: str
    advice: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The state of a memory, for a person and for machines."""

    version: str
    user: str
    backend: str
    location: str
    schema: int
    embedder: str
    embedder_state: str  # idle, loading, ready or failed
    degraded: str | None
    counts: Mapping[str, int]
    pending: int
    oldest_undo: datetime | None
    consolidated_at: datetime | None
    backup: BackupStatus | None  # None where none is configured
    sends_text_to: tuple[str, ...]
    foreign: tuple[Foreign, ...]
    notes: tuple[str, ...] = ()
    chat: ChatState | None = None
    unread: int = 0  # memories that the chat model has not read yet
    unreadable: Mapping[str, int] = field(default_factory=dict)  # ... and those that it could not read, by reason

    def chat_as_json(self) -> dict[str, Json]:
        """Return how the chat model is doing as JSON, with what it has not read."""
        chat = {} if self.chat is None else self.chat.as_json()
        return chat | {"unread": self.unread, "unreadable": dict(self.unreadable)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a long operation is."""

    what: str
    done: int
    total: int
