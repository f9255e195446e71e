# SPDX-License-Identifier: Apache-2.0
"""Token vectors small enough to keep: which tokens have one, and how 384 numbers become 64 bytes.

Late interaction (Khattab and Zaharia 2020, "ColBERT") compares a question with a text token by token. It needs no
training of its own: the model's last hidden states, of which a text's vector is the mean, will do.

A projection onto 64 orthogonal directions chosen without regard to the data keeps cosines up to a small error
(Johnson and Lindenstrauss 1984). The directions are rows of the discrete cosine transform, chosen at random, of
the numbers with random signs: orthogonal by construction, and the same on every machine.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...domain.text import is_stop_word
from ...ports.models import TOKEN_SCALE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ...ports.models import Tokens

    Floats = NDArray[np.float32]
    Flags = NDArray[np.bool_]

WIDTH = 64
_SEED = 384064
_MOST = 127
_TOGETHER = 8  # rows in one product: with many more, the linear algebra library wakes a pool of threads
_APOSTROPHE = "'"
_SUFFIXES = frozenset(("s", "t", "m", "d", "ll", "ve", "re"))
_CONTROLS = frozenset(("[CLS]", "[SEP]", "[PAD]"))


class TokenReducer:
    """Chooses the tokens of a text that tell something, and makes their hidden states small."""

    def __init__(self, vocabulary: Sequence[str], dimension: int) -> None:
        import numpy as np

        self._vocabulary = vocabulary
        self._continues = np.array([piece.startswith("##") for piece in vocabulary])
        self._dull = np.array([not _tells(piece) for piece in vocabulary])
        self._suffix = np.array([piece in _SUFFIXES for piece in vocabulary])
        self._apostrophe = vocabulary.index(_APOSTROPHE)
        self._directions = _directions(dimension)

    def telling(self, ids: Sequence[int]) -> Flags:
        """Say of each token, ``[CLS]`` and ``[SEP]`` included, whether it has a vector.

        A piece of a longer word has one, whatever it would say as a word of its own.
        """
        import numpy as np

        tokens = np.asarray(ids)
        continues = self._continues[tokens]
        inside = continues.copy()
        inside[:-1] |= continues[1:]
        kept: Flags = inside | ~self._dull[tokens]
        kept[1:] &= ~((tokens[:-1] == self._apostrophe) & self._suffix[tokens[1:]])
        return kept

    def words(self, ids: Sequence[int], kept: Flags) -> tuple[str, ...]:
        """Return which word each token that has a vector is of; all pieces of a word give the whole word."""
        words: list[str] = []
        of: list[int] = []
        for id in ids:
            piece = self._vocabulary[id]
            if piece.startswith("##") and words:
                words[-1] += piece[2:]
            else:
                words.append(piece)
            of.append(len(words) - 1)
        return tuple(words[at] for at, keep in zip(of, kept.tolist(), strict=True) if keep)

    def reduce(self, hidden: Floats) -> Tokens:
        """Return hidden states, shape (n, dimension), as token vectors, shape (n, ``WIDTH``)."""
        import numpy as np

        # In small products, each of which one thread makes: a pool of threads that spins between the runs of the
        # model takes many times what the products do.
        padded = np.zeros((-(-len(hidden) // _TOGETHER) * _TOGETHER, hidden.shape[1]), np.float32)
        padded[: len(hidden)] = hidden
        small = (padded.reshape(-1, _TOGETHER, hidden.shape[1]) @ self._directions).reshape(-1, WIDTH)[: len(hidden)]
        small *= TOKEN_SCALE / np.maximum(np.linalg.norm(small, axis=1, keepdims=True), np.float32(1e-12))
        tokens: Tokens = np.rint(small).clip(-_MOST, _MOST).astype(np.int8)
        return tokens


def _tells(piece: str) -> bool:
    letters = any(character.isalnum() for character in piece)
    return letters and piece not in _CONTROLS and not is_stop_word(piece)


def _directions(dimension: int) -> Floats:
    import numpy as np

    draw = random.Random(_SEED)
    signs = np.array([1.0 if draw.random() < 0.5 else -1.0 for _ in range(dimension)])
    # Row 0 is the mean of all numbers; leaving it out keeps the norms of the rows alike.
    rows = sorted(range(1, dimension), key=lambda _: draw.random())[:WIDTH]
    angles = np.pi / dimension * (np.arange(dimension)[:, np.newaxis] + 0.5) * np.array(rows)
    return np.asarray(math.sqrt(2 / dimension) * np.cos(angles) * signs[:, np.newaxis], np.float32)
