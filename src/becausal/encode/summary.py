# SPDX-License-Identifier: Apache-2.0
"""A line or two that say what a text is about, taken from the text."""

from __future__ import annotations

import re

from ..domain.text import clip, is_stop_word
from .reading import Reading, Sentence
from .shapes import Shape

MAX_SUMMARY = 200
_ENOUGH = 80  # characters: a first sentence this long stands alone if the second would not fit
_WORTH = 3  # content words of an informative sentence
_LOOKED_AT = 40  # sentences
_IMAGE = re.compile(r"!\[[^\]\n]{0,200}\]\([^)\n]{0,500}\)")
_LINK = re.compile(r"\[([^\]\n]{1,200})\]\([^)\n]{0,500}\)")
_MARKUP = re.compile(r"\*\*|__|`|^[>|\s]+|\|\s*$")
_SURROGATE = re.compile("[\ud800-\udfff]")
_OPENING = re.compile(
    r"(?:hi|hey|hello|dear|good (?:morning|afternoon|evening)|thanks|thank you|greetings|welcome)\b", re.I
)


def summarize(text: str, reading: Reading) -> str:
    """Return the first informative sentence, or two if they fit, on one line of ``MAX_SUMMARY`` characters at most.

    A text that fits is its own summary. Headings, greetings, front matter and mark-up are left out.
    """
    text = _SURROGATE.sub("\ufffd", text[: 50 * MAX_SUMMARY])
    if len(short := _line(text)) <= MAX_SUMMARY and len(text) < 50 * MAX_SUMMARY:
        return short
    looked_at = reading.sentences[:_LOOKED_AT]
    telling = [sentence for sentence in looked_at if sentence.start >= reading.body and _is_telling(text, sentence)]
    if not telling:
        telling = [sentence for sentence in looked_at if sentence.start >= reading.body][:1]
    chosen = ""
    for sentence in telling[:2]:
        line = _line(_plain(text[sentence.start : sentence.end]))
        longer = f"{chosen} {line}".strip()
        if chosen and (len(longer) > MAX_SUMMARY or _far(reading, telling)):
            break
        chosen = longer
    return clip(chosen or short, MAX_SUMMARY)


def _line(text: str) -> str:
    return " ".join(text.split())


def _plain(text: str) -> str:
    return _MARKUP.sub("", _LINK.sub(r"\1", _IMAGE.sub("", text)))


def _is_telling(text: str, sentence: Sentence) -> bool:
    if sentence.heading or text[sentence.start : sentence.start + 1] == "|":
        return False
    told = [token for token in sentence.tokens if token.shape is not Shape.MARK]
    if any(token.shape is Shape.RUN for token in told):
        return sum(len(token.text) for token in told) > 2 * _WORTH
    content = [token for token in told if not is_stop_word(token.text)]
    if len(content) < _WORTH or len(told) < _WORTH + 1:
        return False
    last = sentence.tokens[-1].text
    if last in (":", "?") and len(told) < 12:
        return False
    return not (len(told) < 9 and _OPENING.match(text, sentence.start))


def _far(reading: Reading, telling: list[Sentence]) -> bool:
    """Say whether something else stands between the first two telling sentences."""
    return telling[1].start - telling[0].end > 4
