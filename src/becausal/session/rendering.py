# SPDX-License-Identifier: Apache-2.0
"""What the tools answer, as JSON data, in the shapes of pmll-memory-mcp with further fields where there is more to say.

Contents of nodes are cut to a bound where many are listed; ``truncated`` then says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .graph.model import GraphSearchResult, MemoryNode, TraversalResult, weight_of
from .promises import Promise, State

if TYPE_CHECKING:
    from ..domain.records import Engram, Link
    from .graph.linking import Interlinked
    from .graph.pruning import Pruned
    from .sessions import Peeked
    from .solutions import Resolved

CLIP = 2_000
"""Characters of a node's content in a list."""

MANY = 100
"""Nodes in a list."""

Document = dict[str, Any]


def initialized(session: str, silo_size: int) -> Document:
    return {"status": "initialized", "session_id": session, "silo_size": silo_size, "cleared": True}


def peeked(key: str, found: Peeked) -> Document:
    if found.value is not None:
        return {"hit": True, "value": found.value, "index": found.index}
    if found.token is not None:
        ttl = round((found.ttl or 0) * 1000)
        return {"hit": False, "claimed": True, "promise_id": key, "ttl_ms": ttl, "claim_token": found.token}
    match found.promise.state:
        case State.PENDING:
            return {"hit": True, "status": "pending", "promise_id": key}
        case State.REJECTED:
            return {"hit": False, "status": "rejected", "promise_id": key, "reason": found.promise.payload}
        case State.EXPIRED:
            return {"hit": False, "status": "expired", "promise_id": key}
        case _:
            return {"hit": False}


def resolved(promise: Promise) -> Document:
    """How a promise stands; the payload of one that was rejected is ``null``, and ``reason`` says why."""
    if promise.state is State.REJECTED:
        return {"status": "rejected", "payload": None, "reason": promise.payload}
    return {"status": promise.state.value, "payload": promise.payload}


def flushed(count: int) -> Document:
    return {"status": "flushed", "cleared_count": count}


def upserted(node: Engram, counts: Mapping[str, Any]) -> Document:
    return {
        "status": "upserted",
        "node_id": node.id,
        "nodeId": node.id,
        "label": node.label,
        "node_type": node.node_type.value,
        "access_count": node.access_count,
        "graph_nodes": counts["nodes"],
        "graph_edges": counts["edges"],
    }


def related(link: Link | None) -> Document:
    if link is None:
        return failed("One or both node IDs not found")
    return {"status": "created", "edge_id": link.id, "relation": link.relation_type, "weight": weight_of(link)}


def failed(message: str) -> Document:
    return {"status": "error", "message": message}


def searched(query: str, found: GraphSearchResult) -> Document:
    return {
        "query": query,
        "direct": [_node(each.node) | {"score": each.relevance_score} for each in found.direct[:MANY]],
        "neighbors": [_reached(each) for each in found.neighbors[:MANY]],
        "total_nodes": found.total_nodes,
        "total_edges": found.total_edges,
    }


def traversed(found: Sequence[TraversalResult]) -> Document:
    document: Document = {
        "start_node": found[0].node.label,
        "results": [_reached(each) for each in found[:MANY]],
    }
    return document | ({"more": len(found) - MANY} if len(found) > MANY else {})


def pruned(done: Pruned) -> Document:
    document: Document = {
        "status": "pruned",
        "removed": done.edges + done.nodes,
        "remaining_edges": done.remaining,
    }
    return document | ({"change_id": done.change} if done.change else {})


def interlinked(made: Interlinked) -> Document:
    return {
        "status": "added",
        "nodes_created": len(made.nodes),
        "edges_created": len(made.edges),
        "nodes": [{"id": node.id, "label": node.label, "type": node.node_type.value} for node in made.nodes],
    }


def context(found: Resolved) -> Document:
    document: Document = {"source": found.source, "value": found.value, "score": found.score}
    if found.node is not None:
        document |= {"node_id": found.node, "nodeId": found.node, "label": found.label}
    return document


def promoted(node: Engram) -> Document:
    return {"promoted": True, "node_id": node.id, "nodeId": node.id}


def status(told: Mapping[str, Any]) -> Document:
    """A session's state, under the names of either of the two packages."""
    short, long = told["short_term"], told["long_term"]
    return {
        **told,
        "shortTerm": {"slots": short["slots"], "siloSize": short["silo_size"]},
        "longTerm": dict(long),
        "promotionThreshold": told["promotion_threshold"],
    }


def _node(node: MemoryNode) -> Document:
    content = node.content if len(node.content) <= CLIP else node.content[: CLIP - 1] + "…"
    document: Document = {"node_id": node.id, "label": node.label, "type": node.type, "content": content}
    return document | ({"truncated": True} if content != node.content else {})


def _reached(found: TraversalResult) -> Document:
    return _node(found.node) | {
        "score": found.relevance_score,
        "depth": found.depth,
        "path": found.path_relations,
    }
