# SPDX-License-Identifier: Apache-2.0
"""Loading an embedder in the background, and trying again when it has failed."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar

from ..errors import ModelUnavailable
from ..ports.models import Closing, Encoded, TokenEmbedder

if TYPE_CHECKING:
    from ..ports.models import Embedder, Vectors

log = logging.getLogger(__name__)

T = TypeVar("T")
State = Literal["idle", "loading", "ready", "failed"]

SLICE = 8_000
"""Characters handed to a model at a time: a fraction of a second's work, after which it can be broken off."""

READ = 1_000
"""Characters of one text that count: about what a model reads of it."""

CLOSED = "the memory has been closed"

WITHOUT = "answers come from words and cues alone"
"""What the lack of vectors means."""


@dataclass(frozen=True, slots=True)
class _Gone:
    """What is left of an embedder that was let go of."""

    name: str
    dimension: int
    degraded: str | None
    host: str | None

    def load(self) -> None:
        raise ModelUnavailable(CLOSED)

    def embed(self, texts: Sequence[str]) -> Vectors:
        raise ModelUnavailable(CLOSED)


class LazyEmbedder:
    """An embedder around another one that nobody has to wait for, and that recovers.

    The inner one is loaded by ``start`` in a thread of its own, or by the first call that cannot do without
    it. When loading or embedding fails, the reason is kept and given to everybody who asks within
    ``retry_after`` seconds, without trying; after that the next ``start`` or call tries anew.
    """

    def __init__(
        self, inner: Embedder, *, retry_after: float = 5.0, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._inner: Embedder = inner
        self._retry_after = retry_after
        self._monotonic = monotonic
        self._changed = threading.Condition()  # guards what follows
        self._state: State = "idle"
        self._reason: str | None = None
        self._began = self._failed_at = 0.0
        self._closed = False
        self._thread: threading.Thread | None = None

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def dimension(self) -> int:
        return self._inner.dimension

    @property
    def host(self) -> str | None:
        """The host that texts are sent to; ``None`` if they stay on this machine."""
        host: str | None = getattr(self._inner, "host", None)
        return host

    @property
    def state(self) -> State:
        """``idle`` (nobody has needed it yet), ``loading``, ``ready`` or ``failed``."""
        return self._state

    @property
    def reason(self) -> str | None:
        """Why it failed; ``None`` in any other state."""
        return self._reason

    @property
    def degraded(self) -> str | None:
        with self._changed:
            if self._state == "ready":
                return self._inner.degraded
            if self._state == "failed":
                return f"no embedder: {self._reason}; {WITHOUT}"
            if self.host is not None:
                return f"the embedding service at {self.host} has not answered yet; {WITHOUT}"
            return "the embedder is still loading"

    def start(self) -> None:
        """Begin to load in the background, if there is reason to; cheap enough to be called any time."""
        with self._changed:
            if self._refusal() is None and self._state in ("idle", "failed"):
                thread = threading.Thread(target=self._load_in_background, name="becausal-embedder", daemon=True)
                self._begin()
                try:
                    thread.start()
                except RuntimeError as error:  # no more threads, or the interpreter is shutting down
                    self._fail(f"it cannot be loaded in the background ({error})")
                else:
                    self._thread = thread

    def wait(self, timeout: float | None = None) -> bool:
        """``start``, and wait until it has been loading for ``timeout`` seconds at most; return whether it is ready.

        So nobody waits once more for what others have waited for in vain.
        """
        self.start()
        with self._changed:
            left = None if timeout is None else timeout - (self._monotonic() - self._began)
            self._changed.wait_for(lambda: self._state != "loading", left)
            return self._state == "ready"

    def load(self) -> None:
        """Make it ready, or wait until another thread has done so.

        Raises:
            ModelUnavailable: it failed, now or less than ``retry_after`` seconds ago, or ``close`` was called first.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._state != "loading")
            if self._state == "ready":
                return
            refusal = self._refusal()
            if refusal is not None:
                raise ModelUnavailable(refusal)
            self._begin()
        self._load()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the texts' vectors, after loading if need be; see ``Embedder.embed`` and ``load``."""
        parts = self._run(self._inner.embed, texts)
        if len(parts) == 1:
            return parts[0]
        import numpy as np

        return np.concatenate(parts)

    def encode(self, texts: Sequence[str]) -> Encoded | None:
        """Return vectors and token vectors, ``None`` if the inner one has no tokens; see ``TokenEmbedder.encode``."""
        if self._closed:
            raise ModelUnavailable(CLOSED)
        if not isinstance(self._inner, TokenEmbedder):
            return None
        parts = self._run(self._inner.encode, texts)
        if len(parts) == 1:
            return parts[0]
        import numpy as np

        made = [part for part in parts if part is not None]
        if len(made) < len(parts):
            return None
        return Encoded(
            vectors=np.concatenate([part.vectors for part in made]),
            tokens=tuple(tokens for part in made for tokens in part.tokens),
            words=tuple(words for part in made for words in part.words),
        )

    def _run(self, make: Callable[[Sequence[str]], T], texts: Sequence[str]) -> list[T]:
        """Return what is made of the texts, slice by slice; one behind connections makes its own slices."""
        self.load()
        made: list[T] = []
        for some in (texts,) if isinstance(self._inner, Closing) else slices(texts):
            if self._closed:
                raise ModelUnavailable(CLOSED)
            try:
                made.append(make(some))
            except ModelUnavailable as error:
                with self._changed:
                    self._fail(str(error))
                raise
        return made

    def close(self) -> None:
        """Load and embed nothing any more, and wait for the end of a loading that has begun.

        What is being embedded is broken off after the slice at hand. The inner one is let go of.
        """
        with self._changed:
            self._closed = True
            thread = self._thread
        inner = self._inner
        if isinstance(inner, Closing):
            inner.close()
        if thread is not None:
            thread.join()
        # A model takes so much memory that it cannot wait for the garbage collector.
        self._inner = _Gone(inner.name, inner.dimension, inner.degraded, self.host)

    def _refusal(self) -> str | None:
        """Return why loading must not begin now, if so."""
        if self._state == "failed" and self._monotonic() - self._failed_at < self._retry_after:
            return self._reason
        return CLOSED if self._closed else None

    def _begin(self) -> None:
        self._state, self._reason, self._began = "loading", None, self._monotonic()

    def _fail(self, reason: str) -> None:
        self._state, self._reason, self._failed_at = "failed", reason, self._monotonic()
        self._changed.notify_all()

    def _load(self) -> None:
        reason = "loading it was broken off"
        ready = False
        try:
            self._inner.load()
            ready = True
        except Exception as error:
            reason = str(error) or type(error).__name__
            raise
        finally:
            with self._changed:
                if ready:
                    self._state = "ready"
                    self._changed.notify_all()
                else:
                    self._fail(reason)

    def _load_in_background(self) -> None:
        try:
            self._load()
        except ModelUnavailable as error:
            log.warning("the embedder cannot be loaded: %s", error)
        except Exception:  # the thread's top level
            log.exception("the embedder cannot be loaded")


def slices(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield texts in their order, as many at a time as are a slice; one slice without any for no texts."""
    first = size = 0
    for at, text in enumerate(texts):
        more = min(len(text), READ)
        if at > first and size + more > SLICE:
            yield texts[first:at]
            first, size = at, 0
        size += more
    yield texts[first:]
