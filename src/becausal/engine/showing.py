# SPDX-License-Identifier: Apache-2.0
"""Results as they are shown: how each was found, what of its text fits, and how many of them do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..domain.records import Engram, Passage
from ..domain.text import clip
from ..recall.candidates import Candidate
from ..recall.plan import Plan
from .requests import Mode, Request
from .results import Explanation, Result

if TYPE_CHECKING:
    from ..ports.models import Vector

EXCERPT = 4_000
"""Characters shown of one memory when the answer is held to a number of tokens."""

CHARS_PER_TOKEN = 4
RESULT_TOKENS = 60
"""Allowance for everything about a result that is not its text."""


def match_type(each: Candidate, mode: Mode) -> str:
    """Name the evidence that did most for a candidate."""
    match mode:
        case Mode.SEARCH:
            return "search"
        case Mode.FTS | Mode.HYBRID:
            return mode.value
        case _:
            if each.hop:
                return "association"
            if each.lent > each.base and each.via:
                return "neighbour"
            if each.named > each.base + each.lent:
                return "name"
            if each.cue > 0:
                return "cue"
            if each.time and not each.text:
                return "time"
            return "text" if each.text >= each.cosine else "vector"


def path(each: Candidate, read: Plan, mode: Mode, via: Engram | None) -> tuple[str, ...]:
    """Say, step by step, how a candidate was found."""
    steps = []
    if each.cues:
        steps.append("cue: " + ", ".join(each.cues[:4]))
    if each.words:
        steps.append("words: " + ", ".join(dict.fromkeys(read.words.get(term, term) for term in each.words[:8])))
    if each.cosine > 0 and mode is not Mode.FTS:
        steps.append(f"similar meaning ({each.cosine:.2f})")
    if each.time:
        steps.append("in the time asked for")
    steps.extend(each.path)
    if via is not None and each.path:
        steps.append(f"from: {clip(via.summary, 80)}")
    return tuple(steps)


def _excerpt(content: str, span: tuple[int, int], max_tokens: int | None) -> tuple[str, bool]:
    """Return the content, or what surrounds its best passage when it is too long to show."""
    room = EXCERPT if max_tokens is None else min(EXCERPT, (max_tokens - RESULT_TOKENS) * CHARS_PER_TOKEN)
    if max_tokens is None or len(content) <= room:
        return content, False
    start, end = span
    spare = max(0, room - (end - start))
    low = max(0, start - spare // 2)
    high = min(len(content), low + room)
    low = max(0, high - room)
    return ("… " if low else "") + content[low:high].strip() + (" …" if high < len(content) else ""), True


def within_budget(results: Sequence[Result], max_tokens: int | None) -> tuple[Result, ...]:
    """Return the first results that fit; the very first always does, its text having been cut to size."""
    if max_tokens is None:
        return tuple(results)
    kept: list[Result] = []
    left = max_tokens
    for result in results:
        left -= len(result.text) // CHARS_PER_TOKEN + RESULT_TOKENS
        if left < 0 and kept:
            break
        kept.append(result)
    return tuple(kept)


def as_result(
    engram: Engram,
    each: Candidate,
    passage: Passage | None,
    vector: Vector | None,
    request: Request,
    match: str,
    path: tuple[str, ...],
) -> Result:
    """Return a candidate as a result, with the shares of its score."""
    parts = {
        "text": each.text,
        "vector": each.cosine if vector is not None else 0.0,
        "cue": each.cue,
        "time": each.time,
        "neighbours": each.lent,
        "tokens": each.late,
        "names": each.named,
    }
    span = (passage.start, passage.end) if passage else (0, 0)
    text, truncated = _excerpt(engram.content, span, request.max_tokens)
    return Result(
        engram=engram,
        score=each.score,
        text=text,
        truncated=truncated,
        passage=engram.content[span[0] : span[1]] if passage else None,
        start=span[0] if passage else None,
        end=span[1] if passage else None,
        how=Explanation(
            match_type=match,
            path=path,
            parts={name: round(value, 4) for name, value in parts.items() if abs(value) > 1e-9},
        ),
    )
