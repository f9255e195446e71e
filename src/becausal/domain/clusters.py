# SPDX-License-Identifier: Apache-2.0
"""Clusters of memories: when to look for them anew, how alike two partitions are, and which ids they keep."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

K = TypeVar("K", bound=Hashable)

CHANGE = 0.10
"""Relative change of a memory's size from which on its resolution is chosen anew (smriti's)."""

NONE = -1
"""The cluster of what belongs to none."""


def needs_tuning(known: int, size: int) -> bool:
    """Whether a resolution chosen at ``known`` memories no longer fits ``size`` of them: |size − known| / known ≥ .1.

    Nothing is known yet at 0.
    """
    return known <= 0 or abs(size - known) / known >= CHANGE


def agreement(one: Sequence[int], other: Sequence[int]) -> float:
    """Return the normalised mutual information of two partitions of the same things, 0 … 1.

    2 · I(A; B) / (H(A) + H(B)), Danon et al. (2005); 1 where neither of them parts anything.

    Args:
        one: the part each thing is in.
        other: the same, in the same order.
    """
    n = len(one)
    left, right, both = Counter(one), Counter(other), Counter(zip(one, other, strict=True))
    entropies = _entropy(left, n) + _entropy(right, n)
    if entropies == 0:
        return 1.0
    mutual = math.fsum(
        count / n * math.log(count * n / (left[first] * right[second])) for (first, second), count in both.items()
    )
    return max(0.0, min(1.0, 2 * mutual / entropies))


def _entropy(parts: Counter[int], n: int) -> float:
    return -math.fsum(count / n * math.log(count / n) for count in parts.values())


def best_resolution(resolutions: Sequence[float], qualities: Sequence[float], parts: Sequence[Sequence[int]]) -> float:
    """Return the resolution in the middle of the most telling interval of a profile, 1 where none tells anything.

    An interval between two neighbouring resolutions tells as much as their partitions agree, times the mean of
    their qualities. Of equally good intervals the one nearest to 1 is taken; the middle is the geometric one.

    Args:
        resolutions: ascending, more than 0.
        qualities: the modularity of each one's partition at resolution 1.
        parts: each one's partition, as in ``agreement``.
    """
    best, chosen = 0.0, 1.0
    for at in range(len(resolutions) - 1):
        quality = (qualities[at] + qualities[at + 1]) / 2
        score = quality * agreement(parts[at], parts[at + 1]) if quality > 0 else 0.0
        middle = math.sqrt(resolutions[at] * resolutions[at + 1])
        nearer = abs(math.log(middle)) < abs(math.log(chosen))
        if score > best + 1e-9 or (best > 0 and nearer and math.isclose(score, best, abs_tol=1e-9)):
            best, chosen = score, middle
    return chosen


def keep_ids(found: Mapping[K, int], before: Mapping[K, int], next_id: int) -> tuple[dict[int, int], int]:
    """Return the id of each cluster found, and the next id that is free.

    A cluster goes on as the earlier one with which it shares most members; of two that come from one, the one
    with more of it. What has no predecessor gets an id that was never used.

    Args:
        found: the cluster of each member, numbered in any way.
        before: the id of the cluster each member was in, below 0 for none.
        next_id: 0, or what an earlier call returned.
    """
    shared = Counter((cluster, before[member]) for member, cluster in found.items() if before.get(member, NONE) > NONE)
    sizes = Counter(found.values())
    ids: dict[int, int] = {}
    taken: set[int] = set()
    for (cluster, id), _ in sorted(shared.items(), key=lambda each: (-each[1], each[0][1], each[0][0])):
        if cluster not in ids and id not in taken:
            ids[cluster] = id
            taken.add(id)
    next_id = max(next_id, 1 + max((id for id in before.values()), default=NONE))
    for cluster in sorted(sizes.keys() - ids.keys(), key=lambda cluster: (-sizes[cluster], cluster)):
        ids[cluster] = next_id
        next_id += 1
    return ids, next_id


def telling_names(named: Mapping[int, Mapping[K, int]], each: int) -> dict[int, tuple[K, ...]]:
    """Return up to ``each`` of the names that tell clusters from one another, the most telling first.

    A name counts in a cluster as often as it leads to a member, times ln(1 + N / n) for the N members of all
    clusters that have a name, counted once for each, and the n it leads to in all.

    Args:
        named: for each cluster, how many of its members each name leads to.
        each: 1 or more.
    """
    totals: dict[K, int] = defaultdict(int)
    for names in named.values():
        for name, count in names.items():
            totals[name] += count
    everything = sum(totals.values())
    chosen = {}
    for cluster, names in named.items():
        scores = {name: count * math.log(1 + everything / totals[name]) for name, count in names.items()}
        chosen[cluster] = tuple(sorted(scores, key=lambda name: (-scores[name], str(name)))[:each])
    return chosen
