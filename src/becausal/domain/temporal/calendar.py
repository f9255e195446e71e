# SPDX-License-Identifier: Apache-2.0
"""The calendar behind time expressions: spans of wall-clock time, and what comes round every year or week.

Everything here is naive local time; only the finished reading is turned into UTC. Functions raise
``ValueError`` or ``OverflowError`` when asked for what lies outside the years 1 to 9999; an end past the
year 9999 is cut off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from typing import Literal, TypeAlias

from ..interval import Interval, to_local
from ..records import Precision

DAY = timedelta(days=1)
MOMENT = timedelta(microseconds=1)
REACH = 15
"""How many turns either way are tried: 29 February may be eight years off, a Friday the 13th fourteen months."""

SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""Meteorological seasons of the northern hemisphere, by their first month. A winter has the year it begins in."""

PARTS_OF_DAY = {"morning": (5, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30)}
"""First and last hour of the parts of a day; a night runs into the next day."""

FINER = {
    Precision.DECADE: Precision.YEAR,
    Precision.YEAR: Precision.QUARTER,
    Precision.RANGE: Precision.QUARTER,
    Precision.SEASON: Precision.MONTH,
    Precision.QUARTER: Precision.MONTH,
    Precision.MONTH: Precision.WEEK,
    Precision.WEEK: Precision.DAY,
}
"""A part of a period is told one step more exactly than the period."""

Mode: TypeAlias = Literal["past", "future", "last", "next", "this"]


@dataclass(frozen=True, slots=True)
class Span:
    """Wall-clock time from ``start`` up to ``end``, both naive."""

    start: datetime
    end: datetime
    precision: Precision


@dataclass(frozen=True, slots=True)
class Recurring:
    """What was told without its year, month or week: ``at`` gives its n-th turn, if it has one.

    ``index`` is the number of the turn a moment falls in. The next ``strict`` one, a weekday, is never the
    anchor's own day.
    """

    at: Callable[[int], Span | None]
    index: Callable[[datetime], int]
    period: Literal["year", "month", "week"]
    precision: Precision
    strict: bool = False

    def turn(self, number: int) -> Span | None:
        """Return the n-th turn, or ``None`` where there is none, as with 29 February in most years."""
        try:
            return self.at(number)
        except (ValueError, OverflowError):
            return None

    def forward(self, around: datetime) -> Iterator[Span]:
        """Yield the turns from the one before the moment's on, in order of time."""
        middle = self.index(around)
        turns = (self.turn(number) for number in range(middle - 1, middle + REACH + 1))
        return (span for span in turns if span is not None)

    def backward(self, around: datetime) -> Iterator[Span]:
        """Yield the turns from the one after the moment's back, the latest first."""
        middle = self.index(around)
        turns = (self.turn(number) for number in range(middle + 1, middle - REACH - 1, -1))
        return (span for span in turns if span is not None)

    def map(self, change: Callable[[Span], Span], precision: Precision) -> Recurring:
        """Return what lies in the same relation to each turn, such as the week before it."""

        def changed(number: int) -> Span | None:
            span = self.at(number)
            return None if span is None else change(span)

        return replace(self, at=changed, precision=precision, strict=False)


@dataclass(frozen=True, slots=True)
class Context:
    """Where and when a text was told.

    ``local`` is the anchor on the wall clock, ``today`` its midnight. Where only the day, month or year of
    the telling is known, ``first`` and ``last`` are its first and last moment on the wall clock, and the
    anchor is one of its ends.
    """

    anchor: datetime
    zone: tzinfo
    local: datetime
    today: datetime
    first: datetime
    last: datetime

    @classmethod
    def of(cls, told: Interval, zone: tzinfo, end: Literal["start", "end"] = "start") -> Context:
        first = to_local(told.start, zone)
        last = to_local(told.end - MOMENT, zone) if is_vague(told) else first
        local = first if end == "start" else last
        return cls(told.start if end == "start" else told.end, zone, local, midnight(local), first, last)


def is_vague(told: Interval) -> bool:
    """Say whether the time of a telling is known to no more than the hour."""
    return told.precision is not Precision.INSTANT


def pick(recurring: Recurring, context: Context, mode: Mode) -> Span | None:
    """Choose the turn that is meant.

    ``past``: the latest that has begun, or whose day has; ``last``: the latest that was over when the
    anchor's day began; ``future``: the first that is not over; ``next``: the first that begins after the
    anchor; ``this``: the one of the anchor's year, month or week. In a telling of which only the month or
    year is known, ``past`` is all that lie in it, from the first to the last, if any do.
    """
    if mode == "this":
        return recurring.turn(recurring.index(context.local))
    if mode == "last":
        return next((span for span in recurring.backward(context.local) if span.end <= context.today), None)
    if mode == "past":
        return _latest(recurring, context)
    if mode == "next":
        return next((span for span in recurring.forward(context.local) if span.start > context.local), None)
    forward = recurring.forward(context.first)
    if recurring.strict:
        return next((span for span in forward if span.start > context.first), None)
    return next((span for span in forward if span.end > context.first), None)


def _latest(recurring: Recurring, context: Context) -> Span | None:
    until = context.last if recurring.period == "week" else later(midnight(context.last), DAY - MOMENT)
    latest = next((span for span in recurring.backward(context.last) if span.start <= until), None)
    if latest is None or context.last - context.first < DAY:
        return latest
    earliest = first_from(recurring, midnight(context.first))
    if earliest is None or earliest.start >= latest.start:
        return latest
    return Span(earliest.start, latest.end, Precision.RANGE)


def first_from(recurring: Recurring, moment: datetime) -> Span | None:
    """Return the first turn that begins at ``moment`` or later."""
    return next((span for span in recurring.forward(moment) if span.start >= moment), None)


def last_until(recurring: Recurring, moment: datetime) -> Span | None:
    """Return the last turn that begins at ``moment`` or earlier."""
    return next((span for span in recurring.backward(moment) if span.start <= moment), None)


def last_before(recurring: Recurring, moment: datetime) -> Span | None:
    """Return the last turn that is over at ``moment``."""
    return next((span for span in recurring.backward(moment) if span.end <= moment), None)


def nearest(recurring: Recurring, moment: datetime) -> Span | None:
    """Return the turn that begins nearest to ``moment``."""
    sides = (last_until(recurring, moment), first_from(recurring, moment))
    return min((span for span in sides if span), key=lambda span: abs(span.start - moment), default=None)


# --- days, weeks, months and longer -------------------------------------------------------------


def midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def later(moment: datetime, length: timedelta) -> datetime:
    """Return the moment after ``length``, cut off at the end of the year 9999."""
    try:
        return moment + length
    except OverflowError:
        if length > timedelta(0):
            return datetime.max
        raise


def days(start: datetime, number: int, precision: Precision) -> Span:
    return Span(start, later(start, DAY * number), precision)


def day(start: datetime) -> Span:
    return days(start, 1, Precision.DAY)


def week_of(moment: datetime) -> Span:
    """Return the week around a moment, from Monday."""
    return days(midnight(moment) - DAY * moment.weekday(), 7, Precision.WEEK)


def weekend_of(moment: datetime) -> Span:
    """Return the Saturday and Sunday of the week around a moment."""
    return days(later(week_of(moment).start, DAY * 5), 2, Precision.DAY)


def _month_start(index: int) -> datetime:
    year, month = divmod(index, 12)
    return datetime.max if year > 9999 else datetime(year, month + 1, 1)


def months(year: int, month: int, number: int, precision: Precision) -> Span:
    """Return ``number`` months from the first of a month; months before 1 or after 12 count on into other years."""
    index = year * 12 + month - 1
    return Span(_month_start(index), _month_start(index + number), precision)


def month_of(moment: datetime) -> Span:
    return months(moment.year, moment.month, 1, Precision.MONTH)


def quarter(year: int, number: int) -> Span:
    return months(year, number * 3 - 2, 3, Precision.QUARTER)


def quarter_of(moment: datetime) -> Span:
    return quarter(moment.year, (moment.month + 2) // 3)


def season(year: int, name: str) -> Span:
    return months(year, SEASONS[name], 3, Precision.SEASON)


def year_of(year: int) -> Span:
    return months(year, 1, 12, Precision.YEAR)


def decade_of(year: int) -> Span:
    """Return the ten years around one; the first decade has nine, since there is no year 0."""
    first = max(1, year - year % 10)
    return months(first, 1, (10 - first % 10) * 12, Precision.DECADE)


def shift_months(moment: datetime, number: int) -> datetime:
    """Return the same day and time some months away, or that month's last day if it is shorter."""
    start = _month_start(moment.year * 12 + moment.month - 1 + number)
    if start == datetime.max:
        return start
    last = (month_of(start).end - MOMENT).day
    return moment.replace(year=start.year, month=start.month, day=min(moment.day, last))


def part_of_day(start: datetime, part: str) -> Span:
    first, last = PARTS_OF_DAY[part]
    return Span(start + timedelta(hours=first), later(start, timedelta(hours=last)), Precision.HOUR)


# --- parts of periods ---------------------------------------------------------------------------


def _cuts(span: Span) -> tuple[datetime, datetime]:
    """Return where the middle third of a period begins and ends, in whole days, months or years."""
    start = span.start
    match span.precision:
        case Precision.DECADE:
            return shift_months(start, 36), shift_months(start, 84)
        case Precision.YEAR:
            return shift_months(start, 4), shift_months(start, 8)
        case Precision.RANGE:
            return shift_months(start, 2), shift_months(start, 4)
        case Precision.SEASON | Precision.QUARTER:
            return shift_months(start, 1), shift_months(start, 2)
        case Precision.MONTH:
            return start + 10 * DAY, start + 20 * DAY
        case Precision.WEEK:
            return start + 2 * DAY, start + 4 * DAY
        case _:
            raise ValueError("only periods longer than a day have an early, a middle and a late part")


def part(span: Span, which: str) -> Span:
    """Return a part of a period.

    ``early``, ``mid`` and ``late`` are its thirds: days 1–10, 11–20 and 21 to the end of a month; four
    months of a year; years 0–2, 3–6 and 7–9 of a decade; Monday–Tuesday, Wednesday–Thursday and
    Friday–Sunday of a week. ``beginning`` and ``end`` are the same, except for a year: its first and its
    last three months.
    """
    first, second = _cuts(span)
    if span.precision is Precision.YEAR and which in ("beginning", "end"):
        first, second = shift_months(span.start, 3), shift_months(span.start, 9)
    finer = FINER[span.precision]
    if which in ("early", "beginning"):
        return Span(span.start, first, finer)
    return Span(first, second, finer) if which == "mid" else Span(second, span.end, finer)


def half(span: Span, number: int) -> Span:
    """Return the first or second half of a period; of a year, six months."""
    if span.precision not in FINER:
        raise ValueError("only periods longer than a day have halves")
    middle = (
        shift_months(span.start, 6)
        if span.precision is Precision.YEAR
        else midnight(span.start + (span.end - span.start) / 2)
    )
    finer = Precision.RANGE if span.precision is Precision.YEAR else FINER[span.precision]
    return Span(span.start, middle, finer) if number == 1 else Span(middle, span.end, finer)


# --- what comes round ---------------------------------------------------------------------------


def yearly(at: Callable[[int], Span | None], precision: Precision) -> Recurring:
    return Recurring(at, lambda moment: moment.year, "year", precision)


def weekly(weekday: int) -> Recurring:
    """Return a weekday (0 is Monday). Its turns are numbered by the weeks since the year 1."""

    def at(number: int) -> Span:
        return day(datetime.fromordinal(number * 7 + weekday + 1))

    return Recurring(at, lambda moment: (moment.toordinal() - 1) // 7, "week", Precision.DAY, strict=True)


def weekly_weekend() -> Recurring:
    def at(number: int) -> Span:
        return days(datetime.fromordinal(number * 7 + 6), 2, Precision.DAY)

    return Recurring(at, lambda moment: (moment.toordinal() - 1) // 7, "week", Precision.DAY)


def never() -> Recurring:
    """Return the day that is on no calendar, such as 31 June."""
    return yearly(lambda year: None, Precision.DAY)


def monthly(number: int, weekday: int | None = None) -> Recurring:
    """Return the n-th of every month, or of those where it is the given weekday, as in "Friday the 13th"."""

    def at(index: int) -> Span | None:
        found = datetime(index // 12, index % 12 + 1, number)
        return day(found) if weekday in (None, found.weekday()) else None

    return Recurring(at, lambda moment: moment.year * 12 + moment.month - 1, "month", Precision.DAY)
