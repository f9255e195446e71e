# SPDX-License-Identifier: Apache-2.0
"""Folders for copies that are being made or brought back.

Each has a file beside it that its owner keeps locked. A lock ends with its process, so whoever gets it knows that
the folder was left by one that died, and takes it away.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import time

from ..errors import StoreUnavailable
from .locks import taken

PREFIX = ".backup-"
LOCK = ".lock"

ABANDONED = 86_400.0
"""Age in seconds from which a folder without a lock, as earlier versions made them, is nobody's."""

_TRIES = 5


@contextmanager
def scratch(parent: Path) -> Iterator[Path]:
    """Lend an empty folder of the user's own; take away what processes that died have left.

    Raises:
        StoreUnavailable: it cannot be made.
    """
    sweep(parent)
    try:
        lock, file = _locked(parent)
        folder = _folder_of(lock)
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise StoreUnavailable(f"{parent} has no room for a copy: {error.strerror}") from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        _drop(lock, file)


def sweep(parent: Path) -> tuple[Path, ...]:
    """Take away the folders of processes that died; return those that stay, as they are in use or cannot go."""
    stay = []
    for lock in sorted(parent.glob(f"{PREFIX}*{LOCK}")):
        try:
            file = os.open(lock, os.O_RDWR)
        except FileNotFoundError:  # its owner has just finished
            continue
        except OSError:
            stay.append(_folder_of(lock))
            continue
        if not taken(file):
            os.close(file)
            stay.append(_folder_of(lock))
        elif _gone(_folder_of(lock)):
            _drop(lock, file)
        else:
            os.close(file)
            stay.append(_folder_of(lock))
    for folder in sorted(parent.glob(f"{PREFIX}*")):
        if folder.suffix != LOCK and not _lock_of(folder).exists():
            with suppress(FileNotFoundError):
                if time() - folder.stat().st_mtime < ABANDONED or not _gone(folder):
                    stay.append(folder)
    return tuple(folder for folder in stay if folder.exists())


def _locked(parent: Path) -> tuple[Path, int]:
    """Make a lock with a new name and take it; return it, and as an open file."""
    for left in reversed(range(_TRIES)):
        lock = parent / f"{PREFIX}{secrets.token_hex(6)}{LOCK}"
        file = os.open(lock, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
        # Whoever sweeps just then may have taken it first, and have taken it away. A file system without locks
        # gives it to nobody: there a folder stays until its owner is done.
        if (taken(file) and _is(lock, file)) or not left:
            break
        os.close(file)
        lock.unlink(missing_ok=True)
    return lock, file


def _is(path: Path, file: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(file))
    except FileNotFoundError:
        return False


def _drop(lock: Path, file: int) -> None:
    """Take a lock away that is held; where open files cannot go, it goes once it is closed."""
    with suppress(OSError):
        lock.unlink()
    os.close(file)
    with suppress(OSError):
        lock.unlink(missing_ok=True)


def _gone(folder: Path) -> bool:
    shutil.rmtree(folder, ignore_errors=True)
    return not folder.exists()


def _folder_of(lock: Path) -> Path:
    return lock.with_name(lock.name.removesuffix(LOCK))


def _lock_of(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}{LOCK}")
