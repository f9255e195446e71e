# SPDX-License-Identifier: Apache-2.0
"""What a caller means by an id, a name or a description."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..domain.ids import looks_like_id
from ..domain.records import Entity, Kind, Link, LinkKind
from ..domain.text import normalize_name
from ..graphs.causes import Causes
from ..graphs.entities import Entities
from ..graphs.timeline import Timeline
from ..ports.store import Condition, GraphStore, Op

MAX_LINKS = 2_000
MAX_MEMORIES = 50
"""Memories that a name of nothing else leads to."""

BY_ID = (Kind.ENTITY, Kind.CAUSE, Kind.EVENT, Kind.FACT, Kind.ENGRAM, Kind.CUE)


@dataclass(slots=True)
class Meant:
    """Ids of what was meant, by kind, and the references that mean nothing known."""

    ids: dict[Kind, dict[str, None]] = field(default_factory=lambda: {kind: {} for kind in BY_ID})
    unresolved: list[str] = field(default_factory=list)

    def __getitem__(self, kind: Kind) -> list[str]:
        return list(self.ids[kind])

    def add(self, kind: Kind, ids: Sequence[str]) -> bool:
        self.ids[kind].update(dict.fromkeys(ids))
        return bool(ids)


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
            known = self._by_id(meant, reference.lower()) if looks_like_id(reference) else self._named(meant, reference)
            if not known:
                meant.unresolved.append(reference)
        return meant

    def _by_id(self, meant: Meant, id: str) -> bool:
        for kind in BY_ID:
            if self._store.get(kind, [id]):
                meant.add(kind, [id])
                if kind is Kind.CUE:
                    self._add_concepts(meant, [id])
                return True
        return False

    def _named(self, meant: Meant, name: str) -> bool:
        found = meant.add(Kind.ENTITY, [entity.id for entity in self._entities.named(name)])
        cause = self._causes.resolve(name)
        found |= meant.add(Kind.CAUSE, [cause.id] if cause else [])
        event = self._timeline.described(name)
        found |= meant.add(Kind.EVENT, [event.id] if event else [])
        found |= meant.add(Kind.FACT, [fact.id for fact in self._timeline.about(name)])
        if found:
            return True
        key = normalize_name(name)
        cues = self._store.find(Kind.CUE, (Condition("name", Op.EQ, key),)).records if key else ()
        self._add_concepts(meant, [cue.id for cue in cues])
        return bool(cues)

    def _add_concepts(self, meant: Meant, ids: Sequence[str]) -> None:
        meant.add(Kind.CUE, ids)
        entities = self._ends(ids, LinkKind.X_REPRESENTS, "out")
        if not meant.add(Kind.ENTITY, entities) and ids:
            links = self._store.links(ids, [LinkKind.ENCODED_BY], "in", limit=MAX_MEMORIES)
            meant.add(Kind.ENGRAM, [link.src for link in links])

    def _ends(self, ids: Sequence[str], kind: LinkKind, way: str, end: Kind | None = None) -> list[str]:
        if not ids:
            return []
        links: tuple[Link, ...] = self._store.links(ids, [kind], "in" if way == "in" else "out", limit=MAX_LINKS)
        if way == "in":
            return [link.src for link in links if end in (None, link.src_kind)]
        return [link.dst for link in links if end in (None, link.dst_kind)]

    # --- what they lead to in each graph ---

    def entities(self, meant: Meant) -> list[str]:
        """Return the entities meant, and those that the other records meant are about."""
        about = [
            *self._ends([*meant[Kind.EVENT], *meant[Kind.FACT]], LinkKind.X_INVOLVES, "out"),
            *self._ends(meant[Kind.CAUSE], LinkKind.X_AFFECTS, "out"),
            *self._ends(meant[Kind.ENGRAM], LinkKind.X_RECORDS, "out", Kind.ENTITY),
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
