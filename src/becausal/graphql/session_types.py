# SPDX-License-Identifier: Apache-2.0
"""The types of the schema that are about sessions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import strawberry
from strawberry.scalars import JSON

from ..engine.results import Stored as Kept
from ..session import silo
from ..session.graph.model import GraphSearchResult, MemoryNode, TraversalResult
from ..session.solutions import Resolved


@strawberry.type(description="A value of a session. Its slot's index stays while the value is there.")
class Slot:
    index: int
    key: str
    value: str
    uses: int


@strawberry.type(description="What a session holds, in both layers.")
class SessionStatus:
    slots: int
    silo_size: int
    nodes: int
    edges: int
    types: JSON
    promotion_threshold: int


@strawberry.type(
    description="A node that was found. score: 100 × cosine for a hit; for a neighbour 60 × cosine + 40 × what is left "
    "of the relation's weight, from 0 to 1."
)
class Reached:
    id: strawberry.ID
    label: str
    type: str
    content: str
    score: float
    depth: int
    path: list[str]


@strawberry.type(description="The nodes most like a query, and those around them.")
class Searched:
    direct: list[Reached]
    neighbors: list[Reached]
    total_nodes: int
    total_edges: int


@strawberry.type(description="The answer to a key. source: short_term, long_term or miss.")
class Context:
    source: str
    value: str | None
    score: float
    node_id: strawberry.ID | None


@strawberry.type(description="A node of a session's graph.")
class SessionNode:
    id: strawberry.ID
    label: str
    type: str
    content: str
    access_count: int


@strawberry.type(description="A relation between two nodes of a session.")
class Relation:
    id: strawberry.ID
    source_id: strawberry.ID
    target_id: strawberry.ID
    relation: str
    weight: float


@strawberry.type(
    description="A memory was kept; created is false when it was known and has been strengthened or changed. "
    "superseded: the facts it closed."
)
class Stored:
    id: strawberry.ID
    summary: str
    created: bool
    cues: list[str]
    superseded: list[str]


@strawberry.type(description="What was forgotten; undo is the id of the change that takes it back.")
class Forgotten:
    ids: list[strawberry.ID]
    purged: bool
    undo: strawberry.ID | None


def slot(told: silo.Slot) -> Slot:
    return Slot(index=told.index, key=told.key, value=told.value, uses=told.uses)


def session_status(told: Mapping[str, Any]) -> SessionStatus:
    short, long = told["short_term"], told["long_term"]
    return SessionStatus(
        slots=short["slots"],
        silo_size=short["silo_size"],
        nodes=long["nodes"],
        edges=long["edges"],
        types=cast(JSON, long["types"]),
        promotion_threshold=told["promotion_threshold"],
    )


def searched(told: GraphSearchResult) -> Searched:
    return Searched(
        direct=[_reached(each) for each in told.direct],
        neighbors=[_reached(each) for each in told.neighbors],
        total_nodes=told.total_nodes,
        total_edges=told.total_edges,
    )


def _reached(told: TraversalResult) -> Reached:
    return Reached(
        id=strawberry.ID(told.node.id),
        label=told.node.label,
        type=told.node.type,
        content=told.node.content,
        score=told.relevance_score,
        depth=told.depth,
        path=told.path_relations,
    )


def context(told: Resolved) -> Context:
    node = strawberry.ID(told.node) if told.node else None
    return Context(source=told.source, value=told.value, score=told.score, node_id=node)


def session_node(told: MemoryNode) -> SessionNode:
    return SessionNode(
        id=strawberry.ID(told.id),
        label=told.label,
        type=told.type,
        content=told.content,
        access_count=told.access_count,
    )


def stored(told: Kept) -> Stored:
    return Stored(
        id=strawberry.ID(told.engram.id),
        summary=told.engram.summary,
        created=told.created,
        cues=list(told.cues),
        superseded=[f"{fact.subject} {fact.predicate} {fact.object}" for fact in told.superseded],
    )
