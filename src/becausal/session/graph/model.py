# SPDX-License-Identifier: Apache-2.0
"""A session's graph as its callers see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...domain.records import Engram, Json, Link, LinkKind
from ...graphs.linking import SESSION, WEIGHT
from ...models.words import embed_text

SIMILAR = "similar_to"

ATTRIBUTES = "attributes"


@dataclass(frozen=True, slots=True)
class MemoryNode:
    """A node. Times are seconds since 1970; ``embedding`` is the hashed vector of label and content, 128 numbers."""

    id: str
    type: str
    label: str
    content: str
    embedding: list[float] = field(repr=False)
    created_at: float
    last_accessed: float
    access_count: int
    metadata: dict[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MemoryEdge:
    """A directed relation. ``created_at``, in seconds since 1970, is when it was last asserted."""

    id: str
    source: str
    target: str
    relation: str
    weight: float
    created_at: float
    metadata: dict[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TraversalResult:
    """A node that was reached. ``path_relations``: label, ``--[relation]-->``, label, … from where it began."""

    node: MemoryNode
    depth: int
    path_relations: list[str]
    relevance_score: float  # 100 × cosine where a search hits; see ``formulae`` for the other scores


@dataclass(frozen=True, slots=True)
class GraphSearchResult:
    """What fits a query, and what surrounds that; the totals are those of the graph searched."""

    direct: list[TraversalResult]
    neighbors: list[TraversalResult]
    total_nodes: int
    total_edges: int


def text_of(label: str, content: str) -> str:
    """Return what a node's vector stands for."""
    return f"{label} {content}"


def node_of(engram: Engram) -> MemoryNode:
    label = engram.label or ""
    return MemoryNode(
        id=engram.id,
        type=engram.node_type.value,
        label=label,
        content=engram.content,
        embedding=embed_text(text_of(label, engram.content)),
        created_at=engram.created_at.timestamp(),
        last_accessed=engram.last_accessed_at.timestamp(),
        access_count=engram.access_count,
        metadata=dict(engram.metadata),
    )


def is_relation(link: Link) -> bool:
    """Whether a link is a relation of some session."""
    return link.kind is LinkKind.ASSOCIATED_WITH and SESSION in link.metadata


def weight_of(link: Link) -> float:
    """Return a relation's weight as it was given; the link's strength is held to what recall can use."""
    weight = link.metadata.get(WEIGHT)
    return float(weight) if isinstance(weight, int | float) else link.strength


def edge_of(link: Link) -> MemoryEdge:
    attributes = link.metadata.get(ATTRIBUTES)
    return MemoryEdge(
        id=link.id,
        source=link.src,
        target=link.dst,
        relation=link.relation_type,
        weight=weight_of(link),
        created_at=link.created_at.timestamp(),
        metadata=dict(attributes) if isinstance(attributes, Mapping) else {},
    )
