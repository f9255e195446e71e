# SPDX-License-Identifier: Apache-2.0
"""A session's graph as data: counted, written out, read in, and cleared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

from ...domain.records import Engram, Kind, Link
from ...encode.compose import Telling
from ...engine import validate
from ...engine.core import Core
from ...errors import InvalidInput
from ...ports.batch import Batch, Patch
from .edges import Edges, relation_name, weight_given
from .model import MemoryEdge, MemoryNode, edge_of, node_of
from .nodes import Nodes, node_type_of, session_name

MILLISECONDS = 1e11
"""Numbers from here on are read as milliseconds since 1970: as seconds they would be in the year 5138."""

MAX_IMPORTED = 100_000


@dataclass(frozen=True, slots=True)
class _Node:
    """A node to be read in: everything about it has been checked."""

    id: str
    telling: Telling
    created_at: datetime
    last_accessed: datetime
    access_count: int


class Mover:
    """Reads and replaces whole graphs of one session, and touches no other."""

    def __init__(self, core: Core, nodes: Nodes, edges: Edges) -> None:
        self._core = core
        self._nodes = nodes
        self._edges = edges

    def count(self, session: str) -> dict[str, Any]:
        """Return how many nodes and edges there are, and of which types and relations."""
        known = self._nodes.known(session_name(session))
        relations = self._edges.count({node.id for node in known})
        return {
            "nodes": len(known),
            "edges": relations.total(),
            "types": dict(Counter(node.node_type.value for node in known)),
            "relations": dict(relations),
        }

    def links(self, session: str) -> list[Link]:
        """Return the relations of a session, the oldest first."""
        return self._edges.among([node.id for node in self._nodes.known(session_name(session))])

    def graph(self, session: str) -> tuple[list[MemoryNode], list[MemoryEdge]]:
        """Return the nodes and edges of a session, the oldest first."""
        known = [node.id for node in self._nodes.known(session_name(session))]
        engrams = self._nodes.read(known)
        return [node_of(engrams[id]) for id in known if id in engrams], [edge_of(link) for link in self.links(session)]

    def export(self, session: str) -> dict[str, dict[str, dict[str, Any]]]:
        """Return the nodes and edges of a session by id, as JSON data."""
        nodes, edges = self.graph(session)
        return {
            "nodes": {node.id: asdict(node) for node in nodes},
            "edges": {edge.id: asdict(edge) for edge in edges},
        }

    def clear(self, session: str) -> int:
        """Forget a session's graph, as ``forget`` does; return how many nodes and edges that were."""
        known = [node.id for node in self._nodes.known(session_name(session))]
        edges = len(self._edges.among(known))
        if known:
            self._core.forgetter.forget(known, purge=False)
        return len(known) + edges

    def bring_in(self, session: str, data: Mapping[str, Any]) -> dict[str, int]:
        """Clear a session's graph and put in its place what ``export`` wrote; return how much that is.

        Ids are kept, except where another session has them already. Everything is checked before anything
        is changed.
        """
        session = session_name(session)
        nodes = [self._node(session, id, told) for id, told in _part(data, "nodes").items()]
        ends = {node.id for node in nodes}
        edges = {id: _edge(id, told, ends) for id, told in _part(data, "edges").items()}
        self.clear(session)
        taken = self._nodes.read([node.id for node in nodes])
        ids = {node.id: self._put(node, node.id not in taken).id for node in nodes}
        links = []
        for told in edges.values():
            made = _time(told.get("created_at"), "edges.created_at", self._core.clock.now())
            link = self._edges.draft(
                session,
                ids[told["source"]],
                ids[told["target"]],
                told["relation"],
                weight_given(told.get("weight", 1.0)),
                told.get("metadata"),
            )
            links.append(replace(link, created_at=made))
        self._edges.write(links)
        self._core.worker.wake()
        return {"nodes": len(nodes), "edges": len(links)}

    def _node(self, session: str, id: str, told: Mapping[str, Any]) -> _Node:
        place = f"nodes.{id:.60}"
        label = validate.text(told.get("label"), f"{place}.label", longest=validate.MAX_NAME).strip()
        now = self._core.clock.now()
        created = _time(told.get("created_at"), f"{place}.created_at", now)
        return _Node(
            id=validate.identifier(id, place),
            telling=Telling(
                content=validate.text(
                    told.get("content"), f"{place}.content", longest=validate.MAX_CONTENT, what="bytes"
                ),
                session=session,
                label=label,
                node_type=node_type_of(told.get("type"), f"{place}.type"),
                metadata=validate.metadata(told.get("metadata"), f"{place}.metadata"),
            ),
            created_at=created,
            last_accessed=_time(told.get("last_accessed"), f"{place}.last_accessed", created),
            access_count=validate.integer(told.get("access_count", 1), f"{place}.access_count", 0, 10**9),
        )

    def _put(self, node: _Node, free: bool) -> Engram:
        telling = replace(node.telling, id=node.id) if free else node.telling
        made = self._core.writer.store(telling, self._core.zone).engram
        history: dict[str, object] = {
            "created_at": node.created_at,
            "at": node.created_at,
            "last_accessed_at": node.last_accessed,
            "access_count": node.access_count,
        }
        self._core.store.write(Batch(patches=(Patch(Kind.ENGRAM, made.id, set=history),)))
        return made


def _part(data: object, name: str) -> Mapping[str, Mapping[str, Any]]:
    if not isinstance(data, Mapping):
        raise InvalidInput("data", "must be an object with nodes and edges")
    part = data.get(name, {})
    if not isinstance(part, Mapping) or not all(isinstance(each, Mapping) for each in part.values()):
        raise InvalidInput(name, "must be an object of objects by id")
    if len(part) > MAX_IMPORTED:
        raise InvalidInput(name, f"must hold at most {MAX_IMPORTED:,}, got {len(part):,}")
    return part


def _edge(id: str, told: Mapping[str, Any], ends: set[str]) -> dict[str, Any]:
    for end in ("source", "target"):
        if told.get(end) not in ends:
            raise InvalidInput(f"edges.{id:.60}.{end}", "is not the id of one of the nodes")
    weight_given(told.get("weight", 1.0))
    validate.metadata(told.get("metadata"), f"edges.{id:.60}.metadata")
    return {**told, "relation": relation_name(told.get("relation"))}


def _time(value: object, field: str, default: datetime) -> datetime:
    """Read a time as seconds or milliseconds since 1970, or as ISO 8601."""
    if value is None:
        return default
    try:
        if isinstance(value, str):
            read = datetime.fromisoformat(value)
            return read.astimezone(UTC) if read.tzinfo else read.replace(tzinfo=UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000 if abs(value) >= MILLISECONDS else value, UTC)
    except (ValueError, OverflowError, OSError):
        pass
    raise InvalidInput(field, "must be a time: seconds since 1970 or ISO 8601")
