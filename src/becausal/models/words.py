# SPDX-License-Identifier: Apache-2.0
"""Vectors of words alone, in pure Python: what the hashing embedder and the nodes of sessions are compared by.

The hashing trick of Weinberger et al. 2009 ("Feature Hashing for Large Scale Multitask Learning") with the
constants of pmll-memory-mcp's Python package, so that vectors made there and here are the same.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from hashlib import blake2b
from math import sqrt

DIMENSION = 128

_SEPARATORS = re.compile(r"[^a-z0-9\s_-]")
_SIGN_BIT = 1 << 63
_MEMO_TOKENS = 32_768
_MEMO_LENGTH = 64


def tokenize(text: str) -> list[str]:
    """Return the words of a text in lower case: runs of a–z, 0–9, ``_`` and ``-``, of two characters or more."""
    return [token for token in _SEPARATORS.sub(" ", text.lower()).split() if len(token) > 1]


def bucket(token: str, dimension: int = DIMENSION) -> tuple[int, int]:
    """Return which of so many numbers a token goes to, and its sign there: 1 or -1."""
    number, sign = _memorised(token) if len(token) <= _MEMO_LENGTH else _hashed(token)
    return number % dimension, sign


def embed_text(text: str, dimension: int = DIMENSION) -> list[float]:
    """Return a text's vector: 128 or so many numbers, of length one, or all zeros for a text without words.

    A token that occurs ``tf`` times weighs ``0.5 + 0.5 · tf / max tf`` and is added, with its sign, to its
    bucket; no stop word is left out and nothing is stemmed.
    """
    vector = [0.0] * dimension
    counts = Counter(tokenize(text))
    most = max(counts.values(), default=1)
    for token, count in counts.items():
        place, sign = bucket(token, dimension)
        vector[place] += sign * (0.5 + 0.5 * count / most)
    length = sqrt(sum(value * value for value in vector))
    return [value / length for value in vector] if length > 1e-10 else vector


def _hashed(token: str) -> tuple[int, int]:
    number = int.from_bytes(blake2b(token.encode(), digest_size=8).digest(), "little")
    return number, -1 if number & _SIGN_BIT else 1


_memorised = lru_cache(maxsize=_MEMO_TOKENS)(_hashed)
