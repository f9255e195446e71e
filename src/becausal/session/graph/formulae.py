# SPDX-License-Identifier: Apache-2.0
"""The numbers of a session's graph, as pmll-memory-mcp defines them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime

DAY = 86_400.0
LEAST_WEIGHT = 0.01


def decayed(weight: float, since: datetime, now: datetime, rate: float) -> float:
    """Return ``weight · e^(−rate · days)``: with a rate of .05 half is left after 13.86 days."""
    days = max(0.0, (now - since).total_seconds() / DAY)
    return weight * math.exp(-rate * days)


def direct_score(cosine: float) -> float:
    """Return the score of a node that fits by itself: a hundred times the cosine, from -100 to 100."""
    return round(cosine * 100, 1)


def neighbour_score(cosine: float, weight_now: float, weight: float) -> float:
    """Return the score of a node found through a relation: 60 for likeness, 40 for freshness, from -60 to 100."""
    return round((0.6 * cosine + 0.4 * weight_now / max(weight, LEAST_WEIGHT)) * 100, 1)


def traversal_score(weight_now: float, depth: int, penalty: float) -> float:
    """Return the score of a node ``depth`` hops from where a traversal began; a weight above 1 makes it exceed 100."""
    return round(weight_now / (1 + penalty * depth) * 100, 1)


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the cosine of two vectors; the shorter counts as filled up with zeros, and with nothing it is 0."""
    product = sum(a * b for a, b in zip(one, other, strict=False))
    lengths = math.sqrt(sum(a * a for a in one)) * math.sqrt(sum(b * b for b in other))
    return product / lengths if lengths > 1e-10 else 0.0
