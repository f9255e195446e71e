# SPDX-License-Identifier: Apache-2.0
"""The formulae that turn matches into scores."""

from __future__ import annotations

import math
from collections.abc import Sequence

DECAY_PER_DAY = 0.01

FADED = 0.05
"""What is left of a memory below which it has faded, unless settings say otherwise (smriti's)."""

UNIMPORTANT = 0.3
"""Importance below which what has faded need not be kept at hand, unless settings say otherwise (smriti's)."""


def percent(share: float) -> str:
    """Return a share from 0 to 1 in whole hundredths; only none at all is 0%, and only certainty 100%."""
    if 0 < share < 0.01:
        return "<1%"
    return ">99%" if 0.99 < share < 1 else f"{share * 100:.0f}%"


def bm25(
    frequencies: Sequence[int],
    length: int,
    document_frequencies: Sequence[int],
    documents: int,
    mean_length: float,
    *,
    k1: float,
    b: float,
) -> float:
    """Return the Okapi BM25 score of one record for a query, 0 or more.

    Σ ln(1 + (N − df + ½) / (df + ½)) · tf · (k1 + 1) / (tf + k1 · (1 − b + b · length / mean_length)), over
    the query's terms: Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), with the idf of
    Lucene, which is never negative.

    Args:
        frequencies: how often each query term occurs in the record (tf).
        length: number of terms of the record.
        document_frequencies: in how many records each query term occurs (df), in the same order.
        documents: number of records (N).
        mean_length: mean number of terms of a record; 0 counts as ``length``.
        k1: how slowly repetitions saturate, 0 or more.
        b: how far length is held against a record, 0 … 1.

    Raises:
        ValueError: the two sequences differ in length.
    """
    relative = length / mean_length if mean_length > 0 else 1.0
    norm = k1 * (1.0 - b + b * relative)
    score = 0.0
    for tf, df in zip(frequencies, document_frequencies, strict=True):
        if tf > 0:
            score += idf(documents, df) * tf * (k1 + 1.0) / (tf + norm)
    return score


def idf(documents: int, frequency: int) -> float:
    """Return how much a term tells: ln(1 + (N − df + ½) / (df + ½)), above 0; see ``bm25``."""
    frequency = min(frequency, documents)  # statistics may lag a write behind the record
    return math.log(1.0 + (documents - frequency + 0.5) / (frequency + 0.5))


def min_max(scores: Sequence[float]) -> list[float]:
    """Return the scores moved and stretched so that the lowest is 0 and the highest 1.

    Where all are the same there is nothing to tell apart: each becomes 1 if it is positive, else 0.
    """
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    if high <= low:
        return [1.0 if high > 0 else 0.0] * len(scores)
    return [(score - low) / (high - low) for score in scores]


def cosine(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the cosine similarity of two vectors, −1 … 1; 0 if their lengths differ or either is zero."""
    if len(a) != len(b):
        return 0.0
    norm = math.sqrt(math.fsum(x * x for x in a)) * math.sqrt(math.fsum(y * y for y in b))
    if norm == 0.0:
        return 0.0
    return max(-1.0, min(1.0, math.fsum(x * y for x, y in zip(a, b, strict=True)) / norm))


def recency(hours: float) -> float:
    """Return 1 / (1 + hours / 24) for the hours since the last access, and 1 for none or fewer (smriti)."""
    return 1.0 if hours <= 0 else 1.0 / (1.0 + hours / 24.0)


def decay(hours: float) -> float:
    """Return e^(−0.01 · hours / 24) for the hours since the last access, and 1 for none or fewer.

    smriti's forgetting curve in closed form: it depends on the time alone and not on how often it is
    worked out.
    """
    return 1.0 if hours <= 0 else math.exp(-DECAY_PER_DAY * hours / 24.0)


def retained(factor: float, hours: float) -> float:
    """Return what is left of a memory some hours after its last use, 0 … 1, given what was left then.

    factor · ``decay(hours)``: a use starts a new curve, and nothing else has a say.
    """
    return factor * decay(hours)


def is_weak(importance: float, left: float, faded: float = FADED, unimportant: float = UNIMPORTANT) -> bool:
    """Whether a memory need not be kept at hand: less than ``faded`` is left of it, and it is ``unimportant`` (smriti).

    Both are bounds that it must be below.
    """
    return left < faded and importance < unimportant


def frequency_boost(uses: int, factor: float) -> float:
    """Return what frequent use gives back to a decay factor, 0 … .1.

    min(.01 · uses, .1) after more than 5 uses where less than .9 is left, else 0 (smriti).
    """
    return min(0.01 * uses, 0.1) if uses > 5 and factor < 0.9 else 0.0


def smriti_score(
    cosine: float, recency: float, importance: float, decay: float, hop: int, cross_cluster: bool
) -> float:
    """Return smriti's composite score.

    (0.4 · cosine + 0.2 · recency + 0.2 · importance + 0.2 · decay) × hop penalty × cluster penalty. The first
    penalty is 1 for a direct hit (``hop`` 0) and 1 / (1 + hop) beyond it; the second is ½ for a memory that
    was not hit directly and lies in another cluster than most direct hits, both clusters being known
    (``cross_cluster``), else 1.
    """
    score = 0.4 * cosine + 0.2 * recency + 0.2 * importance + 0.2 * decay
    if hop > 0:
        score /= 1 + hop
        if cross_cluster:
            score *= 0.5
    return score
