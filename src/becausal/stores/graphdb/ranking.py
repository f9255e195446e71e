# SPDX-License-Identifier: Apache-2.0
"""A query's own BM25 over what a server's full-text index matches, from the statistics of one user alone.

What an index itself scores by are counts over everybody's records; and FalkorDB's is divided by how far apart the
terms stand, so that a record with two of them may come after any that has the more common one alone.
"""

from __future__ import annotations

from collections.abc import Mapping

K1, B = 1.2, 0.75
"""Of BM25, as the full-text indexes of the other stores have them."""

SCORE = (
    "reduce(sum = 0.0, i IN range(0, size($words) - 1) | sum + "
    "CASE WHEN {text} CONTAINS $words[i] THEN $weights[i] ELSE 0.0 END) / ($short + $long * {length})"
)
"""A Cypher expression of BM25 with each term counted once, over fields of a record.

It is to be projected before it is ordered by: FalkorDB orders by no ``reduce`` that it does not return.
"""


def score_params(weights: Mapping[str, float], mean_length: float) -> dict[str, object]:
    """Return the parameters of ``SCORE``: ``weights`` are the idf of each term as it stands in the text."""
    return {
        "words": list(weights),
        "weights": list(weights.values()),
        "short": 1 + K1 * (1 - B),
        "long": K1 * B / mean_length if mean_length else 0.0,
    }
