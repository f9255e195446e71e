# SPDX-License-Identifier: Apache-2.0
"""Where copies of a memory are kept, as a port: a place takes exports and gives them back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

HISTORY = "backup.git"
"""The folder in a user's own in which a place may keep what it needs of earlier copies on this machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a copy says about itself: whose memory it is, and how to tell that it is whole.

    ``sha256`` (hexadecimal) and ``size`` (bytes) are those of the export as a file.
    """

    user: str
    memories: int
    schema: int
    embedder: str | None
    sha256: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One copy that is kept in a place."""

    id: str
    at: datetime
    memories: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A copy was kept as ``version``; ``changed`` is false where it is what was kept before already."""

    version: str
    changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """A copy that was fetched into a file, not yet examined: a version made ``at`` a time.

    ``newest`` is the version that was the newest one in the place at that moment.
    """

    version: str
    at: datetime
    newest: str
    manifest: Manifest


class BackupPlace(Protocol):
    """A place for copies of one user's memory. Methods block, and may be called from one thread at a time.

    Every method may raise ``BackupUnavailable`` where the place cannot be reached or used.
    """

    @property
    def name(self) -> str:
        """What it is, for a person to read, without anything secret."""
        ...

    @property
    def hosts(self) -> Sequence[str]:
        """The hosts that text is sent to; empty for a place on this machine."""
        ...

    @property
    def remembers(self) -> str:
        """What of the past stays there after it was forgotten here, for a person to read."""
        ...

    def put(
        self, export: Path, manifest: Manifest, at: datetime, *, known: str | None = None, overwrite: bool = False
    ) -> Kept:
        """Keep a copy, on top of the one that was put or taken here last.

        ``known`` is the version that the memory itself says it goes on from: a process may have died before the
        place took note of that. With ``overwrite`` the copy is kept on top of whatever is there; what is there
        stays among the versions.

        Raises:
            BackupDiverged: another machine has put a copy there that this one does not know.
        """
        ...

    def get(self, into: Path, *, limit: int, version: str | None = None, afresh: bool = False) -> Fetched | None:
        """Fetch the newest copy, or a certain version, into a file; ``None`` where there is none at all.

        ``version`` may be the beginning of one that no other begins with, of 4 characters or more. ``limit`` is the
        size in bytes that it may have at most. ``afresh``: all of it, also what this machine has of it
        from before.

        Raises:
            BackupCorrupt: what is there is no copy, is damaged, or is larger than that.
            NotFound: there is no such version.
            InvalidInput: several begin like that.
        """
        ...

    def accept(self, version: str) -> None:
        """Take note that the next copy of the memory here goes on top of this version."""
        ...

    def versions(self, limit: int) -> tuple[Version, ...]:
        """Return the newest versions, the newest first."""
        ...
