# SPDX-License-Identifier: Apache-2.0
"""An embedding service as an embedder."""

from __future__ import annotations

import base64
import binascii
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from ...errors import ContextTooLong, ModelUnavailable, RequestRefused
from ..patience import within
from .service import Service

if TYPE_CHECKING:
    from ...ports.models import Vector, Vectors

log = logging.getLogger("becausal.models")

BATCH = 64
"""Texts in one call."""

BATCH_CHARACTERS = 60_000
"""Characters in one call, but for a single text."""

LONGEST = 8_000
"""Characters of one text that are sent."""

SHORTEST = 250
"""Characters below which a text that the service calls too long is not cut any more."""

MOST_DIMENSIONS = 65_536
KEPT = 1_024
"""Vectors of the latest texts that are kept, so that the same text is not sent twice in a row."""

ZEROS = "vectors of nothing but zeros"
PROBE = "dimension"
QUESTION = 2_000
"""Characters up to which a single text counts as a question, that somebody waits for."""


class OpenAICompatibleEmbedder:
    """Vectors from an interface like OpenAI's.

    Their length is what the service says, and is found out by ``load``. ``expected`` returns what is known of it: by a
    setting or from the vectors that the memory holds; ``why`` names where from.
    """

    def __init__(
        self,
        service: Service,
        model: str,
        *,
        expected: Callable[[], tuple[int, str] | None] = lambda: None,
        seconds: float = 30.0,
        question_seconds: float = 10.0,
    ) -> None:
        """Make one; nothing is sent. ``seconds`` bound a call, ``question_seconds`` one for a single short text."""
        self._service = service
        self._model = model
        self._expected = expected
        self._seconds = seconds
        self._question_seconds = question_seconds
        self._dimension: int | None = None
        self._lock = threading.Lock()
        self._kept: OrderedDict[bytes, Vector] = OrderedDict()

    @property
    def name(self) -> str:
        return f"remote:{self._model}"

    @property
    def host(self) -> str:
        """The host that texts are sent to."""
        return self._service.host

    @property
    def dimension(self) -> int:
        """Length of the vectors; 0 while it is not known."""
        if self._dimension is not None:
            return self._dimension
        known = self._expected()
        return known[0] if known else 0

    @property
    def degraded(self) -> str | None:
        return None

    def load(self) -> None:
        """Find out the length of the vectors; see ``Embedder.load``.

        Raises:
            ModelUnavailable: the service does not answer, or its vectors have another length than is known.
        """
        if self._dimension is not None:
            return
        with within(self._seconds):  # somebody waits, and what fails is tried again when that is worth while
            (vector,) = self._call([PROBE], self._seconds)
        if not vector.any():
            raise self._service.unusable(ZEROS)
        known = self._expected()
        if known is not None and known[0] != vector.size:
            raise ModelUnavailable(
                f"the model '{self._model}' gives vectors of {vector.size} numbers, but {known[1]} says {known[0]}"
            )
        self._dimension = int(vector.size)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the texts' vectors; see ``Embedder.embed``."""
        import numpy as np

        self.load()
        texts = [text[:LONGEST] for text in texts]
        found = {text: vector for text in texts if (vector := self._recall(text)) is not None}
        wanted = [text for text in dict.fromkeys(texts) if text not in found and text.strip()]
        for batch in _batches(wanted):
            for text, vector in zip(batch, self._vectors(batch), strict=True):
                found[text] = vector
                self._keep(text, vector)
        made = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            if text in found:
                made[row] = found[text]
        return made

    def close(self) -> None:
        """Let go of all connections."""
        self._service.close()

    # --- calling ---

    def _vectors(self, batch: Sequence[str]) -> list[Vector]:
        import numpy as np

        quick = len(batch) == 1 and len(batch[0]) <= QUESTION
        try:
            found = self._call(batch, self._question_seconds if quick else self._seconds)
        except RequestRefused as error:
            # One text that the service does not take must not keep back the others.
            if len(batch) > 1:
                return [vector for text in batch for vector in self._vectors([text])]
            if isinstance(error, ContextTooLong) and len(batch[0]) > SHORTEST:
                return self._vectors([batch[0][: len(batch[0]) // 2]])
            # The service took the probe, so it is this text that it does not take: it is found by its words alone.
            log.warning("a text has no vector: %s", error)
            return [np.zeros(self.dimension, np.float32)]
        if any(vector.size != self.dimension for vector in found):
            raise self._service.unusable(f"vectors of another length than {self.dimension}")
        if missing := sum(not vector.any() for vector in found):
            if len(batch) > 1 and missing == len(batch):
                raise self._service.unusable(ZEROS)
            log.warning("%d of %d texts have no vector: the service gave zeros for them", missing, len(batch))
        return found

    def _call(self, batch: Sequence[str], seconds: float) -> list[Vector]:
        body = {"model": self._model, "input": list(batch), "encoding_format": "float"}
        answer = self._service.post("embeddings", body, seconds)
        try:
            items = {int(item.get("index", at)): item["embedding"] for at, item in enumerate(answer["data"])}
        except (KeyError, TypeError, ValueError, AttributeError):
            raise self._service.unusable("JSON that holds no embeddings") from None
        if items.keys() != set(range(len(batch))):
            raise self._service.unusable(f"{len(items)} vectors for {len(batch)} texts")
        return [self._vector(items[at]) for at in range(len(batch))]

    def _vector(self, numbers: Any) -> Vector:
        import numpy as np

        try:
            if isinstance(numbers, str):
                raw = np.frombuffer(base64.b64decode(numbers, validate=True), "<f4")
            else:
                raw = np.asarray(numbers, np.float64)
        except (ValueError, TypeError, binascii.Error):
            raise self._service.unusable("vectors that are no lists of numbers") from None
        if raw.ndim != 1 or not 0 < raw.size <= MOST_DIMENSIONS or not np.isfinite(raw).all():
            raise self._service.unusable("vectors that are no lists of finite numbers")
        wide = raw.astype(np.float64)
        length = float(np.linalg.norm(wide))
        if not 1e-12 < length < 1e150:
            return np.zeros(raw.size, np.float32)
        return np.asarray(wide / length, np.float32)

    # --- the latest ---

    def _recall(self, text: str) -> Vector | None:
        with self._lock:
            key = _digest(text)
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def _keep(self, text: str, vector: Vector) -> None:
        with self._lock:
            self._kept[_digest(text)] = vector
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _batches(texts: Sequence[str]) -> list[list[str]]:
    """Return texts in groups of what one call takes."""
    groups: list[list[str]] = []
    size = 0
    for text in texts:
        if not groups or len(groups[-1]) == BATCH or size + len(text) > BATCH_CHARACTERS:
            groups.append([])
            size = 0
        groups[-1].append(text)
        size += len(text)
    return groups
