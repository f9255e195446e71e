# SPDX-License-Identifier: Apache-2.0
"""A line that says what a text is about, taken from the text."""

from __future__ import annotations

import re

from ..domain.text import clip, is_stop_word
from .reading import Reading, Sentence
from .shapes import Shape

MAX_SUMMARY = 200
"""Characters."""

_LOOKED_AT = 40  # sentences
_READ = 10_000  # characters
_WORTH = 3  # content words of an informative sentence
_SHORT = 9  # words; a greeting has no more
_APART = 4  # characters between two sentences that follow each other
_IMAGE = re.compile(r"!\[[^\]\n]{0,200}\]\([^)\n]{0,500}\)")
_LINK = re.compile(r"\[([^\]\n]{1,200})\](?:\([^)\n]{0,500}\)|\[[^\]\n]{0,200}\])")
_MARKUP = re.compile(r"\*\*|__|`|^[>|\s]+|\|\s*$")
_SURROGATE = re.compile("[\ud800-\udfff]")
_GREETING = re.compile(
    r"(?:hi|hey|hello|dear|good (?:morning|afternoon|evening)|thanks|thank you|greetings|welcome)\b", re.IGNORECASE
)


def summarize(text: str, reading: Reading) -> str:
    """Return the first informative sentence, or two if they fit, on one line of ``MAX_SUMMARY`` characters at most.

    A text that fits is its own summary. Headings, greetings, front matter and mark-up are left out.
    """
    text = _SURROGATE.sub("\ufffd", text[: _READ + 1])
    whole = _line(text)
    if len(whole) <= MAX_SUMMARY and len(text) <= _READ:
        return whole
    body = [sentence for sentence in reading.sentences[:_LOOKED_AT] if reading.body <= sentence.start < _READ]
    telling = [sentence for sentence in body if _is_telling(text, sentence)] or body
    chosen = ""
    for place, sentence in enumerate(telling[:2]):
        line = _line(_MARKUP.sub("", _LINK.sub(r"\1", _IMAGE.sub("", text[sentence.start : sentence.end]))))
        longer = f"{chosen} {line}".strip()
        if chosen and (len(longer) > MAX_SUMMARY or sentence.start - telling[place - 1].end > _APART):
            break
        chosen = longer
    return clip(chosen or whole, MAX_SUMMARY)


def _line(text: str) -> str:
    return " ".join(text.split())


def _is_telling(text: str, sentence: Sentence) -> bool:
    if sentence.heading or text[sentence.start : sentence.start + 1] == "|":
        return False
    told = [token for token in sentence.tokens if token.shape is not Shape.MARK]
    if any(token.shape is Shape.RUN for token in told):
        return sum(len(token.text) for token in told) > 2 * _WORTH
    if len(told) <= _WORTH or sum(not is_stop_word(token.text) for token in told) < _WORTH:
        return False
    idle = sentence.tokens[-1].text in (":", "?") or _GREETING.match(text, sentence.start) is not None
    return len(told) >= _SHORT or not idle
