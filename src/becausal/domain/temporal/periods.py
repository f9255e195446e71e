# SPDX-License-Identifier: Apache-2.0
"""Weeks, months, quarters, seasons, years and decades by their names: "March 2023", "Q3", "the 1990s"."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from ..records import Precision
from .calendar import (
    SEASONS,
    Context,
    Recurring,
    Span,
    decade_of,
    half,
    months,
    quarter,
    season,
    week_of,
    weekly,
    year_of,
    yearly,
)
from .days import holiday_turns, plain
from .lexicon import ALL_MONTHS, ALL_WEEKDAYS, MONTH, MONTHS, ORDINALS, PLAIN_MONTHS, SEASON, WORDLIKE_MONTHS, S, one_of
from .readings import (
    MONTH_NAMED,
    YEAR,
    YEAR_AFTER,
    Reading,
    by_first_word,
    capital,
    counts,
    in_year,
    month_fits,
    previous_word,
    rule,
    told_year,
)


def _iso_week(match: re.Match[str], context: Context) -> Reading | None:
    monday = datetime.fromisocalendar(int(match["year"]), int(match["week"]), 1)
    return Reading(week_of(monday), match.end())


def _month_year(match: re.Match[str], context: Context) -> Reading | None:
    word = match["month"]
    if not month_fits(word, has_year=True, has_day=False, certain=False) or counts(match) or _no_such_day(match):
        return None
    value = in_year(_month(ALL_MONTHS[word.lower()]), Precision.MONTH, told_year(match))
    return Reading(value, match.end(), full=True) if value else None


def _month(number: int) -> Callable[[int], Span]:
    return lambda year: months(year, number, 1, Precision.MONTH)


def _no_such_day(match: re.Match[str]) -> bool:
    """Say whether the month is part of a date that is not on the calendar, such as 31 June."""
    return _DAY_BEFORE.search(match.string[max(0, match.start() - 12) : match.start()]) is not None


_DAY_BEFORE = re.compile(r"(?:^|[^\w:.,/-])(?:29|3[01])(?:st|nd|rd|th)?\s{1,3}(?:of\s{1,3})?$", re.IGNORECASE)


def _bare_month(match: re.Match[str], context: Context) -> Reading | None:
    word = match["month"]
    name = word.lower().rstrip(".")
    if not capital(word) and (name not in MONTHS or name in WORDLIKE_MONTHS):
        return None
    before = previous_word(match.string, match.start())
    if before in ("a", "an") or _no_such_day(match) or (name not in MONTHS and before not in _BEFORE_SHORT_MONTHS):
        return None
    if word.isupper() and before not in _BEFORE_SHORT_MONTHS:
        return None  # may be the name of a constant
    value = yearly(_month(ALL_MONTHS[name]), Precision.MONTH)
    return Reading(value, match.end(), weak=not (capital(word) and name in PLAIN_MONTHS))


_BEFORE_SHORT_MONTHS = frozenset({"in", "since", "until", "till", "during", "from", "between", "to", "through"}) | {
    "early",
    "mid",
    "late",
    "of",
}


def _iso_month(match: re.Match[str], context: Context) -> Reading | None:
    year, number = int(match["year"]), int(match["month"])
    if not (1900 <= year <= 2100 and 1 <= number <= 12):
        return None
    return Reading(_month(number)(year), match.end(), weak=not _in_brackets(match), full=True)


def _quarter(match: re.Match[str], context: Context) -> Reading | None:
    number = int(match["short_number"] or match["last_number"] or ORDINALS[match["word"].lower()])
    year = int(match["first_year"]) if match["first_year"] else told_year(match)
    if number > 4 or (year is None and (match["word"] or match.string[match.end() : match.end() + 1] in (":", ")"))):
        return None  # "Q3:" numbers a question
    value = in_year(lambda y: quarter(y, number), Precision.QUARTER, year)
    return Reading(value, match.end()) if value else None


def _half_year(match: re.Match[str], context: Context) -> Reading | None:
    number, year = match["number"] or match["last_number"], match["year"] or match["first_year"]
    return Reading(half(year_of(int(year)), int(number)), match.end())


def season_turns(name: str) -> Recurring:
    """Return a season, numbered by the year it begins in."""
    turns = yearly(lambda year: season(year, name), Precision.SEASON)
    return replace(turns, index=lambda moment: moment.year - (name == "winter" and moment.month < 3))


def _season(match: re.Match[str], context: Context) -> Reading | None:
    value = season_turns(match["season"].lower()).turn(told_year(match) or 0)
    return Reading(value, match.end()) if value and not counts(match) else None


def _whole_season(match: re.Match[str], context: Context) -> Reading | None:
    """Read "over the summer"; without "over" or "during" it may be any summer."""
    before = _OVER.search(match.string[max(0, match.start() - 20) : match.start()])
    return Reading(season_turns(match["season"].lower()), match.end()) if before else None


_OVER = re.compile(rf"(?:^|\W)(?:over|during|throughout){S}the{S}$", re.IGNORECASE)


def _bare_year(match: re.Match[str], context: Context) -> Reading | None:
    year = int(match["year"])
    if not 1900 <= year <= 2100 or counts(match):
        return None
    return Reading(year_of(year), match.end(), weak=not (match["said"] or _in_brackets(match)), full=True)


def _in_brackets(match: re.Match[str]) -> bool:
    """Say whether a match is all that stands between round brackets."""
    start, end, text = match.start(), match.end(), match.string
    return text[start - 1 : start] == "(" and text[end : end + 1] == ")"


def _years(match: re.Match[str], context: Context) -> Reading | None:
    first, last = int(match["first"]), int(match["last"])
    if last < 100:
        last += first - first % 100
        if last % 100 <= 12 and match["dash"] == "-":  # more likely a month
            return None
    if not (1900 <= first < last <= 2100) or counts(match):
        return None
    return Reading(Span(year_of(first).start, year_of(last).end, Precision.RANGE), match.end())


def _decade(match: re.Match[str], context: Context) -> Reading | None:
    found = match.groupdict()
    if found["full"]:
        year = int(found["full"])
    elif found["word"]:
        year = 1900 + _DECADES[found["word"].lower()]
        before = previous_word(match.string, match.start())
        if before not in ("the", "early", "mid", "late"):
            return None
    else:
        if found["apostrophe"] is None and not _IN_THE.search(match.string[max(0, match.start() - 24) : match.start()]):
            return None
        year = 1900 + int(found["short"])
    if not 1000 <= year <= 2990 or counts(match) or _SPANS_OF_SECONDS.match(match.string, match.end()):
        return None
    return Reading(decade_of(year), match.end())


_DECADES = {"fifties": 50, "sixties": 60, "seventies": 70, "eighties": 80, "nineties": 90}
_IN_THE = re.compile(
    rf"(?:^|\W)(?:(?:in|of|from|during|since|until){S}the|(?:the{S})?(?:early|mid|late))[\s-]{{1,3}}$", re.IGNORECASE
)
_SPANS_OF_SECONDS = re.compile(
    rf"{S}(?:time-?outs?|intervals?|windows?|delays?|periods?|limits?|marks?|deadlines?|ttl|grace|polls?|sleeps?|waits?)"
    r"(?!\w)",
    re.IGNORECASE,
)


def turns_of(name: str) -> Recurring | None:
    """Return when a weekday, month, season or holiday comes round."""
    word = plain(name)
    if word in ALL_WEEKDAYS:
        return weekly(ALL_WEEKDAYS[word])
    if word in SEASONS:
        return season_turns(word)
    if word in ALL_MONTHS:
        return yearly(_month(ALL_MONTHS[word]), Precision.MONTH)
    return holiday_turns(word)


# --- the rules ----------------------------------------------------------------------------------

_QUARTER = rule(
    rf"(?:(?-i:Q)(?P<short_number>[1-4])(?!\w)|(?P<first_year>[12]\d{{3}})[\s-]?(?-i:Q)(?P<last_number>[1-4])(?!\w)"
    rf"|(?P<word>{one_of(ORDINALS)}){S}quarter(?!\w)){YEAR_AFTER}?",
    _quarter,
)
_HALF_YEAR = rule(
    rf"(?-i:H)(?P<number>[12])(?:\s?[/-]?|{S}of{S}){YEAR}"
    r"|(?P<first_year>[12]\d{3})[\s-]?(?-i:H)(?P<last_number>[12])(?!\w)",
    _half_year,
)
_DECADE_RULE = rule(
    rf"(?:(?P<full>[12]\d\d0)['’]?s|(?P<apostrophe>['’])?(?P<short>[5-9]0)s|(?P<word>{one_of(_DECADES)}))(?!\w)",
    _decade,
)
_BARE_YEAR = rule(rf"(?P<said>(?:the{S})?year{S}|circa{S})?{YEAR}", _bare_year)

PERIOD_RULES = by_first_word(
    (
        "0",
        (
            rule(r"(?P<first>(?:19|20)\d\d)\s?(?P<dash>[-–—])\s?(?P<last>(?:19|20)?\d\d)(?!\w|[-.,:/]\d)", _years),
            rule(r"(?P<year>[12]\d{3})-(?P<month>\d\d)(?![\w-]|[./]\d)", _iso_month),
            rule(r"(?P<year>[12]\d{3})-?W(?P<week>\d\d)(?!\w)", _iso_week),
            _QUARTER,
            _HALF_YEAR,
            _DECADE_RULE,
            _BARE_YEAR,
        ),
    ),
    (
        ALL_MONTHS,
        (rule(rf"{MONTH_NAMED}{YEAR_AFTER}", _month_year), rule(rf"(?P<month>{MONTH})(?!\w)", _bare_month)),
    ),
    (
        SEASONS,
        (
            rule(
                rf"(?P<season>{SEASON})(?:(?:{S}(?:of|in)|,)?{S}(?P<year>[12]\d{{3}})(?:[/–-](?:\d\d)?\d\d)?"
                r"(?!\w|[.,/-]\d)|\s?['’](?P<short>\d\d)(?!\w))",
                _season,
            ),
            rule(rf"(?P<season>{SEASON})(?!\w)", _whole_season),
        ),
    ),
    (("first", "second", "third", "fourth", "q"), (_QUARTER,)),
    ("h", (_HALF_YEAR,)),
    ("'’", (_DECADE_RULE,)),
    (_DECADES, (_DECADE_RULE,)),
    (("year", "circa"), (_BARE_YEAR,)),
)
"""Rules for periods, by the first word they match."""
