# SPDX-License-Identifier: Apache-2.0
"""Which records hold a common term is remembered between questions, and right after every change."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from becausal.domain.records import Kind
from becausal.ports.batch import Batch, Put, Ref
from becausal.stores.sqlite import postings
from becausal.stores.sqlite.postings import COMMON, best_numbers
from becausal.stores.sqlite.store import SqliteStore
from contract.samples import engram, passage

MANY = COMMON + 50


def held(store: SqliteStore, kind: Kind = Kind.ENGRAM) -> tuple[int, ...]:
    """Return how many records the store says hold each of some terms."""
    return store.text_search(kind, ["common", "half", "rare", "never"], 5).document_frequencies


def held_by(store: SqliteStore, kind: Kind = Kind.ENGRAM) -> tuple[int, ...]:
    """Return how many records the store finds by each of the terms; those it finds do hold them."""
    found = []
    for term in ("common", "half", "rare", "never"):
        hits = store.text_search(kind, [term], 10 * MANY).hits
        assert all(hit.frequencies[0] for hit in hits)
        assert len({hit.id for hit in hits}) == len(hits)
        found.append(len(hits))
    return tuple(found)


def tell(store: SqliteStore, *numbers: int, terms: tuple[str, ...] = ("common",)) -> None:
    store.write(Batch(puts=tuple(Put(engram(f"e{number:04}"), terms) for number in numbers)))


def forget(store: SqliteStore, *numbers: int) -> None:
    store.write(Batch(deletes=tuple(Ref(Kind.ENGRAM, f"e{number:04}") for number in numbers)))


@pytest.fixture
def full(store: SqliteStore) -> SqliteStore:
    tell(store, *range(MANY))
    tell(store, *range(MANY, 2 * MANY), terms=("common", "half", "common"))
    tell(store, 2 * MANY, terms=("rare",))
    assert held(store) == held_by(store) == (2 * MANY, MANY, 1, 0)
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
    assert held_by(full) == expected
    assert held(full) == expected


@pytest.mark.parametrize("change", CHANGES)
def test_the_numbers_are_right_after_another_handle_was(full: SqliteStore, tmp_path: Path, change: str) -> None:
    make, expected = CHANGES[change]

    with closing(SqliteStore.open(location=tmp_path, user="alice")) as other:
        make(other)

    assert held_by(full) == expected
    assert held(full) == expected


def test_an_older_state_of_the_memory_is_counted_by_itself(full: SqliteStore) -> None:
    with full.snapshot(), ThreadPoolExecutor(1) as another:
        assert held(full) == (2 * MANY, MANY, 1, 0)
        tell(full, 9000, terms=("half",))
        assert another.submit(held_by, full).result() == (2 * MANY, MANY + 1, 1, 0)
        assert held_by(full) == (2 * MANY, MANY, 1, 0)
    assert held(full) == (2 * MANY, MANY + 1, 1, 0)


def test_kinds_are_counted_apart(full: SqliteStore) -> None:
    full.write(Batch(puts=tuple(Put(passage(f"p{number}", "e0000"), ("half",)) for number in range(MANY))))

    assert held(full, Kind.PASSAGE) == (0, MANY, 0, 0)
    assert held(full) == (2 * MANY, MANY, 1, 0)


def test_the_best_records_are_those_whose_terms_weigh_most() -> None:
    postings = {"a": np.array([1, 2, 5]), "b": np.array([2, 3]), "c": np.array([5, 9]), "d": np.array([], np.int64)}
    weights = {"a": 1.0, "b": 2.0, "c": 4.0, "d": 8.0}

    assert list(best_numbers(postings, weights, 3)) == [5, 9, 2]
    assert list(best_numbers(postings, weights, 10)) == [5, 9, 2, 3, 1]
    assert list(best_numbers({"d": postings["d"]}, weights, 3)) == []


def test_a_record_with_more_of_the_terms_is_found_though_each_is_common(store: SqliteStore) -> None:
    everyday = ("common", "usual", "plain")
    for number in range(4 * MANY):
        tell(store, number, terms=(everyday[number % 3], "filler"))
    tell(store, 9000, terms=(*everyday, "filler", "filler", "filler"))

    (best,) = store.text_search(Kind.ENGRAM, everyday, 1).hits
    assert best.id == "e9000"


def test_what_is_told_between_questions_does_not_fill_up_what_is_remembered(
    full: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    held_by(full)
    known = set(full._postings._known)
    monkeypatch.setattr(postings, "_MOST_NUMBERS", 5 * MANY)
    for number in range(9000, 9010):
        tell(full, number)
        held_by(full)
        assert set(full._postings._known) == known
