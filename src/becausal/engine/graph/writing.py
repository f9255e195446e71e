# SPDX-License-Identifier: Apache-2.0
"""What callers state outright: records and links of the graphs, each in one transaction with what it implies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, TypeVar, cast

from ...domain.ids import looks_like_id
from ...domain.interval import Interval
from ...domain.records import Cause, Cue, CueType, Entity, Event, Json, Kind, LinkKind
from ...domain.redaction import Redact, nothing, redact_json
from ...domain.text import clip, normalize_name, terms
from ...domain.time import parse_when
from ...encode.index import sameness
from ...errors import Conflict, InvalidInput
from ...graphs.causes import Causes
from ...graphs.concepts import Concepts, cue_id, embedded_text
from ...graphs.crosslinks import INVOLVED, link_named, link_naming
from ...graphs.entities import Entities
from ...graphs.linking import Draft, Node
from ...graphs.timeline import Timeline, fact_text
from ...models.lazy import LazyEmbedder
from ...ports.batch import Put, PutVector
from ...ports.clock import Clock
from ...ports.store import GraphStore
from .. import validate
from ..changes import make_change
from ..embedding import VECTORS_DUE, embed_now
from ..worker import Worker
from .results import CausalLinkAdded, ConceptAdded, EntityAdded, EventAdded, FactAdded, Related, Unlinked
from .terms import MAX_DESCRIPTION, MAX_LINKED

if TYPE_CHECKING:
    from ...ports.models import Vectors

ATTEMPTS = 5
"""Tries of a write that somebody else's write got in the way of."""

NOT_FOUND = "not found"
T = TypeVar("T")


class GraphWriter:
    """Adds to the graphs of one memory. Doing anything twice is as good as once."""

    def __init__(
        self,
        store: GraphStore,
        embedder: LazyEmbedder,
        worker: Worker,
        clock: Clock,
        zone: tzinfo,
        *,
        undo: timedelta,
        model_wait: float,
        redact: Redact = nothing,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._worker = worker
        self._clock = clock
        self._zone = zone
        self._undo = undo
        self._model_wait = model_wait
        self._redact = redact
        self._entities = Entities(store)
        self._timeline = Timeline(store)
        self._concepts = Concepts(store)
        self._causes = Causes(store)

    def _text(self, value: object, field: str, longest: int = validate.MAX_NAME) -> str:
        return self._redact(_text(value, field, longest))

    def _texts(self, values: Sequence[str], field: str, longest: int = validate.MAX_NAME) -> tuple[str, ...]:
        return tuple(dict.fromkeys(map(self._redact, _texts(values, field, longest))))

    # --- entities ---

    def add_entity(
        self, name: str, entity_type: str, properties: Mapping[str, Json] | None, aliases: Sequence[str]
    ) -> EntityAdded:
        name = self._text(name, "name")
        entity_type = self._text(entity_type, "entity_type")
        told = cast("dict[str, Json]", redact_json(dict(validate.metadata(properties, "properties")), self._redact))
        also = self._texts(aliases, "aliases")

        def build(draft: Draft) -> Entity:
            entity = self._entities.make(draft, name, entity_type, told, also)
            self._add_names(draft, entity)
            link_naming(draft, self._store, entity)
            return entity

        entity, created, degraded = self._write(build)
        return EntityAdded(entity=entity, created=entity.id in created, degraded=degraded)

    def _add_names(self, draft: Draft, entity: Entity) -> None:
        """Make an entity's names concepts that stand for it, so that it is found by what it is called."""
        ids = {cue_id(draft.user, CueType.ENTITY, name): name for name in (entity.key, *entity.aliases)}
        known = self._store.get(Kind.CUE, list(ids))
        new = []
        for id, name in ids.items():
            if id in known:
                draft.pin(cast(Cue, known[id]))
            else:
                new.append(Cue(id=id, name=name, cue_type=CueType.ENTITY, asserted=True, created_at=draft.now))
                draft.put(new[-1], terms(name), if_absent=True)
            draft.link(LinkKind.X_REPRESENTS, Node(Kind.CUE, id), Node(Kind.ENTITY, entity.id))
        self._embed(draft, new)

    def link_entities(self, source: str, relationship: str, target: str) -> Related:
        source = self._text(source, "source")
        relationship = self._text(relationship, "relationship")
        target = self._text(target, "target")
        (one, other, link), created, _ = self._write(
            lambda draft: self._entities.draft_relation(draft, source, relationship, target)
        )
        return Related(source=one, target=other, link=link, created=link.id in created)

    # --- events and facts ---

    def add_event(
        self, description: str, occurred_at: str | datetime, entities: Sequence[str], duration: str | None
    ) -> EventAdded:
        description = self._text(description, "description", MAX_DESCRIPTION)
        references = self._texts(entities, "entities")
        duration = validate.name(duration, "duration")
        when = self._when(occurred_at, "occurred_at")

        def build(draft: Draft) -> tuple[Event, list[Entity], list[Unlinked], tuple[Entity, ...]]:
            event = self._timeline.draft_event(draft, description, when, duration)
            node = Node(Kind.EVENT, event.id)
            linked, failed = self._link_entities(draft, [node], references)
            named = link_named(draft, self._store, node, description, {entity.id for entity in linked})
            if cause := self._causes.resolve(description):
                draft.link(LinkKind.X_REFERS_TO, node, Node(Kind.CAUSE, cause.id))
            return event, linked, failed, named

        (event, linked, failed, named), created, _ = self._write(build)
        return EventAdded(
            event=event, created=event.id in created, linked=tuple(linked), named=named, failed=tuple(failed)
        )

    def add_fact(
        self,
        subject: str,
        predicate: str,
        object: str,
        valid_from: str | datetime,
        valid_to: str | datetime | None,
        subject_entity: str | None,
        single_valued: bool | None,
    ) -> FactAdded:
        subject = self._text(subject, "subject")
        predicate = self._text(predicate, "predicate")
        object = self._text(object, "object", MAX_DESCRIPTION)
        begins = self._when(valid_from, "valid_from").start
        ends = None if valid_to is None else self._when(valid_to, "valid_to").start
        reference = None if subject_entity is None else self._text(subject_entity, "subject_entity")

        def build(draft: Draft) -> FactAdded:
            timeline = Timeline(self._store)  # it remembers what it drafts, for the length of one write
            fact, closings = timeline.draft_fact(draft, subject, predicate, object, begins, ends, single_valued)
            draft.patches += Timeline.patches(closings)
            change = None
            if closings:
                change = make_change(
                    "supersede",
                    (fact.id, *(each.before.id for each in closings)),
                    f"stated: {clip(fact_text(fact), 80)}",
                    now=draft.now,
                    kept_for=self._undo,
                    closings=closings,
                    made=(fact.id,),
                )
                draft.puts.append(Put(change))
            node = Node(Kind.FACT, fact.id)
            linked, failed = self._link_entities(draft, [node], [reference] if reference else [])
            named: list[Entity] = []
            for name in (subject, object):
                entity = next((each for each in self._entities.named(name) if each not in (*linked, *named)), None)
                if entity and not (linked and name == subject):
                    named.append(entity)
                    draft.link(INVOLVED[Kind.FACT], node, Node(Kind.ENTITY, entity.id))
            return FactAdded(
                fact=fact,
                created=False,
                linked=linked[0] if linked else None,
                named=tuple(named),
                failed=failed[0] if failed else None,
                closed=closings,
                change=change.id if change else None,
            )

        added, created, _ = self._write(build)
        return replace(added, created=added.fact.id in created)

    # --- concepts ---

    def add_concept(self, name: str, description: str | None, entities: Sequence[str]) -> ConceptAdded:
        name = self._text(name, "name")
        if description is not None and not description.strip():
            description = None
        told = None if description is None else self._text(description, "description", MAX_DESCRIPTION)
        references = self._texts(entities, "entities")

        def build(draft: Draft) -> tuple[Cue, list[Entity], list[Unlinked]]:
            cue = self._concepts.make(draft, name, told, ())
            node = Node(Kind.CUE, cue.id)
            linked, failed = self._link_entities(draft, [node], references)
            for entity in self._entities.named(name):
                if entity not in linked:
                    draft.link(LinkKind.X_REPRESENTS, node, Node(Kind.ENTITY, entity.id))
            self._embed(draft, [cue])
            return cue, linked, failed

        (cue, linked, failed), created, degraded = self._write(build)
        return ConceptAdded(
            cue=cue,
            name=name,
            created=cue.id in created,
            linked=tuple(linked),
            failed=tuple(failed),
            degraded=degraded,
        )

    # --- causes ---

    def add_causal_link(
        self,
        cause: str,
        effect: str,
        confidence: float,
        entities: Sequence[str],
        events: Sequence[str],
        evidence: str | None,
    ) -> CausalLinkAdded:
        cause = self._text(cause, "cause", MAX_DESCRIPTION)
        effect = self._text(effect, "effect", MAX_DESCRIPTION)
        confidence = _confidence(confidence)
        wanted, happened = self._texts(entities, "entities"), self._texts(events, "events", MAX_DESCRIPTION)
        told = None if evidence is None else self._text(evidence, "evidence", MAX_DESCRIPTION)

        def build(draft: Draft) -> CausalLinkAdded:
            one, other, link = self._causes.draft_link(draft, cause, effect, confidence, told)
            sides = [Node(Kind.CAUSE, node.id) for node in (one, other)]
            linked, failed = self._link_entities(draft, sides, wanted)
            known, unknown = self._link_events(draft, sides, happened)
            named: dict[str, Entity] = {}
            for node, side in zip((one, other), sides, strict=True):
                found = link_named(draft, self._store, side, node.description, {entity.id for entity in linked})
                named |= {entity.id: entity for entity in found}
                if event := self._timeline.described(node.description):
                    draft.link(LinkKind.X_REFERS_TO, Node(Kind.EVENT, event.id), side)
            made = {put.record.id for put in draft.puts}
            self._embed(draft, [node for node in (one, other) if node.id in made], but={one.id, other.id})
            return CausalLinkAdded(
                cause=one,
                effect=other,
                link=link,
                created=False,
                entities=tuple(linked),
                events=tuple(known),
                named=tuple(named.values()),
                failed_entities=tuple(failed),
                failed_events=tuple(unknown),
                degraded=None,
            )

        added, created, degraded = self._write(build)
        return replace(added, created=added.link.id in created, degraded=degraded)

    def _link_events(
        self, draft: Draft, sides: Sequence[Node], references: Sequence[str]
    ) -> tuple[list[Event], list[Unlinked]]:
        linked: dict[str, Event] = {}
        failed = []
        for reference in references:
            if looks_like_id(reference):
                event = cast("Event | None", self._store.get(Kind.EVENT, [reference]).get(reference))
            else:
                event = self._timeline.described(reference)
            if event is None:
                failed.append(Unlinked(reference=reference, reason=NOT_FOUND))
                continue
            linked[event.id] = event
            draft.pin(event)
            for side in sides:
                draft.link(LinkKind.X_REFERS_TO, Node(Kind.EVENT, event.id), side)
        return list(linked.values()), failed

    # --- helpers ---

    def _write(self, build: Callable[[Draft], T]) -> tuple[T, frozenset[str], str | None]:
        """Write what ``build`` puts into a draft, again if what it had read was changed meanwhile.

        Returns what ``build`` returned, the ids that are new, and why vectors are missing or second-rate.
        """
        for _ in range(ATTEMPTS):
            draft = Draft(self._store.user, self._clock.now())
            built = build(draft)
            try:
                written = self._store.write(draft.batch())
            except Conflict:
                continue
            due = VECTORS_DUE in draft.meta
            if due:
                self._worker.wake()
            embedded = due or any(each.vector is not None for each in draft.vectors)
            return built, written.created, self._degraded(due) if embedded else None
        raise Conflict("what this is about is being changed elsewhere; try again")

    def _degraded(self, due: bool) -> str | None:
        return self._embedder.degraded or ("the vectors of this memory are being made anew" if due else None)

    def _link_entities(
        self, draft: Draft, nodes: Sequence[Node], references: Sequence[str]
    ) -> tuple[list[Entity], list[Unlinked]]:
        """Link records to the entities asked for; return those, and those that there are none of."""
        linked: dict[str, Entity] = {}
        failed = []
        for reference in references:
            entity = self._entities.resolve(reference)
            if entity is None:
                failed.append(Unlinked(reference=reference, reason=NOT_FOUND))
                continue
            linked[entity.id] = entity
            draft.pin(entity)
            for node in nodes:
                draft.link(INVOLVED[node.kind], node, Node(Kind.ENTITY, entity.id))
        return list(linked.values()), failed

    def _embed(self, draft: Draft, records: Sequence[Cue | Cause], but: set[str] | None = None) -> None:
        """Give new records their vectors, or have the worker do it while there is no model.

        Causes are linked to those that mean the same, ``but`` never to each other.
        """
        if not records:
            return
        texts = [each.description if isinstance(each, Cause) else embedded_text(each) for each in records]
        vectors: Vectors | None = embed_now(self._store, self._embedder, texts, self._model_wait)
        for at, record in enumerate(records):
            kind = Kind.CAUSE if isinstance(record, Cause) else Kind.CUE
            draft.vectors.append(PutVector(kind, record.id, None if vectors is None else vectors[at]))
        if vectors is None:
            draft.meta[VECTORS_DUE] = "1"
            return
        causes = [record for record in records if isinstance(record, Cause)]
        if causes:
            apart = but or set()
            same = sameness(self._store, causes, vectors, draft.now)
            draft.links += [put for put in same if not {put.link.src, put.link.dst} <= apart]

    def _when(self, value: str | datetime, field: str) -> Interval:
        return parse_when(value, field=field, zone=self._zone, anchor=self._clock.now())


def _text(value: object, field: str, longest: int = validate.MAX_NAME) -> str:
    return validate.text(value, field, longest=longest).strip()


def _texts(values: Sequence[str], field: str, longest: int = validate.MAX_NAME) -> tuple[str, ...]:
    """Return several texts, each once; problems are reported with the position of the text."""
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise InvalidInput(field, "must be a list of texts")
    if len(values) > MAX_LINKED:
        raise InvalidInput(field, f"must be at most {MAX_LINKED}, got {len(values)}")
    told: dict[str, str] = {}
    for at, value in enumerate(values):
        text = _text(value, f"{field}.{at}", longest)
        told.setdefault(normalize_name(text) or text, text)
    return tuple(told.values())


def _confidence(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidInput("confidence", f"must be a number from 0 to 1, got {value!r:.40}")
    return float(value)
