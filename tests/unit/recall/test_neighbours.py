# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from becausal.domain.records import LinkKind
from becausal.ports.store import GraphStore
from becausal.recall.candidates import Pool
from becausal.recall.neighbours import ANSWER, ASKING, Neighbours
from becausal.recall.rank import best_of
from becausal.recall.turns import Turn, answers, is_question
from contract.samples import engram, link, put, put_links
from recall_tools import OpenPool

TURNS = {
    "t1": "Ana: The harbour has a new crane.",
    "t2": "Ben: Which colour did they paint it?",
    "t3": "Ana: A deep green.",
    "t4": "Ana: With white letters.",
}


@pytest.fixture
def talk(store: GraphStore) -> GraphStore:
    """Four turns, one after the other."""
    put(store, *(engram(id, content=text, source="talk") for id, text in TURNS.items()))
    for later, earlier in (("t2", "t1"), ("t3", "t2"), ("t4", "t3")):
        put_links(store, link(f"{later} {earlier}", later, earlier, LinkKind.FOLLOWS))
    return store


def with_parts(pool: Pool, **parts: tuple[float, ...]) -> None:
    for id in TURNS:
        each = pool.candidate(id)
        each.parts = parts.get(id, ())
        each.text = sum(each.parts)


def looked(pool: Pool, ids: list[str]) -> Neighbours:
    beside = Neighbours(pool)
    beside.look(ids)
    return beside


def test_a_word_counts_where_it_counts_most_at_a_discount_for_the_distance(talk: GraphStore, ask: OpenPool) -> None:
    pool = ask("harbour crane")
    with_parts(pool, t1=(0.4, 0.2), t3=(0.1, 0.0))
    looked(pool, list(TURNS)).lend_words(1.0)
    borrowed = {id: pool.by_id[id].borrowed for id in TURNS}
    # t2: both words of t1 at .7; t3: the first is its own .1 or t1's .4 · .4, the second t1's .2 · .4
    assert borrowed == {
        "t1": pytest.approx(0.0),
        "t2": pytest.approx(0.7 * 0.6),
        "t3": pytest.approx(0.16 - 0.1 + 0.08),
        "t4": pytest.approx(0.7 * 0.1),
    }
    assert pool.by_id["t2"].lender == "t1"


def test_words_come_from_what_follows_too(talk: GraphStore, ask: OpenPool) -> None:
    pool = ask("green")
    with_parts(pool, t3=(0.5,))
    looked(pool, ["t3"]).lend_words(1.0)
    assert pool.by_id["t2"].borrowed == pytest.approx(0.5 * 0.5)
    assert pool.by_id["t4"].borrowed == pytest.approx(0.7 * 0.5)


def test_a_share_of_the_lending_can_be_asked_for(talk: GraphStore, ask: OpenPool) -> None:
    pool = ask("crane")
    with_parts(pool, t1=(0.5,))
    looked(pool, ["t1"]).lend_words(0.5)
    assert pool.by_id["t2"].borrowed == pytest.approx(0.5 * 0.7 * 0.5)


def test_documents_neither_lend_nor_borrow(talk: GraphStore, ask: OpenPool) -> None:
    pool = ask("crane")
    with_parts(pool, t1=(0.5,), t2=(0.1,))
    pool.by_id["t1"].short = False
    beside = looked(pool, list(TURNS))
    beside.lend_words(1.0)
    assert pool.by_id["t2"].borrowed == 0.0
    assert pool.by_id["t1"].borrowed == 0.0


def test_an_answer_counts_with_its_question_which_itself_counts_less(talk: GraphStore, ask: OpenPool) -> None:
    pool = ask()
    with_parts(pool)
    pool.by_id["t2"].base = 0.8
    looked(pool, list(TURNS)).lend_questions(pool.turns(list(TURNS)), 1.0)
    assert [pool.by_id[id].lent for id in TURNS] == [0.0, 0.0, pytest.approx(ANSWER * 0.8), 0.0]
    assert [pool.by_id[id].penalty for id in TURNS] == [0.0, ASKING, 0.0, 0.0]


def test_what_a_question_has_borrowed_itself_counts_for_its_answer_too(talk: GraphStore, ask: OpenPool) -> None:
    pool = ask()
    with_parts(pool)
    pool.by_id["t2"].base, pool.by_id["t2"].loan = 0.5, 0.3
    looked(pool, list(TURNS)).lend_questions(pool.turns(list(TURNS)), 1.0)
    assert pool.by_id["t3"].lent == pytest.approx(ANSWER * 0.8)


@pytest.mark.parametrize(
    ("question", "gain"),
    [("What letters did Ana paint?", 0.1), ("What did Ana paint?", 0.0), ("What letters did Carl paint?", 0.0)],
)
def test_whom_a_question_for_several_things_names_counts_as_speaker(
    talk: GraphStore, ask: OpenPool, question: str, gain: float
) -> None:
    pool = ask(question)
    with_parts(pool)
    pool.by_id["t4"].short = False
    looked(pool, list(TURNS)).hear_speakers(pool.turns(list(TURNS)), 0.1)
    assert [pool.by_id[id].named for id in TURNS] == [gain, 0.0, gain, 0.0]


def test_what_stands_in_the_source_of_a_better_match_counts_more(store: GraphStore, ask: OpenPool) -> None:
    sources = {"a1": "a", "a2": "a", "b1": "b", "b2": "b"}
    put(store, *(engram(id, content=f"Ana: {id}.", source=source) for id, source in sources.items()))
    pool = ask()
    for id, score in zip(sources, (0.9, 0.2, 0.4, 0.3), strict=True):
        pool.candidate(id).base = score
    pool.by_id["b2"].short = False  # a document speaks for itself
    best = best_of(pool, 4)
    looked(pool, list(sources)).keep_to_sources(best, pool.turns(list(sources)), 0.1)
    assert [pool.by_id[id].named for id in sources] == pytest.approx([0.09, 0.09, 0.04, 0.0])


def test_a_time_is_seldom_the_answer_in_a_conversation(talk: GraphStore, ask: OpenPool) -> None:
    pool = ask("When was it painted?")
    with_parts(pool)
    pool.by_id["t2"].base = 0.8
    looked(pool, list(TURNS)).lend_questions(pool.turns(list(TURNS)), 1.0)
    assert [pool.by_id[id].lent for id in TURNS] == [0.0] * 4
    assert pool.by_id["t2"].penalty == ASKING


def test_what_has_no_source_is_no_turn_and_asks_nothing(store: GraphStore, ask: OpenPool) -> None:
    put(store, engram("q", content="Who owns billing?"))
    pool = ask()
    pool.candidate("q")
    looked(pool, ["q"]).lend_questions(pool.turns(["q"]), 1.0)
    assert pool.by_id["q"].penalty == 0.0


def test_where_a_memory_stands_is_told(talk: GraphStore, ask: OpenPool) -> None:
    pool = ask()
    with_parts(pool)
    beside = looked(pool, list(TURNS))
    pool.by_id["t3"].lender = "t2"
    pool.by_id["t1"].lender = "t2"
    assert beside.told(pool.by_id["t3"]) == "told just after a match in the same conversation"
    assert beside.told(pool.by_id["t1"]) == "told just before a match in the same conversation"


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Ben: Which colour did they paint it?", True),
        ("Ben: Which colour? [a photo of a crane]", True),
        ("你喜欢什么颜色？", True),
        ("Ben: A deep green.", False),
        ("Why? Because " + "it was cheap. " * 10, False),
    ],
)
def test_a_question_has_its_mark_near_the_end(text: str, asks: bool) -> None:
    assert is_question(text) is asks


def test_only_another_speaker_answers() -> None:
    assert answers(Turn("talk", None, "Ana: Green."), Turn("talk", None, "Ben: Which colour?"))
    assert not answers(Turn("talk", None, "Ben: Or was it blue?"), Turn("talk", None, "Ben: Which colour?"))
    assert not answers(Turn("talk", None, "Green."), Turn("talk", None, "Which colour?"))


def test_in_a_session_the_source_is_who_speaks() -> None:
    assert Turn("Ana", "s1", "Green.").speaker == "Ana"
    assert Turn("chat", "s1", "Ben: Green.").speaker == "Ben"
    assert Turn("Ana", None, "Green.").speaker is None
    assert answers(Turn("Ana", "s1", "Green."), Turn("Ben", "s1", "Which colour?"))
    assert (Turn("Ana", "s1", "Green.").place, Turn("talk", None, "Green.").place) == ("s1", "talk")
