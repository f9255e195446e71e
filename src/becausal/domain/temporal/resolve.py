# SPDX-License-Identifier: Apache-2.0
"""From readings to intervals: what a text left out is taken from the dates before it and from the anchor."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import NamedTuple

from ..interval import LAST_MOMENT, Interval, between, to_local, to_utc
from ..records import Precision
from .calendar import (
    DAY,
    Context,
    Mode,
    Recurring,
    Span,
    day,
    first_from,
    last_until,
    midnight,
    nearest,
    pick,
    shift_months,
)
from .clock import Times
from .readings import Moment, Reading, Stretch, Value, previous_word
from .tense import is_today, looks_ahead

YEARS_BACK = 100
"""How far "until 2019" reaches back where nothing else ends it."""

YEARS_ON = 50
"""How far "after 2030" reaches forward where nothing else ends it."""

MEMORY = 2000
"""For how many characters after it was last spoken of a date is remembered."""

_SINCE = re.compile(r"(?:ever\s{1,3})?since(?!\w)", re.IGNORECASE)
_TURNS_IN = {"week": Precision.WEEK, "month": Precision.MONTH, "year": Precision.YEAR}
"""In which period what comes round has one turn."""
_COMPARED = frozenset({"against", "as", "from", "like", "of", "than", "to", "unlike", "with"})
"""What keeps a period from being that of the rest of its sentence: "worse than last year"."""
_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n\s{0,80}\n")


class NoSuchTime(ValueError):
    """The words tell a time that is on no calendar, such as 29 February 2025."""


class Place(NamedTuple):
    """Where in the text a time is told, with the words that belong to it."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Resolved:
    """An interval, the day it is on (a naive midnight), if it is on one, and the calendar time it is."""

    interval: Interval
    day: datetime | None
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class _Told:
    """A day the text has mentioned, up to where the text last spoke of it."""

    day: datetime
    end: int
    dated: bool


class Resolver:
    """Resolves the readings of one text, in text order.

    Its methods raise ``ValueError`` or ``OverflowError`` when the words name no time after all, ``NoSuchTime``
    when they name one that is on no calendar.
    """

    def __init__(self, text: str, context: Context) -> None:
        self._text = text
        self._context = context
        self._told: _Told | None = None
        self._full: _Told | None = None
        self._period: tuple[Span, int] | None = None

    def remember(self, reading: Reading, resolved: Resolved, start: int) -> None:
        """Take note of an accepted mention that begins at ``start``, for those after it."""
        if resolved.span and resolved.span.precision in _TURNS_IN.values():
            compared = previous_word(self._text, start) in _COMPARED
            self._period = None if compared else (resolved.span, reading.end)
        if resolved.day is None:
            return
        kept = self._told is not None and isinstance(reading.value, Times) and self._told.dated
        self._told = _Told(resolved.day, reading.end, reading.dated or kept)
        if reading.full or (self._full and reading.dated):
            self._full = self._told

    def resolve(self, value: Value, place: Place) -> Resolved:
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
                return self._moment(value, place)
            case Stretch():
                return Resolved(self._stretch(value, place), None)
            case _:
                span = self._span(value, place)
                short = span.end - span.start <= DAY
                interval = between(span.start, span.end, span.precision, context.zone)
                return Resolved(interval, midnight(span.start) if short else None, span)

    def _span(self, value: Span | Recurring, place: Place) -> Span:
        if isinstance(value, Span):
            return value
        is_date = value.period == "year" and value.precision in (Precision.DAY, Precision.HOUR)
        if is_date and self._full and place.start - self._full.end <= MEMORY:
            span = nearest(value, self._full.day)
            if span and (span.start <= self._context.local or self._full.day > self._context.local):
                return span
        mode = self._mode(place)
        if span := self._inside(value, place, mode):
            return span
        return _found(pick(value, self._context, mode))

    def _inside(self, value: Recurring, place: Place, mode: Mode) -> Span | None:
        """Return the turn in the period that the sentence has named: "last week it failed on Tuesday"."""
        if self._period is None:
            return None
        period, end = self._period
        same_sentence = place.start - end <= MEMORY and not _SENTENCE_END.search(self._text, end, place.start)
        over = period.end <= self._context.first
        if period.precision is not _TURNS_IN[value.period] or not same_sentence or (over and mode == "future"):
            return None
        span = first_from(value, period.start)
        return span if span and span.start < period.end else None

    def _mode(self, place: Place) -> Mode:
        if _SINCE.match(self._text, place.start) or not looks_ahead(self._text, *place):
            return "past"
        return "this" if is_today(self._text, place.start) else "future"

    def _moment(self, moment: Moment, place: Place) -> Resolved:
        """Return the interval of a time on a day: on a weekday that is the anchor's own, not one still to come."""
        context, turns, span = self._context, moment.day, self._span(moment.day, place)
        interval = moment.times.on(span.start, context.zone, ends_on=moment.ends_on)
        to_come = span.start == midnight(context.last) and interval.start > to_utc(context.last, context.zone)
        if to_come and isinstance(turns, Recurring) and turns.period == "week":
            span = _found(turns.turn(turns.index(span.start) - 1))
            interval = moment.times.on(span.start, context.zone, ends_on=moment.ends_on)
        return Resolved(interval, span.start)

    def _day_for(self, times: Times, place: Place) -> datetime:
        told = self._told
        if told is None or place.start - told.end > MEMORY:
            return self._today(times)
        same_sentence = told.dated or not _SENTENCE_END.search(self._text, told.end, place.start)
        return told.day if same_sentence else self._today(times)

    def _today(self, times: Times) -> datetime:
        if self._context.first != self._context.last:
            return self._context.today  # told on this day, wherever clocks show it
        return midnight(to_local(self._context.anchor, times.first.zone or self._context.zone))

    # --- stretches -------------------------------------------------------------------------------

    def _stretch(self, stretch: Stretch, place: Place) -> Interval:
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

    def _pair(self, first: Span | Recurring, last: Span | Recurring, place: Place) -> tuple[Span, Span]:
        """Return both ends of a stretch, where each may tell the year or week of the other."""
        if isinstance(first, Recurring) and isinstance(last, Span):
            return _found(last_until(first, last.start)), last
        start = self._span(first, place)
        return start, _found(first_from(last, start.start)) if isinstance(last, Recurring) else last

    # --- open ends -------------------------------------------------------------------------------

    def since(self, value: Value, place: Place) -> Interval:
        """Return the time from the beginning of ``value``."""
        resolved = self.resolve(value, place)
        elsewhen = isinstance(value, Times) and resolved.day != self._today(value)
        return self._onward(resolved.interval.start, self._day_end(value, resolved) if elsewhen else None)

    def after(self, value: Value, place: Place) -> Interval:
        """Return the time from the end of ``value``; after a time of day, the rest of that day."""
        resolved = self.resolve(value, place)
        interval, end = resolved.interval, self._day_end(value, resolved)
        start = interval.start if end or interval.precision is Precision.INSTANT else interval.end
        return self._onward(start, end)

    def until(self, value: Value, place: Place, *, including: bool) -> Interval:
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
        raise NoSuchTime("there is no such time")
    return span


def _positive(interval: Interval, positive: bool) -> Interval:
    if not positive:
        raise ValueError("the stretch ends before it begins")
    return interval
