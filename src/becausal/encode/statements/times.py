# SPDX-License-Identifier: Apache-2.0
"""From when until when a statement holds, by the times its clause mentions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...domain.interval import INSTANT, Interval, lasting
from ...domain.records import Precision
from ...domain.sentences import Span
from ...domain.temporal.text import TimeMention
from .line import Line
from .matching import Draft

_ONWARD = ("as of", "as from", "with effect from", "starting", "starting in", "effective", "beginning", "since", "from")
_RANGES = ("from ", "between ")
_PASSING = ("this ", "today", "tonight", "next ", "tomorrow", "for ")
_LEAD = 20  # characters before a mention in which the word stands that opens it


class Validity(NamedTuple):
    """From ``start.start`` until ``end.end``; ``ended`` if it was over when it was told."""

    start: Interval | None
    end: Interval | None
    ended: bool


def validity(line: Line, draft: Draft, clause: Span, taken: Sequence[Span]) -> Validity:
    """Return when a draft holds. ``taken`` are the characters of objects, whose times say nothing of that."""
    past = draft.tense == "past"
    ended = draft.ended or (past and not draft.event and not draft.begins)
    mention = _nearest(line, draft, clause, taken)
    if mention is None:
        return Validity(None, None, ended)
    interval = mention.interval
    if draft.event or draft.begins:
        return Validity(interval, None, ended)
    if draft.ended and mention.open == "end":  # "since March we no longer use it"
        return Validity(None, lasting(interval.start, INSTANT, Precision.INSTANT), True)
    if mention.open == "end":
        return Validity(interval, None, ended)
    if draft.ended or mention.open == "start":
        return Validity(None, interval, ended)
    told = mention.text.lower()
    if interval.precision is Precision.RANGE or told.startswith(_RANGES):
        return Validity(interval, interval, ended)
    lead = line.context.reading.text[max(0, mention.start - _LEAD) : mention.start].lower().rstrip()
    if lead.endswith(_ONWARD):
        return Validity(interval, None, ended)
    return Validity(interval, interval if past or told.startswith(_PASSING) else None, ended)


def _nearest(line: Line, draft: Draft, clause: Span, taken: Sequence[Span]) -> TimeMention | None:
    """Return the time of a clause: the one told with an open end, else the nearest behind its object."""
    free = [
        time
        for time in line.time_at.values()
        if clause.start <= time.start
        and time.end <= clause.end
        and not _bracketed(line, time)
        and not any(span.start < time.end and time.start < span.end for span in taken)
    ]
    if not free:
        return None
    opened = [time for time in free if time.open]
    if len(opened) == 1:
        return opened[0]
    text, after = line.context.reading.text, line.end[max(0, draft.after - 1)]
    leading = any(time.end <= line.start[draft.at] for time in free)
    behind = [time for time in free if time.start >= after and not (leading and "," in text[after : time.start])]
    return min(behind, key=lambda time: time.start) if behind else free[-1]


def _bracketed(line: Line, time: TimeMention) -> bool:
    before = line.context.reading.text[line.start[0] : time.start]
    return before.count("(") > before.count(")")
