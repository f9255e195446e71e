# SPDX-License-Identifier: Apache-2.0
"""What a caller means by an id, a name or a description."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...domain.ids import looks_like_id
from ...domain.records import Entity, Kind, Link, LinkKind
from ...domain.text import normalize_name
from ...graphs.causes import Causes
from ...graphs.entities import Entities
from ...graphs.timeline import Timeline
from ...ports.store import Condition, GraphStore, Op

MAX_LINKS = 2_000
MAX_MEMORIES = 50
"""Memories that a name of nothing else leads to."""

BY_ID = (Kind.ENTITY, Kind.CAUSE, Kind.EVENT, Kind.FACT, Kind.ENGRAM, Kind.CUE)


@dataclass(slots=True)
class Meant:
    """Ids of what was meant, by kind, and the references that mean nothing known.

    ``instead`` holds those of the ids that a reference to no entity meant.
    """

    ids: dict[Kind, dict[str, None]] = field(default_factory=lambda: {kind: {} for kind in BY_ID})
    instead: set[str] = field(default_factory=set)
    unresolved: list[str] = field(default_factory=list)

    def __getitem__(self, kind: Kind) -> list[str]:
        return list(self.ids[kind])

    def add(self, found: Mapping[Kind, Sequence[str]]) -> bool:
        """Add what one reference means; return whether that is anything."""
        for kind, ids in found.items():
            self.ids[kind].update(dict.fromkeys(ids))
            if not found.get(Kind.ENTITY):
                self.instead.update(ids)
        return any(found.values())


class References:
    """Looks up what callers refer to in one memory."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store
        self._entities = Entities(store)
        self._timeline = Timeline(store)
        self._causes = Causes(store)

    def resolve(self, references: Sequence[str]) -> Meant:
        """Return everything that some ids, names, aliases and descriptions stand for.

        A name means the entities called so, the causal node and the event described so, and the facts about
        it; failing these, the concept, and what that stands for. Case and hyphens do not matter.
        """
        meant = Meant()
        for reference in dict.fromkeys(each.strip() for each in references):
            if not meant.add(self._by_id(reference.lower()) if looks_like_id(reference) else self._named(reference)):
                meant.unresolved.append(reference)
        return meant

    def _by_id(self, id: str) -> dict[Kind, list[str]]:
        for kind in BY_ID:
            if self._store.get(kind, [id]):
                return self._concepts([id]) if kind is Kind.CUE else {kind: [id]}
        return {}

    def _named(self, name: str) -> dict[Kind, list[str]]:
        cause = self._causes.resolve(name)
        event = self._timeline.described(name)
        found = {
            Kind.ENTITY: [entity.id for entity in self._entities.named(name)],
            Kind.CAUSE: [cause.id] if cause else [],
            Kind.EVENT: [event.id] if event else [],
            Kind.FACT: [fact.id for fact in self._timeline.about(name)],
        }
        if any(found.values()):
            return found
        key = normalize_name(name)
        cues = self._store.find(Kind.CUE, (Condition("name", Op.EQ, key),)).records if key else ()
        return self._concepts([cue.id for cue in cues]) if cues else {}

    def _concepts(self, ids: list[str]) -> dict[Kind, list[str]]:
        """Return concepts with the entities they stand for or, if they do for none, the memories they are cues of."""
        entities = self._ends(ids, LinkKind.X_REPRESENTS, "out")
        encoding = () if entities else self._store.links(ids, [LinkKind.ENCODED_BY], "in", limit=MAX_MEMORIES)
        return {Kind.CUE: ids, Kind.ENTITY: entities, Kind.ENGRAM: [link.src for link in encoding]}

    def _ends(self, ids: Sequence[str], kind: LinkKind, way: str, end: Kind | None = None) -> list[str]:
        if not ids:
            return []
        links: tuple[Link, ...] = self._store.links(ids, [kind], "in" if way == "in" else "out", limit=MAX_LINKS)
        if way == "in":
            return [link.src for link in links if end in (None, link.src_kind)]
        return [link.dst for link in links if end in (None, link.dst_kind)]

    # --- what they lead to in each graph ---

    def entities(self, meant: Meant) -> list[str]:
        """Return the entities meant, and those that other records are about which were meant instead of any."""
        events, facts, causes, engrams = (
            [id for id in meant[kind] if id in meant.instead]
            for kind in (Kind.EVENT, Kind.FACT, Kind.CAUSE, Kind.ENGRAM)
        )
        about = [
            *self._ends([*events, *facts], LinkKind.X_INVOLVES, "out"),
            *self._ends(causes, LinkKind.X_AFFECTS, "out"),
            *self._ends(engrams, LinkKind.X_RECORDS, "out", Kind.ENTITY),
        ]
        return list(dict.fromkeys((*meant[Kind.ENTITY], *about)))

    def causes(self, meant: Meant) -> list[str]:
        """Return the causal nodes meant, those that affect the entities meant, and those of events and memories."""
        found = [
            *meant[Kind.CAUSE],
            *self._ends(meant[Kind.ENTITY], LinkKind.X_AFFECTS, "in"),
            *self._ends(meant[Kind.EVENT], LinkKind.X_REFERS_TO, "out"),
            *self._ends(meant[Kind.ENGRAM], LinkKind.X_RECORDS, "out", Kind.CAUSE),
        ]
        return list(dict.fromkeys(found))

    def events(self, meant: Meant) -> list[str]:
        """Return the events meant, those that refer to the causal nodes meant, and those of the memories meant."""
        found = [
            *meant[Kind.EVENT],
            *self._ends(meant[Kind.CAUSE], LinkKind.X_REFERS_TO, "in"),
            *self._ends(meant[Kind.ENGRAM], LinkKind.X_RECORDS, "out", Kind.EVENT),
        ]
        return list(dict.fromkeys(found))

    def facts(self, meant: Meant, around: Sequence[Entity]) -> list[str]:
        """Return the facts meant, those of the memories meant, and those about some entities by name."""
        found = [*meant[Kind.FACT], *self._ends(meant[Kind.ENGRAM], LinkKind.X_RECORDS, "out", Kind.FACT)]
        for entity in around:
            for name in (entity.name, *entity.aliases):
                found += [fact.id for fact in self._timeline.about(name)]
        return list(dict.fromkeys(found))
