# SPDX-License-Identifier: Apache-2.0
"""Where a user's files live: a private folder whose name is derived from the user's, and from no other's."""

from __future__ import annotations

import hashlib
import os
import stat
import threading
from pathlib import Path

from ..errors import InvalidInput, StoreUnavailable
from ..ports.backup import HISTORY
from .scratch import sweep

_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-_")
_LONGEST = 160  # file systems allow 255 bytes, some encrypting ones 143 characters less a suffix
_KEPT = 64
_DEVICES = frozenset(("con", "prn", "aux", "nul", *(f"{name}{i}" for name in ("com", "lpt") for i in range(10))))
_creating = threading.Lock()


def folder_name(user: str) -> str:
    """Return the folder name for a user: two users never share one, also where case does not count.

    Bytes other than ``a``-``z``, ``0``-``9``, ``-`` and ``_`` are percent-encoded (so is the first letter
    of what Windows takes for a device); a name that gets too long is cut and ends in its SHA-256.

    Raises:
        InvalidInput: the name is empty or holds a NUL character.
    """
    if not user:
        raise InvalidInput("user", "must not be empty")
    if "\0" in user:
        raise InvalidInput("user", "must not hold a NUL character")
    raw = user.encode("utf-8", "surrogatepass")
    name = "".join(chr(byte) if byte in _PLAIN else f"%{byte:02x}" for byte in raw)
    if name in _DEVICES:
        name = f"%{raw[0]:02x}{name[1:]}"
    if len(name) > _LONGEST:
        name = f"{name[:_KEPT]}~{hashlib.sha256(raw).hexdigest()}"
    return name


def private_folder(location: Path, user: str) -> Path:
    """Make and return the user's folder, which only its owner can enter.

    Raises:
        InvalidInput: see ``folder_name``.
        StoreUnavailable: it cannot be made.
    """
    folder = location / folder_name(user)
    try:
        if not location.is_dir():  # one that is there may be shared with others, as its owner pleases
            location.mkdir(mode=0o700, parents=True, exist_ok=True)
            location.chmod(0o700)
        try:
            folder.mkdir(mode=0o700)
            folder.chmod(0o700)  # whatever the umask has taken
        except FileExistsError:
            _restrict(folder, 0o700)
    except OSError as error:
        raise StoreUnavailable(f"the folder {folder} cannot be made or used: {error.strerror}") from error
    return folder


def private_file(path: Path) -> None:
    """Make an empty file that only its owner can read, or restrict the one that is there.

    Raises:
        StoreUnavailable: it cannot be made.
    """
    try:
        # Closing any descriptor of a file drops all of this process's locks on it, those of a database that
        # another thread has just opened included: so it is opened only to be made, one thread at a time.
        with _creating:
            try:
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
                path.chmod(0o600)
            except FileExistsError:
                _restrict(path, 0o600)
    except OSError as error:
        raise StoreUnavailable(f"the file {path} cannot be made or used: {error.strerror}") from error


def _restrict(path: Path, mode: int) -> None:
    """Take rights away that others should not have; give none, so that what an owner made read-only stays so."""
    now = stat.S_IMODE(path.stat().st_mode)
    if now & ~mode:
        path.chmod(now & mode)


_COPIES = (
    (".before-*", "the memory as it was before a restore"),
    (".damaged-*", "the memory as it was before it was mended"),
    (".quarantine.jsonl", "what could not be read and was set aside"),
)


def copies_beside(path: Path) -> tuple[str, ...]:
    """Return what lies beside a memory's file and keeps some of what it held, with what it is, for a person to read.

    What processes that died have left of unfinished copies is taken away.
    """
    return (
        *(f"{copy}: {what}" for ending, what in _COPIES for copy in sorted(path.parent.glob(f"{path.name}{ending}"))),
        *history_in(path.parent),
        *(f"{left}: an unfinished copy: another process is at it, or it cannot go" for left in sweep(path.parent)),
    )


def history_in(folder: Path) -> tuple[str, ...]:
    """Return the history of backups that lies in a user's folder, if one does, as ``copies_beside`` does."""
    history = folder / HISTORY
    return (f"{history}: the history of backups into a Git repository",) if history.exists() else ()
