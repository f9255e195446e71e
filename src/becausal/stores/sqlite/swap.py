# SPDX-License-Identifier: Apache-2.0
"""Putting one file in the place of another, at once, while nobody has either open."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from ...errors import StoreBusy, StoreUnavailable
from ..paths import private_folder
from .store import FILE_NAME


def swap_file(*, location: Path, user: str, side: Path) -> Path | None:
    """Put the memory of ``user`` below ``side`` in the place of the one below ``location``.

    Returns where the old one is kept now, ``None`` if there was none. Both lie on one file system.

    Raises:
        StoreBusy: a program has the old one open; nothing was changed.
        StoreUnavailable: the file system refuses; nothing was changed.
    """
    old, new = private_folder(location, user) / FILE_NAME, private_folder(side, user) / FILE_NAME
    _fold(new)
    if not old.exists():
        os.replace(new, old)
        return None
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    kept = old.with_name(f"{FILE_NAME}.before-{stamp}")
    with closing(_alone(old)):
        try:
            # The old file has its second name before the first one passes to the new: there is no moment without.
            try:
                os.link(old, kept)
            except OSError:
                shutil.copy2(old, kept)
            os.replace(new, old)
        except OSError as error:
            raise StoreUnavailable(f"{old} cannot be replaced: {error.strerror}") from error
    return kept


def _fold(path: Path) -> None:
    """Bring everything into the file itself, so that it can be moved alone."""
    _alone(path).close()


def _alone(path: Path) -> sqlite3.Connection:
    """Return a connection that has the file for itself, with nothing left beside it."""
    db = sqlite3.connect(path, timeout=2.0, isolation_level=None)
    try:
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
        # Giving up write-ahead logging needs the file alone: another program that has it open prevents that.
        (mode,) = db.execute("PRAGMA journal_mode = DELETE").fetchone()
        db.execute("BEGIN EXCLUSIVE")
        db.execute("COMMIT")
    except sqlite3.Error as error:
        db.close()
        raise StoreBusy(f"another program has the memory at {path} open ({error}): close it, then restore") from error
    if mode != "delete":
        db.close()
        raise StoreBusy(f"another program has the memory at {path} open: close it, then restore")
    return db
