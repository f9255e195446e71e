# SPDX-License-Identifier: Apache-2.0
"""Trees on a terminal: branches joined by lines, text wrapped beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .terminal import Screen, Styled, clean, dim, wrap

TEXT_LINES = 4
"""Lines of one text in a tree."""

LEAST_WIDTH = 30
"""Columns that text keeps: a tree that has grown too deep for them is indented no further."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A node of a tree: ``mark`` stands before its text, ``notes`` below it, then what grows out of it."""

    text: str
    mark: str = ""
    style: Styled | None = None
    notes: Sequence[str] = ()
    branches: Sequence[Branch] = ()


def draw(screen: Screen, tree: Branch) -> None:
    """Write a tree, its root at the left edge."""
    _draw(screen, tree, "", "")


def _draw(screen: Screen, branch: Branch, joint: str, margin: str) -> None:
    """Write a branch: ``joint`` goes before its first line, ``margin`` before all that belongs to it."""
    room = screen.width - len(margin)
    for number, line in enumerate(_lines(branch.mark + branch.text, room)):
        mark, text = (branch.mark, line[len(branch.mark) :]) if not number else ("", line)
        style = branch.style or Styled("")
        screen.line(
            dim(margin if number else joint),
            Styled(mark, fg="cyan"),
            Styled(text, fg=style.fg, bold=style.bold, dim=style.dim),
        )
    for note in branch.notes:
        for line in _lines(note, room):
            screen.line(dim(margin + line))
    stem = margin if room - 3 >= LEAST_WIDTH else margin[:-3]
    for position, each in enumerate(branch.branches, start=1):
        last = position == len(branch.branches)
        _draw(screen, each, stem + ("└─ " if last else "├─ "), stem + ("   " if last else "│  "))


def _lines(text: str, width: int) -> list[str]:
    lines = list(wrap(clean(text).replace("\n", " "), width))
    return [*lines[: TEXT_LINES - 1], lines[TEXT_LINES - 1] + " …"] if len(lines) > TEXT_LINES else lines
