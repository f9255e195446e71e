# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from becausal.domain.records import Kind, LinkKind
from becausal.ports.store import GraphStore
from becausal.recall.spread import MAX_SPREAD, RARE_CUE, spread
from contract.samples import cue, engram, link, put, put_links
from recall_tools import OpenPool


@pytest.fixture
def ids(store: GraphStore) -> list[str]:
    ids = [f"e{i:02}" for i in range(30)]
    put(store, *map(engram, ids))
    return ids


def share(store: GraphStore, name: str, ids: list[str]) -> None:
    put(store, cue(name))
    put_links(store, *(link(f"{name} {id}", id, name, LinkKind.ENCODED_BY, dst_kind=Kind.CUE) for id in ids))


@pytest.mark.usefixtures("ids")
def test_an_association_hands_on_its_strengths_share_both_ways(store: GraphStore, ask: OpenPool) -> None:
    put_links(
        store,
        link("out", "e00", "e01", relation_type="similar_to", strength=0.75),
        link("in", "e02", "e00", strength=0.9),
    )
    reached = spread(ask(), {"e00": 0.8})
    assert {id: step.score for id, step in reached.items()} == {
        "e01": pytest.approx(0.6),
        "e02": pytest.approx(0.72),
    }
    assert reached["e01"].words == "similar_to (0.75)"
    assert reached["e02"].words == "associated (0.90)"
    assert reached["e01"].seed == "e00"


@pytest.mark.usefixtures("ids")
def test_the_strongest_way_to_a_memory_counts_and_seeds_reach_no_seeds(store: GraphStore, ask: OpenPool) -> None:
    put_links(
        store, link("1", "e00", "e02", strength=0.8), link("2", "e01", "e02", strength=0.9), link("3", "e00", "e01")
    )
    reached = spread(ask(), {"e00": 1.0, "e01": 0.5})
    assert set(reached) == {"e02"}
    assert (reached["e02"].seed, reached["e02"].score) == ("e00", pytest.approx(0.8))


def test_a_cue_leads_on_if_few_memories_share_it(store: GraphStore, ids: list[str], ask: OpenPool) -> None:
    share(store, "rare", ids[:2])
    share(store, "common", ids[: RARE_CUE + 1])
    share(store, "own", ids[:1])
    reached = spread(ask(), {"e00": 1.0})
    # two memories share it: 1 / (1 + log₂ 2)
    assert {id: step.score for id, step in reached.items()} == {"e01": pytest.approx(0.5)}
    assert (reached["e01"].kind, reached["e01"].over) == (Kind.CUE, "rare")


def test_the_best_that_is_reached_is_kept(store: GraphStore, ids: list[str], ask: OpenPool) -> None:
    for seed in range(4):
        put_links(
            store,
            *(link(f"{seed} {n}", ids[seed], ids[4 + 6 * seed + n], strength=(seed + 1) / 10) for n in range(6)),
        )
    reached = spread(ask(), dict.fromkeys(ids[:4], 1.0))
    assert len(reached) == MAX_SPREAD
    assert min(step.score for step in reached.values()) == pytest.approx(0.1)
    assert list(reached)[:6] == ids[22:28]


def test_nothing_is_reached_from_nothing(ask: OpenPool) -> None:
    assert spread(ask(), {}) == {}
