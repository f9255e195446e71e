# SPDX-License-Identifier: Apache-2.0
"""What the graphs answer, as JSON with the names that polyg-mcp's clients know. Vectors are never part of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..domain.records import Engram, Precision
from ..domain.words import clip
from .render import Document, moment, told

if TYPE_CHECKING:
    from ..domain.records import Cause, Entity, Event, Fact, Link
    from ..engine.graph.results import (
        CausesFound,
        ConceptsFound,
        EntitiesFound,
        Happening,
        Statistics,
        TimelineFound,
        Unlinked,
    )
    from ..graphs.chains import Chain
    from ..magma.merge import Merged, MergedNode, ViewEdge

MOST = 500
"""Relations of one entity, or causal links, in an answer."""

MEMORY = 300
"""Characters shown of a memory."""


def entity(value: Entity) -> Document:
    return {
        "uuid": value.id,
        "name": value.name,
        "entity_type": value.entity_type,
        "properties": dict(value.properties),
        "created_at": moment(value.created_at),
    } | told({"aliases": list(value.aliases)})


def event(value: Event) -> Document:
    ends = None if value.precision is Precision.INSTANT else moment(value.occurred_end)
    return {
        "uuid": value.id,
        "description": value.description,
        "occurred_at": moment(value.occurred_at),
    } | told({"duration": value.duration, "until": ends})


def fact(value: Fact) -> Document:
    return {
        "uuid": value.id,
        "subject": value.subject,
        "predicate": value.predicate,
        "object": value.object,
        "valid_from": moment(value.valid_from),
    } | told({"valid_to": moment(value.valid_to), "superseded_by": value.superseded_by})


def memory(value: Engram) -> Document:
    """A memory that stands where an event might."""
    return {
        "uuid": value.id,
        "description": clip(" ".join(value.content.split()), MEMORY),
        "occurred_at": moment(value.at),
        "type": "memory",
    }


def names(entities: Iterable[Entity]) -> list[str]:
    return [entity.name for entity in entities]


def linked(entities: Sequence[Entity], named: Sequence[Entity] = ()) -> Document:
    """The entities that something was linked to: those asked for, and others that it names."""
    return {"linkedEntities": names(entities)} | told(
        {"linkedEntityIds": [each.id for each in entities], "alsoLinked": names(named)}
    )


def failed(values: Iterable[Unlinked], what: str = "entity") -> list[Document]:
    return [{what: value.reference, "reason": value.reason} for value in values]


# --- asking ---


def concepts(value: ConceptsFound) -> Document:
    seeds = list(dict.fromkeys(id for match in value.matches for id in match.entities if id in value.entities))
    memories = [memory(engram) for engram in value.memories.values() if engram.archived_at is None]
    return {
        "matches": [
            {
                "concept": {"uuid": match.cue.id, "name": match.cue.name}
                | told({"description": match.cue.description}),
                "score": round(match.score, 6),
                "linkedEntityIds": [id for id in match.entities if id in value.entities],
                "linkedEntityNames": [value.entities[id].name for id in match.entities if id in value.entities],
            }
            | told({"foundByName": match.by_name, "linkedMemoryIds": list(match.memories)})
            for match in value.matches
        ],
        "allEntityIds": seeds,
        "query": value.query,
        "total": len(value.matches),
    } | told({"memories": memories, "degraded": value.degraded, "pending": value.pending})


def concepts_in_brief(value: Document) -> Document:
    """The same for a model to read: the seeds first, each match on one level."""
    return {
        "seedEntityIds": value["allEntityIds"],
        "seedEntityCount": len(value["allEntityIds"]),
        "instruction": "Pass seedEntityIds, or ids of concepts and memories, to entity_lookup, temporal_expand and "
        "causal_expand.",
        "matches": [
            {"conceptName": match["concept"]["name"], "conceptUuid": match["concept"]["uuid"]}
            | {name: part for name, part in match.items() if name != "concept"}
            for match in value["matches"]
        ],
    } | {name: value[name] for name in ("memories", "degraded", "pending") if name in value}


def entities(value: EntitiesFound, include_properties: bool) -> Document:
    known = value.around.entities
    distance = value.around.distance
    related = sorted((id for id in known if distance[id] > 0), key=lambda id: (distance[id], known[id].name))
    truncated = value.around.truncated or any(len(seed.relations) > MOST for seed in value.seeds)
    return {
        "entities": [
            {
                "entity": entity(seed.entity)
                if include_properties
                else {"uuid": seed.entity.id, "name": seed.entity.name},
                "relationships": [
                    {
                        "source": entity(known[link.src]),
                        "target": entity(known[link.dst]),
                        "relationshipType": link.relation_type,
                    }
                    | told({"endedAt": moment(value.ended.get(link.id))})
                    for link in seed.relations[:MOST]
                ],
            }
            for seed in value.seeds
        ],
        "depth": value.depth,
        "total": len(value.seeds),
    } | told(
        {
            "related": [
                {"uuid": id, "name": known[id].name, "entity_type": known[id].entity_type, "distance": distance[id]}
                for id in related
            ],
            "unresolved": list(value.unresolved),
            "truncated": truncated,
        }
    )


def time_line(value: TimelineFound) -> Document:
    return {
        "events": [_happening(each) for each in value.events],
        "facts": [fact(each) for each in value.facts],
        "from": moment(value.since),
        "to": moment(value.until),
        "depth": value.depth,
        "total": len(value.events) + len(value.facts),
    } | told({"unresolved": list(value.unresolved), "truncated": value.truncated})


def _happening(value: Happening) -> Document:
    document = memory(value.record) if isinstance(value.record, Engram) else event(value.record)
    return document | told({"entityIds": list(value.entities), "distance": value.distance})


def causes(value: CausesFound) -> Document:
    graph = value.graph
    nearest = sorted(
        graph.causes, key=lambda link: (graph.distance[link.src] + graph.distance[link.dst], -link.confidence, link.id)
    )
    return {
        "links": [_cause(link, graph.nodes[link.src], graph.nodes[link.dst]) for link in nearest[:MOST]],
        "chains": [chain(each) for each in value.chains],
        "direction": value.direction,
        "depth": value.depth,
        "total": min(len(nearest), MOST),
    } | told(
        {
            "same": [
                {
                    "one": graph.nodes[link.src].description,
                    "other": graph.nodes[link.dst].description,
                    "oneId": link.src,
                    "otherId": link.dst,
                    "score": round(link.strength, 4),
                }
                for link in graph.same[:MOST]
            ],
            "unresolved": list(value.unresolved),
            "pending": value.pending,
            "truncated": graph.truncated or len(nearest) > MOST,
        }
    )


def _cause(link: Link, cause: Cause, effect: Cause) -> Document:
    return {
        "cause": cause.description,
        "effect": effect.description,
        "causeId": cause.id,
        "effectId": effect.id,
        "confidence": link.confidence,
    } | told({"evidence": link.evidence, "memoryIds": list(link.sources)})


def chain(value: Chain) -> Document:
    """A chain from its root cause on; ``cumulative`` is the confidence of the chain up to a hop's effect."""
    hops = []
    through = 1.0
    for hop in value.hops:
        through *= hop.confidence
        hops.append(
            {
                "causeId": hop.cause.id,
                "effectId": hop.effect.id,
                "confidence": round(hop.confidence, 6),
                "cumulative": round(through, 6),
            }
            | told({"sameAs": round(hop.bridge.strength, 4) if hop.bridge else None})
        )
    return {
        "path": list(value.told()),
        "root_cause": value.root.description,
        "confidence": round(value.confidence, 6),
        "hops": hops,
    } | told({"cyclic": value.cyclic})


# --- putting together ---


def merged(value: Merged) -> Document:
    return {
        "nodes": [_node(node) for node in value.nodes],
        "edges": [_edge(edge) for edge in value.edges],
        "viewContributions": {name.value: count for name, count in value.contributions.items()},
    }


def _node(node: MergedNode) -> Document:
    return {
        "uuid": node.id,
        "data": dict(node.data),
        "viewCount": len(node.views),
        "views": [name.value for name in node.views],
        "finalScore": round(node.score, 6),
    }


def _edge(edge: ViewEdge) -> Document:
    document: dict[str, Any] = {"source": edge.src, "target": edge.dst, "type": edge.kind}
    return document | told({"relationshipType": edge.relation}) | {"confidence": round(edge.confidence, 6)}


def statistics(value: Statistics) -> Document:
    return {
        "semantic_nodes": value.semantic,
        "temporal_nodes": value.temporal,
        "causal_nodes": value.causal,
        "entity_nodes": value.entity,
        "total_relationships": value.relationships,
        "cross_links": dict(value.cross_links),
    }
