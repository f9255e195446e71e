# SPDX-License-Identifier: Apache-2.0
"""Bringing a store to the newest schema."""

from __future__ import annotations

import pytest

from becausal.errors import SchemaTooNew
from becausal.stores.migrations import Step, migrate


class Shelf:
    """A store that remembers which steps were applied to it."""

    def __init__(self, version: int) -> None:
        self.version = version
        self.applied: list[str] = []

    def schema_version(self) -> int:
        return self.version

    def advance(self, step: Step[list[str]]) -> None:
        step.apply(self.applied)
        self.version = step.version


def steps(count: int) -> list[Step[list[str]]]:
    return [Step(n, f"step {n}", lambda applied, n=n: applied.append(f"step {n}")) for n in range(1, count + 1)]  # type: ignore[misc]


@pytest.mark.parametrize(
    ("present", "applied"), [(0, ["step 1", "step 2", "step 3"]), (1, ["step 2", "step 3"]), (3, [])]
)
def test_the_steps_that_are_missing_are_taken_in_order(present: int, applied: list[str]) -> None:
    shelf = Shelf(present)
    assert migrate(shelf, steps(3), "the shelf") == 3
    assert shelf.applied == applied


def test_a_step_that_fails_stops_the_rest() -> None:
    def fail(applied: list[str]) -> None:
        raise ValueError("broken")

    shelf = Shelf(0)
    with pytest.raises(ValueError, match="broken"):
        migrate(shelf, [*steps(1), Step(2, "fails", fail), Step(3, "never", fail)], "the shelf")
    assert (shelf.version, shelf.applied) == (1, ["step 1"])


def test_a_newer_schema_is_refused_and_named() -> None:
    shelf = Shelf(4)
    with pytest.raises(SchemaTooNew, match="the shelf has schema version 4"):
        migrate(shelf, steps(3), "the shelf")
    assert shelf.applied == []
