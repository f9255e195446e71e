# SPDX-License-Identifier: Apache-2.0
"""A memory that is opened when it is needed."""

from __future__ import annotations

import threading
from typing import Any, cast

import pytest

from becausal.errors import StoreUnavailable
from becausal.server.opening import LazyMemory


class Opened:
    """Stands in for a memory without a place for copies, and notes what is done to it."""

    backups = None

    def __init__(self) -> None:
        self.warmed = threading.Event()
        self.closed = 0

    def warm(self, *, vectors: bool = False) -> None:
        self.warmed.set()

    def close(self) -> None:
        self.closed += 1


def lazy(*outcomes: Opened | Exception) -> LazyMemory:
    """Return a source whose openings have these outcomes, one after the other."""
    left = list(outcomes)

    def open_memory() -> Any:
        outcome = left.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return LazyMemory(open_memory)


def test_nothing_is_opened_before_it_is_needed() -> None:
    lazy().close()


def test_it_is_opened_once_and_its_model_begins_to_load() -> None:
    memory = Opened()
    source = lazy(memory)
    assert cast(object, source.get()) is memory
    assert cast(object, source.get()) is memory
    assert memory.warmed.is_set()


def test_many_threads_at_once_open_it_once() -> None:
    memory = Opened()
    source = lazy(memory)
    got: list[object] = []
    threads = [threading.Thread(target=lambda: got.append(source.get())) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [memory] * 20


def test_it_can_be_opened_in_the_background() -> None:
    memory = Opened()
    source = lazy(memory)
    source.begin()
    source.begin()
    assert memory.warmed.wait(10)
    source.close()
    assert memory.closed == 1


def test_an_opening_that_failed_is_tried_again() -> None:
    memory = Opened()
    source = lazy(StoreUnavailable("the folder cannot be written"), memory)
    with pytest.raises(StoreUnavailable, match="cannot be written"):
        source.get()
    assert cast(object, source.get()) is memory


@pytest.mark.parametrize("failure", [StoreUnavailable("the folder cannot be written"), RuntimeError("oh")])
def test_an_opening_that_fails_in_the_background_is_logged(
    failure: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    source = lazy(failure)
    source.begin()
    for thread in threading.enumerate():
        if thread.name == "becausal-open":
            thread.join()
    assert str(failure) in caplog.text


def test_after_it_was_closed_nothing_is_opened_any_more() -> None:
    source = lazy()
    source.close()
    with pytest.raises(StoreUnavailable, match="shutting down"):
        source.get()
