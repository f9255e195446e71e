# SPDX-License-Identifier: Apache-2.0
"""One connection to an open database, and what LadybugDB reports as errors of the tree."""

from __future__ import annotations

import ctypes
import importlib
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from ...errors import InvalidInput, StoreCorrupt, StoreError, StoreUnavailable

POOL = 512 << 20
"""Bytes of the file that are held in memory, at most."""

LARGEST = 1 << 36
"""Bytes that a file may grow to. As many addresses are reserved, which costs nothing but where they are limited."""

_DAMAGED = ("Storage exception", "not a valid Lbug", "Cannot read checkpoint", "Corrupted", "checksum", "WAL")
_UNAVAILABLE = ("IO exception", "Cannot open file", "Buffer manager exception", "Mmap")

_RAISED = (RuntimeError, MemoryError, IndexError, OverflowError, ValueError)
"""What an exception of LadybugDB's C++ becomes: a damaged file may tell it sizes and places that do not exist."""

_M_PERTURB = -6  # of glibc's malloc.h
_BLANK = 0xFF  # memory is handed out filled with the complement of this, and filled with it when it is given back


@cache
def memory_is_blank() -> bool:
    """Have all memory that this process asks for come empty; return whether that can be had here.

    LadybugDB writes whole pages, and does not fill the parts of them that it does not use: what lay there before,
    perhaps a text of another user or one that was erased, would get into the file.
    """
    try:
        set_option = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):  # not glibc, or not Linux
        return False
    return bool(set_option(_M_PERTURB, _BLANK))


def open_database(
    path: Path, *, read_only: bool = False, pool: int = POOL, largest: int = LARGEST, whole_log: bool = True
) -> Any:
    """Open a file; unless its ``whole_log`` must be read, as much of a damaged one is as can be.

    Raises:
        StoreError: it cannot be opened, or LadybugDB is not installed.
    """
    try:
        ladybug = importlib.import_module("ladybug")
    except ImportError as error:
        raise StoreUnavailable(
            "LadybugDB is not installed: pip install 'becausal[ladybug]', or choose another DB_TYPE"
        ) from error
    memory_is_blank()
    try:
        return ladybug.Database(
            str(path),
            buffer_pool_size=pool,
            max_db_size=largest,
            auto_checkpoint=False,
            read_only=read_only,
            throw_on_wal_replay_failure=whole_log,
        )
    except _RAISED as error:
        told = translate(error, path)
        # Whatever else keeps a file from being opened lies in what it holds.
        raise (_damaged(path, "is damaged") if type(told) is StoreError else told) from error


class Connection:
    """Runs one statement at a time."""

    def __init__(self, database: Any, path: Path) -> None:
        self._path = path
        self._connection = importlib.import_module("ladybug").Connection(database)

    def run(self, statement: str, **params: Any) -> list[list[Any]]:
        """Return the rows of a statement.

        Raises:
            StoreError: it fails.
            InvalidInput: a parameter holds text that is no Unicode.
        """
        try:
            result = self._connection.execute(statement, params)
            try:
                rows: list[list[Any]] = result.get_all()
                return rows
            finally:
                result.close()
        except (*_RAISED, TypeError) as error:
            raise translate(error, self._path, params) from error

    def roll_back(self) -> None:
        """Undo the open transaction; one that an error has ended is undone already."""
        with suppress(RuntimeError):
            self._connection.execute("ROLLBACK").close()

    def tables(self) -> list[str]:
        """Return the names of the tables that the database has."""
        return [row[1] for row in self.run("CALL SHOW_TABLES() RETURN *")]

    def close(self) -> None:
        self._connection.close()


def translate(error: Exception, path: Path, params: object = None) -> StoreError | InvalidInput:
    """Return the error of the tree that says what happened to the memory at ``path``."""
    if params is not None and _has_half_pair(params):
        return InvalidInput("text", "holds half of a surrogate pair, which is not valid Unicode")
    text = str(error)
    if any(mark in text for mark in _DAMAGED):
        what = "is not a LadybugDB database" if "not a valid Lbug" in text else "is damaged"
        return _damaged(path, what)
    if "buffer pool is full" in text or "No more frame groups" in text:
        return StoreUnavailable(f"the memory at {path} needs more room than LadybugDB was given ({text})")
    if any(mark in text for mark in _UNAVAILABLE):
        return StoreUnavailable(f"the memory at {path} cannot be opened, read or written ({text})")
    return StoreError(f"the memory at {path} refused an operation ({text.partition(':')[0]})")


def _damaged(path: Path, what: str) -> StoreCorrupt:
    return StoreCorrupt(f"the file {path} {what}; run 'becausal doctor --fix', or restore it from a backup")


def _has_half_pair(value: object) -> bool:
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return True
        return False
    if isinstance(value, dict):
        return any(map(_has_half_pair, value.values()))
    return isinstance(value, list) and any(map(_has_half_pair, value))
