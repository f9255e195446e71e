# SPDX-License-Identifier: Apache-2.0
"""Which memory the functions of this package work on: the user's own, or one that a program keeps apart."""

from __future__ import annotations

import atexit
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from .silo import Silos

if TYPE_CHECKING:
    from ..engine.core import Core
    from ..engine.memory import Memory
    from .sessions import Sessions

silos = Silos()
"""The silos of this process and its user, whichever memory is open."""

_WATCHED = ("PMLL_GRAPH_DB", "STORAGE_LOCATION", "ACCESSING_USER", "BECAUSAL_EMBEDDER")
"""Variables whose change means another memory."""


def _make(core: Core) -> Sessions:
    from .sessions import Sessions

    silos.most, silos.ttl = core.session.max_sessions, core.session.slot_ttl
    return Sessions(core, silos)


class _Current:
    """The memory that is open, opened when it is first needed."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._file: Path | None = None
        self._memory: Memory | None = None
        self._user: str | None = None
        self._opened_as: tuple[str | None, ...] | None = None
        atexit.register(self.close)

    def configure(self, file: str | os.PathLike[str] | None) -> None:
        with self._lock:
            self.close()
            self._file = None if file is None else Path(os.path.abspath(Path(file).expanduser()))

    def sessions(self) -> Sessions:
        with self._lock:
            wanted = (None if self._file is None else str(self._file), *(os.environ.get(name) for name in _WATCHED))
            if self._memory is None or wanted != self._opened_as:
                self.close()
                self._memory = self._open()
                self._opened_as = wanted
                if (user := self._memory.status().user) != self._user:
                    if self._user is not None:
                        silos.clear()  # the values of one user are no other's
                    self._user = user
            return self._memory.companions.of(_make)

    def _open(self) -> Memory:
        from ..composition import open_apart, open_memory
        from ..settings import Settings

        file = self._file or Settings.load().pmll_graph_db
        return open_memory() if file is None else open_apart(file)

    def close(self) -> None:
        with self._lock:
            memory, self._memory = self._memory, None
        if memory is not None:
            memory.close()


_current = _Current()


def sessions() -> Sessions:
    """Return the sessions of the memory in use.

    Raises:
        BecausalError: a setting is wrong, or the memory cannot be opened.
    """
    return _current.sessions()


def configure_db(path: str | os.PathLike[str] | None = None) -> None:
    """Keep the graphs of sessions apart, in the folder beside ``path`` named like it with ``.becausal`` at the end.

    ``None`` goes back to the user's own memory, or to where ``PMLL_GRAPH_DB`` points. Silos stay as they are.
    """
    _current.configure(path)


def close() -> None:
    """Close the memory in use; the next call of a function opens it again. Done at exit by itself."""
    _current.close()
