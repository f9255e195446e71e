# SPDX-License-Identifier: Apache-2.0
"""What a stretch of text can mean, and the rules that say so.

A rule is a pattern and a function that turns its match into a reading, or ``None`` when the words only
look like a time. Rules are found by the first word they match.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from ..interval import Interval
from ..records import Precision
from .calendar import Context, Recurring, Span, yearly
from .clock import Times
from .lexicon import MONTH, MONTHS, QUANTITIES, WORDLIKE_MONTHS, Pattern, S


@dataclass(frozen=True, slots=True)
class Moment:
    """Times of day on a day; ``ends_on`` if the day was told after them, and so is the day of the last one."""

    day: Span | Recurring
    times: Times
    ends_on: bool = False


@dataclass(frozen=True, slots=True)
class Stretch:
    """From the beginning of one time to the end of another, which may each lack what the other tells."""

    first: Span | Recurring | Interval | Times | Moment
    last: Span | Recurring | Interval | Times | Moment


Value: TypeAlias = Span | Recurring | Interval | Times | Moment | Stretch


@dataclass(frozen=True, slots=True)
class Reading:
    """What a stretch of text that ends at ``end`` can mean.

    ``weak``: it is a time only after a word such as "in" or "since". ``dated``: the day of the month was
    told; ``full``: the year as well. ``part``: the part of the day, if that was told.
    """

    value: Value
    end: int
    weak: bool = False
    dated: bool = False
    full: bool = False
    part: str | None = None


Handler: TypeAlias = Callable[[re.Match[str], Context], Reading | None]


@dataclass(frozen=True, slots=True)
class Rule:
    pattern: Pattern
    read: Handler


def rule(pattern: str, read: Handler) -> Rule:
    return Rule(Pattern(pattern), read)


def by_first_word(*groups: tuple[Iterable[str], Iterable[Rule]]) -> dict[str, tuple[Rule, ...]]:
    """Return the rules that can match at a word; ``"0"`` stands for a numeral."""
    table: dict[str, tuple[Rule, ...]] = {}
    for words, rules in groups:
        for word in words:
            table[word] = table.get(word, ()) + tuple(rules)
    return table


# --- what several rules have in common ----------------------------------------------------------

YEAR = r"(?P<year>(?:19|20)\d\d|[12]\d{3}(?!\s?(?-i:UTC|GMT)(?!\w)))(?!\w|[.,/]\d|-\d\d(?!\d))"
YEAR_AFTER = rf"(?:(?:,\s{{0,3}}|{S}|[-/])(?:of{S})?{YEAR}|\s?['’](?P<short>\d\d)(?!\w))"
MONTH_NAMED = rf"(?P<month>{MONTH})(?!\w)(?:\.(?=,?\s{{1,3}}\d))?"
_PREVIOUS = re.compile(r"(?:^|[^\w'’])([^\W\d_]{1,20})\s{1,3}$")


def capital(word: str) -> bool:
    return word[:1].isupper()


def previous_word(text: str, place: int) -> str:
    """Return the word straight before a place, in lower case, or nothing."""
    match = _PREVIOUS.search(text[max(0, place - 24) : place])
    return match[1].lower() if match else ""


def told_year(match: re.Match[str]) -> int | None:
    """Return the year that ``YEAR_AFTER`` matched."""
    found = match.groupdict()
    if found.get("short"):
        short = int(found["short"])
        return short + (2000 if short < 70 else 1900)
    return int(found["year"]) if found.get("year") else None


def in_year(read: Callable[[int], Span | None], precision: Precision, year: int | None) -> Span | Recurring | None:
    """Return what ``read`` gives for the year, or, where none was told, what comes round every year."""
    recurring = yearly(read, precision)
    return recurring if year is None else recurring.turn(year)


def counts(match: re.Match[str]) -> bool:
    """Say whether the number at the end of a match counts things."""
    return QUANTITIES.match(match.string, match.end()) is not None


def month_fits(word: str, *, has_year: bool, has_day: bool, certain: bool) -> bool:
    """Say whether a month's name next to a day or a year is one; ``certain`` tells "5th of may" from "5 may"."""
    if capital(word):
        return True
    name = word.lower()
    if name not in MONTHS:
        return has_day and has_year
    return certain or has_year or name not in WORDLIKE_MONTHS
