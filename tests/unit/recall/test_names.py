# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
from pathlib import Path

import pytest

from becausal.ports.store import GraphStore
from becausal.recall import names
from becausal.recall.names import MAX_ABOUT
from memory_tools import open_test_memory
from recall_tools import OpenPool

FILM = "Glass Harbour is a film directed by Mirko Vane."
PERSON = "Mirko Vane (born 1931 in Lorn) was a director."
OTHER = "Amber Tide is a film with Mirko Vane in a small part."


@pytest.fixture
def told(tmp_path: Path, store: GraphStore) -> dict[str, str]:
    """The ids of what was told to the memory that ``ask`` asks, by text."""
    with open_test_memory(tmp_path) as memory:
        return {text: memory.store(text).engram.id for text in (FILM, PERSON, OTHER)}


def test_a_name_in_the_question_leads_to_what_is_about_it(told: dict[str, str], ask: OpenPool) -> None:
    found = names.in_question(ask("Who directed Glass Harbour?"))
    assert {id: step.score for id, step in found.items()} == {told[FILM]: 1.0}


def test_case_and_article_do_not_matter(told: dict[str, str], ask: OpenPool) -> None:
    assert set(names.in_question(ask("who directed the glass-harbour?"))) == {told[FILM]}


def test_a_part_of_a_name_is_not_the_name(told: dict[str, str], tmp_path: Path, ask: OpenPool) -> None:
    with open_test_memory(tmp_path) as memory:
        harbour = memory.store("Harbour is a magazine.").engram.id
    assert set(names.in_question(ask("Who directed Glass Harbour?"))) == {told[FILM]}
    assert set(names.in_question(ask("Who reads Harbour?"))) == {harbour}


def test_a_match_leads_to_what_is_about_the_names_in_it(told: dict[str, str], ask: OpenPool) -> None:
    found = names.from_hits(ask(), {told[FILM]: 0.9})
    assert found is not None
    # three memories name Mirko Vane: 1 / √log₂(1 + 3)
    assert {id: step.score for id, step in found.items()} == {told[PERSON]: pytest.approx(0.9 / math.sqrt(2))}
    assert found[told[PERSON]].seed == told[FILM]


def test_the_stronger_match_leads(told: dict[str, str], ask: OpenPool) -> None:
    found = names.from_hits(ask(), {told[FILM]: 1.0, told[OTHER]: 0.2})
    assert found is not None
    assert found[told[PERSON]].seed == told[FILM]


def test_names_lead_nowhere_where_all_is_about_the_same_few(tmp_path: Path, store: GraphStore, ask: OpenPool) -> None:
    with open_test_memory(tmp_path) as memory:
        ids = [memory.store(f"Ada Quill mended bicycle {n} of Mirko Vane.").engram.id for n in range(MAX_ABOUT + 1)]
        memory.store(PERSON)
    assert names.from_hits(ask(), dict.fromkeys(ids[:3], 1.0)) is None
    assert names.in_question(ask("What did Ada Quill mend?")) == {}


def test_turns_of_a_conversation_are_about_nobody(tmp_path: Path, store: GraphStore, ask: OpenPool) -> None:
    with open_test_memory(tmp_path) as memory:
        turn = memory.store("Ada: I met Mirko Vane.").engram.id
        memory.store(PERSON)
    assert names.from_hits(ask(), {turn: 1.0}) is None


def test_without_matches_names_lead_nowhere(ask: OpenPool) -> None:
    assert names.from_hits(ask(), {}) is None


def test_a_second_question_asks_for_the_rarest_new_words(tmp_path: Path, store: GraphStore, ask: OpenPool) -> None:
    with open_test_memory(tmp_path) as memory:
        first = memory.store("The lighthouse keeper polished the astrolabe.").engram.id
        both = memory.store("An astrolabe was polished long ago.").engram.id
        one = memory.store("Shoes were polished.").engram.id
        for number in range(30):
            memory.store(f"Shoes number {number} were polished.")
    found = names.ask_again(ask("lighthouse"), [first])
    assert found[both] == 1.0
    assert first not in found
    assert one not in found  # "polished" is everywhere


def test_a_match_with_no_new_words_asks_nothing(tmp_path: Path, store: GraphStore, ask: OpenPool) -> None:
    with open_test_memory(tmp_path) as memory:
        first = memory.store("A lighthouse.").engram.id
    assert names.ask_again(ask("lighthouse"), [first]) == {}
