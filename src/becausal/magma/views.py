# SPDX-License-Identifier: Apache-2.0
"""The four views of a question's surroundings, expanded side by side, each with its own time-out."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any, cast

from ..domain.interval import Interval
from ..domain.records import Cause, Cue, Engram, Entity, Event, Fact, Kind, Link, LinkKind
from ..errors import BecausalError
from ..graphs.causes import CausalGraph, Causes
from ..graphs.direction import Direction
from ..graphs.entities import Entities
from ..graphs.timeline import Timeline, fact_text
from ..ports.store import Edge, GraphStore
from .intent import Depths
from .merge import MAX_PER_VIEW, View, ViewEdge, ViewName, ViewNode

log = logging.getLogger("becausal.magma")

MAX_SEED_ENTITIES = 40
MAX_LINKS = 5_000
ASSOCIATED = 12
"""Associations followed from one memory, the strongest."""

MAX_THREADS = 32
"""Views that are expanded at one time, of all questions together; threads come when they are needed."""

MAX_STARTS = 40
MAX_CAUSES, MAX_CAUSAL_LINKS = 60, 120
"""Causal nodes reached, and links followed in one step: a view brings fifty nodes to the others."""

BESIDE = 25
"""Events, facts and causes looked at beside each seed entity, the newest."""

TELLERS = 50
"""Engrams looked at of those that told one record."""

ASIDE = 0.5
"""Score of an event that involves a seed, but was not told in any of the memories found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seeds:
    """Where expansion starts: ids with scores 0 … 1, and the times asked for.

    What has been read already is not read again: the memories ``known``, the entities and concepts ``named``,
    the ``X_RECORDS`` links of the seed engrams (``records``) and the part of the causal graph around what a
    question asks about (``graph``).
    """

    engrams: Mapping[str, float]
    concepts: Mapping[str, float]
    entities: Mapping[str, float]
    windows: tuple[Interval, ...] = ()
    known: Mapping[str, Engram] = field(default_factory=dict)
    named: Mapping[str, Entity | Cue] = field(default_factory=dict)
    records: tuple[Link, ...] = ()
    graph: CausalGraph | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """The views that came in time, and why the others did not."""

    views: tuple[View, ...]
    missing: Mapping[str, str] = field(default_factory=dict)
    milliseconds: Mapping[str, float] = field(default_factory=dict)


class Expander:
    """Expands seeds in all four graphs at once, in threads that are kept for the next time. Thread-safe."""

    def __init__(self, store: GraphStore, timeout: float) -> None:
        """A view that takes longer than ``timeout`` seconds is done without."""
        self._store = store
        self._timeout = timeout
        self._pool = _pool()

    def expand(self, seeds: Seeds, depths: Depths) -> Expansion:
        """Return the four views. One that fails, or is late, is named in ``missing``; the others stand."""
        store = self._store
        return self.run(
            {
                ViewName.SEMANTIC: lambda: semantic_view(store, seeds, depths.semantic),
                ViewName.ENTITY: lambda: entity_view(store, seeds, depths.entity),
                ViewName.TEMPORAL: lambda: temporal_view(store, seeds, depths.temporal),
                ViewName.CAUSAL: lambda: causal_view(store, seeds, depths.causal),
            }
        )

    def run(self, jobs: Mapping[ViewName, Callable[[], View]]) -> Expansion:
        """Run jobs until each has ended or the time is over."""
        spent: dict[str, float] = {}

        def timed(name: ViewName, job: Callable[[], View]) -> View:
            began = time.perf_counter()
            try:
                return job()
            finally:
                spent[name] = (time.perf_counter() - began) * 1000

        pool = self._pool
        futures = {pool.submit(timed, name, job): name for name, job in jobs.items()}
        done, late = wait(futures, self._timeout)
        if late:
            # Its threads may hang for long: the next question gets others.
            self._pool = _pool()
            pool.shutdown(wait=False, cancel_futures=True)
        missing = {futures[each].value: f"not ready after {self._timeout:g} s" for each in late}
        views = []
        for each in done:
            error = each.exception()
            if isinstance(error, BecausalError):
                missing[futures[each].value] = str(error)
            elif error is not None:
                log.error("the %s view failed", futures[each], exc_info=error)
                missing[futures[each].value] = "internal error"
            else:
                views.append(each.result())
        order = list(ViewName)
        views.sort(key=lambda view: order.index(view.name))
        return Expansion(views=tuple(views), missing=missing, milliseconds=dict(spent))

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="becausal-view")


# --- the views ---


def semantic_view(store: GraphStore, seeds: Seeds, depth: int) -> View:
    """Memories and concepts by likeness; deeper, what they are associated with."""
    scores = dict(seeds.engrams)
    edges = []
    frontier = list(scores)
    for _ in range(1, depth):
        if not frontier:
            break
        fresh: dict[str, float] = {}
        for link in store.edges(frontier, [LinkKind.ASSOCIATED_WITH], "both", ASSOCIATED):
            edges.append(_bare_edge(link))
            for near, far in ((link.src, link.dst), (link.dst, link.src)):
                if near in scores and far not in scores:
                    fresh[far] = max(fresh.get(far, 0.0), scores[near] * link.strength)
        best = sorted(fresh, key=lambda id: (-fresh[id], id))[: max(0, MAX_PER_VIEW - len(scores))]
        scores |= {id: fresh[id] for id in best}
        frontier = best
    cues = {id: cast(Cue, record) for id, record in seeds.named.items() if id in seeds.concepts}
    if missing := [id for id in seeds.concepts if id not in cues]:
        cues |= {id: cast(Cue, record) for id, record in store.get(Kind.CUE, missing).items()}
    nodes = [
        ViewNode(id=engram.id, data=engram_data(engram), score=scores[engram.id])
        for engram in _engrams(store, list(scores), seeds.known)
        if engram.archived_at is None
    ]
    nodes += [ViewNode(id=id, data=concept_data(cue), score=seeds.concepts[id]) for id, cue in cues.items()]
    return View(name=ViewName.SEMANTIC, nodes=tuple(nodes), edges=tuple(edges))


def entity_view(store: GraphStore, seeds: Seeds, depth: int) -> View:
    """Entities around the seeds: a seed scores 1, each relation further 1/(distance + 1)."""
    found = Entities(store).neighbourhood(seeds.entities, depth)
    return View(
        name=ViewName.ENTITY,
        nodes=tuple(
            ViewNode(id=id, data=entity_data(entity), score=1 / (found.distance[id] + 1))
            for id, entity in found.entities.items()
        ),
        edges=tuple(_edge(link, link.confidence) for link in found.relations),
    )


def temporal_view(store: GraphStore, seeds: Seeds, depth: int) -> View:
    """Events and facts told in the memories found, or involving what is within ``depth − 1`` relations."""
    timeline = Timeline(store)
    told: dict[Kind, set[str]] = {Kind.EVENT: set(), Kind.FACT: set()}
    for link in _records(store, seeds):
        if link.dst_kind in told:
            told[link.dst_kind].add(link.dst)
    around = Entities(store).neighbourhood(seeds.entities, depth - 1) if seeds.entities else None
    beside = {edge.src for edge in _into(store, around.distance if around else (), LinkKind.X_INVOLVES)}
    events, facts = told[Kind.EVENT] | beside, told[Kind.FACT] | beside
    nodes: dict[str, ViewNode] = {}
    for window in seeds.windows or (None,):
        for event in timeline.events_within(window, sorted(events)):
            score = 1.0 if event.id in told[Kind.EVENT] else ASIDE
            nodes[event.id] = ViewNode(id=event.id, data=event_data(event), score=score)
        for fact in timeline.facts_within(window, sorted(facts)):
            score = 1.0 if fact.id in told[Kind.FACT] else ASIDE
            nodes[fact.id] = ViewNode(id=fact.id, data=fact_data(fact), score=score)
    edges = []
    if nodes:
        kinds = [LinkKind.FOLLOWS, LinkKind.X_INVOLVES, LinkKind.X_REFERS_TO]
        edges = [_edge(link, link.confidence) for link in store.links(sorted(nodes), kinds, "out", limit=MAX_LINKS)]
    return View(name=ViewName.TEMPORAL, nodes=tuple(nodes.values()), edges=tuple(edges))


def causal_view(store: GraphStore, seeds: Seeds, depth: int) -> View:
    """Causes and effects told in the memories found, or affecting the seed entities, and what led to them.

    A node scores the confidence of its surest link, halved for every hop from the seeds.
    """
    graph = seeds.graph
    if graph is None:
        starts = {link.dst for link in _records(store, seeds) if link.dst_kind is Kind.CAUSE}
        starts |= {edge.src for edge in _into(store, seeds.entities, LinkKind.X_AFFECTS)}
        around = sorted(starts)[:MAX_STARTS]
        graph = Causes(store).around(around, Direction.BOTH, depth, MAX_CAUSES, MAX_CAUSAL_LINKS)
    surest: dict[str, float] = {}
    for link in graph.causes:
        for end in (link.src, link.dst):
            surest[end] = max(surest.get(end, 0.0), link.confidence)
    nodes = tuple(
        ViewNode(
            id=id,
            data=cause_data(node) | {"confidence": surest[id]},
            score=surest[id] / 2 ** graph.distance[id],
        )
        for id, node in graph.nodes.items()
        if id in surest
    )
    links = (*graph.causes, *graph.same)
    return View(name=ViewName.CAUSAL, nodes=nodes, edges=tuple(_edge(link, link.confidence) for link in links))


def _records(store: GraphStore, seeds: Seeds) -> tuple[Link, ...]:
    """Return the links to what the seed engrams told."""
    if seeds.records or not seeds.engrams:
        return seeds.records
    return store.links(list(seeds.engrams), [LinkKind.X_RECORDS], "out", limit=MAX_LINKS)


def _engrams(store: GraphStore, ids: Sequence[str], known: Mapping[str, Engram]) -> list[Engram]:
    missing = [id for id in ids if id not in known]
    found = store.get(Kind.ENGRAM, missing) if missing else {}
    return [known.get(id) or cast(Engram, found[id]) for id in ids if id in known or id in found]


def _into(store: GraphStore, entities: Collection[str], kind: LinkKind) -> tuple[Edge, ...]:
    """Return the newest links into the first ``MAX_SEED_ENTITIES`` entities, ``BESIDE`` into each."""
    ids = list(entities)[:MAX_SEED_ENTITIES]
    return store.edges(ids, [kind], "in", BESIDE) if ids else ()


def origins(store: GraphStore, ids: Collection[str]) -> Mapping[str, Collection[str]]:
    """Return the engrams that records were told in, the newest ``TELLERS`` of each; an engram was told in itself."""
    found: dict[str, set[str]] = {}
    for edge in store.edges(sorted(ids), [LinkKind.X_RECORDS, LinkKind.ENCODED_BY], "in", TELLERS):
        found.setdefault(edge.dst, set()).add(edge.src)
    for id in store.passing(Kind.ENGRAM, sorted(ids), ()):
        found[id] = {id}
    return found


# --- records as the data of a node: the names that polyg-mcp's clients know ---


def engram_data(engram: Engram) -> dict[str, Any]:
    data = {"name": engram.label or engram.summary, "content": engram.content[:2000], "type": "memory"}
    return data | {"date": engram.at.isoformat(), "source": engram.source}


def concept_data(cue: Cue) -> dict[str, Any]:
    return {"name": cue.name, "description": cue.description, "type": "concept"}


def entity_data(entity: Entity) -> dict[str, Any]:
    return {"name": entity.name, "entity_type": entity.entity_type, "properties": dict(entity.properties)}


def event_data(event: Event) -> dict[str, Any]:
    return {
        "description": event.description,
        "occurred_at": event.occurred_at.isoformat(),
        "precision": event.precision.value,
        "type": "event",
    }


def fact_data(fact: Fact) -> dict[str, Any]:
    return {
        "description": fact_text(fact),
        "subject": fact.subject,
        "predicate": fact.predicate,
        "object": fact.object,
        "valid_from": fact.valid_from.isoformat(),
        "valid_to": fact.valid_to.isoformat() if fact.valid_to else None,
        "type": "fact",
    }


def cause_data(cause: Cause) -> dict[str, Any]:
    return {"description": cause.description, "node_type": cause.node_type}


def _bare_edge(edge: Edge) -> ViewEdge:
    return ViewEdge(
        src=edge.src, dst=edge.dst, kind=edge.kind.value, relation=edge.relation_type, confidence=edge.strength
    )


def _edge(link: Link, confidence: float) -> ViewEdge:
    return ViewEdge(
        src=link.src, dst=link.dst, kind=link.kind.value, relation=link.relation_type, confidence=confidence
    )
