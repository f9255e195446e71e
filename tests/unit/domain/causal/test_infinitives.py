# SPDX-License-Identifier: Apache-2.0
"""What a "to" with a verb tells: what something was done for, and what was too much or enough for something."""

from __future__ import annotations

import pytest

from becausal.domain.causal.text import find_causes, read_causes


def told(text: str) -> list[tuple[str, str, str]]:
    return [(link.pattern, link.cause.text, link.effect.text) for link in read_causes(text).infinitives if link.cause]


PURPOSES: list[tuple[str, str, str]] = [
    ("We shut the gate to keep the water out.", "to keep the water out", "We shut the gate"),
    ("To save the harvest, the village worked at night.", "To save the harvest", "the village worked at night"),
    ("The mayor left early in order to catch the ferry.", "in order to catch the ferry", "The mayor left early"),
    ("They are working quietly to finish the dam.", "to finish the dam", "They are working quietly"),
    ("He sold it to start a bakery.", "to start a bakery", "He sold it"),
    ("She moved the hives with the aim of saving the bees.", "saving the bees", "She moved the hives"),
]


@pytest.mark.parametrize(("text", "purpose", "deed"), PURPOSES)
def test_a_purpose_is_the_reason_of_what_is_done_for_it(text: str, purpose: str, deed: str) -> None:
    assert told(text) == [("purpose", purpose, deed)]


@pytest.mark.parametrize(
    "text",
    [
        "We want the gate to keep the water out.",
        "They asked the baker to bring the bread.",
        "She has the ability to lift the bell.",
        "The town is likely to win the prize.",
        "He did not shut the gate to keep the water out.",
        "Did she shut the gate to keep the water out?",
        "The road leads to the mill.",
        "It took the crew two hours to clear the road.",
        "The price fell from 3 to 2.",
    ],
)
def test_not_every_infinitive_is_a_purpose(text: str) -> None:
    assert told(text) == []


def test_a_purpose_is_less_certain_than_any_cause_and_stands_apart_from_them() -> None:
    text = "We shut the gate to keep the water out, because a storm was coming."
    (purpose,) = read_causes(text).infinitives
    (cause,) = find_causes(text)
    assert purpose.confidence < 0.3 < cause.confidence
    assert [text[start:end] for start, end in purpose.quoted] == [text]


def test_what_was_too_much_did_not_come_to_what_it_was_too_much_for() -> None:
    assert told("The beam was too short to reach the wall.") == [
        ("too … to", "The beam was too short", "not reach the wall")
    ]
    assert told("The child is old enough to walk home.") == [("enough to", "The child is old enough", "walk home")]
    assert told("It is never too late to learn.") == []
    assert told("The stall was too close to the church.") == []
