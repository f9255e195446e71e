# SPDX-License-Identifier: Apache-2.0
"""Several views of the graph as one: what more than one of them holds counts for more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ..errors import InvalidInput

MAX_PER_VIEW = 50
BOOST = 1.5
MAX_BOOST = 10.0


class ViewName(StrEnum):
    SEMANTIC = "semantic"
    ENTITY = "entity"
    TEMPORAL = "temporal"
    CAUSAL = "causal"


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewNode:
    """A node as one view sees it. ``score`` is 0 … 1."""

    id: str
    data: Mapping[str, Any]
    score: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewEdge:
    """A relationship between two nodes; ``kind`` is the link's, ``confidence`` 0 … 1."""

    src: str
    dst: str
    kind: str
    relation: str = ""
    confidence: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    name: ViewName
    nodes: tuple[ViewNode, ...]
    edges: tuple[ViewEdge, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedNode:
    id: str
    data: Mapping[str, Any]
    views: tuple[ViewName, ...]
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """``contributions``: how many nodes each view brought."""

    nodes: tuple[MergedNode, ...]
    edges: tuple[ViewEdge, ...]
    contributions: Mapping[ViewName, int] = field(default_factory=dict)


def merge(
    views: Sequence[View],
    *,
    boost: float = BOOST,
    min_score: float | None = None,
    origins: Callable[[Collection[str]], Mapping[str, Collection[str]]] | None = None,
) -> Merged:
    """Merge views: ``score = mean of a node's scores × boost^(views − 1)`` (polyg-mcp's formula).

    A node's views are those that hold it, and those that hold a record told in the same engram, which
    ``origins`` looks up: the four graphs keep different kinds of record, so without that no node could ever
    be in two of them. A view brings its 50 best nodes; a node's data is that of the first view which has it.

    Raises:
        InvalidInput: ``boost`` is not from 1 to 10.
    """
    if not 1 <= boost <= MAX_BOOST:
        raise InvalidInput("multi_view_boost", f"must be a number from 1 to {MAX_BOOST:g}, got {boost:g}")
    best = [(view, sorted(view.nodes, key=lambda node: -node.score)[:MAX_PER_VIEW]) for view in views]
    scores: dict[str, list[float]] = defaultdict(list)
    data: dict[str, Mapping[str, Any]] = {}
    holding: dict[str, set[ViewName]] = defaultdict(set)
    for view, nodes in best:
        for node in nodes:
            scores[node.id].append(node.score)
            data.setdefault(node.id, node.data)
            holding[node.id].add(view.name)
    told = origins(list(scores)) if origins and scores else {}
    seen_in: dict[str, set[ViewName]] = defaultdict(set)
    for id, engrams in told.items():
        for engram in engrams:
            seen_in[engram] |= holding[id]
    merged = []
    for id, each in scores.items():
        names = set(holding[id]).union(*(seen_in[engram] for engram in told.get(id, ())))
        score = sum(each) / len(each) * boost ** (len(names) - 1)
        if min_score is None or score >= min_score:
            ordered = tuple(name for name in ViewName if name in names)
            merged.append(MergedNode(id=id, data=data[id], views=ordered, score=score))
    kept = {node.id for node in merged}
    edges: dict[tuple[str, str, str, str], ViewEdge] = {}
    for view in views:
        for edge in view.edges:
            key = (edge.src, edge.dst, edge.kind, edge.relation)
            if edge.src in kept and edge.dst in kept and (key not in edges or edge.confidence > edges[key].confidence):
                edges[key] = edge
    contributions = dict.fromkeys(ViewName, 0)
    for view, nodes in best:
        contributions[view.name] += len(nodes)
    return Merged(
        nodes=tuple(sorted(merged, key=lambda node: (-node.score, node.id))),
        edges=tuple(edges.values()),
        contributions=contributions,
    )
