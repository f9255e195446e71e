# SPDX-License-Identifier: Apache-2.0
"""What a text says, as records of the four graphs, each linked back to the engram that told it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from datetime import timedelta

from ..domain.causal_text import CausalLink, Clause, find_causes
from ..domain.ids import derived_id
from ..domain.records import Cause, Cue, CueType, Engram, Entity, Event, Kind, LinkKind
from ..domain.temporal_text import TimeMention
from ..domain.text import clip, sentences, terms
from ..graphs.causes import make_cause
from ..graphs.entities import extracted_id
from ..graphs.linking import Draft, Node
from .extract import Extraction

MAX_EVENTS = 64
"""Dated sentences kept as events, per memory."""

MAX_CAUSES = 128
"""Causal links kept, per memory."""

MAX_PAIRED_CUES = 4
"""Cues of one memory that gain co-occurrence strength with each other: 6 pairs at most."""

DESCRIPTION_LENGTH = 500
EVIDENCE_LENGTH = 600
DAY = timedelta(days=1)


def derive(draft: Draft, engram: Engram, found: Extraction, times: Sequence[TimeMention]) -> None:
    """Add cues, entities, events and causes to a draft whose source is the engram."""
    derivation = _Derivation(draft, engram, found)
    derivation.add_entities()
    derivation.add_cues()
    derivation.add_events(times[:MAX_EVENTS])
    derivation.add_causes(find_causes(engram.content)[:MAX_CAUSES])


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
            self.draft.put(entity, terms(found.name), if_absent=True)
            self.draft.link(LinkKind.X_RECORDS, self.node, self.entities[found.key])

    def add_cues(self) -> None:
        nodes = []
        for found in self.found.cues:
            cue = Cue(
                id=derived_id(self.draft.user, Kind.CUE, found.cue_type, found.name),
                name=found.name,
                cue_type=found.cue_type,
                created_at=self.draft.now,
            )
            node = Node(Kind.CUE, cue.id)
            nodes.append(node)
            self.draft.put(cue, terms(found.name), if_absent=True)
            self.draft.link(LinkKind.ENCODED_BY, self.node, node)
            if found.cue_type in (CueType.ENTITY, CueType.CONCEPT) and found.name in self.entities:
                self.draft.link(LinkKind.X_REPRESENTS, node, self.entities[found.name])
        pairs = sorted(nodes[:MAX_PAIRED_CUES], key=lambda node: node.id)
        for one, other in itertools.combinations(pairs, 2):
            self.draft.link(LinkKind.CO_OCCURS, one, other, merge="add")

    def add_events(self, mentions: Sequence[TimeMention]) -> None:
        """Keep every sentence that tells a time as an event, involving the entities it names."""
        if not mentions:
            return
        content = self.engram.content
        spans = sentences(content)
        place = 0
        for mention in mentions:
            while place < len(spans) - 1 and spans[place][1] <= mention.start:
                place += 1
            start, end = spans[place] if spans else (0, len(content))
            told = content[start:end]
            description = clip(told.strip(), DESCRIPTION_LENGTH)
            interval = mention.interval
            # "until June" is told of its end; how far back it reaches is not known.
            began = max(interval.start, interval.end - DAY) if mention.open == "start" else interval.start
            event = Event(
                id=derived_id(self.draft.user, Kind.EVENT, self.engram.id, str(mention.start), description),
                description=description,
                occurred_at=began,
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

    def add_causes(self, links: Sequence[CausalLink]) -> None:
        """Keep what the text says brought about what, with the sentence it says so in."""
        for link in links:
            if link.cause is None:
                continue
            cause, effect = self._side(link.cause), self._side(link.effect)
            if cause.id == effect.id:
                continue
            start, end = link.sentence
            if link.cross_sentence:
                start, end = min(start, link.cause.start, link.effect.start), max(end, link.cause.end, link.effect.end)
            self.draft.link(
                LinkKind.C_CAUSES,
                cause,
                effect,
                confidence=link.confidence,
                evidence=clip(" ".join(self.engram.content[start:end].split()), EVIDENCE_LENGTH),
                metadata={"connective": link.connective, "pattern": link.pattern, "hedged": link.hedged},
                per_source=True,
            )

    def _side(self, clause: Clause) -> Node:
        record: Cause = make_cause(self.draft, clause.text, "remedy" if clause.remedial else "event")
        node = Node(Kind.CAUSE, record.id)
        self.draft.link(LinkKind.X_RECORDS, self.node, node)
        for entity in self.named_in(clause.text):
            self.draft.link(LinkKind.X_AFFECTS, node, entity)
        for start, end, event in self.events:
            if clause.start < end and start < clause.end:
                self.draft.link(LinkKind.X_REFERS_TO, event, node)
        return node

    def named_in(self, text: str) -> list[Node]:
        return [self.entities[entity.key] for entity in self.found.entities if entity.name in text]
