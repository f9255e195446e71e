# SPDX-License-Identifier: Apache-2.0
"""From one time to another: the first Monday of a month, the week before a day, two days after it.

Each function returns a change from a span to a span, which raises ``ValueError`` or ``OverflowError``
where there is no such time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from ..records import Precision
from .calendar import (
    DAY,
    PARTS_OF_DAY,
    Span,
    day,
    days,
    first_from,
    last_before,
    later,
    midnight,
    part_of_day,
    week_of,
    weekend_of,
    weekly,
    weekly_weekend,
)
from .lexicon import ORDINALS, WEEKDAYS
from .periods import turns_of
from .relative import MONTHS_IN, moved, unit_around

Change: TypeAlias = Callable[[Span], Span]


def needed(span: Span | None) -> Span:
    if span is None:
        raise ValueError("there is no such time")
    return span


def nth(which: str, unit: str) -> Change:
    """Return the change from a period to its n-th (or last) day, week, weekend or weekday.

    The weeks of a period are counted from its first day, seven days each.
    """
    number = ORDINALS.get(which, 0)

    def change(span: Span) -> Span:
        if unit in ("day", "week"):
            length = 1 if unit == "day" else 7
            start = span.start + DAY * length * (number - 1) if number else span.end - DAY * length
            found = day(start) if unit == "day" else days(start, 7, Precision.WEEK)
        else:
            turns = weekly_weekend() if unit == "weekend" else weekly(WEEKDAYS[unit])
            if number:
                first = needed(first_from(turns, span.start))
                found = needed(turns.turn(turns.index(first.start) + number - 1))
            else:
                found = needed(last_before(turns, span.end))
        if not span.start <= found.start < span.end:
            raise ValueError("the period is not that long")
        return found

    return change


def beside(unit: str, number: int, sign: int) -> Change:
    """Return the change from a time to the unit straight before (sign −1) or after it, or ``number`` of them away.

    One week before a day is the seven days up to it; two weekends before it is the last but one.
    """

    def change(span: Span) -> Span:
        if unit == "day":
            return day(midnight(span.start) - DAY * number) if sign < 0 else day(later(span.end, DAY * (number - 1)))
        if unit in PARTS_OF_DAY:
            return part_of_day(midnight(span.start) - DAY if sign < 0 else midnight(span.end), unit)
        if unit in MONTHS_IN or unit in ("week", "fortnight"):
            edge = span.start if sign < 0 else span.end
            near, far = moved(edge, sign * (number - 1), unit), moved(edge, sign * number, unit)
            precision = unit_around(edge, unit).precision
            return Span(far, near, precision) if sign < 0 else Span(near, far, precision)
        turns = weekly_weekend() if unit == "weekend" else turns_of(unit)
        if turns is None:
            raise ValueError(f"{unit} does not come round")
        nearest = needed(last_before(turns, span.start) if sign < 0 else first_from(turns, span.end))
        return needed(turns.turn(turns.index(nearest.start) + sign * (number - 1)))

    return change


def counted(number: int, unit: str, sign: int) -> Change:
    """Return the change from a time to what is ``number`` units before it or after its last day.

    Days give that day, weeks the calendar week around it, longer units the month, quarter, year or decade.
    """

    def change(span: Span) -> Span:
        origin = span.start if sign < 0 else span.end - DAY
        return unit_around(moved(origin, sign * number, unit), unit)

    return change


def around(unit: str) -> Change:
    """Return the change from a time to the week, weekend or part of the day it lies in."""
    if unit in PARTS_OF_DAY:
        return lambda span: part_of_day(midnight(span.start), unit)
    return lambda span: weekend_of(span.start) if unit == "weekend" else week_of(span.start)
