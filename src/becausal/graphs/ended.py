# SPDX-License-Identifier: Apache-2.0
"""Relations that no longer hold: a relation has no times of its own, the facts that say the same do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import cast

from ..domain.interval import LAST_MOMENT
from ..domain.records import Entity, Fact, Kind, Link, LinkKind
from ..ports.store import GraphStore
from .entities import entity_key

FACTS = 100
"""Facts looked at of one thing."""


def ended(store: GraphStore, relations: Sequence[Link], entities: Mapping[str, Entity]) -> Mapping[str, datetime]:
    """Return of some relations (``E_RELATES``) that have ended when they did, by id.

    A relation has ended when every fact that says the same has, unless somebody has stated it since then.
    ``entities`` are the ends of the relations.
    """
    ends = sorted({end for link in relations for end in (link.src, link.dst)})
    edges = store.edges(ends, [LinkKind.X_INVOLVES], "in", FACTS) if ends else ()
    of: dict[str, set[str]] = {}
    for edge in edges:
        of.setdefault(edge.dst, set()).add(edge.src)
    wanted = {link.id: of.get(link.src, set()) & of.get(link.dst, set()) for link in relations}
    every = sorted(set().union(*wanted.values()))
    facts = {id: cast(Fact, record) for id, record in store.get(Kind.FACT, every).items()} if every else {}
    found = {}
    for link in relations:
        same = [facts[id] for id in wanted[link.id] if id in facts and _says(facts[id], link, entities)]
        if same and all(fact.valid_to is not None for fact in same):
            until = max(fact.valid_to or LAST_MOMENT for fact in same)
            if not (link.asserted and link.created_at >= until):
                found[link.id] = until
    return found


def _says(fact: Fact, link: Link, entities: Mapping[str, Entity]) -> bool:
    if fact.predicate != link.relation_type:
        return False
    one, other = entities.get(link.src), entities.get(link.dst)
    return (one is not None and entity_key(fact.subject) in _keys(one)) or (
        other is not None and entity_key(fact.object) in _keys(other)
    )


def _keys(entity: Entity) -> set[str]:
    return {entity.key, *map(entity_key, entity.aliases)}
