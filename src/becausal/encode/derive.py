# SPDX-License-Identifier: Apache-2.0
"""What a text says, as records of the four graphs, each linked back to the engram that told it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, cast

from ..domain.causal.text import CausalLink, Clause, read_causes
from ..domain.ids import derived_id
from ..domain.interval import Interval
from ..domain.records import Cause, Cue, CueType, Engram, Entity, Event, Kind, LinkKind, Precision
from ..domain.temporal.text import TimeMention
from ..domain.text import clip, name_terms, sentences, terms
from ..graphs.causes import make_cause
from ..graphs.entities import entity_key, extracted_id
from ..graphs.linking import SUPPOSED, Draft, Node
from ..graphs.timeline import Closing, Timeline
from .enrichment import MODEL, read_part
from .extract import Extraction
from .heading import ABOUT, ABOUT_STRENGTH, heading
from .numbered import is_named
from .statements.finding import Statement, find_statements

MAX_EVENTS = 64
"""Dated sentences kept as events, per memory."""

MAX_CAUSES = 128
"""Causal links kept, per memory."""

MAX_INFINITIVES = 32
"""Purposes and the like kept, per memory."""

DESCRIPTION_LENGTH = 500
EVIDENCE_LENGTH = 600
TAKEN_UP = 0.85
"""Strength of a link between a side and what takes it up again with "this" and the like."""

DAY = timedelta(days=1)
_UNTIL = ("until", "till", "up to", "up until")


def derive(
    draft: Draft,
    engram: Engram,
    found: Extraction,
    times: Sequence[TimeMention],
    timeline: Timeline,
    pause: Callable[[], object] = lambda: None,
) -> tuple[Closing, ...]:
    """Add cues, entities, events, causes and facts to a draft whose source is the engram.

    ``pause`` is called again and again, many times a second; what it raises ends the work.
    Returns the older facts that its facts close; closing them is part of the draft.
    """
    derivation = _Derivation(draft, engram, found)
    derivation.add_entities()
    derivation.add_cues()
    derivation.add_events(times[:MAX_EVENTS])
    causes = read_causes(engram.content, pause=pause)
    derivation.add_causes((*causes.links[:MAX_CAUSES], *causes.infinitives[:MAX_INFINITIVES]))
    derivation.add_same(causes.same[:MAX_CAUSES])
    closings = derivation.add_told(timeline)
    statements = find_statements(engram.content, found.entities, times, topic=engram.label, reading=found.reading)
    closings |= derivation.add_facts(statements, timeline)
    derivation.add_read(timeline)
    draft.patches += Timeline.patches(closings.values())
    return tuple(closings.values())


def derive_read(draft: Draft, engram: Engram, found: Extraction, timeline: Timeline) -> None:
    """Add what a model read out of an engram to a draft, for one whose text has been derived from before."""
    derivation = _Derivation(draft, engram, found)
    derivation.entities = {each.key: Node(Kind.ENTITY, extracted_id(draft.user, each.key)) for each in found.entities}
    derivation.add_read(timeline)


class _Derivation:
    """Gathers the records around one engram."""

    def __init__(self, draft: Draft, engram: Engram, found: Extraction) -> None:
        self.draft = draft
        self.engram = engram
        self.found = found
        self.node = Node(Kind.ENGRAM, engram.id)
        self.entities: dict[str, Node] = {}  # by name key
        self.events: list[tuple[int, int, Node]] = []  # span of the sentence, event

    def add_entities(self) -> None:
        names = heading(self.engram.content, self.found.entities, self.engram.label)
        about = {entity_key(name): name for name in names}
        for found in self.found.entities:
            # A type read from the text never splits a name in two, so the name alone is the identity.
            entity = Entity(
                id=extracted_id(self.draft.user, found.key),
                name=found.name,
                key=found.key,
                entity_type=found.entity_type,
                created_at=self.draft.now,
            )
            self.entities[found.key] = Node(Kind.ENTITY, entity.id)
            self.draft.put(entity, name_terms(found.name), if_absent=True)
            self._record(self.entities[found.key], found.key in about)
        for key, name in about.items():
            self._entity(key, name, "work", about=True)

    def _record(self, entity: Node, about: bool) -> None:
        if about:
            self.draft.link(LinkKind.X_RECORDS, self.node, entity, relation_type=ABOUT, strength=ABOUT_STRENGTH)
        else:
            self.draft.link(LinkKind.X_RECORDS, self.node, entity)

    def add_cues(self) -> None:
        for found in self.found.cues:
            self._cue(found.name, found.cue_type)

    def _cue(self, name: str, cue_type: CueType) -> None:
        cue = Cue(
            id=derived_id(self.draft.user, Kind.CUE, cue_type, name),
            name=name,
            cue_type=cue_type,
            created_at=self.draft.now,
        )
        node = Node(Kind.CUE, cue.id)
        self.draft.put(cue, name_terms(name), if_absent=True)
        self.draft.link(LinkKind.ENCODED_BY, self.node, node)
        if cue_type in (CueType.ENTITY, CueType.CONCEPT) and name in self.entities:
            self.draft.link(LinkKind.X_REPRESENTS, node, self.entities[name])

    def add_events(self, mentions: Sequence[TimeMention]) -> None:
        """Keep every sentence that tells a time as an event, involving the entities it names."""
        if not mentions:
            return
        content = self.engram.content
        spans = sentences(content)
        place = 0
        for at, mention in enumerate(mentions):
            while place < len(spans) - 1 and spans[place][1] <= mention.start:
                place += 1
            start, end = spans[place] if spans else (0, len(content))
            told = content[start:end]
            description = clip(told.strip(), DESCRIPTION_LENGTH)
            interval = self._lasted(mention, mentions[:at], start)
            event = Event(
                id=derived_id(self.draft.user, Kind.EVENT, self.engram.id, str(mention.start), description),
                description=description,
                occurred_at=interval.start,
                occurred_end=interval.end,
                precision=interval.precision,
                created_at=self.draft.now,
            )
            node = Node(Kind.EVENT, event.id)
            self.events.append((start, end, node))
            self.draft.put(event, terms(description))
            self.draft.link(LinkKind.X_RECORDS, self.node, node)
            for entity in self.named_in(told):
                self.draft.link(LinkKind.X_INVOLVES, node, entity)

    def _lasted(self, mention: TimeMention, earlier: Sequence[TimeMention], sentence: int) -> Interval:
        """Return when a sentence says something was: until June, from the time it names before or was told to be of.

        Where neither is known, it is told of its end alone: how far back it reaches is not known.
        """
        interval = mention.interval
        if mention.open != "start":
            return interval
        if mention.text.lower().startswith(_UNTIL):
            named = [each.interval.start for each in earlier if each.start >= sentence and each.open is None]
            began = named[-1] if named else self.engram.occurred_at
            if began is not None and began < interval.end:
                return Interval(began, interval.end, Precision.RANGE)
        return Interval(max(interval.start, interval.end - DAY), interval.end, interval.precision)

    def add_causes(self, links: Sequence[CausalLink]) -> None:
        """Keep what the text says brought about what, with the sentence it says so in."""
        for link in links:
            if link.cause is None:
                continue
            cause, effect = self._side(link.cause), self._side(link.effect)
            if cause.id == effect.id:
                continue
            self.draft.link(
                LinkKind.C_CAUSES,
                cause,
                effect,
                confidence=link.confidence,
                evidence=self._quote(link.quoted),
                metadata={
                    "connective": link.connective,
                    "pattern": link.pattern,
                    "hedged": link.hedged,
                    **({SUPPOSED: True} if link.supposed else {}),
                },
                per_source=True,
            )

    def add_same(self, pairs: Sequence[tuple[Clause, Clause]]) -> None:
        """Keep which sides of links take up again what another side told."""
        for told, taken_up in pairs:
            one, other = sorted((self._side(told), self._side(taken_up)), key=lambda node: node.id)
            if one.id != other.id:
                self.draft.link(LinkKind.SAME_AS, one, other, strength=TAKEN_UP)

    def _quote(self, spans: Sequence[tuple[int, int]]) -> str:
        """Return the sentences at some spans, with "…" for what is left out between them."""
        quote = ""
        last = 0
        for start, end in spans:
            between = self.engram.content[last:start].strip()
            quote += (" … " if between else " ") if quote else ""
            quote += clip(" ".join(self.engram.content[start:end].split()), EVIDENCE_LENGTH // len(spans))
            last = end
        return quote

    def _side(self, clause: Clause | str) -> Node:
        if isinstance(clause, str):
            clause = Clause(text=clause, start=0, end=0)
        record: Cause = make_cause(self.draft, clause.text, "remedy" if clause.remedial else "event")
        node = Node(Kind.CAUSE, record.id)
        self.draft.link(LinkKind.X_RECORDS, self.node, node)
        for entity in self.named_in(clause.text):
            self.draft.link(LinkKind.X_AFFECTS, node, entity)
        for start, end, event in self.events:
            if clause.start < end and start < clause.end:
                self.draft.link(LinkKind.X_REFERS_TO, event, node)
        return node

    def add_told(self, timeline: Timeline) -> dict[str, Closing]:
        """Keep what the caller said outright with the text: entities, causes and facts."""
        told = cast("Mapping[str, list[dict[str, Any]]]", self.engram.told)
        for item in told.get("entities", ()):
            self._entity(entity_key(item["name"]), item["name"], item["type"])
        for item in told.get("causes", ()):
            cause, effect = self._side(item["cause"]), self._side(item["effect"])
            if cause.id != effect.id:
                evidence = clip(" ".join(self.engram.content.split()), EVIDENCE_LENGTH)
                self.draft.link(
                    LinkKind.C_CAUSES,
                    cause,
                    effect,
                    confidence=item["confidence"],
                    evidence=evidence,
                    metadata={"told": True},
                    per_source=True,
                    merge="replace",
                )
        closings: dict[str, Closing] = {}
        for item in told.get("facts", ()):
            begins = datetime.fromisoformat(item["valid_from"]) if "valid_from" in item else self.engram.at
            ends = datetime.fromisoformat(item["valid_to"]) if "valid_to" in item else None
            if ends is not None and ends < begins:
                begins = ends
            fact, closed = timeline.draft_fact(
                self.draft, item["subject"], item["predicate"], item["object"], begins, ends, item.get("single_valued")
            )
            node = Node(Kind.FACT, fact.id)
            self.draft.link(LinkKind.X_RECORDS, self.node, node)
            for name in (item["subject"], item["object"]):
                if (key := entity_key(name)) in self.entities:
                    self.draft.link(LinkKind.X_INVOLVES, node, self.entities[key])
            closings |= {each.before.id: each for each in closed}
        return closings

    def add_facts(self, statements: Sequence[Statement], timeline: Timeline) -> dict[str, Closing]:
        """Keep what the text says is so, from when it says or was told, and the relations between entities."""
        closings: dict[str, Closing] = {}
        for stated in statements:
            begins = stated.valid_from.start if stated.valid_from else self.engram.at
            ends = stated.valid_to.end if stated.valid_to else self.engram.at if stated.ended else None
            if stated.negated and not stated.ended:
                continue
            if stated.ended and stated.valid_from is None:
                assert ends is not None
                told = (stated.subject, stated.predicate, stated.object)
                closed = timeline.end(self.draft, *told, ends, self.engram.at)
            elif ends is None or begins < ends:
                fact, closed = timeline.draft_fact(
                    self.draft, stated.subject, stated.predicate, stated.object, begins, ends, None
                )
                self._link_fact(Node(Kind.FACT, fact.id), stated)
            else:
                continue
            closings |= {each.before.id: each for each in closed}
        return closings

    def add_read(self, timeline: Timeline) -> None:
        """Keep what a model read out of the text, where one did. It closes no fact: a model may be wrong."""
        part = read_part(self.engram.told)
        if part is None:
            return
        for item in part.get("entities", ()):
            self._entity(entity_key(item["name"]), item["name"], item["type"])
        for name in part.get("cues", ()):
            self._cue(name, CueType.CONCEPT)
        for item in part.get("events", ()):
            self._read_event(item)
        for item in part.get("relations", ()):
            source, target = (self._entity(entity_key(item[end]), item[end]) for end in ("source", "target"))
            if source.id != target.id:
                self.draft.link(LinkKind.E_RELATES, source, target, relation_type=item["relation"])
        for item in part.get("facts", ()):
            terms_ = item["subject"], item["predicate"], item["object"]
            fact, _ = timeline.draft_fact(self.draft, *terms_, self.engram.at, None, False)
            node = Node(Kind.FACT, fact.id)
            self.draft.link(LinkKind.X_RECORDS, self.node, node)
            for entity in self._known(item["subject"], item["object"]):
                self.draft.link(LinkKind.X_INVOLVES, node, entity)
        for item in part.get("causes", ()):
            self._read_cause(item, str(part.get("by", "")))

    def _read_cause(self, item: Mapping[str, Any], by: str) -> None:
        cause, effect = self._side(item["cause"]), self._side(item["effect"])
        if cause.id != effect.id:
            self.draft.link(
                LinkKind.C_CAUSES,
                cause,
                effect,
                confidence=item["confidence"],
                evidence=item["quote"],
                metadata={"read_by": by},
                per_source=True,
            )

    def _read_event(self, item: Mapping[str, Any]) -> None:
        description = clip(item["description"].strip(), DESCRIPTION_LENGTH)
        event = Event(
            id=derived_id(self.draft.user, Kind.EVENT, self.engram.id, MODEL, item["start"], description),
            description=description,
            occurred_at=datetime.fromisoformat(item["start"]),
            occurred_end=datetime.fromisoformat(item["end"]),
            precision=Precision(item["precision"]),
            created_at=self.draft.now,
        )
        node = Node(Kind.EVENT, event.id)
        self.draft.put(event, terms(description))
        self.draft.link(LinkKind.X_RECORDS, self.node, node)
        for entity in self.named_in(description):
            self.draft.link(LinkKind.X_INVOLVES, node, entity)

    def _known(self, *names: str) -> list[Node]:
        """Return the entities of this text that some names stand for."""
        return [self.entities[key] for name in names if (key := entity_key(name)) in self.entities]

    def _link_fact(self, node: Node, stated: Statement) -> None:
        self.draft.link(LinkKind.X_RECORDS, self.node, node)
        ends = [self._entity(key) for key in (stated.subject_entity, stated.object_entity) if key]
        for entity in dict.fromkeys(ends):
            self.draft.link(LinkKind.X_INVOLVES, node, entity)
        if len(set(ends)) == 2 and not stated.ended:
            self.draft.link(LinkKind.E_RELATES, ends[0], ends[1], relation_type=stated.predicate)

    def _entity(self, key: str, name: str = "", entity_type: str = "thing", about: bool = False) -> Node:
        """Return an entity by its key; one that was not found in the text (as a name) becomes one by being named."""
        if key not in self.entities:
            entity = Entity(
                id=extracted_id(self.draft.user, key),
                name=name or key,
                key=key,
                entity_type=entity_type,
                created_at=self.draft.now,
            )
            self.entities[key] = Node(Kind.ENTITY, entity.id)
            self.draft.put(entity, name_terms(entity.name), if_absent=True)
            self._record(self.entities[key], about)
        return self.entities[key]

    def named_in(self, text: str) -> list[Node]:
        return [self.entities[entity.key] for entity in self.found.entities if is_named(entity.name, text)]
