# SPDX-License-Identifier: Apache-2.0
"""How sure an answer is, against numbers worked out by hand."""

from __future__ import annotations

import math

import pytest

from becausal.magma.evidence import confidence, coverage, likeness, named_terms, word_weights


def test_a_word_weighs_its_idf_and_one_that_was_never_told_weighs_most() -> None:
    weights = word_weights(["lift", "cable", "piano"], [8, 2, 0], 8)
    assert weights["lift"] == pytest.approx(math.log(1 + 0.5 / 8.5))
    assert weights["cable"] == pytest.approx(math.log(1 + 6.5 / 2.5))
    assert weights["piano"] == pytest.approx(math.log(1 + 8.5 / 0.5))


def test_a_word_that_names_an_event_only_in_general_terms_weighs_a_quarter() -> None:
    weights = word_weights(["outag", "piano"], [0, 0], 8)
    assert weights["outag"] == pytest.approx(weights["piano"] / 4)


def test_coverage_is_the_share_of_the_weight_that_was_told() -> None:
    weights = {"lift": 1.0, "cabl": 3.0}
    assert coverage(weights, ["The cable frayed."]) == 0.75
    assert coverage(weights, ["The cable frayed.", "Two lifts stopped."]) == 1.0
    assert coverage(weights, []) == 0.0
    assert coverage({}, ["anything"]) == 1.0


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("blow", "The fuse blew."),
        ("grow", "The growth of the queue"),
        ("blown", "It may blow."),
        ("fail", "A failure."),
    ],
)
def test_irregular_verbs_and_nouns_made_of_verbs_are_told_by_the_verb(word: str, text: str) -> None:
    assert coverage({word: 1.0}, [text]) == 1.0


@pytest.mark.parametrize(("cosine", "near"), [(-0.3, 0.0), (0.15, 0.0), (0.425, 0.5), (0.7, 1.0), (0.9, 1.0)])
def test_likeness_is_a_scale_from_unrelated_to_an_answer(cosine: float, near: float) -> None:
    assert likeness(cosine) == pytest.approx(near)


def test_confidence_is_half_words_with_their_square_and_half_nearness() -> None:
    weights = {"lift": 1.0, "cabl": 3.0}  # squares 1 and 9
    assert confidence(weights, ["The cable frayed."], 0.425) == pytest.approx(0.5 * 0.9 + 0.5 * 0.5)
    assert confidence(weights, ["The cable frayed."], None) == pytest.approx(0.9)


def test_names_that_were_not_told_take_up_to_half_of_it() -> None:
    weights = {"olga": 2.0, "boris": 2.0, "cabl": 2.0}
    texts = ["Olga spliced the cable."]
    plain = 2 / 3
    assert confidence(weights, texts, None) == pytest.approx(plain)
    assert confidence(weights, texts, None, {"olga", "boris"}) == pytest.approx(plain * (1 - 0.5 / 2))
    assert confidence(weights, ["A cable."], None, {"olga", "boris"}) == pytest.approx(1 / 3 * 0.5)


def test_the_names_in_a_question_have_capitals_but_not_because_they_come_first() -> None:
    assert named_terms("Who repaired the lift of Olga Petrova?") == {"olga", "petrova"}
    assert named_terms("why did it break") == frozenset()


def test_general_words_of_a_title_name_nothing() -> None:
    assert named_terms("Why did the Tower Bridge Outage happen?") == {"tower", "bridg"}
