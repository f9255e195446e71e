# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from datetime import timedelta

import pytest

from becausal.ports.store import GraphStore
from becausal.recall.candidates import Life
from becausal.recall.rank import Weights, best_of, composite, fuse, rank, seed_cluster, vitality
from contract.samples import T0, engram, put
from recall_tools import OpenPool


def test_words_and_meaning_are_fused_after_stretching_both_to_the_same_range(ask: OpenPool) -> None:
    pool = ask()
    for id, text, cosine in (("a", 0.2, 0.9), ("b", 0.4, 0.1), ("c", 0.1, 0.5)):
        each = pool.candidate(id)
        each.text, each.cosine = text, cosine
    pool.by_id["c"].cue, pool.by_id["c"].time = 0.5, 1.0
    fuse(pool, Weights(text=0.6, vector=0.4, cue=0.1, time=0.2))
    # stretched: words ⅓, 1, 0; meaning 1, 0, ½
    assert [pool.by_id[id].base for id in "abc"] == [
        pytest.approx(0.6 / 3 + 0.4),
        pytest.approx(0.6),
        pytest.approx(0.2 + 0.05 + 0.2),
    ]


def test_what_borrowed_words_bring_is_kept_apart_and_counted_once(ask: OpenPool) -> None:
    pool = ask()
    pool.candidate("a").text = 0.4
    borrower = pool.candidate("b")
    borrower.text, borrower.borrowed = 0.1, 0.1
    pool.candidate("c")
    weights = Weights(text=1.0, vector=0.0)
    fuse(pool, weights)
    fuse(pool, weights)
    assert (borrower.base, borrower.lent) == (pytest.approx(0.25), pytest.approx(0.25))
    assert [each.id for each in best_of(pool, 2)] == ["a", "b"]
    assert borrower.score == pytest.approx(0.5)


def test_the_best_come_first_and_equals_by_id(ask: OpenPool) -> None:
    pool = ask()
    for id, base in (("c", 0.5), ("a", 0.5), ("b", 0.9)):
        pool.candidate(id).base = base
    assert [each.id for each in best_of(pool, 3)] == ["b", "a", "c"]
    assert [each.id for each in best_of(pool, 1)] == ["b"]


def test_vitality_is_the_mean_of_importance_recency_and_decay() -> None:
    life = Life(importance=0.8, last_accessed_at=T0, decay_factor=0.5, cluster_id=-1)
    # (0.8 + 1 / (1 + 24 / 24) + 0.5 · e^(-0.01)) / 3
    assert vitality(life, T0 + timedelta(days=1)) == pytest.approx((0.8 + 0.5 + 0.5 * 0.99005) / 3, abs=1e-5)


def test_near_ties_are_broken_by_vitality(store: GraphStore, ask: OpenPool) -> None:
    put(store, engram("dull", importance=0.1), engram("vital", importance=0.9))
    pool = ask()
    for id, score in (("dull", 1.0), ("vital", 0.995)):
        each = pool.candidate(id)
        each.score, each.text = score, 0.5
    ranked = composite(pool, list(pool.by_id.values()), Weights(), T0)
    assert [each.id for each in ranked] == ["vital", "dull"]
    assert all(0 < each.score <= 1 for each in ranked)


def test_what_lies_in_another_cluster_than_the_seeds_counts_half(store: GraphStore, ask: OpenPool) -> None:
    put(store, engram("seed", cluster_id=1), engram("near", cluster_id=1), engram("far", cluster_id=2))
    pool = ask()
    for id, score in (("seed", 1.0), ("near", 0.8), ("far", 0.8)):
        each = pool.candidate(id)
        each.score, each.text, each.hop = score, 1.0, int(id != "seed")
    seed, near, far = composite(pool, list(pool.by_id.values()), Weights(vitality=0.0), T0)
    assert (seed.id, near.id, far.id) == ("seed", "near", "far")
    assert far.score == pytest.approx(near.score / 2)
    assert far.path == ["from another cluster"]


def test_the_home_cluster_is_the_most_frequent_one() -> None:
    assert seed_cluster([3, 1, 3, -1, -1, -1]) == 3
    assert seed_cluster([2, 1]) == 1
    assert seed_cluster([-1]) == -1


def test_a_candidate_that_was_just_forgotten_is_left_out(store: GraphStore, ask: OpenPool) -> None:
    put(store, engram("here"), terms=("harbour",))
    pool = ask("harbour")
    pool.find_by_text()
    pool.candidate("gone").text = 1.0
    assert [each.id for each in rank(pool, Weights(), T0, 10)] == ["here"]


def test_nothing_to_rank_gives_nothing(ask: OpenPool) -> None:
    assert rank(ask("harbour"), Weights(), T0, 10) == []
