# SPDX-License-Identifier: Apache-2.0
"""The places for copies by name. Each is imported when it is asked for, and not before."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..errors import SettingsError
from ..ports.backup import BackupPlace

KINDS = ("git", "github", "s3")


def make_place(kind: str, *, folder: Path, user: str, options: Mapping[str, str | None]) -> BackupPlace:
    """Return a place for copies of the memory of ``user``. Nothing is reached for yet.

    ``folder`` is the user's own; ``options`` are settings by their variables' names.

    Raises:
        SettingsError: there is no such kind, or a setting that it needs is missing.
    """
    match kind:
        case "git" | "github":
            from .git import GitPlace

            return GitPlace(folder=folder, base=_needed(kind, options, "GIT_BASE_URL"), user=user)
        case _:
            raise SettingsError("BACKUP_TYPE", f"'{kind}' is not known; choose one of {', '.join(KINDS)}")


def _needed(kind: str, options: Mapping[str, str | None], name: str) -> str:
    value = options.get(name)
    if not value:
        raise SettingsError(name, f"is needed for BACKUP_TYPE={kind}")
    return value
