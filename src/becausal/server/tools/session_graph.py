# SPDX-License-Identifier: Apache-2.0
"""The tools of ``session`` that work on its graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from ...engine import validate
from ...errors import InvalidInput
from ...session import rendering
from ...session.graph.edges import MAX_WEIGHT
from ...session.graph.linking import MAX_ITEMS, checked_items
from ...session.graph.walking import MAX_DEPTH, MAX_TOP
from ...session.sessions import sessions_of
from .. import params
from ..app import Answer, Lane, Tool, one_line
from ..params import Param

if TYPE_CHECKING:
    from ...engine.memory import Memory

Given = Mapping[str, Any]


class NodeKind(StrEnum):
    """The types of node that a client may make."""

    CONCEPT = "concept"
    FILE = "file"
    SYMBOL = "symbol"
    NOTE = "note"


class Relation(StrEnum):
    """The relations that a client may state."""

    RELATES_TO = "relates_to"
    DEPENDS_ON = "depends_on"
    IMPLEMENTS = "implements"
    REFERENCES = "references"
    SIMILAR_TO = "similar_to"
    CONTAINS = "contains"


def _answered(document: Mapping[str, Any]) -> Answer:
    return Answer(text=one_line(document), structured=document)


def _upsert(memory: Memory, given: Given) -> Answer:
    sessions = sessions_of(memory)
    session = given["session_id"]
    node = sessions.nodes.upsert(session, given["type"], given["label"], given["content"], given.get("metadata"))
    return _answered(rendering.upserted(node, sessions.mover.count(session)))


def _relate(memory: Memory, given: Given) -> Answer:
    link = sessions_of(memory).linker.relate(
        given["session_id"], given["source_id"], given["target_id"], given["relation"], given.get("weight", 1.0)
    )
    return _answered(rendering.related(link))


def _search(memory: Memory, given: Given) -> Answer:
    found = sessions_of(memory).walker.search(
        given["session_id"], given["query"], given.get("max_depth", 1), given.get("top_k", 5)
    )
    return _answered(rendering.searched(given["query"], found))


def _prune(memory: Memory, given: Given) -> Answer:
    return _answered(rendering.pruned(sessions_of(memory).pruner.prune(given["session_id"], given.get("threshold"))))


def _interlink(memory: Memory, given: Given) -> Answer:
    made = sessions_of(memory).linker.interlink(given["session_id"], given["items"], given.get("auto_link", True))
    return _answered(rendering.interlinked(made))


def _traverse(memory: Memory, given: Given) -> Answer:
    start = given["start_node_id"]
    found = sessions_of(memory).walker.traverse(given["session_id"], start, given.get("max_depth", 2))
    return _answered(rendering.failed(f"Node not found: {start}") if found is None else rendering.traversed(found))


def _resolve(memory: Memory, given: Given) -> Answer:
    return _answered(rendering.context(sessions_of(memory).resolve_context(given["session_id"], given["key"])))


def _promote(memory: Memory, given: Given) -> Answer:
    node = sessions_of(memory).nodes.upsert(
        given["session_id"], given.get("node_type", NodeKind.CONCEPT), given["key"], given["value"]
    )
    return _answered(rendering.promoted(node))


# --- declaring ---


def _content(name: str) -> Param:
    """Text of a node, as it is: it must be given and must not be blank."""

    def read(value: object) -> str:
        return validate.text(value, name, longest=validate.MAX_CONTENT, what="bytes")

    return Param(name=name, schema={"type": "string", "minLength": 1}, read=read, required=True, given=True)


def _read_items(value: object) -> Sequence[Mapping[str, Any]]:
    items = checked_items(value)
    for at, item in enumerate(items):
        for field in ("type", "label", "content"):
            if item.get(field) is None:
                raise InvalidInput(f"items.{at}.{field}", "is required")
        validate.choice(item["type"], f"items.{at}.type", NodeKind)
    return items


_ITEMS = Param(
    name="items",
    schema={
        "type": "array",
        "minItems": 1,
        "maxItems": MAX_ITEMS,
        "items": {
            "type": "object",
            "properties": {
                "type": {"type": "string", "enum": [kind.value for kind in NodeKind]},
                "label": {"type": "string"},
                "content": {"type": "string"},
                "metadata": {"type": "object"},
            },
            "required": ["type", "label", "content"],
        },
    },
    read=_read_items,
    required=True,
    given=True,
)


def _session() -> Param:
    return params.words("session_id")


def _lane(lane: Lane) -> Callable[[Given], Lane]:
    return lambda given: lane


def _object(*required: str) -> dict[str, Any]:
    return {"type": "object", "required": list(required)}


def _depth(default: int) -> Param:
    return params.whole("max_depth", 0, MAX_DEPTH, "Hops along relations", default=default)


GRAPH = (
    Tool(
        name="upsert_memory_node",
        title="Make or renew a node",
        description="Keep something in the session's graph for good. The same type and label renew the node.",
        params=(
            _session(),
            params.choice("type", NodeKind, required=True),
            params.words("label", "Short name"),
            _content("content"),
            params.metadata(),
        ),
        run=_upsert,
        lane=_lane(Lane.WRITE),
        output=_object("status", "node_id", "nodeId", "label", "node_type", "access_count"),
        failure="upsert_memory_node failed: ",
    ),
    Tool(
        name="create_relation",
        title="Relate nodes",
        description="State how one node relates to another. Stating it again makes it fresh.",
        params=(
            _session(),
            params.words("source_id"),
            params.words("target_id"),
            params.choice("relation", Relation, required=True),
            params.number("weight", 0, MAX_WEIGHT, "Fades with time", default=1.0),
        ),
        run=_relate,
        lane=_lane(Lane.WRITE),
        idempotent=True,
        output=_object("status"),
        failure="create_relation failed: ",
    ),
    Tool(
        name="search_memory_graph",
        title="Search the graph",
        description=(
            "Nodes that have words of a query, and their neighbours. score: 100 × cosine for a hit; 60 × cosine + 40 × "
            "what is left of the relation's weight, from 0 to 1, for a neighbour."
        ),
        params=(
            _session(),
            params.words("query", longest=validate.MAX_QUERY),
            _depth(1),
            params.whole("top_k", 1, MAX_TOP, default=5),
        ),
        run=_search,
        lane=_lane(Lane.LOOK),
        output=_object("query", "direct", "neighbors", "total_nodes", "total_edges"),
        failure="search_memory_graph failed: ",
    ),
    Tool(
        name="prune_stale_links",
        title="Prune the graph",
        description="Take away relations that have faded, and nodes that stand alone unused. Undo: change_id.",
        params=(_session(), params.number("threshold", 0, MAX_WEIGHT, "Weight below which a relation goes (0.15)")),
        run=_prune,
        lane=_lane(Lane.WRITE),
        destructive=True,
        output=_object("status", "removed", "remaining_edges"),
        failure="prune_stale_links failed: ",
    ),
    Tool(
        name="add_interlinked_context",
        title="Add related nodes",
        description="Keep several nodes at once; those that are alike are related to each other and to older ones.",
        params=(_session(), _ITEMS, params.flag("auto_link", "False: relate nothing")),
        run=_interlink,
        lane=_lane(Lane.WRITE),
        output=_object("status", "nodes_created", "edges_created", "nodes"),
        failure="add_interlinked_context failed: ",
    ),
    Tool(
        name="retrieve_with_traversal",
        title="Walk the graph",
        description=(
            "A node and what surrounds it, the nearest first. score: 100 × weight of the relation now / "
            "(1 + 0.3 × depth)."
        ),
        params=(_session(), params.words("start_node_id"), _depth(2)),
        run=_traverse,
        lane=_lane(Lane.LOOK),
        output=_object(),
        failure="retrieve_with_traversal failed: ",
    ),
    Tool(
        name="resolve_context",
        title="Find what a key stands for",
        description=(
            "The value of a key: from the session's values (score 1), else from the node that says most of it (score: "
            "cosine), else miss."
        ),
        params=(_session(), params.words("key")),
        run=_resolve,
        lane=_lane(Lane.LOOK),
        output=_object("source", "value", "score"),
        failure="resolve_context failed: ",
    ),
    Tool(
        name="promote_to_long_term",
        title="Keep a value for good",
        description="Make a node of a key and its value.",
        params=(
            _session(),
            params.words("key"),
            _content("value"),
            params.choice("node_type", NodeKind, default=NodeKind.CONCEPT.value),
        ),
        run=_promote,
        lane=_lane(Lane.WRITE),
        output=_object("promoted", "node_id", "nodeId"),
        failure="promote_to_long_term failed: ",
    ),
)
