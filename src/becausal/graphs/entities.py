# SPDX-License-Identifier: Apache-2.0
"""The entity graph: who and what there is, by any of their names, and how they relate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from ..domain.ids import derived_id
from ..domain.records import Entity, Json, Kind, Link, LinkKind
from ..domain.text import normalize_name, terms
from ..errors import Conflict, InvalidInput, NotFound
from ..ports.store import Condition, GraphStore, Op
from .linking import Draft, Node

ATTEMPTS = 5
MAX_NODES = 500
MAX_LINKS = 2_000
UNTYPED = "thing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """Entities around some seeds, each with its distance in relations, and the relations among them.

    ``truncated`` says that there was more than could be returned.
    """

    entities: Mapping[str, Entity]
    distance: Mapping[str, int]
    relations: tuple[Link, ...]
    truncated: bool


def entity_key(name: str) -> str:
    """Return the identity of a name: case, hyphens, underscores and spaces do not count."""
    return normalize_name(name)


def extracted_id(user: str, key: str) -> str:
    """Return the id of an entity whose type was only guessed: the name alone is its identity."""
    return derived_id(user, Kind.ENTITY, key)


def typed_id(user: str, key: str, entity_type: str) -> str:
    """Return the id of an entity whose stated type tells it from another of the same name."""
    return derived_id(user, Kind.ENTITY, key, entity_type.casefold())


class Entities:
    """One user's entities."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store

    # --- finding ---

    def named(self, name: str) -> tuple[Entity, ...]:
        """Return the entities with this name or alias, whatever its case and hyphens; asserted ones first."""
        key = entity_key(name)
        if not key:
            return ()
        own = self._store.find(Kind.ENTITY, (Condition("key", Op.EQ, key),), limit=20).records
        other = self._store.find(Kind.ENTITY, (Condition("aliases", Op.HAS, (key,)),), limit=20).records
        found = {record.id: cast(Entity, record) for record in (*own, *other)}
        return tuple(sorted(found.values(), key=lambda each: (each.key != key, not each.asserted, each.id)))

    def resolve(self, name_or_id: str) -> Entity | None:
        """Return the entity with this id, or else this name or alias."""
        if by_id := self._store.get(Kind.ENTITY, [name_or_id]).get(name_or_id):
            return cast(Entity, by_id)
        return next(iter(self.named(name_or_id)), None)

    def require(self, name_or_id: str) -> Entity:
        """Return what ``resolve`` does.

        Raises:
            NotFound: nothing has this id or name.
        """
        if (found := self.resolve(name_or_id)) is None:
            raise NotFound("Entity", name_or_id)
        return found

    def neighbourhood(self, seeds: Iterable[str], depth: int, limit: int = MAX_NODES) -> Neighbourhood:
        """Return what is within ``depth`` relations of the seeds, in either direction, breadth first."""
        distance = dict.fromkeys(seeds, 0)
        frontier = list(distance)
        relations: dict[str, Link] = {}
        truncated = False
        for step in range(1, depth + 1):
            if not frontier:
                break
            links = self._store.links(frontier, [LinkKind.E_RELATES], "both", limit=MAX_LINKS)
            truncated |= len(links) >= MAX_LINKS
            frontier = []
            for link in links:
                for end in (link.src, link.dst):
                    if end not in distance and len(distance) < limit:
                        distance[end] = step
                        frontier.append(end)
                truncated |= not (link.src in distance and link.dst in distance)
                relations[link.id] = link
        entities = {id: cast(Entity, record) for id, record in self._store.get(Kind.ENTITY, list(distance)).items()}
        return Neighbourhood(
            entities=entities,
            distance={id: steps for id, steps in distance.items() if id in entities},
            relations=tuple(link for link in relations.values() if link.src in entities and link.dst in entities),
            truncated=truncated,
        )

    # --- stating ---

    def add(
        self,
        name: str,
        entity_type: str,
        properties: Mapping[str, Json],
        aliases: Sequence[str],
        now: datetime,
    ) -> Entity:
        """Write what ``make`` makes.

        Raises:
            InvalidInput: the name has no letter or digit.
            Conflict: the entity is being changed elsewhere, again and again.
        """
        for _ in range(ATTEMPTS):
            draft = Draft(self._store.user, now)
            entity = self.make(draft, name, entity_type, properties, aliases)
            try:
                self._store.write(draft.batch())
            except Conflict:
                continue  # somebody else added it in this moment
            return entity
        raise Conflict(f"the entity '{name}' is being changed elsewhere; try again")

    def make(
        self, draft: Draft, name: str, entity_type: str, properties: Mapping[str, Json], aliases: Sequence[str]
    ) -> Entity:
        """Add an entity that a caller states, or bring the one with this name and type up to date.

        Properties and aliases join those that are known. One that was only read from texts becomes this one. Its id is
        that of the bare name while it is free, else that of name and type.
        """
        key = entity_key(name)
        if not key:
            raise InvalidInput("name", "must contain at least one letter or digit")
        # Looked at first: of one that is made meanwhile, the second look then tells, or else the write itself.
        bare = extracted_id(self._store.user, key)
        taken = bool(self._store.get(Kind.ENTITY, [bare]))
        known = self._same(key, entity_type)
        told = (*(known.aliases if known else ()), *map(entity_key, aliases))
        entity = Entity(
            id=known.id if known else typed_id(self._store.user, key, entity_type) if taken else bare,
            name=known.name if known and known.asserted else name.strip(),
            key=key,
            entity_type=known.entity_type if known and known.asserted else entity_type,
            aliases=tuple(alias for alias in dict.fromkeys(told) if alias and alias != key),
            properties={**(known.properties if known else {}), **properties},
            asserted=True,
            created_at=known.created_at if known else draft.now,
        )
        words = terms(" ".join((entity.name, *entity.aliases)))
        draft.put(entity, words, expect_version=known.version if known else 0)
        return entity

    def _same(self, key: str, entity_type: str) -> Entity | None:
        """Return the entity that a name with a stated type means."""
        wanted = entity_type.casefold()
        known = [each for each in self.named(key) if each.key == key]
        exact = [each for each in known if each.entity_type.casefold() == wanted]
        guessed = [each for each in known if not each.asserted]
        return next(iter((*exact, *guessed)), None)

    def relate(self, source: str, relation: str, target: str, now: datetime) -> tuple[Entity, Entity, Link]:
        """Write what ``draft_relation`` adds."""
        draft = Draft(self._store.user, now)
        related = self.draft_relation(draft, source, relation, target)
        self._store.write(draft.batch())
        return related

    def draft_relation(self, draft: Draft, source: str, relation: str, target: str) -> tuple[Entity, Entity, Link]:
        """State that one entity relates to another; stating it twice, in whatever spelling, makes it once.

        Raises:
            NotFound: one of them does not exist.
            InvalidInput: both are the same.
        """
        one, other = self.require(source), self.require(target)
        if one.id == other.id:
            raise InvalidInput("target", f"must be another entity than the source, '{one.name}'")
        told = {
            normalize_name(link.relation_type): link.relation_type
            for link in self._store.links([one.id], [LinkKind.E_RELATES], "out", limit=MAX_LINKS)
            if link.dst == other.id
        }
        for entity in (one, other):
            draft.pin(entity)
        link = draft.link(
            LinkKind.E_RELATES,
            Node(Kind.ENTITY, one.id),
            Node(Kind.ENTITY, other.id),
            relation_type=told.get(normalize_name(relation), relation.strip()),
        )
        return one, other, link
