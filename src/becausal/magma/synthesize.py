# SPDX-License-Identifier: Apache-2.0
"""The answer in plain English, composed from the graph: nothing is said that was not told."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Literal

from ..domain.interval import Interval
from ..domain.scoring import percent
from ..domain.text import clip
from ..domain.time import describe
from ..graphs.chains import Chain, Hop, is_supposed

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
    """Something that happened, or (``told``) that was only told, at a time, or (``lasting``) that holds from then on.

    ``engram`` is the id of the memory that tells it, or of the record that states it; ``told_at`` is when it did.
    """

    when: Interval
    text: str
    engram: str
    told: bool = False
    lasting: bool = False
    told_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Also:
    """A cause or effect that is told beside a chain. ``number`` is that of its source."""

    text: str
    confidence: float
    number: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Against:
    """A statement that contradicts a chain: that one thing led to another."""

    cause: str
    effect: str
    confidence: float
    number: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Denied:
    """A sentence that denies a chain: that something in it was so, or led to what it is said to have led to."""

    text: str
    number: int | None = None


def why(
    chain: Chain,
    numbers: Sequence[int | None],
    others: Sequence[Also] = (),
    against: Sequence[Against] = (),
    denied: Sequence[Denied] = (),
    *,
    suspected: Sequence[Also] = (),
    cut: bool = False,
    forward: bool = False,
) -> str:
    """Tell a chain from its root cause to its effect.

    ``numbers`` are the sources of its hops, ``others`` causes of the same event that are not in the chain,
    ``against`` statements that contradict it, ``denied`` sentences that deny it, ``suspected`` causes that were once
    suspected. ``cut`` says that the chain goes further back than it is told, ``forward`` that what came of its
    beginning was asked: then ``others`` are other effects of that.
    """
    told = [_said(text) for text in chain.told()]
    hops = [
        f"{_led(at, forward)} to {effect}{_mark(number)} ({percent(hop.confidence)}{_doubt(hop)})"
        for at, (effect, hop, number) in enumerate(zip(told[1:], chain.hops, numbers, strict=True))
    ]
    if (left_out := len(hops) - SHOWN_HOPS) > 0:
        half = SHOWN_HOPS // 2
        hops[half:-half] = [f"which led, by {left_out} more steps, further on"]
    if forward:
        answer = f"{told[0]} {', '.join(hops)}."
    else:
        answer = f"{'As far back as was followed' if cut else 'Root cause'}: {told[0]}. {', '.join(hops)}."
    if len(chain.hops) > 1:
        answer += f" The chain as a whole is {percent(chain.confidence)} certain."
    return " ".join((answer, *beside(chain, others, against, denied, suspected=suspected, forward=forward)))


def beside(
    chain: Chain,
    others: Sequence[Also] = (),
    against: Sequence[Against] = (),
    denied: Sequence[Denied] = (),
    *,
    suspected: Sequence[Also] = (),
    forward: bool = False,
) -> tuple[str, ...]:
    """Return what is said behind a chain, sentence by sentence; see ``why``."""
    told = []
    if chain.cyclic:
        told.append("The causes told go round in a circle, so where it begins is a choice.")
    if others:
        told.append(f"Also told as {'an effect' if forward else 'a cause'} of it: {_listed(others)}.")
    if suspected:
        told.append(f"Suspected before: {_listed(suspected)}.")
    if against or denied:
        contrary = [
            f"that {_said(each.cause)} led to {_said(each.effect)} ({percent(each.confidence)}){_mark(each.number)}"
            for each in against
        ]
        contrary += [f"{_said(each.text)}{_mark(each.number)}" for each in denied]
        told.append(f"That is contradicted: it was also told {'; '.join(contrary)}.")
    return tuple(told)


def _listed(told: Sequence[Also]) -> str:
    return "; ".join(f"{_said(each.text)} ({percent(each.confidence)}){_mark(each.number)}" for each in told)


def _doubt(hop: Hop) -> str:
    return ", as was suspected" if is_supposed(hop.link) else ""


def _led(at: int, forward: bool) -> str:
    if at:
        return "which led"
    return "led" if forward else "It led"


def when(moments: Sequence[Moment], numbers: Sequence[int | None], zone: tzinfo, planned: int = 0) -> str:
    """Tell what happened in the order given; the last ``planned`` moments are what was planned before."""
    lines = [
        f"{'from ' if each.lasting else ''}{describe(each.when, zone)}{' (told)' if each.told else ''}: "
        f"{_said(each.text)}{_mark(number)}"
        for each, number in zip(moments, numbers, strict=True)
    ]
    now, before = lines[: len(lines) - planned], lines[len(lines) - planned :]
    return "; ".join(now) + "." + (f" Planned before: {'; '.join(before)}." if before else "")


def on_one_side(
    side: Literal["before", "after"],
    event: tuple[Moment, int | None],
    moments: Sequence[Moment],
    numbers: Sequence[int | None],
    zone: tzinfo,
    *,
    said: Sequence[tuple[Moment, int | None]] = (),
    more: int = 0,
    many: bool = False,
) -> str:
    """Tell what happened before or after an event, which comes with the number of its source.

    ``said`` are sentences that say so themselves. ``more`` moments, or if ``many`` at least so many, are left out.
    """
    if said:
        first = " ".join(f"{_said(each.text)}{_mark(source)}." for each, source in said)
        return f"{first} {on_one_side(side, event, moments, numbers, zone, more=more, many=many)}" if moments else first
    moment, number = event
    about = f"{side} {_said(moment.text)}{_mark(number)} ({describe(moment.when, zone)})"
    if not moments:
        return f"Nothing was told that happened {about}."
    rest = f"; and {_more(more, many)}." if more else "."
    return f"{_opened(about)}: {when(moments, numbers, zone).removesuffix('.')}{rest}"


def left_out(more: int, many: bool) -> tuple[str, ...]:
    """Return the sentence that says how many moments further away an answer leaves out, if it does."""
    return (f"Told as well: {_more(more, many)} further away in time.",) if more else ()


def _more(more: int, many: bool) -> str:
    return f"{'at least ' if many else ''}{more} more"


def lasted(length: str, moments: Sequence[Moment], numbers: Sequence[int | None], zone: tzinfo) -> str:
    """Tell how long something lasted: as it was told, or from one moment to another."""
    lines = [f"{_said(each.text)}{_mark(number)}" for each, number in zip(moments, numbers, strict=True)]
    if len(moments) == 1:
        return f"{_opened(length)}: {lines[0]}."
    begun, over = (_OPEN.sub(r"\1", describe(each.when, zone)) for each in moments)
    if lines[0] == lines[1]:
        return f"{_opened(length)}, from {begun} to {over}: {lines[0]}."
    return f"{_opened(length)}, from {begun}: {lines[0]}, to {over}: {lines[1]}."


_OPEN = re.compile(r"^(?:since|from|before) (.*?)(?: on)?$")
"""How what has only one end is described, of which a length has two."""


def lasts(length: str, moments: Sequence[Moment], numbers: Sequence[int | None], zone: tzinfo) -> str:
    """Tell since when something has lasted that goes on, and how long that is."""
    told = "; ".join(f"{_said(each.text)}{_mark(number)}" for each, number in zip(moments, numbers, strict=True))
    return f"{describe(moments[0].when, zone)}, {length} so far: {told}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Something that holds, or held until some moment. ``number`` is that of its source."""

    text: str
    until: datetime | None = None
    number: int | None = None


def holds(found: Sequence[Held]) -> str:
    """Tell what holds, and mark what no longer does."""
    told = (
        f"{clip(' '.join(each.text.split()), QUOTE).rstrip('.;,')}"
        f"{f' (until {each.until:%Y-%m-%d})' if each.until else ''}{_mark(each.number)}"
        for each in found
    )
    return _opened("; ".join(told)) + "."


def quotes(found: Sequence[Quote]) -> str:
    """Let the sources speak."""
    return " ".join(f"“{clip(quote.text, QUOTE)}” [{quote.number}]" for quote in found[:SHOWN_QUOTES])


def declined(known: str) -> str:
    """Say that the question is not answered by what was told, and what comes nearest."""
    if not known:
        return "Nothing that was told to this memory answers that."
    return f"Nothing that was told to this memory answers that. The nearest it holds: {known}"


def _opened(text: str) -> str:
    """Return a sentence that begins with a capital, unless its first word is spelled in a way of its own ("iOS")."""
    first = text.split(" ", 1)[0]
    return text[0].upper() + text[1:] if first.islower() else text


def _mark(number: int | None) -> str:
    return f" [{number}]" if number is not None else ""


def _said(text: str) -> str:
    """Return stored words as part of a sentence of ours."""
    return f"“{clip(' '.join(text.split()), QUOTE).rstrip('.;,')}”"
