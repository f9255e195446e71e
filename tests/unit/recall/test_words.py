# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math

import pytest

from becausal.domain.scoring import bm25
from becausal.ports.store import TextMatches
from becausal.recall.words import DOCUMENT, SHORT, TURN, TermScores

MATCHES = TextMatches(hits=(), document_frequencies=(1, 4), documents=10, mean_length=20.0)


def test_the_share_of_a_term_is_its_saturated_frequency_times_its_part_of_all_idf() -> None:
    # idf: ln(1 + 9.5 / 1.5) = 1.99243 and ln(1 + 6.5 / 4.5) = 0.89382; their sum 2.88625
    # norm for 10 of 20 terms: 0.6 · (0.8 + 0.2 · 0.5) = 0.54
    first, second = TermScores(MATCHES).of((2, 1), 10)
    assert first == pytest.approx(1.99243 / 2.88625 * 2 / 2.54, abs=1e-5)
    assert second == pytest.approx(0.89382 / 2.88625 * 1 / 1.54, abs=1e-5)


@pytest.mark.parametrize(("length", "constants"), [(SHORT, TURN), (SHORT + 1, DOCUMENT)])
def test_the_shares_add_up_to_bm25_over_the_most_it_could_be(length: int, constants: tuple[float, float]) -> None:
    k1, b = constants
    exact = bm25((3, 1), length, (1, 4), 10, 20.0, k1=k1, b=b)
    most = (k1 + 1) * (math.log(1 + 9.5 / 1.5) + math.log(1 + 6.5 / 4.5))
    assert sum(TermScores(MATCHES).of((3, 1), length)) == pytest.approx(exact / most)


def test_a_term_that_is_absent_has_no_share() -> None:
    assert TermScores(MATCHES).of((0, 1), 10)[0] == 0.0


def test_without_records_nothing_scores() -> None:
    empty = TextMatches(hits=(), document_frequencies=(), documents=0, mean_length=0.0)
    assert TermScores(empty).of((), 5) == ()
