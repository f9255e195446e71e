# SPDX-License-Identifier: Apache-2.0
"""Answers to when and how long: what holds now goes before what was planned, and an end is not the time itself."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from becausal.engine.memory import Memory
from becausal.engine.results import Answer
from memory_tools import TurnableClock, minilm, open_test_memory

Told = str | tuple[str, str]
"""What is told; a pair has the time it happened in front."""


def memory_with(folder: Path, told: Sequence[Told]) -> Memory:
    clock = TurnableClock(datetime(2026, 11, 25, 12, tzinfo=UTC))
    memory = open_test_memory(folder, embedder=minilm(), clock=clock)
    for each in told:
        when, text = each if isinstance(each, tuple) else (None, each)
        memory.store(text, source="notes", occurred_at=when)
    memory.settle()
    return memory


def ask(folder: Path, told: Sequence[Told], question: str) -> Answer:
    with memory_with(folder, told) as memory:
        return memory.ask(question)


@pytest.mark.parametrize(
    ("told", "question", "now", "before"),
    [
        (
            ["The launch is on 3 March 2027.", "The launch was moved to 17 March 2027."],
            "When is the launch?",
            "17 March 2027",
            "3 March 2027",
        ),
        (
            ["The exam will take place on 20 May 2027.", "We have brought the exam forward to 13 May 2027."],
            "When does the exam take place?",
            "13 May 2027",
            "20 May 2027",
        ),
        (
            ["The visit is due on 8 December 2026.", "The visit has been postponed until 15 December 2026."],
            "When is the visit?",
            "15 December 2026",
            "8 December 2026",
        ),
        (
            ["The hike starts on 5 June 2027.", "The hike is now on 12 June 2027."],
            "When is the hike?",
            "12 June 2027",
            "5 June 2027",
        ),
    ],
)
def test_a_time_that_was_moved_is_told_first_and_the_old_one_as_planned_before(
    tmp_path: Path, told: Sequence[str], question: str, now: str, before: str
) -> None:
    answer = ask(tmp_path, told, question)
    assert answer.answer.startswith(f"{now}: ")
    assert f"Planned before: {before}: " in answer.answer
    assert {source.text for source in answer.sources} == set(told)


def test_of_two_moves_the_one_told_last_holds(tmp_path: Path) -> None:
    told = [
        "The review is on 3 December 2026.",
        "The review was postponed to 10 December 2026.",
        "The review was brought forward to 8 December 2026.",
    ]
    answer = ask(tmp_path, told, "When is the review?").answer
    assert answer.startswith("8 December 2026: ")
    assert answer.index("Planned before") < answer.index("10 December")


def test_a_sentence_that_moves_something_from_one_time_to_another_answers_with_the_new_one(tmp_path: Path) -> None:
    answer = ask(tmp_path, ["The play was moved from 19 May 2027 to 12 May 2027."], "When is the play?").answer
    assert answer.startswith("12 May 2027: ")


def test_something_else_that_was_moved_changes_no_other_appointment(tmp_path: Path) -> None:
    told = ["The picnic table is delivered on 2 June 2027.", "The picnic was moved to 13 June 2027."]
    answer = ask(tmp_path, told, "When is the picnic table delivered?").answer
    assert "2 June 2027" in answer
    assert "Planned before" not in answer


def test_until_is_an_end_and_does_not_take_the_place_of_the_time_that_was_given(tmp_path: Path) -> None:
    told = [("2026-01-12", "The pool is closed until February.")]
    with memory_with(tmp_path, told) as memory:
        answer = memory.ask("When was the pool closed?").answer
        assert answer.startswith("12 January")
        (event,) = memory.explore.timeline(since="2026-01-20", until="2026-01-21").entries
        assert getattr(event, "description", "") == "The pool is closed until February."


def test_until_goes_back_to_the_time_that_its_sentence_names(tmp_path: Path) -> None:
    answer = ask(tmp_path, ["On 3 May 2026 the library closed until 9 May."], "How long was the library closed?")
    assert answer.answer.startswith("7 days: ")


def test_what_was_merely_told_at_some_time_is_no_answer_beside_what_has_a_time(tmp_path: Path) -> None:
    told = ["The gallery opened on 5 May 2026.", "The gallery opened with a concert by a choir."]
    answer = ask(tmp_path, told, "When did the gallery open?").answer
    assert "5 May 2026" in answer
    assert "told" not in answer


def test_what_was_merely_told_is_the_answer_where_nothing_has_a_time(tmp_path: Path) -> None:
    answer = ask(tmp_path, ["The bakery opened at the corner."], "When did the bakery open?")
    assert answer.answer.startswith("25 November 2026, 12:00 (told): ")


@pytest.mark.parametrize(
    ("told", "question", "length"),
    [
        (
            ["The ferry was out of service from the 3 March 2026.", "The ferry was back in service on 17 March 2026."],
            "For how long was the ferry out of service?",
            "14 days",
        ),
        (
            ["The fair opened on 1 June 2026.", "The fair closed on 10 June 2026."],
            "How long was the fair open?",
            "9 days",
        ),
        (["The strike lasted three weeks."], "How long did the strike last?", "Three weeks"),
        (
            ["The blackout began at 10:00 on 4 June 2026 and was over at 13:30."],
            "How long did the blackout last?",
            "3 hours 30 minutes",
        ),
        (["The mill was shut from 3 May 2026 to 9 May 2026."], "How long was the mill shut?", "7 days"),
        (["We had a two-hour wait at the border."], "How long was the wait at the border?", "Two hours"),
        (["The wall was built in nine days."], "How long did it take to build the wall?", "Nine days"),
        (
            ["The water was cut off at 9:15 on 2 June 2026.", "The water came back at 9:45 on 2 June 2026."],
            "How many hours was the water cut off?",
            "30 minutes",
        ),
        (
            ["Ada was in hospital for two nights.", "Ben was in hospital for five nights."],
            "How long was Ben in hospital?",
            "Five nights",
        ),
    ],
)
def test_how_long_is_answered_by_what_was_told_or_by_beginning_and_end(
    tmp_path: Path, told: Sequence[str], question: str, length: str
) -> None:
    answer = ask(tmp_path, told, question)
    assert not answer.abstained
    assert answer.answer.startswith(f"{length}: ") or answer.answer.startswith(f"{length}, from ")


def test_how_long_is_said_to_be_unknown_where_only_the_beginning_was_told(tmp_path: Path) -> None:
    answer = ask(tmp_path, ["The tower was closed on 3 March 2026."], "How long was the tower closed?")
    assert answer.answer.startswith("How long was not told. 3 March 2026: ")


@pytest.mark.parametrize("question", ["How long is the office closed?", "How long will the office be closed?"])
def test_how_long_is_never_answered_by_what_it_came_of(tmp_path: Path, question: str) -> None:
    answer = ask(tmp_path, ["The office is closed until 5 June 2027 because of the flood."], question)
    assert "until 5 June 2027" in answer.answer
    assert answer.root_cause is None


def test_how_long_something_has_lasted_that_goes_on_is_told_by_its_beginning(tmp_path: Path) -> None:
    answer = ask(tmp_path, ["Mia has lived in Oslo since 2019."], "How long has Mia lived in Oslo?")
    assert answer.answer.startswith("since 2019, about 7 years so far: ")


GARDENER = "Petra has been our head gardener since 2019."


@pytest.mark.parametrize(
    "other",
    [
        "Yusuf left us on 13 February 2026 for a job at the botanical garden in Ghent.",
        "The gardener Yusuf left us on 13 February 2026.",
        "Petra left the chess club on 3 May 2025.",
        "Petra came back from her holiday on 6 June 2024.",
        "The strike was over on 6 June 2024.",
    ],
)
def test_what_was_over_of_somebody_or_something_else_is_no_end(tmp_path: Path, other: str) -> None:
    with memory_with(tmp_path, [GARDENER, other]) as memory:
        so_far = memory.ask("How long has Petra been our head gardener?")
        was = memory.ask("How long was Petra head gardener?")
    assert so_far.answer == f"since 2019, about 7 years so far: “{GARDENER.rstrip('.')}” [1]."
    assert was.answer.startswith("How long was not told. Since 2019: ")
    assert was.confidence <= 0.7


@pytest.mark.parametrize(
    "end",
    [
        "Petra left us on 3 May 2025.",
        "Our head gardener left the company on 3 May 2025.",
        "Petra retired on 3 May 2025.",
    ],
)
def test_what_was_over_of_the_same_is_the_end(tmp_path: Path, end: str) -> None:
    answer = ask(tmp_path, [GARDENER, end], "How long was Petra head gardener?").answer
    assert answer.startswith("About 6 years, from 2019: ")
    assert "to 3 May 2025: " in answer


def test_each_of_two_people_has_an_end_of_their_own(tmp_path: Path) -> None:
    told = [
        "Ada was in hospital from 3 May 2026.",
        "Ben was in hospital from 4 May 2026.",
        "Ada left the hospital on 9 May 2026.",
        "Ben left the hospital on 20 May 2026.",
    ]
    with memory_with(tmp_path, told) as memory:
        assert memory.ask("How long was Ada in hospital?").answer.startswith("6 days, ")
        assert memory.ask("How long was Ben in hospital?").answer.startswith("16 days, ")


def test_who_ends_something_need_not_have_been_there_when_it_began(tmp_path: Path) -> None:
    told = [
        "A blaze broke out in Ghent at 10:00 on 3 May 2026.",
        "At 13:30 on 3 May 2026 Engineer Holt put out the blaze.",
    ]
    answer = ask(tmp_path, told, "How long did the blaze in Ghent last?").answer
    assert answer.startswith("3 hours 30 minutes, from 3 May 2026, 10:00: ")


def test_the_length_that_an_event_was_stated_with_is_how_long_it_was(tmp_path: Path) -> None:
    with memory_with(tmp_path, ["The dredger ran aground at noon on 3 May 2026."]) as memory:
        memory.graphs.add_event("Sula hit the pier", "2025-11-09T18:00:00Z", entities=["Sula"], duration="20 minutes")
        memory.graphs.add_event("Sula was in the dock", "2025-12-09", entities=["Sula"], duration="a week")
        hit = memory.ask("How long did Sula hit the pier?")
        docked = memory.ask("How long was Sula in the dock?")
    assert hit.answer == "20 minutes: “Sula hit the pier” [1]."
    assert [each.text for each in hit.sources] == ["Sula hit the pier"]
    assert docked.answer == "A week: “Sula was in the dock” [1]."


def test_a_length_that_was_told_goes_before_one_of_an_event_that_has_less_of_the_question(tmp_path: Path) -> None:
    with memory_with(tmp_path, ["The strike of the ferry crew lasted three weeks."]) as memory:
        memory.graphs.add_event("strike of the bakers", "2025-11-09", duration="2 days")
        answer = memory.ask("How long did the strike of the ferry crew last?").answer
    assert answer.startswith("Three weeks: ")
