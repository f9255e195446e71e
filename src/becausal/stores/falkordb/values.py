# SPDX-License-Identifier: Apache-2.0
"""Values on their way into FalkorDB and back: what it would change is written so that it cannot.

Its parameters are text that cannot hold a NUL character. Its indexes take blanks off the ends of text, and answer
"less than" with everything, so that what is looked up by one is a key made of the text, and only for being equal. Its
answers have fifteen digits of a number, so that one that takes more is also kept as text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from ...domain.records import Kind
from ...errors import InvalidInput
from ..codec import CODECS, LINK_CODEC
from ..columns import Form
from ..graphdb.needs import Row

_NUL, _MARK = "\0", "\x1a"
_MARKED = {_MARK: _MARK + "1", _NUL: _MARK + "0"}


def packed(value: Any) -> Any:
    """Return a value, or a list or map of values, as a parameter: NUL is written as a mark and ``0``.

    Raises:
        InvalidInput: it is text that is not Unicode.
    """
    if isinstance(value, str):
        if not value.isascii():
            _encoded(value)
        if _NUL in value or _MARK in value:
            return value.replace(_MARK, _MARKED[_MARK]).replace(_NUL, _MARKED[_NUL])
        return value
    if isinstance(value, Mapping):
        return {name: packed(each) for name, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [packed(each) for each in value]
    return value


def unpacked(value: Any) -> Any:
    """Return what ``packed`` was given."""
    if isinstance(value, str):
        if _MARK in value:
            return value.replace(_MARKED[_NUL], _NUL).replace(_MARKED[_MARK], _MARK)
        return value
    if isinstance(value, list):
        return [unpacked(each) for each in value]
    return value


def rows_of(result: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Return the rows of an answer as they were told."""
    return [[unpacked(value) for value in row] for row in result]


# --- keys ---------------------------------------------------------------------------------------

_PLAIN = re.compile(r"[0-9A-Za-z][0-9A-Za-z_.:-]{0,199}")


def key_of(text: str) -> str:
    """Return what stands for a text in an index: itself if it is plain, else a hash."""
    if _PLAIN.fullmatch(text):
        return text
    return "~" + blake2b(_encoded(text), digest_size=16).hexdigest()


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise InvalidInput("text", "must be Unicode: half a surrogate pair is no character") from None


def keys_of(texts: Iterable[str]) -> list[str]:
    """Return the keys of several texts."""
    return [key_of(text) for text in texts]


# --- numbers ------------------------------------------------------------------------------------

REALS = frozenset(
    column.name
    for codec in (*(CODECS[kind] for kind in Kind), LINK_CODEC)
    for column in codec.columns
    if column.form is Form.REAL
)
"""The fields that are numbers with a fraction."""


def exact_name(name: str) -> str:
    """Return the property that holds a number as text, where it takes more than fifteen digits."""
    return f"_exact_{name}"


def with_exact(row: Row) -> dict[str, Any]:
    """Return a row with the texts of its numbers."""
    found: dict[str, Any] = dict(row)
    for name in REALS & row.keys():
        value = row[name]
        found[exact_name(name)] = repr(value) if isinstance(value, float) and float(f"{value:.15g}") != value else None
    return found
