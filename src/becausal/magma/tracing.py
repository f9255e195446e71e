# SPDX-License-Identifier: Apache-2.0
"""From a why-question to the chain that answers it: which event is meant, and what led to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from ..domain.records import Cause, Kind, LinkKind
from ..graphs.causes import CausalGraph, Causes, Chain, Direction, chain_to
from ..ports.store import Condition, GraphStore, Op
from .evidence import coverage, likeness

if TYPE_CHECKING:
    from ..ports.models import Vector

WORDED = 30
NEAREST = 20
TARGETS = 24
"""Events looked at as what the question may be about."""

DEPTH = 24
MAX_NODES = 600
TRUST = 0.3
"""Links less certain than this, and not stated by anybody, explain nothing."""

CLOSE = 0.6
"""Share of the best match from which an event further on in its chain is what was asked for."""

REMEDY = 0.3
EXPLAINED = 0.25
IN_TIME = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """The chain to the event asked about, and how well that event matches the question, 0 … 1."""

    chain: Chain
    match: float
    graph: CausalGraph


@dataclass(frozen=True, slots=True, kw_only=True)
class _Event:
    cause: Cause
    match: float


def trace(
    store: GraphStore,
    weights: Mapping[str, float],
    vector: Vector | None,
    engrams: Mapping[str, float],
    in_time: frozenset[str],
) -> Trace | None:
    """Return the chain that best explains what a question asks about.

    Candidates are events told in the memories found, or described in the question's words, or near to it
    in meaning. Each is matched against the question; those with causes, and those told of the time asked
    for, come first. If a comparable match lies further on in the best one's chain, that is the event meant,
    so that the chain ends at it.
    """
    events = _events(store, weights, vector, engrams, in_time)
    if not events:
        return None
    graph = Causes(store).around([event.cause.id for event in events], Direction.UPSTREAM, DEPTH, MAX_NODES)
    traced = []
    for event in events:
        chain = chain_to(graph, event.cause.id, TRUST)
        if chain is not None:
            traced.append((event.match + EXPLAINED, event, chain))
    if not traced:
        return None
    traced.sort(key=lambda each: (-each[0], each[1].cause.id))
    best, event, chain = traced[0]
    for score, other, longer in traced[1:]:
        passed = {end.id for hop in longer.hops for end in (hop.cause, hop.effect)}
        if score >= CLOSE * best and other.cause.id != event.cause.id and event.cause.id in passed:
            event, chain = other, longer
    return Trace(chain=chain, match=min(1.0, event.match), graph=graph)


def _events(
    store: GraphStore,
    weights: Mapping[str, float],
    vector: Vector | None,
    engrams: Mapping[str, float],
    in_time: frozenset[str],
) -> list[_Event]:
    told = Causes(store).recorded_by(list(engrams))
    cosines: dict[str, float] = {}
    if vector is not None:
        cosines = {hit.id: hit.score for hit in store.vector_search(Kind.CAUSE, vector, NEAREST)}
    worded = [hit.id for hit in store.text_search(Kind.CAUSE, tuple(weights), WORDED).hits] if weights else []
    ids = list(dict.fromkeys((*told, *cosines, *worded)))
    if vector is not None and (unknown := tuple(id for id in ids if id not in cosines)):
        where = (Condition("id", Op.IN, unknown),)
        cosines |= {hit.id: hit.score for hit in store.vector_search(Kind.CAUSE, vector, len(unknown), where)}
    recorded = _recorders(store, ids)
    events = []
    for id, record in store.get(Kind.CAUSE, ids).items():
        cause = cast(Cause, record)
        where_told = recorded.get(id, frozenset())
        match = (
            0.5 * coverage(weights, (cause.description,))
            + 0.35 * likeness(cosines.get(id, 0.0))
            + 0.25 * max((engrams.get(engram, 0.0) for engram in where_told), default=0.0)
            + (IN_TIME if in_time & where_told else 0.0)
            - (REMEDY if cause.node_type == "remedy" else 0.0)
        )
        events.append(_Event(cause=cause, match=match))
    return sorted(events, key=lambda event: (-event.match, event.cause.id))[:TARGETS]


def _recorders(store: GraphStore, ids: list[str]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    if ids:
        for link in store.links(ids, [LinkKind.X_RECORDS], "in", limit=5_000):
            found.setdefault(link.dst, set()).add(link.src)
    return {id: frozenset(engrams) for id, engrams in found.items()}
