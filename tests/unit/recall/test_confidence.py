# SPDX-License-Identifier: Apache-2.0
"""How sure it is that the answer was told."""

from __future__ import annotations

import math

import pytest

from becausal.recall.candidates import Candidate
from becausal.recall.confidence import BIAS, MATCH, SPEAKER, confidence
from recall_tools import OpenPool


def candidates(*scores: float, text: float = 0.0, cosine: float = 0.0, alike: float = 0.0) -> list[Candidate]:
    found = [Candidate(f"c{at}", score=score) for at, score in enumerate(scores)]
    for each in found[:1]:
        each.text, each.cosine, each.alike = text, cosine, alike
    return found


def logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value))


def test_it_grows_with_how_well_the_best_match(ask: OpenPool) -> None:
    pool = ask("Where does the ferry leave?", (1.0,))
    weak = confidence(pool, candidates(1.0, text=0.1, cosine=0.3, alike=0.2), {})
    strong = confidence(pool, candidates(1.0, text=0.6, cosine=0.7, alike=0.8), {})
    assert weak == pytest.approx(logistic(BIAS + MATCH * 0.2))
    assert strong == pytest.approx(logistic(BIAS + MATCH * 0.7))
    assert weak < 0.1 < 0.7 < strong


def test_signs_that_are_not_there_are_left_out(ask: OpenPool) -> None:
    assert confidence(ask("ferry"), candidates(1.0, text=0.6), {}) == pytest.approx(logistic(BIAS + MATCH * 0.6))
    assert confidence(ask("ferry", (1.0,)), candidates(1.0, text=0.6, cosine=0.4), {}) == pytest.approx(
        logistic(BIAS + MATCH * 0.5)
    )
    assert confidence(ask("ferry"), [], {}) == 0.0


def test_it_falls_where_somebody_else_said_it(ask: OpenPool) -> None:
    best = candidates(0.9, 0.8, 0.5, text=0.5)
    right = confidence(ask("What did Ana paint?"), best, {"c0": "Ana Lind", "c1": "Ben", "c2": "Ana Lind"})
    wrong = confidence(ask("What did Ana paint?"), best, {"c0": "Ben", "c1": "Ben", "c2": "Ana Lind"})
    assert right == pytest.approx(logistic(BIAS + MATCH * 0.5 + SPEAKER * 0.1))
    assert wrong == pytest.approx(logistic(BIAS + MATCH * 0.5 - SPEAKER * 0.4))


def test_who_said_it_tells_nothing_where_nobody_or_only_one_side_is_named(ask: OpenPool) -> None:
    best = candidates(0.9, 0.2, text=0.5)
    plain = confidence(ask("What did Ana paint?"), best, {})
    assert confidence(ask("What did Ana paint?"), best, {"c0": "Ben", "c1": "Cleo"}) == plain
    assert confidence(ask("What was painted?"), best, {"c0": "Ben", "c1": "Ana"}) == plain
