# SPDX-License-Identifier: Apache-2.0
"""Chains of the causal graph: which way back is taken, how sure it is, and where it ends."""

from __future__ import annotations

from itertools import pairwise

import pytest

from becausal.graphs.causes import CausalGraph
from becausal.graphs.chains import MAX_CHAIN, chain_to
from causal_graphs import cause, graph, same


def path(of: CausalGraph, target: str, **options: float) -> list[str]:
    chain = chain_to(of, target, **options)
    assert chain is not None
    return [chain.root.id, *(hop.effect.id for hop in chain.hops)]


def test_a_chains_confidence_is_the_product_of_its_hops() -> None:
    chain = chain_to(graph(cause("a", "b", 0.9), cause("b", "c", 0.8), cause("c", "d", 0.5)), "d")
    assert chain is not None
    assert [hop.confidence for hop in chain.hops] == [0.9, 0.8, 0.5]
    assert chain.confidence == pytest.approx(0.36)
    assert chain.told() == ("a", "b", "c", "d")
    assert not chain.cyclic


def test_an_event_is_told_in_the_fullest_words_that_do_not_only_go_on_about_it() -> None:
    full, again = "the pump stopped", "This lasted for a whole long night"
    chain = chain_to(graph(cause("rust", full), cause(again, "a flood"), twins=(same(full, again, 0.9),)), "a flood")
    assert chain is not None
    assert chain.told() == ("rust", full, "a flood")


def test_what_nothing_leads_to_has_no_chain() -> None:
    assert chain_to(graph(cause("a", "b")), "a") is None
    assert chain_to(graph(), "a") is None


def test_of_several_ways_back_the_most_certain_is_taken() -> None:
    both = graph(cause("a", "b", 0.5), cause("a", "x", 0.9), cause("x", "b", 0.9))
    assert path(both, "b") == ["a", "x", "b"]


def test_what_lies_further_back_wins_if_it_is_nearly_as_certain_and_loses_if_not() -> None:
    nearly = graph(cause("near", "end", 0.9), cause("far", "mid", 0.9), cause("mid", "end", 0.9))
    hardly = graph(cause("near", "end", 0.9), cause("far", "mid", 0.5), cause("mid", "end", 0.9))
    assert path(nearly, "end") == ["far", "mid", "end"]  # 0.81 × √2 > 0.9
    assert path(hardly, "end") == ["near", "end"]  # 0.45 × √2 < 0.9


def test_of_several_links_between_two_nodes_the_surest_counts_with_its_evidence() -> None:
    chain = chain_to(graph(cause("a", "b", 0.6, "radio"), cause("a", "b", 0.9, "paper")), "b")
    assert chain is not None
    assert (chain.confidence, chain.hops[0].link.evidence) == (0.9, "paper")


def test_a_link_that_is_not_trusted_is_not_used_unless_a_caller_stated_it() -> None:
    doubtful = graph(cause("a", "b", 0.3, "rumour"))
    stated = graph(cause("a", "b", 0.3))
    assert chain_to(doubtful, "b", trust=0.5) is None
    assert path(stated, "b", trust=0.5) == ["a", "b"]


def test_a_circle_is_entered_once_and_said_to_be_one() -> None:
    chain = chain_to(graph(cause("a", "b"), cause("b", "c"), cause("c", "a")), "c")
    assert chain is not None
    assert [hop.cause.id for hop in chain.hops] == ["a", "b"]
    assert chain.cyclic


def test_a_beginning_outside_of_a_circle_is_preferred_to_one_inside() -> None:
    chain = chain_to(graph(cause("root", "a"), cause("a", "b"), cause("b", "a"), cause("b", "end")), "end")
    assert chain is not None
    assert chain.root.id == "root"
    assert not chain.cyclic


def test_links_that_contradict_each_other_give_one_chain_each_way() -> None:
    both = graph(cause("load", "errors", 0.8), cause("errors", "load", 0.6))
    assert path(both, "errors") == ["load", "errors"]
    assert path(both, "load") == ["errors", "load"]


def test_a_bridge_to_what_means_the_same_costs_its_strength() -> None:
    chain = chain_to(graph(cause("a", "b", 0.9), cause("b2", "c", 0.8), twins=(same("b", "b2", 0.85),)), "c")
    assert chain is not None
    assert [(hop.cause.id, hop.effect.id) for hop in chain.hops] == [("a", "b"), ("b2", "c")]
    assert chain.hops[0].bridge is not None
    assert chain.confidence == pytest.approx(0.9 * 0.85 * 0.8)


def test_two_nodes_that_mean_the_same_and_cause_each_other_do_not_loop() -> None:
    tangled = graph(cause("b", "b2"), cause("a", "b"), twins=(same("b", "b2", 0.9),))
    assert path(tangled, "b2")[0] == "a"


def test_a_chain_of_ten_thousand_nodes_is_cut_and_not_taken_for_a_circle() -> None:
    ids = [f"{number:05}" for number in range(10_000)]
    chain = chain_to(graph(*(cause(one, other, 0.99) for one, other in pairwise(ids))), ids[-1])
    assert chain is not None
    assert len(chain.hops) == MAX_CHAIN
    assert not chain.cyclic


def test_a_circle_of_ten_thousand_nodes_is_followed_in_bounded_time() -> None:
    ids = [f"{number:05}" for number in range(10_000)]
    chain = chain_to(graph(*(cause(one, other) for one, other in pairwise([*ids, ids[0]]))), ids[-1])
    assert chain is not None
    assert len(chain.hops) == MAX_CHAIN
