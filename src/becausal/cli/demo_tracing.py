# SPDX-License-Identifier: Apache-2.0
"""The end of the demo: a why-question about the history, and whether its chain is the one that was told."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

from . import answers, documents
from .terminal import Screen, Styled, bold, dim

if TYPE_CHECKING:
    from ..engine.memory import Memory
    from ..engine.results import Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Traced:
    """A question, and words of each event in the chain that answers it, root cause first."""

    question: str
    chain: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    traced: Traced
    answer: Answer
    seconds: float

    @property
    def found(self) -> bool:
        """Whether the chain goes through what was told, from the root cause to what was asked about."""
        passed = [step.cause for step in self.answer.chain[:1]] + [step.effect for step in self.answer.chain]
        expected = self.traced.chain
        return len(passed) == len(expected) and all(part in event for part, event in zip(expected, passed, strict=True))


def explain(memory: Memory, traced: Traced) -> Explained:
    start = perf_counter()
    answer = memory.ask(traced.question, timezone="UTC")
    return Explained(traced=traced, answer=answer, seconds=perf_counter() - start)


def show(screen: Screen, position: int, explained: Explained) -> None:
    answer = explained.answer
    screen.line(bold(f"{position}. {explained.traced.question}"))
    told = len({step.source for step in answer.chain})
    screen.text(f"causes, traced through {told} memories; {explained.seconds * 1000:.0f} ms", indent=3, style=dim(""))
    screen.gap()
    if answer.chain:
        answers.chain(screen, answer)
        screen.gap()
        for source in answer.sources:
            screen.line(dim(f"[{source.number}] {source.at:%Y-%m-%d %H:%M} · {source.source}"))
    else:
        screen.text(answer.answer)
    screen.gap()
    if explained.found:
        screen.line(Styled("✓ ", fg="green", bold=True), "as it was told, root cause first")
    else:
        expected = " → ".join(explained.traced.chain)
        screen.text(f"✗ not the chain that was told: {expected}", style=Styled("", fg="red", bold=True))


def document(explained: Explained) -> dict[str, Any]:
    return {
        "question": explained.traced.question,
        "found": explained.found,
        "seconds": round(explained.seconds, 4),
        "answer": documents.answered(explained.answer),
    }
