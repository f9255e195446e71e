# SPDX-License-Identifier: Apache-2.0
"""Memories whose facts contradict each other can be put right, and what they closed follows."""

from __future__ import annotations

from pathlib import Path

import pytest

from becausal.domain.records import Fact, Kind
from becausal.engine.memory import Memory
from memory_tools import open_test_memory


def homes(memory: Memory) -> dict[str, str | None]:
    """Return until when somebody lives where, by place."""
    facts = [each for each in memory._store.find(Kind.FACT, limit=50).records if isinstance(each, Fact)]
    return {each.object: each.valid_to and f"{each.valid_to:%Y-%m}" for each in facts}


def told(folder: Path, *places: str) -> tuple[Memory, list[str]]:
    memory = open_test_memory(folder)
    ids = [
        memory.store(f"Bob lives in {place}.", occurred_at=f"2026-0{month}-01").engram.id
        for month, place in enumerate(places, 1)
    ]
    memory.settle()
    return memory, ids


@pytest.mark.parametrize(
    ("edited", "expected"),
    [
        (0, {"London": "2026-02", "Rome": "2026-03", "Oslo": None}),
        (1, {"Paris": "2026-02", "London": "2026-03", "Oslo": None}),
        (2, {"Paris": "2026-02", "Rome": "2026-03", "London": None}),
    ],
)
def test_any_of_several_that_contradict_each_other_can_be_put_right(
    tmp_path: Path, edited: int, expected: dict[str, str | None]
) -> None:
    memory, ids = told(tmp_path, "Paris", "Rome", "Oslo")
    with memory:
        before = homes(memory)
        assert before == {"Paris": "2026-02", "Rome": "2026-03", "Oslo": None}
        memory.update(ids[edited], content="Bob lives in London.")
        assert homes(memory) == expected
        memory.undo()
        assert homes(memory) == before


def test_what_an_edited_memory_had_closed_opens_where_nothing_contradicts_it_any_more(tmp_path: Path) -> None:
    memory, ids = told(tmp_path, "Paris", "Rome")
    with memory:
        memory.update(ids[1], content="Bob likes Rome.")
        assert homes(memory) == {"Paris": None, "Rome": None}
        memory.undo()
        assert homes(memory) == {"Paris": "2026-02", "Rome": None}


def test_a_fact_that_the_new_text_still_tells_keeps_what_it_had_closed(tmp_path: Path) -> None:
    memory, ids = told(tmp_path, "Paris", "Rome")
    with memory:
        memory.update(ids[1], content="Bob lives in Rome. He likes it.")
        assert homes(memory) | {"it": None} == {"Paris": "2026-02", "Rome": None, "it": None}


def test_the_holder_of_an_office_can_be_put_right(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        memory.store("Ana is the treasurer of the club.", occurred_at="2026-01-01")
        later = memory.store("Bob is the treasurer of the club.", occurred_at="2026-02-01").engram.id
        memory.settle()
        memory.update(later, content="Eva is the treasurer of the club.")
        facts = [each for each in memory._store.find(Kind.FACT, limit=50).records if isinstance(each, Fact)]
        assert {each.subject: each.valid_to is None for each in facts} == {"Ana": False, "Eva": True}
