# SPDX-License-Identifier: Apache-2.0
"""Locks on files, which the operating system takes from a process that ends, however it ends."""

from __future__ import annotations

import os


def taken(file: int) -> bool:
    """Try to lock an open file for oneself until it is closed; return whether that was possible."""
    try:
        if os.name == "nt":
            import msvcrt

            os.lseek(file, 0, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
