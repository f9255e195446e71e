# SPDX-License-Identifier: Apache-2.0
"""Writing for a person: stored text made harmless, wrapped to the window, coloured only on a terminal.

Stored text is data from anywhere. A terminal obeys control characters, so all text passes through
``clean`` on its way out; colours are added after it, and nowhere else.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TextIO

import click

MAX_WIDTH = 100
MIN_WIDTH = 40

# Controls other than tab and line feed, the separators that terminals disagree about, what turns the
# direction of writing around, and halves of surrogate pairs.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_UNSAFE_IN_JSON = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def _escape(match: re.Match[str]) -> str:
    point = ord(match[0])
    return f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}"


def clean(text: str) -> str:
    """Return text that a terminal shows instead of obeying: unsafe characters become visible escapes."""
    return _UNSAFE.sub(_escape, text.replace("\r\n", "\n"))


def clean_line(text: str) -> str:
    """Return ``clean`` text on one line."""
    return " ".join(clean(text).split())


def clean_json(document: str) -> str:
    """Return the same JSON document with what ``json`` leaves unescaped, but a terminal obeys, escaped."""
    return _UNSAFE_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", document)


def columns(text: str) -> int:
    """Return how many columns text takes on a terminal: two for wide characters, none for marks."""
    return sum(_columns_of(char) for char in text)


def _columns_of(char: str) -> int:
    if char.isascii():
        return 1
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def wrap(text: str, width: int) -> Iterator[str]:
    """Yield the lines of ``text``, none wider than ``width`` columns, broken at spaces where there are any."""
    for paragraph in text.split("\n"):
        line, used = "", 0
        for word in paragraph.expandtabs(4).split():
            size = columns(word)
            if line and used + 1 + size > width:
                yield line
                line, used = "", 0
            if line:
                line, used = f"{line} {word}", used + 1 + size
                continue
            while size > width:
                piece = _fitting(word, width)
                yield piece
                word = word[len(piece) :]
                size = columns(word)
            line, used = word, size
        yield line


def _fitting(word: str, width: int) -> str:
    used = 0
    for index, char in enumerate(word):
        used += _columns_of(char)
        if used > width:
            return word[: max(index, 1)]
    return word


def shorten(text: str, width: int) -> str:
    """Return one clean line of at most ``width`` columns, with an ellipsis where something was left out."""
    line = clean_line(text)
    return line if columns(line) <= width else _fitting(line, width - 1).rstrip() + "…"


@dataclass(frozen=True, slots=True)
class Styled:
    """A piece of text with a colour or weight (the keyword arguments of ``click.style``)."""

    text: str
    fg: str | None = None
    bold: bool = False
    dim: bool = False


def dim(text: str) -> Styled:
    return Styled(text, dim=True)


def bold(text: str) -> Styled:
    return Styled(text, bold=True)


def warning(text: str) -> Styled:
    return Styled(text, fg="yellow")


class Screen:
    """Where a command writes for a person. Every piece of text is made harmless here."""

    def __init__(self, *, err: bool = False) -> None:
        self._err = err
        stream = sys.stderr if err else sys.stdout
        self._colour = is_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        self.width = max(MIN_WIDTH, min(MAX_WIDTH, shutil.get_terminal_size((80, 24)).columns))

    def line(self, *parts: str | Styled, indent: int = 0) -> None:
        """Write one line, as it is."""
        self._write(" " * indent + "".join(self._paint(part) for part in parts))

    def text(
        self, text: str, *, indent: int = 0, style: Styled | None = None, most: int | None = None, mark: str = ""
    ) -> bool:
        """Write text wrapped to the window, at most ``most`` lines of it; return whether that was all.

        ``mark`` stands before the first line, in the indentation.
        """
        lines = wrap(clean(text).strip("\n"), self.width - indent)
        for number, line in enumerate(islice(lines, most)):
            margin = self._paint(bold(mark.ljust(indent))) if mark and not number else " " * indent
            self._write(margin + (self._paint(_restyle(style, line)) if style else line))
        return next(lines, None) is None

    def gap(self) -> None:
        self._write("")

    def _paint(self, part: str | Styled) -> str:
        if isinstance(part, str):
            return clean_line_ends(part)
        text = clean_line_ends(part.text)
        return click.style(text, fg=part.fg, bold=part.bold or None, dim=part.dim or None) if self._colour else text

    def _write(self, line: str) -> None:
        click.echo(line, err=self._err, color=self._colour)


def clean_line_ends(text: str) -> str:
    """Return ``clean`` text whose line ends have become spaces and whose other spaces are kept."""
    return clean(text).replace("\n", " ").replace("\t", " ")


def _restyle(style: Styled, text: str) -> Styled:
    return Styled(text, fg=style.fg, bold=style.bold, dim=style.dim)


class ProgressLine:
    """One line on standard error that is written over as work goes on; silent when nobody watches."""

    def __init__(self) -> None:
        self._live = is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb"
        self._shown = ""

    def show(self, what: str, done: int, total: int) -> None:
        """Show that ``done`` of ``total`` are finished (a ``total`` of 0: not known)."""
        if not self._live:
            return
        share = min(1.0, done / total) if total else 0.0
        filled = round(share * 24)
        bar = "█" * filled + "░" * (24 - filled)
        line = f"{clean_line(what)}  {bar}  {done}/{total}" if total else f"{clean_line(what)}  {done}"
        if line != self._shown:
            self._shown = line
            click.echo(f"\r\x1b[2K{line}", nl=False, err=True, color=True)

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            click.echo("\r\x1b[2K", nl=False, err=True, color=True)
            self._shown = ""


def is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and not stream.closed and stream.isatty()


def use_utf8() -> None:
    """Make standard input, output and error UTF-8, whatever the platform's default is."""
    for stream, errors in ((sys.stdin, "strict"), (sys.stdout, "backslashreplace"), (sys.stderr, "backslashreplace")):
        reconfigure = getattr(stream, "reconfigure", None)  # absent where something else stands in for the stream
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors=errors)
