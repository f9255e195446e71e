# SPDX-License-Identifier: Apache-2.0
"""Small parts of SQL text. Values are always parameters; names come from the records' fields alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TypeVar

T = TypeVar("T")

CHUNK = 512
"""How many ids go into one statement."""


def quoted(name: str) -> str:
    """Return a column or table name as SQL."""
    return f'"{name}"'


def quoted_list(names: Iterable[str], alias: str = "") -> str:
    """Return column names with commas between them."""
    prefix = f"{alias}." if alias else ""
    return ", ".join(prefix + quoted(name) for name in names)


def in_list(values: Sequence[T]) -> tuple[str, list[T]]:
    """Return ``(?,?,…)`` and its parameters for at least one value.

    The last value is repeated up to a power of two, so that there are few different statements to prepare.
    """
    size = 1 << (len(values) - 1).bit_length()
    return _marks(size), [*values, *[values[-1]] * (size - len(values))]


@cache
def _marks(size: int) -> str:
    return f"({','.join('?' * size)})"


def chunks(values: Iterable[T], size: int = CHUNK) -> Iterator[list[T]]:
    """Cut values, each taken once, into lists of at most ``size``."""
    distinct = list(dict.fromkeys(values))
    for start in range(0, len(distinct), size):
        yield distinct[start : start + size]
