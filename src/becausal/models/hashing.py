# SPDX-License-Identifier: Apache-2.0
"""Word hashing as an embedder: vectors without a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .words import DIMENSION, embed_text

if TYPE_CHECKING:
    from ..ports.models import Vectors


class HashingEmbedder:
    """``embed_text`` as an embedder: it knows words that are the same, and no others that mean the same."""

    @property
    def name(self) -> str:
        return "hashing-blake2b-128"

    @property
    def dimension(self) -> int:
        return DIMENSION

    @property
    def degraded(self) -> str:
        return "the hashing embedder finds the same words, not the same meaning"

    def load(self) -> None:
        """Do nothing: there is no model."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the texts' vectors; see ``Embedder.embed``."""
        import numpy as np

        return np.array([embed_text(text) for text in texts], np.float32).reshape(len(texts), DIMENSION)
