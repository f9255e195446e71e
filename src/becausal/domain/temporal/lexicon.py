# SPDX-License-Identifier: Apache-2.0
"""The words of time expressions, and the pieces of regular expressions made from them.

Every repetition in these patterns is bounded, so matching one at a place takes constant time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, timedelta, timezone, tzinfo
from functools import cache
from zoneinfo import ZoneInfo

S = r"(?:[^\S\n]{1,3}(?:\n[^\S\n]{0,8})?|\n[^\S\n]{0,8})"
"""The white space between two words: a few blanks, with one line break at most."""


def one_of(words: Iterable[str]) -> str:
    """Return a pattern for any of the words, the longest first."""
    return "|".join(re.escape(word).replace(r"\ ", S) for word in sorted(words, key=len, reverse=True))


class Pattern:
    """A regular expression, without regard to case, that is compiled when it is first needed.

    All of them together take longer to compile than the rest of the package takes to start.
    """

    __slots__ = ("_compiled", "_flags", "_source")

    def __init__(self, source: str, flags: int = 0) -> None:
        self._source = source
        self._flags = flags | re.IGNORECASE
        self._compiled: re.Pattern[str] | None = None

    def match(self, text: str, place: int = 0) -> re.Match[str] | None:
        """Match at ``place``."""
        if self._compiled is None:
            self._compiled = re.compile(self._source, self._flags)
        return self._compiled.match(text, place)


# --- months and days ----------------------------------------------------------------------------


def _words(text: str) -> list[str]:
    return text.split()


_MONTH_NAMES = "january february march april may june july august september october november december"
MONTHS = {name: number for number, name in enumerate(_words(_MONTH_NAMES), 1)}
SHORT_MONTHS = {name[:3]: number for name, number in MONTHS.items() if name != "may"} | {"sept": 9}
ALL_MONTHS = MONTHS | SHORT_MONTHS
PLAIN_MONTHS = frozenset(MONTHS) - {"march", "april", "may", "june", "august"}
"""Months whose names mean nothing else, neither a verb nor a person."""
WORDLIKE_MONTHS = frozenset({"march", "may", "august"})
"""Months that in lower case are ordinary words."""

WEEKDAYS = {
    name: number for number, name in enumerate(_words("monday tuesday wednesday thursday friday saturday sunday"))
}
SHORT_WEEKDAYS = {name[:3]: number for name, number in WEEKDAYS.items()} | {"tues": 1, "thur": 3, "thurs": 3}
ALL_WEEKDAYS = WEEKDAYS | SHORT_WEEKDAYS
NAMED_WEEKDAYS = frozenset(
    _words("black good ash cyber super ruby palm easter maundy shrove bloody casual taco fat holy")
)
"""What makes a weekday a name: Black Friday, Ash Wednesday."""

MONTH = one_of(ALL_MONTHS)
WEEKDAY = one_of(WEEKDAYS)
ANY_WEEKDAY = one_of(ALL_WEEKDAYS)
SEASON = "spring|summer|autumn|fall|winter"
PART_OF_DAY = "morning|afternoon|evening|night"

HOLIDAYS: dict[str, tuple[int, int]] = {
    "christmas": (12, 25),
    "xmas": (12, 25),
    "christmas day": (12, 25),
    "christmas eve": (12, 24),
    "boxing day": (12, 26),
    "new year's eve": (12, 31),
    "new year's day": (1, 1),
    "new year": (1, 1),
    "halloween": (10, 31),
    "valentine's day": (2, 14),
    "fourth of july": (7, 4),
}
"""Holidays that fall on the same date every year and wherever they are kept."""
CERTAIN_HOLIDAYS = frozenset(name for name in HOLIDAYS if name.endswith((" day", " eve", "july")))
"""Holidays that are times even without a preposition; "a Christmas tree" is none."""
HOLIDAY = one_of(HOLIDAYS).replace("'", "['’]?")

# --- numbers ------------------------------------------------------------------------------------

_ONES = _words("one two three four five six seven eight nine ten eleven twelve")
_TEENS = _words("thirteen fourteen fifteen sixteen seventeen eighteen nineteen")
_TENS = _words("twenty thirty forty fifty sixty seventy eighty ninety")
NUMBERS: dict[str, float] = {
    **{word: float(value) for value, word in enumerate((*_ONES, *_TEENS), 1)},
    **{word: value * 10.0 for value, word in enumerate(_TENS, 2)},
    **{
        f"{tens}-{ones}": value * 10.0 + unit
        for value, tens in enumerate(_TENS, 2)
        for unit, ones in enumerate(_ONES[:9], 1)
    },
    "a": 1.0,
    "an": 1.0,
    "half a": 0.5,
    "half an": 0.5,
    "a dozen": 12.0,
}
VAGUE_NUMBERS = {
    "a couple": (2.0, 2.0),
    "a couple of": (2.0, 2.0),
    "couple": (2.0, 2.0),
    "couple of": (2.0, 2.0),
    "a few": (2.0, 4.0),
    "few": (2.0, 4.0),
    "several": (3.0, 7.0),
}
"""What people mean by a few: the lowest and the highest number."""
NUMBER = rf"(?:\d{{1,4}}(?:\.\d)?|{one_of(NUMBERS | VAGUE_NUMBERS)})(?:{S}and{S}a{S}half)?"
ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5}
DAY_ORDINALS = {
    word: number
    for number, word in enumerate(
        _words(
            "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
            "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third "
            "twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first"
        ),
        1,
    )
}


def read_number(text: str) -> tuple[float, float]:
    """Return the lowest and the highest value a number word or numeral can have."""
    words = " ".join(text.lower().split())
    more = 0.5 if words.endswith(" and a half") else 0.0
    words = words.removesuffix(" and a half")
    if words in VAGUE_NUMBERS:
        return VAGUE_NUMBERS[words]
    value = NUMBERS[words] if words in NUMBERS else float(words)
    return value + more, value + more


# --- units --------------------------------------------------------------------------------------

UNITS = {
    "second": "second",
    "sec": "second",
    "minute": "minute",
    "min": "minute",
    "hour": "hour",
    "hr": "hour",
    "day": "day",
    "week": "week",
    "fortnight": "fortnight",
    "month": "month",
    "quarter": "quarter",
    "year": "year",
    "yr": "year",
    "decade": "decade",
    "weekend": "weekend",
}
TINY_UNITS = {"s": "second", "m": "minute", "h": "hour", "d": "day", "w": "week", "mo": "month", "y": "year"}
"""Units written straight after a numeral: "3d ago"."""
UNIT = rf"(?:{one_of(UNITS)})s?(?!\w)"

FRACTIONS = {
    "decade": (10, "year"),
    "year": (12, "month"),
    "quarter": (3, "month"),
    "month": (30, "day"),
    "fortnight": (14, "day"),
    "week": (7, "day"),
    "day": (24, "hour"),
    "hour": (60, "minute"),
    "minute": (60, "second"),
}
"""How half a unit is counted: in the next smaller one."""

QUANTITIES = Pattern(
    r"\s{0,2}%|\s{1,3}(?:more|additional|different|unique|concurrent|active|total|people|persons?|men|women|users?|"
    r"customers?|clients?|requests?|queries|calls?|errors?|events?|messages?|emails?|records?|rows?|lines?|files?|"
    r"items?|entries|objects?|cases?|tests?|points?|times|steps?|retries|attempts?|iterations?|samples?|tokens?|words?|characters?|bytes?|[kmgt]i?b|bits?|"
    r"servers?|nodes?|hosts?|machines?|pods?|containers?|instances?|jobs?|tasks?|threads?|connections?|sessions?|"
    r"transactions?|sites?|pages?|ms|milliseconds?|seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|"
    r"years?|dollars?|euros?|pounds?|usd|eur|k|km|kilometers?|kilometres?|miles?|meters?|metres?|feet|foot|kg|"
    r"lbs?|degrees?|units?|units?|percent|volts?|watts?|rpm|hz)(?!\w)",
    re.IGNORECASE,
)
"""What follows a number that counts things and is neither a year nor a day."""

# --- time zones ---------------------------------------------------------------------------------

_FIXED_ZONES = {
    "UTC": 0, "GMT": 0, "Z": 0, "WET": 0, "WEST": 1, "BST": 1, "CET": 1, "CEST": 2, "EET": 2, "EEST": 3, "MSK": 3,
    "IST": 5.5, "SGT": 8, "HKT": 8, "AWST": 8, "JST": 9, "KST": 9, "ACST": 9.5, "AEST": 10, "ACDT": 10.5, "AEDT": 11,
    "NZST": 12, "NZDT": 13, "BRT": -3, "AST": -4, "ADT": -3, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7,
    "MDT": -6, "PST": -8, "PDT": -7, "AKST": -9, "AKDT": -8, "HST": -10,
}  # fmt: skip
"""Hours ahead of UTC. Where an abbreviation has several meanings, the one most written in English."""
_AMERICAN_ZONES = {
    "ET": ("America/New_York", "EST"),
    "CT": ("America/Chicago", "CST"),
    "MT": ("America/Denver", "MST"),
    "PT": ("America/Los_Angeles", "PST"),
}
_LONG_ZONE = re.compile(r"(Eastern|Central|Mountain|Pacific|Coordinated)\s+(Standard |Daylight |Universal )?Time", re.I)

ZONE = (
    r"(?:(?-i:(?:UTC|GMT)(?:\s?[+−-]\d{1,2}(?::?\d\d)?)?|"
    + one_of(_FIXED_ZONES | _AMERICAN_ZONES)
    + rf")|(?:eastern|central|mountain|pacific){S}(?:(?:standard|daylight){S})?time|coordinated{S}universal{S}time"
    r"|(?-i:(?:Africa|America|Asia|Atlantic|Australia|Europe|Pacific|US)/[A-Z][A-Za-z_]{1,30}))(?![\w/])"
)
"""A zone by its abbreviation or name, or UTC with an offset."""


def read_offset(text: str) -> timezone:
    """Return the zone of an offset such as ``+02:00``, ``-0530`` or ``+2``."""
    digits = re.sub(r"\D", "", text)
    hours, minutes = (int(digits), 0) if len(digits) < 3 else (int(digits[:-2]), int(digits[-2:]))
    sign = -1 if text[0] in "-−" else 1
    return timezone(sign * timedelta(hours=hours, minutes=minutes))


@cache
def _by_name(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(name)
    except (OSError, KeyError, ValueError):  # no such zone, or no time zone database on this machine
        return None


def read_zone(text: str) -> tzinfo:
    """Return the zone that ``ZONE`` matched.

    Raises:
        ValueError: there is no such zone or offset.
    """
    name = " ".join(text.split())
    if match := _LONG_ZONE.fullmatch(name):
        kind = (match[2] or "").strip().lower()
        name = match[1][0].upper() + {"standard": "ST", "daylight": "DT", "universal": "", "": "T"}[kind]
    if "/" in name:
        zone = _by_name(name)
        if zone is None:
            raise ValueError(f"there is no time zone {name}")
        return zone
    if name in _AMERICAN_ZONES:
        region, standard = _AMERICAN_ZONES[name]
        return _by_name(region) or timezone(timedelta(hours=_FIXED_ZONES[standard]))
    if name in _FIXED_ZONES:
        return timezone(timedelta(hours=_FIXED_ZONES[name])) if _FIXED_ZONES[name] else UTC
    offset = name[3:].strip()
    return read_offset(offset) if offset else UTC
