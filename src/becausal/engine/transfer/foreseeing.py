# SPDX-License-Identifier: Apache-2.0
"""What an import would make, worked out without writing: as the import itself would, with what it would have made."""

from __future__ import annotations

from ...domain.ids import link_id
from ...domain.records import Kind, LinkKind
from ...domain.text import normalize_name
from ...errors import InvalidInput
from ...graphs.entities import Entities, entity_key
from ...graphs.linking import Draft
from ...ports.clock import Clock
from ...ports.store import GraphStore

MAX_LINKS = 10_000
"""Links of one thing that are looked at for the one in question."""


class Foresight:
    """Knows what is in the memory, and what a dry run would have added to it."""

    def __init__(self, store: GraphStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._entities = Entities(store)
        self._coming: set[tuple[str, str]] = set()  # kinds of records and links, and what they are known by
        self._named: dict[str, str] = {}  # coming things by their keys

    def record(self, kind: Kind, id: str) -> bool:
        """Note a record; return whether it would be new."""
        return self._new(kind.value, id) and not self._store.peek(kind, [id], ["id"])

    def thing(self, name: str, entity_type: str) -> tuple[str, bool]:
        """Note a thing that is stated; return its id, and whether it would be new."""
        entity = self._entities.make(Draft(self._store.user, self._clock.now()), name, entity_type, {}, ())
        self._named.setdefault(entity.key, entity.id)
        return entity.id, self.record(Kind.ENTITY, entity.id)

    def named(self, name: str, entity_type: str) -> tuple[str, bool]:
        """Return the id of the thing that a name stands for, and whether it would have to be made."""
        if known := self._entities.named(name):
            return known[0].id, False
        if coming := self._named.get(entity_key(name)):
            return coming, False
        return self.thing(name, entity_type)

    def relation(self, source: str, relation: str, target: str) -> bool:
        """Note a relation between two things by their ids; return whether it would be new.

        Raises:
            InvalidInput: both are the same.
        """
        if source == target:
            raise InvalidInput("target", "must be another entity than the source")
        wanted = normalize_name(relation)
        if not self._new(LinkKind.E_RELATES.value, f"{source} {target} {wanted}"):
            return False
        links = self._store.links([source], [LinkKind.E_RELATES], "out", limit=MAX_LINKS)
        return not any(link.dst == target and normalize_name(link.relation_type) == wanted for link in links)

    def link(self, kind: LinkKind, source: str, target: str, relation: str = "", *, asserted: bool = False) -> bool:
        """Note any other link; return whether it would be new. ``asserted``: one that was only read does not count."""
        id = link_id(self._store.user, kind, source, target, relation)
        if not self._new(kind.value, id):
            return False
        links = self._store.links([source], [kind], "out", limit=MAX_LINKS)
        return not any(link.id == id and (link.asserted or not asserted) for link in links)

    def _new(self, kind: str, id: str) -> bool:
        new = (kind, id) not in self._coming
        self._coming.add((kind, id))
        return new
