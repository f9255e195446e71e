# SPDX-License-Identifier: Apache-2.0
"""From the bytes of a file to text, and from its numbers to times."""

from __future__ import annotations

import codecs
import json
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from .items import Refused

LONGEST_FILE = 64 << 20
"""Bytes of a document that is read as a whole."""

LONGEST_LINE = 16 << 20

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


_EVERYDAY = ("gb2312", "big5", "shift_jis", "euc_kr")
_RARER = 0xC9
"""First byte from which Big5 has its less frequently used characters."""

_PLAIN = bytes((0, 9, 10, 13, *range(0x20, 0x7F)))


def read_text(path: Path) -> str:
    """Return the text of a file: UTF-8, or UTF-16 if it begins with its mark; lines end in ``\\n``.

    Raises:
        InvalidInput: its bytes are no text in that encoding, or too many.
        OSError: it cannot be read.
    """
    if (size := path.stat().st_size) > LONGEST_FILE:
        raise InvalidInput("file", f"must be at most {LONGEST_FILE:,} bytes, has {size:,}")
    data = path.read_bytes()
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        said = "must be UTF-8" if encoding.startswith("utf-8") else "begins as UTF-16"
        raise InvalidInput(
            "file", f"{said}, but byte {error.start:,} is not: save it as UTF-8, then import it again"
        ) from None
    if "\0" in text:
        raise InvalidInput("file", "holds NUL characters: it is not text")
    if encoding == "utf-16" and not _is_likely(data[2:], text):
        raise InvalidInput("file", "begins as UTF-16, but goes on as something else: save it as UTF-8 if it is text")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _is_likely(data: bytes, text: str) -> bool:
    """Tell whether bytes were meant as UTF-16, as which nearly any bytes can be read.

    They were not if that gives what is no character; nor if they are plain ASCII, two bytes of which make an
    ideograph, and these ideographs are together in the everyday set of no country.
    """
    # Above U+FFFF there may be characters that are newer than this Python.
    if any(char <= "\uffff" and unicodedata.category(char) == "Cn" for char in set(text)):
        return False
    if data.translate(None, _PLAIN):
        return True
    ideographs = "".join({char for char in text if "\u3400" <= char <= "\u9fff"})
    return not ideographs or any(_is_in(ideographs, charset) for charset in _EVERYDAY)


def _is_in(ideographs: str, charset: str) -> bool:
    try:
        encoded = ideographs.encode(charset)
    except UnicodeEncodeError:
        return False
    return charset != "big5" or max(encoded[::2]) < _RARER


def head_of(data: bytes) -> bytes:
    """Return the beginning of a file in UTF-8 where its mark says that it is UTF-16, else as it is."""
    if not is_utf16(data):
        return data
    return data.decode("utf-16", "ignore").encode("utf-8", "replace")


def is_utf16(data: bytes) -> bool:
    """Tell whether bytes begin with the mark of UTF-16."""
    return data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))


def _read_lines(path: Path) -> Iterator[tuple[int, str | InvalidInput]]:
    """Yield number and text of each line that is not blank, or why it cannot be read."""
    with path.open("rb") as file:
        if is_utf16(file.read(2)):
            yield from _read_utf16_lines(path)
            return
        file.seek(0)
        number = 0
        while line := file.readline(LONGEST_LINE):
            number += 1
            if len(line) >= LONGEST_LINE and not line.endswith(b"\n"):
                while (rest := file.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                    pass
                yield number, InvalidInput("line", f"must be at most {LONGEST_LINE:,} bytes")
                continue
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                yield number, InvalidInput("line", f"must be UTF-8, but its byte {error.start:,} is not")
                continue
            if text.strip():
                yield number, text


def _read_utf16_lines(path: Path) -> Iterator[tuple[int, str | InvalidInput]]:
    with path.open(encoding="utf-16", newline="\n") as file:
        number = 0
        try:
            while line := file.readline(LONGEST_LINE):
                number += 1
                if len(line) >= LONGEST_LINE and not line.endswith("\n"):
                    while (rest := file.readline(LONGEST_LINE)) and not rest.endswith("\n"):
                        pass
                    yield number, InvalidInput("line", f"must be at most {LONGEST_LINE:,} characters")
                elif line.strip():
                    yield number, line
        except UnicodeError:
            # Where the next line begins cannot be told any more.
            yield number + 1, InvalidInput("line", "is not the UTF-16 that the file begins as; the rest is not read")


def read_json_lines(path: Path, name: str) -> Iterator[tuple[str, Any]]:
    """Yield where each line of a file stands, which is called ``name``, and its value, or ``Refused``.

    Raises:
        OSError: the file cannot be read.
    """
    for number, line in _read_lines(path):
        where = f"{name}, line {number}"
        if isinstance(line, InvalidInput):
            yield where, Refused(where=where, why=line.problem)
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            value = Refused(where=where, why=f"it is not JSON ({error})")
        yield where, value


def from_seconds(seconds: object) -> datetime | None:
    """Return the time so many seconds after 1970 (milliseconds where that is the only sense it makes)."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    try:
        return datetime.fromtimestamp(seconds / 1000 if seconds > 1e11 else seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def from_iso(text: object) -> datetime | None:
    """Return the time that ISO 8601 text says, in UTC unless it names an offset."""
    if not isinstance(text, str):
        return None
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)
