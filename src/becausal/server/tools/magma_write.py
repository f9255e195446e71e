# SPDX-License-Identifier: Apache-2.0
"""The tools of ``magma`` that write: remembering, and stating records and links outright."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...domain.records import Kind, LinkKind
from ...engine.graph.terms import MAX_DESCRIPTION
from ...errors import InvalidInput
from .. import params, render_graph
from ..app import Answer, Lane, Tool
from ..params import Param
from ..render import Document, closed, moment, told

if TYPE_CHECKING:
    from ...engine.memory import Memory

Given = Mapping[str, Any]

SHORT = 40
"""Characters of an event's description in a sentence about a causal link."""


def _remember(memory: Memory, given: Given) -> Answer:
    content = given.get("content")
    if content is None:
        raise InvalidInput("content", "Content cannot be empty")
    stored = memory.store(content, source=given.get("context"), occurred_at=given.get("occurred_at"))
    entities, facts = stored.made.get(Kind.ENTITY, 0), stored.made.get(Kind.FACT, 0)
    # A text that tells no time is itself what happened, when it was told.
    events = max(stored.made.get(Kind.EVENT, 0), int(stored.created))
    links = stored.made.get(LinkKind.C_CAUSES, 0)
    document = {
        "entities_created": entities,
        "facts_added": facts,
        "events_logged": events,
        "causes_added": stored.made.get(Kind.CAUSE, 0),
        "causal_links_added": links,
        "uuid": stored.engram.id,
        "created": stored.created,
    } | told({"superseded": closed(stored)})
    counted = [_count(entities, "entity"), _count(facts, "fact"), _count(events, "event")]
    text = "Stored: " + ", ".join(counted + ([_count(links, "causal link")] if links else []))
    return Answer(text=text if stored.created else "Known already, strengthened", structured=document)


def _count(number: int, what: str) -> str:
    many = f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"{number} {what if number == 1 else many}"


def _add_entity(memory: Memory, given: Given) -> Answer:
    added = memory.graphs.add_entity(**given)
    entity = added.entity
    verb = "Created" if added.created else "Updated"
    return Answer(
        text=f"{verb} entity: {entity.name} ({entity.entity_type})",
        structured=render_graph.entity(entity) | {"created": added.created} | told({"degraded": added.degraded}),
    )


def _link_entities(memory: Memory, given: Given) -> Answer:
    linked = memory.graphs.link_entities(**given)
    relation = linked.link.relation_type
    return Answer(
        text=f"Linked: {linked.source.name} -[{relation}]-> {linked.target.name}",
        structured={
            "uuid": linked.link.id,
            "source": linked.source.name,
            "sourceId": linked.source.id,
            "target": linked.target.name,
            "targetId": linked.target.id,
            "relationshipType": relation,
            "created": linked.created,
        },
    )


def _add_event(memory: Memory, given: Given) -> Answer:
    added = memory.graphs.add_event(**given)
    text = f"Added event: {added.event.description} at {moment(added.event.occurred_at)}"
    text += _listed("linked to", render_graph.names(added.linked))
    text += _listed("failed to link", [each.reference for each in added.failed])
    document = render_graph.event(added.event) | render_graph.linked(added.linked, added.named)
    document |= told({"failedLinks": render_graph.failed(added.failed)})
    return Answer(text=text, structured=document | {"created": added.created})


def _add_fact(memory: Memory, given: Given) -> Answer:
    added = memory.graphs.add_fact(**given)
    fact = added.fact
    text = f"Added fact: {fact.subject} {fact.predicate} {fact.object}"
    text += _listed("about", [added.linked.name] if added.linked else [])
    text += _listed("failed to link", [added.failed.reference] if added.failed else [])
    text += _listed("closed", [f"{each.after.predicate} {each.after.object}" for each in added.closed])
    document = render_graph.fact(fact) | told(
        {
            "linkedEntity": added.linked.name if added.linked else None,
            "linkedEntityId": added.linked.id if added.linked else None,
            "alsoLinked": render_graph.names(added.named),
            "linkError": f"Entity '{added.failed.reference}' {added.failed.reason}" if added.failed else None,
            "superseded": [render_graph.fact(each.after) for each in added.closed],
            "change_id": added.change,
        }
    )
    return Answer(text=text, structured=document | {"created": added.created})


def _add_concept(memory: Memory, given: Given) -> Answer:
    added = memory.graphs.add_concept(**given)
    text = f"Added concept: {added.name}"
    text += _listed("linked to", render_graph.names(added.linked))
    text += _listed("failed to link", [each.reference for each in added.failed])
    document: Document = {"uuid": added.cue.id, "name": added.name, "description": added.cue.description}
    document |= render_graph.linked(added.linked)
    document |= told({"failedLinks": render_graph.failed(added.failed), "degraded": added.degraded})
    return Answer(text=text, structured=document | {"created": added.created})


def _add_causal_link(memory: Memory, given: Given) -> Answer:
    added = memory.graphs.add_causal_link(**given)
    events = [event.description for event in added.events]
    text = f"Added causal link: {added.cause.description} -> {added.effect.description}"
    text += f" (confidence: {added.link.confidence:g})"
    text += _listed("affects", render_graph.names(added.entities))
    text += _listed("refers to", [each if len(each) <= SHORT else each[:SHORT] + "..." for each in events])
    text += _listed("failed to link", [each.reference for each in (*added.failed_entities, *added.failed_events)])
    document: Document = {
        "uuid": added.link.id,
        "cause": added.cause.description,
        "effect": added.effect.description,
        "causeId": added.cause.id,
        "effectId": added.effect.id,
        "confidence": added.link.confidence,
        "linkedEntities": render_graph.names(added.entities),
        "linkedEvents": events,
        "failedEntityLinks": render_graph.failed(added.failed_entities),
        "failedEventLinks": render_graph.failed(added.failed_events, "event"),
        "created": added.created,
    }
    document |= told(
        {
            "evidence": added.link.evidence,
            "linkedEntityIds": [entity.id for entity in added.entities],
            "linkedEventIds": [event.id for event in added.events],
            "alsoLinked": render_graph.names(added.named),
            "degraded": added.degraded,
        }
    )
    return Answer(text=text, structured=document)


def _listed(what: str, values: list[str]) -> str:
    return f" ({what}: {', '.join(values)})" if values else ""


# --- declaring ---


def _writes(given: Given) -> Lane:
    return Lane.WRITE


def _embeds(given: Given) -> Lane:
    return Lane.RECALL  # it may wait for the model


def _object(*required: str) -> dict[str, Any]:
    return {"type": "object", "required": list(required)}


def _aliases() -> Param:
    return params.texts("aliases", "Other names")


WRITE = (
    Tool(
        name="remember",
        title="Remember",
        description="Store a memory in plain language; entities, facts, events and causes are read from it.",
        params=(
            params.content("What to remember", required=True),
            params.text("context", "Where it belongs: kept as its source"),
            params.text("occurred_at", "When it happened, if not now"),
        ),
        run=_remember,
        lane=_writes,
        output=_object("entities_created", "facts_added", "events_logged", "uuid"),
        failure="Error in remember: ",
    ),
    Tool(
        name="add_entity",
        title="Add entity",
        description="Add a person, service, place… or update the one of that name and type.",
        params=(
            params.words("name"),
            params.words("entity_type"),
            params.metadata("properties"),
            _aliases(),
        ),
        run=_add_entity,
        lane=_embeds,
        idempotent=True,
        output=_object("uuid", "name", "entity_type", "properties", "created_at"),
        failure="Graph query failed during add_entity: ",
    ),
    Tool(
        name="link_entities",
        title="Link entities",
        description="Relate two known entities: source -[relationship]-> target.",
        params=(
            params.words("source", "Id or name"),
            params.words("target", "Id or name"),
            params.words("relationship", "Such as depends_on"),
        ),
        run=_link_entities,
        lane=_writes,
        idempotent=True,
        output=_object("sourceId", "targetId", "relationshipType"),
        failure="Failed to create relationship: ",
    ),
    Tool(
        name="add_event",
        title="Add event",
        description="Add something that happened.",
        params=(
            params.words("description", longest=MAX_DESCRIPTION),
            params.words("occurred_at", "ISO 8601 or words"),
            params.texts("entities", "Ids or names of who took part"),
            params.text("duration"),
        ),
        run=_add_event,
        lane=_writes,
        idempotent=True,
        output=_object("uuid", "description", "occurred_at", "linkedEntities"),
        failure="Temporal query failed: ",
    ),
    Tool(
        name="add_fact",
        title="Add fact",
        description=(
            "Add a fact that holds from a time on. It ends an older fact of a single-valued predicate (status, "
            "works_at, …); undoable. Given again with valid_to, it ends then."
        ),
        params=(
            params.words("subject"),
            params.words("predicate"),
            params.words("object", longest=MAX_DESCRIPTION),
            params.words("valid_from", "ISO 8601"),
            params.words("valid_to", "ISO 8601, exclusive", required=False),
            params.words("subject_entity", "Id or name", required=False),
            params.flag("single_valued", "One object at a time"),
        ),
        run=_add_fact,
        lane=_writes,
        output=_object("uuid", "subject", "predicate", "object", "valid_from"),
        failure="Temporal query failed: ",
    ),
    Tool(
        name="add_concept",
        title="Add concept",
        description="Add an idea or topic to be found by meaning, with the entities it stands for.",
        params=(
            params.words("name"),
            params.text("description", longest=MAX_DESCRIPTION),
            params.texts("entities", "Ids or names"),
        ),
        run=_add_concept,
        lane=_embeds,
        idempotent=True,
        output=_object("uuid", "name", "linkedEntities"),
        failure="Graph query failed during add_concept: ",
    ),
    Tool(
        name="add_causal_link",
        title="Add causal link",
        description="State that one thing caused another. The same description is the same node, so links form chains.",
        params=(
            params.words("cause", "Id or description", longest=MAX_DESCRIPTION),
            params.words("effect", "Id or description", longest=MAX_DESCRIPTION),
            params.number("confidence", 0, 1, default=1),
            params.texts("entities", "Ids or names affected"),
            params.texts("events", "Ids or descriptions", longest=MAX_DESCRIPTION),
            params.text("evidence", longest=MAX_DESCRIPTION),
        ),
        run=_add_causal_link,
        lane=_embeds,
        idempotent=True,
        output=_object("cause", "effect", "causeId", "effectId", "confidence"),
        failure="Failed to create relationship: ",
    ),
)
