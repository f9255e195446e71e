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


def leads_out(path: Path, folder: Path) -> bool:
    """Tell whether a file or folder is a link to something outside ``folder``, which may itself be a link."""
    return path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def walk(folder: Path) -> Iterator[Path | Passed | Refused]:
    """Yield the regular files below a folder, in order, and what is left out.

    Whoever names a folder means what is in it: a link to a file in it is followed, one that leads out is not, since
    a folder from a stranger could otherwise bring any file of this machine into the memory.
    """
    for place, folders, names in os.walk(folder):
        here = Path(place)
        for name in sorted(folders):
            if leads_out(here / name, folder):
                yield OUTSIDE
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _LEFT)
        for name in sorted(names):
            if leads_out(here / name, folder):
                yield OUTSIDE
            elif not name.startswith("."):
                yield from _file(here / name, folder)


def _file(path: Path, folder: Path) -> Iterator[Path | Passed | Refused]:
    try:
        mode = path.stat().st_mode
    except OSError as error:
        where = path.relative_to(folder).as_posix()
        yield Refused(where=where, why=f"it cannot be read ({error.strerror or error})")
        return
    # To open a pipe or a device could take for ever.
    yield path if stat.S_ISREG(mode) else Passed(why="pipes, sockets and devices")
