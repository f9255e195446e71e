# SPDX-License-Identifier: Apache-2.0
"""What somebody did because of what was told just before, and what does not go on without something lost."""

from __future__ import annotations

from typing import Final

from . import lexicon as lex
from .clauses import HARD, Range, skip_openers, strip_front
from .lexicon import word_set
from .sides import trim
from .stretches import right_stretch
from .tokens import Sentence, has_finite
from .verbs import BASE, PAST, kind_of

_NEEDED: Final = word_set("necessary required needed essential vital crucial indispensable critical")
_ENABLING: Final = word_set("allow enable permit help")
_POINTERS: Final = word_set("this that these those")
_SUBJECT: Final = 10  # words that the subject of "was needed" has at most
_REACH: Final = 6  # words within which "to support this new rule" ends
_GOALS: Final = word_set("do achieve accomplish illustrate explain understand see show say put summarize summarise")


def needed_for(sentence: Sentence) -> Range | None:
    """What the subject of a sentence is said to be needed for: "to open the door" of "The key was needed to …".

    ``None`` if the sentence says no such thing; an empty range if it does not say what for.
    """
    words = sentence.words
    start = skip_openers(words, 0, len(words))
    be = next((at for at in range(start, min(start + _SUBJECT, len(words) - 2)) if words[at] in lex.BE), None)
    if be is None:
        return None
    at = be + 1
    while at < len(words) - 2 and lex.is_adverb(words[at]) and words[at] not in lex.NEGATIONS:
        at += 1
    if words[at] not in _NEEDED:
        return None
    if words[at + 1] not in ("to", "for"):
        return at, at
    begin = at + 2
    return trim(sentence, (begin, right_stretch(sentence, begin, len(words), phrase=False)))


def enabled(sentence: Sentence, need: Range) -> int | None:
    """Where "to leave" begins in "allow the guests to leave"; ``None`` if nobody is enabled to do anything."""
    words = sentence.words
    if words[need[0]] not in _ENABLING:
        return None
    return next((at for at in range(need[0] + 2, need[1] - 1) if words[at] == "to"), None)


def asked_for(sentence: Sentence) -> Range | None:
    """What was done about something told before: "we dug a well" of "To end this, we dug a well"; ``None`` if nothing.

    "To do this, we …" only says how, and a deed that nobody did yet is none.
    """
    words = sentence.words
    start = skip_openers(words, 0, len(words))
    verb = start + 1
    if words[start : start + 1] != ["to"] or verb + 2 >= len(words):
        return None
    if kind_of(words[verb]) not in ("", BASE) or words[verb] in _GOALS or words[verb] in lex.DETERMINERS:
        return None
    points = next((at for at in range(verb + 1, min(verb + _REACH, len(words) - 1)) if words[at] in _POINTERS), None)
    if points is None or any(words[at] in HARD or words[at] == "," for at in range(verb, points)):
        return None
    begin, _ = strip_front(sentence, start, len(words))
    if begin <= points:
        return None
    end = right_stretch(sentence, begin, len(words), phrase=False, clause=True)
    deed = trim(sentence, (begin, end))
    said = words[deed[0] : deed[1]]
    done = any(word in ("was", "were", "had") or kind_of(word) == PAST for word in said)
    planned = any(word in lex.MODALS or word in lex.CONDITIONS for word in said)
    return deed if done and not planned and has_finite(words, *deed) else None
