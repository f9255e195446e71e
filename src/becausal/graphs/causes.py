# SPDX-License-Identifier: Apache-2.0
"""The causal graph: what brought about what, how sure that is, and the chains it forms."""

from __future__ import annotations

import heapq
import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import cast

from ..domain.causal_text import cause_key
from ..domain.ids import derived_id
from ..domain.records import Cause, Kind, Link, LinkKind
from ..domain.text import terms
from ..errors import InvalidInput
from ..ports.store import GraphStore
from .linking import Draft, Node

MAX_NODES = 2_000
MAX_LINKS = 5_000
MAX_CHAIN = 64
"""Hops a traced chain has at most."""


class Direction(StrEnum):
    UPSTREAM = "upstream"
    DOWNSTREAM = "downstream"
    BOTH = "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class CausalGraph:
    """Part of the causal graph: its nodes, ``C_CAUSES`` and ``SAME_AS`` links, and each node's distance.

    ``truncated`` says that there was more than could be returned.
    """

    nodes: Mapping[str, Cause]
    causes: tuple[Link, ...]
    same: tuple[Link, ...]
    distance: Mapping[str, int]
    truncated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Hop:
    """One step of a chain, as it was told. ``confidence`` is the link's, times the bridge's strength.

    ``bridge`` is the ``SAME_AS`` link crossed from ``effect`` to the next hop's cause, or to the event the
    chain ends at, where that is told in other words.
    """

    cause: Cause
    effect: Cause
    link: Link
    bridge: Link | None
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """Hops from a root cause to an effect; ``confidence`` is the product of theirs, 1 without any.

    ``cyclic`` says that the causes go round in a circle, so that where it starts is a choice.
    """

    hops: tuple[Hop, ...]
    confidence: float
    cyclic: bool = False

    @property
    def root(self) -> Cause:
        return self.hops[0].cause

    def told(self) -> tuple[str, ...]:
        """Return the chain's events in the fullest words they were told in, root cause first."""
        causes = [hop.cause.description for hop in self.hops]
        effects = [hop.effect.description for hop in self.hops]
        between = [max(pair, key=len) for pair in zip(effects[:-1], causes[1:], strict=True)]
        return (causes[0], *between, effects[-1])


def cause_id(user: str, description: str) -> str:
    """Return the id of a description's node: the same for every wording with the same key."""
    return derived_id(user, Kind.CAUSE, cause_key(description) or description.strip().casefold())


def make_cause(draft: Draft, description: str, node_type: str) -> Cause:
    """Add a causal node to a draft, unless the graph has it, and return it."""
    cause = Cause(
        id=cause_id(draft.user, description),
        description=description.strip(),
        key=cause_key(description) or description.strip().casefold(),
        node_type=node_type,
        asserted=draft.source is None,
        created_at=draft.now,
    )
    draft.put(cause, terms(description), if_absent=True)
    return cause


class Causes:
    """One user's causal graph."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store

    def resolve(self, description_or_id: str) -> Cause | None:
        """Return the node with this id, or else the one that this description means."""
        text = description_or_id.strip()
        ids = [text, cause_id(self._store.user, text)]
        found = self._store.get(Kind.CAUSE, ids)
        return cast("Cause | None", next((found[id] for id in ids if id in found), None))

    def add(
        self, cause: str, effect: str, confidence: float, evidence: str | None, now: datetime
    ) -> tuple[Cause, Cause, Link]:
        """State that one thing brought about another; both may be ids or descriptions.

        Stating it again replaces its confidence and evidence.

        Raises:
            InvalidInput: both are the same thing.
        """
        draft = Draft(self._store.user, now)
        one, other = (
            self.resolve(text) or make_cause(draft, text, kind) for text, kind in ((cause, "cause"), (effect, "effect"))
        )
        if one.id == other.id:
            raise InvalidInput("effect", "must be something else than the cause: nothing causes itself")
        for node in (one, other):
            if not node.asserted and not any(put.record.id == node.id for put in draft.puts):
                # What a caller states outright stays when the text it was first read from is forgotten.
                draft.put(replace(node, asserted=True), terms(node.description), expect_version=node.version)
        link = draft.link(
            LinkKind.C_CAUSES,
            Node(Kind.CAUSE, one.id),
            Node(Kind.CAUSE, other.id),
            confidence=confidence,
            evidence=evidence,
            merge="replace",
        )
        self._store.write(draft.batch())
        return one, other, link

    def around(self, starts: Iterable[str], direction: Direction, depth: int, limit: int = MAX_NODES) -> CausalGraph:
        """Return what is within ``depth`` hops of some nodes, breadth first; ``SAME_AS`` links cost no hop.

        ``both`` is everything upstream together with everything downstream, not what lies beside.
        """
        ways = {Direction.UPSTREAM: ("in",), Direction.DOWNSTREAM: ("out",), Direction.BOTH: ("in", "out")}[direction]
        starts = list(dict.fromkeys(starts))
        distance: dict[str, int] = {}
        causes: dict[str, Link] = {}
        same: dict[str, Link] = {}
        truncated = False
        for way in ways:
            reached, cut = self._walk(starts, way, depth, limit, causes, same)
            truncated |= cut
            for id, steps in reached.items():
                distance[id] = min(steps, distance.get(id, steps))
        nodes = {id: cast(Cause, record) for id, record in self._store.get(Kind.CAUSE, list(distance)).items()}
        return CausalGraph(
            nodes=nodes,
            causes=tuple(link for link in causes.values() if link.src in nodes and link.dst in nodes),
            same=tuple(link for link in same.values() if link.src in nodes and link.dst in nodes),
            distance={id: steps for id, steps in distance.items() if id in nodes},
            truncated=truncated,
        )

    def _walk(
        self,
        starts: Sequence[str],
        way: str,
        depth: int,
        limit: int,
        causes: dict[str, Link],
        same: dict[str, Link],
    ) -> tuple[dict[str, int], bool]:
        reached = dict.fromkeys(starts, 0)
        frontier = self._with_same(list(reached), reached, 0, limit, same)
        truncated = False
        for step in range(1, depth + 1):
            if not frontier:
                break
            links = self._store.links(frontier, [LinkKind.C_CAUSES], "in" if way == "in" else "out", limit=MAX_LINKS)
            truncated |= len(links) >= MAX_LINKS
            fresh = []
            for link in links:
                far = link.src if way == "in" else link.dst
                if far not in reached:
                    if len(reached) >= limit:
                        truncated = True
                        continue
                    reached[far] = step
                    fresh.append(far)
                causes[link.id] = link
            frontier = self._with_same(fresh, reached, step, limit, same)
        return reached, truncated

    def _with_same(
        self, ids: list[str], reached: dict[str, int], step: int, limit: int, same: dict[str, Link]
    ) -> list[str]:
        """Return some nodes together with those known to mean the same, which are reached with them."""
        if not ids:
            return []
        everything = list(ids)
        for link in self._store.links(ids, [LinkKind.SAME_AS], "both", limit=MAX_LINKS):
            same[link.id] = link
            for end in (link.src, link.dst):
                if end not in reached and len(reached) < limit:
                    reached[end] = step
                    everything.append(end)
        return everything

    def touching(self, entities: Sequence[str], limit: int = MAX_LINKS) -> set[str]:
        """Return the ids of the nodes that affect some entities."""
        if not entities:
            return set()
        return {link.src for link in self._store.links(entities, [LinkKind.X_AFFECTS], "in", limit=limit)}

    def recorded_by(self, engrams: Sequence[str], limit: int = MAX_LINKS) -> dict[str, set[str]]:
        """Return the nodes read from some engrams, each with those engrams."""
        if not engrams:
            return {}
        found: dict[str, set[str]] = defaultdict(set)
        for link in self._store.links(engrams, [LinkKind.X_RECORDS], "out", limit=limit):
            if link.dst_kind is Kind.CAUSE:
                found[link.dst].add(link.src)
        return dict(found)


def chain_to(graph: CausalGraph, target: str, trust: float = 0.0) -> Chain | None:
    """Return the best chain that ends at ``target``: the most certain way back, followed to where it starts.

    Links below ``trust`` are not used unless a caller stated them. Best-first search backwards from the
    target, so that a cycle is entered once. Of the roots found the one with the highest product of
    confidence and √hops is taken: what lies further back explains more, if it is nearly as certain.
    """
    incoming: dict[str, list[Link]] = defaultdict(list)
    for link in graph.causes:
        if link.asserted or link.confidence >= trust:
            incoming[link.dst].append(link)
    twins: dict[str, list[tuple[str, Link]]] = defaultdict(list)
    for link in graph.same:
        twins[link.src].append((link.dst, link))
        twins[link.dst].append((link.src, link))
    settled: dict[str, tuple[float, int]] = {}
    after: dict[str, tuple[str, Link, Link | None]] = {}
    ticket = itertools.count()  # settles ties: links have no order of their own
    queue: list[tuple[float, int, int, str, tuple[str, Link, Link | None] | None]] = [(0.0, 0, 0, target, None)]
    roots = []
    while queue:
        cost, hops, _, id, step = heapq.heappop(queue)
        if id in settled:
            continue
        settled[id] = (cost, hops)
        if step is not None:
            after[id] = step
        ways = [
            (each, over, each.confidence * (over.strength if over else 1.0))
            for twin, over in ((id, None), *twins[id])
            for each in incoming[twin]
            if each.src != id
        ]
        for each, over, sure in ways:
            if each.src not in settled and sure > 0 and hops < MAX_CHAIN:
                step = (id, each, over)
                heapq.heappush(queue, (cost - math.log(sure), hops + 1, next(ticket), each.src, step))
        if not ways and id != target:
            roots.append(id)
    cyclic = not roots
    if cyclic:
        # Every way back leads round in a circle: its far side is as good a beginning as any.
        roots = [id for id in settled if id != target and settled[id][1] == max(hops for _, hops in settled.values())]
    if not roots:
        return None
    best = max(roots, key=lambda id: (math.exp(-settled[id][0]) * math.sqrt(settled[id][1]), id))
    chain = []
    at = best
    while at != target:
        effect, by, over = after[at]
        sure = by.confidence * (over.strength if over else 1.0)
        chain.append(Hop(cause=graph.nodes[at], effect=graph.nodes[by.dst], link=by, bridge=over, confidence=sure))
        at = effect
    return Chain(hops=tuple(chain), confidence=math.prod(hop.confidence for hop in chain), cyclic=cyclic)


def topological(ids: Sequence[str], causes: Iterable[tuple[str, str]]) -> list[str]:
    """Return ids with causes before effects, otherwise in the order given; cycles are cut at their first node.

    ``causes`` holds pairs of a cause and its effect. Kahn's algorithm, always taking the earliest of what is ready.
    """
    place = {id: at for at, id in enumerate(dict.fromkeys(ids))}
    effects: dict[str, list[str]] = defaultdict(list)
    waiting = dict.fromkeys(place, 0)
    for cause, effect in set(causes):
        if cause in place and effect in place and cause != effect:
            effects[cause].append(effect)
            waiting[effect] += 1
    ready = [at for id, at in place.items() if not waiting[id]]
    heapq.heapify(ready)
    order: list[str] = []
    names = list(place)
    done: set[str] = set()
    left = iter(names)
    while len(order) < len(names):
        if not ready:
            ready = [place[next(id for id in left if id not in done)]]
        id = names[heapq.heappop(ready)]
        if id in done:
            continue
        done.add(id)
        order.append(id)
        for effect in effects[id]:
            waiting[effect] -= 1
            if waiting[effect] == 0 and effect not in done:
                heapq.heappush(ready, place[effect])
    return order
