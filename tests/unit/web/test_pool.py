# SPDX-License-Identifier: Apache-2.0
"""Memories of several users: never more than may be open, and none closed while it is used."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from becausal.errors import StoreBusy, StoreUnavailable
from becausal.web.pool import Pool


@dataclass
class Stand:
    """What stands in for memories: it notes which are open, and the most that ever were.

    ``ending`` are those that were told to wind down, ``told`` which those were each time that one was closed.
    """

    open: set[str] = field(default_factory=set)
    opened: list[str] = field(default_factory=list)
    ending: set[str] = field(default_factory=set)
    told: list[set[str]] = field(default_factory=list)
    most: int = 0
    broken: set[str] = field(default_factory=set)
    now: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, user: str) -> Any:
        if user in self.broken:
            raise StoreUnavailable("the disk is gone")
        with self.lock:
            assert user not in self.open
            self.open.add(user)
            self.opened.append(user)
            self.most = max(self.most, len(self.open))
        return Memory(self, user)

    def pool(self, most: int = 2, idle: float = 10.0) -> Pool:
        return Pool(self, most=most, idle=idle, monotonic=lambda: self.now)


@dataclass
class Memory:
    stand: Stand
    user: str

    def warm(self, *, vectors: bool = False) -> None:
        pass

    def wind_down(self) -> None:
        with self.stand.lock:
            self.stand.ending.add(self.user)

    def close(self) -> None:
        with self.stand.lock:
            self.stand.open.remove(self.user)
            self.stand.told.append(set(self.stand.ending))


def user_of(memory: object) -> str:
    return cast(Memory, memory).user


def test_a_memory_is_opened_once_and_closed_after_it_was_idle_for_long() -> None:
    stand = Stand()
    pool = stand.pool()
    for _ in range(2):
        with pool.use("alice") as memory:
            assert user_of(memory) == "alice"
    stand.now = 9.9
    pool.sweep()
    assert stand.open == {"alice"}
    stand.now = 10.0
    pool.sweep()
    assert (stand.open, stand.opened, pool.size) == (set(), ["alice"], 0)
    with pool.use("alice"):
        assert stand.opened == ["alice", "alice"]


def test_to_open_another_the_one_used_longest_ago_is_closed() -> None:
    stand = Stand()
    pool = stand.pool(most=2)
    for stand.now, user in enumerate(("alice", "bob", "alice", "carol")):
        with pool.use(user):
            pass
    assert stand.open == {"alice", "carol"}


def test_what_is_in_use_is_not_closed_and_who_finds_no_room_is_told() -> None:
    stand = Stand()
    pool = stand.pool(most=2)
    with pool.use("alice"), pool.use("bob"):
        stand.now = 1000.0
        pool.sweep()
        with pytest.raises(StoreBusy, match="2 memories are in use"), pool.use("carol"):
            pass
        assert stand.open == {"alice", "bob"}
    with pool.use("carol"):
        assert len(stand.open) == 2


def test_an_opening_that_fails_takes_no_room_and_is_tried_again() -> None:
    stand = Stand(broken={"alice"})
    pool = stand.pool(most=1)
    for _ in range(3):
        with pytest.raises(StoreUnavailable, match="the disk is gone"), pool.use("alice"):
            pass
    stand.broken.clear()
    with pool.use("alice"):
        assert stand.open == {"alice"}


def test_looking_at_some_memory_does_not_keep_it_open() -> None:
    stand = Stand()
    pool = stand.pool()
    with pool.use("bob"):
        pass
    stand.now = 9.0
    with pool.some("alice") as memory:
        assert user_of(memory) == "bob"
    stand.now = 10.0
    pool.sweep()
    assert stand.open == set()
    with pool.some("alice") as memory:
        assert user_of(memory) == "alice"


def test_a_closed_pool_opens_nothing_any_more() -> None:
    stand = Stand()
    pool = stand.pool()
    with pool.use("alice"):
        pass
    pool.close()
    assert stand.open == set()
    with pytest.raises(StoreUnavailable, match="shutting down"), pool.use("alice"):
        pass


def test_all_memories_are_told_to_end_before_the_first_one_is_waited_for() -> None:
    stand = Stand()
    pool = stand.pool()
    for user in ("alice", "bob"):
        with pool.use(user):
            pass
    pool.wind_down()
    assert (stand.ending, stand.open) == ({"alice", "bob"}, {"alice", "bob"})
    stand.ending.clear()
    pool.close()
    assert stand.told == [{"alice", "bob"}, {"alice", "bob"}]


def test_many_threads_with_many_users_never_open_too_many_nor_lose_one_in_use() -> None:
    stand = Stand()
    pool = stand.pool(most=4, idle=0.0)
    wrong: list[object] = []

    def work(number: int) -> None:
        for step in range(300):
            user = f"user{(number * 7 + step * 3) % 9}"
            try:
                with pool.use(user) as memory:
                    if user_of(memory) != user or user not in stand.open:
                        wrong.append((user, memory))
            except StoreBusy:
                pass
            pool.sweep()

    workers = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == []
    assert stand.most <= 4
    pool.close()
    assert stand.open == set()
