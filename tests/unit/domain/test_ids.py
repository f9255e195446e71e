# SPDX-License-Identifier: Apache-2.0
"""Identifiers."""

from __future__ import annotations

import threading
import uuid

import pytest

from becausal.domain import ids
from becausal.domain.ids import derived_id, link_id, new_id
from becausal.domain.records import Kind, LinkKind


@pytest.mark.parametrize("key", [(), ("login",), ("a", "b"), ("über", "東京"), ("",)])
def test_a_derived_id_is_the_uuid5_of_owner_kind_and_key(key: tuple[str, ...]) -> None:
    expected = uuid.uuid5(ids._NAMESPACE, "\x1f".join(("alice", "cue", *key)))
    assert derived_id("alice", Kind.CUE, *key) == str(expected)


def test_derived_ids_differ_by_owner_kind_and_key() -> None:
    made = {
        derived_id("alice", Kind.CUE, "x"),
        derived_id("bob", Kind.CUE, "x"),
        derived_id("alice", Kind.ENTITY, "x"),
        derived_id("alice", Kind.CUE, "y"),
        link_id("alice", LinkKind.SAME_AS, "x", "y"),
        link_id("alice", LinkKind.SAME_AS, "y", "x"),
    }
    assert len(made) == 6


def test_the_links_of_a_record_sort_beside_it_and_are_the_same_for_every_writer() -> None:
    src = new_id()
    made = [link_id("alice", LinkKind.ENCODED_BY, src, f"cue {number}") for number in range(50)]
    assert len(set(made)) == 50
    assert made == [link_id("alice", LinkKind.ENCODED_BY, src, f"cue {number}") for number in range(50)]
    assert {id[:13] for id in made} == {src[:13]}
    assert {uuid.UUID(id).version for id in made} == {8}
    assert {uuid.UUID(id).variant for id in made} == {uuid.RFC_4122}


def test_new_ids_are_version_7_and_sort_by_the_order_they_were_made_in() -> None:
    made = [new_id() for _ in range(2000)]
    assert made == sorted(made)
    assert {uuid.UUID(id).version for id in made} == {7}
    assert {uuid.UUID(id).variant for id in made} == {uuid.RFC_4122}


def test_a_clock_set_back_brings_no_older_id(monkeypatch: pytest.MonkeyPatch) -> None:
    before = new_id()
    monkeypatch.setattr(ids.time, "time_ns", lambda: 1_000_000_000)
    assert new_id() > before


def test_threads_never_get_the_same_id() -> None:
    made: list[str] = []

    def make() -> None:
        made.extend(new_id() for _ in range(500))

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 4000
