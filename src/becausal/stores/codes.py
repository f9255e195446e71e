# SPDX-License-Identifier: Apache-2.0
"""Sign codes: one bit for each dimension of a vector, to tell quickly which of very many may be near.

The share of bits in which two codes differ estimates the angle between their vectors (Charikar 2002, "Similarity
estimation techniques from rounding algorithms", with the vectors' own axes for its random ones). Comparing them
reads a thirty-second of what comparing the vectors does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..ports.models import Vector, Vectors

_BITS = 64
_SUMMED = 3  # words whose differences one byte holds
_BLOCK = 32_768  # rows gone through at a time, so that what is worked out on the way stays in the processor's cache


class SignCodes:
    """The codes of rows 0 … n − 1, a word of all rows after the other, so that each is compared in one sweep."""

    def __init__(self, dimension: int, rows: int) -> None:
        import numpy as np

        self._words = -(-dimension // _BITS)
        self._codes: NDArray[np.uint64] = np.zeros((self._words, rows), np.uint64)

    def put(self, row: int, vectors: Vectors) -> None:
        """Set the codes of ``len(vectors)`` rows from ``row`` on."""
        end = row + len(vectors)
        self._make_room(end)
        self._codes[:, row:end] = self._of(vectors)

    def move(self, row: int, to: int) -> None:
        self._codes[:, to] = self._codes[:, row]

    def nearest(self, vector: Vector, rows: int, n: int) -> NDArray[np.intp]:
        """Return, in ascending order, the ``n`` of the first ``rows`` rows that differ least from a vector's code.

        Of several that differ as much, the first ones are taken.
        """
        import numpy as np

        if n >= rows:
            return np.arange(rows)
        differing = self._differing(self._of(vector[None, :])[:, 0], rows)
        # The greatest difference that is needed: to count is quicker than to sort.
        least, most = 0, self._words * _BITS
        while least < most:
            middle = (least + most) // 2
            if np.count_nonzero(differing <= middle) < n:
                least = middle + 1
            else:
                most = middle
        nearer = np.flatnonzero(differing < most)
        as_near = np.flatnonzero(differing == most)[: n - len(nearer)]
        return np.sort(np.concatenate((nearer, as_near)))

    def _differing(self, code: NDArray[np.uint64], rows: int) -> NDArray[np.uint16]:
        """Return in how many bits each row differs from a code."""
        import numpy as np

        differing = np.empty(rows, np.uint16)
        size = min(_BLOCK, rows)
        bits, count, sum_ = np.empty(size, np.uint64), np.empty(size, np.uint8), np.empty(size, np.uint8)
        for start in range(0, rows, _BLOCK):
            block = differing[start : start + _BLOCK]
            block[:] = 0
            bits, count, sum_ = bits[: len(block)], count[: len(block)], sum_[: len(block)]
            for first in range(0, self._words, _SUMMED):
                sum_[:] = 0
                for word in range(first, min(first + _SUMMED, self._words)):
                    np.bitwise_xor(self._codes[word, start : start + len(block)], code[word], out=bits)
                    np.bitwise_count(bits, out=count)
                    sum_ += count
                block += sum_
        return differing

    def _of(self, vectors: Vectors) -> NDArray[np.uint64]:
        """Return the codes of vectors, shape ``(words, len(vectors))``."""
        import numpy as np

        packed = np.zeros((len(vectors), self._words * _BITS // 8), np.uint8)
        signs = np.packbits(vectors > 0, axis=1)
        packed[:, : signs.shape[1]] = signs
        return packed.view(np.uint64).T

    def _make_room(self, rows: int) -> None:
        import numpy as np

        if rows > self._codes.shape[1]:
            larger = np.zeros((self._words, max(rows, 2 * self._codes.shape[1])), np.uint64)
            larger[:, : self._codes.shape[1]] = self._codes
            self._codes = larger
