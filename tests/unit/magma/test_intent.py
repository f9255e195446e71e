# SPDX-License-Identifier: Apache-2.0
"""What kind of question is asked, and how deep each graph is walked for it."""

from __future__ import annotations

from dataclasses import astuple

import pytest

from becausal.magma.intent import DEPTHS, Intent, asked_effect, classify, focus, forward, items, topic


@pytest.mark.parametrize(
    ("intent", "depths"),
    [
        (Intent.WHY, (1, 1, 1, 3)),
        (Intent.WHEN, (1, 1, 3, 1)),
        (Intent.WHO, (1, 2, 1, 1)),
        (Intent.WHAT, (1, 2, 1, 1)),
        (Intent.EXPLORE, (2, 2, 2, 2)),
    ],
)
def test_each_intent_has_its_depths(intent: Intent, depths: tuple[int, ...]) -> None:
    assert astuple(DEPTHS[intent]) == depths  # semantic, entity, temporal, causal


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("Why did the auth service fail?", Intent.WHY),
        ("why did it fail when we deployed?", Intent.WHY),
        ("How come the cellar is wet?", Intent.WHY),
        ("What caused the outage on Tuesday?", Intent.WHY),
        ("What was the root cause?", Intent.WHY),
        ("What led to the flood?", Intent.WHY),
        ("Who is to blame for the outage?", Intent.WHY),
        ("When it failed, why did nobody notice?", Intent.WHY),
        ("When did the deploy happen?", Intent.WHEN),
        ("When was the reason for the change given?", Intent.WHEN),
        ("What day was the fire drill?", Intent.WHEN),
        ("In what order did it happen?", Intent.WHEN),
        ("What happened after the deploy?", Intent.WHEN),
        ("How long ago did she leave?", Intent.WHEN),
        ("Who owns the billing service?", Intent.WHO),
        ("Whose idea was it?", Intent.WHO),
        ("Which team runs Kafka?", Intent.WHO),
        ("What does the gateway depend on?", Intent.WHAT),
        ("Where does Alice live?", Intent.WHAT),
        ("Which database do we use?", Intent.WHAT),
        ("How many services are there?", Intent.WHAT),
        ("Tell me about Kafka", Intent.EXPLORE),
        ("Summarize the incident", Intent.EXPLORE),
        ("What do we know about Alice?", Intent.EXPLORE),
        ("Kafka", Intent.EXPLORE),
        ("", Intent.EXPLORE),
    ],
)
def test_a_question_has_an_intent(question: str, intent: Intent) -> None:
    assert classify(question) is intent


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("Why did auth fail after Tuesday's deployment?", "Why did auth fail"),
        ("Why did the lift stop while people were in it?", "Why did the lift stop"),
        ("After the update, why did auth fail?", "After the update, why did auth fail?"),
        ("When did it start?", "When did it start?"),
    ],
)
def test_circumstances_are_not_what_a_question_is_about(question: str, meant: str) -> None:
    assert focus(question) == meant


@pytest.mark.parametrize(
    ("question", "effect"),
    [
        ("Why did the frost cause a flood?", "a flood?"),
        ("Why does a full queue lead to lost letters?", "lost letters?"),
        ("Why did they lead the dogs to the river?", None),
        ("Why did the lift stop?", None),
    ],
)
def test_of_a_cause_and_an_effect_the_effect_is_to_be_explained(question: str, effect: str | None) -> None:
    assert asked_effect(question) == effect


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What happened on 5 May, in what order?", "What happened on 5 May, ?"),
        ("What must I do in order to pass?", "What must I do in order to pass?"),
        ("In order", "In order"),
    ],
)
def test_how_to_answer_is_no_part_of_the_topic(question: str, words: str) -> None:
    assert " ".join(topic(question).split()) == words


def test_what_a_question_lists_behind_a_colon_is_asked_for_piece_by_piece() -> None:
    assert items("In what order did they come: the frost, the flood and the fire?") == (
        "the frost",
        "the flood",
        "the fire",
    )
    assert items("When was the fire?") == ()
    assert items("Tell me: when was the fire?") == ()


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("Which team is responsible for billing?", Intent.WHO),
        ("Who is responsible for the outage?", Intent.WHO),
        ("What was responsible for the outage?", Intent.WHY),
        ("What team is responsible for billing?", Intent.WHAT),
        ("What took the site down?", Intent.WHY),
        ("What brought the site down?", Intent.WHY),
        ("What broke the build?", Intent.WHY),
        ("What broke on Tuesday?", Intent.WHAT),
        ("Can you tell me who owns the gateway?", Intent.WHO),
        ("Tell me when the deploy was", Intent.WHEN),
        ("Do you remember why we chose Postgres?", Intent.WHY),
        ("I would like to know which database we use", Intent.WHAT),
        ("What happened to the site?", Intent.EXPLORE),
        ("Give me an overview of Kafka", Intent.EXPLORE),
        ("What is known about Kafka?", Intent.EXPLORE),
    ],
)
def test_wording_decides_between_neighbouring_intents(question: str, intent: Intent) -> None:
    assert classify(question) is intent


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What did the leak lead to?", True),
        ("What happened because of the storm?", True),
        ("What were the consequences of the outage?", True),
        ("How did the outage affect our customers?", True),
        ("What led to the leak?", False),
        ("Why did the leak happen?", False),
        ("What happened after the leak?", False),
    ],
)
def test_a_question_may_ask_what_came_of_something(question: str, asked: bool) -> None:
    assert forward(question) is asked
    if asked:
        assert classify(question) is Intent.WHY


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Tell me about the site", "the site"),
        ("Explain what happened to the site", "what happened to the site"),
        ("Please summarise the March incident", "the March incident"),
        ("Can you give me an overview of Kafka?", "Kafka?"),
        ("Explain", "Explain"),
    ],
)
def test_how_to_tell_it_is_no_part_of_what_is_explored(question: str, words: str) -> None:
    assert " ".join(topic(question).split()) == words
