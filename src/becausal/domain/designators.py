# SPDX-License-Identifier: Apache-2.0
"""Which of several things of one kind a text names: machine 4 and not machine 9, v2.3 and not v2.4, the third floor,
the chief financial officer and not the chief executive.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from .causal.lexicon import AUXILIARIES, COORDINATORS, DETERMINERS, MONTHS, PREPOSITIONS, PRONOUNS, word_set
from .causal.verbs import BASE, GERUND, NOUN_LIKE, PARTICIPLE, PAST, VERB_FORMS
from .text import is_stop_word, stem

Designators = Mapping[str, frozenset[str]]
"""The numbers, letters and the like that tell things of one kind apart, by the stem of what they are called."""

_NUMERALS: Final = {
    word: str(number)
    for number, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)
}
_ORDINALS: Final = {
    word: str(number)
    for number, word in enumerate("second third fourth fifth sixth seventh eighth ninth tenth".split(), 2)
}
_ROMAN: Final = {
    numeral: str(number)
    for number, numeral in enumerate("II III IV V VI VII VIII IX X XI XII".split(), 2)
    if len(numeral) > 1  # else it may be a letter
}
_WORDED: Final = frozenset(stem(word) for word in (*_NUMERALS, *_ORDINALS))
NUMERALS: Final[Mapping[str, str]] = _NUMERALS
"""Digits, by the word for the number."""

TELLING: Final = 3
_DIGITS = r"\d{1,9}(?:[.,]\d+)*"
_NUMBER = (
    rf"(?:{_DIGITS}[a-z]?|[A-Z]-?\d{{1,4}}|[A-HJ-Z]|(?:{'|'.join(_ROMAN)})|(?i:{'|'.join(_NUMERALS)}))"
    r"(?![\w’'-]|[.,:]\d)"
)
_BEHIND = re.compile(rf"\b(?P<noun>[A-Za-z][A-Za-z’'-]*)\s+(?i:no\.?\s*|nr\.?\s*|number\s+|#\s*)?(?P<number>{_NUMBER})")
_ORDINAL = rf"\d{{1,3}}(?:st|nd|rd|th)|(?i:{'|'.join(_ORDINALS)})"
_BEFORE = re.compile(
    rf"(?<![\w.,:#-])(?P<number>{_DIGITS}|{_ORDINAL}|(?i:{'|'.join(_NUMERALS)}))[\s-](?P<noun>[a-z][a-z-]*)\b"
)
_JOINED = re.compile(r"(?<![\w./-])#?(?P<noun>[A-Za-z]{1,12}[-_]?|#)(?P<number>\d+(?:\.\d+)*)(?![\w-])")
CHIEFS: Final[Mapping[str, tuple[str, ...]]] = {
    "ceo": ("executive",),
    "cfo": ("financial", "finance"),
    "cio": ("information",),
    "cmo": ("marketing",),
    "coo": ("operating", "operations"),
    "cto": ("technology", "technical"),
}
"""What somebody is the chief officer of, in the words for it, by the short name of the office."""

_CHIEF = re.compile(rf"\bchief\s+(?P<of>[a-z]+)\b|\b(?P<short>{'|'.join(CHIEFS)})\b", re.IGNORECASE)
_SAME_CHIEF: Final = {word: fields[0] for fields in CHIEFS.values() for word in fields}
_HEAD = re.compile(r"\b(?P<head>head|director|minister|secretary|vp|vice[ -]president)\s+of\s+(?P<of>[a-z]+)\b")
_VERSION: Final = stem("version")
_VERSIONS: Final = frozenset({"v", "ver", stem("release"), _VERSION})
_UNNUMBERED: Final = (
    AUXILIARIES | COORDINATORS | DETERMINERS | MONTHS | PREPOSITIONS | PRONOUNS | word_set("than only just am pm")
)


def designators(text: str) -> Designators:
    """Return what a text tells things of one kind apart by.

    >>> sorted(designators("Pump 3 on the second floor runs v1.4")["pump"])
    ['3']
    """
    found: dict[str, set[str]] = {}
    taken: set[int] = set()  # where numbers begin that tell something: "bus 12 stops" names no twelve stops
    for pattern in (_BEHIND, _BEFORE, _JOINED):
        for match in pattern.finditer(text):
            noun, number = match["noun"].casefold().rstrip("-_"), match["number"]
            if noun in _UNNUMBERED or is_stop_word(noun) or match.start("number") in taken:
                continue
            if VERB_FORMS.get(noun, ("", BASE))[1] in (PAST, PARTICIPLE, GERUND) and noun not in NOUN_LIKE:
                continue
            taken.add(match.start("number"))
            kind = stem(noun) or "#"
            found.setdefault(_VERSION if kind in _VERSIONS else kind, set()).add(_plain(number))
    for kind, field in _offices(text):
        found.setdefault(kind, set()).add(field)
    return {kind: frozenset(numbers) for kind, numbers in found.items()}


def _offices(text: str) -> Iterator[tuple[str, str]]:
    """Yield the offices that a text names which differ by their field: a chief of what, a head of what."""
    for match in _CHIEF.finditer(text):
        field = CHIEFS[match["short"].casefold()][0] if match["short"] else match["of"].casefold()
        yield "chief", stem(_SAME_CHIEF.get(field, field))
    for match in _HEAD.finditer(text):
        if match["of"] not in _UNNUMBERED:  # "head of the school" names a place, which may have another name
            yield stem(match["head"]), stem(match["of"])


def names_others(asked: Designators, text: str) -> bool:
    """Whether a text names things of a kind that is asked about, and none that may be the one asked about.

    A version stands for all that begin with it: 2 for 2.4. A number of ``TELLING`` characters or more may stand
    beside another word ("the 2012 presidential election"): it is named where it is told of anything.
    """
    if not asked:
        return False
    told = designators(text)
    every = {number for numbers in told.values() for number in numbers if len(number) >= TELLING}
    return any(
        kind in told
        and numbers.isdisjoint(every)
        and not any(_agree(one, other) for one in numbers for other in told[kind])
        for kind, numbers in asked.items()
    )


def names_one(asked: Designators, text: str) -> bool:
    """Whether a text names one of the things that are asked about by a number or the like."""
    told = designators(text) if asked else {}
    return any(_agree(one, other) for kind in asked for one in asked[kind] for other in told.get(kind, ()))


def is_designator(term: str, asked: Designators) -> bool:
    """Whether a term of a question is part of what tells a thing from others of its kind."""
    words = term.split("|")
    numbers = {number for each in asked.values() for number in each}
    return any(
        word in asked or word in numbers or word in _WORDED or any(letter.isdigit() for letter in word)
        for word in words
    )


def _agree(one: str, other: str) -> bool:
    return one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")


def _plain(number: str) -> str:
    """Return a number in one way of writing it."""
    if number in _ROMAN:
        return _ROMAN[number]
    low = number.casefold().replace(",", "")
    low = _NUMERALS.get(low) or _ORDINALS.get(low) or low
    return re.sub(r"^0+(?=\d)|(?<=\d)(?:st|nd|rd|th)$", "", low)
