# SPDX-License-Identifier: Apache-2.0
"""What a text denies is no cause, and what it puts in its place is; what was only suspected is less sure."""

from __future__ import annotations

import pytest

from becausal.domain.causal.text import CausalLink, find_causes

Pairs = list[tuple[str | None, str]]


def pairs(text: str) -> Pairs:
    return [(link.cause.text if link.cause else None, link.effect.text) for link in find_causes(text)]


def only(text: str) -> CausalLink:
    (link,) = find_causes(text)
    return link


@pytest.mark.parametrize(
    ("text", "cause", "effect"),
    [
        ("The blaze was caused not by a candle but by a loose wire.", "a loose wire", "The blaze"),
        ("The blaze was caused by a loose wire, not by a candle.", "a loose wire", "The blaze"),
        ("The blaze was caused by a loose wire, not a candle, in the loft.", "a loose wire in the loft", "The blaze"),
        ("A loose wire, not a candle, caused the blaze.", "A loose wire", "the blaze"),
        ("A loose wire rather than a candle caused the blaze.", "A loose wire", "the blaze"),
        ("The delay was caused by a strike rather than by snow.", "a strike", "The delay"),
        ("Not a candle but a loose wire caused the blaze.", "a loose wire", "the blaze"),
        ("It was not a candle but a loose wire that caused the blaze.", "a loose wire", "the blaze"),
        ("It was not a candle that caused the blaze but a loose wire.", "a loose wire", "the blaze"),
        ("The blaze wasn't due to a candle but to a loose wire.", "a loose wire", "The blaze"),
        ("The cause of the blaze was a loose wire, not a candle.", "a loose wire", "the blaze"),
        ("The lift stopped because of the dust, not because of its age.", "the dust", "The lift stopped"),
        ("The rash was caused neither by the soap nor by the cream, but by a nettle.", "a nettle", "The rash"),
        ("It is a myth that the bridge fell because of marching. It fell because of rust.", "rust", "It fell"),
        ("The rash came from the soap and not from the food.", "the soap", "The rash"),
    ],
)
def test_of_two_causes_the_one_that_is_denied_is_left_out(text: str, cause: str, effect: str) -> None:
    assert pairs(text) == [(cause, effect)]


@pytest.mark.parametrize(
    "text",
    [
        "The blaze wasn't due to a candle.",
        "The blaze wasn't caused by a candle.",
        "The blaze isn't because of a candle.",
        "It was not a candle that caused the blaze.",
        "It wasn't a candle that caused the blaze.",
        "Neither the candle nor the stove caused the blaze.",
        "The blaze was caused by neither the candle nor the stove.",
        "The blaze was never caused by a candle.",
    ],
)
def test_what_is_denied_alone_is_no_cause(text: str) -> None:
    assert pairs(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "The lift did not stop because of the fuse.",
        "The show didn't stop because of the rain.",
        "The race was not cancelled because of the heat.",
        "The tents weren't put up because of the wind",
        "The children were not really frightened because of the dog.",
    ],
)
def test_what_may_only_be_denied_as_the_reason_is_no_cause(text: str) -> None:
    assert pairs(text) == []


@pytest.mark.parametrize(
    ("text", "cause", "effect"),
    [
        ("The van did not start because the battery was empty.", "the battery was empty", "The van did not start"),
        ("Because of the rain the show did not stop.", "the rain", "the show did not stop"),
        ("We could not sleep because of the storm.", "the storm", "We could not sleep"),
        ("The bell was not working because of a loose wire.", "a loose wire", "The bell was not working"),
        ("The lift stopped because of the fuse.", "the fuse", "The lift stopped"),
    ],
)
def test_the_reason_why_something_did_not_happen_is_a_cause(text: str, cause: str, effect: str) -> None:
    assert pairs(text) == [(cause, effect)]


def test_what_a_denial_is_about_is_meant_by_the_sentence_after_it() -> None:
    assert pairs("The snow had nothing to do with the late start. It happened because the crew was ill.") == [
        ("the crew was ill", "the late start")
    ]
    assert pairs("The blaze was not caused by a candle. It was caused by a loose wire.") == [
        ("a loose wire", "The blaze")
    ]
    assert pairs("The delay had nothing to do with the weather. It happened because the crew was ill.") == [
        ("the crew was ill", "The delay")
    ]
    told = "The roof leaked all night. This was not due to the rain. It was due to a cracked pipe."
    assert pairs(told) == [("a cracked pipe", "The roof leaked all night")]


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("The lamp failed because it was old, not only in years.", "it was old, not only in years"),
        ("The tank ran dry because nobody had filled it.", "nobody had filled it"),
        ("The milk spilled because the lid was not closed, though it was new.", "the lid was not closed"),
        ("The fuse blew because the plug, not yet dry, was used.", "the plug, not yet dry, was used"),
    ],
)
def test_a_negation_that_is_part_of_a_cause_stays_in_it(text: str, cause: str) -> None:
    assert [pair[0] for pair in pairs(text)] == [cause]


@pytest.mark.parametrize(
    "text",
    [
        "We suspected that a worn belt caused the noise.",
        "At first we thought the noise was caused by a worn belt.",
        "The noise was initially attributed to a worn belt.",
        "The noise was first blamed on a worn belt.",
        "Originally it looked as though a worn belt had caused the noise.",
        "Everybody believed that the noise came because the belt was worn.",
        "The noise had been thought to be due to a worn belt.",
        "My first guess was that a worn belt caused the noise.",
        "At first it seemed that the noise came because of a worn belt.",
    ],
)
def test_what_was_once_suspected_is_told_as_no_more_than_that(text: str) -> None:
    (link,) = find_causes(text)
    assert link.supposed
    assert "belt" in (link.cause.text if link.cause else "")
    assert link.confidence < only("We think that a worn belt caused the noise.").confidence


@pytest.mark.parametrize(
    "text",
    [
        "We think that a worn belt caused the noise.",
        "The noise is believed to be caused by a worn belt.",
        "We found that a worn belt caused the noise.",
        "We suspected the belt because it was worn.",
        "The suspected leak caused the noise.",
        "Both guards believed they were off duty, causing a gap.",
        "The noise initially appeared as a hum, causing some confusion.",
        "The belt was supposed to be new, but it was worn, which caused the noise.",
        "The belt was first replaced because it was worn.",
    ],
)
def test_what_is_found_or_still_believed_is_no_mere_suspicion(text: str) -> None:
    assert not only(text).supposed


@pytest.mark.parametrize(
    ("suspicion", "finding", "cause"),
    [
        ("We suspected the proxy.", "It turned out that an old key on the cache caused it.", "an old key on the cache"),
        ("We first blamed the pump.", "In the end it was a cracked hose that caused it.", "a cracked hose"),
        ("Our first guess was the router.", "The real cause was a loose plug.", "a loose plug"),
        ("Suspicion fell on the cook.", "It turned out that a spoiled cream had caused it.", "a spoiled cream"),
        ("We ruled out the weather.", "It was caused by a full disk.", "a full disk"),
    ],
)
def test_a_finding_explains_the_trouble_and_not_the_suspicion_told_before_it(
    suspicion: str, finding: str, cause: str
) -> None:
    assert pairs(f"The service was down all morning. {suspicion} {finding}") == [
        (cause, "The service was down all morning")
    ]


@pytest.mark.parametrize(
    ("text", "cause", "effect"),
    [
        ("Later it turned out that a loose bolt caused the noise.", "a loose bolt", "the noise"),
        ("In the end it was a split seam that caused the leak.", "a split seam", "the leak"),
        ("It emerged that the drain was blocked, which caused the smell.", "the drain was blocked", "the smell"),
        ("It turned out the bread was flat because the yeast was old.", "the yeast was old", "the bread was flat"),
        ("In reality the lake was low because a sluice was open.", "a sluice was open", "the lake was low"),
        ("It emerged that a plant had poisoned her, which caused the rash.", "a plant had poisoned her", "the rash"),
        ("We found out that the bread was flat because the yeast was old.", "the yeast was old", "the bread was flat"),
    ],
)
def test_how_something_was_found_out_is_no_part_of_it(text: str, cause: str, effect: str) -> None:
    assert pairs(text) == [(cause, effect)]


@pytest.mark.parametrize(
    "text",
    [
        "A candle had nothing to do with the blaze; a loose wire caused it.",
        "A candle had nothing to do with the blaze. A loose wire caused it.",
    ],
)
def test_what_had_nothing_to_do_with_something_is_none_of_its_causes(text: str) -> None:
    assert [(cause.lower() if cause else None, effect) for cause, effect in pairs(text)] == [
        ("a loose wire", "the blaze")
    ]


def test_what_is_found_behind_but_is_not_what_was_supposed_before_it() -> None:
    told = "We first thought the outage was caused by the proxy, but it was caused by the cache."
    assert [(link.cause.text, link.supposed) for link in find_causes(told) if link.cause] == [
        ("the proxy", True),
        ("the cache", False),
    ]
