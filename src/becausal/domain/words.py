# SPDX-License-Identifier: Apache-2.0
"""Counting words and cutting text between them."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from .scripts import UNSPACED, marks

_LONG = 16  # characters; what is longer is no word to a model that reads pieces of words

_ASCII_UNIT = re.compile(rf"\w{{1,{_LONG}}}|[^\w\s]{{{_LONG}}}", re.ASCII)


@cache
def _unit() -> re.Pattern[str]:
    letter = rf"[^\W{UNSPACED}]"
    return re.compile(rf"[{UNSPACED}]{{1,2}}|{letter}(?:{letter}|[{marks()}]){{0,{_LONG - 1}}}|[^\w\s]{{{_LONG}}}")


def unit_pattern(text: str) -> re.Pattern[str]:
    """Return what matches the counted words of a text, one match each."""
    return _ASCII_UNIT if text.isascii() else _unit()


def word_count(text: str) -> int:
    """Return how many words a text has, as a model's reading window is concerned.

    A run of letters and digits counts one per 16 characters begun, a run of symbols one per 16 complete, and
    scripts without spaces one per two characters.
    """
    return sum(1 for _ in unit_pattern(text).finditer(text))


def clip(text: str, limit: int) -> str:
    """Return ``text`` cut to at most ``limit`` characters, at a word boundary where there is one, with "…".

    Raises:
        ValueError: ``limit`` is less than one.
    """
    if limit < 1:
        raise ValueError(f"limit must be at least 1, not {limit}")
    if len(text) <= limit:
        return text
    end = limit - 1
    if not text[end].isspace():
        space = max(text.rfind(" ", 0, end), text.rfind("\n", 0, end), text.rfind("\t", 0, end))
        if space > end // 2:
            end = space
        while end > 0 and unicodedata.category(text[end])[0] == "M":  # a letter keeps its marks
            end -= 1
    return text[:end].rstrip(" \n\t,;:–—-(") + "…"
