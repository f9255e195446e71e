# SPDX-License-Identifier: Apache-2.0
"""A text as sentences of tokens: read once, and looked at by everything that extracts something from it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from ..domain.markup import without_tags
from ..domain.scripts import UNSPACED, marks
from ..domain.sentences import sentences
from ..domain.text import is_stop_word
from .shapes import Shape, classify

MAX_READ = 50_000
"""Characters of a text that are read; what comes after them is found by search, and names no cues."""

_URL = r"https?://[^\s<>\"'`|\x00-\x1f\x7f-\x9f\ud800-\udfff]+"
_GLUE = r"(?:[-._'’@&+\\/]|:(?://|:|\\)?|/[._@])"
_PREFIX = r"(?:[@\#]|~?/|\.{1,2}/)?"
_ASCII_TOKEN = re.compile(rf"({_URL}|{_PREFIX}[A-Za-z0-9]\w*(?:{_GLUE}\w+)*)|((?!))|([^\s\w])", re.ASCII)
_IN_TITLES = frozenset(
    ("a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "vs", "with")
)
_FRONT_MATTER = re.compile(r"---[ \t]*\n(?:(?!---).*\n)*---[ \t]*(?:\n|$)")
_IMAGE = re.compile(
    r"(!\[[^\[\]]{0,500}\]\()(<[^<>\n]{0,2000}>|[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)|<img\b[^<>]{0,2000}>",
    re.IGNORECASE,
)
"""Images of Markdown and HTML: what goes before the place where the image is, and that place."""
_OPENING_MARKS = frozenset(':"“‘«|*`•>')


@cache
def _token() -> re.Pattern[str]:
    letters = rf"[^\W{UNSPACED}]"
    word = f"{letters}+(?:[{marks()}]+{letters}*)*"
    return re.compile(rf"({_URL}|{_PREFIX}(?!_){word}(?:{_GLUE}{word})*)|([{UNSPACED}]+)|([^\s\w])")


class Token(NamedTuple):
    """A word, a run of a script without spaces, or a mark, at ``start`` … ``end`` of the text.

    ``text`` is without a possessive or contraction, which ``end`` excludes. ``lower`` is it case folded.
    ``opens`` tells that a capital says nothing here: a sentence, a quotation or a table cell begins.
    """

    text: str
    lower: str
    start: int
    end: int
    shape: Shape
    entity_type: str
    opens: bool
    whole: bool  # nothing was cut off its end


@dataclass(frozen=True, slots=True)
class Sentence:
    """``loud``: so many words have a capital that none of them means anything."""

    start: int
    end: int
    tokens: list[Token]
    heading: bool
    loud: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """``text`` is the first ``MAX_READ`` characters, with blanks in place of HTML tags; ``capitals`` the words seen
    with one where neither a sentence nor a name goes before them.

    ``body`` is where the text proper begins, after front matter.
    """

    text: str
    body: int
    sentences: list[Sentence]
    capitals: frozenset[str]


def read(text: str) -> Reading:
    """Read a text. Linear in its length, and bounded by ``MAX_READ``. Where an image lies is not told by anybody."""
    text = without_tags(text[:MAX_READ])
    told = _IMAGE.sub(_without_place, text) if "![" in text or "<" in text else text
    pattern = _ASCII_TOKEN if text.isascii() else _token()
    found: list[Sentence] = []
    capitals: set[str] = set()
    for start, end in sentences(text):
        tokens: list[Token] = []
        opens = True
        named = False
        words = upper = big = small = 0
        for match in pattern.finditer(told, start, end):
            kind = match.lastindex
            raw = match[0]
            if kind == 1:
                shape, clean, entity_type = classify(raw)
                begun = match.start()
                tokens.append(
                    Token(
                        clean,
                        clean.casefold(),
                        begun,
                        begun + len(clean),
                        shape,
                        entity_type,
                        opens,
                        len(clean) == len(raw),
                    )
                )
                words += 1
                if shape is Shape.CAPITAL:
                    big += not is_stop_word(clean)
                    if not opens and not named:
                        capitals.add(clean.casefold())
                elif shape is Shape.UPPER:
                    upper += 1
                elif shape is Shape.LOWER and clean not in _IN_TITLES:
                    small += 1
                opens = False
                named = shape is Shape.CAPITAL
            elif kind == 2:
                tokens.append(Token(raw, raw, match.start(), match.end(), Shape.RUN, "", False, True))
                opens = False
            else:
                tokens.append(Token(raw, raw, match.start(), match.end(), Shape.MARK, "", False, True))
                opens = opens or raw in _OPENING_MARKS
        heading = "#" in text[max(0, start - 8) : start].rpartition("\n")[2]
        loud = (words > 2 and upper > 0.6 * words) or (small == 0 and big + upper > 3)
        found.append(Sentence(start, end, tokens, heading, loud))
    matter = _FRONT_MATTER.match(text)
    return Reading(text, matter.end() if matter else 0, found, frozenset(capitals))


def _without_place(image: re.Match[str]) -> str:
    """Return an image with blanks in place of the address, so that all else stays where it is."""
    before = image[1] or ""
    return before + " " * (image.end() - image.start() - len(before))
