# SPDX-License-Identifier: Apache-2.0
"""How the pieces of time expressions join: parts of periods, times relative to others, dates with times of day.

A phrase is read by recursive descent from one place on. Nesting is limited and every pattern is bounded,
so that reading at one place takes constant time whatever the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from ..records import Precision
from .calendar import (
    DAY,
    FINER,
    PARTS_OF_DAY,
    Context,
    Recurring,
    Span,
    day,
    half,
    later,
    midnight,
    part,
    part_of_day,
    pick,
    weekend_of,
)
from .changes import Change, around, beside, counted, nth
from .clock import HOUR, Clock, Times, read_iso_clock, read_times
from .lexicon import NUMBER, ORDINALS, PART_OF_DAY, SEASON, UNIT, WEEKDAY, Pattern, S, one_of, read_number, read_offset
from .readings import Moment, Reading, Value, previous_word
from .relative import CALENDAR, EXACT, RULES, moved, named_turn, singular, unit_around, whole

NESTING = 2
"""How many times may be told relative to each other, as in "the end of the week before Christmas"."""


_FIRST_WORD = re.compile(r"[^\W\d_]+|\d|['’]")
_THE = Pattern(rf"the{S}")
_PERIOD = Pattern(r"(?:week|month|quarter|year|decade)(?!\w)")
_SPECIAL = Pattern(
    rf"(?:(?P<third>early|mid|middle|late)[\s-]{{1,3}}(?:in{S})?"
    rf"|(?P<edge>beginning|start|middle|end|close|first{S}half|second{S}half){S}of{S}"
    rf"|(?P<ordinal>{one_of(ORDINALS)}|last){S}(?P<unit>day|week|weekend|{WEEKDAY}){S}(?:of|in){S})"
    rf"(?P<the>the{S})?"
)
_WHICH = {"middle": "mid", "start": "beginning", "close": "end"}
_OFFSET = Pattern(
    rf"(?:last{S}|(?P<number>{NUMBER})[\s-]{{1,3}})?(?:(?P<unit>{UNIT})|(?P<name>{WEEKDAY}|{SEASON}|{PART_OF_DAY})s?(?!\w)){S}"
    rf"(?P<relation>before|prior{S}to|preceding|after|following|from|of|beginning|starting|commencing){S}"
)
_BEFORE = frozenset({"before", "prior to", "preceding"})
_AROUND = frozenset({"of", "beginning", "starting", "commencing"})
_OTHER = Pattern(r"(?:last|next)(?!\w)")
_STEPS = {"last": -1, "this": 0, "next": 1}

_OF_RELATIVE = Pattern(rf",?{S}(?:of{S})?(?P<relation>last|this|next){S}(?P<period>year|week|month)(?!\w)")
_PART_AFTER = Pattern(rf",?{S}(?:in{S}the{S}|at{S})?(?P<part>{PART_OF_DAY})(?!\w)")
_HEDGE = (
    rf"(?:(?:at|around|about|approximately|roughly|circa|by|starting|beginning|from|(?P<between>between)){S}){{0,2}}~?"
)
_TIMES_AFTER = Pattern(rf"(?:,?{S}|\s?[@,]\s?|:(?=\d\d:\d\d:\d\d)){_HEDGE}(?=\d|noon|mid)")
_BARE_HOUR = Pattern(rf"{S}at{S}(?P<hour>1[0-2]|[1-9])(?![\w:%]|[.,]\d)")
_YEAR_AFTER_TIME = Pattern(r"\s(?P<year>(?:19|20)\d\d)(?:\s(?:(?P<utc>GMT|UTC)|(?P<offset>[+-]\d{4})))?(?![\w:])")
_SECONDS = re.compile(r":\d\d:\d\d")
_DAY_AFTER = Pattern(rf",?{S}(?P<on>on{S})?(?:the{S})?")


def is_day(value: Value) -> bool:
    """Say whether a value is one day, so that a time of day can be added to it."""
    if isinstance(value, Span):
        return value.precision is Precision.DAY and value.end - value.start == DAY
    return isinstance(value, Recurring) and value.precision is Precision.DAY


def changed(value: Value, change: Change, precision: Precision) -> Span | Recurring | None:
    """Apply a change to a span, or to every turn of what comes round; ``None`` where it does not apply."""
    if isinstance(value, Recurring):
        return value.map(change, precision)
    try:
        return change(value) if isinstance(value, Span) else None
    except (ValueError, OverflowError):
        return None


class Phrases:
    """Reads the phrases of one text."""

    def __init__(self, text: str, context: Context) -> None:
        self.text = text
        self.context = context

    def read(self, place: int, nested: int = 0, more: Literal["times", "part", "nothing"] = "times") -> Reading | None:
        """Return the longest phrase that begins at ``place``, or ``None``.

        ``more`` is how a day may go on: with a time of day, with no more than a part of the day, or not at all.
        """
        if article := _THE.match(self.text, place):
            place = article.end()
        first = _FIRST_WORD.match(self.text, place)
        if first is None:
            return None
        key = "0" if first[0].isdecimal() else first[0].lower()
        best = max(self._readings(key, place, nested), key=lambda reading: reading.end, default=None)
        return self._extended(best, nested, more) if best else None

    def _readings(self, key: str, place: int, nested: int) -> Iterator[Reading]:
        for rule in RULES.get(key, ()):
            if match := rule.pattern.match(self.text, place):
                try:
                    reading = rule.read(match, self.context)
                except (ValueError, OverflowError):  # outside the calendar
                    continue
                if reading:
                    yield reading
        if key in TIME_WORDS:
            between = previous_word(self.text, place) == "between"
            if times := read_times(self.text, place, between=between):
                yield Reading(times[0], times[1], weak=times[0].weak)
        if nested < NESTING and (match := _SPECIAL.match(self.text, place)):
            yield from self._part_of(match, nested)
        if nested < NESTING and (match := _OFFSET.match(self.text, place)):
            yield from self._offset(match, nested)

    def _of(self, inner: Reading, change: Change, precision: Precision, part: str | None = None) -> Iterator[Reading]:
        value = changed(inner.value, change, precision)
        if value is not None:
            yield Reading(value, inner.end, part=part)

    # --- parts and offsets -----------------------------------------------------------------------

    def _part_of(self, match: re.Match[str], nested: int) -> Iterator[Reading]:
        """Read "early March 2023", "the end of last year", "the first Monday of June"."""
        inner = self.read(match.end(), nested + 1, "nothing")
        period = _PERIOD.match(self.text, match.end()) if match["the"] and match["edge"] else None
        if period and (inner is None or inner.end <= period.end()):
            inner = Reading(unit_around(self.context.local, period[0].lower()), period.end())
        if inner is None or not isinstance(inner.value, Span | Recurring):
            return
        if inner.value.precision not in FINER:
            if match["third"] and not inner.weak:
                yield inner  # "late yesterday"
            return
        finer = FINER[inner.value.precision]
        words = " ".join((match["third"] or match["edge"] or match["ordinal"]).lower().split())
        if match["ordinal"]:
            unit = match["unit"].lower()
            yield from self._of(inner, nth(words, unit), Precision.WEEK if unit == "week" else Precision.DAY)
        elif words.endswith("half"):
            yield from self._of(inner, lambda span: half(span, 1 if words.startswith("first") else 2), finer)
        else:
            yield from self._of(inner, lambda span: part(span, _WHICH.get(words, words)), finer)

    def _offset(self, match: re.Match[str], nested: int) -> Iterator[Reading]:
        """Read "the week before 9 June 2023", "two days after Christmas", "the morning of 9 June"."""
        unit = singular(match["unit"]) if match["unit"] else match["name"].lower()
        relation = " ".join(match["relation"].lower().split())
        low, high = read_number(match["number"]) if match["number"] else (1.0, 1.0)
        number, unit = whole(low, unit)
        if number < 1 or low != high or (relation == "from" and not match["number"]):
            return
        inner = self.read(match.end(), nested + 1, "times" if unit in EXACT else "nothing")
        if inner is None:
            if not match["number"]:
                yield from self._before_last(match.end(), unit, relation)
        elif relation in _AROUND:
            if not match["number"]:
                yield from self._around(inner, unit, relation)
        elif relation == "from" and unit not in EXACT:
            yield from self._from(inner, number, unit)
        else:
            yield from self._beside(inner, number, unit, -1 if relation in _BEFORE else 1, bool(match["number"]))

    def _around(self, inner: Reading, unit: str, relation: str) -> Iterator[Reading]:
        """Read "the week of 5 June", "the morning of 9 June", "the month of March"."""
        if unit in ("week", "weekend") or unit in PARTS_OF_DAY:
            if is_day(inner.value):
                precision = Precision.WEEK if unit == "week" else Precision.DAY if unit == "weekend" else Precision.HOUR
                yield from self._of(inner, around(unit), precision, unit if unit in PARTS_OF_DAY else None)
        elif relation == "of" and isinstance(inner.value, Span | Recurring) and inner.value.precision.value == unit:
            yield replace(inner, weak=False)

    def _from(self, inner: Reading, number: int, unit: str) -> Iterator[Reading]:
        """Read "a week from Friday": the same day some units after the coming one."""
        value = inner.value
        if isinstance(value, Recurring):
            value = pick(value, self.context, "next") or value
        if is_day(value) and unit in CALENDAR and unit != "weekend":
            yield from self._of(
                replace(inner, value=value), lambda span: day(moved(span.start, number, unit)), Precision.DAY
            )

    def _beside(self, inner: Reading, number: int, unit: str, sign: int, numbered: bool) -> Iterator[Reading]:
        if unit in EXACT:
            times = inner.value.times if isinstance(inner.value, Moment) else inner.value
            if not isinstance(times, Times) or times.last or not numbered:
                return
            time = (times.first.time + EXACT[unit] * number * sign) % (24 * HOUR)
            other = Times(replace(times.first, time=time, hourly=False))
            moment = replace(inner.value, times=other) if isinstance(inner.value, Moment) else None
            yield replace(inner, value=moment or other)
        elif numbered and unit in CALENDAR and unit != "weekend":
            precision = unit_around(self.context.local, unit).precision
            yield from self._of(inner, counted(number, unit, sign), precision)
        elif unit not in PARTS_OF_DAY or not numbered:
            precision = unit_around(self.context.local, unit).precision if unit in CALENDAR else Precision.DAY
            part = unit if unit in PARTS_OF_DAY else None
            yield from self._of(inner, beside(unit, number, sign), Precision.HOUR if part else precision, part)

    def _before_last(self, place: int, unit: str, relation: str) -> Iterator[Reading]:
        """Read "the week before last" and "the weekend after next"."""
        match = _OTHER.match(self.text, place)
        if match is None or relation != {"last": "before", "next": "after"}[match[0].lower()]:
            return
        step = -2 if relation == "before" else 2
        if unit in PARTS_OF_DAY:
            yield Reading(part_of_day(self.context.today + step * DAY, unit), match.end(), part=unit)
        elif unit == "weekend":
            yield Reading(weekend_of(self.context.today + 7 * step * DAY), match.end())
        elif unit in CALENDAR:
            yield Reading(unit_around(moved(self.context.local, step, unit), unit), match.end())
        elif span := named_turn(unit, self.context, step):
            yield Reading(span, match.end())

    # --- what may follow -------------------------------------------------------------------------

    def _extended(self, reading: Reading, nested: int, more: str) -> Reading:
        value = reading.value
        if isinstance(value, Recurring) and (match := _OF_RELATIVE.match(self.text, reading.end)):
            number = value.index(self.context.local) + _STEPS[match["relation"].lower()]
            if match["period"].lower() == value.period and (span := value.turn(number)):
                reading = replace(reading, value=span, end=match.end(), weak=False)
        if more == "nothing":
            return reading
        if is_day(reading.value) and (match := _PART_AFTER.match(self.text, reading.end)):
            named = match["part"].lower()
            inside = changed(reading.value, lambda span: part_of_day(span.start, named), Precision.HOUR)
            if inside is not None:
                reading = replace(reading, value=inside, end=match.end(), part=named, weak=False)
        if more == "times" and isinstance(reading.value, Times):
            return self._with_day(reading, reading.value, nested)
        return self._with_times(reading) if more == "times" and (reading.part or is_day(reading.value)) else reading

    def _with_day(self, reading: Reading, times: Times, nested: int) -> Reading:
        """Add the day that follows a time of day, as in "2:30 pm on 9 June"."""
        match = _DAY_AFTER.match(self.text, reading.end)
        inner = self.read(match.end(), nested + 1, "part") if match and nested < NESTING else None
        if match is None or inner is None or (inner.weak and not match["on"]):
            return reading
        if not (inner.part or is_day(inner.value)):
            return reading
        return self._moment(inner, times, inner.end, ends_on=True) or reading

    def _with_times(self, reading: Reading) -> Reading:
        """Add the time of day that follows a day, as in "9 June at 14:03", "tonight at 8"."""
        if reading.dated and (iso := read_iso_clock(self.text, reading.end)):
            return self._moment(reading, Times(iso[0]), iso[1]) or reading
        if match := _TIMES_AFTER.match(self.text, reading.end):
            found = read_times(self.text, match.end(), between=match["between"] is not None)
            if found:
                reading, found = self._with_year(reading, *found)
                return self._moment(reading, found[0], found[1]) or reading
        if reading.part and (match := _BARE_HOUR.match(self.text, reading.end)):
            clock = Clock(HOUR * int(match["hour"]), None, hourly=True)
            return self._moment(reading, Times(clock), match.end()) or reading
        return reading

    def _with_year(self, reading: Reading, times: Times, end: int) -> tuple[Reading, tuple[Times, int]]:
        """Add the year that follows the time of day where programs write dates: "Tue Nov 27 12:40:49 2017"."""
        value, match = reading.value, _YEAR_AFTER_TIME.match(self.text, end)
        to_the_second = _SECONDS.search(self.text, reading.end, end) is not None
        if match is None or reading.full or not reading.dated or not to_the_second:
            return reading, (times, end)
        span = value.turn(int(match["year"])) if isinstance(value, Recurring) else None
        if span is None:
            return reading, (times, end)
        if match["utc"] or match["offset"]:
            zone = read_offset(match["offset"] or "+0")
            times = Times(replace(times.first, zone=zone), times.last)
        return replace(reading, value=span, full=True), (times, match.end())

    def _moment(self, reading: Reading, times: Times, end: int, *, ends_on: bool = False) -> Reading | None:
        value = reading.value
        if reading.part:
            times = times.in_part(reading.part)
            next_day = reading.part == "night" and times.first.time < 6 * HOUR
            value_or_none = changed(
                value, lambda span: day(later(midnight(span.start), DAY if next_day else 0 * DAY)), Precision.DAY
            )
            if value_or_none is None:
                return None
            value = value_or_none
        if not isinstance(value, Span | Recurring):
            return None
        return replace(reading, value=Moment(value, times, ends_on), end=end, weak=False)


TIME_WORDS = frozenset({"0", "noon", "midday", "midnight"})
"""The first words of times of day; ``"0"`` stands for a numeral."""
PHRASE_WORDS = (
    (frozenset(RULES) | TIME_WORDS)
    | {"early", "mid", "middle", "late", "beginning", "start", "end", "close"}
    | {"day", "week", "weekend", "month", "quarter", "year", "decade", *PARTS_OF_DAY}
)
"""The first words of all phrases."""
