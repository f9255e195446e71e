# SPDX-License-Identifier: Apache-2.0
"""Embedders by name. Only the one that is asked for is imported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from ..errors import SettingsError
from ..ports.models import Embedder


def make_embedder(name: str, *, path: Path | None = None, threads: int | None = None) -> Embedder:
    """Return the embedder called ``name``, not loaded yet.

    ``path`` is its model file where that is not the installed one, ``threads`` how many it may use; an
    embedder without a model has no use for either.

    Raises:
        SettingsError: there is no embedder of this name.
    """
    make = _EMBEDDERS.get(name)
    if make is None:
        raise SettingsError("embedder", f"must be one of {', '.join(sorted(_EMBEDDERS))}, not '{name}'")
    return make(path, threads)


def _minilm(path: Path | None, threads: int | None) -> Embedder:
    from .minilm.embedder import MiniLM

    return MiniLM(model_path=path, threads=threads)


def _hashing(_path: Path | None, _threads: int | None) -> Embedder:
    from .hashing import HashingEmbedder

    return HashingEmbedder()


_EMBEDDERS: Mapping[str, Callable[[Path | None, int | None], Embedder]] = {"hashing": _hashing, "minilm": _minilm}
