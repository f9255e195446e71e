# SPDX-License-Identifier: Apache-2.0
"""The answer in plain English, composed from the graph: nothing is said that was not told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo

from ..domain.interval import Interval
from ..domain.records import Fact
from ..domain.text import clip
from ..domain.time import describe
from ..graphs.chains import Chain
from ..graphs.timeline import fact_text

SHOWN_MOMENTS = 12
SHOWN_FACTS = 4
SHOWN_QUOTES = 3
SHOWN_HOPS = 12
"""Hops told one by one; of a longer chain the middle is counted."""

QUOTE = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """What a source says about the question. ``number`` is how the answer refers to it.

    ``share`` is how much of the question's words it holds, 0 … 1.
    """

    number: int
    engram: str
    text: str
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """Something that happened, or (``told``) that was only told, at a time."""

    when: Interval
    text: str
    engram: str
    told: bool = False


def percent(share: float) -> str:
    return f"{share * 100:.0f}%"


def why(
    chain: Chain, numbers: Sequence[int | None], others: Sequence[tuple[str, float]] = (), cut: bool = False
) -> str:
    """Tell a chain from its root cause to its effect.

    ``numbers`` are the sources of its hops, ``others`` causes of the same event that are not in the chain,
    with their confidence. ``cut`` says that the chain goes further back than it is told.
    """
    told = [_said(text) for text in chain.told()]
    hops = [
        f"{'It led' if at == 0 else 'which led'} to {effect}{_mark(number)} ({percent(hop.confidence)})"
        for at, (effect, hop, number) in enumerate(zip(told[1:], chain.hops, numbers, strict=True))
    ]
    if (left_out := len(hops) - SHOWN_HOPS) > 0:
        half = SHOWN_HOPS // 2
        hops[half:-half] = [f"which led, by {left_out} more steps, further on"]
    answer = f"{'As far back as was followed' if cut else 'Root cause'}: {told[0]}. {', '.join(hops)}."
    if len(chain.hops) > 1:
        answer += f" The chain as a whole is {percent(chain.confidence)} certain."
    if chain.cyclic:
        answer += " The causes told go round in a circle, so where it begins is a choice."
    if others:
        named = "; ".join(f"{_said(text)} ({percent(confidence)})" for text, confidence in others)
        answer += f" Also told as a cause of it: {named}."
    return answer


def when(moments: Sequence[Moment], numbers: Sequence[int], zone: tzinfo) -> str:
    """Tell what happened in order of time."""
    lines = [
        f"{describe(each.when, zone)}{' (told)' if each.told else ''}: {_said(each.text)}{_mark(number)}"
        for each, number in zip(moments, numbers, strict=True)
    ]
    return "; ".join(lines) + "."


def facts(found: Sequence[Fact]) -> str:
    """Tell what holds, and mark what no longer does."""
    told = []
    for fact in found[:SHOWN_FACTS]:
        over = f" (until {fact.valid_to:%Y-%m-%d})" if fact.valid_to else ""
        told.append(fact_text(fact) + over)
    return "; ".join(told) + "."


def quotes(found: Sequence[Quote]) -> str:
    """Let the sources speak."""
    return " ".join(f"“{clip(quote.text, QUOTE)}” [{quote.number}]" for quote in found[:SHOWN_QUOTES])


def declined(known: str) -> str:
    """Say that the question is not answered by what was told, and what comes nearest."""
    if not known:
        return "Nothing that was told to this memory answers that."
    return f"Nothing that was told to this memory answers that. The nearest it holds: {known}"


def _mark(number: int | None) -> str:
    return f" [{number}]" if number is not None else ""


def _said(text: str) -> str:
    """Return stored words as part of a sentence of ours."""
    return f"“{clip(' '.join(text.split()), QUOTE).rstrip('.;,')}”"
