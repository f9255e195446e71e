# SPDX-License-Identifier: Apache-2.0
"""The four views of a question's surroundings, expanded side by side, each with its own time-out."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any, cast

from ..domain.interval import Interval
from ..domain.records import Cause, Cue, Engram, Entity, Event, Fact, Kind, Link, LinkKind
from ..errors import BecausalError
from ..graphs.causes import Causes
from ..graphs.direction import Direction
from ..graphs.entities import Entities
from ..graphs.timeline import Timeline, fact_text
from ..ports.store import Edge, GraphStore
from .intent import Depths
from .merge import View, ViewEdge, ViewName, ViewNode

log = logging.getLogger("becausal.magma")

MAX_SEED_ENTITIES = 40
MAX_LINKS = 5_000
MAX_CAUSES, MAX_CAUSAL_LINKS = 120, 250
"""Causal nodes reached, and links followed in one step: a view brings fifty nodes to the others."""

BESIDE = 25
"""Events, facts and causes looked at beside each seed entity, the newest."""

TELLERS = 50
"""Engrams looked at of those that told one record."""

ASIDE = 0.5
"""Score of an event that involves a seed, but was not told in any of the memories found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seeds:
    """Where expansion starts: ids with scores 0 … 1, and the times asked for."""

    engrams: Mapping[str, float]
    concepts: Mapping[str, float]
    entities: Mapping[str, float]
    windows: tuple[Interval, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """The views that came in time, and why the others did not."""

    views: tuple[View, ...]
    missing: Mapping[str, str] = field(default_factory=dict)
    milliseconds: Mapping[str, float] = field(default_factory=dict)


def expand(store: GraphStore, seeds: Seeds, depths: Depths, timeout: float) -> Expansion:
    """Expand the seeds in all four graphs at once.

    A view that fails, or takes longer than ``timeout`` seconds, is named in ``missing``; the others stand.
    """
    return run_views(
        {
            ViewName.SEMANTIC: lambda: semantic_view(store, seeds, depths.semantic),
            ViewName.ENTITY: lambda: entity_view(store, seeds, depths.entity),
            ViewName.TEMPORAL: lambda: temporal_view(store, seeds, depths.temporal),
            ViewName.CAUSAL: lambda: causal_view(store, seeds, depths.causal),
        },
        timeout,
    )


def run_views(jobs: Mapping[ViewName, Callable[[], View]], timeout: float) -> Expansion:
    """Run jobs in threads until each has ended or the time is over."""
    pool = ThreadPoolExecutor(max_workers=len(jobs), thread_name_prefix="becausal-view")
    spent: dict[str, float] = {}

    def timed(name: ViewName, job: Callable[[], View]) -> View:
        began = time.perf_counter()
        try:
            return job()
        finally:
            spent[name] = (time.perf_counter() - began) * 1000

    futures = {pool.submit(timed, name, job): name for name, job in jobs.items()}
    done, late = wait(futures, timeout)
    missing = {futures[each].value: f"not ready after {timeout:g} s" for each in late}
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
    pool.shutdown(wait=False, cancel_futures=True)
    order = list(ViewName)
    views.sort(key=lambda view: order.index(view.name))
    return Expansion(views=tuple(views), missing=missing, milliseconds=dict(spent))


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
        for link in store.links(frontier, [LinkKind.ASSOCIATED_WITH], "both", limit=MAX_LINKS):
            edges.append(_edge(link, link.strength))
            for near, far in ((link.src, link.dst), (link.dst, link.src)):
                if near in scores and far not in scores:
                    fresh[far] = max(fresh.get(far, 0.0), scores[near] * link.strength)
        scores |= fresh
        frontier = list(fresh)
    engrams = store.get(Kind.ENGRAM, list(scores))
    cues = store.get(Kind.CUE, list(seeds.concepts))
    nodes = [
        ViewNode(id=id, data=engram_data(cast(Engram, record)), score=scores[id])
        for id, record in engrams.items()
        if cast(Engram, record).archived_at is None
    ]
    nodes += [
        ViewNode(id=id, data=concept_data(cast(Cue, record)), score=seeds.concepts[id]) for id, record in cues.items()
    ]
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
    for link in store.links(list(seeds.engrams), [LinkKind.X_RECORDS], "out", limit=MAX_LINKS) if seeds.engrams else ():
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
    causes = Causes(store)
    starts = set(causes.recorded_by(list(seeds.engrams)))
    starts |= {edge.src for edge in _into(store, seeds.entities, LinkKind.X_AFFECTS)}
    graph = causes.around(sorted(starts), Direction.BOTH, depth, MAX_CAUSES, MAX_CAUSAL_LINKS)
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


def _edge(link: Link, confidence: float) -> ViewEdge:
    return ViewEdge(
        src=link.src, dst=link.dst, kind=link.kind.value, relation=link.relation_type, confidence=confidence
    )
