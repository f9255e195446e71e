# SPDX-License-Identifier: Apache-2.0
"""Embedders by name, and models behind a service. Only what is asked for is imported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import SettingsError
from ..ports.models import ChatModel, Embedder


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A model behind a service: its address and name, how often a call is tried again, and seconds it may take."""

    base_url: str
    key: str | None = field(repr=False)
    model: str
    retries: int = 3
    seconds: float = 60.0


def make_chat(remote: Remote) -> ChatModel:
    """Return a chat model behind a service. Nothing is sent before it is asked something."""
    from .openai_compatible.chat import OpenAICompatibleChat
    from .openai_compatible.service import Service

    service = Service(remote.base_url, remote.key, what="the chat service", retries=remote.retries)
    return OpenAICompatibleChat(service, remote.model)


def make_remote_embedder(remote: Remote, expected: Callable[[], tuple[int, str] | None]) -> Embedder:
    """Return an embedder behind a service. Nothing is sent before it is loaded.

    ``expected`` tells what is known of the length of its vectors, and where from.
    """
    from .openai_compatible.embedder import OpenAICompatibleEmbedder
    from .openai_compatible.service import Service

    service = Service(
        remote.base_url,
        remote.key,
        what="the embedding service",
        retries=remote.retries,
        most_bytes=64 * 1024 * 1024,
    )
    return OpenAICompatibleEmbedder(service, remote.model, expected=expected, seconds=remote.seconds)


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
