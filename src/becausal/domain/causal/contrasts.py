# SPDX-License-Identifier: Apache-2.0
"""Of two things set against each other the one that is denied: "not by a candle" of "by a wire, not by a candle"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from . import lexicon as lex
from .clauses import HARD, Range, is_finite_verb_next
from .lexicon import word_set
from .tokens import Sentence, has_finite, is_finite, is_word
from .verb_groups import corrected
from .verbs import BASE, GERUND, NOUN_LIKE, PARTICIPLE, PAST, PRESENT, VERB_FORMS

_SETTING: Final = frozenset(("not", "rather", "neither"))
_REACH: Final = 14  # words of what is denied
_NO_CONTRAST: Final = word_set(  # "not only", "not yet": no other thing is denied
    "only just merely simply even yet all every everybody everyone much many enough long far unlike least quite "
    "until unless if when while though to that which who surprising so too very"
)
_JOINING: Final = word_set("by from due because owing of on in to with at through for")
_VERBAL: Final = (BASE, GERUND, PARTICIPLE, PAST, PRESENT)


def without_denied(sentence: Sentence) -> Sentence:
    """A sentence without what it sets against something else only to deny it; the same one if there is nothing."""
    words = sentence.words
    if _SETTING.isdisjoint(words):
        return sentence
    ranges = list(_denied(words))
    return sentence.without(ranges) if ranges else sentence


def _denied(words: Sequence[str]) -> Iterator[Range]:
    """The ranges of words to leave out, in order, none overlapping another."""
    done = 0
    for at, word in enumerate(words):
        if at < done:
            continue
        found = _alternative(words, at) if word in _SETTING else None
        if found is not None and found[0] >= done:
            yield found
            done = found[1]


def _alternative(words: Sequence[str], at: int) -> Range | None:
    before = words[at - 1] if at else ""
    if words[at] == "neither":
        instead = _instead(words, at + 1)
        return None if instead is None else (at, instead)
    if words[at] == "rather":
        named = words[at + 1 : at + 2] == ["than"] and at > 0 and is_word(before) and _names(words, at + 2)
        end = _end(words, at + 2) if named else None
        return None if end is None else (at, end)
    if not _names(words, at + 1):
        return None
    if before in lex.AUXILIARIES:  # what is denied is the verb, or its predicate
        return None
    instead = corrected(words, at + 1, words[at + 1] if words[at + 1] in _JOINING else "")
    if instead is not None:
        return at, instead - (words[at + 1] in _JOINING)
    if before not in (",", "and", "–", "—", "("):
        return None
    if before == "and" and "both" in words[max(0, at - _REACH) : at]:  # "both those and not those"
        return None
    start = at - 1
    while start > 0 and words[start - 1] in (",", "and"):
        start -= 1
    end = _end(words, at + 1)
    if end is None or start == 0:
        return None
    closes = before in ("–", "—", "(", ",") and words[end : end + 1] in (["–"], ["—"], [")"], [","])
    return start, end + closes


def _instead(words: Sequence[str], at: int) -> int | None:
    """Where B begins in "neither by A nor by C, but by B"; ``None`` if nothing is put in their place."""
    for j in range(at, min(at + _REACH, len(words) - 1)):
        if words[j] == "but":
            return j + 1 if "nor" in words[at:j] and _names(words, j + 1) else None
        if words[j] in HARD or words[j] == "." or is_finite(words, j):
            return None
    return None


def _names(words: Sequence[str], at: int) -> bool:
    """Whether a noun phrase, or a preposition or "because" with what follows it, begins at a place."""
    if at >= len(words) - 1 or not is_word(words[at]):
        return False
    word, after = words[at], words[at + 1]
    if word in lex.DETERMINERS:
        return word not in _NO_CONTRAST
    if word == "to" and after not in lex.DETERMINERS:
        return False
    if word in _JOINING:
        return is_word(after)
    if word in _NO_CONTRAST or word in lex.AUXILIARIES or word in lex.PRONOUNS or word in lex.PREPOSITIONS:
        return False
    if word in lex.SUBORDINATORS or lex.is_adverb(word) or word.endswith("ed"):
        return False
    return VERB_FORMS.get(word, ("", ""))[1] not in _VERBAL or word in NOUN_LIKE


def _end(words: Sequence[str], start: int) -> int | None:
    """Where a denied phrase that begins at ``start`` ends; ``None`` if it is a clause of its own."""
    reason = words[start] == "because" and words[start + 1 : start + 2] != ["of"]
    for at in range(start + 1, min(start + _REACH, len(words))):
        word = words[at]
        if word in HARD or word in (",", ".", ")", "but") or word in lex.RELATIVES:
            return at
        if word in ("and", "or") and (
            is_finite_verb_next(words, at + 1) or has_finite(words, at, min(at + 4, len(words)))
        ):
            return at
        if is_finite(words, at) and not reason:
            return at if at > start + 1 or words[start] not in lex.DETERMINERS else None
    return len(words) if len(words) <= start + _REACH else None
