# SPDX-License-Identifier: Apache-2.0
"""The causal graph: what brought about what, how sure that is, and the chains it forms."""

from __future__ import annotations

import heapq
import itertools
import math
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar, cast

from ..domain.causal.text import cause_key
from ..domain.ids import derived_id, looks_like_id
from ..domain.records import Cause, Kind, Link, LinkKind
from ..domain.text import normalize_name, terms
from ..errors import InvalidInput, NotFound
from ..ports.store import GraphStore
from .detail import steps_between
from .direction import Direction as Direction
from .linking import Draft, Node

_Id = TypeVar("_Id", bound=Hashable)

MAX_NODES = 2_000
MAX_LINKS = 5_000
MAX_CHAIN = 64
"""Hops a traced chain has at most."""

MAX_ROOTS = 16
"""Beginnings of chains that are compared with each other."""

REMEDY, ELSEWHEN = 0.5, 0.7
"""Factors for a way through what was done about an event, and through what was told of another time."""


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
        """Return the chain's events in the fullest words they were told in, root cause first."""
        causes = [hop.cause.description for hop in self.hops]
        effects = [hop.effect.description for hop in self.hops]
        between = [max(pair, key=len) for pair in zip(effects[:-1], causes[1:], strict=True)]
        return (causes[0], *between, effects[-1])


def cause_id(user: str, description: str) -> str:
    """Return the id of a description's node: the same for every wording with the same key."""
    return derived_id(user, Kind.CAUSE, cause_key(description) or description.strip().casefold())


def _plain(description: str) -> str:
    return normalize_name(description).strip(" .!")


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
        """Write what ``draft_link`` adds."""
        draft = Draft(self._store.user, now)
        added = self.draft_link(draft, cause, effect, confidence, evidence)
        self._store.write(draft.batch())
        return added

    def draft_link(
        self, draft: Draft, cause: str, effect: str, confidence: float, evidence: str | None
    ) -> tuple[Cause, Cause, Link]:
        """State that one thing brought about another; both may be ids or descriptions.

        Stating it again replaces its confidence and evidence.

        Raises:
            InvalidInput: both are the same thing.
            NotFound: what looks like an id is none.
        """
        one, other = (self._node(draft, text, kind) for text, kind in ((cause, "cause"), (effect, "effect")))
        if one.id == other.id or _plain(one.description) == _plain(other.description):
            raise InvalidInput("effect", "must be something else than the cause: nothing causes itself")
        link = draft.link(
            LinkKind.C_CAUSES,
            Node(Kind.CAUSE, one.id),
            Node(Kind.CAUSE, other.id),
            confidence=confidence,
            evidence=evidence,
        )
        return one, other, link

    def _node(self, draft: Draft, description_or_id: str, node_type: str) -> Cause:
        if known := self.resolve(description_or_id):
            draft.pin(known)
            return known
        if looks_like_id(description_or_id):
            raise NotFound("Cause", description_or_id)
        return make_cause(draft, description_or_id, node_type)

    def around(
        self,
        starts: Iterable[str],
        direction: Direction,
        depth: int,
        limit: int = MAX_NODES,
        links: int = MAX_LINKS,
    ) -> CausalGraph:
        """Return what is within ``depth`` hops of some nodes, breadth first; ``SAME_AS`` links cost no hop.

        No more than ``limit`` nodes are reached, and no more than ``links`` links followed in one step.
        ``both`` is everything upstream together with everything downstream, not what lies beside.
        """
        ways = {Direction.UPSTREAM: ("in",), Direction.DOWNSTREAM: ("out",), Direction.BOTH: ("in", "out")}[direction]
        starts = list(dict.fromkeys(starts))
        distance: dict[str, int] = {}
        causes: dict[str, Link] = {}
        same: dict[str, Link] = {}
        truncated = False
        for way in ways:
            reached, cut = self._walk(starts, way, depth, (limit, links), causes, same)
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
        limits: tuple[int, int],
        causes: dict[str, Link],
        same: dict[str, Link],
    ) -> tuple[dict[str, int], bool]:
        limit, most = limits
        reached = dict.fromkeys(starts, 0)
        frontier = self._with_same(list(reached), reached, 0, limits, same)
        truncated = False
        for step in range(1, depth + 1):
            if not frontier:
                break
            links = self._store.links(frontier, [LinkKind.C_CAUSES], "in" if way == "in" else "out", limit=most)
            truncated |= len(links) >= most
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
            frontier = self._with_same(fresh, reached, step, limits, same)
        return reached, truncated

    def _with_same(
        self, ids: list[str], reached: dict[str, int], step: int, limits: tuple[int, int], same: dict[str, Link]
    ) -> list[str]:
        """Return some nodes together with those known to mean the same, which are reached with them."""
        if not ids:
            return []
        limit, most = limits
        everything = list(ids)
        for link in self._store.links(ids, [LinkKind.SAME_AS], "both", limit=most):
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
        worth = sure * math.sqrt(len(detailed))
        if worth > most:
            best, most = detailed, worth
            outright = max(chain[-1].confidence, detailed[-1].confidence)
    return Chain(
        hops=tuple(best), confidence=math.prod(hop.confidence for hop in best), outright=outright, cyclic=cyclic
    )


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
        for link in graph.causes:
            if link.asserted or link.confidence >= trust:
                self._incoming[link.dst].append(link)
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
        if self._told_in and link.sources and self._told_in.isdisjoint(link.sources):
            weight *= ELSEWHEN
        return weight

    def in_detail(self, chain: Sequence[Hop], target: str) -> list[Hop]:
        """Return a chain with every hop that its source also tells step by step told so."""
        outgoing: dict[str, list[Link]] = defaultdict(list)
        for links in self._incoming.values():
            for link in links:
                outgoing[link.src].append(link)
        passed = {id for hop in chain for id in (hop.cause.id, hop.effect.id)} | {target}
        hops = []
        for at, hop in enumerate(chain):
            onward = chain[at + 1].cause.id if at + 1 < len(chain) else target
            goals: dict[str, Link | None] = dict(self._twins.get(onward, ()))
            goals |= {onward: None, hop.effect.id: hop.bridge}
            steps = steps_between(hop.cause.id, goals, outgoing, self._twins, hop.link.sources, passed)
            hops += [self.hop(link, over) for link, over in steps] or [hop]
        return hops

    def hop(self, link: Link, over: Link | None) -> Hop:
        sure = link.confidence * (over.strength if over else 1.0)
        cause, effect = self._graph.nodes[link.src], self._graph.nodes[link.dst]
        return Hop(cause=cause, effect=effect, link=link, bridge=over, confidence=sure)


def topological(ids: Sequence[str], causes: Iterable[tuple[str, str]]) -> list[str]:
    """Return ids with causes before effects, otherwise in the order given.

    ``causes`` holds pairs of a cause and its effect. What causes itself in a circle stays together, and its
    circle is cut at the node that comes first. Kahn's algorithm over the strongly connected components (Tarjan's).
    """
    names = list(dict.fromkeys(ids))
    effects: dict[str, set[str]] = {id: set() for id in names}
    for cause, effect in causes:
        if cause in effects and effect in effects and cause != effect:
            effects[cause].add(effect)
    circle = _circles(names, effects)
    members: dict[int, list[str]] = defaultdict(list)
    for id in names:
        members[circle[id]].append(id)
    outside = {
        number: {circle[effect] for id in group for effect in effects[id]} - {number}
        for number, group in members.items()
    }
    return [id for number in _kahn(list(members), outside) for id in _kahn(members[number], effects)]


def _kahn(names: Sequence[_Id], after: Mapping[_Id, Collection[_Id]]) -> list[_Id]:
    """Return names in topological order, the earliest of what is ready first; where nothing is, the earliest left."""
    place = {name: at for at, name in enumerate(names)}
    waiting = dict.fromkeys(names, 0)
    for name in names:
        for follower in after[name]:
            if follower in place:
                waiting[follower] += 1
    ready = [place[name] for name in names if not waiting[name]]
    order: dict[_Id, None] = {}
    left = iter(names)
    while len(order) < len(names):
        name = names[heapq.heappop(ready)] if ready else next(name for name in left if name not in order)
        order[name] = None
        for follower in after[name]:
            if follower in place and follower not in order:
                waiting[follower] -= 1
                if not waiting[follower]:
                    heapq.heappush(ready, place[follower])
    return list(order)


def _circles(names: Sequence[str], effects: Mapping[str, set[str]]) -> dict[str, int]:
    """Return the number of the strongly connected component of each node."""
    found: dict[str, int] = {}
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    open_: list[str] = []
    for start in names:
        if start in index:
            continue
        index[start] = low[start] = len(index)
        open_.append(start)
        walk = [(start, iter(effects[start]))]
        while walk:
            id, left = walk[-1]
            for effect in left:
                if effect not in index:
                    index[effect] = low[effect] = len(index)
                    open_.append(effect)
                    walk.append((effect, iter(effects[effect])))
                    break
                if effect not in found:
                    low[id] = min(low[id], index[effect])
            else:
                walk.pop()
                if walk:
                    low[walk[-1][0]] = min(low[walk[-1][0]], low[id])
                if low[id] == index[id]:
                    number = len(found)
                    while True:
                        member = open_.pop()
                        found[member] = number
                        if member == id:
                            break
    return found
