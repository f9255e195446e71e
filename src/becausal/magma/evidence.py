# SPDX-License-Identifier: Apache-2.0
"""How much of a question what was found really answers: the ground for confidence and for declining."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from ..domain.text import query_terms, terms

COVERAGE, LIKENESS = 0.65, 0.35
"""Shares of confidence: words of the question that were found, and nearness of meaning."""

NEAR = (0.15, 0.65)
"""Cosines (MiniLM) of a question and a text that has nothing to do with it, and of one that answers it."""


LOOSE = frozenset(
    query_terms(
        "fail failed failure break broke broken crash crashed outage down wrong happen happened error problem "
        "issue incident trouble stop stopped work working slow root cause caused reason lead led trigger affect"
    )
)
"""Words that ask about an event in general terms; what was told of it may say it in its own."""

LOOSE_SHARE = 0.25


def word_weights(words: Sequence[str], frequencies: Sequence[int], documents: int) -> dict[str, float]:
    """Return the weight of each word of a question: its idf, so that a word nobody ever told weighs most.

    Words that name an event only in general terms ("fail", "outage") weigh a quarter.
    """
    return {
        word: math.log(1 + (documents - min(df, documents) + 0.5) / (df + 0.5))
        * (LOOSE_SHARE if word in LOOSE else 1.0)
        for word, df in zip(words, frequencies, strict=True)
    }


def coverage(weights: Mapping[str, float], texts: Collection[str]) -> float:
    """Return the share of a question's weight that some texts hold, 0 … 1; 1 for a question without words."""
    total = sum(weights.values())
    if not total:
        return 1.0
    told = set().union(*(terms(text) for text in texts)) if texts else set()
    return sum(weight for word, weight in weights.items() if word in told) / total


def likeness(cosine: float) -> float:
    """Return a cosine on a scale from unrelated (0) to an answer (1)."""
    low, high = NEAR
    return min(1.0, max(0.0, (cosine - low) / (high - low)))


def confidence(covered: float, cosine: float | None) -> float:
    """Return how sure it is that a question is answered by what was found, 0 … 1."""
    return covered if cosine is None else COVERAGE * covered + LIKENESS * likeness(cosine)
