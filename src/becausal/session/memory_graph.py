# SPDX-License-Identifier: Apache-2.0
"""The graphs of sessions, as functions on the memory in use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .current import configure_db, sessions
from .graph.model import GraphSearchResult, MemoryEdge, MemoryNode, TraversalResult, edge_of, node_of

__all__ = [
    "GraphSearchResult",
    "MemoryEdge",
    "MemoryGraph",
    "MemoryNode",
    "TraversalResult",
    "add_interlinked_context",
    "clear_graph",
    "configure_db",
    "create_relation",
    "export_graph",
    "get_graph_stats",
    "import_graph",
    "prune_stale_links",
    "reload_session_from_db",
    "retrieve_with_traversal",
    "search_graph",
    "upsert_node",
]


@dataclass(frozen=True, slots=True)
class MemoryGraph:
    """The graph of a session as it was when it was asked for, by id. Changing it changes nothing that is kept."""

    nodes: dict[str, MemoryNode]
    edges: dict[str, MemoryEdge]


class _Graphs(MutableMapping[str, MemoryGraph]):
    """The graphs that this process has worked on, by session.

    Taking one out clears it, as ``clear_graph`` does, so that clearing them all is a fresh start; graphs of
    sessions that this process has not touched are not in it.
    """

    def __init__(self) -> None:
        self._used: dict[str, None] = {}

    def note(self, session_id: str) -> None:
        self._used[session_id] = None

    def __getitem__(self, session_id: str) -> MemoryGraph:
        if session_id not in self._used:
            raise KeyError(session_id)
        nodes, edges = sessions().mover.graph(session_id)
        return MemoryGraph({node.id: node for node in nodes}, {edge.id: edge for edge in edges})

    def __setitem__(self, session_id: str, graph: MemoryGraph) -> None:
        nodes = {id: asdict(node) for id, node in graph.nodes.items()}
        import_graph(session_id, {"nodes": nodes, "edges": {id: asdict(edge) for id, edge in graph.edges.items()}})

    def __delitem__(self, session_id: str) -> None:
        del self._used[session_id]
        sessions().mover.clear(session_id)

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._used))

    def __len__(self) -> int:
        return len(self._used)

    def clear(self) -> None:
        for session_id in self:
            del self[session_id]


_graph_stores = _Graphs()


def upsert_node(
    session_id: str, node_type: str, label: str, content: str, metadata: Mapping[str, Any] | None = None
) -> MemoryNode:
    """Make a node, or renew the one of this type and label; return it.

    Raises:
        InvalidInput: an argument is missing, too long, or no type of node.
    """
    node = node_of(sessions().nodes.upsert(session_id, node_type, label, content, metadata))
    _graph_stores.note(session_id)
    return node


def create_relation(
    session_id: str,
    source_id: str,
    target_id: str,
    relation: str,
    weight: float | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> MemoryEdge | None:
    """State a relation from one node to another; ``None`` if one of them is not in the session's graph.

    Stating it again makes it fresh, and keeps the weight if none is given.
    """
    link = sessions().linker.relate(session_id, source_id, target_id, relation, weight, metadata)
    _graph_stores.note(session_id)
    return None if link is None else edge_of(link)


def search_graph(
    session_id: str, query: str, max_depth: int = 1, top_k: int = 5, edge_filter: Sequence[str] | None = None
) -> GraphSearchResult:
    """Return the ``top_k`` nodes most like a query, and what surrounds them; ``edge_filter`` names relations."""
    _graph_stores.note(session_id)
    return sessions().walker.search(session_id, query, max_depth, top_k, edge_filter)


def retrieve_with_traversal(
    session_id: str, start_node_id: str, max_depth: int = 2, edge_filter: Sequence[str] | None = None
) -> list[TraversalResult]:
    """Return a node and what is within ``max_depth`` hops, the nearest first; nothing if there is no such node."""
    _graph_stores.note(session_id)
    return sessions().walker.traverse(session_id, start_node_id, max_depth, edge_filter) or []


def prune_stale_links(session_id: str, threshold: float | None = None) -> dict[str, int]:
    """Take faded relations away and archive nodes that stand alone; return how many went and are left."""
    done = sessions().pruner.prune(session_id, threshold)
    return {"removed": done.edges + done.nodes, "remaining": done.remaining, "remaining_edges": done.remaining}


def add_interlinked_context(
    session_id: str, items: Sequence[Mapping[str, Any]], auto_link: bool = True
) -> dict[str, list[Any]]:
    """Make several nodes and relate those that are alike; return ``nodes`` and ``edges``."""
    made = sessions().linker.interlink(session_id, items, auto_link)
    _graph_stores.note(session_id)
    return {"nodes": [node_of(node) for node in made.nodes], "edges": [edge_of(link) for link in made.edges]}


def get_graph_stats(session_id: str) -> dict[str, Any]:
    """Return how many nodes and edges a session has, of which kinds, and where they are kept."""
    found = sessions()
    return {**found.mover.count(session_id), "db_path": found.location}


def clear_graph(session_id: str) -> int:
    """Forget the graph of one session; return how many nodes and edges that were. ``undo`` brings them back."""
    return sessions().mover.clear(session_id)


def export_graph(session_id: str) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the nodes and edges of one session by id, as JSON data."""
    return sessions().mover.export(session_id)


def import_graph(session_id: str, data: Mapping[str, Any]) -> dict[str, int]:
    """Put what ``export_graph`` gave in the place of one session's graph; return how many nodes and edges it has."""
    _graph_stores.note(session_id)
    return sessions().mover.bring_in(session_id, data)


def reload_session_from_db(session_id: str) -> dict[str, Any]:
    """Return what is kept of a session. Every call reads what is kept, so there is nothing else to do."""
    return get_graph_stats(session_id)
