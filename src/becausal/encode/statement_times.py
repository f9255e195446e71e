# SPDX-License-Identifier: Apache-2.0
"""From when until when a statement holds, by the times its clause mentions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..domain.interval import INSTANT, Interval, lasting
from ..domain.records import Precision
from ..domain.temporal_text import TimeMention
from .statement_line import Line
from .statement_matching import Draft

_ONWARD = ("as of", "starting", "effective", "beginning", "since", "from", "with effect from", "starting in", "as from")
_RANGES = ("from ", "between ")
_NOW = ("this ", "today", "tonight", "next ", "tomorrow", "for ")


class Validity(NamedTuple):
    start: Interval | None
    end: Interval | None
    ended: bool


def validity(line: Line, draft: Draft, span: tuple[int, int], taken: Sequence[tuple[int, int]]) -> Validity:
    """Return the interval of a draft. ``span`` are the characters of its clause, ``taken`` those of its objects."""
    ended = draft.ended or (draft.tense == "past" and not draft.event and not draft.begins)
    mention = _nearest(line, draft, span, taken)
    if mention is None:
        return Validity(None, None, ended)
    interval = mention.interval
    if draft.event or draft.begins:
        return Validity(interval, None, ended)
    if (draft.ended and draft.tense != "past") or (draft.ended and mention.open == "end"):
        if mention.open == "end":
            interval = lasting(interval.start, INSTANT, Precision.INSTANT)
        return Validity(None, interval, True)
    if mention.open == "end":
        return Validity(interval, None, ended)
    if mention.open == "start":
        return Validity(None, interval, ended)
    if interval.precision is Precision.RANGE or mention.text.lower().startswith(_RANGES):
        return Validity(interval, interval, ended)
    before = line.context.reading.text[max(0, mention.start - 20) : mention.start].lower().rstrip()
    if before.endswith(_ONWARD):
        return Validity(interval, None, ended)
    if draft.tense == "past":
        if draft.ended and draft.begins is False and _changes(draft):
            return Validity(None, interval, True)
        return Validity(interval, interval, ended)
    if mention.text.lower().startswith(_NOW):
        return Validity(interval, interval, ended)
    return Validity(interval, None, ended)


def _changes(draft: Draft) -> bool:
    return draft.ended


def _bracketed(line: Line, time: TimeMention) -> bool:
    before = line.context.reading.text[line.start[0] : time.start]
    return before.count("(") > before.count(")")


def _nearest(line: Line, draft: Draft, span: tuple[int, int], taken: Sequence[tuple[int, int]]) -> TimeMention | None:
    """Return the time of a clause: the one told with an open end, else the nearest behind its object."""
    free = [
        time
        for time in line.time_at.values()
        if not _bracketed(line, time)
        and span[0] <= time.start
        and time.end <= span[1]
        and not any(a < time.end and time.start < b for a, b in taken)
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
