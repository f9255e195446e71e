# SPDX-License-Identifier: Apache-2.0
"""From readings to intervals: what a text left out is taken from the dates before it and from the anchor."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from ..interval import LAST_MOMENT, Interval, between, to_local, to_utc
from ..records import Precision
from .calendar import DAY, Context, Recurring, Span, day, first_from, last_until, midnight, nearest, pick, shift_months
from .clock import Times
from .readings import Moment, Reading, Stretch, Value

YEARS_BACK = 100
"""How far "until 2019" reaches back where nothing else ends it."""

YEARS_ON = 50
"""How far "after 2030" reaches forward where nothing else ends it."""

MEMORY = 2000
"""For how many characters after it was last spoken of a date is remembered."""

_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n\s{0,80}\n")


@dataclass(frozen=True, slots=True)
class Resolved:
    """An interval, and the day it is on (a naive midnight), if it is on one."""

    interval: Interval
    day: datetime | None


@dataclass(frozen=True, slots=True)
class _Told:
    """A day the text has mentioned, up to where the text last spoke of it."""

    day: datetime
    end: int
    dated: bool


class Resolver:
    """Resolves the readings of one text, in text order.

    Its methods raise ``ValueError`` or ``OverflowError`` when the words name no time after all.
    """

    def __init__(self, text: str, context: Context) -> None:
        self._text = text
        self._context = context
        self._told: _Told | None = None
        self._full: _Told | None = None

    def remember(self, reading: Reading, resolved: Resolved) -> None:
        """Take note of an accepted mention, for those after it."""
        if resolved.day is None:
            return
        kept = self._told is not None and isinstance(reading.value, Times) and self._told.dated
        self._told = _Told(resolved.day, reading.end, reading.dated or kept)
        if reading.full or (self._full and reading.dated):
            self._full = self._told

    def resolve(self, value: Value, place: int) -> Resolved:
        """Return the interval of what was read at ``place``."""
        context = self._context
        match value:
            case Interval():
                on_a_day = value.precision in (Precision.INSTANT, Precision.HOUR)
                return Resolved(value, midnight(to_local(value.start, context.zone)) if on_a_day else None)
            case Times():
                start = self._day_for(value, place)
                return Resolved(value.on(start, context.zone), start)
            case Moment():
                start = self._span(value.day, place).start
                return Resolved(value.times.on(start, context.zone, ends_on=value.ends_on), start)
            case Stretch():
                return Resolved(self._stretch(value, place), None)
            case _:
                span = self._span(value, place)
                short = span.end - span.start <= DAY
                return Resolved(
                    between(span.start, span.end, span.precision, context.zone), midnight(span.start) if short else None
                )

    def _span(self, value: Span | Recurring, place: int) -> Span:
        if isinstance(value, Span):
            return value
        is_date = value.period == "year" and value.precision in (Precision.DAY, Precision.HOUR)
        if is_date and self._full and place - self._full.end <= MEMORY:
            span = nearest(value, self._full.day)
            if span and (span.start <= self._context.local or self._full.day > self._context.local):
                return span
        return _found(pick(value, self._context, self._context.prefer))

    def _day_for(self, times: Times, place: int) -> datetime:
        told = self._told
        if told is None or place - told.end > MEMORY:
            return self._today(times)
        same_sentence = told.dated or not _SENTENCE_END.search(self._text, told.end, place)
        return told.day if same_sentence else self._today(times)

    def _today(self, times: Times) -> datetime:
        return midnight(to_local(self._context.anchor, times.first.zone or self._context.zone))

    # --- stretches -------------------------------------------------------------------------------

    def _stretch(self, stretch: Stretch, place: int) -> Interval:
        first, last = stretch.first, stretch.last
        if isinstance(first, Span | Recurring) and isinstance(last, Span | Recurring):
            start, end = self._pair(first, last, place)
            return _positive(between(start.start, end.end, Precision.RANGE, self._context.zone), start.start < end.end)
        if isinstance(first, Moment) and isinstance(last, Moment):
            days = self._pair(first.day, last.day, place)
            first, last = replace(first, day=days[0]), replace(last, day=days[1])
        elif isinstance(first, Times) and isinstance(last, Moment):
            first = Moment(self._span(last.day, place), first)
            last = replace(last, day=first.day)
            if self.resolve(first, place).interval.start >= self.resolve(last, place).interval.start:
                first = replace(first, day=day(_start(first) - DAY))
        elif isinstance(first, Moment) and isinstance(last, Times):
            first = replace(first, day=self._span(first.day, place))
            last = Moment(first.day, last)
            if self.resolve(first, place).interval.start >= self.resolve(last, place).interval.start:
                last = replace(last, day=day(_start(first) + DAY))
        begin, finish = self.resolve(first, place).interval, self.resolve(last, place).interval
        exact = isinstance(last, Times | Moment) or finish.precision is Precision.INSTANT
        return Interval(begin.start, finish.start if exact else finish.end, Precision.RANGE)

    def _pair(self, first: Span | Recurring, last: Span | Recurring, place: int) -> tuple[Span, Span]:
        """Return both ends of a stretch, where each may tell the year or week of the other."""
        if isinstance(first, Recurring) and isinstance(last, Span):
            return _found(last_until(first, last.start)), last
        start = self._span(first, place)
        return start, _found(first_from(last, start.start)) if isinstance(last, Recurring) else last

    # --- open ends -------------------------------------------------------------------------------

    def since(self, value: Value, place: int) -> Interval:
        """Return the time from the beginning of ``value``."""
        resolved = self.resolve(value, place)
        elsewhen = isinstance(value, Times) and resolved.day != self._today(value)
        return self._onward(resolved.interval.start, self._day_end(value, resolved) if elsewhen else None)

    def after(self, value: Value, place: int) -> Interval:
        """Return the time from the end of ``value``; after a time of day, the rest of that day."""
        resolved = self.resolve(value, place)
        interval, end = resolved.interval, self._day_end(value, resolved)
        start = interval.start if end or interval.precision is Precision.INSTANT else interval.end
        return self._onward(start, end)

    def until(self, value: Value, place: int, *, including: bool) -> Interval:
        """Return the time up to the end of ``value``, or up to its beginning; with a time of day, of that day."""
        resolved = self.resolve(value, place)
        interval, times = resolved.interval, _times(value)
        exact = times is not None or interval.precision is Precision.INSTANT
        end = interval.end if including and not exact else interval.start
        if times and resolved.day and interval.start > (begin := self._utc(resolved.day, times)):
            start = begin
        elif self._context.anchor < interval.start:
            start = self._context.anchor.astimezone(UTC)
        else:
            start = years_away(end, -YEARS_BACK)
        return Interval(start, end, Precision.RANGE)

    def _utc(self, local: datetime, times: Times) -> datetime:
        return to_utc(local, times.first.zone or self._context.zone)

    def _day_end(self, value: Value, resolved: Resolved) -> datetime | None:
        """Return the end of the day of a time of day, ``None`` for other times."""
        times = _times(value)
        return self._utc(resolved.day + DAY, times) if times and resolved.day else None

    def _onward(self, start: datetime, end: datetime | None) -> Interval:
        if end is None:
            anchor = self._context.anchor.astimezone(UTC)
            end = anchor if start < anchor else years_away(start, YEARS_ON)
        return Interval(start, end, Precision.RANGE)


def years_away(moment: datetime, years: int) -> datetime:
    """Return the same day of another year, in UTC, held to the years 1 to 9999."""
    naive = moment.replace(tzinfo=None)
    if naive.year + years < 1:
        return datetime.min.replace(tzinfo=UTC)
    if naive.year + years > 9999:
        return LAST_MOMENT
    return shift_months(naive, 12 * years).replace(tzinfo=UTC)


def _times(value: Value) -> Times | None:
    return value.times if isinstance(value, Moment) else value if isinstance(value, Times) else None


def _start(moment: Moment) -> datetime:
    return _found(moment.day if isinstance(moment.day, Span) else None).start


def _found(span: Span | None) -> Span:
    if span is None:
        raise ValueError("there is no such time")
    return span


def _positive(interval: Interval, positive: bool) -> Interval:
    if not positive:
        raise ValueError("the stretch ends before it begins")
    return interval
