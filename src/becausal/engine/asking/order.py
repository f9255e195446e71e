# SPDX-License-Identifier: Apache-2.0
"""What happened before something, or after it: the event that a question names, and those next to it in time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from ...domain.records import Engram, Event, Kind, LinkKind
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

SHOWN = 3
MAX_LINKS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """An event, and what was told to have happened on one side of it, in order of time."""

    side: Literal["before", "after"]
    event: Moment
    moments: tuple[Moment, ...]


def told_beside(
    store: GraphStore, found: Found, placed: Placed, events: Mapping[str, Sequence[Event]]
) -> Beside | None:
    """Return what happened beside the event that a question names; ``None`` if no such event was told.

    What is told in the same source goes before all else, as nearness in time alone joins what has nothing in common.
    """
    event = _named(found, placed, events)
    if event is None:
        return None
    wheres = _where(placed.side, event)
    moments = [*_events(store, found, placed.side, wheres[0]), *_memories(store, found, placed.side, wheres[1])]
    sources = _sources(store, [event.engram, *(each.engram for each in moments)])
    source = sources.get(event.engram)  # none, too, if it was forgotten just now
    kin = [each for each in moments if source is not None and sources.get(each.engram) == source]
    asked = set(query_terms(placed.by))
    chosen = [each for each in kin or moments if asked <= set(query_terms(each.text))]
    chosen.sort(key=lambda each: (each.when.start, each.engram), reverse=placed.side == "before")
    nearest = list({each.text: each for each in reversed(chosen)}.values())[::-1][: 1 if placed.next else SHOWN]
    nearest.sort(key=lambda each: (each.when.start, each.engram))
    return Beside(side=placed.side, event=event, moments=tuple(nearest))


def _named(found: Found, placed: Placed, events: Mapping[str, Sequence[Event]]) -> Moment | None:
    """Return the event named, the one that was told with a time of its own if there is one."""
    words = set(query_terms(placed.event))
    weights = {word: weight for word, weight in found.topic.items() if word in words}
    if not weights:
        return None
    engrams = [result.engram for result in found.about_it]
    told = findings.timed_first(findings.happenings(engrams, events, weights, found.pool.plan.windows))
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
