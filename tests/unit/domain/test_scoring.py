# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from becausal.domain.scoring import bm25, cosine, decay, idf, min_max, percent, recency, smriti_score


def test_bm25_of_one_term_is_idf_times_saturated_frequency() -> None:
    # idf = ln(1 + 8.5 / 2.5) = ln 4.4 = 1.481605; tf part = 3 · 2.2 / (3 + 1.2 · (0.25 + 0.75 · 2)) = 6.6 / 5.1
    score = bm25([3], 20, [2], 10, 10.0, k1=1.2, b=0.75)
    assert score == pytest.approx(1.481605 * 1.294118, abs=1e-5)


def test_idf_tells_how_rare_a_term_is_and_is_never_negative() -> None:
    # ln(1 + (10 - 2 + 0.5) / (2 + 0.5)) = ln(4.4)
    assert idf(10, 2) == pytest.approx(1.481605, abs=1e-6)
    assert idf(10, 10) > 0
    assert idf(10, 12) == idf(10, 10)


def test_bm25_adds_up_over_terms_and_ignores_those_that_are_absent() -> None:
    one = bm25([1], 10, [1], 4, 10.0, k1=1.5, b=0.75)
    other = bm25([2], 10, [3], 4, 10.0, k1=1.5, b=0.75)
    assert bm25([1, 2, 0], 10, [1, 3, 2], 4, 10.0, k1=1.5, b=0.75) == pytest.approx(one + other)


def test_bm25_without_length_normalisation_does_not_depend_on_length() -> None:
    assert bm25([1], 5, [1], 4, 10.0, k1=0.6, b=0.0) == bm25([1], 500, [1], 4, 10.0, k1=0.6, b=0.0)


def test_bm25_is_positive_for_a_term_that_every_record_has() -> None:
    # ln(1 + 0.5 / 4.5) = 0.105361
    assert bm25([1], 10, [4], 4, 10.0, k1=1.0, b=0.5) == pytest.approx(0.105361, abs=1e-6)


def test_bm25_bears_statistics_that_lag_behind() -> None:
    assert bm25([1], 10, [5], 4, 0.0, k1=1.0, b=0.5) == pytest.approx(0.105361, abs=1e-6)


def test_bm25_refuses_frequencies_that_do_not_pair_up() -> None:
    with pytest.raises(ValueError):
        bm25([1, 2], 10, [1], 4, 10.0, k1=1.0, b=0.5)


def test_min_max_puts_the_lowest_at_zero_and_the_highest_at_one() -> None:
    assert min_max([2.0, 4.0, 3.0]) == [0.0, 1.0, 0.5]


def test_min_max_of_equal_scores_tells_only_whether_there_was_any() -> None:
    assert min_max([3.0, 3.0]) == [1.0, 1.0]
    assert min_max([0.0]) == [0.0]
    assert min_max([]) == []


@pytest.mark.parametrize(("hours", "expected"), [(-3, 1.0), (0, 1.0), (24, 0.5), (72, 0.25)])
def test_recency_halves_in_a_day(hours: float, expected: float) -> None:
    assert recency(hours) == expected


@pytest.mark.parametrize(("hours", "expected"), [(-1, 1.0), (0, 1.0), (24, 0.99005), (168, 0.93239), (720, 0.74082)])
def test_decay_is_one_percent_a_day(hours: float, expected: float) -> None:
    assert decay(hours) == pytest.approx(expected, abs=5e-6)


def test_cosine_of_known_vectors() -> None:
    assert cosine([3.0, 4.0], [3.0, 4.0]) == pytest.approx(1.0)
    assert cosine([1.0, 0.0], [0.0, 2.0]) == 0.0
    assert cosine([1.0, 0.0], [-2.0, 0.0]) == -1.0
    assert cosine([3.0, 4.0], [4.0, 3.0]) == pytest.approx(0.96)


def test_cosine_is_zero_where_it_is_not_defined() -> None:
    assert cosine([1.0], [1.0, 2.0]) == 0.0
    assert cosine([0.0, 0.0], [1.0, 2.0]) == 0.0
    assert cosine([], []) == 0.0


def test_the_composite_score_of_a_direct_hit_is_the_weighted_sum() -> None:
    # 0.4 · 0.8 + 0.2 · 0.5 + 0.2 · 0.7 + 0.2 · 0.9 = 0.74
    assert smriti_score(0.8, 0.5, 0.7, 0.9, 0, False) == pytest.approx(0.74)
    assert smriti_score(0.8, 0.5, 0.7, 0.9, 0, True) == pytest.approx(0.74)


@pytest.mark.parametrize(
    ("hop", "cross_cluster", "expected"),
    [(1, False, 0.37), (2, False, 0.74 / 3), (1, True, 0.185), (2, True, 0.74 / 6)],
)
def test_the_composite_score_falls_with_hops_and_across_clusters(
    hop: int, cross_cluster: bool, expected: float
) -> None:
    assert smriti_score(0.8, 0.5, 0.7, 0.9, hop, cross_cluster) == pytest.approx(expected)


def test_a_fresh_memory_of_default_importance_that_has_nothing_in_common_scores_a_half() -> None:
    assert smriti_score(0.0, 1.0, 0.5, 1.0, 0, False) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0, "0%"), (0.009, "<1%"), (0.01, "1%"), (0.5, "50%"), (0.99, "99%"), (0.991, ">99%"), (1, "100%")],
)
def test_a_share_is_never_rounded_to_nothing_or_to_certainty(share: float, shown: str) -> None:
    assert percent(share) == shown
