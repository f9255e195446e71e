# SPDX-License-Identifier: Apache-2.0
"""Times told from where the teller stands: "yesterday", "last Tuesday", "two weeks ago", "the past three days"."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from ..interval import INSTANT, Interval, between, lasting, to_local
from ..records import Precision
from .calendar import (
    DAY,
    PARTS_OF_DAY,
    Context,
    Mode,
    Span,
    day,
    decade_of,
    months,
    part_of_day,
    pick,
    quarter_of,
    shift_months,
    week_of,
    weekend_of,
    weekly_weekend,
    year_of,
)
from .clock import HOUR
from .days import DAY_RULES
from .lexicon import (
    ANY_WEEKDAY,
    FRACTIONS,
    HOLIDAY,
    MONTH,
    NUMBER,
    NUMBERS,
    PART_OF_DAY,
    SEASON,
    SHORT_MONTHS,
    SHORT_WEEKDAYS,
    TINY_UNITS,
    UNIT,
    UNITS,
    VAGUE_NUMBERS,
    WEEKDAY,
    WORDLIKE_MONTHS,
    S,
    one_of,
    read_number,
)
from .periods import PERIOD_RULES, turns_of
from .readings import Reading, by_first_word, capital, previous_word, rule
from .tense import looks_ahead

EXACT = {"second": timedelta(seconds=1), "minute": timedelta(minutes=1), "hour": HOUR}
"""Units that are counted in real time; all others are counted on the calendar."""

_DAYS = {"day": 1, "week": 7, "fortnight": 14}
MONTHS_IN = {"month": 1, "quarter": 3, "year": 12, "decade": 120}

CALENDAR = frozenset(_DAYS) | frozenset(MONTHS_IN) | {"weekend"}
"""Units that are counted on the calendar."""

_MODES: dict[str, Mode] = {
    "last": "last",
    "previous": "last",
    "past": "last",
    "this past": "last",
    "this": "this",
    "next": "next",
    "coming": "next",
    "upcoming": "next",
    "this coming": "next",
}
_STEPS = {"last": -1, "this": 0, "next": 1}


# --- counting -----------------------------------------------------------------------------------


def singular(unit: str) -> str:
    """Return the unit that a word such as "hrs" or "weeks" names."""
    word = unit.lower()
    return UNITS.get(word) or UNITS[word.removesuffix("s")]


def whole(number: float, unit: str) -> tuple[int, str]:
    """Return an amount in the largest unit in which it is a whole number: half an hour is 30 minutes."""
    while number != int(number) and unit in FRACTIONS:
        factor, unit = FRACTIONS[unit]
        number *= factor
    return round(number), unit


def joined(number: float, unit: str, more: float, smaller: str) -> tuple[float, str]:
    """Return the sum of two amounts in the smaller unit: two years and three months are 27 months.

    Raises:
        ValueError: the second unit is not the smaller one.
    """
    while unit != smaller:
        if unit not in FRACTIONS:
            raise ValueError("the second unit must be smaller than the first")
        factor, unit = FRACTIONS[unit]
        number *= factor
    return number + more, unit


def moved(moment: datetime, number: int, unit: str) -> datetime:
    """Return the wall-clock time some units away: the same hour of another day, month or year.

    Raises:
        OverflowError: that lies outside the years 1 to 9999.
    """
    if unit in MONTHS_IN:
        there = shift_months(moment, number * MONTHS_IN[unit])
        if there == datetime.max:
            raise OverflowError("that lies after the year 9999")
        return there
    return moment + (DAY * (number * _DAYS[unit]) if unit in _DAYS else EXACT[unit] * number)


def unit_around(moment: datetime, unit: str) -> Span:
    """Return the calendar day, week, month, quarter, year, decade or weekend around a wall-clock time."""
    match unit:
        case "day":
            return day(moment.replace(hour=0, minute=0, second=0, microsecond=0))
        case "week" | "fortnight":
            return week_of(moment)
        case "month":
            return months(moment.year, moment.month, 1, Precision.MONTH)
        case "quarter":
            return quarter_of(moment)
        case "year":
            return year_of(moment.year)
        case "decade":
            return decade_of(moment.year)
        case "weekend":
            return weekend_of(moment)
    raise ValueError(f"{unit} is no calendar unit")


def away(number: int, unit: str, context: Context) -> Span | Interval:
    """Return what lies ``number`` units after the anchor (before it, if negative).

    Seconds and minutes give the instant; hours the clock hour it falls in; days, weeks, months, quarters,
    years and decades the calendar unit it falls in.
    """
    if unit in EXACT:
        moment = context.anchor.astimezone(UTC) + EXACT[unit] * number
        if unit != "hour":
            return lasting(moment, INSTANT, Precision.INSTANT)
        local = to_local(moment, context.zone)
        into = timedelta(minutes=local.minute, seconds=local.second, microseconds=local.microsecond)
        return lasting(moment - into, HOUR, Precision.HOUR)
    if unit == "weekend":
        return weekend_of(context.today + DAY * 7 * number)
    return unit_around(moved(context.today, number, unit), unit)


def hull(first: Span | Interval, last: Span | Interval) -> Span | Interval:
    """Return what reaches from the beginning of one to the end of the other, both of one kind."""
    if isinstance(first, Span) and isinstance(last, Span):
        return Span(first.start, last.end, first.precision)
    if isinstance(first, Interval) and isinstance(last, Interval):
        return Interval(first.start, last.end, first.precision)
    raise TypeError("calendar time and exact time have no common hull")


def rolling(number: int, unit: str, context: Context) -> Interval:
    """Return the time between the anchor and ``number`` units after (before) it, to the second."""
    anchor = context.anchor.astimezone(UTC)
    if unit in EXACT:
        other = anchor + EXACT[unit] * number
        return Interval(min(anchor, other), max(anchor, other), Precision.RANGE)
    other_local = moved(context.local, number, unit)
    if number < 0:
        start = between(other_local, context.local, Precision.RANGE, context.zone).start
        return Interval(start, anchor, Precision.RANGE)
    return Interval(anchor, between(context.local, other_local, Precision.RANGE, context.zone).end, Precision.RANGE)


# --- rules --------------------------------------------------------------------------------------


_NAME_BEFORE = re.compile(r"[A-Z]\w{1,20}\s$")


def _day_word(match: re.Match[str], context: Context) -> Reading | None:
    word = match[0].lower()
    if capital(match[0]) and _NAME_BEFORE.search(match.string[max(0, match.start() - 24) : match.start()]):
        return None  # such as the name of a newspaper
    if word == "tonight":
        small_hours = context.local.hour < PARTS_OF_DAY["morning"][0]
        under_way = small_hours and not looks_ahead(match.string, match.start(), match.end())
        return Reading(part_of_day(context.today - DAY * under_way, "night"), match.end(), part="night")
    return Reading(day(context.today + DAY * {"yesterday": -1, "today": 0, "tomorrow": 1}[word]), match.end())


_IN_THE = re.compile(rf"(?:^|\W)(?:in|over|within|during|for|throughout){S}the{S}$", re.IGNORECASE)


def _relative_unit(match: re.Match[str], context: Context) -> Reading | None:
    relation, unit = " ".join(match["relation"].lower().split()), singular(match["unit"])
    mode = _MODES[relation]
    in_the = _IN_THE.search(match.string[max(0, match.start() - 20) : match.start()])
    if unit != "weekend" and (relation in ("past", "this past", "coming") or (in_the and mode != "this")):
        return Reading(rolling(-1 if mode == "last" else 1, unit, context), match.end())
    if unit in EXACT or unit in ("day", "fortnight"):
        return None
    if unit == "weekend" and relation in ("coming", "upcoming", "this coming"):
        span = pick(weekly_weekend(), context, "next")
        return Reading(span, match.end()) if span else None
    return Reading(away(_STEPS[mode], unit, context), match.end())


def _the_weekend(match: re.Match[str], context: Context) -> Reading | None:
    """Read "over the weekend"; without such a word before it, it may be any."""
    before = _ON_THE.search(match.string[max(0, match.start() - 20) : match.start()])
    return Reading(weekly_weekend(), match.end()) if before else None


_ON_THE = re.compile(rf"(?:^|\W)(?:at|by|during|for|on|over|since|throughout|until){S}the{S}$", re.IGNORECASE)


def _part_of_period(match: re.Match[str], context: Context) -> Reading | None:
    """Read "earlier this week", up to the anchor, and "later this year", from the anchor on."""
    span = unit_around(context.local, singular(match["unit"]))
    if match["side"].lower() == "earlier":
        value = Span(span.start, context.local, span.precision)
    else:
        value = Span(context.local, span.end, span.precision)
    return Reading(value if value.start < value.end else span, match.end())


def _relative_part(match: re.Match[str], context: Context) -> Reading | None:
    relation, part = match["relation"].lower(), match["part"].lower()
    if relation == "this" and part != "night":
        return Reading(part_of_day(context.today, part), match.end(), part=part)
    if relation == "last" and part in ("night", "evening"):
        return Reading(part_of_day(context.today - DAY, part), match.end(), part=part)
    return None


def _relative_name(match: re.Match[str], context: Context) -> Reading | None:
    """Read "last Friday", "this summer", "next March", "last Christmas"."""
    name = match["name"]
    word = name.lower()
    if not capital(name) and (word in WORDLIKE_MONTHS or word in SHORT_MONTHS or word in SHORT_WEEKDAYS):
        return None
    turns = turns_of(name)
    span = pick(turns, context, _MODES[" ".join(match["relation"].lower().split())]) if turns else None
    return Reading(span, match.end()) if span else None


def _month_in_year(match: re.Match[str], context: Context) -> Reading | None:
    """Read "last year in March"."""
    turns = turns_of(match["name"])
    if turns is None or not capital(match["name"]):
        return None
    span = turns.turn(context.local.year + _STEPS[match["relation"].lower()])
    return Reading(span, match.end()) if span else None


def _rolling(match: re.Match[str], context: Context) -> Reading | None:
    number, unit = whole(read_number(match["number"])[1], singular(match["unit"]))
    if number < 1 or unit == "weekend":
        return None
    back = match["relation"].lower() in ("last", "past", "previous")
    if not back and unit in EXACT and not looks_ahead(match.string, match.start(), match.end()):
        return None  # "over the next two hours" in a report of what happened
    return Reading(rolling(-number if back else number, unit, context), match.end())


def _direction(match: re.Match[str], context: Context) -> int:
    """Return −1 for "ago", 1 for "from now" and for "in two weeks" that lie ahead, 0 for a mere length of time."""
    if match["ago"] or match["same"]:
        return -1
    if match["ahead"]:
        return 1
    if previous_word(match.string, match.start()) != "in":
        return 0
    if match["time"]:
        return 1
    brief = bool(match["tiny"]) or singular(match["unit"]) in ("second", "minute")  # "it restarts in 5 minutes"
    return 1 if not brief and looks_ahead(match.string, match.start(), match.end()) else 0


def _away(match: re.Match[str], context: Context) -> Reading | None:
    direction = _direction(match, context)
    if direction == 0:
        return None
    low, high = read_number(match["number"])
    if match["same"]:
        unit = singular(match["unit"] or "")
        return Reading(day(moved(context.today, -int(low), unit)), match.end()) if low == high >= 1 else None
    unit = TINY_UNITS[match["tiny"].lower()] if match["tiny"] else singular(match["unit"])
    more, smaller = 0.5 if match["half"] else 0.0, unit
    if match["number2"]:
        more, smaller = read_number(match["number2"])[0], singular(match["unit2"])
    ends = []
    for number in (low, high):
        total, counted = joined(number, unit, more, smaller) if match["number2"] else (number + more, unit)
        ends.append(away(direction * whole(total, counted)[0], whole(total, counted)[1], context))
    first, last = ends if direction > 0 else reversed(ends)
    return Reading(hull(first, last), match.end())


def named_turn(name: str, context: Context, number: int) -> Span | None:
    """Return the n-th last (negative) or next weekday or season: −1 is "last Friday", −2 the one before it."""
    turns = turns_of(name)
    near = pick(turns, context, "last" if number < 0 else "next") if turns else None
    if turns is None or near is None:
        return None
    return turns.turn(turns.index(near.start) + (number + 1 if number < 0 else number - 1))


def _names_ago(match: re.Match[str], context: Context) -> Reading | None:
    """Read "two Fridays ago", "three summers ago", "two nights ago"."""
    number, word = int(read_number(match["number"])[0]), match["name"].lower()
    if number < 1:
        return None
    if word == "night":
        return Reading(part_of_day(context.today - DAY * number, word), match.end(), part=word)
    span = named_turn(word, context, -number)
    return Reading(span, match.end()) if span else None


_RELATION = r"this\s{1,3}past|this\s{1,3}coming|last|past|previous|this|next|coming|upcoming"
_NO_DATE = rf"(?!,?{S}(?:the{S})?\d{{1,4}}(?:st|nd|rd|th)?(?!\w|:|\s?[ap]\.?m))"
_AGO = (
    r"(?:(?P<same>ago\s{1,3}today)|(?P<ago>ago|back(?!\s{1,3}(?:to|in|from|on|and|up|at)(?!\w)))"
    r"|(?P<ahead>from\s{1,3}(?:now|today)|hence))(?!\w)"
)
_NAME = rf"(?P<name>{ANY_WEEKDAY}|{MONTH}|{SEASON}|{HOLIDAY})"

_RELATION_RULES = (
    rule(rf"(?P<relation>{_RELATION}){S}(?P<unit>{one_of(UNITS)})(?!\w)", _relative_unit),
    rule(rf"(?P<relation>last|this|next){S}year,?{S}in{S}(?P<name>{MONTH})(?!\w){_NO_DATE}", _month_in_year),
    rule(rf"(?P<relation>this|last){S}(?P<part>{PART_OF_DAY})(?!\w)", _relative_part),
    rule(rf"(?P<relation>{_RELATION}){S}{_NAME}(?!\w){_NO_DATE}", _relative_name),
    rule(
        rf"(?P<relation>last|past|previous|next|coming){S}(?P<number>{NUMBER})[\s-]{{1,3}}(?P<unit>{UNIT})(?!{S}of(?!\w))",
        _rolling,
    ),
)
_AWAY_RULES = (
    rule(
        rf"(?P<number>{NUMBER})(?:[\s-]{{0,3}}(?P<unit>{UNIT})|(?P<tiny>{one_of(TINY_UNITS)})(?!\w))"
        rf"(?:(?:,|,?{S}and)?{S}(?P<number2>{NUMBER})[\s-]{{0,3}}(?P<unit2>{UNIT}))?(?P<half>{S}and{S}a{S}half)?"
        rf"(?:{S}{_AGO}|(?P<time>['’]{S}time|{S}time)?)",
        _away,
    ),
    rule(rf"(?P<number>{NUMBER}){S}(?P<name>{WEEKDAY}|{SEASON}|night)s{S}ago(?!\w)", _names_ago),
)
RULES = by_first_word(
    *(((word,), rules) for table in (DAY_RULES, PERIOD_RULES) for word, rules in table.items()),
    (("today", "tonight", "yesterday", "tomorrow"), (rule(r"(?:today|tonight|yesterday|tomorrow)(?!\w)", _day_word),)),
    ({word.split(r"\s")[0] for word in _RELATION.split("|")}, _RELATION_RULES),
    (
        ("earlier", "later"),
        (rule(rf"(?P<side>earlier|later){S}this{S}(?P<unit>week|month|quarter|year|decade)(?!\w)", _part_of_period),),
    ),
    (("weekend",), (rule(r"weekend(?!\w)", _the_weekend),)),
    ({"0"} | {word.split()[0].split("-")[0] for word in NUMBERS | VAGUE_NUMBERS}, _AWAY_RULES),
)
"""All rules that read a time on their own, by the first word they match."""
