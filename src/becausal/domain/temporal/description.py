# SPDX-License-Identifier: Apache-2.0
"""Intervals in words, as exact as they were told."""

from __future__ import annotations

from datetime import datetime, tzinfo

from ..interval import Interval, to_local
from ..records import Precision
from .calendar import DAY, Span, day, decade_of, later, midnight, month_of, quarter_of, season, week_of, year_of
from .lexicon import MONTHS
from .resolve import YEARS_BACK, YEARS_ON, years_away

_MONTH_NAMES = ("", *(name.capitalize() for name in MONTHS))
_SEASON_NAMES = {3: "spring", 6: "summer", 9: "autumn", 12: "winter"}
_EXACT = (Precision.INSTANT, Precision.HOUR, Precision.RANGE)


def describe(interval: Interval, zone: tzinfo) -> str:
    """Return an interval in English, as clocks and calendars in ``zone`` show it.

    The words are as exact as the interval's precision: "9 June 2023, 14:03", "week of 5 June 2023",
    "summer 2022", "since 2019", "3–7 May 2023". What was told in another zone is rounded to whole days.
    """
    start, end = _local(interval.start, zone), _local(interval.end, zone)
    if interval.precision is Precision.INSTANT:
        return f"{_date(start)}, {_clock(start)}"
    if interval.precision is Precision.RANGE and (words := _open(interval, start, end)):
        return words
    if interval.precision not in _EXACT:
        start, end = _nearest_midnight(start), _nearest_midnight(end)
        end = max(end, later(start, DAY))
        if words := _named(Span(start, end, interval.precision)):
            return words
    return _stretch(start, end)


def _local(moment: datetime, zone: tzinfo) -> datetime:
    try:
        return to_local(moment, zone)
    except OverflowError:  # at the very beginning or end of the calendar
        return moment.replace(tzinfo=None)


def _nearest_midnight(moment: datetime) -> datetime:
    return datetime.max if moment > datetime.max - DAY else midnight(moment + DAY / 2)


def _named(span: Span) -> str | None:
    """Return the name of a span that is one day, week, month, quarter, season, year or decade."""
    start = span.start
    match span.precision:
        case Precision.DAY if span == day(start):
            return _date(start)
        case Precision.WEEK if span == week_of(start):
            return f"week of {_date(start)}"
        case Precision.MONTH if span == month_of(start):
            return _month(start)
        case Precision.QUARTER if span == quarter_of(start):
            return f"Q{(start.month + 2) // 3} {start.year}"
        case Precision.SEASON if start.month in _SEASON_NAMES:
            name = _SEASON_NAMES[start.month]
            years = f"{start.year}/{(start.year + 1) % 100:02}" if name == "winter" else str(start.year)
            return f"{name} {years}" if span == season(start.year, name) else None
        case Precision.YEAR if span == year_of(start.year):
            return str(start.year)
        case Precision.DECADE if span == decade_of(start.year):
            return f"the {start.year}s"
    return None


def _open(interval: Interval, start: datetime, end: datetime) -> str | None:
    """Return "since …", "before …" or "from … on" for a range of which only one end was told."""
    if interval.start == years_away(interval.end, -YEARS_BACK):
        return f"before {_edge(end)}"
    if interval.end == years_away(interval.start, YEARS_ON):
        return f"from {_edge(start)} on"
    if start == midnight(start) and end != midnight(end) and end - start > DAY:
        return f"since {_edge(start)}"
    return None


def _edge(moment: datetime) -> str:
    """Return the beginning of a year, month or day by the name of what begins."""
    if moment != midnight(moment):
        return f"{_date(moment)}, {_clock(moment)}"
    if moment.day > 1:
        return _date(moment)
    return _month(moment) if moment.month > 1 else str(moment.year)


def _stretch(start: datetime, end: datetime) -> str:
    """Return two ends, the second included, without repeating what they share."""
    if start != midnight(start) or end != midnight(end):
        return _times(start, end)
    last = end - DAY
    if (start.month, start.day) == (1, 1) and (end.month, end.day) == (1, 1):
        return f"{start.year}–{last.year}" if start.year < last.year else str(start.year)
    if start.day == 1 and end.day == 1:
        if (start.year, start.month) == (last.year, last.month):
            return _month(start)
        return (
            f"{_MONTH_NAMES[start.month]}–{_month(last)}"
            if start.year == last.year
            else (f"{_month(start)} – {_month(last)}")
        )
    if start == last:
        return _date(start)
    if (start.year, start.month) == (last.year, last.month):
        return f"{start.day}–{_date(last)}"
    if start.year == last.year:
        return f"{start.day} {_MONTH_NAMES[start.month]} – {_date(last)}"
    return f"{_date(start)} – {_date(last)}"


def _times(start: datetime, end: datetime) -> str:
    if end == later(midnight(start), DAY):
        return f"{_date(start)}, {_clock(start)}–24:00"
    if midnight(start) == midnight(end):
        return f"{_date(start)}, {_clock(start)}–{_clock(end)}"
    if end == midnight(end):
        return f"{_date(start)}, {_clock(start)} – {_date(end - DAY)}, 24:00"
    return f"{_date(start)}, {_clock(start)} – {_date(end)}, {_clock(end)}"


def _date(moment: datetime) -> str:
    return f"{moment.day} {_month(moment)}"


def _month(moment: datetime) -> str:
    return f"{_MONTH_NAMES[moment.month]} {moment.year}"


def _clock(moment: datetime) -> str:
    return moment.strftime("%H:%M:%S" if moment.second else "%H:%M")
