# SPDX-License-Identifier: Apache-2.0
"""Looking around in the graphs without a question: a time line, a thing's surroundings, causes and effects."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import TypeAlias, cast

from ..domain.interval import LAST_MOMENT, Interval
from ..domain.records import Cause, Engram, Entity, Event, Fact, Kind, Link, LinkKind, MemoryType, Precision, Record
from ..domain.text import query_terms
from ..domain.time import parse_when
from ..domain.time import zone as zone_of
from ..errors import InvalidInput, NotFound
from ..graphs.causes import CausalGraph, Causes, Direction
from ..graphs.entities import Entities, Neighbourhood
from ..graphs.timeline import Timeline
from ..magma.evidence import coverage, word_weights
from ..ports.clock import Clock
from ..ports.store import Condition, GraphStore, Op, Order, Where
from . import validate

MAX_DEPTH = 5
MAX_LINKS = 5_000
MAX_SOURCES = 500
BEGINNING = datetime.min.replace(tzinfo=UTC)
WORDED = 30
DESCRIBED = 0.6
"""Share of the words of a description that an event must have to be what it describes."""

Entry: TypeAlias = Event | Fact | Engram
"""What a time line holds. An engram is there for itself where its text names no time, and so tells no event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chronicle:
    """Events and facts in order of time, the latest of what there is; ``truncated``: there is earlier."""

    entries: tuple[Entry, ...]
    about: Entity | None
    truncated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """An entity with what it relates to, and what is told of it: facts, events, causes and effects."""

    entity: Entity
    around: Neighbourhood
    facts: tuple[Fact, ...]
    events: tuple[Event | Engram, ...]
    causes: tuple[Cause, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Causation:
    """Some events, and what led to them or came of them. ``told_in`` are memories that its links were read from."""

    starts: tuple[Cause, ...]
    direction: Direction
    graph: CausalGraph
    told_in: Mapping[str, Engram]


class Explorer:
    """Reads one user's graphs. ``search`` returns the ids of the engrams that fit a text, best first."""

    def __init__(self, store: GraphStore, clock: Clock, zone: tzinfo, search: Callable[[str], Sequence[str]]) -> None:
        self._store = store
        self._clock = clock
        self._zone = zone
        self._search = search

    # --- time ---

    def timeline(
        self,
        about: str | None = None,
        *,
        limit: int = 20,
        since: str | None = None,
        until: str | None = None,
        timezone: str | None = None,
    ) -> Chronicle:
        """Return the latest ``limit`` (1 … 100) events and facts, in order of time.

        ``about`` is an entity's name or id, or any other text: then they are those told in the memories it
        finds. ``since`` (inclusive) and ``until`` (up to its end) bound when they happened or held.

        Raises:
            InvalidInput: an argument is out of range, or ``until`` is before ``since``.
        """
        limit = validate.limit(limit)
        window = self._window(since, until, self._zone if timezone is None else zone_of(timezone, field="timezone"))
        text = None if about is None else validate.query(about)
        if text is None:
            return self._chronicle(window, limit)
        if entity := Entities(self._store).resolve(text):
            return self._chronicle(window, limit, about=entity)
        return self._chronicle(window, limit, told_in=self._search(text))

    def _window(self, since: str | None, until: str | None, zone: tzinfo) -> Interval | None:
        if since is None and until is None:
            return None
        now = self._clock.now()
        start = parse_when(since, field="since", zone=zone, anchor=now).start if since is not None else BEGINNING
        end = parse_when(until, field="until", zone=zone, anchor=now).end if until is not None else LAST_MOMENT
        if start >= end:
            raise InvalidInput("until", "must not be before since")
        return Interval(start, end, Precision.RANGE)

    def _chronicle(
        self,
        window: Interval | None,
        limit: int,
        *,
        about: Entity | None = None,
        told_in: Sequence[str] | None = None,
    ) -> Chronicle:
        events: Collection[str] | None = None
        facts: Collection[str] | None = None
        engrams: Collection[str] | None = told_in
        if about is not None:
            timeline = Timeline(self._store)
            events, facts = timeline.involving([about.id])
            facts |= {fact.id for fact in timeline.about(about.name)}
            naming = self._store.links([about.id], [LinkKind.X_RECORDS], "in", limit=MAX_LINKS)
            engrams = {link.src for link in naming}
        elif told_in is not None:
            events, facts = self._told(told_in, Kind.EVENT), self._told(told_in, Kind.FACT)
        found: list[Entry] = [*self._events(window, events, limit), *self._facts(window, facts, limit)]
        found += self._memories(window, engrams, limit)
        found.sort(key=lambda each: (began(each), each.id))
        return Chronicle(entries=tuple(found[-limit:]), about=about, truncated=len(found) > limit)

    def _events(self, window: Interval | None, ids: Collection[str] | None, limit: int) -> list[Event]:
        where = _overlapping(window, "occurred_at", "occurred_end")
        return [cast(Event, record) for record in self._latest(Kind.EVENT, where, "occurred_at", ids, limit)]

    def _facts(self, window: Interval | None, ids: Collection[str] | None, limit: int) -> list[Fact]:
        held: tuple[Where, ...] = (
            (*_before(window, "valid_from"), Condition("valid_to", Op.NULL, True)),
            (*_overlapping(window, "valid_from", "valid_to"), Condition("valid_to", Op.NULL, False)),
        )
        return [
            cast(Fact, record) for where in held for record in self._latest(Kind.FACT, where, "valid_from", ids, limit)
        ]

    def _memories(self, window: Interval | None, ids: Collection[str] | None, limit: int) -> list[Engram]:
        """Return what happened according to memories that name no time in their text, and so tell no event."""
        dated: tuple[Where, ...] = (
            (*_overlapping(window, "occurred_at", "occurred_end"), Condition("occurred_at", Op.NULL, False)),
            (
                *_overlapping(window, "at", "at"),
                Condition("occurred_at", Op.NULL, True),
                Condition("memory_type", Op.EQ, MemoryType.EPISODIC),
            ),
        )
        kept = Condition("archived_at", Op.NULL, True)
        found = [
            cast(Engram, record)
            for where in dated
            for record in self._latest(Kind.ENGRAM, (*where, kept), "at", ids, limit)
        ]
        links = self._store.links([each.id for each in found], [LinkKind.X_RECORDS], "out", limit=MAX_LINKS)
        telling = {link.src for link in links if link.dst_kind is Kind.EVENT}
        return [each for each in found if each.id not in telling]

    def _latest(self, kind: Kind, where: Where, by: str, ids: Collection[str] | None, limit: int) -> tuple[Record, ...]:
        if ids is not None:
            where = (*where, Condition("id", Op.IN, tuple(sorted(ids))))
        return self._store.find(kind, where, Order(by, descending=True), limit + 1).records

    def _told(self, engrams: Sequence[str], kind: Kind) -> set[str]:
        links = self._store.links(engrams, [LinkKind.X_RECORDS], "out", limit=MAX_LINKS) if engrams else ()
        return {link.dst for link in links if link.dst_kind is kind}

    # --- things ---

    def surroundings(self, name: str, *, depth: int = 2, limit: int = 20) -> Surroundings:
        """Return what is within ``depth`` (1 … 5) relations of an entity, and the latest that is told of it.

        ``limit`` (1 … 100) bounds the records of each kind.

        Raises:
            NotFound: nothing has this name or id.
        """
        depth, limit = _depth(depth), validate.limit(limit)
        entity = Entities(self._store).require(validate.identifier(name, "entity"))
        entries = self._chronicle(None, 2 * limit, about=entity).entries
        causes = self._store.get(Kind.CAUSE, sorted(Causes(self._store).touching([entity.id]))[:limit])
        return Surroundings(
            entity=entity,
            around=Entities(self._store).neighbourhood([entity.id], depth),
            facts=tuple(each for each in entries if isinstance(each, Fact))[-limit:],
            events=tuple(each for each in entries if not isinstance(each, Fact))[-limit:],
            causes=tuple(cast(Cause, record) for record in causes.values()),
        )

    # --- causes ---

    def causation(self, event: str, *, direction: Direction = Direction.BOTH, depth: int = 3) -> Causation:
        """Return what led to an event, what came of it, or both, within ``depth`` (1 … 5) steps.

        It is named by id, by its description or most of the words of it, or by a thing that it affects.

        Raises:
            NotFound: no event is described like this, and none affects a thing of this name.
        """
        depth = _depth(depth)
        starts = self._starts(validate.query(event))
        if not starts:
            raise NotFound("Event", event)
        graph = Causes(self._store).around([start.id for start in starts], direction, depth)
        return self._causation(starts, direction, graph)

    def beginnings(self, *, depth: int = 3, limit: int = 10) -> Causation:
        """Return the newest ``limit`` causes that nothing is told to have caused, and what came of them."""
        depth, limit = _depth(depth), validate.limit(limit)
        page = self._store.find(Kind.CAUSE, (), Order("created_at", descending=True), 20 * limit)
        newest = [record.id for record in page.records]
        same = self._links(newest, LinkKind.SAME_AS)
        links = self._links([*newest, *(end for link in same for end in (link.src, link.dst))], LinkKind.C_CAUSES)
        causing, caused = {link.src for link in links}, {link.dst for link in links}
        for link in same:
            if {link.src, link.dst} & caused:
                caused |= {link.src, link.dst}
        roots = [id for id in newest if id in causing and id not in caused]
        graph = Causes(self._store).around(roots[:limit], Direction.DOWNSTREAM, depth)
        starts = tuple(graph.nodes[id] for id in roots[:limit] if id in graph.nodes)
        return self._causation(starts, Direction.DOWNSTREAM, graph)

    def _causation(self, starts: tuple[Cause, ...], direction: Direction, graph: CausalGraph) -> Causation:
        sources = list(dict.fromkeys(link.sources[0] for link in graph.causes if link.sources))[:MAX_SOURCES]
        told_in = {id: cast(Engram, record) for id, record in self._store.get(Kind.ENGRAM, sources).items()}
        return Causation(starts=starts, direction=direction, graph=graph, told_in=told_in)

    def _links(self, ids: Sequence[str], kind: LinkKind) -> tuple[Link, ...]:
        return self._store.links(list(dict.fromkeys(ids)), [kind], "both", limit=MAX_LINKS) if ids else ()

    def _starts(self, text: str) -> tuple[Cause, ...]:
        causes = Causes(self._store)
        if known := causes.resolve(text):
            return (known,)
        if entity := Entities(self._store).resolve(text):
            touching = self._store.get(Kind.CAUSE, sorted(causes.touching([entity.id])))
            if touching:
                return tuple(cast(Cause, record) for record in touching.values())
        words = query_terms(text)
        if not words:
            return ()
        matches = self._store.text_search(Kind.CAUSE, words, WORDED)
        weights = word_weights(words, matches.document_frequencies, matches.documents)
        found = [cast(Cause, each) for each in self._store.get(Kind.CAUSE, [hit.id for hit in matches.hits]).values()]
        scored = [(coverage(weights, (cause.description,)), cause) for cause in found]
        best = max((share for share, _ in scored), default=0.0)
        return tuple(cause for share, cause in scored if share == best) if best >= DESCRIBED else ()


def began(entry: Entry) -> datetime:
    """Return where an entry stands in a time line."""
    match entry:
        case Event():
            return entry.occurred_at
        case Fact():
            return entry.valid_from
        case Engram():
            return entry.at


def _before(window: Interval | None, start: str) -> Where:
    return (Condition(start, Op.LT, window.end),) if window else ()


def _overlapping(window: Interval | None, start: str, end: str) -> Where:
    """Return the conditions for what lies, at least in part, within a window."""
    if window is None:
        return ()
    return (*_before(window, start), Condition(end, Op.GE if start == end else Op.GT, window.start))


def _depth(value: int) -> int:
    return validate.integer(value, "depth", 1, MAX_DEPTH)
