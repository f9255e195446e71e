# SPDX-License-Identifier: Apache-2.0
"""Answers to what happened before or after something, and to which of several things came first."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from becausal.engine.memory import Memory
from memory_tools import minilm, open_test_memory

TOLD = {
    "09:50": "Tom opened the valve.",
    "10:00": "The pump failed.",
    "10:20": "Ana restarted the pump.",
    "12:00": "Ana filed a report.",
}
HOUSE = (
    "On 2 March 2026 the lease was signed.",
    "On 5 March 2026 the wall cracked.",
    "On 9 March 2026 the roof was repaired.",
)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    folder: Path = tmp_path_factory.mktemp("order")
    with open_test_memory(folder, embedder=minilm()) as memory:
        for at, text in TOLD.items():
            memory.store(text, source="plant", occurred_at=f"2026-02-01T{at}:00Z")
        for text in HOUSE:
            memory.store(text, source="house")
        memory.store("On 4 March 2026 the marathon was won by Eva.", source="sports")
        memory.settle()
        yield memory


@pytest.mark.parametrize(
    ("question", "event", "told", "kept_out"),
    [
        ("What happened before the wall cracked?", "wall", ["lease"], ["roof", "marathon"]),
        ("What happened after the wall cracked?", "wall", ["roof"], ["lease", "marathon"]),
        ("What happened right after the pump failed?", "pump failed", ["restarted"], ["report", "valve"]),
        ("What happened just before the pump failed?", "pump failed", ["valve"], ["restarted"]),
        ("Do you know what took place after the pump failure?", "pump failed", ["restarted", "report"], ["valve"]),
        ("What did Ana do after the pump failed?", "pump failed", ["restarted", "report"], ["valve"]),
        ("What had Tom done before the pump failed?", "pump failed", ["valve"], ["restarted"]),
    ],
)
def test_what_happened_on_one_side_of_an_event_is_told_with_the_event(
    memory: Memory, question: str, event: str, told: list[str], kept_out: list[str]
) -> None:
    answer = memory.ask(question)
    assert not answer.abstained
    assert event in answer.answer
    assert [word for word in told if word not in answer.answer] == []
    assert [word for word in kept_out if word in answer.answer] == []
    assert len(answer.sources) == 1 + len(told)
    places = [answer.answer.index(word) for word in told]
    assert places == sorted(places)


def test_where_the_source_of_an_event_has_nothing_on_that_side_others_are_told_and_else_it_is_not_known(
    memory: Memory,
) -> None:
    assert "report" in memory.ask("What happened right before the lease was signed?").answer
    first = memory.ask("What happened before Tom opened the valve?")
    assert first.abstained
    assert "Tom opened the valve" in first.answer


def test_those_beside_an_event_that_an_answer_leaves_out_are_counted(tmp_path: Path) -> None:
    with open_test_memory(tmp_path, embedder=minilm()) as memory:
        memory.store("The pump stopped on 3 May 2026.")
        for day, what in enumerate(("valve", "tank", "alarm", "filter", "hose", "gauge"), 4):
            memory.store(f"On {day} May 2026 the {what} was checked.")
        memory.settle()
        whole = memory.ask("What happened after the pump stopped?")
        assert "gauge" in whole.answer
        assert "more" not in whole.answer
        assert not whole.remarks
        part = memory.ask("What happened after the pump stopped?", limit=4)
        assert part.answer.endswith("; and 2 more.")
        assert "filter" in part.answer
        assert "hose" not in part.answer
        assert part.remarks == ("Told as well: 2 more further away in time.",)


@pytest.mark.parametrize(
    ("told", "side", "answers"),
    [
        ("The audit was finished before the login outage.", "before", True),
        ("Prior to the login outage, the audit was finished.", "before", True),
        ("The login outage came after the audit.", "before", True),
        ("After the login outage, the audit was finished.", "after", True),
        ("The audit was finished before the login outage.", "after", False),
        ("The audit was not finished before the login outage.", "before", False),
        ("The audit should be finished before the login outage.", "before", False),
        ("The audit was finished before the meeting about the login outage.", "before", False),
    ],
)
def test_a_sentence_that_says_itself_what_was_before_or_after_an_event_is_an_answer(
    tmp_path: Path, told: str, side: str, answers: bool
) -> None:
    with open_test_memory(tmp_path, embedder=minilm()) as memory:
        memory.store("There was a login outage on 3 May 2026.", occurred_at="2026-05-03")
        memory.store(told, occurred_at="2026-05-03")
        memory.settle()
        answer = memory.ask(f"What happened {side} the login outage?")
        assert answer.abstained is not answers
        assert answer.answer.startswith("“") is answers
        if answers:
            assert "audit" in answer.answer


def test_what_is_beside_an_event_that_nobody_told_is_not_known(memory: Memory) -> None:
    assert memory.ask("What happened after the flood?").abstained


def test_a_date_is_no_event_to_be_found_first(memory: Memory) -> None:
    answer = memory.ask("What happened after 4 March 2026?").answer
    assert "wall" in answer
    assert "lease" not in answer


@pytest.mark.parametrize(
    "question",
    [
        "Which came first, the crack in the wall or the repair of the roof?",
        "What happened later: the repair of the roof or the crack in the wall?",
    ],
)
def test_which_of_two_came_first_is_answered_in_order_of_time(memory: Memory, question: str) -> None:
    answer = memory.ask(question)
    assert not answer.abstained
    assert answer.answer.index("5 March 2026") < answer.answer.index("9 March 2026")
