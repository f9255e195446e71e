# SPDX-License-Identifier: Apache-2.0
"""Parts of the graph to be drawn: what lies around a record, and how the memories of a cluster hang together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import zip_longest
from typing import Any, cast

from ...domain.records import Entity, Kind, LinkKind
from ...domain.text import query_terms
from ...errors import NotFound
from ...graphs.ended import ended
from ...ports.store import Condition, Edge, GraphStore, Op, Order
from .. import validate

MAX_STEPS = 3
MAX_NODES = 200
EACH = 16
"""Links of one kind and direction followed from one record."""

AMONG = 64
"""Links of one kind and direction looked at, of each record drawn, for those that join two of them."""

MAX_LINKS = 2_000
CANDIDATES = 200

WALKED = (
    LinkKind.E_RELATES,
    LinkKind.C_CAUSES,
    LinkKind.SAME_AS,
    LinkKind.X_INVOLVES,
    LinkKind.X_AFFECTS,
    LinkKind.X_REFERS_TO,
    LinkKind.X_RECORDS,
    LinkKind.ASSOCIATED_WITH,
)
"""The links followed where none are chosen: those that say something about things, events, causes and memories."""

FIELDS: Mapping[Kind, tuple[str, ...]] = {
    Kind.ENGRAM: ("summary", "label", "memory_type", "archived_at"),
    Kind.ENTITY: ("name", "entity_type"),
    Kind.EVENT: ("description", "precision"),
    Kind.FACT: ("subject", "predicate", "object", "valid_to"),
    Kind.CAUSE: ("description", "node_type"),
    Kind.CUE: ("name", "cue_type"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A record as a node: what it is called, what sort of its kind it is, and how many links from the start."""

    id: str
    kind: Kind
    label: str
    sort: str
    distance: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tie:
    """A link between two of the nodes. ``weight``, 0 … 1, is its confidence or, of an association, its strength.

    ``ended`` is until when a relation held that no longer does.
    """

    source: str
    target: str
    kind: LinkKind
    relation: str
    weight: float
    asserted: bool
    ended: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Subgraph:
    """Part of the graph; ``truncated`` says that there was more than could be returned."""

    nodes: tuple[Drawn, ...]
    ties: tuple[Tie, ...]
    truncated: bool


class Surveyor:
    """Reads parts of one user's graph; ``entity`` returns the id of the entity that a text names."""

    def __init__(self, store: GraphStore, entity: Callable[[str], str | None]) -> None:
        self._store = store
        self._entity = entity

    def around(self, of: str, kinds: Sequence[LinkKind] = (), depth: int = 1, limit: int = 60) -> Subgraph:
        """Return what is within ``depth`` (1 … 3) links of a record, breadth first, each kind of link in its turn.

        ``of`` is the id of any record or the name of an entity; ``limit`` (1 … 200) bounds the nodes.

        Raises:
            NotFound: nothing has this id or name.
        """
        name = validate.identifier(of, "of")
        depth = validate.integer(depth, "depth", 1, MAX_STEPS)
        limit = validate.integer(limit, "limit", 1, MAX_NODES)
        walked = tuple(kinds) or WALKED
        nodes = self._drawn([name], 0)
        if not nodes and (id := self._entity(name)) is not None:
            nodes = self._drawn([id], 0)
        if not nodes:
            raise NotFound("Record", name)
        truncated = False
        frontier = list(nodes)
        for step in range(1, depth + 1):
            edges = self._store.edges(frontier, walked, "both", EACH)
            counted: dict[tuple[str, LinkKind, bool], int] = defaultdict(int)
            for edge in edges:
                counted[edge.src, edge.kind, True] += 1
                counted[edge.dst, edge.kind, False] += 1
            truncated |= any(count >= EACH for (id, _, _), count in counted.items() if id in nodes)
            fresh = self._drawn([id for id in _in_turn(edges) if id not in nodes], step)
            room = limit - len(nodes)
            truncated |= len(fresh) > room
            frontier = list(fresh)[:room]
            nodes.update((id, fresh[id]) for id in frontier)
            if not frontier:
                break
        return Subgraph(nodes=tuple(nodes.values()), ties=self._ties(list(nodes), walked), truncated=truncated)

    def cluster(self, id: int, limit: int = 60) -> Subgraph:
        """Return the most important memories (1 … 200) of a cluster, and the associations among them.

        Raises:
            NotFound: no memory is in a cluster with this id.
        """
        number = validate.integer(id, "cluster", 0, 2**31)
        limit = validate.integer(limit, "limit", 1, MAX_NODES)
        inside = (Condition("archived_at", Op.NULL, True), Condition("cluster_id", Op.EQ, number))
        page = self._store.find(Kind.ENGRAM, inside, Order("importance", descending=True), limit)
        if not page.records:
            raise NotFound("cluster", str(number))
        nodes = self._drawn([record.id for record in page.records], 0)
        ties = self._ties(list(nodes), (LinkKind.ASSOCIATED_WITH,))
        return Subgraph(nodes=tuple(nodes.values()), ties=ties, truncated=page.next is not None)

    def entities(self, words: str, limit: int = 20) -> tuple[Entity, ...]:
        """Return the entities (1 … 100) whose names hold most of some words, the shortest names first."""
        asked = query_terms(validate.query(words))
        limit = validate.limit(limit)
        hits = self._store.text_search(Kind.ENTITY, asked, CANDIDATES).hits if asked else ()
        best = sorted(hits, key=lambda hit: (-sum(map(bool, hit.frequencies)), hit.length, hit.id))[:limit]
        found = self._store.get(Kind.ENTITY, [hit.id for hit in best])
        return tuple(cast(Entity, found[hit.id]) for hit in best if hit.id in found)

    def _drawn(self, ids: Sequence[str], distance: int) -> dict[str, Drawn]:
        """Return the records with these ids as nodes, in this order; those that are archived or gone are left out."""
        found: dict[str, Drawn] = {}
        for kind, fields in FIELDS.items():
            for id, values in self._store.peek(kind, ids, fields).items():
                if (told := _called(kind, values)) is not None:
                    found[id] = Drawn(id=id, kind=kind, label=told[0], sort=told[1], distance=distance)
        return {id: found[id] for id in ids if id in found}

    def _ties(self, ids: Sequence[str], kinds: Sequence[LinkKind]) -> tuple[Tie, ...]:
        known = set(ids)
        ties: dict[tuple[str, str, LinkKind, str], Tie] = {}
        for edge in self._store.edges(ids, kinds, "both", AMONG):
            if edge.src in known and edge.dst in known:
                ties[edge.src, edge.dst, edge.kind, edge.relation_type] = Tie(
                    source=edge.src,
                    target=edge.dst,
                    kind=edge.kind,
                    relation=edge.relation_type,
                    weight=edge.strength,
                    asserted=edge.asserted,
                )
        if LinkKind.C_CAUSES in kinds:  # how sure it is, which an edge does not tell
            for link in self._store.links(ids, [LinkKind.C_CAUSES], "out", limit=MAX_LINKS):
                if link.dst in known:
                    ties[link.src, link.dst, link.kind, link.relation_type] = Tie(
                        source=link.src,
                        target=link.dst,
                        kind=link.kind,
                        relation=link.relation_type,
                        weight=link.confidence,
                        asserted=link.asserted,
                    )
        related = sorted(
            {end for tie in ties.values() if tie.kind is LinkKind.E_RELATES for end in (tie.source, tie.target)}
        )
        if related:
            relations = [
                link
                for link in self._store.links(related, [LinkKind.E_RELATES], "out", limit=MAX_LINKS)
                if (link.src, link.dst, link.kind, link.relation_type) in ties
            ]
            things = {id: cast(Entity, record) for id, record in self._store.get(Kind.ENTITY, related).items()}
            over = ended(self._store, relations, things)
            for link in relations:
                key = link.src, link.dst, link.kind, link.relation_type
                ties[key] = replace(ties[key], ended=over.get(link.id))
        return tuple(ties[key] for key in sorted(ties))


def _in_turn(edges: Iterable[Edge]) -> list[str]:
    """Return the ends of edges, those of each kind of link in their turn, the strongest first."""
    by_kind: dict[LinkKind, dict[str, None]] = defaultdict(dict)
    for edge in sorted(edges, key=lambda each: (each.kind, -each.strength, each.src, each.dst)):
        by_kind[edge.kind].setdefault(edge.src)
        by_kind[edge.kind].setdefault(edge.dst)
    turns = zip_longest(*by_kind.values())
    return list(dict.fromkeys(id for turn in turns for id in turn if id is not None))


def _called(kind: Kind, values: tuple[Any, ...]) -> tuple[str, str] | None:
    """Return what a record is called, and what sort of its kind it is; ``None`` if it is in the archive."""
    match kind:
        case Kind.ENGRAM:
            summary, label, sort, archived = values
            return None if archived is not None else (label or summary, sort)
        case Kind.FACT:
            subject, predicate, object, until = values
            return f"{subject} {predicate} {object}", "ended" if until is not None else "holds"
        case _:
            return values[0], str(values[1])
