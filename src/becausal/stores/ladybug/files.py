# SPDX-License-Identifier: Apache-2.0
"""Which file is the memory's, told apart from another program's of the same name; and the lock beside it.

LadybugDB's own lock belongs to a process as a whole and is lost when any of its handles on the file is closed,
and its message is no help to a person. So a file beside the database is locked as well, which says who holds it.
"""

from __future__ import annotations

import mmap
import os
import time
from contextlib import closing
from pathlib import Path

from ...errors import StoreBusy, StoreError, StoreUnavailable
from ..locks import taken
from ..paths import private_file
from .connection import Connection, open_database

FILE_NAME = "memory.lbug"
BESIDE = "becausal.lbug"
"""Where the memory is kept when another program's file has the usual name."""

ROOT = "becausal_root"
"""A table that every memory has. A file without these bytes has no such table, which is known unopened."""

_MAGIC = b"LBUG"
_KUZU = b"KUZU"  # what it was called before
_PAUSE = 0.05


def file_of(folder: Path) -> Path:
    """Return where a user's memory is kept, or will be, in the user's folder.

    It is ``memory.lbug``, unless that is a graph of another program such as smriti-mcp: such a file is never
    opened, and the memory lies beside it as ``becausal.lbug``.
    """
    usual, beside = folder / FILE_NAME, folder / BESIDE
    if beside.exists() or is_foreign(usual):
        return beside
    return usual


def is_foreign(path: Path) -> bool:
    """Tell whether a graph database was made by another program. It is only read.

    One beside which this package's lock lies is its own, however damaged it may be; so is one that cannot be opened
    and has the name of the table among its bytes.
    """
    try:
        if not path.exists() or lock_beside(path).exists():
            return False
        if not path.is_file():
            return True  # Kuzu's databases were folders once
        with path.open("rb") as stream:
            if (start := stream.read(len(_MAGIC))) != _MAGIC:
                return start == _KUZU
            with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
                if content.find(ROOT.encode()) < 0:
                    return True
        # LadybugDB fills its pages with whatever lay in memory, so that the bytes alone prove nothing.
        return not _has_root(path)
    except (OSError, StoreError):  # whoever opens it will be told
        return False


def _has_root(path: Path) -> bool:
    database = open_database(path, read_only=True)
    try:
        with closing(Connection(database, path)) as connection:
            return ROOT in connection.tables()
    finally:
        database.close()


def lock_beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


def beside(path: Path) -> tuple[Path, ...]:
    """Return the files that LadybugDB keeps beside a database while it is open, or after a crash."""
    return tuple(path.with_name(f"{path.name}{suffix}") for suffix in (".wal", ".wal.checkpoint", ".shadow", ".tmp"))


class FileLock:
    """The right to open a database, held by one process."""

    def __init__(self, path: Path, wait: float) -> None:
        """Take the lock of the database at ``path``; wait up to ``wait`` seconds for another process.

        Raises:
            StoreBusy: another process holds it; the message names it.
            StoreUnavailable: the lock file cannot be made.
        """
        name = lock_beside(path)
        private_file(name)
        try:
            self._file = os.open(name, os.O_RDWR)
        except OSError as error:
            raise StoreUnavailable(f"the file {name} cannot be opened: {error.strerror}") from error
        deadline = time.monotonic() + wait
        while not taken(self._file):
            if time.monotonic() >= deadline:
                holder = os.pread(self._file, 20, 1).decode("ascii", "replace").strip() if _HAS_PREAD else ""
                os.close(self._file)
                who = f"process {holder}" if holder else "another process"
                raise StoreBusy(
                    f"the memory at {path} is open in {who}, and a LadybugDB file can be open in one process at a "
                    "time: end that process, or use the service it runs ('becausal serve') from here"
                )
            time.sleep(_PAUSE)
        os.lseek(self._file, 0, os.SEEK_SET)
        os.write(self._file, f" {os.getpid():<19}".encode())  # the first byte is what is locked

    def release(self) -> None:
        os.close(self._file)


_HAS_PREAD = hasattr(os, "pread")
