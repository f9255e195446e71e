# SPDX-License-Identifier: Apache-2.0
"""A client's configuration file, in which one entry is ours: read, written, copied and brought back."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..errors import ClientConfigError
from . import jsonc

LARGEST = 64 * 1024 * 1024
"""Bytes that such a file may have: Claude Code's holds its history too."""

BOM = "\ufeff"


class ClientFile:
    """The entry ``name`` in ``section`` of a file. The copy of what was there before lies beside it.

    A file that is empty or not there is the same: its copy is empty, and going back takes the file away. Each change
    has a copy of its own, so that one can go back step by step; ``backup`` is the newest.
    """

    def __init__(self, path: Path, section: str, name: str) -> None:
        self._section = section
        self._name = name
        self.path = path
        try:
            self._real = path.resolve()  # a link, as people who keep their settings elsewhere have, stays one
        except (OSError, RuntimeError) as error:
            raise ClientConfigError(f"{path} leads nowhere: {error}") from None
        self.backup = self._copy(max(1, self._copies()))

    def with_entry(self, entry: dict[str, Any]) -> tuple[str, str]:
        """Return what is in the file, and what would be with ``entry``; the same if that is there already.

        Raises:
            ClientConfigError: it cannot be read, or not be edited without harm.
        """
        before = self._read(self._real)
        try:
            if before.strip(BOM + " \t\r\n"):
                root = jsonc.read(_bare(before)).value
                place = root.get(self._section) if isinstance(root, dict) else None
                if isinstance(place, dict) and place.get(self._name) == entry:
                    return before, before
            return before, _mark(before) + jsonc.put(_bare(before), self._section, self._name, entry)
        except jsonc.Unreadable as error:
            raise ClientConfigError(f"{self.path} is left as it is: {error}") from None

    def write(self, before: str, after: str, *, private: bool) -> None:
        """Keep a copy of ``before`` and put ``after`` in its place, unless somebody changed the file meanwhile.

        What is ``private``, such as a token, can be read by the owner of the file alone.

        Raises:
            ClientConfigError: it was changed meanwhile, or cannot be written.
        """
        if self._read(self._real) != before:
            raise ClientConfigError(f"{self.path} has just been changed by another program; try again")
        try:
            self._real.parent.mkdir(parents=True, exist_ok=True)
            self.backup = self._copy(self._copies() + 1)
            _replace(self.backup, before, 0o600)
            _replace(self._real, after, self._mode() & 0o700 if private else self._mode())
        except OSError as error:
            raise ClientConfigError(f"{self.path} cannot be written: {error.strerror or error}") from None

    def undo(self) -> None:
        """Make the file what the copy says, or, where it has been changed since, just the entry.

        Raises:
            ClientConfigError: it cannot be read, written, or not be edited without harm.
        """
        now, before = self._read(self._real), self._read(self.backup)
        try:
            after = before if self._is_untouched(now, before) else self._gone_back(now, before)
        except jsonc.Unreadable as error:
            raise ClientConfigError(
                f"{self.path} is left as it is: {error}. What was there before is in {self.backup}"
            ) from None
        try:
            if after:
                _replace(self._real, after, self._mode())
            else:
                self._real.unlink(missing_ok=True)
            self.backup.unlink()
        except OSError as error:
            raise ClientConfigError(f"{self.path} cannot be written: {error.strerror or error}") from None

    def _copies(self) -> int:
        """Return how many copies there are, of one change after another."""
        number = 0
        while self._copy(number + 1).exists():
            number += 1
        return number

    def _copy(self, number: int) -> Path:
        more = f"-{number}" if number > 1 else ""
        return self._real.with_name(f"{self._real.name}.before-{self._name}{more}")

    def _is_untouched(self, now: str, before: str) -> bool:
        """Return whether the file is what the copy becomes by the entry."""
        entry = self._entry(now)
        if entry is None:
            return now == before
        return _mark(before) + jsonc.put(_bare(before), self._section, self._name, entry) == now

    def _gone_back(self, now: str, before: str) -> str:
        """Return ``now`` with the entry, or without it, as it was before."""
        old, bare = self._entry(before), _bare(now)
        if old is not None:
            return _mark(now) + jsonc.put(bare, self._section, self._name, old)
        if self._entry(now) is None:
            return now
        bare = jsonc.take(bare, self._section, self._name)
        had = _bare(before).strip() and self._section in jsonc.read(_bare(before)).value
        if not had and not jsonc.read(bare).value[self._section]:
            bare = jsonc.take(bare, self._section, None)
        return _mark(now) + bare

    def _mode(self) -> int:
        return self._real.stat().st_mode & 0o777 if self._real.exists() else 0o600

    def _entry(self, text: str) -> Any:
        if not _bare(text).strip():
            return None
        root = jsonc.read(_bare(text)).value
        place = root.get(self._section) if isinstance(root, dict) else None
        return place.get(self._name) if isinstance(place, dict) else None

    def _read(self, path: Path) -> str:
        try:
            if path.stat().st_size > LARGEST:
                raise ClientConfigError(f"{path} is left as it is: it is larger than {LARGEST >> 20} MiB")
            with path.open(encoding="utf-8", newline="") as file:
                return file.read()
        except FileNotFoundError:
            return ""
        except UnicodeDecodeError:
            raise ClientConfigError(f"{path} is left as it is: it is not UTF-8") from None
        except OSError as error:
            raise ClientConfigError(f"{path} cannot be read: {error.strerror or error}") from None


def _mark(text: str) -> str:
    return BOM if text.startswith(BOM) else ""


def _bare(text: str) -> str:
    return text.removeprefix(BOM)


def _replace(path: Path, text: str, mode: int) -> None:
    """Put ``text`` in the place of a file in one step, so that nobody ever reads half of it."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
