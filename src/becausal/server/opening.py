# SPDX-License-Identifier: Apache-2.0
"""A memory that is opened when it is first needed."""

from __future__ import annotations

import gc
import logging
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Protocol

from ..errors import BecausalError, StoreUnavailable

if TYPE_CHECKING:
    from ..engine.memory import Memory

logger = logging.getLogger(__name__)


FILLED = 10.0
"""Seconds that whoever asks first waits for an empty memory to be filled from its backup."""


class MemorySource(Protocol):
    """Where the tools get their memory from. Its functions may be called from any thread."""

    def get(self) -> Memory:
        """Return the open memory. Raises ``BecausalError`` when it cannot be opened."""
        ...

    def begin(self) -> None:
        """Start opening it in the background, if that has not happened yet. Returns at once."""
        ...

    def in_use(self) -> AbstractContextManager[None]:
        """Keep it open for a while, once it is open. Returns at once."""
        ...


class LazyMemory:
    """Opens a memory at its first use, and starts loading its model as soon as it is open.

    An opening that fails is tried again at the next use, so that a full disk or a missing folder can be
    mended while the server runs.
    """

    def __init__(self, open_memory: Callable[[], Memory]) -> None:
        self._open = open_memory
        self._lock = threading.Lock()
        self._memory: Memory | None = None
        self._begun = False
        self._closed = False

    def get(self) -> Memory:
        memory = self._memory
        if memory is not None:
            return memory
        with self._lock:
            if self._closed:
                raise StoreUnavailable("the server is shutting down")
            if self._memory is None:
                opened = self._open()
                opened.warm(vectors=True)
                gc.freeze()  # it stays to the end: a look for garbage in it would only keep a question waiting
                if opened.backups is not None and not opened.backups.wait_until_filled(FILLED):
                    logger.warning("the empty memory is still being filled from %s", opened.backups.place.name)
                self._memory = opened
            return self._memory

    def begin(self) -> None:
        if not self._begun:
            self._begun = True
            threading.Thread(target=self._try, name="becausal-open", daemon=True).start()

    def in_use(self) -> AbstractContextManager[None]:
        return nullcontext()  # it is open until the server ends

    def close(self) -> None:
        """Close the memory, if it was ever opened; waits for an opening that is under way."""
        with self._lock:
            self._closed = True
            memory, self._memory = self._memory, None
        if memory is not None:
            memory.close()

    def _try(self) -> None:
        try:
            self.get()
        except BecausalError as error:
            logger.warning("the memory could not be opened: %s", error)
        except Exception:  # the thread's top level: whoever asks for the memory next gets the error told
            logger.exception("the memory could not be opened")
