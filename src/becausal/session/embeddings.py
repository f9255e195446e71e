# SPDX-License-Identifier: Apache-2.0
"""Vectors of words: the hashed ones that nodes have, and the older kind whose vocabulary grows."""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Sequence

from ..errors import InvalidInput
from ..models.words import DIMENSION as EMBED_DIM
from ..models.words import embed_text, tokenize
from .graph.formulae import cosine as cosine_similarity

__all__ = [
    "EMBED_DIM",
    "HashingVectorizer",
    "TfIdfVectorizer",
    "cosine_similarity",
    "embed",
    "get_hasher",
    "get_vectorizer",
    "l2_normalize",
    "reset_vectorizer",
    "tokenize",
]


MAX_DIM = 1 << 20


def embed(text: str) -> list[float]:
    """Return the vector that nodes have: 128 numbers; see ``becausal.models.words.embed_text``."""
    return embed_text(text)


def l2_normalize(vector: Sequence[float]) -> list[float]:
    """Return a vector scaled to length one; one that is as good as zero stays as it is."""
    length = math.sqrt(sum(value * value for value in vector))
    return [value / length for value in vector] if length > 1e-10 else list(vector)


class HashingVectorizer:
    """Turns any text into 128 numbers, or as many as are asked for, of length one, without having seen another."""

    def __init__(self, dim: int = EMBED_DIM) -> None:
        if isinstance(dim, bool) or not isinstance(dim, int) or not 1 <= dim <= MAX_DIM:
            raise InvalidInput("dim", f"must be a whole number from 1 to {MAX_DIM:,}, got {dim!r:.40}")
        self.dim = dim

    @property
    def vocab_size(self) -> int:
        """How long its vectors are."""
        return self.dim

    def vectorize(self, text: str) -> list[float]:
        """Return a text's vector; see ``becausal.models.words.embed_text``."""
        return embed_text(text, self.dim)


class TfIdfVectorizer:
    """Vectors over a vocabulary that grows with every document: ``(0.5 + 0.5 · tf / max tf) · ln(1 + N / (1 + df))``.

    Their length is the size of the vocabulary, so those of different ages agree on the shared prefix only.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._places: dict[str, int] = {}
        self._documents = 0
        self._frequencies: Counter[str] = Counter()

    @property
    def vocab_size(self) -> int:
        """How many words it knows, which is how long its vectors are."""
        return len(self._places)

    def add_document(self, text: str) -> None:
        """Count a document, and take its words into the vocabulary."""
        with self._lock:
            self._documents += 1
            for token in dict.fromkeys(tokenize(text)):
                self._places.setdefault(token, len(self._places))
                self._frequencies[token] += 1

    def vectorize(self, text: str) -> list[float]:
        """Return a text's vector, of length one; without a vocabulary an empty one."""
        with self._lock:
            vector = [0.0] * len(self._places)
            counts = Counter(token for token in tokenize(text) if token in self._places)
            most = max(counts.values(), default=1)
            for token, count in counts.items():
                rarity = math.log(1 + self._documents / (1 + self._frequencies[token]))
                vector[self._places[token]] = (0.5 + 0.5 * count / most) * rarity
        return l2_normalize(vector)


_hasher = HashingVectorizer()
_vectorizer = TfIdfVectorizer()


def get_hasher() -> HashingVectorizer:
    """Return the vectorizer that nodes are embedded with."""
    return _hasher


def get_vectorizer() -> TfIdfVectorizer:
    """Return the one whose vocabulary grows, shared by this process."""
    return _vectorizer


def reset_vectorizer() -> None:
    """Begin with an empty vocabulary again."""
    global _vectorizer
    _vectorizer = TfIdfVectorizer()
