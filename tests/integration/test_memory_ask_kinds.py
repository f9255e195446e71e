# SPDX-License-Identifier: Apache-2.0
"""Questions for things by their kind: "which pets", "how many siblings"."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from becausal import Memory
from memory_tools import minilm, open_test_memory

CHAT = (
    ("Nora", "We took in a stray last week, a tabby cat named Olive. The dog is not amused."),
    ("Emil", "My hamster would not be either."),
    ("Nora", "I have been practising the oboe every evening, and a little harp."),
    ("Emil", "My sister Jana and my brother Karl are coming for Easter."),
    ("Nora", "We planted tulips along the fence."),
    ("Emil", "The van would not start this morning."),
    ("Nora", "My bus was late again."),
    ("Emil", "I had soup."),
)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with open_test_memory(tmp_path_factory.mktemp("memory"), embedder=minilm()) as opened:
        for speaker, text in CHAT:
            opened.store(f"{speaker}: {text}", source="chat")
        opened.settle()
        yield opened


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What pets does Nora have?", 0),
        ("How many pets does Nora have?", 0),
        ("Which animals live with Nora?", 0),
        ("What pets does Emil have?", 1),
        ("What instruments does Nora play?", 2),
        ("Which instrument is Nora practising?", 2),
        ("Who are Emil's siblings?", 3),
        ("How many siblings does Emil have?", 3),
        ("Which flowers did Nora plant?", 4),
    ],
)
def test_what_is_of_the_kind_asked_for_is_the_answer(memory: Memory, question: str, told: int) -> None:
    answer = memory.ask(question)
    assert not answer.abstained, answer.answer
    assert CHAT[told][1] in answer.answer
    others = [text for number, (_, text) in enumerate(CHAT) if number != told]
    assert not any(text in answer.answer for text in others)


@pytest.mark.parametrize(
    "question", ["What sports does Nora play?", "Which fruit does Emil like?", "What colour is Emil's van?"]
)
def test_what_is_of_another_kind_is_none(memory: Memory, question: str) -> None:
    assert memory.ask(question).abstained


def test_a_list_of_all_of_a_kind_is_given_by_everybody_who_told_of_one(memory: Memory) -> None:
    answer = memory.ask("List all the pets.")
    assert not answer.abstained
    assert all(CHAT[number][1] in answer.answer for number in (0, 1))


@pytest.mark.parametrize(
    "question", ["What instruments does Emil play?", "Which flowers did Emil plant?", "Who are Nora's siblings?"]
)
def test_what_another_says_of_themselves_is_no_answer_about_somebody_named(memory: Memory, question: str) -> None:
    assert memory.ask(question).abstained


def test_who_speaks_may_be_told_as_the_source_of_a_session(tmp_path: Path) -> None:
    with open_test_memory(tmp_path, embedder=minilm()) as memory:
        for speaker, text in CHAT:
            memory.store(text, source=speaker, session="chat")
        memory.settle()
        for question, told in (
            ("Which instrument is Nora practising?", 2),
            ("What pets does Nora have?", 0),
            ("Who are Emil's siblings?", 3),
        ):
            answer = memory.ask(question)
            assert not answer.abstained, answer.answer
            assert CHAT[told][1] in answer.answer
        assert memory.ask("What instruments does Emil play?").abstained
