# SPDX-License-Identifier: Apache-2.0
"""Vectors in memory: of very many, each number takes half the room, and next to nothing of what is found changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from becausal.stores import matrix
from becausal.stores.matrix import Matrix, State


class Stored:
    """Vectors as a store holds them, and what has changed since."""

    def __init__(self, vectors: Any) -> None:
        self.vectors = vectors
        self.changes: list[tuple[str, Any]] = []

    def load(self, dimension: int) -> Iterator[tuple[list[str], Any]]:
        for at in range(0, len(self.vectors), 500):
            some = self.vectors[at : at + 500]
            yield [f"v{at + n}" for n in range(len(some))], some

    def changed(self, dimension: int, after: int) -> Sequence[tuple[str, Any]]:
        return self.changes


@pytest.fixture
def stored(monkeypatch: pytest.MonkeyPatch) -> Stored:
    monkeypatch.setattr(matrix, "COMPACT", 1000)
    return Stored(np.random.default_rng(3).normal(size=(6000, 384)).astype(np.float32))


def unit(vectors: Any) -> Any:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def test_among_very_many_a_cosine_is_right_to_the_third_decimal_and_mostly_to_the_fifth(stored: Stored) -> None:
    query = unit(stored.vectors[17])
    scores, ids = Matrix().scores(stored, State(1, 1, 384), query)
    off = np.abs(scores - unit(stored.vectors) @ query)
    assert list(ids[:3]) == ["v0", "v1", "v2"]
    assert off.max() < 0.0003
    assert np.median(off) < 0.00001


def test_the_nearest_of_very_many_and_those_asked_for_by_id_have_the_same_scores(stored: Stored) -> None:
    query = unit(stored.vectors[17])
    kept, state = Matrix(), State(1, 1, 384)
    scores, ids, complete = kept.closest(stored, state, query, 600)
    assert not complete
    by_id = {ids[at]: float(score) for at, score in enumerate(scores.tolist())}
    assert max(by_id, key=by_id.__getitem__) == "v17"
    some, present = kept.scores_of(stored, state, query, ["v17", "nobody", *list(by_id)[:5]])
    assert {id: pytest.approx(by_id[id]) for id in present} == dict(zip(present, some.tolist(), strict=True))


def test_what_changes_among_very_many_is_followed(stored: Stored) -> None:
    query = unit(stored.vectors[17])
    kept = Matrix()
    kept.scores(stored, State(1, 1, 384), query)
    stored.changes = [("v17", None), ("new", 3 * query), ("v5", -query)]
    scores, ids = kept.scores(stored, State(1, 4, 384), query)
    found = dict(zip([ids[at] for at in range(len(scores))], scores.tolist(), strict=True))
    assert "v17" not in found
    assert found["new"] == pytest.approx(1, abs=1e-4)
    assert found["v5"] == pytest.approx(-1, abs=1e-4)
    assert found["v5999"] == pytest.approx(float(unit(stored.vectors[5999]) @ query), abs=3e-4)
