# SPDX-License-Identifier: Apache-2.0
"""The links between the graphs: which entities a text names, and which records name an entity."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import cast

from ..domain.records import Cause, CueType, Entity, Event, Fact, Kind, Link, LinkKind
from ..domain.scripts import UNSPACED
from ..domain.text import normalize_name, query_terms, terms
from ..ports.store import GraphStore
from .concepts import cue_id
from .linking import Draft, Node

MAX_NAMED = 32
"""Entities that one description is taken to name."""

CANDIDATES = 64
MAX_NAMING = 200
"""Records of a kind that a new entity is linked to."""

MAX_LINKS = 5_000
SHORT = 3
"""Names up to this length must be written in the text as they are: "US" is not in "let us go"."""

ACROSS = tuple(kind for kind in LinkKind if kind not in (LinkKind.CO_OCCURS, LinkKind.ENCODED_BY))

INVOLVED: dict[Kind, LinkKind] = {
    Kind.EVENT: LinkKind.X_INVOLVES,
    Kind.FACT: LinkKind.X_INVOLVES,
    Kind.CAUSE: LinkKind.X_AFFECTS,
    Kind.CUE: LinkKind.X_REPRESENTS,
}
"""The link from a record to the entities it is about."""


def named_in(store: GraphStore, text: str) -> tuple[Entity, ...]:
    """Return the entities that a text names, in the order in which it does, longer names first at one place.

    A name stands for one entity, and a name within a longer one for none. An entity that was only read from
    texts must be written as it is known; one that a caller stated may differ in case and hyphens.
    """
    words = query_terms(text)
    if not words:
        return ()
    hits = store.text_search(Kind.ENTITY, words, CANDIDATES).hits
    found = store.get(Kind.ENTITY, [hit.id for hit in hits]).values()
    spans: list[tuple[int, int, Entity]] = []
    for entity in sorted((cast(Entity, record) for record in found), key=lambda each: (not each.asserted, each.id)):
        spans += [(start, end, entity) for start, end in _mentions(entity, text)]
    taken: list[tuple[int, int]] = []
    named: dict[str, tuple[int, Entity]] = {}
    for start, end, entity in sorted(spans, key=lambda span: (span[0] - span[1], span[0])):
        if not any(begin <= start and end <= stop for begin, stop in taken):
            taken.append((start, end))
            named.setdefault(entity.id, (start, entity))
    return tuple(entity for _, entity in sorted(named.values(), key=lambda each: (each[0], each[1].id)))[:MAX_NAMED]


def link_named(draft: Draft, store: GraphStore, node: Node, text: str, but: Collection[str] = ()) -> tuple[Entity, ...]:
    """Link a record to the entities its text names, except some; return them."""
    named = tuple(entity for entity in named_in(store, text) if entity.id not in but)
    for entity in named:
        draft.link(INVOLVED[node.kind], node, Node(Kind.ENTITY, entity.id))
    return named


def link_naming(draft: Draft, store: GraphStore, entity: Entity) -> None:
    """Link what was known before to an entity that a caller states: events, facts, causes and concepts naming it."""
    target = Node(Kind.ENTITY, entity.id)
    for kind in (Kind.EVENT, Kind.FACT, Kind.CAUSE):
        for record in _naming(store, kind, entity):
            draft.link(INVOLVED[kind], Node(kind, record.id), target)
    concept = cue_id(draft.user, CueType.CONCEPT, entity.key)
    if store.get(Kind.CUE, [concept]):
        draft.link(LinkKind.X_REPRESENTS, Node(Kind.CUE, concept), target)


def _naming(store: GraphStore, kind: Kind, entity: Entity) -> Iterator[Event | Fact | Cause]:
    seen: set[str] = set()
    for name in (entity.name, *entity.aliases):
        words = tuple(dict.fromkeys(terms(name)))
        if not words:
            continue
        hits = store.text_search(kind, words, MAX_NAMING).hits
        whole = [hit.id for hit in hits if all(hit.frequencies)]
        for record in store.get(kind, whole).values():
            if record.id not in seen and _tells(cast("Event | Fact | Cause", record), entity):
                seen.add(record.id)
                yield cast("Event | Fact | Cause", record)


def _tells(record: Event | Fact | Cause, entity: Entity) -> bool:
    if isinstance(record, Fact):
        return bool({normalize_name(record.subject), normalize_name(record.object)} & {entity.key, *entity.aliases})
    return any(_mentions(entity, record.description))


def links_among(store: GraphStore, ids: Sequence[str]) -> tuple[Link, ...]:
    """Return the stored links between some records, one per kind, relation and pair: the most confident."""
    wanted = set(ids)
    best: dict[tuple[str, str, str, str], Link] = {}
    for link in store.links(sorted(wanted), ACROSS, "out", limit=MAX_LINKS) if wanted else ():
        key = (link.kind.value, link.src, link.dst, link.relation_type)
        if link.dst in wanted and (key not in best or link.confidence > best[key].confidence):
            best[key] = link
    return tuple(best.values())


def _mentions(entity: Entity, text: str) -> Iterator[tuple[int, int]]:
    """Yield where a text names an entity, as spans of the normalised text."""
    normal = normalize_name(text)
    for name in (entity.key, *entity.aliases):
        if not name:
            continue
        if len(name) <= SHORT or not entity.asserted:
            written = entity.name if name == entity.key else name
            if not (_pattern(written).search(text) or _pattern(written.upper()).search(text)):
                continue
        yield from (match.span() for match in _pattern(name).finditer(normal))


@lru_cache(maxsize=2048)
def _pattern(name: str) -> re.Pattern[str]:
    """Return a pattern for a name as whole words, or as it is in scripts that put no spaces between words."""
    before = "" if _UNSPACED.match(name[0]) else r"(?<!\w)"
    after = "" if _UNSPACED.match(name[-1]) else r"(?!\w)"
    return re.compile(before + re.escape(name) + after)


_UNSPACED = re.compile(f"[{UNSPACED}]")
