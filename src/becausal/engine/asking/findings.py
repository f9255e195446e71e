# SPDX-License-Identifier: Apache-2.0
"""What was found for a question, ready to be told: quotes and moments."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import NamedTuple, cast

from ...domain.interval import INSTANT, Interval
from ...domain.records import Engram, Event, Kind, Link, Precision
from ...domain.sentences import sentences
from ...magma.evidence import coverage
from ...magma.synthesize import Moment, Quote
from ...ports.store import GraphStore
from ..graph.stated import Sort, Statement
from ..results import Result

WHOLE = 240
"""Characters up to which a text is quoted whole."""

CONTEXT = 200
"""Characters up to which a quoted sentence takes the one after it along."""

READ = 4_000
"""Characters of a memory in which a quote is looked for."""

MAX_SENTENCES = 40
COMPARABLE = 0.6
"""Share of the best quote's coverage from which another one is part of a survey."""

WORDS = 0.2
"""Part of a quote's words in how likely it is an answer; the rest is its memory's score, which knows more than words.

Chosen, as is ``ALSO_QUOTED``, on the conversations of LoCoMo that are for tuning.
"""

ALSO_QUOTED = 0.85
"""How likely an answer a quote must be to be given, as a share of the likeliest."""

LEAST_MOMENT, CLOSE_MOMENT = 0.3, 0.7
"""Share of a question's words that a moment must have to be told, and share of the best moment's."""

TIMED_AS_GOOD = 0.9
"""Share that what has a time of its own tells of a question, of the share of what was merely told at some time."""

LASTING = 7
"""How many times longer than a time asked for something lasts that did not happen then, but was so then, too."""

MAX_FACTS = 10
MAX_EVENTS = 50
FEW_WORDS = 5


def quotes(results: Sequence[Result], weights: Mapping[str, float]) -> list[Quote]:
    """Return of each result what answers most of the question: all of a short text, else the best sentence."""
    found = []
    for number, result in enumerate(results, 1):
        text = quote(result.passage or result.engram.content[:READ], weights)
        share = coverage(weights, (text,))
        found.append(Quote(number=number, engram=result.engram.id, text=text, share=share))
    return found


def comparable(results: Sequence[Result], weights: Mapping[str, float]) -> list[Quote]:
    """Return the quotes that hold nearly as many of a question's words as any, the best first."""
    found = _rated(results, weights)
    least = COMPARABLE * max((each.quote.share for each in found), default=0.0)
    return _numbered([each for each in found if each.quote.share >= least])


def answering(results: Sequence[Result], weights: Mapping[str, float], *, counted: bool = False) -> list[Quote]:
    """Return the quotes that answer a question nearly as well as any, the best first.

    These are those of the memories that were found best, and the one with most of the question's words. Where a
    number is asked for (``counted``), those that tell one go first.
    """
    found = _rated(results, weights)
    likely = [WORDS * each.quote.share + (1.0 - WORDS) * each.score for each in found]
    least = ALSO_QUOTED * max(likely, default=0.0)
    worded = max((each.quote.share for each in found), default=0.0)
    kept = [each for each, how in zip(found, likely, strict=True) if how >= least or each.quote.share == worded]
    if counted:
        kept.sort(key=lambda each: not tells_a_number(each.quote.text))
    return _numbered(kept)


class _Rated(NamedTuple):
    quote: Quote
    score: float  # its memory's, the best one's being 1


def _rated(results: Sequence[Result], weights: Mapping[str, float]) -> list[_Rated]:
    """Return quotes, the best first: half of that is the share of the words, and half the memory's score."""
    most = max((result.score for result in results), default=1.0) or 1.0
    found = [_Rated(each, result.score / most) for each, result in zip(quotes(results, weights), results, strict=True)]
    return sorted(found, key=lambda each: -(each.quote.share + each.score))


def _numbered(found: Sequence[_Rated]) -> list[Quote]:
    return [replace(each.quote, number=number) for number, each in enumerate(found, 1)]


def tells_a_number(text: str) -> bool:
    """Whether a text holds a number, in digits or in words."""
    return bool(_NUMBER.search(text))


_NUMBER = re.compile(
    r"\d|\b(?:no|none|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty"
    r"|sixty|seventy|eighty|ninety|hundreds?|thousands?|millions?|dozens?|half|twice|both|several)\b",
    re.IGNORECASE,
)


def quote(text: str, weights: Mapping[str, float]) -> str:
    """Return the part of a text that answers most of a question, a sentence and what explains it."""
    if len(text) <= WHOLE:
        return " ".join(text.split())
    spans = sentences(text)[:MAX_SENTENCES] or ((0, len(text)),)
    best = max(range(len(spans)), key=lambda at: coverage(weights, (text[spans[at][0] : spans[at][1]],)))
    start, end = spans[best]
    if best + 1 < len(spans) and spans[best + 1][1] - start <= CONTEXT:
        end = spans[best + 1][1]
    return " ".join(text[start:end].split())


# --- moments ---


def happenings(
    engrams: Sequence[Engram],
    events: Mapping[str, Sequence[Event]],
    weights: Mapping[str, float],
    windows: Sequence[Interval],
) -> list[tuple[float, Moment]]:
    """Return what happened according to some memories, each with the share of a question's words it tells.

    ``events`` are those told in each memory. With ``windows`` only what lies in one of them counts. A
    memory that tells no event of a time stands for itself, at the time it is filed under.
    """
    found = []
    for engram in engrams:
        around = coverage(weights, (engram.content,)) if weights else 1.0
        own = [event for event in events.get(engram.id, ()) if _inside(interval(event), windows)]
        for event in own:
            alone = coverage(weights, (event.description,)) if weights else 1.0
            few = len(event.description.split()) <= FEW_WORDS
            text = quote(engram.content[:READ], weights) if few else event.description
            moment = Moment(when=interval(event), text=text, engram=engram.id, told_at=engram.at)
            found.append(((alone + around) / 2, moment))
        elsewhere = bool(windows) and engram.occurred_at is None and bool(events.get(engram.id))
        if not own and not elsewhere and _inside(when := filed(engram), windows):
            text = quote(engram.content[:READ], weights)
            told = engram.occurred_at is None
            found.append((around, Moment(when=when, text=text, engram=engram.id, told=told, told_at=engram.at)))
    return found


def timed_first(found: Sequence[tuple[float, Moment]]) -> list[tuple[float, Moment]]:
    """Return moments without those that were merely told, where what tells as much has a time of its own."""
    told = max((share for share, moment in found if moment.told), default=0.0)
    if any(not moment.told and share >= TIMED_AS_GOOD * told for share, moment in found):
        return [each for each in found if not each[1].told]
    return list(found)


def stated(
    statements: Sequence[Statement], weights: Mapping[str, float], windows: Sequence[Interval]
) -> list[tuple[float, Moment]]:
    """Return what happened, or holds since, according to statements that no memory tells; as ``happenings`` does."""
    found = []
    for each in statements:
        if each.when is not None and _inside(each.when, windows):
            share = coverage(weights, (each.text,)) if weights else 1.0
            lasting = each.sort is not Sort.EVENT
            found.append((share, Moment(when=each.when, text=each.text, engram=each.id, lasting=lasting)))
    return found


def happened_then(found: Sequence[tuple[float, Moment]], windows: Sequence[Interval]) -> list[tuple[float, Moment]]:
    """Return moments without what has begun before a time asked for and lasts far beyond it, unless that is all.

    It was so at that time, as at many others, and is not what happened then.
    """
    kept = [each for each in found if not all(_outlasts(each[1].when, window) for window in windows)]
    return kept if kept and windows else list(found)


def _outlasts(when: Interval, window: Interval) -> bool:
    return when.start < window.start and when.end - when.start > LASTING * (window.end - window.start)


def foremost(found: Sequence[tuple[float, Moment]], most: int) -> list[Moment]:
    """Return the moments that answer most of a question's words, in order of time, each text once."""
    least = max(LEAST_MOMENT, CLOSE_MOMENT * max((share for share, _ in found), default=0.0))
    kept = sorted((each for each in found if each[0] >= least), key=lambda each: (-each[0], each[1].when.start))
    once = {(moment.text, moment.engram): moment for _, moment in kept[:most]}
    return sorted(once.values(), key=lambda moment: (moment.when.start, moment.engram))


def one_each(found: Sequence[tuple[float, Moment]], asked: Sequence[Mapping[str, float]]) -> list[Moment]:
    """Return for each of several things asked about the moment that tells most of it, in order of time.

    ``asked`` holds each thing's words with their weights. Of moments that tell as much, the first one is taken.
    """
    best = []
    for weights in asked:
        shares = [(coverage(weights, (moment.text,)), moment) for _, moment in found]
        share, moment = max(shares, key=lambda each: each[0], default=(0.0, None))
        if moment is not None and share >= LEAST_MOMENT:
            best.append(moment)
    once = {(moment.text, moment.engram): moment for moment in best}
    return sorted(once.values(), key=lambda moment: (moment.when.start, moment.engram))


def interval(event: Event) -> Interval:
    return Interval(event.occurred_at, event.occurred_end, event.precision)


def filed(engram: Engram) -> Interval:
    if engram.occurred_at is not None and engram.occurred_end is not None:
        return Interval(engram.occurred_at, engram.occurred_end, engram.precision or Precision.INSTANT)
    return Interval(engram.at, engram.at + max(INSTANT, timedelta(seconds=1)), Precision.INSTANT)


def _inside(when: Interval, windows: Sequence[Interval]) -> bool:
    return not windows or any(when.overlaps(window) for window in windows)


# --- what memories told ---


def told(links: Sequence[Link], kind: Kind) -> dict[str, list[str]]:
    """Return the ids of the records of one kind that engrams told, by engram."""
    found: dict[str, list[str]] = {}
    for link in links:
        if link.dst_kind is kind:
            found.setdefault(link.src, []).append(link.dst)
    return found


def events_of(store: GraphStore, links: Sequence[Link]) -> dict[str, list[Event]]:
    """Return the events that engrams told, by engram. ``links`` are the engrams' ``X_RECORDS``."""
    by_engram = told(links, Kind.EVENT)
    records = store.get(Kind.EVENT, sorted({id for ids in by_engram.values() for id in ids}))
    return {engram: [cast(Event, records[id]) for id in ids if id in records] for engram, ids in by_engram.items()}


def timeline(events: Collection[Event], windows: Sequence[Interval]) -> tuple[Event, ...]:
    """Return events in order of time: those in the times asked for, or all of them if none is."""
    inside = [event for event in events if _inside(interval(event), windows)] or events
    return tuple(sorted(inside, key=lambda event: (event.occurred_at, event.id))[:MAX_EVENTS])
