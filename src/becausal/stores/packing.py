# SPDX-License-Identifier: Apache-2.0
"""Vectors and their tokens as bytes, and what a store remembers about them, checked: the same in every backend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..errors import InvalidInput

if TYPE_CHECKING:
    from ..ports.models import Tokens, Vector

DIMENSION_KEY = "embedder_dimension"
EPOCH_KEY = "vector_epoch"
TEXT_EPOCH_KEY = "text_epoch"
_RESERVED = ("schema_version", EPOCH_KEY, TEXT_EPOCH_KEY)
_MOST_DIMENSIONS = 65_536


def packed_vector(vector: Vector | None, dimension: int | None) -> tuple[bytes, int]:
    """Return the little-endian 32-bit floats of a vector, and how many they are.

    Raises:
        InvalidInput: there are not ``dimension`` of them, or not all are finite.
    """
    import numpy as np

    numbers = np.asarray(vector, dtype="<f4")
    if numbers.ndim != 1 or numbers.size == 0 or (dimension and numbers.size != dimension):
        raise InvalidInput("vector", f"has shape {numbers.shape}; this memory takes ({dimension or 'n'},)")
    if not np.isfinite(numbers).all():
        raise InvalidInput("vector", "must hold finite numbers only")
    return numbers.tobytes(), numbers.size


def packed_tokens(tokens: Tokens) -> tuple[int, bytes]:
    """Return the width of token vectors, and their bytes, row after row.

    Raises:
        InvalidInput: they are not rows of whole numbers of one byte.
    """
    import numpy as np

    if tokens.ndim != 2 or tokens.shape[1] == 0 or tokens.dtype != np.int8:
        raise InvalidInput("tokens", f"must be int8 of shape (n, width), not {tokens.dtype} of {tokens.shape}")
    return tokens.shape[1], tokens.tobytes()


def check_meta(meta: Mapping[str, str | None]) -> None:
    """Refuse what cannot be remembered.

    Raises:
        InvalidInput: a key is the store's own, a value is not text, or the dimension is none.
    """
    for key, value in meta.items():
        if key in _RESERVED:
            raise InvalidInput(key, "is kept by the store and cannot be changed")
        if not isinstance(value, str | None):
            raise InvalidInput(key, "must be text")
    dimension = meta.get(DIMENSION_KEY)
    if dimension is not None and not (
        dimension.isascii() and dimension.isdigit() and 1 <= int(dimension) <= _MOST_DIMENSIONS
    ):
        raise InvalidInput(DIMENSION_KEY, f"must be a whole number from 1 to {_MOST_DIMENSIONS}")
