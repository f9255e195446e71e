# SPDX-License-Identifier: Apache-2.0
"""BM25 of one question, term by term, so that neighbours can lend single words."""

from __future__ import annotations

from collections.abc import Sequence

from ..domain.scoring import idf
from ..ports.store import TextMatches

SHORT = 60
"""Terms up to which a record is a turn or a short note, not a document."""

TURN, DOCUMENT = (0.6, 0.2), (1.5, 0.75)
"""BM25's k1 and b: turns differ in length by chance, documents by what they hold."""


class TermScores:
    """What each term of a question adds to a record's BM25, as a share of the most that all could add up to.

    The shares of a record sum to its relative BM25, 0 … 1. The most is what a record of one word would get
    that repeats every term without end.
    """

    def __init__(self, matches: TextMatches) -> None:
        self._mean = matches.mean_length
        self.weights = tuple(idf(matches.documents, df) for df in matches.document_frequencies)
        """How much each term tells."""
        self._short = self._constants(self.weights, *TURN)
        self._long = self._constants(self.weights, *DOCUMENT)

    def _constants(self, weights: Sequence[float], k1: float, b: float) -> tuple[float, float, tuple[float, ...]]:
        most = sum(weights)
        slope = k1 * b / self._mean if self._mean > 0 else 0.0
        return k1 * (1 - b), slope, tuple(weight / most if most else 0.0 for weight in weights)

    def of(self, frequencies: Sequence[int], length: int) -> tuple[float, ...]:
        """Return the share of every term, in the order asked, for a record of ``length`` terms."""
        base, slope, shares = self._short if length <= SHORT else self._long
        norm = base + slope * length
        return tuple([share * tf / (tf + norm) if tf else 0.0 for share, tf in zip(shares, frequencies, strict=True)])
