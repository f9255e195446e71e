# SPDX-License-Identifier: Apache-2.0
"""What was found out goes before what was suspected, and what was denied is no cause, in answers to why-questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from becausal.engine.memory import Memory
from memory_tools import minilm, open_test_memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with open_test_memory(tmp_path, embedder=minilm()) as opened:
        yield opened


def tell(memory: Memory, *texts: str) -> None:
    for text in texts:
        memory.store(text, source="notes")
    memory.settle()


@pytest.mark.parametrize(
    ("told", "question", "root"),
    [
        (
            ["The lift was stuck all day. We suspected the door. It turned out that a blown fuse had caused it."],
            "Why was the lift stuck?",
            "a blown fuse",
        ),
        (
            ["The lift got stuck because, or so we first thought, of the door.", "A blown fuse made the lift stick."],
            "Why did the lift stick?",
            "A blown fuse",
        ),
        (
            [
                "At first we thought the cellar got too damp because the window leaked.",
                "It turned out that a pipe had cracked, which caused the damp in the cellar.",
            ],
            "Why did the cellar get too damp?",
            "a pipe had cracked",
        ),
        (
            [
                "It turned out that the mail was late because a van had broken down.",
                "We had suspected that the mail was late because the sorter was ill.",
            ],
            "Why was the mail late?",
            "a van had broken down",
        ),
        (
            [
                "The noise was initially blamed on the fan.",
                "The fan had been replaced because of a recall.",
                "The real cause of the noise was a loose screw.",
            ],
            "What caused the noise?",
            "a loose screw",
        ),
    ],
)
def test_what_was_found_out_is_the_root_cause_whatever_was_suspected_before(
    memory: Memory, told: Sequence[str], question: str, root: str
) -> None:
    tell(memory, *told)
    assert memory.ask(question).root_cause == root


def test_a_suspicion_is_told_as_one_beside_what_was_found_out_and_alone(memory: Memory) -> None:
    tell(memory, "We suspected that a worn belt caused the squeal.")
    alone = memory.ask("What caused the squeal?")
    assert alone.root_cause == "a worn belt"
    assert "suspected" in alone.answer
    tell(memory, "It turned out that a dry bearing caused the squeal.")
    both = memory.ask("What caused the squeal?")
    assert both.root_cause == "a dry bearing"
    assert "Suspected before: “a worn belt”" in both.answer
    assert {source.text for source in both.sources} == {
        "It turned out that a dry bearing caused the squeal.",
        "We suspected that a worn belt caused the squeal.",
    }


@pytest.mark.parametrize(
    "told",
    [
        ["The blaze was caused by a loose wire, not by a candle."],
        ["The blaze was caused not by a candle but by a loose wire."],
        ["The blaze wasn't due to a candle. It was due to a loose wire."],
        ["A candle had nothing to do with the blaze; a loose wire caused it."],
        ["The blaze was not caused by a candle.", "A loose wire caused the blaze. Nobody had lit a candle."],
    ],
)
def test_what_was_denied_is_in_no_chain(memory: Memory, told: Sequence[str]) -> None:
    tell(memory, *told)
    answer = memory.ask("What caused the blaze?")
    assert answer.root_cause is not None
    assert "loose wire" in answer.root_cause
    assert all("candle" not in f"{step.cause} {step.effect}" for step in answer.chain)
