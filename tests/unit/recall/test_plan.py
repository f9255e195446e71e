# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from datetime import UTC, datetime

import pytest

from becausal.recall.plan import MAX_SPAN, MAX_SPANS, Plan, Span, name_spans, plan


def read(question: str) -> Plan:
    return plan(question, now=datetime(2026, 6, 10, tzinfo=UTC), zone=UTC)


def keys(question: str) -> list[str]:
    return [span.key for span in name_spans(question)]


def test_what_may_be_a_name_begins_and_ends_with_a_capital_the_longest_first() -> None:
    assert keys("Who directed The Mask of Amber Vane?") == [
        "mask of amber vane",
        "mask of amber",
        "amber vane",
        "mask",
        "amber",
        "vane",
    ]


def test_a_possessive_is_no_part_of_a_name_and_hyphens_and_initials_are() -> None:
    assert keys("When was J. B. Arvend-Lorn's father born?")[0] == "j. b. arvend lorn"


def test_in_a_question_without_capitals_every_telling_word_may_be_a_name() -> None:
    assert keys("who directed glass harbour?") == [
        "directed glass harbour",
        "directed glass",
        "glass harbour",
        "directed",
        "glass",
        "harbour",
    ]


def test_a_stop_word_with_a_capital_is_part_of_a_name_unless_it_opens_the_question() -> None:
    assert "once a kestrel" in keys("Which is older, Once A Kestrel or Amber Vane?")
    assert "walking through" in keys("Who made Walking Through?")
    assert keys("Once Ada left") == ["ada"]
    assert keys("Which is older, the Kestrel or The Vane?") == ["kestrel or the vane", "kestrel", "vane"]


def test_stop_words_alone_are_no_names() -> None:
    assert keys("What is it that they have?") == []
    assert keys("Who wrote And Then About Ada?")[-1] == "ada"
    assert "then" not in keys("Who wrote And Then About Ada?")


def test_a_span_covers_what_lies_within_it() -> None:
    whole, part, other = Span(4, 16, "glass harbour"), Span(4, 9, "glass"), Span(10, 20, "harbour town")
    assert whole.covers(part)
    assert not part.covers(whole)
    assert not whole.covers(whole)
    assert not whole.covers(other)


def test_a_question_of_nothing_but_names_is_bounded() -> None:
    spans = name_spans("Amber " * 1000)
    assert len(spans) == MAX_SPANS
    assert max(span.key.count(" ") for span in spans) < MAX_SPAN


@pytest.mark.parametrize(
    ("question", "topical"),
    [
        ("What is coming up in December?", False),
        ("What is scheduled for next week?", False),
        ("What is planned for the garden in May?", True),
        ("What is planned?", True),
        ("What happened yesterday?", False),
        ("anything in March 2026?", False),
        ("What did we deploy yesterday?", True),
        ("What happened?", True),
        ("Who is Ada?", True),
    ],
)
def test_a_question_that_asks_for_a_time_alone_has_no_topic(question: str, topical: bool) -> None:
    assert read(question).topical is topical


def test_terms_remember_the_words_they_stand_for() -> None:
    read_ = read("Which restaurants were recommended?")
    assert {read_.words[term] for term in read_.terms} == {"restaurants", "recommended"}


def test_times_become_windows() -> None:
    (window,) = read("What did we deploy yesterday?").windows
    assert (window.start, window.end) == (datetime(2026, 6, 9, tzinfo=UTC), datetime(2026, 6, 10, tzinfo=UTC))


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("When did Ana paint the door?", True),
        ("On which day does the ferry leave?", True),
        ("what year was it", True),
        ("How long ago was that?", True),
        ("What did Ana paint when she was ill?", False),
        ("Whenever it rains, what leaks?", False),
        ("What times table does he know?", False),
    ],
)
def test_a_question_for_a_time_is_told_from_others(question: str, asks: bool) -> None:
    assert plan(question, now=datetime(2025, 3, 1, tzinfo=UTC), zone=UTC).asks_when is asks


@pytest.mark.parametrize(
    ("question", "several"),
    [
        ("What instruments does Ana play?", True),
        ("In what old towns has Ana lived?", True),
        ("What are Ana's dogs' names?", True),
        ("Which kind of bread does Ana bake?", True),
        ("How many bridges did Ana paint?", True),
        ("Where has Ana been?", True),
        ("What did Ana and Ben both learn?", True),
        ("What does Ana play?", False),
        ("What is Ana's address?", False),
        ("What was this about?", False),
        ("Which glass did Ana break?", False),
        ("When did Ana paint the bridges?", False),
        ("Who has the keys?", True),
        ("", False),
    ],
)
def test_questions_for_several_things_are_told_by_their_form(question: str, several: bool) -> None:
    assert read(question).asks_several is several


def test_a_question_names_somebody_by_the_whole_name_or_one_word_of_it() -> None:
    asked = read("What did Ana Berg say to Ben?")
    assert [asked.names(who) for who in ("Ana Berg", "ana berg", "Ben Kurz", "Ana", "Carl")] == [True] * 4 + [False]
