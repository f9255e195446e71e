# SPDX-License-Identifier: Apache-2.0
"""Leases, over every store."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from becausal.errors import InvalidInput
from becausal.ports.batch import Batch, Grant
from becausal.ports.store import GraphStore
from contract.samples import OpenStore


def test_what_nobody_holds_is_granted_and_what_another_holds_is_not(store: GraphStore) -> None:
    assert store.claim("index", ["a", "b"], "me", 60) == {"a", "b"}
    assert store.claim("index", ["b", "c"], "you", 60) == {"c"}
    assert store.claim("index", ["a", "b", "c"], "me", 60) == {"a", "b"}


def test_a_claim_of_another_kind_is_another_claim(store: GraphStore) -> None:
    store.claim("index", ["a"], "me", 60)
    assert store.claim("promise", ["a"], "you", 60) == {"a"}


@pytest.mark.parametrize("ttl", [0, -1, -1e9])
def test_a_lease_that_has_run_out_is_granted_to_whoever_asks(store: GraphStore, ttl: float) -> None:
    assert store.claim("index", ["a"], "me", ttl) == {"a"}
    assert store.claim("index", ["a"], "you", 60) == {"a"}
    assert store.claim("index", ["a"], "me", 60) == frozenset()


def test_asking_again_renews_a_lease(store: GraphStore) -> None:
    store.claim("index", ["a"], "me", 60)
    store.claim("index", ["a"], "me", -1)
    assert store.claim("index", ["a"], "you", 60) == {"a"}


def test_a_released_claim_is_free(store: GraphStore) -> None:
    store.claim("index", ["a", "b"], "me", 60)
    store.write(Batch(release=(("index", "a"), ("index", "never"), ("other", "b"))))
    assert store.claim("index", ["a", "b"], "you", 60) == {"a"}


def test_no_ids_are_no_claims(store: GraphStore) -> None:
    assert store.claim("index", [], "me", 60) == frozenset()


def test_many_ids_are_claimed_at_once(store: GraphStore) -> None:
    ids = [f"id{i}" for i in range(1500)]
    assert store.claim("index", ids[:700], "you", 60) == set(ids[:700])
    assert store.claim("index", ids, "me", 60) == set(ids[700:])


@pytest.mark.parametrize("ttl", [float("nan"), float("inf")])
def test_a_time_to_live_without_end_is_refused(store: GraphStore, ttl: float) -> None:
    with pytest.raises(InvalidInput, match="ttl"):
        store.claim("index", ["a"], "me", ttl)


def test_of_many_who_ask_at_once_each_claim_goes_to_one(open_store: OpenStore) -> None:
    handles = [open_store() for _ in range(4)]
    ids = [f"id{i}" for i in range(50)]

    def ask(number: int) -> frozenset[str]:
        order = ids[number:] + ids[:number]
        return handles[number % 4].claim("index", order, f"holder{number}", 60)

    with ThreadPoolExecutor(8) as pool:
        granted = [id for claims in pool.map(ask, range(8)) for id in claims]
    assert sorted(granted) == sorted(ids)


def test_who_holds_a_claim_and_for_how_long_can_be_read(store: GraphStore) -> None:
    store.claim("work", ["a"], "me", 60)
    store.claim("work", ["over"], "me", -1)
    (id, lease), *others = store.leases("work", ["a", "over", "never"]).items()
    assert (id, lease.holder, others) == ("a", "me", [])
    assert 0 < lease.left <= 60
    assert store.leases("other", ["a"]) == {}
    assert store.leases("work", []) == {}


def test_a_batch_grants_a_claim_whoever_has_it(store: GraphStore) -> None:
    store.claim("work", ["a"], "me", 60)
    store.write(Batch(grants=(Grant("work", "a", "you", 60), Grant("work", "b", "you", 60))))
    assert {id: lease.holder for id, lease in store.leases("work", ["a", "b"]).items()} == {"a": "you", "b": "you"}
    assert store.claim("work", ["a"], "me", 60) == frozenset()


def test_a_batch_releases_before_it_grants(store: GraphStore) -> None:
    store.claim("work", ["a"], "me", 60)
    store.write(Batch(release=(("work", "a"),), grants=(Grant("result", "a", "what came of it", 60),)))
    assert store.leases("work", ["a"]) == {}
    assert store.leases("result", ["a"])["a"].holder == "what came of it"


@pytest.mark.parametrize("ttl", [float("nan"), float("inf")])
def test_a_grant_without_end_is_refused_and_nothing_of_its_batch_is_done(store: GraphStore, ttl: float) -> None:
    store.claim("work", ["a"], "me", 60)
    with pytest.raises(InvalidInput, match="ttl"):
        store.write(Batch(release=(("work", "a"),), grants=(Grant("work", "b", "you", ttl),)))
    assert store.leases("work", ["a"])["a"].holder == "me"


def test_what_a_claim_said_is_gone_from_the_files_once_it_has_run_out_and_traces_are_erased(
    open_store: OpenStore, tmp_path: Path
) -> None:
    store = open_store()
    store.write(Batch(grants=(Grant("result", "a", "a secret that ran out", -1),)))
    store.erase_traces()
    store.close()
    assert [
        file for file in tmp_path.rglob("*") if file.is_file() and b"a secret that ran out" in file.read_bytes()
    ] == []
