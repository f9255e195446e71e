# SPDX-License-Identifier: Apache-2.0
"""Merging views, against numbers worked out by hand."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pytest

from becausal.errors import InvalidInput
from becausal.magma.merge import Merged, View, ViewEdge, ViewName, ViewNode, merge


def view(name: ViewName, *nodes: tuple[str, float], edges: tuple[ViewEdge, ...] = ()) -> View:
    return View(
        name=name, nodes=tuple(ViewNode(id=id, data={"from": name}, score=score) for id, score in nodes), edges=edges
    )


def scores(merged: Merged) -> dict[str, float]:
    return {node.id: round(node.score, 10) for node in merged.nodes}


def test_two_views_that_average_point_eight_with_a_boost_of_two_give_one_point_six() -> None:
    merged = merge([view(ViewName.ENTITY, ("a", 0.9)), view(ViewName.CAUSAL, ("a", 0.7))], boost=2)
    assert scores(merged) == {"a": 1.6}
    assert merged.nodes[0].views == (ViewName.ENTITY, ViewName.CAUSAL)


def test_three_views_that_average_point_six_with_the_usual_boost_give_one_point_three_five() -> None:
    views = [view(name, ("a", score)) for name, score in zip(list(ViewName)[:3], (0.5, 0.6, 0.7), strict=True)]
    assert scores(merge(views)) == {"a": 1.35}


def test_four_views_give_three_point_three_seven_five_times_the_mean() -> None:
    assert scores(merge([view(name, ("a", 1.0)) for name in ViewName])) == {"a": 3.375}


def test_a_node_without_a_score_has_one() -> None:
    merged = merge([View(name=ViewName.ENTITY, nodes=(ViewNode(id="a", data={}),))])
    assert scores(merged) == {"a": 1.0}


def test_empty_views_give_nothing_and_all_contributions_are_zero() -> None:
    merged = merge([View(name=ViewName.ENTITY, nodes=())])
    assert (merged.nodes, merged.edges) == ((), ())
    assert merged.contributions == dict.fromkeys(ViewName, 0)
    assert merge([]).contributions == dict.fromkeys(ViewName, 0)


def test_the_same_view_twice_is_no_second_view() -> None:
    twice = [view(ViewName.CAUSAL, ("a", 0.5)), view(ViewName.CAUSAL, ("a", 0.7))]
    assert scores(merge(twice)) == {"a": 0.6}


def test_nodes_come_best_first_with_the_data_of_the_view_that_was_given_first() -> None:
    merged = merge([view(ViewName.CAUSAL, ("a", 0.2), ("b", 0.9)), view(ViewName.SEMANTIC, ("a", 0.2), ("c", 0.9))])
    assert [node.id for node in merged.nodes] == ["b", "c", "a"]
    assert merged.nodes[2].data == {"from": ViewName.CAUSAL}


def test_a_view_brings_its_fifty_best_wherever_they_stand() -> None:
    merged = merge([view(ViewName.ENTITY, *((str(number), number / 100) for number in range(60)))])
    assert {node.id for node in merged.nodes} == {str(number) for number in range(10, 60)}
    assert merged.contributions[ViewName.ENTITY] == 50


def test_what_scores_too_little_is_left_out_with_its_edges() -> None:
    edge = ViewEdge(src="a", dst="b", kind="C_CAUSES")
    views = [view(ViewName.CAUSAL, ("a", 0.9), ("b", 0.3), edges=(edge,))]
    assert scores(merge(views)) == {"a": 0.9, "b": 0.3}
    assert merge(views).edges == (edge,)
    cut = merge(views, min_score=0.5)
    assert (scores(cut), cut.edges) == ({"a": 0.9}, ())


def test_a_score_below_zero_is_kept_unless_a_least_one_is_given() -> None:
    views = [view(ViewName.SEMANTIC, ("a", -0.2))]
    assert scores(merge(views)) == {"a": -0.2}
    assert scores(merge(views, min_score=0.0)) == {}


def test_of_several_edges_of_a_kind_between_two_nodes_the_surest_is_kept() -> None:
    edges = tuple(ViewEdge(src="a", dst="b", kind="C_CAUSES", confidence=sure) for sure in (0.5, 0.9, 0.7))
    merged = merge([view(ViewName.CAUSAL, ("a", 1.0), ("b", 1.0), edges=edges)])
    assert merged.edges == (edges[1],)


@pytest.mark.parametrize("boost", [0.99, 10.01, -1.0, float("nan")])
def test_a_boost_is_from_one_to_ten(boost: float) -> None:
    with pytest.raises(InvalidInput, match="multi_view_boost: must be a number from 1 to 10"):
        merge([], boost=boost)


def test_a_node_is_also_in_the_views_of_what_was_told_in_the_same_engram() -> None:
    told = {"service": {"e1"}, "crash": {"e1"}, "outage": {"e1", "e2"}, "other": {"e2"}}

    def origins(ids: Collection[str]) -> Mapping[str, Collection[str]]:
        return {id: engrams for id, engrams in told.items() if id in ids}

    views = [
        view(ViewName.ENTITY, ("service", 0.8), ("stranger", 0.8)),
        view(ViewName.TEMPORAL, ("crash", 0.4)),
        view(ViewName.CAUSAL, ("outage", 0.6), ("other", 0.6)),
    ]
    merged = {node.id: node for node in merge(views, origins=origins).nodes}
    assert merged["service"].score == pytest.approx(0.8 * 2.25)
    assert merged["crash"].score == pytest.approx(0.4 * 2.25)
    assert merged["outage"].views == (ViewName.ENTITY, ViewName.TEMPORAL, ViewName.CAUSAL)
    assert merged["other"].views == (ViewName.CAUSAL,)
    assert merged["stranger"].score == 0.8
