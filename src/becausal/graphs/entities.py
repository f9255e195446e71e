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
        """Add an entity, or bring the one with this name and type up to date: properties and aliases join.

        One that was only read from text, with no type or the same, becomes this one.
        """
        key = entity_key(name)
        if not key:
            raise InvalidInput("name", "must contain at least one letter or digit")
        told = tuple(dict.fromkeys(alias for alias in map(entity_key, aliases) if alias and alias != key))
        for _ in range(ATTEMPTS):
            known = self._same(key, entity_type)
            entity = Entity(
                id=known.id if known else self._id(key, entity_type),
                name=known.name if known and known.asserted else name.strip(),
                key=key,
                entity_type=entity_type,
                aliases=tuple(dict.fromkeys((*(known.aliases if known else ()), *told))),
                properties={**(known.properties if known else {}), **properties},
                asserted=True,
                created_at=known.created_at if known else now,
            )
            draft = Draft(self._store.user, now)
            draft.put(entity, terms(" ".join((name, *told))), expect_version=known.version if known else 0)
            try:
                self._store.write(draft.batch())
            except Conflict:
                continue  # somebody else added it in this moment
            return entity
        raise Conflict(f"the entity '{name}' is being changed elsewhere; try again")

    def _same(self, key: str, entity_type: str) -> Entity | None:
        """Return the entity that a name with a stated type means."""
        wanted = entity_type.casefold()
        known = [each for each in self.named(key) if each.key == key]
        exact = [each for each in known if each.entity_type.casefold() == wanted]
        guessed = [each for each in known if not each.asserted]
        return next(iter((*exact, *guessed)), None)

    def _id(self, key: str, entity_type: str) -> str:
        """Return a new entity's id: the bare name while it is free, else name and type."""
        bare = extracted_id(self._store.user, key)
        if self._store.get(Kind.ENTITY, [bare]):
            return derived_id(self._store.user, Kind.ENTITY, key, entity_type.casefold())
        return bare

    def relate(self, source: str, relation: str, target: str, now: datetime) -> tuple[Entity, Entity, Link]:
        """State that one entity relates to another; stating it twice makes it once.

        Raises:
            NotFound: one of them does not exist.
            InvalidInput: both are the same.
        """
        one, other = self.require(source), self.require(target)
        if one.id == other.id:
            raise InvalidInput("target", f"must be another entity than the source, '{one.name}'")
        draft = Draft(self._store.user, now)
        link = draft.link(
            LinkKind.E_RELATES,
            Node(Kind.ENTITY, one.id),
            Node(Kind.ENTITY, other.id),
            relation_type=relation.strip(),
        )
        self._store.write(draft.batch())
        return one, other, link
