# SPDX-License-Identifier: Apache-2.0
"""What was done about something told before, and what does not go on without something that was lost."""

from __future__ import annotations

import pytest

from becausal.domain.causal.text import find_causes

Pairs = list[tuple[str | None, str]]


def pairs(text: str) -> Pairs:
    return [(link.cause.text if link.cause else None, link.effect.text) for link in find_causes(text)]


DONE: list[tuple[str, Pairs]] = [
    (
        "The well ran dry. To end this, the farmer dug a second shaft, which caused the barn to sink.",
        [("The well ran dry", "the farmer dug a second shaft"), ("the farmer dug a second shaft", "the barn to sink")],
    ),
    (
        "We bought a kiln in May. To support this new kiln, the floor was raised, causing the door to jam.",
        [("We bought a kiln in May", "the floor was raised"), ("the floor was raised", "the door to jam")],
    ),
    (
        "A new baker was hired. To accommodate this the shift plan was changed, accidentally overwriting the old one.",
        [
            ("A new baker was hired", "the shift plan was changed"),
            ("the shift plan was changed", "overwriting the old one"),
        ],
    ),
]


@pytest.mark.parametrize(("text", "links"), DONE)
def test_what_was_done_about_something_has_it_for_its_reason(text: str, links: Pairs) -> None:
    assert pairs(text) == links


@pytest.mark.parametrize(
    "text",
    [
        "The lamp burned out. To replace it, we will order a new one.",
        "The lamp burned out. To avoid this, the shop should keep some in stock.",
        "The guests are to see the harbour. To do this, they rented a boat.",
        "The lamp burned out. To fix this, the wiring was repaired.",
        "To explain that the lamp was old, the clerk wrote a letter.",
    ],
)
def test_plans_ways_and_repairs_are_no_deeds_that_something_led_to(text: str) -> None:
    assert pairs(text) == []


MISSED: list[tuple[str, Pairs]] = [
    (
        "The archive key was destroyed last week. The destroyed key was needed to open the safe.",
        [("The archive key was destroyed last week", "not open the safe")],
    ),
    (
        "A storm blew, so the bridge burned down. The burned bridge was essential to let mail through.",
        [("A storm blew", "the bridge burned down"), ("the bridge burned down", "not let mail through")],
    ),
    (
        "The old maps were removed. The removed maps were absolutely necessary to allow the pilots, all of them new, "
        "to find the port.",
        [("The old maps were removed", "the pilots, all of them new, not to find the port")],
    ),
]


@pytest.mark.parametrize(("text", "links"), MISSED)
def test_without_what_was_needed_for_it_something_does_not_go_on(text: str, links: Pairs) -> None:
    assert pairs(text) == links


@pytest.mark.parametrize(
    "text",
    [
        "The bridge burned down. The burned bridge was essential.",
        "The bridge burned down. The burned bridge was not needed to reach the town.",
        "The archive key was destroyed. The painted key was needed to open the safe.",
    ],
)
def test_nothing_is_missed_where_nothing_says_so(text: str) -> None:
    assert pairs(text) == []
