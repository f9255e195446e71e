# SPDX-License-Identifier: Apache-2.0
"""Finding nodes: by likeness, and by the relations that lead to them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...domain.records import Engram, Link
from ...engine import validate
from ...engine.core import Core
from ...errors import InvalidInput
from ..words import about
from .edges import Edges, Hop, hops
from .formulae import direct_score, neighbour_score, traversal_score
from .model import GraphSearchResult, TraversalResult, node_of, weight_of
from .nodes import Nodes, session_name

MAX_DEPTH = 10
MAX_TOP = 100
MAX_REACHED = 1000
"""Nodes that one traversal returns."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A node, how far it is, the relation it was reached by, and the ids and relations on the way."""

    id: str
    depth: int
    via: Link
    path: tuple[str, ...]


class Walker:
    """Searches the graph of a session, or of all where settings say so."""

    def __init__(self, core: Core, nodes: Nodes, edges: Edges) -> None:
        self._options = core.session
        self._nodes = nodes
        self._edges = edges

    def scope(self, session: str) -> str | None:
        return None if self._options.across else session

    def search(
        self,
        session: str,
        query: str,
        max_depth: int = 1,
        top_k: int = 5,
        edge_filter: Sequence[str] | None = None,
    ) -> GraphSearchResult:
        """Return the ``top_k`` nodes most like a query, and up to twice as many of those around them.

        The score is the cosine. What has none above 0 comes only if it has a word of the query in truth: in hashed
        vectors two words may cancel each other, and not every script is read. Neighbours are at their true distance
        from the nearest direct hit, both ways along relations, up to ``max_depth`` hops.
        """
        scope = self.scope(session_name(session))
        query = validate.query(query)
        top_k = validate.integer(top_k, "top_k", 1, MAX_TOP)
        max_depth = validate.integer(max_depth, "max_depth", 0, MAX_DEPTH)
        known = self._nodes.known(scope)
        if not known:
            return GraphSearchResult([], [], 0, 0)
        scores = self._nodes.scores(query, [node.id for node in known])
        start = self._nearest(scope, query, [node.id for node in known], scores, top_k)
        found = self._neighbours(start, max_depth, scores, edge_filter)[: 2 * top_k]
        engrams = self._nodes.read([*start, *(item.id for _, item in found), *_on_the_way(item for _, item in found)])
        direct = [
            TraversalResult(node_of(engrams[id]), 0, [_label(engrams, id)], direct_score(scores[id]))
            for id in start
            if id in engrams
        ]
        neighbors = [_result(engrams, item, score) for score, item in found if item.id in engrams]
        self._nodes.touch([result.node.id for result in direct])
        return GraphSearchResult(direct, neighbors, len(known), self._edges.count(scores).total())

    def _nearest(
        self, scope: str | None, query: str, known: Sequence[str], scores: Mapping[str, float], top_k: int
    ) -> list[str]:
        alike = [id for id in known if scores[id] > 0]
        shared: Mapping[str, Collection[str]] = {}
        if len(alike) < top_k:
            shared = self._nodes.sharing(scope, about(query), MAX_TOP)
            alike = [id for id in known if scores[id] > 0 or id in shared]
        # Stable: of equal ones the oldest.
        return sorted(alike, key=lambda id: (-scores[id], -len(shared.get(id, ()))))[:top_k]

    def _neighbours(
        self,
        start: Sequence[str],
        max_depth: int,
        scores: Mapping[str, float],
        edge_filter: Sequence[str] | None,
    ) -> list[tuple[float, Reached]]:
        reached = self._walk(start, max_depth, scores, edge_filter)
        scored = [
            (neighbour_score(scores[item.id], self._edges.now(item.via), weight_of(item.via)), item) for item in reached
        ]
        return sorted(scored, key=lambda each: -each[0])

    def _walk(
        self, start: Sequence[str], max_depth: int, inside: Container[str], edge_filter: Sequence[str] | None
    ) -> list[Reached]:
        only = _relations(edge_filter)
        return walk(start, lambda ids: hops(self._edges.around(ids), only), max_depth, inside)

    def traverse(
        self, session: str, start: str, max_depth: int = 2, edge_filter: Sequence[str] | None = None
    ) -> list[TraversalResult] | None:
        """Return a node and all within ``max_depth`` hops of it, the nearest first; ``None`` if there is no such node.

        The first 1,000 are returned.
        """
        scope = self.scope(session_name(session))
        max_depth = validate.integer(max_depth, "max_depth", 0, MAX_DEPTH)
        first = self._nodes.get(scope, validate.identifier(start, "start_node_id"))
        if first is None:
            return None
        inside = {node.id for node in self._nodes.known(scope)}
        reached = self._walk([first.id], max_depth, inside, edge_filter)[: MAX_REACHED - 1]
        self._nodes.touch([first.id], count=True)
        engrams = self._nodes.read([first.id, *(item.id for item in reached), *_on_the_way(reached)])
        results = [TraversalResult(node_of(engrams[first.id]), 0, [_label(engrams, first.id)], 100.0)]
        score: Callable[[Reached], float] = lambda item: traversal_score(  # noqa: E731
            self._edges.now(item.via), item.depth, self._options.hop_penalty
        )
        return results + [_result(engrams, item, score(item)) for item in reached if item.id in engrams]


def walk(
    start: Sequence[str],
    ways_from: Callable[[Sequence[str]], Mapping[str, Sequence[Hop]]],
    max_depth: int,
    inside: Container[str],
) -> list[Reached]:
    """Return the nodes around some others, each once, by distance: breadth first, so that it is the true one.

    ``ways_from`` returns where nodes lead; what is not ``inside`` is not entered.
    """
    seen = set(start)
    paths: dict[str, tuple[str, ...]] = {id: (id,) for id in start}
    frontier = list(start)
    reached: list[Reached] = []
    for depth in range(1, max_depth + 1):
        following: list[str] = []
        ways = ways_from(frontier) if frontier else {}
        for id in frontier:
            for hop in ways.get(id, ()):
                if hop.node in seen or hop.node not in inside:
                    continue
                seen.add(hop.node)
                paths[hop.node] = (*paths[id], f"--[{hop.link.relation_type}]-->", hop.node)
                reached.append(Reached(hop.node, depth, hop.link, paths[hop.node]))
                following.append(hop.node)
        frontier = following
    return reached


def _relations(edge_filter: Sequence[str] | None) -> Sequence[str] | None:
    if edge_filter is None:
        return None
    if isinstance(edge_filter, str) or not all(isinstance(name, str) for name in edge_filter):
        raise InvalidInput("edge_filter", "must be a list of relations")
    return tuple(edge_filter)


def _on_the_way(reached: Iterable[Reached]) -> list[str]:
    return [id for item in reached for id in item.path[::2]]


def _label(engrams: Mapping[str, Engram], id: str) -> str:
    return engrams[id].label or "" if id in engrams else ""


def _result(engrams: Mapping[str, Engram], item: Reached, score: float) -> TraversalResult:
    path = [step if at % 2 else _label(engrams, step) for at, step in enumerate(item.path)]
    return TraversalResult(node_of(engrams[item.id]), item.depth, path, score)
