# SPDX-License-Identifier: Apache-2.0
"""The order of a graph's nodes: causes before effects."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from becausal.graphs.order import topological


@pytest.mark.parametrize(
    ("ids", "causes", "order"),
    [
        ("cba", ["ab", "bc"], "abc"),
        ("abc", [], "abc"),
        ("cab", [], "cab"),
        ("dcba", ["ad", "bd", "cd"], "cbad"),
        ("ba", ["ab", "ab", "bb", "xa"], "ab"),
        ("aab", ["ba"], "ba"),
        ("cab", ["ab", "bc", "ca"], "cab"),
        ("dab", ["ab", "ba", "bd"], "abd"),
        ("bax", ["xa", "ab", "ba"], "xba"),
        ("", [], ""),
    ],
)
def test_causes_stand_before_effects_and_all_else_as_it_was(ids: str, causes: list[str], order: str) -> None:
    assert "".join(topological(ids, [(pair[0], pair[1]) for pair in causes])) == order


def test_a_shuffled_chain_of_ten_thousand_nodes_is_put_in_order() -> None:
    ids = [str(number) for number in range(10_000)]
    shuffled = random.Random(7).sample(ids, len(ids))
    assert topological(shuffled, pairwise(ids)) == ids


def test_everything_causing_everything_is_still_an_order() -> None:
    ids = [str(number) for number in range(300)]
    assert topological(ids, [(one, other) for one in ids for other in ids]) == ids
