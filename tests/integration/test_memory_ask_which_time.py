# SPDX-License-Identifier: Apache-2.0
"""Of what held one after the other, the time that a question names decides what answers it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory_tools import TurnableClock, minilm, open_test_memory

Told = str | tuple[str, str]


@pytest.mark.parametrize(
    ("told", "question", "then", "other"),
    [
        (
            ["Ida worked at Brunel from 2022 to June 2026.", "Ida has worked at Sander since July 2026."],
            "Where did Ida work in March 2026?",
            "Brunel",
            "Sander",
        ),
        (
            ["Ida worked at Brunel from 2022 to June 2026.", "Ida has worked at Sander since July 2026."],
            "Where did she work in August 2026?",
            "Sander",
            "Brunel",
        ),
        (
            [("2024-03-01", "Ida lives in Lund."), ("2026-08-01", "Ida moved to Bergen.")],
            "Where did Ida live in 2025?",
            "Lund",
            "Bergen",
        ),
        (
            ["Ida was the head of Brunel from 2020 to 2024.", "Max has been the head of Brunel since 2025."],
            "Who was the head of Brunel in 2022?",
            "Ida",
            "Max",
        ),
        (
            ["Ida works at Sander.", "Ida worked at Brunel until June 2026."],
            "Where did Ida work in March 2026?",
            "Brunel",
            "Sander",
        ),
    ],
)
def test_what_held_at_the_time_asked_for_is_the_answer_alone(
    tmp_path: Path, told: Sequence[Told], question: str, then: str, other: str
) -> None:
    clock = TurnableClock(datetime(2026, 11, 25, 12, tzinfo=UTC))
    with open_test_memory(tmp_path, embedder=minilm(), clock=clock) as memory:
        for each in told:
            when, text = each if isinstance(each, tuple) else (None, each)
            memory.store(text, source="notes", occurred_at=when)
        memory.settle()
        answer = memory.ask(question)
        assert not answer.abstained
        assert then in answer.answer
        assert other not in answer.answer


def test_what_holds_no_more_is_less_sure_where_the_present_is_asked_about(tmp_path: Path) -> None:
    clock = TurnableClock(datetime(2026, 11, 25, 12, tzinfo=UTC))
    with open_test_memory(tmp_path, embedder=minilm(), clock=clock) as memory:
        memory.store("Ida worked at Brunel from 2022 to June 2026.", source="notes")
        memory.settle()
        now, then = memory.ask("Where does Ida work?"), memory.ask("Where did Ida work?")
        assert now.confidence < then.confidence
