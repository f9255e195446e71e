# SPDX-License-Identifier: Apache-2.0
"""Parts of the graphs as the JSON that ``--json`` prints."""

from __future__ import annotations

from ..domain.records import Cause, Engram, Event, Fact, Link
from ..engine.asking.chronicle import Chronicle, Entry
from ..engine.asking.exploring import Causation, Surroundings
from ..engine.graph.results import CausalLinkAdded, Related
from .documents import Document, entity, event, fact, moment


def chronicle(value: Chronicle) -> Document:
    return {
        "about": None if value.about is None else entity(value.about),
        "entries": [_entry(each) for each in value.entries],
        "truncated": value.truncated,
    }


def surroundings(value: Surroundings) -> Document:
    return {
        "entity": entity(value.entity) | {"properties": dict(value.entity.properties)},
        "entities": [
            entity(each) | {"distance": value.around.distance[each.id]} for each in value.around.entities.values()
        ],
        "relations": [_relation(link) | {"until": moment(value.ended.get(link.id))} for link in value.around.relations],
        "facts": [fact(each) for each in value.facts],
        "events": [_entry(each) for each in value.events],
        "causes": [_cause(each) for each in value.causes],
        "truncated": value.around.truncated,
    }


def causation(value: Causation) -> Document:
    distance = value.graph.distance
    return {
        "starts": [start.id for start in value.starts],
        "direction": value.direction.value,
        "depth": value.depth,
        "events": [
            _cause(each) | {"distance": distance[each.id]}
            for each in sorted(value.graph.nodes.values(), key=lambda node: (distance[node.id], node.description))
        ],
        "causes": [
            {
                "cause_id": link.src,
                "effect_id": link.dst,
                "confidence": link.confidence,
                "evidence": link.evidence,
                "sources": list(link.sources),
            }
            for link in value.graph.causes
        ],
        "same": [{"one": link.src, "other": link.dst, "strength": link.strength} for link in value.graph.same],
        "truncated": value.graph.truncated,
    }


def related(value: Related) -> Document:
    return {
        "id": value.link.id,
        "source": entity(value.source),
        "relation": value.link.relation_type,
        "target": entity(value.target),
        "created": value.created,
    }


def caused(value: CausalLinkAdded) -> Document:
    return {
        "id": value.link.id,
        "cause": _cause(value.cause),
        "effect": _cause(value.effect),
        "confidence": value.link.confidence,
        "evidence": value.link.evidence,
        "created": value.created,
        "degraded": value.degraded,
    }


def _entry(value: Entry) -> Document:
    """Return an entry of a time line with its kind; a memory stands for the event it tells."""
    match value:
        case Event():
            return {"kind": "event"} | event(value)
        case Fact():
            return {"kind": "fact"} | fact(value)
        case Engram():
            return {
                "kind": "memory",
                "id": value.id,
                "description": value.summary,
                "occurred_at": moment(value.at),
                "occurred_end": moment(value.occurred_end),
                "precision": None if value.precision is None else value.precision.value,
            }


def _cause(value: Cause) -> Document:
    return {"id": value.id, "description": value.description, "type": value.node_type}


def _relation(link: Link) -> Document:
    return {
        "source_id": link.src,
        "relation": link.relation_type,
        "target_id": link.dst,
        "confidence": link.confidence,
        "evidence": link.evidence,
        "sources": list(link.sources),
    }
