# SPDX-License-Identifier: Apache-2.0
"""Communities of graphs."""

from __future__ import annotations

import io
import os
import random
import sys
import time

import pytest

from becausal.consolidate import leiden
from becausal.consolidate.leiden import partition

TRIANGLES = [
    *[("a", "b", 0.9), ("b", "c", 0.85), ("a", "c", 0.8), ("d", "e", 0.9), ("e", "f", 0.85), ("d", "f", 0.8)],
    ("c", "d", 0.1),
]


def grouped(communities: object) -> set[frozenset[str]]:
    found: dict[int, set[str]] = {}
    for node, community in dict(communities).items():  # type: ignore[call-overload]
        found.setdefault(community, set()).add(node)
    return set(map(frozenset, found.values()))


def planted(groups: int, size: int, seed: int = 1) -> list[tuple[str, str, float]]:
    """Return a graph of groups whose members mostly keep to themselves, four edges a node."""
    draw = random.Random(seed)
    n = groups * size
    edges = {}
    for node in range(n):
        for _ in range(4):
            other = node // size * size + draw.randrange(size) if draw.random() < 0.9 else draw.randrange(n)
            if other != node:
                edges[min(node, other), max(node, other)] = 0.7 + 0.3 * draw.random()
    return [(str(a), str(b), weight) for (a, b), weight in sorted(edges.items())]


def test_two_triangles_joined_by_a_weak_edge_are_two_communities() -> None:
    assert grouped(partition(TRIANGLES).communities) == {frozenset("abc"), frozenset("def")}


def test_a_tight_triangle_is_one_community() -> None:
    found = partition([("a", "b", 0.95), ("b", "c", 0.95), ("a", "c", 0.95)])
    assert grouped(found.communities) == {frozenset("abc")}
    assert found.resolution == 1.0


def test_the_same_graph_gives_the_same_communities_every_time() -> None:
    edges = planted(20, 25)
    first = partition(edges)
    assert all(partition(edges) == first for _ in range(9))


def test_planted_groups_are_found_at_the_resolution_chosen_for_them() -> None:
    found = grouped(partition(planted(40, 25)).communities)
    whole = sum(
        1
        for number in range(40)
        if any(
            sum(str(member) in group for member in range(25 * number, 25 * number + 25)) >= 23 and len(group) <= 30
            for group in found
        )
    )
    assert whole >= 36


def test_a_given_resolution_is_used_as_it_is_and_an_earlier_partition_is_gone_on_from() -> None:
    edges = planted(20, 25)
    chosen = partition(edges)
    again = partition(edges, chosen.resolution, chosen.communities)
    assert again.resolution == chosen.resolution
    assert grouped(again.communities) == grouped(partition(edges, chosen.resolution, again.communities).communities)


def test_an_earlier_partition_may_lack_nodes_and_name_others() -> None:
    found = partition(TRIANGLES, 1.0, {"a": 7, "b": 7, "z": 2})
    assert grouped(found.communities) == {frozenset("abc"), frozenset("def")}


def test_ten_thousand_nodes_take_less_than_a_second_of_processor_time() -> None:
    edges = planted(400, 25)
    began = time.process_time()
    leiden._partition(edges, 1.0, None)
    assert time.process_time() - began < 1.0


def test_a_large_graph_is_given_to_a_program_of_its_own_with_the_same_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    edges, paused = planted(20, 25), []
    here = partition(edges)
    monkeypatch.setattr(leiden, "IN_PROCESS", 10)
    assert partition(edges, pause=lambda: paused.append(1)) == here
    assert partition(edges, 1.0, here.communities) == leiden._partition(edges, 1.0, here.communities)
    assert paused


def test_the_program_is_ended_when_the_pause_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leiden, "IN_PROCESS", 10)

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        partition(planted(20, 25), pause=stop)


@pytest.mark.skipif(not hasattr(os, "nice"), reason="this system knows no niceness")
def test_the_program_lets_those_who_recall_meanwhile_go_first(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lowered: list[int] = []
    monkeypatch.setattr(os, "nice", lowered.append)
    monkeypatch.setattr(sys, "stdin", io.StringIO("[1.0, null]\na b 0.5\n"))
    leiden.main()
    assert [by > 0 for by in lowered] == [True]
    assert capsys.readouterr().out.splitlines()[0] == "1.0"
