# SPDX-License-Identifier: Apache-2.0
"""What stands around a time: words that make it one, and signs that it is part of a name, a path or a habit."""

from __future__ import annotations

import re

from ..records import Precision
from .calendar import Recurring, Span
from .clock import Times
from .lexicon import MONTHS
from .readings import Reading, previous_word
from .tense import is_appointed

_REACH = 24
"""How many characters before a time are looked at."""

_INTRODUCTIONS = {
    "time": r"at|by|around|about|from|until|till|since|before|after|between|to|approximately|roughly|circa|and|@",
    "year": r"in|during|since|until|till|by|from|through|throughout|before|after|between|around|circa|ca\.|c\.",
    "month": r"in|during|since|until|till|through|throughout|from|before|after|between|by|of|around",
    "day": r"at|on|for|during|since|until|till|before|after|by|over|around|to|this|last|next|past|through",
    "person": r"by|of|from|before|after|between",
}
_INTRODUCED = {
    kind: re.compile(
        rf"(?:^|[^\w'’])(?:{words})\s{{1,3}}(?:(?:about|around|late|early)\s{{1,3}})?[~(]?$", re.IGNORECASE
    )
    for kind, words in _INTRODUCTIONS.items()
}
_OF_YEAR = re.compile(
    r"(?<!total)(?<!\bout)(?<!\bsum)(?<!number)(?<!average)(?<!limit)(?<!\bsize)\sof\s{1,3}$", re.IGNORECASE
)
_FIRST_NAMES = frozenset({MONTHS["april"], MONTHS["june"]})
"""Months that are people as well: "by April" may be somebody's work."""

_JOINED_BEFORE = re.compile(r"[\w/\\@#$%&+^]$|\w[.([-]$|[=<>]\s?$|\d,$")
_JOINED_BEFORE_NUMBER = re.compile(r"[\w/\\#$%&+^-]$|\w[.([]$|\d[,:]$|\w{1,2}:$")
_JOINED_AFTER = re.compile(r"[\w\\@^(%$+]|/\w|\.[a-z\d_]|:\d|-\w|\s(?:every|each)\s")
_COMPARED_AFTER = re.compile(r"\s{0,2}[=<>]")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_HABITS = frozenset({"every", "each", "per", "any", "most", "alternate"})
_NUMBERED = frozenset(
    {"version", "port", "room", "page", "line", "lines", "chapter", "verse", "section", "build", "ratio", "score", "no"}
)
_NEAR = frozenset({"shortly", "just", "right", "soon", "immediately", "sometime", "long", "well", "moments"}) | {
    f"{unit}s" for unit in ("second", "minute", "hour", "day", "week", "month", "year")
}


def introduces_year(text: str, place: int) -> bool:
    """Say whether what stands before a numeral makes it a year, as "in" and "since" do."""
    before = text[max(0, place - _REACH) : place]
    last = before.rstrip()[-1:]
    if not last.isalpha() and last not in ("(", "~", "."):
        return False
    return before.endswith("(") or bool(_INTRODUCED["year"].search(before) or _OF_YEAR.search(before))


def introduced(reading: Reading, text: str, place: int) -> bool:
    """Say whether what stands before a weak reading makes it a time."""
    before, value = text[max(0, place - _REACH) : place], reading.value
    if isinstance(value, Times):
        return _INTRODUCED["time"].search(before) is not None
    if not isinstance(value, Span | Recurring):
        return False
    if value.precision is Precision.YEAR:
        return introduces_year(text, place)
    if value.precision is not Precision.MONTH:
        return _INTRODUCED["day"].search(before) is not None
    turn = value.turn(2000) if isinstance(value, Recurring) else None
    person = turn is not None and turn.start.month in _FIRST_NAMES and _INTRODUCED["person"].search(before)
    return is_appointed(text, place) or (_INTRODUCED["month"].search(before) is not None and not person)


def is_near(text: str, place: int) -> bool:
    """Say whether the "before" or "after" at ``place`` follows a word such as "shortly"."""
    return previous_word(text, place) in _NEAR


def stands_alone(text: str, start: int, end: int) -> bool:
    """Say whether a mention is not part of a name, a path, a number, a program or a habit."""
    numeral = text[start].isdigit()
    before = text[max(0, start - 3) : start]
    if (_JOINED_BEFORE_NUMBER if numeral else _JOINED_BEFORE).search(before) or _JOINED_AFTER.match(text, end):
        return False
    word = previous_word(text, start)
    if word in _HABITS or (word in _NUMBERED if numeral else _COMPARED_AFTER.match(text, end)):
        return False
    return _BLANK_LINE.search(text, start, end) is None
