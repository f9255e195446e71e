# SPDX-License-Identifier: Apache-2.0
"""What a degree makes of something: "the beam was too short to reach", "the dog is old enough to vote"."""

from __future__ import annotations

from typing import Final

from . import lexicon as lex
from .clauses import Range, left_clause
from .lexicon import word_set
from .sides import trim, well_formed
from .stretches import right_stretch
from .tokens import Sentence, is_word
from .verbs import BASE, VERB_FORMS

_REACH: Final = 4  # words between "too" and "to": "too old and too slow to"
_NO_DEGREES: Final = word_set("much many often late soon early") | lex.PREPOSITIONS


def degrees(sentence: Sentence) -> list[tuple[Range, Range, bool]]:
    """What was too much or enough of something and what came of that, as stretches of words.

    The last value says that it did not come to what the second stretch says: "too short to reach".
    """
    words = sentence.words
    if "to" not in words or words[-1] == "?":
        return []
    found = []
    for at, word in enumerate(words[:-2]):
        if word == "too":
            to = next((j for j in range(at + 2, min(at + 2 + _REACH, len(words) - 1)) if words[j] == "to"), None)
            denied = True
        elif word == "enough" and words[at + 1] == "to":
            to, denied = at + 1, False
        else:
            continue
        if to is None or not all(is_word(each) for each in words[at + 1 : to]) or not words[to + 1].isalpha():
            continue
        first = words[at + 1] if denied else words[at - 1]
        verb = VERB_FORMS.get(words[to + 1], ("", ""))[1] == BASE or words[to + 1] == "be"
        if first in _NO_DEGREES or first in lex.AUXILIARIES or first in lex.PRONOUNS or not verb:
            continue
        start, _ = left_clause(sentence, to, 0, subject=True)
        cause = trim(sentence, (start, to))
        cause = cause[0], max(cause[1], to)
        effect = trim(sentence, (to + 1, right_stretch(sentence, to + 1, len(words), phrase=True)))
        negated = any(each in lex.NEGATIONS for each in words[max(cause[0], at - 4) : at])
        if negated or effect[0] >= effect[1] or cause[0] >= at + 1 or any(w in lex.CONDITIONS for w in words[start:to]):
            continue
        if well_formed(sentence, cause) and well_formed(sentence, effect):
            found.append((cause, effect, denied))
    return found
