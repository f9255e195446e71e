# SPDX-License-Identifier: Apache-2.0
"""Rounds of indexing: what is taken for one, and making its vectors while another is written."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..domain.records import Cause, Cue, Engram
from ..encode.index import Prepared, prepare
from ..errors import BecausalError
from ..ports.store import GraphStore

if TYPE_CHECKING:
    from ..ports.models import Embedder


class Round:
    """Memories taken under leases, and stated records, to be indexed together; ``more`` are waiting behind them."""

    def __init__(self, memories: Sequence[Engram], stated: Sequence[Cue | Cause], *, more: bool) -> None:
        self.memories = memories
        self.stated = stated
        self.more = more
        self._thread: threading.Thread | None = None
        self._prepared: Prepared | None = None
        self._error: BecausalError | None = None

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(engram.id for engram in self.memories)

    def start(self, store: GraphStore, embedder: Embedder, after: Round | None = None) -> None:
        """Begin to make the vectors in a thread of its own, when those of the round ``after`` which it comes are made.

        What both have is left to that one.
        """
        self._thread = threading.Thread(
            target=self._prepare, args=(store, embedder, after), name="becausal-vectors", daemon=True
        )
        self._thread.start()

    @property
    def started(self) -> bool:
        return self._thread is not None

    def prepared(self, store: GraphStore, embedder: Embedder) -> Prepared:
        """Return the vectors: those that ``start`` has begun to make, or else made now.

        Raises:
            BecausalError: see ``encode.index.prepare``.
        """
        self.wait()
        if self._error is not None:
            raise self._error
        return self._prepared or prepare(store, embedder, self.memories, self.stated)

    def wait(self) -> None:
        """Wait for the end of what was started, whatever came of it."""
        if self._thread is not None:
            self._thread.join()

    def _coming(self) -> frozenset[str]:
        """Wait, and return the ids of the records whose vectors were made."""
        self.wait()
        return self._prepared.coming if self._prepared is not None else frozenset()

    def _prepare(self, store: GraphStore, embedder: Embedder, after: Round | None) -> None:
        coming = frozenset if after is None else after._coming
        try:
            self._prepared = prepare(store, embedder, self.memories, self.stated, coming)
        except BecausalError as error:  # raised again where the round is waited for
            self._error = error
