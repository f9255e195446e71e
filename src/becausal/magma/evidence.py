# SPDX-License-Identifier: Apache-2.0
"""How much of a question what was found really answers: the ground for confidence and for declining."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache

from ..domain.causal.verbs import PARTICIPLE, PAST, VERB_FORMS, VERB_OF
from ..domain.designators import CHIEFS, NUMERALS
from ..domain.kinds import members
from ..domain.text import query_terms, stem, terms

COVERAGE, LIKENESS = 0.5, 0.5
"""Shares of confidence: words of the question that were found, and nearness of meaning."""

NEAR = (0.15, 0.7)
"""Cosines (MiniLM) of a question and a text that has nothing to do with it, and of one that answers it."""

NAMELESS = 0.5
"""Share of confidence that is lost when none of the names in a question was told."""

LOOSE = frozenset(
    query_terms(
        "fail failed failure break broke broken crash crashed outage down wrong happen happened error problem "
        "issue incident trouble stop stopped work working slow root cause caused reason lead led trigger affect"
    )
)
"""Words that ask about an event in general terms; what was told of it may say it in its own."""

LOOSE_SHARE = 0.25
EITHER = "|"
_WORD = re.compile(r"[^\W_]+(?:['’.:/@-][^\W_]+)*")


def word_weights(words: Sequence[str], frequencies: Sequence[int], documents: int) -> dict[str, float]:
    """Return the weight of each word of a question: its idf, so that a word nobody ever told weighs most.

    Words that name an event only in general terms ("fail", "outage") weigh a quarter.
    """
    return {
        word: math.log(1 + (documents - min(df, documents) + 0.5) / (df + 0.5))
        * (LOOSE_SHARE if word in LOOSE else 1.0)
        for word, df in zip(words, frequencies, strict=True)
    }


def named_terms(question: str) -> frozenset[str]:
    """Return the terms of what a question names: its words with a capital letter, but not because they come first.

    In a title all words have one; those that only say in general terms that something happened name nothing.
    """
    words = _WORD.findall(question)
    return frozenset(term for word in words[1:] if word[0].isupper() for term in terms(word)) - LOOSE


def either(*alternatives: str) -> str:
    """Return the key of several terms in a question's weights, of which any counts as the word of the question."""
    return EITHER.join(dict.fromkeys(alternatives))


def numerals(words: Collection[str]) -> dict[str, str]:
    """Return for the numbers among the words of a question the keys that count them in digits as well as in words."""
    by_digits = {digits: stem(word) for word, digits in NUMERALS.items()}
    by_word = {word: digits for digits, word in by_digits.items()}
    pairs = {**by_digits, **by_word}
    return {word: either(word, pairs[word]) for word in words if word in pairs}


def offices(words: Collection[str]) -> dict[str, str]:
    """Return for the words by which a question names a chief officer the keys that count the office's other names.

    >>> offices(["ceo"])["ceo"].split("|")
    ['ceo', 'execut']
    """
    keys: dict[str, str] = {}
    for short, fields in CHIEFS.items():
        stems = [stem(field) for field in fields]
        if short in words:
            keys[short] = either(short, *stems)
        if "chief" in words and not set(stems).isdisjoint(words):
            keys |= {word: either(word, short, *stems) for word in stems if word in words}
            keys |= {"chief": either("chief", short), "offic": either("offic", short, "chief")}
    return keys


def kinds(words: Collection[str]) -> dict[str, str]:
    """Return for the words by which a question asks for things of a kind the keys that count each such thing.

    >>> kinds(["season", "ben"])
    {'season': 'season|spring|summer|autumn|winter'}
    """
    return {word: either(word, *members(word)) for word in words if members(word)}


def coverage(weights: Mapping[str, float], texts: Collection[str]) -> float:
    """Return the share of a question's weight that some texts hold, 0 … 1; 1 for a question without words."""
    return _share(weights, _told(texts))


def likeness(cosine: float) -> float:
    """Return a cosine on a scale from unrelated (0) to an answer (1)."""
    low, high = NEAR
    return min(1.0, max(0.0, (cosine - low) / (high - low)))


def confidence(
    weights: Mapping[str, float],
    texts: Collection[str],
    cosine: float | None,
    names: Collection[str] = (),
) -> float:
    """Return how sure it is that a question is answered by some texts, 0 … 1.

    Half is the share of its words that they tell, rare ones counting with their square, half the nearness
    of their meaning (``cosine``; without one, words alone decide); less where the question's ``names`` are
    not among them.
    """
    told = _told(texts)
    covered = _share({word: weight**2 for word, weight in weights.items()}, told)
    sure = covered if cosine is None else COVERAGE * covered + LIKENESS * likeness(cosine)
    missing = 1.0 - _share({word: weights[word] for word in names if word in weights}, told)
    return sure * (1.0 - NAMELESS * missing)


def _told(texts: Collection[str]) -> set[str]:
    """Return the terms of some texts, and of their irregular verbs and of nouns made from verbs also the verb's."""
    told = set().union(*(terms(text) for text in texts)) if texts else set()
    verbs = _verbs()
    return told | {verbs[term] for term in told if term in verbs}


def _share(weights: Mapping[str, float], told: Collection[str]) -> float:
    total = sum(weights.values())
    verbs = _verbs()
    said = (
        weight
        for word, weight in weights.items()
        if any(each in told or verbs.get(each) in told for each in word.split(EITHER))
    )
    return sum(said) / total if total else 1.0


@cache
def _verbs() -> Mapping[str, str]:
    """Return the stem of a verb by the stems that its own does not show in: "blew" of "blow", "growth" of "grow"."""
    irregular = ((form, base) for form, (base, kind) in VERB_FORMS.items() if kind in (PAST, PARTICIPLE))
    forms = {form: base for form, base in irregular if not form.endswith("ed")} | VERB_OF
    return {stem(form): stem(base) for form, base in forms.items() if stem(form) != stem(base)}
