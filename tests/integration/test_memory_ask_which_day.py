# SPDX-License-Identifier: Apache-2.0
"""Of several incidents of one kind, the day that a question names decides which one is meant, however it was told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

import pytest

from becausal.engine.memory import Memory
from memory_tools import TurnableClock, minilm, open_test_memory

WEDNESDAY = "2025-11-05T10:00+00:00"

# What was told, each with when: told then ("@…"), told on Wednesday of a day (a date), or told on Wednesday.
TOLD: Mapping[str, Sequence[tuple[str, str]]] = {
    "dates in sentences of their own": (
        ("", "On Monday 27 October auth failed because a certificate had expired."),
        ("", "On Monday 3 November JWT_SECRET was removed from the config."),
        ("", "On Tuesday 4 November we deployed release 2.4 without JWT_SECRET."),
        ("", "Because JWT_SECRET was missing, tokens could not be verified."),
        ("", "Auth failed because tokens could not be verified."),
    ),
    "each told with its day": (
        ("2025-10-27", "Auth failed because a certificate had expired."),
        ("2025-11-03", "JWT_SECRET was removed from the deployment config in PR 1234."),
        ("2025-11-04", "The deployment went out without JWT_SECRET, so tokens could not be verified."),
        ("2025-11-04", "Auth failed because tokens could not be verified."),
    ),
    "each told on its day": (
        ("@2025-10-27T10:00+00:00", "Auth failed this morning because a certificate had expired."),
        ("@2025-11-03T10:00+00:00", "JWT_SECRET was removed from the config today."),
        ("@2025-11-04T10:00+00:00", "The deployment had no JWT_SECRET, so tokens could not be verified."),
        ("@2025-11-04T11:00+00:00", "Auth failed because tokens could not be verified."),
    ),
    "in relative days": (
        ("", "Auth failed on 27 October because its certificate had expired."),
        ("", "Someone removed JWT_SECRET on Monday."),
        ("", "Tuesday's deployment failed to start the token service because JWT_SECRET was removed."),
        ("", "Auth failed because the token service failed to start."),
    ),
}

QUESTIONS = {
    "Why did auth fail after Tuesday's deployment?": "JWT_SECRET",
    "Why did auth fail after the deployment on Tuesday?": "JWT_SECRET",
    "What caused the auth failure after Tuesday's deploy?": "JWT_SECRET",
    "Why did auth fail on Tuesday?": "JWT_SECRET",
    "Why did auth fail yesterday?": "JWT_SECRET",
    "Why was auth failing this week?": "JWT_SECRET",
    "Why did auth fail on November 4?": "JWT_SECRET",
    "Why did auth fail on 27 October?": "certificate",
    "Why did auth fail on Monday 27 October?": "certificate",
    "Why did auth fail last week?": "certificate",
}


def tell(folder: Path, told: Sequence[tuple[str, str]]) -> Memory:
    clock = TurnableClock(datetime.fromisoformat(WEDNESDAY))
    memory = open_test_memory(folder, embedder=minilm(), clock=clock)
    for when, text in told:
        clock.moment = datetime.fromisoformat(when[1:] if when.startswith("@") else WEDNESDAY)
        memory.store(text, source="on-call", occurred_at=when if when[:1].isdigit() else None)
    memory.settle()
    clock.moment = datetime.fromisoformat(WEDNESDAY)
    return memory


@pytest.mark.parametrize("way", TOLD)
def test_the_day_asked_for_decides_which_incident_is_meant(tmp_path: Path, way: str) -> None:
    with tell(tmp_path, TOLD[way]) as memory:
        for question, root in QUESTIONS.items():
            answer = memory.ask(question)
            causes = " ".join(step.cause for step in answer.chain)
            assert root in causes, (question, answer.answer)


def test_what_happened_on_another_day_is_no_answer(tmp_path: Path) -> None:
    with tell(tmp_path, [("", "On Monday 27 October auth failed because a certificate had expired.")]) as memory:
        assert memory.ask("Why did auth fail on Monday 27 October?").root_cause == "a certificate had expired"
        answer = memory.ask("Why did auth fail yesterday?")
        assert answer.abstained
        assert answer.root_cause is None


def test_a_statement_without_a_time_may_be_about_the_day_asked_for(tmp_path: Path) -> None:
    with tell(tmp_path, [("", "The lift got stuck because the door sensor was dirty.")]) as memory:
        memory.graphs.add_causal_link("a bird nested in the shaft", "the fan stopped")
        assert memory.ask("Why did the lift get stuck on Monday?").root_cause == "the door sensor was dirty"
        assert memory.ask("Why did the fan stop on Monday?").root_cause == "a bird nested in the shaft"


@pytest.mark.parametrize("asked", ["planned for", "coming up in", "due in", "scheduled for"])
def test_what_is_to_come_is_told_in_whatever_words_it_is_asked_for(tmp_path: Path, asked: str) -> None:
    told = [("", "The dentist sees Mia on 15 December 2025."), ("", "The shed was painted in June 2025.")]
    with tell(tmp_path, told) as memory:
        answer = memory.ask(f"What is {asked} December?")
        assert not answer.abstained
        assert [source.text for source in answer.sources] == ["The dentist sees Mia on 15 December 2025."]
        assert memory.ask(f"What is {asked} March 2026?").abstained
