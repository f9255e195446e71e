# SPDX-License-Identifier: Apache-2.0
"""The tools of ``magma`` that read: each graph on its own, and the steps that make one context of what they answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...engine import validate
from ...engine.graph.terms import MAX_DEPTH, MIN_TOKENS
from ...errors import StoreError
from ...graphs.direction import Direction
from ...magma.intent import Intent
from ...magma.merge import BOOST, MAX_BOOST, ViewName
from .. import params, render_graph
from ..app import Answer, Lane, Tool, in_lines
from ..errors import Refused
from ..params import Param
from ..render import Document
from .magma_views import read_subgraph, read_views

if TYPE_CHECKING:
    from ...engine.memory import Memory

Given = Mapping[str, Any]


def _semantic_search(memory: Memory, given: Given) -> Answer:
    document = render_graph.concepts(memory.graphs.semantic_search(**given))
    brief = render_graph.concepts_in_brief(document)
    if not document["matches"]:
        brief["hint"] = "Nothing is near: try other words or a lower min_score, or add_concept first."
    return Answer(text=in_lines(brief), structured=document)


def _entity_lookup(memory: Memory, given: Given) -> Answer:
    found = memory.graphs.entity_lookup(given["entity_ids"], given.get("depth", 2))
    document = render_graph.entities(found, given.get("include_properties", False))
    return _instructed(
        document,
        "Pass this answer as a view with source entity to subgraph_merge.",
        None if document["entities"] else "No such entity: take ids from semantic_search, or add_entity first.",
    )


def _temporal_expand(memory: Memory, given: Given) -> Answer:
    found = memory.graphs.temporal_expand(
        given["entity_ids"], given.get("from"), given.get("to"), given.get("depth", 2)
    )
    document = render_graph.time_line(found)
    return _instructed(
        document,
        "Pass this answer as a view with source temporal to subgraph_merge.",
        None if document["total"] else "Nothing in this window: widen or drop from and to, or try a greater depth.",
    )


def _causal_expand(memory: Memory, given: Given) -> Answer:
    direction = given.get("direction", Direction.BOTH)
    try:
        found = memory.graphs.causal_expand(given["entity_ids"], direction, given.get("depth", 3))
    except StoreError as error:
        raise Refused(f"Causal traversal failed ({direction}): {error}") from error
    document = render_graph.causes(found)
    return _instructed(
        document,
        "Pass this answer as a view with source causal to subgraph_merge. chains begin with the root cause.",
        None if document["links"] else "No causes are known here: try the description of an event, or both directions.",
    )


def _subgraph_merge(memory: Memory, given: Given) -> Answer:
    merged = memory.graphs.merge(given["views"], given.get("multi_view_boost", BOOST), given.get("min_score"))
    document = render_graph.merged(merged)
    return Answer(
        text=in_lines(document),
        structured={
            "merged": document,
            "nodeCount": len(merged.nodes),
            "edgeCount": len(merged.edges),
            "viewContributions": document["viewContributions"],
        },
    )


def _linearize_context(memory: Memory, given: Given) -> Answer:
    made = memory.graphs.linearize(given["subgraph"], given["intent"], given.get("max_tokens", 4000))
    return Answer(
        text=made.text,
        structured={
            "text": made.text,
            "nodeCount": made.nodes,
            "strategy": made.strategy,
            "estimatedTokens": made.tokens,
        },
    )


def _instructed(document: Document, instruction: str, hint: str | None) -> Answer:
    """The same for people, with what to do next, or why there is nothing."""
    guide = {"instruction": instruction} | ({"hint": hint} if hint else {})
    return Answer(text=in_lines(guide | document), structured=document)


# --- declaring ---


def _recalls(given: Given) -> Lane:
    return Lane.RECALL  # it may wait for the model


def _looks(given: Given) -> Lane:
    return Lane.LOOK


def _object(*required: str) -> dict[str, Any]:
    return {"type": "object", "required": list(required)}


def _entity_ids() -> Param:
    return params.texts("entity_ids", "Ids, names or descriptions", least=1, longest=validate.MAX_QUERY)


def _depth(default: int) -> Param:
    return params.whole("depth", 1, MAX_DEPTH, default=default)


_NODE = {
    "type": "object",
    "properties": {"uuid": {"type": "string"}, "data": {"type": "object"}, "score": {"type": "number"}},
    "required": ["uuid"],
}
_VIEW = {
    "type": "object",
    "properties": {
        "source": {"enum": [name.value for name in ViewName]},
        "nodes": {"type": "array", "items": _NODE},
        "edges": {"type": "array", "items": {"type": "object"}, "description": "source, target, type"},
    },
    "required": ["source"],
}
_VIEWS = Param(
    name="views",
    schema={
        "type": "array",
        "minItems": 1,
        "items": _VIEW,
        "description": "Each with nodes, or an expand tool's answer as it is plus source",
    },
    read=read_views,
    required=True,
    given=True,
)
_SUBGRAPH = Param(
    name="subgraph",
    schema={"type": "object", "description": "What subgraph_merge answered"},
    read=read_subgraph,
    required=True,
    given=True,
)

READ = (
    Tool(
        name="semantic_search",
        title="Search concepts",
        description="Where to start: concepts near a question, with the entities they stand for.",
        params=(
            params.words("query", longest=validate.MAX_QUERY),
            params.whole("limit", 1, validate.MAX_LIMIT, default=10),
            params.number("min_score", 0, 1, default=0.5),
        ),
        run=_semantic_search,
        lane=_recalls,
        read_only=True,
        idempotent=True,
        output=_object("matches", "allEntityIds", "query", "total"),
        failure="Graph query failed during semantic_search: ",
    ),
    Tool(
        name="entity_lookup",
        title="Look up entities",
        description="Entities with all relations up to depth. endedAt: it held until then.",
        params=(_entity_ids(), _depth(2), params.flag("include_properties")),
        run=_entity_lookup,
        lane=_looks,
        read_only=True,
        idempotent=True,
        output=_object("entities", "depth", "total"),
        failure="Graph query failed during entity_lookup: ",
    ),
    Tool(
        name="temporal_expand",
        title="Expand in time",
        description=(
            "Events and facts about entities, and about those up to depth - 1 relations away, in order of time."
        ),
        params=(
            _entity_ids(),
            params.words("from", "ISO 8601", required=False),
            params.words("to", "ISO 8601, to its end", required=False),
            _depth(2),
        ),
        run=_temporal_expand,
        lane=_looks,
        read_only=True,
        idempotent=True,
        output=_object("events", "facts", "from", "to", "total"),
        failure="Temporal query failed: ",
    ),
    Tool(
        name="causal_expand",
        title="Expand causes",
        description="What led to what around entities or events: links, and chains from their root cause on.",
        params=(_entity_ids(), params.choice("direction", Direction, default="both"), _depth(3)),
        run=_causal_expand,
        lane=_looks,
        read_only=True,
        idempotent=True,
        output=_object("links", "chains", "direction", "depth", "total"),
    ),
    Tool(
        name="subgraph_merge",
        title="Merge views",
        description="Merge views: score = mean × multi_view_boost^(views - 1). What several views hold comes first.",
        params=(
            _VIEWS,
            params.number("multi_view_boost", 1, MAX_BOOST, default=BOOST),
            params.number("min_score", 0, 1),
        ),
        run=_subgraph_merge,
        lane=_looks,
        read_only=True,
        idempotent=True,
        output=_object("merged", "nodeCount", "viewContributions"),
        failure="Graph query failed during subgraph_merge: ",
    ),
    Tool(
        name="linearize_context",
        title="Linearize",
        description=(
            "A merged subgraph as text. WHY: causes before effects. WHEN: by time. WHO, WHAT: best connected first. "
            "EXPLORE: most referenced first."
        ),
        params=(
            _SUBGRAPH,
            params.choice("intent", Intent, required=True),
            params.whole("max_tokens", MIN_TOKENS, validate.MAX_TOKENS, default=4000),
        ),
        run=_linearize_context,
        lane=_looks,
        read_only=True,
        idempotent=True,
        output=_object("text", "nodeCount", "strategy", "estimatedTokens"),
        failure="Graph query failed during linearize_context: ",
    ),
)
