# SPDX-License-Identifier: Apache-2.0
"""Silos: stable indexes, eviction of the least recently used, and no lost update under threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from becausal.session.silo import Silo, Silos


class Stopwatch:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_a_new_key_takes_the_next_index_and_keeps_it_when_its_value_changes() -> None:
    silo = Silo()
    assert [silo.set("a", "1"), silo.set("b", "2"), silo.set("a", "3")] == [0, 1, 0]
    assert silo.peek("a") == (True, "3", 0)
    assert silo.peek("never") == (False, None, None)
    assert (len(silo), "a" in silo, "never" in silo) == (2, True, False)


def test_a_full_silo_drops_what_was_read_or_written_longest_ago_and_never_reuses_its_index() -> None:
    silo = Silo(2)
    silo.set("a", "1")
    silo.set("b", "2")
    silo.peek("a")
    assert silo.set("c", "3") == 2
    assert ("a" in silo, "b" in silo, "c" in silo) == (True, False, True)
    assert silo.set("b", "4") == 3
    assert "a" not in silo


@pytest.mark.parametrize(("asked", "size"), [(0, 1), (-5, 1), (3, 3)])
def test_a_silo_holds_at_least_one_value(asked: int, size: int) -> None:
    silo = Silo(asked)
    assert silo.silo_size == size
    for key in "abcdef":
        silo.set(key, key)
    assert len(silo) == size


def test_flushing_says_how_many_there_were_and_begins_the_indexes_anew() -> None:
    silo = Silo()
    silo.set("a", "1")
    silo.set("b", "2")
    assert silo.flush() == 2
    assert silo.flush() == 0
    assert silo.set("c", "3") == 0


def test_a_value_that_was_not_set_again_is_gone_after_its_time() -> None:
    clock = Stopwatch()
    silo = Silo(2, ttl=10, clock=clock)
    silo.set("a", "1")
    clock.seconds = 9.9
    silo.set("b", "2")
    assert silo.peek("a") == (True, "1", 0)
    clock.seconds = 10
    assert silo.peek("a") == (False, None, None)
    assert [slot.key for slot in silo.slots()] == ["b"]
    assert silo.set("c", "3") == 2  # the one that has run out makes room before one that has not
    assert len(silo) == 2
    clock.seconds = 100
    assert (len(silo), silo.flush()) == (0, 0)


def test_a_value_is_due_to_be_kept_once_from_its_third_use_on_since_it_last_changed() -> None:
    silo = Silo()
    silo.set("a", "1")
    assert [silo.use("a", 3) for _ in range(2)] == [("1", 0, False)] * 2
    silo.set("a", "1")
    silo.peek("a")  # counts as use too
    assert [silo.use("a", 3) for _ in range(2)] == [("1", 0, True), ("1", 0, False)]
    silo.set("a", "2")
    assert [silo.use("a", 3) for _ in range(4)] == [("2", 0, due) for due in (False, False, True, False)]
    silo.keep_later("a")
    assert silo.use("a", 3) == ("2", 0, True)
    assert silo.use("a") == ("2", 0, False)
    assert silo.use("never", 3) is None


def test_of_more_sessions_than_allowed_the_one_used_longest_ago_loses_its_silo() -> None:
    silos = Silos(most=2)
    first = silos.of("one", 7)
    silos.of("two")
    assert silos.of("one", 99) is first
    silos.of("three")
    assert sorted(silos) == ["one", "three"]
    first.set("a", "1")
    fresh, before = silos.reset("one", 3)
    assert (before, fresh is first, fresh.silo_size) == (1, False, 3)
    fresh.set("b", "2")
    assert (silos.drop("one"), silos.drop("one"), sorted(silos)) == (1, 0, ["three"])
    silos.clear()
    assert (len(silos), silos.of("one").silo_size) == (0, 256)


def test_threads_lose_no_update_and_give_no_index_twice() -> None:
    silo = Silo(100_000)

    def work(number: int) -> list[int]:
        indexes = [silo.set(f"{number}-{at}", "own") for at in range(500)]
        for at in range(500):
            silo.set(f"shared-{at}", f"{number}")
            assert silo.peek(f"{number}-{at}")[1] == "own"
        return indexes

    with ThreadPoolExecutor(8) as pool:
        given = [index for indexes in pool.map(work, range(8)) for index in indexes]
    assert len(given) == len(set(given)) == 4000
    assert len(silo) == 4500
    assert sorted(slot.index for slot in silo.slots()) == list(range(4500))
