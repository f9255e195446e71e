# SPDX-License-Identifier: Apache-2.0
"""Who holds an office that one at a time holds: whoever took it over last."""

from __future__ import annotations

from pathlib import Path

import pytest

from becausal.domain.records import Fact, Kind
from becausal.engine.memory import Memory
from memory_tools import minilm, open_test_memory

FIRST = "Marta is the treasurer of the rowing club."


def told(folder: Path, *texts: str) -> Memory:
    memory = open_test_memory(folder, embedder=minilm())
    for month, text in enumerate(texts, 1):
        memory.store(text, occurred_at=f"2026-0{month}-10T10:00Z")
    memory.settle()
    return memory


def holders(memory: Memory) -> dict[str, bool]:
    """Return who is said to hold the office, and whether that is so still."""
    facts = [each for each in memory._store.find(Kind.FACT, limit=50).records if isinstance(each, Fact)]
    return {each.subject: each.valid_to is None for each in facts if "treasurer of" in each.predicate}


@pytest.mark.parametrize(
    "change",
    [
        "Dov is now the treasurer of the rowing club.",
        "Dov became treasurer of the rowing club.",
        "Dov replaced Marta as treasurer of the rowing club.",
        "Marta was replaced by Dov as the treasurer of the rowing club.",
        "Dov took over as treasurer of the rowing club.",
        "Dov took over from Marta as treasurer of the rowing club on 10 February 2026.",
        "Dov was appointed treasurer of the rowing club.",
        "Dov was named the new treasurer of the rowing club.",
        "Dov was made treasurer of the rowing club.",
        "Dov was elected treasurer of the rowing club.",
        "The board appointed Dov as treasurer of the rowing club.",
    ],
)
def test_whoever_takes_an_office_over_ends_the_time_of_the_one_before(tmp_path: Path, change: str) -> None:
    with told(tmp_path, FIRST, change) as memory:
        assert holders(memory) == {"Marta": False, "Dov": True}
        answer = memory.ask("Who is the treasurer of the rowing club?").answer
        assert answer.startswith("Dov is")
        assert "Marta is the treasurer of rowing club (until 2026-02-10)" in answer
        assert memory.ask("Who was the treasurer of the rowing club in January 2026?").answer.startswith("Marta")


@pytest.mark.parametrize("gave_up", ["resigned", "stepped down", "was dismissed", "left", "retired"])
def test_whoever_gives_an_office_up_holds_it_no_more(tmp_path: Path, gave_up: str) -> None:
    with told(tmp_path, FIRST, f"Marta {gave_up} as treasurer of the rowing club yesterday.") as memory:
        assert holders(memory) == {"Marta": False}
        answer = memory.ask("Who is the treasurer of the rowing club?")
        assert "until 2026-02-10" in answer.answer
        assert answer.confidence < 0.95


def test_an_office_told_only_now_ends_though_it_was_given_up_before(tmp_path: Path) -> None:
    with open_test_memory(tmp_path, embedder=minilm()) as memory:
        memory.store(FIRST, occurred_at="2026-03-10T10:00Z")
        memory.store("Marta resigned as treasurer of the rowing club yesterday.", occurred_at="2026-03-10T10:05Z")
        memory.settle()
        assert holders(memory) == {"Marta": False}
        assert "until 2026-03-10" in memory.ask("Who is the treasurer of the rowing club?").answer


def test_an_office_held_again_does_not_end_with_the_time_before(tmp_path: Path) -> None:
    again = "Marta became treasurer of the rowing club on 3 May 2024."
    with told(tmp_path, again, "Marta stepped down as treasurer of the rowing club in 2020.") as memory:
        assert holders(memory) == {"Marta": True}


def test_what_is_told_late_of_an_earlier_holder_ends_where_the_later_one_begins(tmp_path: Path) -> None:
    with told(tmp_path, "The club is old.", "Dov is the treasurer of the rowing club.") as memory:
        memory.store(FIRST, occurred_at="2025-05-01")
        memory.settle()
        assert holders(memory) == {"Marta": False, "Dov": True}


def test_an_office_elsewhere_or_one_of_several_ends_nothing(tmp_path: Path) -> None:
    others = ("Dov is the treasurer of the chess club.", "Eva is the co-treasurer of the rowing club.")
    with told(tmp_path, FIRST, *others) as memory:
        assert holders(memory) == {"Marta": True, "Dov": True, "Eva": True}


def test_once_the_change_is_forgotten_the_one_before_holds_the_office_again(tmp_path: Path) -> None:
    with told(tmp_path, FIRST, "Dov took over as treasurer of the rowing club.") as memory:
        (later,) = [each.engram.id for each in memory.recall("took over as treasurer").results if "Dov" in each.text]
        memory.forget(later)
        assert holders(memory) == {"Marta": True}


def test_once_one_in_the_middle_is_forgotten_the_first_holds_it_until_the_last(tmp_path: Path) -> None:
    changes = ("Dov took over as treasurer of the rowing club.", "Eva is now the treasurer of the rowing club.")
    with told(tmp_path, FIRST, *changes) as memory:
        (middle,) = [
            each.engram.id for each in memory.recall("Dov took over as treasurer").results if "Dov" in each.text
        ]
        memory.forget(middle)
        assert holders(memory) == {"Marta": False, "Eva": True}


def test_what_was_moved_is_at_the_newer_place_alone(tmp_path: Path) -> None:
    moves = ("We moved the office to Lyon.", "We moved the office to Turin on 3 February 2026.")
    with told(tmp_path, *moves) as memory:
        facts = [each for each in memory._store.find(Kind.FACT, limit=50).records if isinstance(each, Fact)]
        assert {each.object: each.valid_to is None for each in facts} == {"Lyon": False, "Turin": True}
        assert memory.ask("Where is the office?").answer.startswith("Office is located in Turin")
