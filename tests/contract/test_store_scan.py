# SPDX-License-Identifier: Apache-2.0
"""Going through everything, over every store."""

from __future__ import annotations

import numpy as np

from becausal.domain.records import Kind, Link
from becausal.ports.batch import Batch, PutLink
from becausal.ports.store import GraphStore, Kept
from contract.samples import cue, engram, link, passage, put, put_vector


def test_a_scan_yields_engrams_with_their_passages_then_other_records_then_links(store: GraphStore) -> None:
    put(store, engram("e2"), engram("e1"), passage("p1", "e2", 1), passage("p2", "e2", 0), cue("c2"), cue("c1"))
    store.write(
        Batch(
            links=(
                PutLink(link("l2", "e1", "e2")),
                PutLink(link("l1", "e1", "c1", dst_kind=Kind.CUE)),
            )
        )
    )
    found = list(store.scan())
    assert all(isinstance(each, Kept) for each in found)
    items = [each.item for each in found if isinstance(each, Kept)]
    assert [item.id for item in items] == ["e1", "e2", "p2", "p1", "c1", "c2", "l1", "l2"]
    assert items[0] == store.get(Kind.ENGRAM, ["e1"])["e1"]
    assert isinstance(items[-1], Link)


def test_vectors_come_only_when_they_are_asked_for(store: GraphStore) -> None:
    put(store, engram("a"), engram("b"), cue("c"))
    put_vector(store, "a", 1, 0)
    assert all(each.vector is None for each in store.scan() if isinstance(each, Kept))
    vectors = {each.item.id: each.vector for each in store.scan(vectors=True) if isinstance(each, Kept)}
    assert vectors["a"] is not None
    assert np.array_equal(vectors["a"], np.array([1, 0], np.float32))
    assert (vectors["b"], vectors["c"]) == (None, None)


def test_a_scan_shows_one_moment_whatever_is_written_meanwhile(store: GraphStore) -> None:
    put(store, *(engram(f"e{number:04}") for number in range(600)))
    scan = store.scan()
    seen = [next(scan)]
    put(store, engram("e9999"), cue("late"))
    seen += list(scan)
    assert len(seen) == 600
    assert len(list(store.scan())) == 602


def test_a_scan_that_is_broken_off_leaves_nothing_open(store: GraphStore) -> None:
    put(store, *(engram(f"e{number}") for number in range(5)))
    scan = store.scan()
    next(scan)
    scan.close()  # type: ignore[attr-defined]
    put(store, engram("more"))
    assert len(list(store.scan())) == 6
