# SPDX-License-Identifier: Apache-2.0
"""The files of a folder and of those below it, and what of it is left out, with the reason."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from .items import Passed, Refused

_LEFT = {"node_modules", "__pycache__", "__MACOSX"}
OUTSIDE = Passed(why="links that lead out of the folder")
_FOLDER_LINK = Passed(why="links to folders: what is in one is read at its own place")
_HIDDEN = Passed(why="hidden files, whose names begin with a dot")
_HIDDEN_FOLDER = Passed(why="hidden folders, whose names begin with a dot")
_PROGRAM = Passed(why=f"folders of programs ({', '.join(sorted(_LEFT))})")


def leads_out(path: Path, folder: Path) -> bool:
    """Tell whether a file or folder is a link to something outside ``folder``, which may itself be a link."""
    return path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def walk(folder: Path) -> Iterator[Path | Passed | Refused]:
    """Yield the regular files below a folder, in order, and what is left out.

    Whoever names a folder means what is in it: a link to a file in it is followed, one that leads out is not, since
    a folder from a stranger could otherwise bring any file of this machine into the memory.
    """
    unread: list[OSError] = []
    for place, folders, names in os.walk(folder, onerror=unread.append):
        yield from _unread(unread, folder)
        here = Path(place)
        within = []
        for name in sorted(folders):
            if (why := _why_not_in(here / name, folder)) is None:
                within.append(name)
            else:
                yield why
        folders[:] = within
        for name in sorted(names):
            if leads_out(here / name, folder):
                yield OUTSIDE
            elif name.startswith("."):
                yield _HIDDEN
            else:
                yield from _file(here / name, folder)
    yield from _unread(unread, folder)


def _why_not_in(path: Path, folder: Path) -> Passed | None:
    if leads_out(path, folder):
        return OUTSIDE
    if path.name.startswith("."):
        return _HIDDEN_FOLDER
    if path.name in _LEFT:
        return _PROGRAM
    return _FOLDER_LINK if path.is_symlink() else None


def _unread(errors: list[OSError], folder: Path) -> Iterator[Refused]:
    """Yield the folders that could not be listed since the last time."""
    for error in errors:
        where = Path(os.fsdecode(error.filename)).relative_to(folder).as_posix()
        yield _cannot_be_read(where, error)
    errors.clear()


def _cannot_be_read(where: str, error: OSError) -> Refused:
    return Refused(where=where, why=f"it cannot be read ({error.strerror or error})")


def _file(path: Path, folder: Path) -> Iterator[Path | Passed | Refused]:
    try:
        mode = path.stat().st_mode
    except OSError as error:
        yield _cannot_be_read(path.relative_to(folder).as_posix(), error)
        return
    # To open a pipe or a device could take for ever.
    yield path if stat.S_ISREG(mode) else Passed(why="pipes, sockets and devices")
