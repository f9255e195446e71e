# SPDX-License-Identifier: Apache-2.0
"""Late interaction: a question compared with the best candidates token by token.

For each telling token of the question, what counts is the most similar token of a memory (MaxSim; Khattab and
Zaharia 2020, "ColBERT"), and what is rare in the memory counts more. A mean vector blurs a text into one point;
this finds the one word in it that answers. It costs a lookup by id, so it is asked of the best candidates alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..domain.text import query_terms
from ..ports.models import TOKEN_SCALE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..ports.models import Tokens, Vector
    from ..ports.store import TokenVectors

    Floats = NDArray[np.float32]

MOST_TOKENS = 32
"""Tokens of a question that are compared, the first ones."""

_AT_A_TIME = 1 << 18
"""Multiplications below which the library for matrices works alone instead of waking threads."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as vectors: its own, and those of its telling tokens with the words they are of."""

    vector: Vector
    tokens: Tokens | None = None  # shape (n, width)
    words: tuple[str, ...] = ()


class Interaction:
    """How well memories match each token of one question.

    ``weights`` say how much a word tells, by its search term; a word of several pieces counts once.
    """

    def __init__(self, asked: Asked, weights: Mapping[str, float]) -> None:
        import numpy as np

        assert asked.tokens is not None
        self.width = asked.tokens.shape[1]
        self._tokens = asked.tokens[:MOST_TOKENS].astype(np.float32) / np.float32(TOKEN_SCALE**2)
        words = asked.words[:MOST_TOKENS]
        least = min(weights.values(), default=1.0)
        pieces = [
            max((weights[term] for term in query_terms(word) if term in weights), default=least) / words.count(word)
            for word in words
        ]
        self._weights = np.array(pieces, np.float32) / np.float32(sum(pieces) or 1.0)

    def match(self, vectors: TokenVectors) -> Floats:
        """Return, for each record, the best cosine of each token of the question, 0 or more; shape (records, tokens).

        A record without a single token matches nothing.
        """
        import numpy as np

        counts = np.array(vectors.counts)
        best = np.zeros((len(counts), len(self._tokens)), np.float32)
        some = counts > 0
        if some.any():
            starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
            best[some] = np.maximum.reduceat(self._cosines(vectors.rows), starts[some], axis=0)
        return np.maximum(best, 0, out=best)

    def score(self, best: Floats) -> Floats:
        """Return the weighted means of such rows, 0 … 1."""
        import numpy as np

        return np.asarray((best * self._weights).sum(axis=1), np.float32)

    def _cosines(self, rows: Tokens) -> Floats:
        import numpy as np

        size = max(1, _AT_A_TIME // (self.width * len(self._tokens)))
        with np.errstate(invalid="ignore"):  # of finite numbers; some kernels look past the end and warn of it
            parts = [rows[at : at + size].astype(np.float32) @ self._tokens.T for at in range(0, len(rows), size)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)


def lend(best: Floats, loans: Sequence[tuple[int, int, float]]) -> Floats:
    """Return such rows after each (to, from, share) has let the first have the second's at a discount, where better."""
    import numpy as np

    lent = best.copy()
    if loans:
        to, of, share = (np.array(column) for column in zip(*loans, strict=True))
        np.maximum.at(lent, to, best[of] * share.astype(np.float32)[:, np.newaxis])
    return lent
