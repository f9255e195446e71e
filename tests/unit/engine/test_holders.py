# SPDX-License-Identifier: Apache-2.0
"""Telling whether the process that holds a lease is still there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from becausal.engine.holders import has_died, new_holder, take, until
from memory_tools import open_test_memory

CHILD = "import sys; from becausal.engine.holders import new_holder; print(new_holder(), flush=True); sys.stdin.read()"


@pytest.fixture
def other() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        yield child
        child.kill()


def named(child: subprocess.Popen[str]) -> str:
    assert child.stdout is not None
    return child.stdout.readline().strip()


def test_a_holder_begins_with_its_process_and_no_two_are_the_same() -> None:
    one, two = new_holder(), new_holder()
    assert one.startswith(f"{os.getpid()}-")
    assert one != two
    assert not has_died(one)


def test_a_living_process_has_not_died_and_a_killed_one_has_also_before_its_parent_takes_note(
    other: subprocess.Popen[str],
) -> None:
    holder = named(other)
    assert not has_died(holder)
    other.kill()
    os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
    assert has_died(holder)
    other.wait()
    assert has_died(holder)


def test_a_process_that_has_got_the_number_of_a_dead_one_is_not_taken_for_it() -> None:
    pid, random, began, machine = new_holder().split("-")
    assert has_died(f"{pid}-{random}-{int(began) - 1}-{machine}")


@pytest.mark.parametrize("name", ["me", "4194399-12345678", "4194399-12345678-1-0123456789abcdef", ""])
def test_nothing_is_said_of_a_process_of_another_machine_or_an_earlier_version(name: str) -> None:
    assert not has_died(name)


def test_only_what_the_dead_hold_is_taken_over(tmp_path: Path, other: subprocess.Popen[str]) -> None:
    dead, me = named(other), new_holder()
    other.kill()
    other.wait()
    with open_test_memory(tmp_path, start_worker=False) as memory:
        store = memory._store
        store.claim("work", ["a", "b"], dead, 60)
        store.claim("work", ["c"], "somebody", 23.5)
        assert take(store, "work", ["a", "c", "d"], me, 60) == {"a", "d"}
        assert {id: lease.holder for id, lease in store.leases("work", ["a", "b", "c", "d"]).items()} == {
            "a": me,
            "b": dead,
            "c": "somebody",
            "d": me,
        }
        assert until(store, "work", "c") == "should it have died, try again in 24 s"
        assert until(store, "work", "e") == "try again"
