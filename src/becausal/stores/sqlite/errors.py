# SPDX-License-Identifier: Apache-2.0
"""What SQLite reports, as errors of the tree: each says which file, what is wrong and what helps."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from ...errors import StoreBusy, StoreCorrupt, StoreError, StoreUnavailable

_UNAVAILABLE = {
    sqlite3.SQLITE_PERM: "access is denied; check who owns the file and its folder",
    sqlite3.SQLITE_READONLY: "it cannot be written to; check the permissions of the file and its folder",
    sqlite3.SQLITE_IOERR: "reading or writing it failed; check the disk",
    sqlite3.SQLITE_FULL: "the disk is full; free some space and try again",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened; check that its folder exists and is yours",
    sqlite3.SQLITE_NOLFS: "the file system cannot hold a file this large",
    sqlite3.SQLITE_AUTH: "access is denied",
    sqlite3.SQLITE_NOMEM: "there is not enough memory",
}


def is_busy(error: sqlite3.Error) -> bool:
    """Tell whether somebody else's lock is what stands in the way."""
    return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)


def is_undecodable(error: sqlite3.Error) -> bool:
    """Tell whether a row holds text that is no UTF-8."""
    return str(error).startswith("Could not decode to UTF-8")


def translate(error: sqlite3.Error, path: Path) -> StoreError:
    """Return the error of the tree that says what happened to the store at ``path``."""
    code = _code(error)
    if is_busy(error):
        return StoreBusy(f"the memory at {path} is locked by another process; try again when it is done")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT):
        what = "is not a memory" if code == sqlite3.SQLITE_NOTADB else "is damaged"
        return StoreCorrupt(f"the file {path} {what}; run 'becausal doctor --fix', or restore it from a backup")
    if is_undecodable(error):
        return StoreCorrupt(f"the memory at {path} holds text that is not UTF-8; 'becausal doctor' says where")
    if code in _UNAVAILABLE:
        return StoreUnavailable(f"the memory at {path}: {_UNAVAILABLE[code]}")
    if "no such module" in str(error):
        return StoreUnavailable("this Python's SQLite lacks the full-text module FTS5; use a Python that has it")
    return StoreError(f"the memory at {path} refused an operation ({getattr(error, 'sqlite_errorname', 'misuse')})")


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
