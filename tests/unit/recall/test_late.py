# SPDX-License-Identifier: Apache-2.0
"""Late interaction: each token of a question counts where it matches best."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from becausal.domain.records import Kind, LinkKind
from becausal.ports.batch import Batch, PutVector
from becausal.ports.models import TOKEN_SCALE
from becausal.ports.store import GraphStore, TokenVectors
from becausal.recall.late import Asked, Interaction, lend
from becausal.recall.neighbours import TOKENS, Neighbours
from becausal.recall.rank import COMPARED, Weights, fuse, rank
from contract.samples import T0, engram, link, passage, put, put_links
from recall_tools import OpenPool

FULL = 127  # half of a length of one


def asked(*rows: tuple[int, ...], words: tuple[str, ...]) -> Asked:
    return Asked(np.ones(1, np.float32), np.array(rows, np.int8), words)


def kept(**records: list[tuple[int, ...]]) -> TokenVectors:
    rows = np.array([row for each in records.values() for row in each], np.int8).reshape(-1, 2)
    return TokenVectors(tuple(records), tuple(len(each) for each in records.values()), rows)


def test_each_token_counts_with_its_best_match_and_never_below_nothing() -> None:
    interaction = Interaction(asked((FULL, 0), (0, FULL), words=("kettle", "blue")), {})
    best = interaction.match(kept(a=[(FULL, 0), (-FULL, FULL)], b=[], c=[(-FULL, -FULL)]))
    quarter = FULL**2 / TOKEN_SCALE**2
    np.testing.assert_allclose(best, [[quarter, quarter], [0, 0], [0, 0]], atol=1e-6)
    np.testing.assert_allclose(interaction.score(best), [quarter, 0, 0], atol=1e-6)


def test_rare_words_count_more_and_one_of_several_pieces_counts_once() -> None:
    question = asked((1, 0), (1, 0), (0, 1), words=("kubectl", "kubectl", "kettle"))
    interaction = Interaction(question, {"kubectl": 3.0, "kettl": 1.0})
    np.testing.assert_allclose(
        interaction.score(np.array([[1, 1, 0], [0, 0, 1], [1, 0, 0]], np.float32)), [3 / 4, 1 / 4, 3 / 8]
    )


def test_much_is_compared_in_parts_with_the_same_outcome() -> None:
    draw = np.random.default_rng(1)
    rows = draw.integers(-127, 128, (5000, 64)).astype(np.int8)
    interaction = Interaction(Asked(np.ones(1, np.float32), rows[:20], ("word",) * 20), {})
    best = interaction.match(TokenVectors(("a", "b"), (4000, 1000), rows))
    cosines = rows.astype(np.float64) @ rows[:20].T.astype(np.float64) / TOKEN_SCALE**2
    np.testing.assert_allclose(best, [cosines[:4000].max(axis=0), np.maximum(cosines[4000:].max(axis=0), 0)], atol=1e-4)


def test_matches_are_lent_at_a_discount_where_they_are_better() -> None:
    best = np.array([[0.8, 0.0], [0.5, 0.4], [0.0, 1.0]], np.float32)
    lent = lend(best, [(1, 0, 0.9), (1, 2, 0.5), (0, 1, 0.7)])
    np.testing.assert_allclose(lent, [[0.8, 0.28], [0.72, 0.5], [0.0, 1.0]], atol=1e-6)
    assert lend(best, []).tolist() == best.tolist()


def keep(store: GraphStore, id: str, *rows: tuple[int, ...], kind: Kind = Kind.ENGRAM) -> None:
    store.write(Batch(vectors=(PutVector(kind, id, np.ones(1, np.float32), tokens=np.array(rows, np.int8)),)))


@pytest.fixture
def three(store: GraphStore) -> GraphStore:
    put(store, *(engram(id, content=f"about {id}", source="talk") for id in "abc"))
    keep(store, "a", (FULL, 0))
    keep(store, "b", (0, FULL))
    put_links(store, link("b a", "b", "a", LinkKind.FOLLOWS))
    return store


def open_pool(ask: OpenPool) -> Any:
    pool = ask("kettle", (1.0,), {"kettle": (FULL, 0)})
    for id in "abc":
        pool.candidate(id)
    return pool


def test_what_stands_beside_a_match_borrows_it(three: GraphStore, ask: OpenPool) -> None:
    pool = open_pool(ask)
    beside = Neighbours(pool)
    beside.look("ab")
    assert beside.lend_tokens("abc", 1.0)
    quarter = FULL**2 / TOKEN_SCALE**2
    assert [pool.by_id[id].alike for id in "abc"] == [pytest.approx(quarter), 0.0, 0.0]
    assert [pool.by_id[id].late for id in "abc"] == [pytest.approx(quarter), pytest.approx(TOKENS[0] * quarter), 0.0]
    fuse(pool, Weights(text=0, vector=0, late=1))
    assert [pool.by_id[id].base for id in "abc"] == [pytest.approx(1.0), 0.0, 0.0]


def test_a_long_memory_is_compared_by_its_best_passage(three: GraphStore, ask: OpenPool) -> None:
    put(three, passage("p1", "c", 0), passage("p2", "c", 1))
    keep(three, "p1", (0, FULL), kind=Kind.PASSAGE)
    keep(three, "p2", (0, 3), (FULL, 0), kind=Kind.PASSAGE)
    pool = open_pool(ask)
    for id in ("p1", "p2"):
        pool.by_id["c"].support(id, words=0.1)
    assert Neighbours(pool).lend_tokens("abc", 1.0)
    assert pool.by_id["c"].alike == pool.by_id["a"].alike > 0


def test_without_tokens_words_and_meaning_take_their_weight(three: GraphStore, ask: OpenPool) -> None:
    pool = ask("about", (1.0,))
    assert not Neighbours(pool).lend_tokens("abc", 1.0)
    best = rank(ask("about", (1.0,)), Weights(text=0.3, vector=0.3, late=0.4, neighbours=0.0), T0, 9)
    # both vectors are the question's own, so what they get is all that meaning can add
    assert [each.id for each in best] == ["a", "b"]
    assert [(each.base, each.late) for each in best] == [(pytest.approx(0.5), 0.0)] * 2


def test_only_the_best_candidates_are_compared(store: GraphStore, ask: OpenPool) -> None:
    ids = [f"e{number:03}" for number in range(COMPARED + 20)]
    put(store, *(engram(id) for id in ids))
    for id in ids:
        keep(store, id, (FULL, 0))
    pool = ask("kettle", (1.0,), {"kettle": (FULL, 0)})
    for id in ids:
        pool.candidate(id)
    rank(pool, Weights(), T0, 5)
    assert sum(each.told_apart for each in pool.by_id.values()) == COMPARED
