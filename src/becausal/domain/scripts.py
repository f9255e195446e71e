# SPDX-License-Identifier: Apache-2.0
"""What kinds of characters there are, as pieces of regular expressions."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

# Thai, Lao, Myanmar, Khmer, kana and Han are written without spaces between words.
UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u0edc-\u0edf"
    "\u1000-\u103f\u1050-\u108f\u109a-\u109f\ua9e0-\ua9ef\uaa60-\uaa7f"
    "\u1780-\u17d3\u17d7\u17dc\u17dd"
    "\u3005\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Body of a character class: the letters of scripts without spaces, with their vowel and tone marks."""

_WITH_MARKS = (range(0x300, 0x3400), range(0xA000, 0xAC00), range(0xF900, 0x10000))  # the rest is Han, Hangul, private
_INVISIBLE = re.compile("[\u00ad\u200c\u200d\u2060\ufe00-\ufe0f\ufeff]+")
_PLAIN = (("’", "'"), ("‘", "'"), ("ʼ", "'"), ("‐", "-"), ("‑", "-"))


@cache
def marks() -> str:
    """Return the body of a character class: the combining marks outside of ``UNSPACED``."""
    unspaced = re.compile(f"[{UNSPACED}]")
    found = [
        code
        for block in _WITH_MARKS
        for code in block
        if (unicodedata.category(chr(code))[0] == "M" or code in (0xFF9E, 0xFF9F)) and not unspaced.match(chr(code))
    ]
    ranges: list[list[int]] = []
    for code in found:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


@cache
def _crowded_marks() -> re.Pattern[str]:
    return re.compile(f"([{marks()}]{{16}})[{marks()}]+")


def _plain(text: str) -> str:
    for fancy, plain in _PLAIN:
        text = text.replace(fancy, plain)
    return text


def compose(text: str) -> str:
    """Return ``text`` in Unicode form NFKC, with plain apostrophes and hyphens and nothing invisible in words.

    Runs of more than 16 combining marks are cut: putting marks in canonical order takes quadratic time.
    """
    if text.isascii():
        return text
    text = _INVISIBLE.sub("", _plain(text))
    if unicodedata.is_normalized("NFKC", text):
        return text
    return _plain(unicodedata.normalize("NFKC", _crowded_marks().sub(r"\1", text)))
