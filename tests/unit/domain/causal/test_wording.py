# SPDX-License-Identifier: Apache-2.0
"""How far the sides of a link reach, and what stands behind words that point back: one construction at a time."""

from __future__ import annotations

import pytest

from becausal.domain.causal.text import find_causes, read_causes

Pairs = list[tuple[str | None, str]]


def pairs(text: str) -> Pairs:
    return [(link.cause.text if link.cause else None, link.effect.text) for link in find_causes(text)]


REACH: list[tuple[str, Pairs]] = [
    (
        "The frost resulted in access to the barn - from the yard - for the cattle to fail.",
        [("The frost", "access to the barn - from the yard - for the cattle to fail")],
    ),
    (
        'One clerk with a stamp that caused random letters to show "undelivered mail" notes as the stamp was old left.',
        [("a stamp", 'random letters to show "undelivered mail" notes')],
    ),
    ('The label caused the drawer to be "Spice 12".', [("The label", 'the drawer to be "Spice 12"')]),
    (
        "A mason laid stones of equal size but unequal weight. This led to a crack.",
        [("A mason laid stones of equal size but unequal weight", "a crack")],
    ),
    (
        "The bolts are very brittle which leads to a loss of strength.",
        [("The bolts are very brittle", "a loss of strength")],
    ),
    ("They are leaks which lead to a loss of heat.", [("They are leaks", "a loss of heat")]),
    (
        "The flaw stemmed from the smith, Jan Hollar, who, lacking a gauge, overheated the blade, making it brittle.",
        [
            ("the smith, Jan Hollar, who, lacking a gauge, overheated the blade", "The flaw"),
            ("the smith, Jan Hollar, who, lacking a gauge, overheated the blade", "it brittle"),
        ],
    ),
    (
        "The quarrel arose from the mayor, who is very old.",
        [("the mayor", "The quarrel")],
    ),
    (
        "The mill was more or less disabled by ice at https://example.org/mill, which led to a shortage of flour.",
        [
            ("ice at https://example.org/mill", "The mill was more or less disabled"),
            ("ice at https://example.org/mill", "a shortage of flour"),
        ],
    ),
    (
        "The crew had to ship crates to the island because the quay was closed.",
        [("the quay was closed", "The crew had to ship crates to the island")],
    ),
]


@pytest.mark.parametrize(("text", "links"), REACH)
def test_a_side_reaches_as_far_as_what_it_tells(text: str, links: Pairs) -> None:
    assert pairs(text) == links


CONNECTIVES: list[tuple[str, Pairs]] = [
    ("A worn gasket manifested itself as a slow drip.", [("A worn gasket", "a slow drip")]),
    ("The tank was full and the pump shut off as a result.", [("The tank was full", "the pump shut off")]),
    ("The tank was full. The pump shut off as a result.", [("The tank was full", "The pump shut off")]),
    (
        "The gutter had a hole. This left us with a soaked carpet.",
        [("The gutter had a hole", "us with a soaked carpet")],
    ),
    ("Frost made the road impassable.", [("Frost", "the road impassable")]),
    ("The flood put the mill into a bad state.", [("The flood", "the mill into a bad state")]),
    ("The fire was not caused by the old wiring but by a mouse.", [("a mouse", "The fire")]),
    (
        "The shop was not shut because of the flood but because the owner had moved.",
        [("the owner had moved", "The shop was shut")],
    ),
    (
        "The mill didn't close due to the flood but due to a strike.",
        [("a strike", "The mill did close")],
    ),
    (
        "The shop was shut not because of the flood but because the owner had moved.",
        [("the owner had moved", "The shop was shut")],
    ),
    ("The show could not go on because of the rain.", [("the rain", "The show could not go on")]),
    ("The cat had come in because a door was open.", [("a door was open", "The cat had come in")]),
    ("The cat ran off in part because a door was open.", [("a door was open", "The cat ran off")]),
    (
        "The lights failed. The cause was not the old wiring but a mouse in the wall.",
        [("a mouse in the wall", "The lights failed")],
    ),
    (
        "The village experienced a power failure when a crane touched the line.",
        [("a crane touched the line", "The village experienced a power failure")],
    ),
]


@pytest.mark.parametrize(("text", "links"), CONNECTIVES)
def test_these_ways_of_saying_it_are_read(text: str, links: Pairs) -> None:
    assert pairs(text) == links


@pytest.mark.parametrize(
    "text",
    [
        "The fire was not caused by the old wiring.",
        "Paul made it difficult.",
        "The village experienced a fine summer when a circus came.",
        "The clerk put the letters into a box.",
        "The mass takes part in the movement and therefore contributes to it.",
    ],
)
def test_what_only_looks_alike_is_no_cause(text: str) -> None:
    assert pairs(text) == []


def test_a_mistake_is_what_was_done_and_not_what_came_of_it() -> None:
    text = "A night guard forgot the gate, causing the herd to stray. This mistake was due to fatigue."
    assert pairs(text) == [
        ("A night guard forgot the gate", "the herd to stray"),
        ("fatigue", "A night guard forgot the gate"),
    ]


def test_what_an_incident_looked_like_is_the_incident() -> None:
    text = (
        "The mill had an outage last week. The root cause was a cracked cog. The problem manifested as slow milling "
        "of rye. The bakers ran late due to the slow milling."
    )
    assert pairs(text) == [
        ("a cracked cog", "The mill had an outage last week"),
        ("slow milling of rye", "The bakers ran late"),
    ]
    told = [(one.text, other.text) for one, other in read_causes(text).same]
    assert told == [("The mill had an outage last week", "slow milling of rye")]


def test_the_dot_of_a_date_ends_no_sentence() -> None:
    text = "On 5. January the quay was closed because the ice had broken a beam."
    assert pairs(text) == [("the ice had broken a beam", "On 5. January the quay was closed")]
    assert pairs("We counted 5. Ice closed the quay. This caused a delay.") == [("Ice closed the quay", "a delay")]
