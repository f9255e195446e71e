# SPDX-License-Identifier: Apache-2.0
"""Things that a number tells apart: "freezer 7", "platform 12"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..domain.causal.verbs import BASE, VERB_FORMS
from ..domain.stopwords import STOP_WORDS
from . import vocabulary as words
from .reading import Token
from .shapes import Shape

_NUMBER = re.compile(r"(?!(?:19|20)\d\d$)\d{1,4}", re.ASCII)
"""A number that is not as likely a year."""

_UNITS = frozenset(
    "am pm hour minute second day week month year time percent per of degrees meter metre kilometer km kg g mb gb ms "
    "x times dollar euro pound people children men women million thousand hundred billion o'clock".split()
)
_UNNUMBERED = _UNITS | frozenset(
    "page chapter section paragraph figure verse step question item example equation note age aged grade score level "
    "top total number size rank about around over nearly almost least most only just episode season volume part act "
    "scene round game match summer winter spring autumn fall early late mid circa approximately roughly under above "
    "below plus minus article amendment psalm class category type version point issue case".split()
)
"""Words before a number that make no name of a thing."""

_DEEDS = frozenset("ate give gave get got has have had buy take make need want use add set cut put hit win".split())
_MARKS = frozenset(("%", "/", "–", "-", ":"))
_SHORTEST = 3


def numbered_thing(tokens: Sequence[Token], at: int) -> int | None:
    """Return the place of the number in "freezer 7", which tells one thing from others; ``None`` if none is there.

    A count ("sold 7", "7 days"), a year, a page and the like name no thing.
    """
    token, ahead = tokens[at], at + 1
    if ahead >= len(tokens) or not token.whole or not token.text.isalpha() or len(token.text) < _SHORTEST:
        return None
    lower = token.lower
    plain = token.shape is Shape.LOWER or (token.opens and token.shape is Shape.CAPITAL)
    if not plain or _NUMBER.fullmatch(tokens[ahead].text) is None:
        return None
    if lower in _UNNUMBERED or lower in STOP_WORDS or lower in words.CALENDAR or lower in words.REFERENCES:
        return None
    if lower in _DEEDS or VERB_FORMS.get(lower, ("", BASE))[1] != BASE:
        return None
    after = tokens[ahead + 1] if ahead + 1 < len(tokens) else None
    return None if after is not None and _is_counted(after) else ahead


def is_named(name: str, text: str) -> bool:
    """Whether a text names something by a name; one that ends in a number also with another capital, and no other."""
    if not name[-1:].isdigit():
        return name in text
    return re.search(rf"(?<!\w){re.escape(name)}(?![\w]|[.,]\d)", text, re.IGNORECASE) is not None


def _is_counted(after: Token) -> bool:
    """Whether what stands behind a number is what it counts ("days", "guests"), or goes on with it ("7:30")."""
    lower = after.lower
    plural = lower.endswith("s") and not lower.endswith(("ss", "us", "is")) and lower not in VERB_FORMS
    return lower in _UNITS or after.text in _MARKS or (after.shape is Shape.LOWER and plural)
