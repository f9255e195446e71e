# SPDX-License-Identifier: Apache-2.0
"""How many requests a token may make."""

from __future__ import annotations

import pytest

from becausal.web.rates import MOST, Rates


def test_a_tenth_of_a_minutes_requests_may_come_at_once_and_the_rest_as_time_passes() -> None:
    now = [0.0]
    rates = Rates(120, lambda: now[0])  # two a second, twelve at once
    assert [rates.take("a") for _ in range(12)] == [0.0] * 12
    assert rates.take("a") == pytest.approx(0.5)
    assert rates.take("b") == 0.0
    now[0] = 0.5
    assert [rates.take("a"), rates.take("a")] == [0.0, pytest.approx(0.5)]
    now[0] = 1000.0
    assert [rates.take("a") == 0.0 for _ in range(13)] == [True] * 12 + [False]


def test_without_a_limit_nobody_waits() -> None:
    rates = Rates(0, lambda: 0.0)
    assert {rates.take("a") for _ in range(1000)} == {0.0}


def test_to_ask_how_long_to_wait_counts_nothing() -> None:
    rates = Rates(60, lambda: 0.0)  # one a second, six at once
    assert [rates.wait("a") for _ in range(10)] == [0.0] * 10
    assert [rates.take("a") for _ in range(6)] == [0.0] * 6
    assert [rates.wait("a"), rates.wait("b")] == [1.0, 0.0]


def test_strangers_without_number_take_no_more_than_so_much_room() -> None:
    rates = Rates(60, lambda: 0.0)
    for number in range(2 * MOST):
        rates.take(str(number))
    assert len(rates._buckets) == MOST
