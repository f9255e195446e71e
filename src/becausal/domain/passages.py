# SPDX-License-Identifier: Apache-2.0
"""Cutting long text into passages that can be indexed one by one."""

from __future__ import annotations

from bisect import bisect_left

from .sentences import Span, sentences
from .words import unit_pattern

PASSAGE_WORDS = 90
"""Words of a passage: an encoder that reads 256 tokens reads 99 of 100 passages of 100 words in full, even in
incident reports full of identifiers and addresses; and in a longer one each word would weigh too little."""

_TOLERANCE = 1.3  # a text a little over the limit is better left whole
_CLAUSE = ",;:)]}—|\n、，；："


def passages(text: str, *, max_words: int = PASSAGE_WORDS, overlap: int = 1) -> tuple[Span, ...]:
    """Return the passages of a text of more than 1.3 × ``max_words`` words, and ``()`` for a shorter one.

    Words are counted as ``word_count`` does. Passages end where sentences do, and each begins with the last
    ``overlap`` sentences of the one before it as far as they fit into half of it; only a sentence longer than
    ``max_words`` is cut. No passage is longer, and together they hold every character but white space.

    Raises:
        ValueError: ``max_words`` is less than one, or ``overlap`` is negative.
    """
    if max_words < 1 or overlap < 0:
        raise ValueError(f"max_words must be at least 1 and overlap at least 0, not {max_words} and {overlap}")
    units = [match.span() for match in unit_pattern(text).finditer(text)]
    if len(units) <= _TOLERANCE * max_words:
        return ()
    starts = [start for start, _ in units]
    cuts = _cuts(text, units, starts, max_words)
    at = [bisect_left(starts, cut) for cut in cuts]  # words before each cut
    found: list[Span] = []
    first, last = 0, len(cuts) - 1
    while first < last:
        end = first + 1
        while end < last and at[end + 1] - at[first] <= max_words:
            end += 1
        found.append(_trim(text, cuts[first], cuts[end]))
        if end == last:
            break
        back = end
        while back - 1 > first and end - back < overlap and at[end] - at[back - 1] <= max_words // 2:
            back -= 1
        if at[end + 1] - at[back] > max_words:  # the next sentence would not fit behind them
            back = end
        first = back
    return tuple(span for span in found if span.start < span.end)


def _cuts(text: str, units: list[tuple[int, int]], starts: list[int], max_words: int) -> list[int]:
    """Return the places where a passage may end, from 0 to the end, at most ``max_words`` words apart."""
    cuts = [0]
    for span in sentences(text)[1:]:
        before = bisect_left(starts, span.start) - 1
        if before >= 0 and units[before][1] > span.start:
            continue  # inside a counted word, where the two parts would count more than the whole
        cuts.append(span.start)
    cuts.append(len(text))
    fine = [0]
    for cut in cuts[1:]:
        low, high = bisect_left(starts, fine[-1]), bisect_left(starts, cut)
        while high - low > max_words:
            parts = -(-(high - low) // max_words)
            target = low + -(-(high - low) // parts)
            low = next(
                (i for i in range(target, target - max(1, max_words // 4), -1) if i > low and _clause(text, starts[i])),
                target,
            )
            fine.append(starts[low])
        fine.append(cut)
    return fine


def _clause(text: str, position: int) -> bool:
    before = text[max(0, position - 3) : position].rstrip(" \t")
    return before != "" and before[-1] in _CLAUSE


def _trim(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    return Span(start + len(piece) - len(piece.lstrip()), end - (len(piece) - len(piece.rstrip())))
