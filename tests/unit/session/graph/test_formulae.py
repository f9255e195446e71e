# SPDX-License-Identifier: Apache-2.0
"""The numbers of a session's graph, worked out by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from becausal.session.graph.formulae import decayed, direct_score, neighbour_score, traversal_score

NOW = datetime(2026, 6, 10, tzinfo=UTC)


def after(days: float, weight: float = 1.0) -> float:
    return decayed(weight, NOW - timedelta(days=days), NOW, 0.05)


def test_half_of_a_weight_is_left_after_thirteen_point_eight_six_days() -> None:
    assert after(0) == 1
    assert after(13.86) == pytest.approx(0.5, abs=1e-4)
    assert after(37.9) > 0.15 > after(38.0)
    assert after(31.3, 0.72) > 0.15 > after(31.4, 0.72)
    assert after(-5) == 1  # told by a clock that is ahead


@pytest.mark.parametrize(("cosine", "score"), [(0.267261, 26.7), (0, 0.0), (-0.1234, -12.3), (1, 100.0)])
def test_a_direct_score_is_the_cosine_of_a_hundred(cosine: float, score: float) -> None:
    assert direct_score(cosine) == score


def test_a_fresh_relation_is_worth_forty_points_whatever_its_weight() -> None:
    assert neighbour_score(0.5, 1.0, 1.0) == 70.0
    assert neighbour_score(0.5, 0.3, 0.3) == 70.0
    assert neighbour_score(0.0, 0.5, 1.0) == 20.0
    assert neighbour_score(0.0, 0.005, 0.005) == 20.0  # a weight counts as .01 at least


def test_a_traversal_score_falls_with_every_hop() -> None:
    assert [traversal_score(1.0, depth, 0.3) for depth in (1, 2, 3)] == [76.9, 62.5, 52.6]
    assert traversal_score(0.5, 1, 0.3) == 38.5
