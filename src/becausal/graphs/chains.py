# SPDX-License-Identifier: Apache-2.0
"""Chains of the causal graph: the way back from an event to where it began."""

from __future__ import annotations

import heapq
import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..domain.causal.identity import points_back
from ..domain.records import Cause, Link
from .causes import CausalGraph
from .detail import steps_between
from .linking import SUPPOSED

MAX_CHAIN = 64
"""Hops a traced chain has at most."""

MAX_ROOTS = 16
"""Beginnings of chains that are compared with each other."""

REMEDY, ELSEWHEN = 0.5, 0.7
"""Factors for a way through what was done about an event, and through what was told of another time."""

SUSPECTED = 0.5
"""Factor for a way that was only suspected once, beside others: what was found out goes before it."""


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

    ``outright`` is how sure it is that the effect was brought about by what is told before it: the confidence
    of the last hop, or of the statement that its steps tell in detail. ``cyclic`` says that the causes go round
    in a circle, so that where it starts is a choice.
    """

    hops: tuple[Hop, ...]
    confidence: float
    outright: float = 1.0
    cyclic: bool = False

    @property
    def root(self) -> Cause:
        return self.hops[0].cause

    def told(self) -> tuple[str, ...]:
        """Return the chain's events in the fullest words they were told in, root cause first.

        Words that only go on about something told before ("This delay grew") are not taken if there are others.
        """
        causes = [hop.cause.description for hop in self.hops]
        effects = [hop.effect.description for hop in self.hops]
        between = [
            max(pair, key=lambda told: (not points_back(told), len(told)))
            for pair in zip(effects[:-1], causes[1:], strict=True)
        ]
        return (causes[0], *between, effects[-1])


def chain_to(
    graph: CausalGraph, target: str, trust: float = 0.0, told_in: frozenset[str] = frozenset()
) -> Chain | None:
    """Return the best chain that ends at ``target``: the most certain way back, followed to where it starts.

    Links below ``trust`` are not used unless a caller stated them. Best-first search backwards from the
    target, so that a cycle is entered once. A remedy is passed through only where nothing else leads on,
    and links told in the engrams ``told_in``, if any are given, go before others. Of the beginnings found
    the one with the highest product of confidence and √hops is taken: what lies further back explains more,
    if it is nearly as certain. A hop that its own source also tells step by step is replaced by the steps.
    Of a chain that one text tells from end to end it is the geometric mean that counts, not the product.
    """
    return Tracer(graph, trust, told_in).chain_to(target)


class Tracer:
    """Finds the chains of one graph; see ``chain_to``."""

    def __init__(self, graph: CausalGraph, trust: float = 0.0, told_in: frozenset[str] = frozenset()) -> None:
        self._back = _Back(graph, trust, told_in)

    def chain_to(self, target: str) -> Chain | None:
        return _chain_to(self._back, target)


def _chain_to(back: _Back, target: str) -> Chain | None:
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
        ways = back.ways(id) if hops < MAX_CHAIN else []
        passed = back.same_as_any(_path(after, id)) if ways else set()
        for each, over, sure in ways:
            if each.src not in settled and each.src not in passed and sure > 0:
                step = (id, each, over)
                heapq.heappush(queue, (cost - math.log(sure), hops + 1, next(ticket), each.src, step))
        if not ways and id != target:
            roots.append(id)
    cyclic = not roots
    if cyclic:
        # Every way back leads round in a circle: its far side is as good a beginning as any.
        furthest = max(hops for _, hops in settled.values())
        roots = [id for id, (_, hops) in settled.items() if id != target and hops == furthest]
    if not roots:
        return None
    roots.sort(key=lambda id: (-math.exp(-settled[id][0]) * math.sqrt(settled[id][1]), id))
    best: list[Hop] = []
    most = outright = 0.0
    for root in roots[:MAX_ROOTS]:
        chain, at = [], root
        while at != target:
            effect, by, over = after[at]
            chain.append(back.hop(by, over))
            at = effect
        detailed = back.in_detail(chain, target)
        sure = math.exp(-settled[root][0])
        if set.intersection(*(set(hop.link.sources) for hop in detailed)):
            sure = math.prod(hop.confidence for hop in detailed) ** (1 / len(detailed))
        worth = sure * math.sqrt(len(detailed)) * (SUSPECTED if any(is_supposed(hop.link) for hop in detailed) else 1.0)
        if worth > most:
            best, most = detailed, worth
            outright = max(chain[-1].confidence, detailed[-1].confidence)
    return Chain(
        hops=tuple(best), confidence=math.prod(hop.confidence for hop in best), outright=outright, cyclic=cyclic
    )


def is_supposed(link: Link) -> bool:
    """Whether a causal link is told as what was once suspected, and not as what was found out."""
    return bool(link.metadata.get(SUPPOSED)) and not link.asserted


def _path(after: Mapping[str, tuple[str, Link, Link | None]], id: str) -> list[str]:
    """Return the nodes from ``id`` to the target."""
    path = [id]
    while id in after:
        id = after[id][0]
        path.append(id)
    return path


class _Back:
    """The ways that lead back from the nodes of a graph."""

    def __init__(self, graph: CausalGraph, trust: float, told_in: frozenset[str]) -> None:
        self._graph = graph
        self._told_in = told_in
        self._incoming: dict[str, list[Link]] = defaultdict(list)
        self._outgoing: dict[str, list[Link]] = defaultdict(list)
        for link in graph.causes:
            if link.asserted or link.confidence >= trust:
                self._incoming[link.dst].append(link)
                self._outgoing[link.src].append(link)
        self._twins: dict[str, list[tuple[str, Link]]] = defaultdict(list)
        for link in graph.same:
            self._twins[link.src].append((link.dst, link))
            self._twins[link.dst].append((link.src, link))

    def ways(self, id: str) -> list[tuple[Link, Link | None, float]]:
        """Return the links into a node or into one that means the same, the bridge crossed, and the way's weight."""
        return [
            (each, over, self._weight(each) * (over.strength if over else 1.0))
            for twin, over in ((id, None), *self._twins[id])
            for each in self._incoming[twin]
            if each.src != id
        ]

    def same_as_any(self, ids: Iterable[str]) -> set[str]:
        """Return some nodes with those that mean the same."""
        return {each for id in ids for each in (id, *(twin for twin, _ in self._twins.get(id, ())))}

    def _weight(self, link: Link) -> float:
        weight = link.confidence
        if self._graph.nodes[link.src].node_type == "remedy":
            weight *= REMEDY
        if is_supposed(link):
            weight *= SUSPECTED
        if self._told_in and link.sources and self._told_in.isdisjoint(link.sources):
            weight *= ELSEWHEN
        return weight

    def in_detail(self, chain: Sequence[Hop], target: str) -> list[Hop]:
        """Return a chain with every hop that its source also tells step by step told so."""
        passed = {id for hop in chain for id in (hop.cause.id, hop.effect.id)} | {target}
        hops = []
        for at, hop in enumerate(chain):
            onward = chain[at + 1].cause.id if at + 1 < len(chain) else target
            goals: dict[str, Link | None] = dict(self._twins.get(onward, ()))
            goals |= {onward: None, hop.effect.id: hop.bridge}
            steps = steps_between(hop.cause.id, goals, self._outgoing, self._twins, hop.link.sources, passed)
            hops += [self.hop(link, over) for link, over in steps] or [hop]
        return hops

    def hop(self, link: Link, over: Link | None) -> Hop:
        sure = link.confidence * (over.strength if over else 1.0)
        cause, effect = self._graph.nodes[link.src], self._graph.nodes[link.dst]
        return Hop(cause=cause, effect=effect, link=link, bridge=over, confidence=sure)
