# SPDX-License-Identifier: Apache-2.0
"""Which words of a text are worth a closer look: cheap tests before the grammar's."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .grammar import PHRASE_WORDS
from .guards import introduces_year
from .lexicon import (
    ANY_WEEKDAY,
    DAY_ORDINALS,
    HOLIDAY,
    MONTH,
    NUMBERS,
    PART_OF_DAY,
    SEASON,
    UNITS,
    VAGUE_NUMBERS,
    WEEKDAY,
    Pattern,
    S,
    one_of,
)

BOUND_WORDS = frozenset({"ever", "since", "until", "till", "up", "before", "prior", "after", "between", "from"})
"""The first words of what has an open end or two ends."""

_WORD = re.compile(r"\w+")
_DIGITS = frozenset("0123456789")
_FIRST_WORDS = PHRASE_WORDS | BOUND_WORDS | {"q1", "q2", "q3", "q4", "h1", "h2"}
_COUNTING = {re.split(r"\W", word)[0] for word in (*NUMBERS, *VAGUE_NUMBERS, *DAY_ORDINALS)}
_COMMON = frozenset(_COUNTING | {"last", "past", "previous", "this", "next", "coming", "upcoming"})
"""Words that begin a time only before certain others."""
_AFTER_COMMON = Pattern(
    rf"[\s-]{{1,3}}(?:{one_of(UNITS)}|{PART_OF_DAY}|{ANY_WEEKDAY}|{MONTH}|{SEASON}|{HOLIDAY}"
    rf"|{one_of(_COUNTING)}|of|and|half|past|coming|dozen|\d)"
)
_NUMERAL = Pattern(
    rf"""(?<![/\\#$%&+^])(?<!\w[.-])\d{{1,4}}(?!\d)
    (?:(?=\s{{0,3}}[^\W\d]|\s?[-–—:/.'’])|(?<=[12]\d\d\d))
    (?:[:/-]\d\d|[-/.]\d{{1,2}}[-/.]\d|\.\d[\s-]{{0,3}}(?:{one_of(UNITS)})
    |(?:st|nd|rd|th|['’]?s|[smhdwy]|mo|\s?(?:UTC|GMT|Z))(?!\w)
    |\s?[ap]\.?m|-?[WQH]\d|{S}[QH][1-4]|\s?[-–—]\s?\d
    |[\s./-]{{0,3}}(?:{MONTH}|noon)
    |{S}(?:of|to|and|until|till|through)(?!\w)
    |[\s-]{{0,3}}(?:{one_of(UNITS)}|{WEEKDAY}|{SEASON}|{PART_OF_DAY})
    |(?P<year>(?<=[12]\d\d\d)))""",
    re.VERBOSE,
)
"""A numeral with what may make it part of a time. ``year``: nothing does, but it may be a year."""


def candidates(text: str) -> Iterator[re.Match[str]]:
    """Yield the words at which a time may begin."""
    return (match for match in _WORD.finditer(text) if _may_begin(match))


def _may_begin(match: re.Match[str]) -> bool:
    word, text = match[0], match.string
    if word[0] in _DIGITS:
        numeral = _NUMERAL.match(text, match.start())
        return numeral is not None and (numeral["year"] is None or introduces_year(text, match.start()))
    word = word.lower()
    if word in _COMMON:
        return _AFTER_COMMON.match(text, match.end()) is not None
    return word in _FIRST_WORDS
