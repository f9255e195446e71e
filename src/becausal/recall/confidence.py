# SPDX-License-Identifier: Apache-2.0
"""How sure it is that a memory holds what a question asks for at all.

Two signs are cheap and tell. How well the best candidates match, in words, tokens and meaning: it is low where
nothing of the kind was ever told. And who said it: where the best turn of the person asked about is beaten by
somebody else's, the question mixes them up. A high score alone says little, since something always comes first.

The figures are a logistic regression on the tuning part of LoCoMo that ``benchmarks/locomo.py`` asks, with its
adversarial questions and questions about another conversation as those without an answer, half and half.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence

from .candidates import Candidate, Pool

BEST = 3
"""Best candidates whose match is looked at."""

BIAS, MATCH, SPEAKER = -4.7, 8.3, 7.6


def confidence(pool: Pool, best: Sequence[Candidate], speakers: Mapping[str, str]) -> float:
    """Return the probability, 0 … 1, that the answer is among candidates, given best first with who said some.

    1 / (1 + e^−(b + m · match + s · lead)): ``match`` is the mean of the highest share of words, of tokens (where
    they were compared) and cosine (where there is a vector) among the first three; ``lead`` by how much the best
    turn of a speaker named in the question scores above the best one of any other, 0 where either is missing.
    """
    if not best:
        return 0.0
    first = best[:BEST]
    signs = [max(each.text + each.borrowed for each in first)]
    if pool.vector is not None:
        signs.append(max(0.0, *(each.cosine for each in first)))
    if any(each.alike for each in first):
        signs.append(max(each.alike for each in first))
    return 1 / (1 + math.exp(-(BIAS + MATCH * statistics.fmean(signs) + SPEAKER * _lead(pool, best, speakers))))


def _lead(pool: Pool, best: Sequence[Candidate], speakers: Mapping[str, str]) -> float:
    leading: dict[bool, float] = {}
    for each in best:
        if (speaker := speakers.get(each.id)) is not None:
            leading.setdefault(pool.plan.names(speaker), each.score)
    return leading[True] - leading[False] if len(leading) == 2 else 0.0
