# SPDX-License-Identifier: Apache-2.0
"""How many records hold a common term is remembered between questions, and right after every change."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from becausal.domain.records import Kind
from becausal.ports.batch import Batch, Put, Ref
from becausal.stores.sqlite.frequencies import COMMON
from becausal.stores.sqlite.store import SqliteStore
from contract.samples import engram, passage

MANY = COMMON + 50


def held(store: SqliteStore, kind: Kind = Kind.ENGRAM) -> tuple[int, ...]:
    """Return how many records the store says hold each of some terms."""
    return store.text_search(kind, ["common", "half", "rare", "never"], 5).document_frequencies


def tell(store: SqliteStore, *numbers: int, terms: tuple[str, ...] = ("common",)) -> None:
    store.write(Batch(puts=tuple(Put(engram(f"e{number:04}"), terms) for number in numbers)))


def forget(store: SqliteStore, *numbers: int) -> None:
    store.write(Batch(deletes=tuple(Ref(Kind.ENGRAM, f"e{number:04}") for number in numbers)))


@pytest.fixture
def full(store: SqliteStore) -> SqliteStore:
    tell(store, *range(MANY))
    tell(store, *range(MANY, 2 * MANY), terms=("common", "half", "common"))
    tell(store, 2 * MANY, terms=("rare",))
    assert held(store) == (2 * MANY, MANY, 1, 0)
    return store


CHANGES: dict[str, tuple[Callable[[SqliteStore], object], tuple[int, int, int, int]]] = {
    "telling": (lambda store: tell(store, 9000, 9001, terms=("common", "never")), (2 * MANY + 2, MANY, 1, 2)),
    "changing": (lambda store: tell(store, 3, terms=("rare",)), (2 * MANY - 1, MANY, 2, 0)),
    "forgetting": (lambda store: forget(store, 0, 2 * MANY - 1), (2 * MANY - 2, MANY - 1, 1, 0)),
    "forgetting the last and telling another": (
        lambda store: (forget(store, 2 * MANY), tell(store, 9002, terms=("half",))),
        (2 * MANY, MANY + 1, 0, 0),
    ),
    "emptying": (lambda store: tell(store, 4, terms=()), (2 * MANY - 1, MANY, 1, 0)),
    "clearing": (lambda store: store.clear([Kind.ENGRAM]), (0, 0, 0, 0)),
    "erasing traces": (lambda store: store.erase_traces(), (2 * MANY, MANY, 1, 0)),
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_numbers_are_right_after(full: SqliteStore, change: str) -> None:
    make, expected = CHANGES[change]

    make(full)

    assert held(full) == expected
    assert held(full) == expected


@pytest.mark.parametrize("change", CHANGES)
def test_the_numbers_are_right_after_another_handle_was(full: SqliteStore, tmp_path: Path, change: str) -> None:
    make, expected = CHANGES[change]

    with closing(SqliteStore.open(location=tmp_path, user="alice")) as other:
        make(other)

    assert held(full) == expected


def test_an_older_state_of_the_memory_is_counted_by_itself(full: SqliteStore) -> None:
    with full.snapshot(), ThreadPoolExecutor(1) as another:
        assert held(full) == (2 * MANY, MANY, 1, 0)
        tell(full, 9000, terms=("half",))
        assert another.submit(held, full).result() == (2 * MANY, MANY + 1, 1, 0)
        assert held(full) == (2 * MANY, MANY, 1, 0)
    assert held(full) == (2 * MANY, MANY + 1, 1, 0)


def test_kinds_are_counted_apart(full: SqliteStore) -> None:
    full.write(Batch(puts=tuple(Put(passage(f"p{number}", "e0000"), ("half",)) for number in range(MANY))))

    assert held(full, Kind.PASSAGE) == (0, MANY, 0, 0)
    assert held(full) == (2 * MANY, MANY, 1, 0)
