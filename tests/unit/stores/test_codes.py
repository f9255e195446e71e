# SPDX-License-Identifier: Apache-2.0
"""Sign codes."""

from __future__ import annotations

import numpy as np
import pytest

from becausal.stores.codes import SignCodes


@pytest.mark.parametrize("dimension", [3, 64, 65, 384])
def test_the_rows_that_differ_in_the_fewest_signs_are_nearest(dimension: int) -> None:
    draw = np.random.default_rng(dimension)
    vectors = draw.normal(size=(300, dimension)).astype(np.float32)
    codes = SignCodes(dimension, 8)
    codes.put(0, vectors[:100])
    codes.put(100, vectors[100:])
    query = draw.normal(size=dimension).astype(np.float32)
    differing = ((vectors > 0) != (query > 0)).sum(axis=1)
    near = codes.nearest(query, 300, 20)
    assert list(near) == sorted(near)
    assert sorted(differing[near]) == sorted(differing)[:20]


def test_rows_beyond_those_asked_about_are_left_out_and_a_moved_row_is_found_in_its_place() -> None:
    vectors = np.eye(4, dtype=np.float32) * 2 - 1
    codes = SignCodes(4, 4)
    codes.put(0, vectors)
    assert list(codes.nearest(vectors[3], 3, 1)) != [3]
    codes.move(3, 0)
    assert list(codes.nearest(vectors[3], 3, 1)) == [0]


def test_of_rows_that_differ_as_much_the_first_are_taken() -> None:
    codes = SignCodes(384, 8)
    codes.put(0, np.ones((70_000, 384), np.float32))
    codes.put(66_000, -np.ones((1, 384), np.float32))
    assert list(codes.nearest(np.ones(384, np.float32), 70_000, 3)) == [0, 1, 2]
    assert list(codes.nearest(-np.ones(384, np.float32), 70_000, 3)) == [0, 1, 66_000]
