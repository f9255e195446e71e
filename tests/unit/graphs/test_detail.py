# SPDX-License-Identifier: Apache-2.0
"""Chains told in detail: where one text says outright what caused what, and also tells the steps between."""

from __future__ import annotations

import pytest

from becausal.domain.ids import link_id
from becausal.domain.records import Kind, Link, LinkKind
from becausal.graphs.causes import CausalGraph
from becausal.graphs.chains import chain_to
from causal_graphs import NOW, graph, same


def told(src: str, dst: str, confidence: float, source: str = "report") -> Link:
    return Link(
        id=link_id("alice", LinkKind.C_CAUSES, src, dst, source),
        kind=LinkKind.C_CAUSES,
        src=src,
        dst=dst,
        src_kind=Kind.CAUSE,
        dst_kind=Kind.CAUSE,
        confidence=confidence,
        sources=(source,),
        asserted=False,
        created_at=NOW,
    )


def path(of: CausalGraph, target: str) -> list[str]:
    chain = chain_to(of, target, 0.3)
    assert chain is not None
    return [chain.root.id, *(hop.effect.id for hop in chain.hops)]


def test_a_hop_is_told_step_by_step_if_its_own_source_does() -> None:
    steps = graph(told("frost", "flood", 0.9), told("frost", "burst", 0.6), told("burst", "flood", 0.6))
    assert path(steps, "flood") == ["frost", "burst", "flood"]


def test_steps_told_elsewhere_do_not_replace_a_hop() -> None:
    steps = graph(
        told("frost", "flood", 0.9), told("frost", "burst", 0.6, "novel"), told("burst", "flood", 0.6, "novel")
    )
    assert path(steps, "flood") == ["frost", "flood"]


def test_steps_below_the_trusted_confidence_do_not_replace_a_hop() -> None:
    steps = graph(told("frost", "flood", 0.9), told("frost", "burst", 0.2), told("burst", "flood", 0.6))
    assert path(steps, "flood") == ["frost", "flood"]


def test_steps_may_cross_to_other_words_for_the_same() -> None:
    steps = graph(
        told("frost", "flood", 0.9),
        told("frost", "a pipe burst", 0.8),
        told("the burst pipe", "flood", 0.8),
        twins=(same("a pipe burst", "the burst pipe", 0.9),),
    )
    chain = chain_to(steps, "flood", 0.3)
    assert chain is not None
    assert [(hop.cause.id, hop.effect.id) for hop in chain.hops] == [
        ("frost", "a pipe burst"),
        ("the burst pipe", "flood"),
    ]
    assert chain.hops[0].bridge is not None
    assert chain.hops[0].confidence == pytest.approx(0.8 * 0.9)


def test_the_most_detailed_of_equally_sure_ways_is_told() -> None:
    steps = graph(
        told("a", "z", 0.9),
        told("a", "b", 0.6),
        told("b", "z", 0.6),
        told("b", "c", 0.6),
        told("c", "z", 0.6),
    )
    assert path(steps, "z") == ["a", "b", "c", "z"]


def test_what_was_stated_outright_says_how_sure_a_detailed_chain_is_to_end_there() -> None:
    chain = chain_to(graph(told("a", "z", 0.9), told("a", "b", 0.6), told("b", "z", 0.5)), "z", 0.3)
    assert chain is not None
    assert chain.confidence == pytest.approx(0.6 * 0.5)
    assert chain.outright == pytest.approx(0.9)


def test_a_chain_that_one_text_tells_counts_by_its_mean() -> None:
    one = graph(told("near", "end", 0.7), told("far", "mid", 0.6), told("mid", "end", 0.6))
    several = graph(told("near", "end", 0.7), told("far", "mid", 0.6, "diary"), told("mid", "end", 0.6))
    assert path(one, "end") == ["far", "mid", "end"]  # 0.6 × √2 > 0.7
    assert path(several, "end") == ["near", "end"]  # 0.36 × √2 < 0.7


def test_steps_are_looked_for_within_bounds() -> None:
    tangle = [told(f"{one:02}", f"{other:02}", 0.9) for one in range(30) for other in range(one + 1, 30)]
    chain = chain_to(graph(*tangle), "29", 0.3)
    assert chain is not None
    assert chain.hops[-1].effect.id == "29"
