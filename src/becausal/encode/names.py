# SPDX-License-Identifier: Apache-2.0
"""Runs of capitalised words: which of them are names, where they end, and of what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..domain.stopwords import CONTENT_FORMS, STOP_WORDS
from . import vocabulary as words
from .reading import Reading, Sentence, Token
from .shapes import Shape

MAX_WORDS = 6
"""Words of a name; a longer run is a headline, and gives only the words that are no ordinary ones."""

NAME_SHAPES = (Shape.CAPITAL, Shape.UPPER)
_KNOWN = words.PLACES | words.PRODUCTS | words.GIVEN_NAMES
_ALONE = _KNOWN | words.NOT_NAMES | words.CALENDAR | STOP_WORDS
_NO_ENDS = words.CALENDAR | words.NOT_NAMES
_PLURAL_VERBS = frozenset(("are", "were", "have", "do", "can", "will", "need", "make", "help", "mean", "really"))


def run_end(text: str, tokens: Sequence[Token], start: int) -> int:
    """Return the place after the run of capitalised words that begins at ``start``.

    It goes on over single spaces, initials, titles, "of (the)", "de", "von" and the like, and "&".
    """
    at = start
    while True:
        token = tokens[at]
        ahead = at + 1
        if not token.whole or ahead >= len(tokens):
            return ahead
        following = tokens[ahead]
        if following.text == "." and ahead + 1 < len(tokens) and _abbreviated(token):  # J. Hill, Dr. Grey
            ahead += 1
        elif following.start - token.end != 1 or text[token.end] != " ":
            return ahead
        elif following.lower in words.CONNECTORS or following.text == "&":
            ahead += 1
            if ahead + 1 < len(tokens) and tokens[ahead].lower == "the":
                ahead += 1
            if token.lower in words.CALENDAR:
                return at + 1
        if ahead >= len(tokens) or tokens[ahead].shape not in NAME_SHAPES:
            return at + 1
        at = ahead


def _abbreviated(token: Token) -> bool:
    return len(token.text) == 1 or token.lower in words.TITLES or (token.shape is Shape.UPPER and "." in token.text)


def names_in(reading: Reading, sentence: Sentence, start: int, end: int) -> Iterator[tuple[str, str]]:
    """Yield the names in the run ``start`` … ``end`` with their types: usually one, and none where it is no name."""
    tokens = sentence.tokens
    run = tokens[start:end]
    joined = len(run) > 1 and run[1].lower in words.CONNECTORS
    if joined and run[0].lower in words.ROLE_HEADS and len(run) > 2:  # Director of the Yale Press
        run = run[1:]
    titled = False
    while run and (run[0].shape not in NAME_SHAPES or _no_part(reading, run)):
        titled = titled or run[0].lower in words.TITLES
        run = run[1:]
    while run and (run[-1].shape not in NAME_SHAPES or run[-1].lower in _NO_ENDS):
        run = run[:-1]
    if not run:
        return
    if sentence.loud or sentence.heading or len(run) > MAX_WORDS:
        for token in run:
            if token.shape in NAME_SHAPES and _stands_out(token, sentence.loud):
                yield token.text, _kind((token,))
        return
    if not titled and _ordinary(run, tokens[end].lower if end < len(tokens) else ""):
        return
    kind = "person" if titled else _kind(run)
    if kind == "thing" and len(run) < 4 and _beside_person(tokens, run, end):
        kind = "person"
    yield reading.text[run[0].start : run[-1].end], kind


def _no_part(reading: Reading, run: Sequence[Token]) -> bool:
    """Say whether the first word of a run is no part of the name."""
    token = run[0]
    lower = token.lower
    if lower in words.CALENDAR:
        return True
    if len(run) > 1 and run[1].lower in words.CONNECTORS:  # Lord of the Rings
        return False
    if lower in words.NOT_NAMES or (lower in words.TITLES and len(run) > 1):
        return True
    if token.shape is Shape.UPPER:
        return False
    if lower in STOP_WORDS and token.text not in CONTENT_FORMS:
        return True
    if not token.opens or lower in reading.capitals or lower in _KNOWN:
        return False
    if token.text[0] > "\u024f":
        return True  # what is common in other scripts is not known
    if len(run) > 1 and lower in words.NAME_PARTS and not _stands_alone(reading, run[1]):
        return False  # Blind Shaft, Red Cross
    return words.is_common(lower)


def _stands_alone(reading: Reading, token: Token) -> bool:
    """Say whether a word is known without the one before it: in "Separate Kubernetes" or "Glad I"."""
    lower = token.lower
    return lower in _ALONE or lower in reading.capitals or token.shape is not Shape.CAPITAL


def _ordinary(run: Sequence[Token], after: str) -> bool:
    """Say whether a run is ordinary words that have a capital for some other reason."""
    first = run[0]
    if len(run) > 1:
        return all(token.shape is not Shape.CAPITAL and words.is_common(token.lower) for token in run)  # DO IT
    if first.lower in _KNOWN:
        return False
    if first.opens:
        return first.lower.endswith("s") and after in _PLURAL_VERBS  # Turtles are slow
    return words.is_common(first.lower)  # the Summary below


def _stands_out(token: Token, loud: bool) -> bool:
    if len(token.lower) < 2 or token.lower in words.NOT_NAMES or words.is_common(token.lower):
        return False
    return token.shape is Shape.CAPITAL or not loud or token.lower in words.PRODUCTS


def _kind(run: Sequence[Token]) -> str:
    lowers = [token.lower for token in run]
    name = " ".join(lowers)
    if run[0].entity_type and len(run) == 1:
        return run[0].entity_type
    if name in words.PRODUCTS:
        return "product"
    if name in words.PLACES:
        return "place"
    if lowers[-1].rpartition("-")[2] in words.SERVICE_WORDS and len(name.replace("-", " ").split()) > 1:
        return "service"
    if len(run) > 1:
        if run[1].text == ".":  # J. Hill
            return "person"
        if lowers[0] in words.ORGANIZATION_HEADS or not words.ORGANIZATION_WORDS.isdisjoint(lowers[1:]):
            return "organization"
        if lowers[-1] in words.PLACE_WORDS or lowers[0] in words.PLACE_HEADS:
            return "place"
    return "person" if lowers[0] in words.GIVEN_NAMES else "thing"


def _beside_person(tokens: Sequence[Token], run: Sequence[Token], end: int) -> bool:
    """Look for what only stands beside the name of a person."""
    start = end - len(run)
    before = [token.lower for token in tokens[max(0, start - 3) : start] if token.text not in (",", ".")]
    after = tokens[end].lower if end < len(tokens) else ""
    if before:
        if before[-1] in words.GREETINGS or before[-1] in words.KIN or (before[-1] == "by" and len(run) > 1):
            return True
        if len(before) > 1 and before[-2] in words.KIN and before[-1] in ("named", "called"):
            return True
    if after in words.PERSONAL_VERBS and run[-1].shape is Shape.CAPITAL:
        return True
    if after == "," and run[0].opens and len(run) == 1:  # Ada, that is great
        return end + 1 < len(tokens) and tokens[end + 1].shape is Shape.LOWER
    return after == "!" and start > 0 and tokens[start - 1].text == ","
