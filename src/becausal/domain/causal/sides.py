# SPDX-License-Identifier: Apache-2.0
"""A side of a causal link: trimmed to what a reader wants to see, judged, and tagged when it is a remedy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from . import lexicon as lex
from .clauses import Range, skip_openers
from .tokens import Sentence, is_word
from .verbs import VERB_FORMS

MAX_WORDS: Final = 40
_REMEDY: Final = re.compile(
    r"\b(?:roll(?:ed|ing)? back|revert(?:ed|ing|s)?|restart(?:ed|ing)|reboot(?:ed|ing)|restor(?:ed|ing)"
    r"|mitigat(?:ed|ing|ion)|fix(?:ed|ing)|patched|hotfix(?:ed)?|resolv(?:ed|ing)|recover(?:ed|ing)"
    r"|remediat(?:ed|ing|ion)|redeployed|repair(?:ed|ing)|work(?:ed)? ?around|scal(?:ed|ing) (?:up|out)"
    r"|failed over(?= to| from|[^\w ]|$)"
    r"|re-?enabled|back to normal|came back|brought back|back online|replaced the|cured|healed|treated)\b"
)
_NO_REMEDY: Final = re.compile(
    r"n['’]t\b|\b(?:not|never|fail(?:ed|ing|ure|s)? to|unable|cannot|without|before|prevent\w*|until"
    r"|attempt\w*|tried)\b"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A side of a causal link: ``text`` is the original at ``start`` … ``end``.

    Where an aside stood inside ("The pump, due to a leak, stopped"), ``text`` leaves it out. ``remedial``
    marks what was done to put something right, or its recovery.
    """

    text: str
    start: int
    end: int
    remedial: bool = False


def trim(sentence: Sentence, stretch: Range) -> Range:
    """Cut loose ends off a stretch: marks, conjunctions, dangling prepositions and auxiliaries."""
    words = sentence.words
    start, stop = stretch
    stop = min(stop, start + MAX_WORDS)
    start = skip_openers(words, start, stop)
    while stop > start:
        word = words[stop - 1]
        if word in (")", "]") and any(w in "([" for w in words[start : stop - 1]):
            break
        if word in ('"', "”", "'", "`") and words[start] in ('"', "“", "'", "`"):
            break
        if word in ('"', "`") and words[stop - 2] != word and sum(each == word for each in words[start : stop - 1]) % 2:
            break
        if (word == "no" and words[stop - 2] in lex.SAYING) or (word == "her" and words[stop - 2] in VERB_FORMS):
            break
        month = word == "may" and sentence.capitals[stop - 1]
        if is_word(word) and (word not in lex.DANGLING or month):
            break
        if word == "%":
            break
        stop -= 1
    while (
        start < stop
        and words[start] in ('"', "“", "'", "`", "(", "[")
        and not any(w in ('"', "”", "'", "`", ")", "]") for w in words[start + 1 : stop])
    ):
        start = skip_openers(words, start + 1, stop)
    return start, stop


def _affirmed(word: str) -> int:
    """How many characters of a contraction stay without its negation: 3 of "didn't", 0 of what is none."""
    return len(word) - (2 if word == "can't" else 3) if word.endswith("n't") else 0


def make_clause(text: str, sentence: Sentence, stretch: Range, aside: Range | None = None) -> Clause:
    """The clause over a trimmed, non-empty stretch, without ``aside`` if that lies inside it."""
    begin, end = sentence.starts[stretch[0]], sentence.ends[stretch[1] - 1]
    shown = text[begin:end]
    if aside is not None and stretch[0] < aside[0] and aside[1] < stretch[1]:
        before = text[begin : sentence.ends[aside[0] - 1]]
        if stem := _affirmed(sentence.words[aside[0]]):
            before = text[begin : sentence.starts[aside[0]] + stem]
        shown = f"{before} {text[sentence.starts[aside[1]] : end]}"
    elif sentence.gaps:
        shown = _without_gaps(text, begin, end, sentence.gaps)
        # What a side is set against is told with it.
        end = next((stop for start, stop in sentence.gaps if end <= start <= end + 1), end)
    return Clause(text=shown, start=begin, end=end, remedial=is_remedial(shown))


def _without_gaps(text: str, begin: int, end: int, gaps: Sequence[Range]) -> str:
    """What stands between two places but for some gaps."""
    shown, at = "", begin
    for start, stop in gaps:
        if begin < start and stop < end:
            shown += text[at:start].rstrip()
            at = stop
    return shown + text[at:end]


def is_remedial(text: str) -> bool:
    """Whether ``text`` tells of a repair or a recovery, and not of one that failed."""
    low = text.lower()
    return _REMEDY.search(low) is not None and _NO_REMEDY.search(low) is None


def content_words(sentence: Sentence, stretch: Range) -> int:
    """How many words of a stretch carry meaning of their own."""
    return sum(1 for word in sentence.words[stretch[0] : stretch[1]] if is_word(word) and word not in lex.EMPTY)


def well_formed(sentence: Sentence, stretch: Range) -> float:
    """How much a side looks like a thing that happened or is so: 0 (useless) … 1.

    Sides of nothing but function words are useless; long and one-word sides, and those that open on a
    bare verb "to be" or an unfinished bracket, are worth less.
    """
    words = sentence.words[stretch[0] : stretch[1]]
    content = content_words(sentence, stretch)
    if content == 0:
        return 0.0
    score = 1.0
    if len(words) >= MAX_WORDS:
        score *= 0.85
    if content == 1 and len(words) == 1:
        score *= 0.95
    if words[0] in lex.BE and words[0] != "being":
        score *= 0.8
    if sum(w in "([" for w in words) != sum(w in ")]" for w in words):
        score *= 0.9
    return score
