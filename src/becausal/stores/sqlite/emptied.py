# SPDX-License-Identifier: Apache-2.0
"""A file without a single byte where a memory is to be: a crash at its making leaves one, and so does a loss."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path

from .connections import Connections

_KEY = "found_empty"
_YOUNG = 60.0  # seconds in which another process may still be making the memory
_TOLD_FOR = 30 * 86_400.0  # seconds


def found_empty(path: Path) -> bool:
    """Say whether there is a file that holds nothing, nor its log, and that nobody is just making."""
    log = path.with_name(path.name + "-wal")
    try:
        found = path.stat()
        return not found.st_size and time.time() - found.st_mtime > _YOUNG and not (log.exists() and log.stat().st_size)
    except OSError:
        return False


def keep_note(connections: Connections) -> None:
    """Remember, in the memory that was made in it, that its file was found empty now."""
    with connections.writing() as db:
        db.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (_KEY, str(time.time())))


def note_of_empty(connections: Connections) -> tuple[str, ...]:
    """Return what a person should know of it, for some weeks."""
    with connections.reading() as db:
        row = db.execute("SELECT value FROM meta WHERE key = ?", (_KEY,)).fetchone()
    if row is None or time.time() - float(row[0]) > _TOLD_FOR:
        return ()
    day = datetime.fromtimestamp(float(row[0]), UTC).date()
    return (
        f"the file {connections.path} was there on {day} without a single byte, and a new memory was begun in it: "
        "if it had held one before, bring that back from a copy ('becausal restore')",
    )
