# SPDX-License-Identifier: Apache-2.0
"""When it happened, as an answer, or what happened then, beside an event, and how long it lasted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import cast

from ...domain.interval import INSTANT, Interval
from ...domain.records import Engram, Event, Kind, LinkKind, Precision
from ...domain.text import query_terms
from ...magma import synthesize
from ...magma.evidence import coverage
from ...magma.intent import Placed, items, lasts_still
from ...magma.matching import Timing
from ...magma.synthesize import Moment
from ...ports.store import GraphStore
from ..graph.stated import Statement
from . import findings
from .appointments import current_first, without_old
from .asked import Found, Said
from .citing import citations
from .durations import Length, how_long, so_far
from .holding import WEIGHED, Facts
from .order import told_beside

TIMED = 40
"""Memories of a time asked for that are looked at for what happened then."""

MAX_LINKS = 2_000

MERELY_TOLD = 0.9
"""What confidence keeps where a time is asked for and only when it was told is known."""

LENGTH_UNKNOWN = 0.7
"""What it keeps where a length is asked for and only some time was told."""


NOTHING_TOLD = 0.5
"""What it keeps where nothing was told on the side of an event that is asked about: too little to be an answer."""


class Dates:
    """Answers with times."""

    def __init__(self, store: GraphStore, facts: Facts, now: Callable[[], datetime]) -> None:
        self._store = store
        self._facts = facts
        self._now = now

    def timed(self, found: Found, events: Mapping[str, Sequence[Event]]) -> Said | None:
        """Say when it happened, or what happened then."""
        windows = found.pool.plan.windows
        engrams = found.engrams
        if windows:
            timed = sorted(found.in_time, key=lambda id: (-found.pool.by_id[id].score, id))[:TIMED]
            fresh = [id for id in timed if id not in engrams]
            if fresh:
                engrams |= {id: cast(Engram, record) for id, record in self._store.get(Kind.ENGRAM, fresh).items()}
                links = self._store.links(fresh, [LinkKind.X_RECORDS], "out", limit=MAX_LINKS)
                events = {**events, **findings.events_of(self._store, links)}
        untold = {each.id: each for each in found.statements if each.when is not None and not each.tellers}
        happened = findings.happenings(list(engrams.values()), events, found.topic, windows)
        happened += findings.stated(list(untold.values()), found.topic, windows)
        happened = _of_it(found, happened, engrams)
        happened = without_old(happened, found.question.request.zone)
        if not found.topic:
            happened = findings.happened_then(happened, windows)
        moments = _moments(found, happened if windows else findings.timed_first(happened))
        if not moments:
            return None
        moments, planned = current_first(moments, happened, found.question.text, found.question.request.zone)
        cited = citations(self._store, found)
        numbers = [
            cited.statement(untold[each.engram]) if each.engram in untold else cited.memory(each.engram, each.text)
            for each in moments
        ]
        stated = [untold[each.engram] for each in moments if each.engram in untold]
        tellers = [each.engram for each in moments if each.engram not in untold]
        near = self._facts.nearness(found, stated[:WEIGHED])
        sure = found.sure([each.text for each in moments], tellers, near, Timing.INSIDE if stated else None)
        if all(each.told for each in moments):
            sure *= MERELY_TOLD
        zone = found.question.request.zone
        return Said(text=synthesize.when(moments, numbers, zone, planned), sure=sure, cited=cited)

    def beside(self, found: Found, placed: Placed, events: Mapping[str, Sequence[Event]]) -> Said | None:
        """Say what happened before or after an event, if that was told."""
        told = told_beside(self._store, found, placed, events)
        if told is None:
            return None
        cited = citations(self._store, found)
        number = cited.memory(told.event.engram, told.event.text)
        said = [(each, cited.memory(each.engram, each.text)) for each in told.said]
        numbers = [cited.memory(each.engram, each.text) for each in told.moments]
        zone = found.question.request.zone
        text = synthesize.on_one_side(
            told.side, (told.event, number), told.moments, numbers, zone, said=said, more=told.more, many=told.many
        )
        both = (told.event, *told.said, *told.moments)
        sure = found.sure([each.text for each in both], [each.engram for each in both])
        if not told.said and not told.moments:  # that nothing was told does not say that nothing happened
            sure *= NOTHING_TOLD
        return Said(text=text, sure=sure, cited=cited, remarks=synthesize.left_out(told.more, told.many))

    def lasted(self, found: Found, events: Mapping[str, Sequence[Event]]) -> Said | None:
        """Say how long it lasted, if that was told, or when it began and when it was over; else say that it was not."""
        zone = found.question.request.zone
        happened = findings.happenings([each.engram for each in found.about_it], events, found.topic, ())
        happened = _of_it(found, happened, found.engrams)
        untold = {each.id: each for each in found.statements if not each.tellers}
        stated = [
            (coverage(found.topic, (each.text,)), Length(text=each.duration, moments=(_moment(each),)))
            for each in untold.values()
            if each.duration and found.topic and not found.is_of_another(each.text)
        ]
        length = how_long(found.about_it, happened, stated, found.topic, zone)
        still = length is None and lasts_still(found.question.text)
        if still:
            length = so_far(happened, self._now(), zone)
        if length is None:
            said = self.timed(found, events)
            if said is None or still:
                return said
            text = f"{said.text[:1].upper()}{said.text[1:]}"
            return replace(said, text=f"How long was not told. {text}", sure=said.sure * LENGTH_UNKNOWN)
        cited = citations(self._store, found)
        numbers = [
            cited.statement(untold[each.engram]) if each.engram in untold else cited.memory(each.engram, each.text)
            for each in length.moments
        ]
        tellers = [each.engram for each in length.moments if each.engram not in untold]
        near = self._facts.nearness(found, [untold[each.engram] for each in length.moments if each.engram in untold])
        sure = found.sure([each.text for each in length.moments], tellers, near)
        tell = synthesize.lasts if still else synthesize.lasted
        return Said(text=tell(length.text, length.moments, numbers, zone), sure=sure, cited=cited)


def _of_it(
    found: Found, happened: Sequence[tuple[float, Moment]], engrams: Mapping[str, Engram]
) -> list[tuple[float, Moment]]:
    """Return moments without those of others of the kind that a question asks about."""
    told = {id: engram.content[: findings.READ] for id, engram in engrams.items()}
    return [each for each in happened if not found.tells_of_another(each[1].text, told.get(each[1].engram, ""))]


def _moment(each: Statement) -> Moment:
    """Return a statement as something that happened."""
    when = each.when or Interval(each.stated_at, each.stated_at + INSTANT, Precision.INSTANT)
    return Moment(when=when, text=each.text, engram=each.id)


def _moments(found: Found, happened: Sequence[tuple[float, Moment]]) -> list[Moment]:
    """Return the moments to tell: one for each thing that the question lists, else those that answer most of it."""
    asked = [set(query_terms(item)) for item in items(found.question.text)]
    listed = [{word: weight for word, weight in found.topic.items() if word in each} for each in asked]
    moments = findings.one_each(happened, listed) if all(listed) and listed else []
    if len(moments) < len(listed) or not listed:
        moments = findings.foremost(happened, synthesize.SHOWN_MOMENTS)
    return moments
