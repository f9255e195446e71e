# SPDX-License-Identifier: Apache-2.0
"""A file without locks beside it is opened as one that never changes, and opened anew when it has."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from becausal.stores.sqlite.read_only import ReadOnlyFile, cannot_be_written


def lockless(name: str) -> sqlite3.Connection:
    """Open a file as SQLite does where it can make no file of locks."""
    if "immutable" not in name:
        error = sqlite3.OperationalError("unable to open database file")
        error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
        raise error
    return sqlite3.connect(name, uri=True)


def made(path: Path, *values: int) -> Path:
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE IF NOT EXISTS number (n INTEGER)")
        db.executemany("INSERT INTO number VALUES (?)", [(value,) for value in values])
        db.commit()
    return path


def test_a_change_of_the_file_is_seen(tmp_path: Path) -> None:
    file = ReadOnlyFile(made(tmp_path / "a file#1?.db", 1))
    with closing(file.connect(lockless)) as db:
        assert db.execute("SELECT n FROM number").fetchall() == [(1,)]
    assert not file.has_changed()

    made(tmp_path / "a file#1?.db", 2)

    assert file.has_changed()
    with closing(file.connect(lockless)) as db:
        assert db.execute("SELECT n FROM number").fetchall() == [(1,), (2,)]
    assert not file.has_changed()


def test_a_file_with_locks_needs_no_watching(tmp_path: Path) -> None:
    file = ReadOnlyFile(made(tmp_path / "memory.db", 1))
    with closing(file.connect(lambda name: sqlite3.connect(name, uri=True))):
        made(tmp_path / "memory.db", 2)
        assert not file.has_changed()


def test_what_is_not_there_can_be_made(tmp_path: Path) -> None:
    assert not cannot_be_written(tmp_path / "memory.db")
    assert not cannot_be_written(made(tmp_path / "memory.db"))
