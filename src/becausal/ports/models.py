# SPDX-License-Identifier: Apache-2.0
"""Models, as ports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from ..domain.records import Json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]
    """One embedding, shape ``(dimension,)``, of length one (or all zeros for text without words)."""

    Vectors = NDArray[np.float32]
    """Embeddings, shape ``(n, dimension)``."""

    Tokens = NDArray[np.int8]
    """One vector for each telling token of a text, shape ``(tokens, width)``; see ``TOKEN_SCALE``."""

TOKEN_SCALE = 254
"""What a token vector of length one is multiplied by to be kept as whole numbers from −127 to 127."""


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


@runtime_checkable
class Closing(Protocol):
    """Something that holds on to connections."""

    def close(self) -> None:
        """Let go of them: what waits for an answer gets an error. Doing so twice does nothing."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoded:
    """Texts as vectors: one for each text, and one for each of its tokens that tell something.

    Stop words and punctuation have no token vector. ``words`` says which word of the text each token is of.
    The product of two token vectors is their cosine similarity times ``TOKEN_SCALE`` squared.
    """

    vectors: Vectors
    tokens: tuple[Tokens, ...]
    words: tuple[tuple[str, ...], ...]


@runtime_checkable
class TokenEmbedder(Protocol):
    """An embedder that also gives the token vectors which its vectors are the means of."""

    def encode(self, texts: Sequence[str]) -> Encoded | None:
        """Return vectors as ``embed`` does, and the texts' token vectors from the same run of the model.

        ``None`` if it turns out to have none, as a wrapper may.

        Raises:
            ModelUnavailable: see ``Embedder.load``.
        """
        ...


# --- chat ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """One question to a chat model whose answer is a JSON object.

    ``purpose`` and ``version`` name the prompt. ``schema`` is the JSON schema of the answer: an object whose
    ``required`` members must be there, with the types that it gives them. ``seconds`` bounds the whole call, all
    attempts together. With ``repair`` an answer that cannot be used is sent back once, with what is wrong with it.
    """

    purpose: str
    version: str
    system: str
    user: str
    schema: Mapping[str, Json]
    max_tokens: int
    seconds: float
    repair: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """A model's answer, and what it took: tokens read and written, and ``calls`` of the service.

    ``estimated`` of the tokens are estimates, where the service did not say.
    ``cut`` says that the answer broke off and was closed where it did.
    """

    data: Mapping[str, Json]
    tokens_in: int = 0
    tokens_out: int = 0
    estimated: int = 0
    calls: int = 1
    cut: bool = False


class ChatModel(Closing, Protocol):
    """Answers questions in JSON. All methods are safe to call from several threads."""

    @property
    def name(self) -> str:
        """The model's name, as the service knows it."""
        ...

    @property
    def host(self) -> str | None:
        """The host that text is sent to; ``None`` if it stays in this process."""
        ...

    def complete(self, request: ChatRequest) -> ChatReply:
        """Answer a request.

        Raises:
            ServiceError: there is no answer that can be used; the kind of error says why, ``used`` what it took.
        """
        ...
