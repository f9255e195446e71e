# SPDX-License-Identifier: Apache-2.0
"""What happened before something, or after it: the event that a question names, and those next to it in time."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from ...domain.records import Engram, Event, Kind, LinkKind
from ...domain.sentences import sentences
from ...domain.text import query_terms
from ...magma.intent import Placed
from ...magma.synthesize import Moment
from ...ports.store import Condition, GraphStore, Op, Order, Where
from . import findings
from .asked import Found

NAMED = 0.6
"""Share of its words by which an event that was told is the one that a question names."""

LOOKED_AT = 40
"""Events, and memories, next to it in time that are looked at."""

TELLERS = 8
"""Memories looked at for one that tells an event and may be told of."""

SHOWN = 12
"""Moments told beside an event, at most; a question's limit may ask for fewer."""

MAX_LINKS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """An event, and what was told to have happened on one side of it, in order of time.

    ``more`` counts those further away that are left out, ``many`` says that there may be yet more. ``said`` are
    sentences that say themselves that something happened on that side of it: "Ana left before the flood".
    """

    side: Literal["before", "after"]
    event: Moment
    moments: tuple[Moment, ...]
    more: int = 0
    many: bool = False
    said: tuple[Moment, ...] = ()


def told_beside(
    store: GraphStore, found: Found, placed: Placed, events: Mapping[str, Sequence[Event]]
) -> Beside | None:
    """Return what happened beside the event that a question names; ``None`` if no such event was told.

    What is told in the same source goes before all else, as nearness in time alone joins what has nothing in common.
    """
    said = _said(found, placed)
    event = _named(found, placed, events, {each.engram for each in said})
    if event is None:
        if not said:
            return None
        return Beside(side=placed.side, event=said[0], moments=(), said=said)
    wheres = _where(placed.side, event)
    moments = [*_events(store, found, placed.side, wheres[0]), *_memories(store, found, placed.side, wheres[1])]
    sources = _sources(store, [event.engram, *(each.engram for each in moments)])
    source = sources.get(event.engram)  # none, too, if it was forgotten just now
    kin = [each for each in moments if source is not None and sources.get(each.engram) == source]
    asked = set(query_terms(placed.by))
    chosen = [each for each in kin or moments if asked <= set(query_terms(each.text))]
    chosen.sort(key=lambda each: (each.when.start, each.engram), reverse=placed.side == "before")
    chosen = [each for each in chosen if not any(_same(each, other) for other in said)]
    once = list({each.text: each for each in reversed(chosen)}.values())[::-1]
    nearest = once[: 1 if placed.next else max(1, min(found.question.limit, SHOWN))]
    more = 0 if placed.next else len(once) - len(nearest)
    nearest.sort(key=lambda each: (each.when.start, each.engram))
    many = more > 0 and len(moments) >= LOOKED_AT
    return Beside(side=placed.side, event=event, moments=tuple(nearest), more=more, many=many, said=said)


_SIDED = re.compile(r"\b(?P<side>before|after|prior to|following)\s+(?P<of>[^\W\d_][^,;.]*)", re.IGNORECASE)
_BEFORE = frozenset(("before", "prior to"))
_UNSAID = re.compile(
    r"\b(?:not|no|never|nothing|nobody|none|if|unless|perhaps|maybe|will|shall|should|must|may|might|could|would|can)\b"
    r"|n['’]t\b|\?$",
    re.IGNORECASE,
)
"""What makes a sentence no telling of something that happened."""

_HAPPENING = frozenset(query_terms("happened happens came comes occurred took place began started was"))
"""Words beside an event's own that say no more than that it happened."""


def _said(found: Found, placed: Placed) -> tuple[Moment, ...]:
    """Return the sentences that say themselves that something happened on that side of the event that is named."""
    wanted, asked = set(query_terms(placed.event)), set(query_terms(placed.by))
    told: dict[str, Moment] = {}
    for result in found.about_it if wanted else ():
        content = result.engram.content[: findings.READ]
        for start, end in sentences(content):
            text = " ".join(content[start:end].split())
            if asked <= set(query_terms(text)) and not _UNSAID.search(text) and _says(text, placed.side, wanted):
                told.setdefault(text, Moment(when=findings.filed(result.engram), text=text, engram=result.engram.id))
    return tuple(told.values())[:SHOWN]


def _says(text: str, side: str, wanted: Collection[str]) -> bool:
    """Whether a sentence says that something was on one side of an event, which is given by its terms.

    It does by "the audit was over before the flood", and by "the flood came after the audit".
    """
    wanted = set(wanted)
    for clause in _SIDED.finditer(text):
        same = (clause["side"].lower() in _BEFORE) == (side == "before")
        around = query_terms(text[: clause.start()])
        behind = query_terms(clause["of"])
        rest = {*around, *query_terms(text[clause.end("of") :])} - wanted
        if same and rest and behind[:1] and behind[0] in wanted and wanted <= set(behind[: len(wanted) + 1]):
            return True
        if not same and wanted <= set(around) <= wanted | _HAPPENING and not wanted >= set(behind):
            return True
    return False


def _same(one: Moment, other: Moment) -> bool:
    """Whether two moments were told in the same words of the same memory, or one in part of those of the other."""
    first, second = (each.text.rstrip(".").casefold() for each in (one, other))
    return one.engram == other.engram and (first in second or second in first)


def _named(
    found: Found, placed: Placed, events: Mapping[str, Sequence[Event]], saying: Collection[str]
) -> Moment | None:
    """Return the event named, the one that was told with a time of its own if there is one.

    A memory that is ``saying`` what happened beside it does not tell when it happened itself, if another does.
    """
    words = set(query_terms(placed.event))
    weights = {word: weight for word, weight in found.topic.items() if word in words}
    if not weights:
        return None
    engrams = [result.engram for result in found.about_it]
    told = findings.timed_first(findings.happenings(engrams, events, weights, found.pool.plan.windows))
    told = [each for each in told if each[1].engram not in saying and each[0] >= NAMED] or told
    share, moment = max(told, key=lambda each: (each[0], each[1].told_at, each[1].engram), default=(0.0, None))
    return moment if share >= NAMED else None


def _where(side: Literal["before", "after"], event: Moment) -> tuple[Where, Where]:
    """Return the conditions for events, and for memories, that lie wholly on one side of a moment."""
    start, end = event.when.start, event.when.end
    dated = Condition("occurred_at", Op.NULL, False)
    if side == "before":
        return (Condition("occurred_end", Op.LE, start),), (dated, Condition("occurred_end", Op.LE, start))
    return (Condition("occurred_at", Op.GE, end),), (dated, Condition("at", Op.GE, end))


def _events(store: GraphStore, found: Found, side: str, where: Where) -> list[Moment]:
    """Return events told in memories that the question may be answered from."""
    order = Order("occurred_at", descending=side == "before")
    records = {each.id: cast(Event, each) for each in store.find(Kind.EVENT, where, order, LOOKED_AT).records}
    edges = store.edges(list(records), [LinkKind.X_RECORDS], "in", TELLERS) if records else ()
    allowed = store.passing(Kind.ENGRAM, tuple({edge.src for edge in edges}), found.question.request.where)
    tellers = {edge.dst: edge.src for edge in reversed(edges) if edge.src in allowed}
    return [
        Moment(when=findings.interval(records[id]), text=records[id].description, engram=engram)
        for id, engram in tellers.items()
    ]


def _memories(store: GraphStore, found: Found, side: str, where: Where) -> list[Moment]:
    """Return memories that are said to be of some time, and tell no event themselves."""
    order = Order("at", descending=side == "before")
    where = (*found.question.request.where, *where)
    engrams = [cast(Engram, each) for each in store.find(Kind.ENGRAM, where, order, LOOKED_AT).records]
    links = store.links([each.id for each in engrams], [LinkKind.X_RECORDS], "out", MAX_LINKS) if engrams else ()
    telling = {link.src for link in links if link.dst_kind is Kind.EVENT}
    return [
        Moment(when=findings.filed(each), text=findings.quote(each.content[: findings.READ], {}), engram=each.id)
        for each in engrams
        if each.id not in telling
    ]


def _sources(store: GraphStore, engrams: Sequence[str]) -> dict[str, str | None]:
    found = store.peek(Kind.ENGRAM, list(dict.fromkeys(engrams)), ("source",))
    return {id: source for id, (source,) in found.items()}
