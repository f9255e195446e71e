# SPDX-License-Identifier: Apache-2.0
"""A file that can be read, but not written: on a read-only mount, or in somebody else's keeping.

SQLite reads one with a write-ahead log only with the help of a file of locks beside it. Where that is missing
and cannot be made, the file must be opened as one that never changes; so it is opened anew when it has.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

from ...errors import StoreUnavailable

_NO_LOCKS = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)


def cannot_be_written(path: Path) -> bool:
    """Say whether a file is there whose content, or whose neighbours, cannot be written to."""
    try:
        return path.is_file() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))
    except OSError:  # whoever opens it will be told
        return False


class ReadOnlyFile:
    """Opens connections for reading to a file that cannot be written to."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log = path.with_name(f"{path.name}-wal")
        self._frozen: tuple[int, ...] | None = None

    def connect(self, opened: Callable[[str], sqlite3.Connection]) -> sqlite3.Connection:
        """Return a connection that ``opened`` makes for a URI.

        Raises:
            StoreUnavailable: what was written last is in a log that cannot be read from here.
            sqlite3.Error: it cannot be opened.
        """
        uri = f"{self._path.absolute().as_uri()}?mode=ro"
        try:
            db = _tried(opened(uri))
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in _NO_LOCKS:
                raise
        else:
            self._frozen = None
            return db
        if self._log.exists() and self._log.stat().st_size:
            raise StoreUnavailable(
                f"the memory at {self._path} cannot be read here: what was written last is in {self._log.name} beside "
                "it, and its folder is read-only; open it once where the folder can be written to"
            )
        state = self._state()
        db = _tried(opened(f"{uri}&immutable=1"))
        self._frozen = state
        return db

    def has_changed(self) -> bool:
        """Say whether a file that was opened as one that never changes has changed."""
        return self._frozen is not None and self._frozen != self._state()

    def _state(self) -> tuple[int, ...]:
        now = self._path.stat()
        return (now.st_ino, now.st_size, now.st_mtime_ns, int(self._log.exists()))


def _tried(db: sqlite3.Connection) -> sqlite3.Connection:
    """Return a connection that has been read from: SQLite opens files no sooner."""
    try:
        db.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
    except BaseException:
        db.close()
        raise
    return db
