# SPDX-License-Identifier: Apache-2.0
"""Where sentences begin and end."""

from __future__ import annotations

import re
from typing import NamedTuple


class Span(NamedTuple):
    """The stretch ``text[start:end]``, in characters."""

    start: int
    end: int


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words after which a full stop does not end a sentence. The second set may end one before a capital.
_ABBREVIATIONS = _words(
    """
    mr mrs ms mx dr prof rev hon st gen col maj capt lt sgt sen rep gov pres supt messrs mme mlle
    vs v cf viz approx ca resp e.g i.e eg ie a.k.a ref refs ed eds
    """
)
_MAYBE_FINAL = _words(
    """
    inc ltd corp co llc bros dept univ assn ave blvd rd hwy bldg etc a.m p.m u.s u.k u.n e.u sr jr al est
    jan feb apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri
    """
)
_BEFORE_NUMBER = _words("no nos nr fig figs eq eqs sec ch vol pp p art mar para")  # elsewhere they are words
_OPENERS = _words(
    """
    a after all also an and another any as at because before but by during each every everyone few finally first for
    from he her his how however i if in it its last later many meanwhile my next no not now on once one only our she
    since so some soon still that the their then there these they this those to today two we what when where which
    while who why with yesterday you your
    """
)

_BREAK = re.compile(
    r"""
    (?P<stop>(?<![.!?…])[.!?…]+["'”’»)\]*_]*)(?=\s)   # Latin and others: white space follows
    | [。！？｡]+[」』”’）】》]*              # Chinese, Japanese: none needed
    | (?<![।॥۔؟።])[।॥۔؟።]+(?=\s)
    | (?P<line>\n)
    """,
    re.VERBOSE,
)
_MARKER = re.compile(r"[ \t]*(?:(?:[-*+•‣▪◦·>|]|\#{1,6}|\d{1,3}[.)]|[a-zA-Z][)])[ \t]+)+")
_STARTS_BLOCK = re.compile(
    r"[ \t]*(?:[-*+•‣▪◦·]\s|>|\#{1,6}\s|\d{1,3}[.)]\s|\||```|~~~|[A-Za-z_][\w.-]*(?: [A-Z][\w.]*)?:\s)"
)
_WRAPPED = 60  # characters: a line this long that stops in mid-sentence was wrapped
_OPENER = re.compile(r"[A-Z][a-z']*")
_WORD = re.compile(r"\w")


def sentences(text: str) -> tuple[Span, ...]:
    """Return the spans of the sentences, in order, without the white space and list markers around them.

    Abbreviations, initials, decimals, versions and addresses do not end one; headings, list items, table
    rows and blank lines do, and so does a line break unless the line looks wrapped. What holds no letter or
    digit belongs to the sentence before it. Linear in the text.
    """
    found: list[Span] = []
    start = line = 0  # of the sentence; of the line
    for match in _BREAK.finditer(text):
        if match.lastgroup == "line":
            ends = _ends_line(text, line, match.start())
            line = match.end()
            if ends:
                _add(found, text, start, match.start())
                start = match.end()
        elif match.lastgroup is None or _ends_sentence(text, start, match):
            _add(found, text, start, match.end())
            start = match.end()
    _add(found, text, start, len(text))
    if not found and (bare := text.strip()):
        first = text.index(bare[0])
        return (Span(first, first + len(bare)),)
    return tuple(found)


def _add(found: list[Span], text: str, start: int, end: int) -> None:
    if marker := _MARKER.match(text, start, end):
        start = marker.end()
    piece = text[start:end]
    end -= len(piece) - len(piece.rstrip())
    start += len(piece) - len(piece.lstrip())
    if start >= end:
        return
    if _WORD.search(text, start, end):
        found.append(Span(start, end))
    elif found and text.find("\n", found[-1].end, start) < 0:
        found[-1] = Span(found[-1].start, end)


def _ends_line(text: str, line: int, end: int) -> bool:
    """Say whether the line break at ``end`` ends a sentence. ``line`` is where its line begins."""
    following = text[end + 1 : end + 80]
    ahead = following.lstrip(" \t\r")
    if not ahead or ahead[0] == "\n" or _STARTS_BLOCK.match(following):
        return True
    length = end - line
    opening = text[line : min(end, line + 8)].lstrip()
    if opening.startswith(("#", "|", "```", "~~~")) or text[max(line, end - 8) : end].rstrip().endswith((":", "|")):
        return True
    return length < _WRAPPED and not ahead[0].islower()


def _ends_sentence(text: str, start: int, match: re.Match[str]) -> bool:
    stop = match["stop"]
    ahead = text[match.end() : match.end() + 40].lstrip()
    following = ahead[:1]
    closed = stop[-1] in "\"'”’»)]"
    if following.islower() and (closed or stop.startswith(("..", "…"))):
        return False  # "Why?" he asked; well ... maybe
    if stop[0] != ".":
        return True
    before = text[max(start, match.start() - 24) : match.start()]
    word = before.split()[-1].lstrip("([\"'“‘*_") if before.strip() else ""
    if not word:
        return False
    lower = word.lower()
    if start + 4 > match.start() and word.isdigit():
        return False  # the number of a list item
    if lower in _BEFORE_NUMBER:
        return not following.isdigit()
    if lower in _ABBREVIATIONS:
        return False
    if len(word) == 1 and word.islower():
        return not following.islower()
    initials = (len(word) == 1 and word.isalpha()) or (len(word) > 2 and word[1::2] == "." * (len(word) // 2))
    if initials or lower in _MAYBE_FINAL:
        opener = _OPENER.match(ahead)
        return opener is not None and opener[0].lower() in _OPENERS
    return True
