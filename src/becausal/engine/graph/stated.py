# SPDX-License-Identifier: Apache-2.0
"""What the graphs themselves say about a question: facts, relations, events, concepts and things.

Some of it was read from memories, and is told with them; the rest a caller stated outright, so that no memory
leads to it: it is found here, by the words and names of the question and by the times it asks for.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from enum import StrEnum
from typing import cast

from ...domain.interval import INSTANT, Interval, lasting, to_local, to_utc
from ...domain.records import Cue, CueType, Entity, Event, Fact, Kind, Link, LinkKind, Precision
from ...domain.text import is_stop_word, normalize_name, query_terms
from ...graphs.ended import ended
from ...graphs.entities import UNTYPED, entity_key
from ...ports.store import Condition, GraphStore, Op, Where

WORDED = 20
"""Records of a kind that are looked at for the words they share with a question."""

TIMED = 40
"""Events looked at for lying in a time asked for."""

RELATIONS = 200
"""Relations looked at around the things that a question names."""

TELLERS = 3
"""Memories looked at of those that tell one fact."""

SAME_NAME = 3
"""Things of one name that are looked at, stated ones first."""

_HUMP = re.compile(r"(?<=[a-z])[A-Z](?=[a-z])")
DAY = timedelta(days=1)
NAME_WORDS, QUESTION_WORDS = 4, 40
"""Words that a name may have, and words of a question in which names are looked for."""


class Sort(StrEnum):
    """What sort of record a statement is; also the ``kind`` of a source that cites it."""

    FACT = "fact"
    RELATION = "relation"
    EVENT = "event"
    CAUSE = "cause"
    CONCEPT = "concept"
    ENTITY = "entity"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """Something the graphs say. ``id`` is that of the record or link.

    ``when`` is when it happened or began to hold, if that is known, ``until`` when it ceased to hold.
    ``tellers`` are memories that tell it: without any, a caller stated it outright, at ``stated_at``. ``sorts`` are
    the types of the things it is about, which a question may call them by. ``duration`` is how long an event was
    stated to last, in the caller's words.
    """

    id: str
    sort: Sort
    text: str
    stated_at: datetime
    when: Interval | None = None
    until: datetime | None = None
    tellers: tuple[str, ...] = ()
    fact: Fact | None = None
    sorts: str = ""
    duration: str | None = None

    @property
    def words(self) -> str:
        """Everything that a question about it may say."""
        return f"{self.text} {self.sorts}"

    def holds_in(self, windows: Sequence[Interval]) -> bool:
        """Whether it held in some of several stretches of time; if none are given, whether it still holds."""
        if not windows:
            return self.until is None
        start = self.when.start if self.when else self.stated_at
        return any(start < window.end and (self.until is None or self.until > window.start) for window in windows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """The things and concepts that a question calls by their names."""

    entities: tuple[Entity, ...]
    concepts: tuple[Cue, ...]


def names_in(text: str) -> tuple[str, ...]:
    """Return the stretches of up to ``NAME_WORDS`` words that may be a name, as keys, the longest first.

    None begins or ends with a stop word, except one word alone that is written with a capital.
    """
    words = [each.strip(".,;:!?\"'“”‘’()[]…") for each in text.split()[:QUESTION_WORDS]]
    words = [word.removesuffix("'s").removesuffix("’s") for word in words]
    found: dict[str, None] = {}
    for size in range(NAME_WORDS, 0, -1):
        for at in range(len(words) - size + 1):
            first, last = words[at], words[at + size - 1]
            if first and last and not is_stop_word(first) and not is_stop_word(last):
                found[normalize_name(" ".join(words[at : at + size]))] = None
    return tuple(key for key in found if key)


def named_in(store: GraphStore, text: str) -> Named:
    """Return what a text calls by its name or an alias, longer names first, of each name what was stated first."""
    keys = names_in(text)
    if not keys:
        return Named(entities=(), concepts=())
    most = len(keys) * SAME_NAME
    own = store.find(Kind.ENTITY, (Condition("key", Op.IN, keys),), limit=most).records
    other = store.find(Kind.ENTITY, (Condition("aliases", Op.HAS, keys),), limit=most).records
    by_key: dict[str, list[Entity]] = {}
    for record in sorted((*own, *other), key=lambda each: (not cast(Entity, each).asserted, each.id)):
        entity = cast(Entity, record)
        for key in {entity.key, *map(entity_key, entity.aliases)} & set(keys):
            by_key.setdefault(key, []).append(entity)
    entities = {each.id: each for key in keys for each in by_key.get(key, [])[:SAME_NAME]}
    cues = store.find(Kind.CUE, (Condition("name", Op.IN, keys),), limit=most).records
    concepts = [cue for cue in map(_cue, cues) if cue.cue_type in (CueType.CONCEPT, CueType.ENTITY)]
    place = {key: at for at, key in enumerate(keys)}
    concepts.sort(key=lambda cue: (place[cue.name], not cue.asserted, cue.id))
    return Named(entities=tuple(entities.values()), concepts=tuple(concepts))


class Statements:
    """What the graphs of one memory say."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store

    def about(
        self,
        text: str,
        named: Named,
        windows: Sequence[Interval],
        told: Mapping[str, Sequence[str]],
        where: Where,
        zone: tzinfo = UTC,
    ) -> tuple[Statement, ...]:
        """Return what may answer a question, in no particular order.

        ``told`` are the memories found that tell facts, by fact; ``where`` says which memories may be asked, and
        about which time; ``zone`` is the one that days begin in.
        """
        words = query_terms(text)
        found = [
            *self._facts(words, told, where, zone),
            *self._events(words, windows),
            *self._relations(named.entities, where),
            *(_thing(entity) for entity in named.entities if entity.asserted and _is_described(entity)),
            *self.concepts(named.concepts),
        ]
        start, end = _bounds(where)
        return tuple(each for each in found if each.tellers or _within(each, start, end))

    def concepts(self, cues: Sequence[Cue]) -> tuple[Statement, ...]:
        """Return what callers stated about some concepts."""
        return tuple(_concept(cue) for cue in cues if cue.asserted and cue.description)

    def _facts(
        self, words: Sequence[str], told: Mapping[str, Sequence[str]], where: Where, zone: tzinfo
    ) -> list[Statement]:
        worded = self._worded(Kind.FACT, words)
        records = self._store.get(Kind.FACT, list(dict.fromkeys((*told, *worded))))
        tellers = self._tellers([id for id in records if id not in told], where)
        tellers |= {id: tuple(engrams) for id, engrams in told.items()}
        facts = (cast(Fact, record) for record in records.values())
        return [_fact(fact, tellers.get(fact.id, ()), zone) for fact in facts if fact.asserted or tellers.get(fact.id)]

    def _events(self, words: Sequence[str], windows: Sequence[Interval]) -> list[Statement]:
        """Return the events that callers stated; those that memories tell are found with the memories."""
        records = dict(self._store.get(Kind.EVENT, self._worded(Kind.EVENT, words)))
        stated = Condition("asserted", Op.EQ, True)
        for window in windows:
            overlap = (Condition("occurred_at", Op.LT, window.end), Condition("occurred_end", Op.GT, window.start))
            page = self._store.find(Kind.EVENT, (*overlap, stated), limit=TIMED)
            records |= {record.id: record for record in page.records}
        events = [event for event in (cast(Event, record) for record in records.values()) if event.asserted]
        told = self._tellers([event.id for event in events], ())
        return [_event(event) for event in events if event.id not in told]

    def _relations(self, entities: Sequence[Entity], where: Where) -> list[Statement]:
        known = {entity.id: entity for entity in entities}
        if not known:
            return []
        links = self._store.links(list(known), [LinkKind.E_RELATES], "both", RELATIONS)
        ends = {end for link in links for end in (link.src, link.dst)} - known.keys()
        known |= {id: cast(Entity, record) for id, record in self._store.get(Kind.ENTITY, sorted(ends)).items()}
        sources = sorted({source for link in links for source in link.sources})
        allowed = self._store.passing(Kind.ENGRAM, sources, where) if sources else frozenset()
        links = tuple(
            link
            for link in links
            if link.src in known and link.dst in known and (link.asserted or not allowed.isdisjoint(link.sources))
        )
        over = ended(self._store, links, known)
        return [
            _relation(link, known, tuple(each for each in link.sources if each in allowed)[:TELLERS], over.get(link.id))
            for link in links
        ]

    def _worded(self, kind: Kind, words: Sequence[str]) -> list[str]:
        return [hit.id for hit in self._store.text_search(kind, words, WORDED).hits] if words else []

    def _tellers(self, ids: Collection[str], where: Where) -> dict[str, tuple[str, ...]]:
        """Return memories that tell some records, by record; of those that pass a filter."""
        edges = self._store.edges(sorted(ids), [LinkKind.X_RECORDS], "in", TELLERS) if ids else ()
        if not edges:
            return {}
        allowed = self._store.passing(Kind.ENGRAM, sorted({edge.src for edge in edges}), where)
        found: dict[str, tuple[str, ...]] = {}
        for edge in edges:
            if edge.src in allowed:
                found[edge.dst] = (*found.get(edge.dst, ()), edge.src)
        return found


def stated_cause(link: Link, cause: str, effect: str) -> Statement:
    """Return the statement that one thing brought about another."""
    text = link.evidence or f"{cause} → {effect}"
    return Statement(id=link.id, sort=Sort.CAUSE, text=text, stated_at=link.created_at)


def spoken(relation: str) -> str:
    """Return a predicate as words: "works at" of "works_at" and of "worksAt"."""
    return " ".join(_HUMP.sub(lambda found: f" {found[0].lower()}", relation).replace("_", " ").split())


def _fact(fact: Fact, tellers: tuple[str, ...], zone: tzinfo) -> Statement:
    return Statement(
        id=fact.id,
        sort=Sort.FACT,
        text=f"{fact.subject} {spoken(fact.predicate)} {fact.object}",
        stated_at=fact.recorded_at,
        when=_from(fact, zone),
        until=fact.valid_to,
        tellers=tellers,
        fact=fact,
    )


def _event(event: Event) -> Statement:
    when = Interval(event.occurred_at, event.occurred_end, event.precision)
    return Statement(
        id=event.id,
        sort=Sort.EVENT,
        text=event.description,
        stated_at=event.created_at,
        when=when,
        duration=event.duration,
    )


def _relation(
    link: Link, entities: Mapping[str, Entity], tellers: tuple[str, ...], until: datetime | None
) -> Statement:
    one, other = entities[link.src], entities[link.dst]
    return Statement(
        id=link.id,
        sort=Sort.RELATION,
        text=f"{one.name} {spoken(link.relation_type)} {other.name}",
        stated_at=link.created_at,
        until=until,
        tellers=tellers,
        sorts=" ".join(each.entity_type for each in (one, other) if each.asserted),
    )


def _is_described(entity: Entity) -> bool:
    """Whether more was stated of a thing than its name."""
    return entity.entity_type != UNTYPED or bool(entity.aliases) or any(entity.properties.values())


def _thing(entity: Entity) -> Statement:
    told = [f"{spoken(name)}: {value}" for name, value in entity.properties.items() if value not in (None, "", [], {})]
    also = [f"also called {', '.join(entity.aliases)}"] if entity.aliases else []
    text = f"{entity.name} ({'; '.join((spoken(entity.entity_type), *told, *also))})"
    return Statement(id=entity.id, sort=Sort.ENTITY, text=text, stated_at=entity.created_at)


def _concept(cue: Cue) -> Statement:
    text = f"{cue.name}: {cue.description}"
    return Statement(id=cue.id, sort=Sort.CONCEPT, text=text, stated_at=cue.created_at)


def _cue(record: object) -> Cue:
    return cast(Cue, record)


def _from(fact: Fact, zone: tzinfo) -> Interval:
    """Return the moment from which a fact holds, as exactly as somebody told it.

    Midnight means the day; and where it holds from the moment of the telling, nobody told more than that day.
    """
    moment = fact.valid_from
    try:
        day = to_local(moment, zone).replace(hour=0, minute=0, second=0, microsecond=0)
        start = to_utc(day, zone)
    except OverflowError:  # at the very beginning or end of the calendar
        start = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    if moment == start or abs(moment - fact.recorded_at) < INSTANT:
        return lasting(start, DAY, Precision.DAY)
    return lasting(moment, INSTANT, Precision.INSTANT)


def _bounds(where: Where) -> tuple[datetime | None, datetime | None]:
    """Return the times that a filter of memories lets through."""
    moments = {each.op: each.value for each in where if each.field == "at" and isinstance(each.value, datetime)}
    return moments.get(Op.GE), moments.get(Op.LT)


def _within(each: Statement, start: datetime | None, end: datetime | None) -> bool:
    """Whether what was stated outright happened, or held, between two moments."""
    begins = each.when.start if each.when else each.stated_at
    over = each.when.end if each.sort is Sort.EVENT and each.when else each.until
    if each.sort not in (Sort.EVENT, Sort.FACT):
        over = each.stated_at + INSTANT
    return (end is None or begins < end) and (start is None or over is None or over > start)
