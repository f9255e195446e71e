# SPDX-License-Identifier: Apache-2.0
"""Asking each graph on its own: concepts, entities, the time line and causes."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Collection, Sequence
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, cast

from ...domain.interval import INSTANT, LAST_MOMENT, Interval
from ...domain.records import CueType, Engram, Entity, Event, Kind, Link, LinkKind, Precision
from ...domain.time import parse_when
from ...encode.associations import LIVE
from ...errors import InvalidInput
from ...graphs.causes import CausalGraph, Causes
from ...graphs.chains import Chain, chain_to
from ...graphs.concepts import ConceptMatch, Concepts
from ...graphs.direction import Direction
from ...graphs.ended import ended
from ...graphs.entities import Entities, Neighbourhood
from ...graphs.timeline import Timeline
from ...models.lazy import LazyEmbedder
from ...ports.clock import Clock
from ...ports.store import GraphStore
from .. import validate
from ..asking.references import Meant, References
from ..embedding import embed_now
from ..worker import Worker
from .results import (
    CausesFound,
    ConceptFound,
    ConceptsFound,
    EntitiesFound,
    Happening,
    SeedFound,
    TimelineFound,
)
from .terms import MAX_DEPTH, MAX_REFERENCES

if TYPE_CHECKING:
    from ...ports.models import Vector

MAX_LINKS = 5_000
MAX_EVENTS = 500
MAX_FACTS = 500
MAX_NAMED = 50
"""Entities whose facts are looked up by their names as well."""

MAX_MEMORIES = 1_000
MAX_CHAINS = 10
MAX_TARGETS = 50
"""Effects that chains are traced to."""

MEMORIES = 3
"""Memories shown for one concept."""

NEAREST = 5
"""Memories shown because they are near a question themselves."""

FIRST_MOMENT = datetime.min.replace(tzinfo=LAST_MOMENT.tzinfo)


class GraphReader:
    """Answers questions about the graphs of one memory."""

    def __init__(
        self,
        store: GraphStore,
        embedder: LazyEmbedder,
        worker: Worker,
        clock: Clock,
        zone: tzinfo,
        *,
        model_wait: float,
        read_wait: float,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._worker = worker
        self._clock = clock
        self._zone = zone
        self._model_wait = model_wait
        self._read_wait = read_wait
        self._references = References(store)
        self._entities = Entities(store)
        self._causes = Causes(store)
        self._timeline = Timeline(store)

    # --- concepts ---

    def semantic_search(self, query: str, limit: int, min_score: float) -> ConceptsFound:
        query = validate.query(query)
        limit = validate.limit(limit)
        if isinstance(min_score, bool) or not isinstance(min_score, int | float) or not 0 <= min_score <= 1:
            raise InvalidInput("min_score", f"must be a number from 0 to 1, got {min_score!r:.40}")
        pending = self._worker.settle(self._read_wait)
        vectors = embed_now(self._store, self._embedder, [query], self._model_wait)
        if pending and vectors is not None:
            pending = self._worker.settle(self._read_wait)  # the model has been loaded meanwhile
        vector: Vector | None = None if vectors is None else vectors[0]
        found = Concepts(self._store).search(
            query, vector, 2 * limit, min_score, worded=tuple(CueType), partly=vector is None
        )
        # Where there are no cosines, a threshold for them says nothing.
        near = [each for each in found if vector is None or each.score >= min_score]
        matches = self._with_memories(_by_name(near)[:limit])
        entities = list(dict.fromkeys(id for match in matches for id in match.entities))
        memories = list(dict.fromkeys(id for match in matches for id in match.memories))[:limit]
        if vector is not None:
            hits = self._store.vector_search(Kind.ENGRAM, vector, NEAREST, LIVE)
            memories += [hit.id for hit in hits if hit.score >= min_score and hit.id not in memories]
        told = self._store.get(Kind.ENGRAM, memories)
        return ConceptsFound(
            query=query,
            matches=tuple(matches),
            entities={id: cast(Entity, record) for id, record in self._store.get(Kind.ENTITY, entities).items()},
            memories={id: cast(Engram, told[id]) for id in memories if id in told},
            degraded=self._embedder.degraded,
            pending=pending,
        )

    def _with_memories(self, matches: Sequence[tuple[ConceptMatch, tuple[str, ...]]]) -> list[ConceptFound]:
        told: dict[str, list[str]] = defaultdict(list)
        ids = [id for _, ids in matches for id in ids]
        for link in self._store.links(ids, [LinkKind.ENCODED_BY], "in", limit=MAX_LINKS) if ids else ():
            told[link.dst].append(link.src)
        return [
            ConceptFound(
                cue=match.cue,
                score=match.score,
                by_name=match.by_name,
                entities=match.entities,
                memories=tuple(dict.fromkeys(engram for id in ids for engram in told[id]))[:MEMORIES],
            )
            for match, ids in matches
        ]

    # --- entities ---

    def entity_lookup(self, references: Sequence[str], depth: int) -> EntitiesFound:
        meant = self._resolve(references)
        depth = _depth(depth)
        wanted = self._references.entities(meant)
        around = self._entities.neighbourhood(wanted, depth)
        beside: dict[str, list[Link]] = defaultdict(list)
        for link in around.relations:
            beside[link.src].append(link)
            beside[link.dst].append(link)
        return EntitiesFound(
            seeds=tuple(
                SeedFound(entity=around.entities[id], relations=_within(id, beside, depth))
                for id in wanted
                if id in around.entities
            ),
            around=around,
            ended=ended(self._store, around.relations, around.entities),
            depth=depth,
            unresolved=tuple(meant.unresolved),
        )

    # --- the time line ---

    def temporal_expand(
        self, references: Sequence[str], since: str | datetime | None, until: str | datetime | None, depth: int
    ) -> TimelineFound:
        meant = self._resolve(references)
        depth = _depth(depth)
        window = self._window(since, until)
        around = self._entities.neighbourhood(meant[Kind.ENTITY], depth - 1)
        near = sorted(around.entities, key=lambda id: around.distance[id])
        involved, told = self._timeline.involving(near)
        events = involved.union(self._references.events(meant))
        facts = told.union(self._references.facts(meant, [around.entities[id] for id in near[:MAX_NAMED]]))
        happened = list(self._timeline.events_within(window, sorted(events), MAX_EVENTS + 1))
        held = self._timeline.facts_within(window, sorted(facts), MAX_FACTS + 1)
        happenings = self._happenings(happened, self._memories(meant, near, events, window), around)
        return TimelineFound(
            events=tuple(happenings[:MAX_EVENTS]),
            facts=held[:MAX_FACTS],
            since=window.start if since is not None and window else None,
            until=window.end if until is not None and window else None,
            depth=depth,
            unresolved=tuple(meant.unresolved),
            truncated=around.truncated or len(happenings) > MAX_EVENTS or len(held) > MAX_FACTS,
        )

    def _window(self, since: str | datetime | None, until: str | datetime | None) -> Interval | None:
        if since is None and until is None:
            return None
        now = self._clock.now()
        first = None if since is None else parse_when(since, field="from", zone=self._zone, anchor=now)
        last = None if until is None else parse_when(until, field="to", zone=self._zone, anchor=now)
        start, end = first.start if first else FIRST_MOMENT, last.end if last else LAST_MOMENT
        if end <= start:
            raise InvalidInput("to", "must not be before from")
        return Interval(start, end, Precision.RANGE)

    def _memories(
        self, meant: Meant, entities: Sequence[str], events: Collection[str], window: Interval | None
    ) -> list[Engram]:
        """Return the memories about some entities that tell none of some events."""
        links = self._store.links(entities, [LinkKind.X_RECORDS], "in", limit=MAX_MEMORIES) if entities else ()
        about = dict.fromkeys((*meant[Kind.ENGRAM], *(link.src for link in links)))
        telling = self._store.links(sorted(events), [LinkKind.X_RECORDS], "in", limit=MAX_LINKS) if events else ()
        shown = {link.src for link in telling}
        found = self._store.get(Kind.ENGRAM, [id for id in about if id not in shown])
        engrams = [cast(Engram, record) for record in found.values()]
        return [
            engram
            for engram in engrams
            if engram.archived_at is None and (window is None or _interval(engram).overlaps(window))
        ]

    def _happenings(
        self, events: Sequence[Event], memories: Sequence[Engram], around: Neighbourhood
    ) -> list[Happening]:
        records: dict[str, Event | Engram] = {event.id: event for event in events}
        records |= {engram.id: engram for engram in memories}
        involved: dict[str, list[str]] = defaultdict(list)
        if records:
            kinds = [LinkKind.X_INVOLVES, LinkKind.X_RECORDS]
            for link in self._store.links(sorted(records), kinds, "out", limit=4 * MAX_LINKS):
                if link.dst_kind is Kind.ENTITY:
                    involved[link.src].append(link.dst)
        happenings = [
            Happening(
                record=record,
                at=record.occurred_at if isinstance(record, Event) else record.at,
                entities=tuple(sorted(involved[id])),
                distance=min((around.distance[each] for each in involved[id] if each in around.distance), default=0),
            )
            for id, record in records.items()
        ]
        return sorted(happenings, key=lambda each: (each.at, each.record.id))

    # --- causes ---

    def causal_expand(self, references: Sequence[str], direction: str, depth: int) -> CausesFound:
        meant = self._resolve(references)
        way = validate.choice(direction, "direction", Direction)
        depth = _depth(depth)
        pending = self._worker.settle(self._read_wait)  # it links what means the same
        starts = self._references.causes(meant)
        graph = self._causes.around(starts, way, depth)
        return CausesFound(
            graph=_one_link_each(graph),
            chains=_chains(graph, starts),
            direction=way.value,
            depth=depth,
            pending=pending,
            unresolved=tuple(meant.unresolved),
        )

    def _resolve(self, references: Sequence[str]) -> Meant:
        if isinstance(references, str) or not isinstance(references, Sequence) or not references:
            raise InvalidInput("entity_ids", "must be a list of at least one id or name")
        if len(references) > MAX_REFERENCES:
            raise InvalidInput("entity_ids", f"must be at most {MAX_REFERENCES}, got {len(references)}")
        longest = validate.MAX_QUERY
        return self._references.resolve(
            [validate.text(each, f"entity_ids.{at}", longest=longest) for at, each in enumerate(references)]
        )


def _depth(value: object) -> int:
    return validate.integer(value, "depth", 1, MAX_DEPTH)


def _by_name(matches: Sequence[ConceptMatch]) -> list[tuple[ConceptMatch, tuple[str, ...]]]:
    """Return one match for each name, with the ids of all its concepts; one that was stated stands for the others."""
    same: dict[str, list[ConceptMatch]] = defaultdict(list)
    for match in matches:
        same[match.cue.name].append(match)
    found = []
    for group in same.values():
        first = min(group, key=lambda each: each.cue.cue_type is not CueType.CONCEPT or not each.cue.asserted)
        best = max(group, key=lambda each: each.score)
        entities = tuple(dict.fromkeys(id for each in group for id in each.entities))
        one = ConceptMatch(cue=first.cue, score=best.score, by_name=best.by_name, entities=entities)
        found.append((one, tuple(each.cue.id for each in group)))
    return sorted(found, key=lambda each: (-each[0].score, each[0].cue.id))


def _within(seed: str, beside: dict[str, list[Link]], depth: int) -> tuple[Link, ...]:
    """Return the relations within ``depth`` of an entity, nearest first."""
    distance = {seed: 0}
    queue = deque([seed])
    relations: dict[str, Link] = {}
    while queue:
        id = queue.popleft()
        if distance[id] == depth:
            continue
        for link in beside[id]:
            relations[link.id] = link
            for end in (link.src, link.dst):
                if end not in distance:
                    distance[end] = distance[id] + 1
                    queue.append(end)
    return tuple(relations.values())


def _interval(engram: Engram) -> Interval:
    end = engram.occurred_end if engram.occurred_at else None
    return Interval(engram.at, end or engram.at + INSTANT, Precision.RANGE)


def _one_link_each(graph: CausalGraph) -> CausalGraph:
    """Return the graph with one link from a cause to an effect: the most confident."""
    best: dict[tuple[str, str], Link] = {}
    for link in sorted(graph.causes, key=lambda link: (-link.confidence, not link.asserted, link.id)):
        best.setdefault((link.src, link.dst), link)
    return CausalGraph(
        nodes=graph.nodes,
        causes=tuple(best.values()),
        same=graph.same,
        distance=graph.distance,
        truncated=graph.truncated,
    )


def _chains(graph: CausalGraph, starts: Sequence[str]) -> tuple[Chain, ...]:
    """Return the chains that end where nothing follows any more, and those around the starts that these leave out.

    Those that explain most come first: the product of confidence and √hops, as within ``chain_to``.
    """
    leading = {link.src for link in graph.causes}
    twins: dict[str, set[str]] = defaultdict(set)
    for link in graph.same:
        twins[link.src].add(link.dst)
        twins[link.dst].add(link.src)
    ends = sorted({link.dst for link in graph.causes if link.dst not in leading and not twins[link.dst] & leading})
    chains: dict[frozenset[str], Chain] = {}
    covered: set[str] = set()
    for target in (*ends[:MAX_TARGETS], *starts[:MAX_TARGETS]):
        if target in covered or target not in graph.nodes or (chain := chain_to(graph, target)) is None:
            continue
        covered.update(id for hop in chain.hops for id in (hop.cause.id, hop.effect.id))
        chains.setdefault(frozenset(hop.link.id for hop in chain.hops), chain)
    whole = [chain for links, chain in chains.items() if not any(links < other for other in chains)]
    whole.sort(key=lambda chain: (-chain.confidence * math.sqrt(len(chain.hops)), chain.root.id))
    return tuple(whole[:MAX_CHAINS])
