# SPDX-License-Identifier: Apache-2.0
"""Looking around in the graphs without a question: a time line, a thing's surroundings, causes and effects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import cast

from ...domain.interval import LAST_MOMENT, Interval
from ...domain.records import Cause, Engram, Entity, Event, Fact, Kind, Link, LinkKind, Precision
from ...domain.text import query_terms
from ...domain.time import parse_when
from ...domain.time import zone as zone_of
from ...errors import InvalidInput, NotFound
from ...graphs.causes import CausalGraph, Causes
from ...graphs.direction import Direction
from ...graphs.ended import ended
from ...graphs.entities import Entities, Neighbourhood
from ...magma.evidence import coverage, word_weights
from ...ports.clock import Clock
from ...ports.store import GraphStore, Order
from .. import cursors, validate
from .chronicle import Chronicle, Chronicler
from .references import References
from .surveying import Surveyor

MAX_DEPTH = 5
MAX_LINKS = 5_000
MAX_SOURCES = 500
BEGINNING = datetime.min.replace(tzinfo=UTC)
NODES_SEEN = 4
LINKS_SEEN = 8
"""For each link to be shown: many may say the same, and lead to the same."""

WORDED = 30
DESCRIBED = 0.6
"""Share of the words of a description that an event must have to be what it describes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """An entity with what it relates to, and what is told of it: facts, events, causes and effects.

    ``ended`` says until when those relations held that no longer do, by id.
    """

    entity: Entity
    around: Neighbourhood
    facts: tuple[Fact, ...]
    events: tuple[Event | Engram, ...]
    causes: tuple[Cause, ...]
    ended: Mapping[str, datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class Causation:
    """Some events, and what led to them or came of them. ``told_in`` are memories that its links were read from."""

    starts: tuple[Cause, ...]
    direction: Direction
    depth: int
    graph: CausalGraph
    told_in: Mapping[str, Engram]


class Explorer:
    """Reads one user's graphs; ``survey`` reads parts of them to be drawn.

    ``search`` returns the ids of the engrams that fit a text, best first.
    """

    def __init__(self, store: GraphStore, clock: Clock, zone: tzinfo, search: Callable[[str], Sequence[str]]) -> None:
        self._store = store
        self._clock = clock
        self._zone = zone
        self._search = search
        self._chronicler = Chronicler(store)
        self._references = References(store)
        self.survey = Surveyor(store, self._entity_id)

    # --- time ---

    def timeline(
        self,
        about: str | None = None,
        *,
        limit: int = 20,
        since: str | None = None,
        until: str | None = None,
        timezone: str | None = None,
        cursor: str | None = None,
    ) -> Chronicle:
        """Return the latest ``limit`` (1 … 100) events and facts, in order of time.

        ``cursor``, the ``earlier`` of an answer as ``cursors.written`` gives it, asks for what comes before that.

        ``about`` is an entity's name or id, or any other text: then they are those told in the memories it
        finds. ``since`` (inclusive) and ``until`` (up to its end) bound when they happened or held.

        Raises:
            InvalidInput: an argument is out of range, or ``until`` is before ``since``.
        """
        limit = validate.limit(limit)
        window = self._window(since, until, self._zone if timezone is None else zone_of(timezone, field="timezone"))
        text = None if about is None else validate.query(about)
        before = None if cursor is None else cursors.read(cursor)
        if text is None:
            return self._chronicler.chronicle(window, limit, before=before)
        if entity := self._entity(text):
            return self._chronicler.chronicle(window, limit, about=entity, before=before)
        return self._chronicler.chronicle(window, limit, told_in=self._search(text), before=before)

    def _window(self, since: str | None, until: str | None, zone: tzinfo) -> Interval | None:
        if since is None and until is None:
            return None
        now = self._clock.now()
        start = parse_when(since, field="since", zone=zone, anchor=now).start if since is not None else BEGINNING
        end = parse_when(until, field="until", zone=zone, anchor=now).end if until is not None else LAST_MOMENT
        if start >= end:
            raise InvalidInput("until", "must not be before since")
        return Interval(start, end, Precision.RANGE)

    # --- things ---

    def surroundings(self, name: str, *, depth: int = 2, limit: int = 20) -> Surroundings:
        """Return what is within ``depth`` (1 … 5) relations of an entity, and the latest that is told of it.

        ``limit`` (1 … 100) bounds the records of each kind.

        Raises:
            NotFound: nothing has this name or id.
        """
        depth, limit = _depth(depth), validate.limit(limit)
        if (entity := self._entity(validate.identifier(name, "entity"))) is None:
            raise NotFound("Entity", name)
        entries = self._chronicler.chronicle(None, 2 * limit, about=entity).entries
        causes = self._store.get(Kind.CAUSE, sorted(Causes(self._store).touching([entity.id]))[:limit])
        around = Entities(self._store).neighbourhood([entity.id], depth)
        return Surroundings(
            entity=entity,
            around=around,
            ended=ended(self._store, around.relations, around.entities),
            facts=tuple(each for each in entries if isinstance(each, Fact))[-limit:],
            events=tuple(each for each in entries if not isinstance(each, Fact))[-limit:],
            causes=tuple(cast(Cause, record) for record in causes.values()),
        )

    # --- causes ---

    def causation(
        self, event: str, *, direction: Direction = Direction.BOTH, depth: int = MAX_DEPTH, most: int | None = None
    ) -> Causation:
        """Return what led to an event, what came of it, or both, within ``depth`` (1 … 5) steps.

        It is named by id, by its description or most of the words of it, or by a thing that it affects. Who shows no
        more than ``most`` links, the nearest, need not wait until all that may be followed are.

        Raises:
            NotFound: no event is described like this, and none affects a thing of this name.
        """
        depth = _depth(depth)
        starts = self._starts(validate.text(event, "event", longest=validate.MAX_QUERY))
        if not starts:
            raise NotFound("Event", event)
        limits = {} if most is None else {"limit": NODES_SEEN * most, "links": LINKS_SEEN * most}
        graph = Causes(self._store).around([start.id for start in starts], direction, depth, **limits)
        return self._causation(starts, direction, depth, graph)

    def beginnings(self, *, depth: int = MAX_DEPTH, limit: int = 10) -> Causation:
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
        return self._causation(starts, Direction.DOWNSTREAM, depth, graph)

    def _causation(self, starts: tuple[Cause, ...], direction: Direction, depth: int, graph: CausalGraph) -> Causation:
        sources = list(dict.fromkeys(link.sources[0] for link in graph.causes if link.sources))[:MAX_SOURCES]
        told_in = {id: cast(Engram, record) for id, record in self._store.get(Kind.ENGRAM, sources).items()}
        return Causation(starts=starts, direction=direction, depth=depth, graph=graph, told_in=told_in)

    def _entity(self, text: str) -> Entity | None:
        """Return the entity that a text is the name, an alias, the concept or the id of."""
        ids = self._references.resolve([text])[Kind.ENTITY]
        return cast("Entity | None", self._store.get(Kind.ENTITY, ids[:1]).get(ids[0])) if ids else None

    def _entity_id(self, text: str) -> str | None:
        return found.id if (found := self._entity(text)) is not None else None

    def _links(self, ids: Sequence[str], kind: LinkKind) -> tuple[Link, ...]:
        return self._store.links(list(dict.fromkeys(ids)), [kind], "both", limit=MAX_LINKS) if ids else ()

    def _starts(self, text: str) -> tuple[Cause, ...]:
        meant = self._references.resolve([text])
        if ids := self._references.causes(meant):
            return tuple(cast(Cause, record) for record in self._store.get(Kind.CAUSE, ids).values())
        words = query_terms(text)
        if not words:
            return ()
        matches = self._store.text_search(Kind.CAUSE, words, WORDED)
        weights = word_weights(words, matches.document_frequencies, matches.documents)
        found = [cast(Cause, each) for each in self._store.get(Kind.CAUSE, [hit.id for hit in matches.hits]).values()]
        scored = [(coverage(weights, (cause.description,)), cause) for cause in found]
        best = max((share for share, _ in scored), default=0.0)
        return tuple(cause for share, cause in scored if share == best) if best >= DESCRIBED else ()


def _depth(value: int) -> int:
    return validate.integer(value, "depth", 1, MAX_DEPTH)
