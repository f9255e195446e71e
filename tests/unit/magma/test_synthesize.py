# SPDX-License-Identifier: Apache-2.0
"""What answers say, word for word."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from becausal.domain.interval import Interval
from becausal.domain.records import Cause, Kind, Link, LinkKind, Precision
from becausal.graphs.chains import Chain, Hop
from becausal.magma import synthesize
from becausal.magma.synthesize import Against, Also, Held, Moment, Quote

NOON = datetime(2026, 6, 10, 12, tzinfo=UTC)


def event(text: str) -> Cause:
    return Cause(id=text, description=text, key=text, created_at=NOON)


def chain(*texts: str, sure: float = 0.9, cyclic: bool = False) -> Chain:
    events = [event(text) for text in texts]
    hops = []
    for cause, effect in pairwise(events):
        link = Link(
            id=f"{cause.id}>{effect.id}",
            kind=LinkKind.C_CAUSES,
            src=cause.id,
            dst=effect.id,
            src_kind=Kind.CAUSE,
            dst_kind=Kind.CAUSE,
            created_at=NOON,
        )
        hops.append(Hop(cause=cause, effect=effect, link=link, bridge=None, confidence=sure))
    return Chain(hops=tuple(hops), confidence=sure ** len(hops), cyclic=cyclic)


def test_a_chain_is_told_hop_by_hop_with_sources_and_certainty() -> None:
    assert synthesize.why(chain("a seal cracked", "the valve failed.", "it flooded"), [1, None]) == (
        "Root cause: “a seal cracked”. It led to “the valve failed” [1] (90%), which led to “it flooded” (90%). "
        "The chain as a whole is 81% certain."
    )


def test_one_hop_needs_no_certainty_of_the_whole() -> None:
    assert synthesize.why(chain("a", "b"), [2]) == "Root cause: “a”. It led to “b” [2] (90%)."


def test_a_circle_other_causes_and_an_end_that_is_none_are_said() -> None:
    told = synthesize.why(
        chain("a", "b", cyclic=True),
        [1],
        [Also(text="c", confidence=0.5, number=2), Also(text="d", confidence=0.4)],
        cut=True,
    )
    assert told == (
        "As far back as was followed: “a”. It led to “b” [1] (90%). The causes told go round in a circle, so where it "
        "begins is a choice. Also told as a cause of it: “c” (50%) [2]; “d” (40%)."
    )


def test_of_a_long_chain_the_middle_is_counted() -> None:
    events = [f"event {number}" for number in range(31)]
    told = synthesize.why(chain(*events), list(range(1, 31)))
    assert "“event 6” [6] (90%), which led, by 18 more steps, further on, which led to “event 25” [25]" in told
    assert "event 7”" not in told


def test_moments_come_with_their_time_as_exactly_as_it_was_told() -> None:
    day = Interval(NOON.replace(hour=0), NOON.replace(hour=0) + timedelta(days=1), Precision.DAY)
    instant = Interval(NOON, NOON + timedelta(seconds=1), Precision.INSTANT)
    moments = [
        Moment(when=day, text="The roof was mended.", engram="x"),
        Moment(when=instant, text="It rains in", engram="y", told=True),
    ]
    assert synthesize.when(moments, [1, 2], UTC) == (
        "10 June 2026: “The roof was mended” [1]; 10 June 2026, 12:00 (told): “It rains in” [2]."
    )


def test_what_holds_is_told_with_its_source_and_what_no_longer_does_is_marked() -> None:
    told = [
        Held(text="the ledger runs on Postgres", number=1),
        Held(text="Olga works at Acme.", until=NOON + timedelta(days=1), number=2),
    ]
    assert synthesize.holds(told) == "The ledger runs on Postgres [1]; Olga works at Acme (until 2026-06-11) [2]."


def test_a_name_that_is_spelled_in_a_way_of_its_own_stays_so() -> None:
    assert synthesize.holds([Held(text="iOS depends on push")]) == "iOS depends on push."


def test_what_came_of_something_is_told_from_there_on() -> None:
    told = synthesize.why(chain("a leak", "a flood", "a fire"), [1, 2], [Also(text="mould", confidence=0.5, number=3)])
    assert told.startswith("Root cause: “a leak”.")
    told = synthesize.why(
        chain("a leak", "a flood", "a fire"), [1, 2], [Also(text="mould", confidence=0.5, number=3)], forward=True
    )
    assert told == (
        "“a leak” led to “a flood” [1] (90%), which led to “a fire” [2] (90%). The chain as a whole is 81% certain. "
        "Also told as an effect of it: “mould” (50%) [3]."
    )


def test_what_contradicts_a_chain_is_said_with_its_source() -> None:
    against = [Against(cause="a", effect="not b", confidence=0.8, number=2)]
    assert synthesize.why(chain("a", "b"), [1], against=against) == (
        "Root cause: “a”. It led to “b” [1] (90%). "
        "That is contradicted: it was also told that “a” led to “not b” (80%) [2]."
    )


def test_three_quotes_at_most_are_given_and_long_ones_are_cut() -> None:
    told = synthesize.quotes([Quote(number=n, engram=str(n), text="word " * 100, share=1.0) for n in range(1, 6)])
    assert told.count("“") == 3
    assert all(len(part) < 320 for part in told.split("“"))


@pytest.mark.parametrize("known", ["", "“The roof leaks.” [1]"])
def test_declining_says_so_and_what_comes_nearest(known: str) -> None:
    told = synthesize.declined(known)
    assert told.startswith("Nothing that was told to this memory answers that.")
    assert told.endswith(known)
