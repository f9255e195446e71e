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

            if options.get("BACKUP_KEY"):
                raise SettingsError("BACKUP_KEY", f"copies of type {kind} are not encrypted; unset it, or use s3")
            return GitPlace(folder=folder, base=_needed(kind, options, "GIT_BASE_URL"), user=user)
        case "s3":
            from .s3 import S3Place, S3Settings

            settings = S3Settings(
                region=_needed(kind, options, "S3_REGION"),
                access_key=_needed(kind, options, "S3_ACCESS_KEY"),
                secret_key=_needed(kind, options, "S3_SECRET_KEY"),
                endpoint=options.get("S3_ENDPOINT"),
                bucket=options.get("S3_BUCKET"),
                prefix=options.get("S3_PREFIX") or "becausal",
                key=options.get("BACKUP_KEY"),
                keep=int(options.get("BACKUP_KEEP") or 30),
            )
            return S3Place(folder=folder, user=user, settings=settings)
        case _:
            raise SettingsError("BACKUP_TYPE", f"'{kind}' is not known; choose one of {', '.join(KINDS)}")


def _needed(kind: str, options: Mapping[str, str | None], name: str) -> str:
    value = options.get(name)
    if not value:
        raise SettingsError(name, f"is needed for BACKUP_TYPE={kind}")
    return value
