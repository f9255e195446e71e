# SPDX-License-Identifier: Apache-2.0
"""Which events a question may be about: told in the memories found, described in its words, or near in meaning."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Literal, cast

from ..domain.causal.document import is_for_the_better
from ..domain.causal.identity import opposed
from ..domain.causal.references import is_trouble
from ..domain.causal.sides import is_remedial
from ..domain.designators import Designators, names_others
from ..domain.records import Cause, Kind, Link, LinkKind
from ..domain.text import query_terms
from ..graphs.causes import Causes
from ..ports.store import Condition, GraphStore, Op, Where
from .evidence import coverage, likeness

if TYPE_CHECKING:
    from ..ports.models import Vector

WORDED = 20
NEAREST = 12
TARGETS = 12
"""Events looked at as what the question may be about."""

SPARE = 4
"""Events beyond these that are looked at for one that says the opposite of what is asked about."""

WORDS, MEANING, TOLD = 0.5, 0.35, 0.25
"""Shares of a match: the question's words, its meaning, and how well the memory told in answers it."""

IN_TIME = 0.3
"""What is added to an event that was told of the time asked for."""

OPPOSED = 0.3
"""What is taken off an event that says the opposite of what is asked about, or tells it of another thing."""

MEANT = 0.4
"""Share of an event's match, in words and meaning, that another needs to be asked about instead of it."""

MAX_TIMED = 200
"""Memories of a time asked for whose events are looked at."""

MAX_TELLERS = 100
"""Memories of one event that are tried for one that may be asked."""

REPAIRS = frozenset(query_terms("recover fix restore repair resolve revert rollback restart reboot mitigate patch"))
"""Words by which a question asks about what was done, not about what went wrong."""


_INCIDENT = re.compile(r"\b(?:happen(?:ed|s)?|occur(?:red|s)?|(?:take|took|taken) place)\b", re.IGNORECASE)
"""By which a question names an incident as a whole, with what came of it, and not the one event it has words for."""


class Timing(Enum):
    """Where something lies that a question with a time in it is answered with."""

    INSIDE = "inside"  # in the time asked for
    UNKNOWN = "unknown"  # nobody said when it happened
    ELSEWHERE = "elsewhere"  # at another time


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A question as tracing needs it: its words' weights, its vector, the memories found for it.

    Words that are only about the circumstances of the event asked about weigh less than the others.
    ``engrams`` have scores 0 … 1; ``in_time`` are those told of a time that the question names; ``where``
    says which memories may be asked at all. ``records`` are the ``X_RECORDS`` links of the memories found.
    ``which`` tells the things asked about from others of their kind. ``timing`` tells of causal links when they
    were told to have happened, by id; without it no time is asked for.
    """

    text: str
    weights: Mapping[str, float]
    vector: Vector | None
    engrams: Mapping[str, float]
    in_time: frozenset[str] = frozenset()
    where: Where = ()
    records: tuple[Link, ...] = ()
    timing: Callable[[Sequence[Link]], Mapping[str, Timing]] | None = None
    which: Designators = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """An event that a question may be about, and how well it matches it: in words and meaning alone, and in all.

    ``worded``: it has any of the question's words.
    """

    cause: Cause
    worded: bool
    about: float
    match: float
    cosine: float | None
    opposed: bool
    in_time: bool


def matched(store: GraphStore, wanted: Wanted, way: Literal["in", "out"]) -> list[Matched]:
    """Return the events that a question may be about, the best match first.

    Only those are looked at that something is known to have led ``in`` to, or that are known to have led ``out``.
    """
    cosines: dict[str, float] = {}
    if wanted.vector is not None:
        cosines = {hit.id: hit.score for hit in store.vector_search(Kind.CAUSE, wanted.vector, NEAREST)}
    words = tuple(wanted.weights)
    worded = [hit.id for hit in store.text_search(Kind.CAUSE, words, WORDED).hits] if words else []
    recorded = _recorders(store, list(dict.fromkeys((*cosines, *worded))), wanted)
    ids = list(dict.fromkeys((*recorded, *cosines, *worded)))
    if wanted.vector is not None and (unknown := tuple(id for id in ids if id not in cosines)):
        where = (Condition("id", Op.IN, unknown),)
        cosines |= {hit.id: hit.score for hit in store.vector_search(Kind.CAUSE, wanted.vector, len(unknown), where)}
    repair = is_remedial(wanted.text) or not REPAIRS.isdisjoint(words)
    events = []
    for id, record in store.get(Kind.CAUSE, ids).items():
        cause = cast(Cause, record)
        if cause.node_type == "remedy" and not repair:
            continue
        told_in = recorded.get(id, set())
        if not told_in and not cause.asserted:
            continue
        cosine = cosines.get(id)
        covered = coverage(wanted.weights, (cause.description,))
        about = WORDS * covered + MEANING * likeness(cosine or 0.0)
        match = about + TOLD * max((wanted.engrams.get(engram, 0.0) for engram in told_in), default=0.0)
        in_time = not wanted.in_time.isdisjoint(told_in)
        match += IN_TIME if in_time else 0.0
        events.append(
            Matched(
                cause=cause,
                worded=covered > 0,
                about=about,
                match=match,
                cosine=cosine,
                opposed=False,
                in_time=in_time,
            )
        )
    linked = _linked(store, events, way)
    meant = None if _INCIDENT.search(wanted.text) else max(events, key=lambda event: event.about, default=None)
    if meant is not None and meant not in linked and _linked(store, [meant], "out" if way == "in" else "in"):
        # "Why did the roof leak?", where only what came of it was told: nothing much unlike it is the answer.
        linked = [event for event in linked if event.worded or event.about >= MEANT * meant.about]
    best = sorted(linked, key=_by_match)[: TARGETS + SPARE]
    return sorted((_weighed(event, wanted) for event in best), key=_by_match)[:TARGETS]


def _linked(store: GraphStore, events: Sequence[Matched], way: Literal["in", "out"]) -> list[Matched]:
    """Return the events that have a causal link on one side, or mean the same as one that may have."""
    ids = [event.cause.id for event in events]
    if not ids:
        return []
    edges = (*store.edges(ids, [LinkKind.C_CAUSES], way, 1), *store.edges(ids, [LinkKind.SAME_AS], "both", 1))
    ends = {edge.dst if way == "in" else edge.src for edge in edges if edge.kind is LinkKind.C_CAUSES}
    ends |= {end for edge in edges if edge.kind is LinkKind.SAME_AS for end in (edge.src, edge.dst)}
    return [event for event in events if event.cause.id in ends]


def _by_match(event: Matched) -> tuple[float, str]:
    return -event.match, event.cause.id


def _weighed(event: Matched, wanted: Wanted) -> Matched:
    """Return an event, held to be less what is meant if it is the opposite of what is asked about, or another's."""
    told = event.cause.description
    question = wanted.text
    contrary = opposed(question, told) or (is_trouble(question) and is_for_the_better(told))
    if not contrary and not names_others(wanted.which, told):
        return event
    return replace(event, about=event.about - OPPOSED, match=event.match - OPPOSED, opposed=True)


def _recorders(store: GraphStore, ids: list[str], wanted: Wanted) -> dict[str, set[str]]:
    """Return memories that tell of some events, by event: those found, and some others that may be asked."""
    found: dict[str, set[str]] = {}
    for link in wanted.records:
        if link.dst_kind is Kind.CAUSE:
            found.setdefault(link.dst, set()).add(link.src)
    others = [id for id in timed(wanted) if id not in wanted.engrams]
    for id, tellers in Causes(store).recorded_by(others).items():
        found.setdefault(id, set()).update(tellers)
    untold = [id for id in ids if id not in found]
    each = 1 if len(wanted.where) < 2 else MAX_TELLERS
    edges = store.edges(untold, [LinkKind.X_RECORDS], "in", each) if untold else ()
    allowed = store.passing(Kind.ENGRAM, sorted({edge.src for edge in edges}), wanted.where) if edges else ()
    for edge in edges:
        if edge.src in allowed:
            found.setdefault(edge.dst, set()).add(edge.src)
    return found


def timed(wanted: Wanted) -> list[str]:
    """Return the memories of the time asked for that are looked at."""
    return sorted(wanted.in_time)[:MAX_TIMED]
