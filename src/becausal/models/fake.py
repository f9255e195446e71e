# SPDX-License-Identifier: Apache-2.0
"""Models for tests and examples: small, quick, the same everywhere, and able to fail on request."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from math import sqrt
from typing import TYPE_CHECKING

from ..domain.records import Json
from ..errors import InvalidInput, ModelUnavailable
from ..ports.models import TOKEN_SCALE, ChatReply, ChatRequest, Encoded

if TYPE_CHECKING:
    from ..ports.models import Vector, Vectors

_WORD = re.compile(r"\w+")
_WIDEST = 512  # bits of the longest BLAKE2b digest


class FakeEmbedder:
    """Texts that share words get similar vectors, so recall can be tried without a model.

    >>> embedder = FakeEmbedder()
    >>> kettle, boiling, tax = embedder.embed(["the blue kettle", "a kettle, blue", "tax returns"])
    >>> bool(kettle @ boiling > 0.5 > kettle @ tax)
    True

    It plays the troubles of a real one: ``fail`` and ``heal``; and it does not get past ``load_gate`` or
    ``embed_gate``, if that is an event, before the event is set. ``loads`` and ``embeds`` count the calls
    that got through to the model or failed there, ``texts`` the texts embedded.
    """

    def __init__(
        self,
        *,
        dimension: int = 64,
        name: str = "fake",
        degraded: str | None = None,
        tokens: bool = False,
    ) -> None:
        """Make one with vectors of ``dimension`` numbers, 1 to 512; with ``tokens``, one that can ``encode``.

        Raises:
            InvalidInput: the dimension is out of range.
        """
        if not 1 <= dimension <= _WIDEST:
            raise InvalidInput("dimension", f"must be from 1 to {_WIDEST}, not {dimension}")
        self._dimension = dimension
        self._name = name
        self._degraded = degraded
        self._tokens = tokens
        self._lock = threading.Lock()
        self._loaded = False
        self._failure: str | None = None
        self.load_gate: threading.Event | None = None
        self.embed_gate: threading.Event | None = None
        self.loads = 0
        self.embeds = 0
        self.texts = 0

    @property
    def name(self) -> str:
        return self._name

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def degraded(self) -> str | None:
        return self._degraded

    def fail(self, reason: str) -> None:
        """Lose the model: from now on ``load`` and ``embed`` raise ``ModelUnavailable(reason)``."""
        with self._lock:
            self._failure = reason
            self._loaded = False

    def heal(self) -> None:
        """Have the model back; it is loaded by the next call."""
        with self._lock:
            self._failure = None

    def load(self) -> None:
        """Load the pretended model; see ``Embedder.load``."""
        if self.load_gate is not None:
            self.load_gate.wait()
        with self._lock:
            if not self._loaded:
                self.loads += 1
                self._raise_failure()
                self._loaded = True

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the texts' vectors; see ``Embedder.embed``."""
        import numpy as np

        self.load()
        if self.embed_gate is not None:
            self.embed_gate.wait()
        with self._lock:
            self.embeds += 1
            self._raise_failure()
            self.texts += len(texts)
        vectors = np.zeros((len(texts), self._dimension), np.float32)
        for row, text in enumerate(texts):
            for word in _WORD.findall(text.casefold()):
                vectors[row] += self._signs(word)
        unit: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-12))
        return unit

    def encode(self, texts: Sequence[str]) -> Encoded | None:
        """Return a token vector for every word, the same for the same word; see ``TokenEmbedder.encode``."""
        if not self._tokens:
            return None
        import numpy as np

        size = TOKEN_SCALE / sqrt(self._dimension)
        words = tuple(tuple(_WORD.findall(text.casefold())) for text in texts)
        tokens = [np.array([self._signs(word) * size for word in each]) for each in words]
        rows = tuple(each.reshape(-1, self._dimension).clip(-127, 127).astype(np.int8) for each in tokens)
        return Encoded(vectors=self.embed(texts), tokens=rows, words=words)

    def _signs(self, word: str) -> Vector:
        import numpy as np

        digest = blake2b(word.encode("utf-8", "surrogatepass")).digest()
        bits = np.unpackbits(np.frombuffer(digest, np.uint8))[: self._dimension]
        return np.asarray(bits, np.float32) * np.float32(2) - np.float32(1)

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise ModelUnavailable(self._failure)


class FakeChat:
    """A chat model that answers with what it is given: data, an error to raise, or a function of the request.

    >>> chat = FakeChat({"kind": "why"})
    >>> request = ChatRequest(
    ...     purpose="sort", version="1", system="", user="", schema={}, max_tokens=9, seconds=1.0
    ... )
    >>> chat.complete(request).data, len(chat.requests)
    ({'kind': 'why'}, 1)
    """

    def __init__(self, answer: Mapping[str, Json] | Exception | Callable[[ChatRequest], Mapping[str, Json]]) -> None:
        self.answer = answer
        self.requests: list[ChatRequest] = []
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        return "fake"

    @property
    def host(self) -> str | None:
        return None

    def complete(self, request: ChatRequest) -> ChatReply:
        """Answer with what was given; see ``ChatModel.complete``."""
        with self._lock:
            self.requests.append(request)
        answer = self.answer
        if isinstance(answer, Exception):
            raise answer
        return ChatReply(data=answer(request) if callable(answer) else answer, tokens_in=30, tokens_out=10)

    def close(self) -> None:
        """Do nothing: there are no connections."""
