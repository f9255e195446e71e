# SPDX-License-Identifier: Apache-2.0
"""Cause and effect as people tell it in chats, diaries and notes: loose commas, tags, "as", and what is taken up."""

from __future__ import annotations

import pytest

from becausal.domain.causal.text import find_causes

Pairs = list[tuple[str | None, str]]


def pairs(text: str) -> Pairs:
    return [(link.cause.text if link.cause else None, link.effect.text) for link in find_causes(text)]


@pytest.mark.parametrize(
    ("text", "cause", "effect"),
    [
        ("Right. And because the bus ran late, we missed it.", "the bus ran late", "we missed it"),
        ("Because the bus ran late we missed the train.", "the bus ran late", "we missed the train"),
        ("Because he said he was ill we waited.", "he said he was ill", "we waited"),
        ("Because of the rain in May the match is off.", "the rain in May", "the match is off"),
        ("Because of losing the match the team is sad.", "losing the match", "the team is sad"),
        ("As the lease has ended, we are moving out.", "the lease has ended", "we are moving out"),
        ("As the road was icy, the bus came late.", "the road was icy", "the bus came late"),
        ("The play was stopped as the lights had gone out.", "the lights had gone out", "The play was stopped"),
        (
            "The baths opened two hours late as they had no water.",
            "they had no water",
            "The baths opened two hours late",
        ),
        ("We walked home as the bus had too few seats.", "the bus had too few seats", "We walked home"),
        ("As the shed has no roof, the wood gets wet.", "the shed has no roof", "the wood gets wet"),
        ("Her knee hurts from falling off a ladder.", "falling off a ladder", "Her knee hurts"),
        (
            "It pays only half, since an open window counts as negligence.",
            "an open window counts as negligence",
            "It pays only half",
        ),
        (
            "Raising the price made two thirds of the readers leave the club.",
            "Raising the price",
            "two thirds of the readers leave the club",
        ),
        ("The blast ruined the roof.", "The blast", "ruined the roof"),
        ("The hail ruined Nora's tent.", "The hail", "ruined Nora's tent"),
        ("The gutter gave way, which flooded Nora’s tent.", "The gutter gave way", "flooded Nora’s tent"),
        ("A bad deploy brought the site down.", "A bad deploy", "the site down"),
        ("A DNS change took the whole shop offline.", "A DNS change", "the whole shop offline"),
        ("A power cut knocked the router out.", "A power cut", "the router out"),
        ("The migration put the database out of action.", "The migration", "the database out of action"),
        (
            "So far forty guests have cancelled because the lake is dry.",
            "the lake is dry",
            "forty guests have cancelled",
        ),
        (
            "The alarm was triggered by the smoke and not by the drill.",
            "the smoke",
            "The alarm",
        ),
        (
            "The pump stopped and the tank ran dry, which meant that nobody had water.",
            "The pump stopped and the tank ran dry",
            "nobody had water",
        ),
        (
            "Gate 3 out of order again, a broken hinge caused it to jam.",
            "a broken hinge",
            "it to jam",
        ),
        (
            "Mia had left the gate open to air the stable, so the pony ran off.",
            "Mia had left the gate open to air the stable",
            "the pony ran off",
        ),
        (
            "The clerk admits that the lock broke because it was old.",
            "it was old",
            "the lock broke",
        ),
        (
            "The clerk admits that she left early because it was hot.",
            "it was hot",
            "The clerk admits that she left early",
        ),
    ],
)
def test_everyday_wording_is_read(text: str, cause: str, effect: str) -> None:
    assert pairs(text) == [(cause, effect)]


@pytest.mark.parametrize("tag", ["remember?", "right?", "isn't it?", "yes?"])
def test_a_tag_makes_no_question_of_a_statement(tag: str) -> None:
    assert pairs(f"The tent is wet because the flap was open, {tag}") == [("the flap was open", "The tent is wet")]


@pytest.mark.parametrize(
    "text",
    [
        "Is the tent wet because the flap was open?",
        "As we have seen, the bus came late.",
        "As soon as the bus had left, it rained.",
        "The plan is the same as the team had written.",
        "The tower is as tall as the church had no right to be.",
        "As the bus was turning, a tyre burst.",
        "Since this morning the shop is closed.",
        "The market was flooded with cheap phones.",
        "Because the man we met was ill the party ended.",
        "We took the site down for maintenance.",
        "Anna took the picture down.",
        "The courier brought the parcel down the stairs.",
        "The walk takes the dog out.",
    ],
)
def test_questions_comparisons_and_times_are_no_causes(text: str) -> None:
    assert pairs(text) == []


def test_who_says_so_is_left_out_when_what_is_said_points_back() -> None:
    text = "The baker has closed the shop. They say it's due to the rent."
    assert pairs(text) == [("the rent", "The baker has closed the shop")]


def test_what_was_heard_is_told_without_the_hearing() -> None:
    text = "You will have heard that the mill is for sale. As a consequence, the miller is leaving."
    assert pairs(text) == [("the mill is for sale", "the miller is leaving")]


def test_a_subject_that_tells_what_had_happened_to_it_joins_the_two() -> None:
    text = "The window stayed open, so the water pipe froze. The frozen pipe burst in the morning."
    assert pairs(text) == [
        ("The window stayed open", "the water pipe froze"),
        ("the water pipe froze", "The frozen pipe burst in the morning"),
    ]
    assert find_causes(text)[1].confidence < find_causes(text)[0].confidence


def test_any_number_of_weekends_is_no_failing_over() -> None:
    (link,) = find_causes("The index was old because its disk had failed over the weekend.")
    assert link.cause is not None
    assert not link.cause.remedial
    (link,) = find_causes("The site was up because the database had failed over to the standby.")
    assert link.cause is not None
    assert link.cause.remedial
