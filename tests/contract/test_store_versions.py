# SPDX-License-Identifier: Apache-2.0
"""Schema versions, over every store."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from becausal.domain.records import Kind
from becausal.errors import SchemaTooNew
from contract.samples import OpenStore, engram, put

IN_ONE_PROCESS = ("ladybug",)
"""Stores that no other program can take over while they are open."""


def newest(store_name: str) -> int:
    return len(importlib.import_module(f"becausal.stores.{store_name}.schema").STEPS)


def test_what_is_empty_becomes_current_however_many_open_it_at_once(store_name: str, open_store: OpenStore) -> None:
    with ThreadPoolExecutor(4) as pool:
        stores = list(pool.map(open_store, ["alice"] * 4))
    assert [store.meta("schema_version") for store in stores] == [str(newest(store_name))] * 4
    put(stores[0], engram("a"))
    assert all(store.get(Kind.ENGRAM, ["a"]) for store in stores)
    assert stores[1].check() == ()


def test_a_memory_of_a_newer_becausal_is_refused_and_left_as_it_is(
    store_name: str, open_store: OpenStore, write_version: Callable[[int], None]
) -> None:
    store = open_store()
    put(store, engram("a"))
    store.close()
    write_version(99)
    for _ in range(2):
        with pytest.raises(SchemaTooNew, match=r"schema version 99.*use a newer becausal"):
            open_store()
    write_version(newest(store_name))
    again = open_store()
    assert again.get(Kind.ENGRAM, ["a"]).keys() == {"a"}
    assert again.check() == ()


def test_a_memory_that_a_newer_becausal_has_taken_over_is_not_written_to_any_more(
    store_name: str, open_store: OpenStore, write_version: Callable[[int], None]
) -> None:
    if store_name in IN_ONE_PROCESS:
        return
    store = open_store()
    put(store, engram("a"))
    write_version(99)
    with pytest.raises(SchemaTooNew, match="newer becausal"):
        put(store, engram("b"))
    write_version(newest(store_name))
    assert store.get(Kind.ENGRAM, ["a", "b"]).keys() == {"a"}
