# SPDX-License-Identifier: Apache-2.0
"""Answers to questions, as a person reads them: prose with numbered sources, or the chain as a tree."""

from __future__ import annotations

from collections.abc import Mapping

from ..domain.records import Engram
from ..domain.scoring import percent
from ..engine.results import LOCAL, Answer, ChainStep
from .render import concerns, engram_time, stamp
from .terminal import Screen, Styled, bold, clean_line, dim, warning
from .trees import Branch, draw

SOURCE_LINES = 3
"""Lines of one source that are shown; ``show`` has the whole memory."""

NEAREST = 1
"""Sources shown of an answer that was declined: what came nearest."""


def answered(screen: Screen, answer: Answer, engrams: Mapping[str, Engram]) -> None:
    """Write the answer, how sure it is, and what it rests on. ``engrams`` are the sources' memories, by id."""
    screen.text(answer.answer, style=warning("") if answer.abstained else None)
    standing(screen, answer)
    sources(screen, answer, engrams)


def explained(screen: Screen, answer: Answer, engrams: Mapping[str, Engram]) -> None:
    """Write the chain of causes as a tree, root cause first; where there is none, the answer in prose."""
    if not answer.chain:
        answered(screen, answer, engrams)
        return
    chain(screen, answer)
    for remark in answer.remarks:
        screen.text(remark)
    standing(screen, answer)
    sources(screen, answer, engrams, quoted=True)


def chain(screen: Screen, answer: Answer) -> None:
    """Draw a chain: each step below the one before, with its confidence and the sentence that says so."""
    tree: tuple[Branch, ...] = ()
    for position in range(len(answer.chain) - 1, -1, -1):
        step = answer.chain[position]
        last = position == len(answer.chain) - 1
        branch = Branch(
            text=step.effect,
            mark=f"{percent(step.confidence)} → ",
            style=bold("") if last else None,
            notes=(_evidence(step, first=position == 0, last=last),),
            branches=tree,
        )
        tree = (branch,)
    draw(screen, Branch(text=answer.chain[0].cause, mark="root cause: ", style=bold(""), branches=tree))


def _evidence(step: ChainStep, *, first: bool, last: bool) -> str:
    through = "" if first else f"{percent(step.cumulative)} {'in all' if last else 'so far'} · "
    number = f"[{step.source}] " if step.source is not None else ""
    told = f"“{clean_line(step.evidence)}”" if step.evidence else "stated without a text"
    return through + number + told


def standing(screen: Screen, answer: Answer) -> None:
    """Write how sure it is that the answer is one and that its chain holds, who made it, and what it went without.

    An answer that declines is sure of nothing.
    """
    if not answer.abstained:
        parts = [f"confidence {percent(answer.confidence)} that this answers it"]
        if answer.chain_confidence is not None:
            parts.append(f"{percent(answer.chain_confidence)} that the whole chain holds")
        screen.text(" · ".join(parts), style=dim(""))
    made(screen, answer)
    for name, reason in answer.missing.items():
        screen.text(f"answered without the {name} graph: {reason}", style=warning(""))


def made(screen: Screen, answer: Answer) -> None:
    """Write what read the question and what put the answer into words, and why not the model, where there is one."""
    for step, what in (("intent", "question read by"), ("answer", "answer written by")):
        maker, _, reason = answer.made_by.get(step, "").partition(": ")
        if maker == LOCAL:
            screen.text(
                f"{what} rules{f', since {reason}' if reason else ''}", style=warning("") if reason else dim("")
            )
        elif maker:
            screen.text(f"{what} {clean_line(answer.made_by[step])}", style=dim(""))


def sources(screen: Screen, answer: Answer, engrams: Mapping[str, Engram], *, quoted: bool = False) -> None:
    """Write the numbered sources. ``quoted``: the chain that cites them has shown their words."""
    shown = answer.sources[:NEAREST] if answer.abstained else answer.sources
    if not shown:
        return
    screen.gap()
    margin = len(f"[{shown[-1].number}] ")
    for source in shown:
        engram = engrams.get(source.engram or "")
        facts = [engram_time(engram) if engram is not None else stamp(source.at)]
        if source.source:
            facts.append(clean_line(source.source))
        if not source.engram:
            facts.append(f"stated {source.kind}")
        facts.append(source.id)
        screen.text(" · ".join(facts), indent=margin, mark=f"[{source.number}]", style=Styled("", fg="cyan"))
        if not quoted:
            screen.text(source.text, indent=margin, most=SOURCE_LINES)


def doubts(screen: Screen, answer: Answer) -> None:
    concerns(screen, answer.degraded, answer.pending)
