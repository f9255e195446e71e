# SPDX-License-Identifier: Apache-2.0
"""Folders in which a database file needs care: on another machine's disk, or copied by a program behind its back."""

from __future__ import annotations

import os
import sys
from enum import Enum
from pathlib import Path


class Place(Enum):
    """Where a folder is."""

    LOCAL = "a local disk"
    NETWORK = "a network file system"
    SYNCED = "a folder that is synchronised"


_NETWORK = frozenset(
    "nfs nfs4 cifs smb smb2 smb3 smbfs ncpfs afs 9p ceph glusterfs lustre beegfs davfs webdav "
    "fuse.sshfs fuse.rclone fuse.s3fs fuse.gcsfuse fuse.davfs2 fuse.glusterfs fuse.ceph fuse.smbnetfs".split()
)
_SYNCED = ("dropbox", "onedrive", "google drive", "googledrive", "nextcloud", "owncloud", "pclouddrive", "megasync")
_SYNCED_EXACTLY = frozenset(("icloud drive", "iclouddrive", "mobile documents", "cloudstorage", "my drive", "mega"))
_MARKS = (".stfolder", ".dropbox.cache", ".owncloudsync.log", ".sync")
"""What Syncthing, Dropbox, ownCloud and Resilio Sync leave in the folder that they synchronise."""


def place_of(folder: Path) -> Place:
    """Return where a folder is, as far as that can be told.

    Network file systems are recognised on Linux by the table of mounts and on Windows by the drive;
    synchronised folders by their names, or by what the programs that do it leave in them.
    """
    real = Path(os.path.realpath(folder))
    if _is_network(real):
        return Place.NETWORK
    for part in (real, *real.parents):
        name = part.name.casefold()
        if name in _SYNCED_EXACTLY or name.startswith(_SYNCED) or any((part / mark).exists() for mark in _MARKS):
            return Place.SYNCED
    return Place.LOCAL


def _is_network(folder: Path) -> bool:
    if sys.platform == "win32":
        return _is_remote_drive(folder)
    try:
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return False
    return file_system(folder, mounts) in _NETWORK


def file_system(folder: Path, mounts: str) -> str:
    """Return the type of the file system that a folder is in; ``mounts`` is Linux's ``mountinfo``."""
    best, found = -1, ""
    for line in mounts.splitlines():
        left, _, right = line.partition(" - ")
        fields = left.split()
        if len(fields) < 5 or not right:
            continue
        # Blanks and the like are written as octal numbers.
        point = Path(fields[4].encode("utf-8", "surrogateescape").decode("unicode_escape"))
        # The last one mounted on a point hides those before it.
        if (folder == point or point in folder.parents) and len(point.parts) >= best:
            best, found = len(point.parts), right.split()[0]
    return found


def _is_remote_drive(folder: Path) -> bool:
    if sys.platform != "win32":
        return False
    import ctypes

    drive = os.path.splitdrive(folder)[0]
    remote = 4  # DRIVE_REMOTE
    return drive.startswith("\\\\") or ctypes.windll.kernel32.GetDriveTypeW(f"{drive}\\") == remote
