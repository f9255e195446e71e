# SPDX-License-Identifier: Apache-2.0
"""Partitions compared, tuned and named."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from becausal.domain.clusters import agreement, best_resolution, keep_ids, needs_tuning, telling_names


@pytest.mark.parametrize(
    ("known", "size", "tune"),
    [(0, 10, True), (100, 115, True), (100, 105, False), (100, 85, True), (100, 95, False), (100, 110, True)],
)
def test_a_resolution_is_chosen_anew_when_the_memory_has_grown_or_shrunk_by_a_tenth(
    known: int, size: int, tune: bool
) -> None:
    assert needs_tuning(known, size) is tune


def test_partitions_agree_wholly_when_they_part_alike_and_not_at_all_when_independent() -> None:
    assert agreement([0, 0, 1, 1], [5, 5, 2, 2]) == pytest.approx(1)
    assert agreement([0, 0, 1, 1], [0, 1, 0, 1]) == pytest.approx(0)
    assert agreement([0, 0], [1, 1]) == 1
    assert agreement([0, 0, 0, 0], [0, 1, 2, 3]) == 0


def test_how_far_partitions_agree_is_their_normalised_mutual_information() -> None:
    # I = ½ ln 2 + ½ ln 2 = ln 2 · (½ + ½ · …): {0,0 | 1,1} against {0,0 | 1 | 2}: I = ln 2, H = ln 2 and 3/2 · ln 2
    assert agreement([0, 0, 1, 1], [0, 0, 1, 2]) == pytest.approx(2 * math.log(2) / (2.5 * math.log(2)))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=30))
def test_agreement_is_symmetric_and_within_its_bounds(pairs: list[tuple[int, int]]) -> None:
    one, other = [a for a, _ in pairs], [b for _, b in pairs]
    assert 0 <= agreement(one, other) <= 1
    assert agreement(one, other) == pytest.approx(agreement(other, one))
    assert agreement(one, one) == pytest.approx(1)


def test_the_most_stable_and_best_interval_of_a_profile_gives_the_resolution() -> None:
    whole, halves, alone = [0, 0, 0, 0], [0, 0, 1, 1], [0, 1, 2, 3]
    chosen = best_resolution([0.1, 1.0, 4.0, 10.0], [0.0, 0.5, 0.5, -0.2], [whole, halves, halves, alone])
    assert chosen == pytest.approx(2.0)


def test_of_equal_intervals_the_one_nearest_to_one_is_taken_and_of_none_one_itself() -> None:
    halves = [0, 0, 1, 1]
    assert best_resolution([0.01, 0.1, 1.0], [0.5] * 3, [halves] * 3) == pytest.approx(math.sqrt(0.1))
    assert best_resolution([0.1, 1.0], [0.0, -0.3], [[0, 0], [0, 1]]) == 1.0


def test_a_cluster_keeps_the_id_of_the_one_it_shares_most_members_with() -> None:
    before = {"a": 4, "b": 4, "c": 4, "d": 9, "e": 9, "f": -1}
    found = {"a": 0, "b": 0, "c": 1, "d": 1, "e": 1, "f": 2, "g": 2}
    assert keep_ids(found, before, 5) == ({0: 4, 1: 9, 2: 10}, 11)


def test_of_two_clusters_that_come_from_one_the_larger_part_keeps_its_id() -> None:
    before = dict.fromkeys("abcde", 3)
    assert keep_ids({"a": 0, "b": 0, "c": 1, "d": 1, "e": 1}, before, 7) == ({1: 3, 0: 7}, 8)


def test_ids_are_given_out_by_size_and_never_twice() -> None:
    assert keep_ids({"a": 8, "b": 5, "c": 5}, {}, 0) == ({5: 0, 8: 1}, 2)
    assert keep_ids({"a": 0, "b": 0}, {}, 2) == ({0: 2}, 3)


@given(st.dictionaries(st.integers(0, 30), st.integers(0, 6), min_size=1))
def test_the_same_clusters_found_again_have_the_same_ids_whatever_their_numbers(found: dict[int, int]) -> None:
    ids, free = keep_ids(found, {}, 0)
    named = {member: ids[cluster] for member, cluster in found.items()}
    renumbered = {member: 100 - cluster for member, cluster in found.items()}
    again, still_free = keep_ids(renumbered, named, free)
    assert {member: again[cluster] for member, cluster in renumbered.items()} == named
    assert still_free == free


def test_a_cluster_is_named_by_what_is_frequent_in_it_and_rare_outside() -> None:
    named = {0: {"meeting": 4, "kafka": 4, "lag": 2}, 1: {"meeting": 5, "bread": 3}}
    chosen = telling_names(named, 2)
    assert chosen[0] == ("kafka", "lag")  # 4 · ln 5.5 = 6.8, 2 · ln 10 = 4.6, 4 · ln 3 = 4.4
    assert chosen[1] == ("bread", "meeting")  # 3 · ln 7 = 5.8, 5 · ln 3 = 5.5
