# SPDX-License-Identifier: Apache-2.0
"""What the graphs answer with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from ...domain.records import Cause, Cue, Engram, Entity, Event, Fact, Link
from ...graphs.causes import CausalGraph
from ...graphs.chains import Chain
from ...graphs.entities import Neighbourhood
from ...graphs.timeline import Closing

# --- stating ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Unlinked:
    """Something a caller wanted linked, and why it was not."""

    reference: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityAdded:
    """``created`` is false where the entity was known and brought up to date."""

    entity: Entity
    created: bool
    degraded: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    source: Entity
    target: Entity
    link: Link
    created: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EventAdded:
    """``linked`` are the entities asked for, ``named`` others that the description names."""

    event: Event
    created: bool
    linked: tuple[Entity, ...]
    named: tuple[Entity, ...]
    failed: tuple[Unlinked, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactAdded:
    """``closed`` are the facts it made out of date; ``change`` takes it back together with that."""

    fact: Fact
    created: bool
    linked: Entity | None
    named: tuple[Entity, ...]
    failed: Unlinked | None
    closed: tuple[Closing, ...]
    change: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptAdded:
    """``name`` is the name as it was given; the concept's own is normalised."""

    cue: Cue
    name: str
    created: bool
    linked: tuple[Entity, ...]
    failed: tuple[Unlinked, ...]
    degraded: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CausalLinkAdded:
    cause: Cause
    effect: Cause
    link: Link
    created: bool
    entities: tuple[Entity, ...]
    events: tuple[Event, ...]
    named: tuple[Entity, ...]
    failed_entities: tuple[Unlinked, ...]
    failed_events: tuple[Unlinked, ...]
    degraded: str | None


# --- asking ---


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptFound:
    """A concept with the entities it stands for and the memories it is a cue of; ``score`` is 0 … 1."""

    cue: Cue
    score: float
    by_name: bool
    entities: tuple[str, ...]
    memories: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptsFound:
    """Concepts, best first, with memories that they lead to or that are near the question themselves.

    ``degraded`` says why they may be worse than usual; ``pending`` memories are not indexed yet.
    """

    query: str
    matches: tuple[ConceptFound, ...]
    entities: Mapping[str, Entity]
    memories: Mapping[str, Engram]
    degraded: str | None
    pending: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedFound:
    """An entity that was looked up, and the relations within reach of it, nearest first."""

    entity: Entity
    relations: tuple[Link, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntitiesFound:
    """``ended`` says until when those relations held that no longer do, by id."""

    seeds: tuple[SeedFound, ...]
    around: Neighbourhood
    ended: Mapping[str, datetime]
    depth: int
    unresolved: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """An event, or a memory that tells no time of its own and stands where it was told.

    ``distance`` is how many relations lie between it and what was asked about.
    """

    record: Event | Engram
    at: datetime
    entities: tuple[str, ...]
    distance: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineFound:
    """What happened and what held, each in order of time. The window's ends are ``None`` where it is open."""

    events: tuple[Happening, ...]
    facts: tuple[Fact, ...]
    since: datetime | None
    until: datetime | None
    depth: int
    unresolved: tuple[str, ...]
    truncated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CausesFound:
    """Part of the causal graph, one link for each pair: the most confident. ``chains``: see ``chain_to``.

    What ``pending`` memories tell may not be linked yet to what means the same.
    """

    graph: CausalGraph
    chains: tuple[Chain, ...]
    direction: str
    depth: int
    pending: int
    unresolved: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """How many records each graph has, and how many links there are in all and across the graphs."""

    semantic: int
    temporal: int
    causal: int
    entity: int
    relationships: int
    cross_links: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleared:
    graph: str
    removed: int
    remaining: int
