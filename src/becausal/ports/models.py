# SPDX-License-Identifier: Apache-2.0
"""Models, as ports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]
    """One embedding, shape ``(dimension,)``, of length one (or all zeros for text without words)."""

    Vectors = NDArray[np.float32]
    """Embeddings, shape ``(n, dimension)``."""


class Embedder(Protocol):
    """Turns text into vectors whose dot product is their cosine similarity.

    Making one is cheap; ``load`` is what takes time, and is called by the first ``embed`` at the latest.
    All methods are safe to call from several threads.
    """

    @property
    def name(self) -> str:
        """What the store remembers: vectors of different names are never compared."""
        ...

    @property
    def dimension(self) -> int: ...

    @property
    def max_words(self) -> int:
        """How many words of a text it can read; longer text is cut into passages of this size."""
        ...

    @property
    def degraded(self) -> str | None:
        """Why results made with it are second-rate, or ``None`` when they are not."""
        ...

    def load(self) -> None:
        """Make it ready. Doing so twice does nothing.

        Raises:
            ModelUnavailable: the model is missing, damaged or cannot run; a later call tries again.
        """
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text, float32, shape ``(len(texts), dimension)``.

        Raises:
            ModelUnavailable: see ``load``.
        """
        ...
