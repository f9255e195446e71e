# SPDX-License-Identifier: Apache-2.0
"""Activation that spreads from the best candidates over associations and shared cues."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping

from ..domain.records import Kind, LinkKind
from .candidates import Pool, Step

SEEDS = 5
"""Best candidates that activation spreads from over associations."""

CUE_SEEDS = 1
"""Best candidates that it spreads from over shared cues."""

MAX_SPREAD = 20
"""Memories reached that are looked at, the best ones."""

RARE_CUE = 6
"""Memories that may share a cue for it to lead from one to the other."""

MAX_ASSOCIATIONS = 8
"""Associations of one memory that are followed, the strongest ones."""

MAX_CUES = 10


def spread(pool: Pool, seeds: Mapping[str, float]) -> dict[str, Step]:
    """Return what is one hop from the best of some candidates, which are given best first with their scores.

    An association hands on its strength's share of the score, in both directions; a cue that n memories share
    1 / (1 + log₂ n) of it.
    """
    reached: dict[str, Step] = {}

    def reach(id: str, step: Step) -> None:
        if id not in seeds and (id not in reached or step.score > reached[id].score):
            reached[id] = step

    for edge in pool.store.edges(list(seeds)[:SEEDS], [LinkKind.ASSOCIATED_WITH], "both", MAX_ASSOCIATIONS):
        for seed, other in ((edge.src, edge.dst), (edge.dst, edge.src)):
            if seed in seeds:
                words = f"{edge.relation_type or 'associated'} ({edge.strength:.2f})"
                reach(other, Step(seeds[seed] * edge.strength, seed, words))
    owners: dict[str, list[str]] = defaultdict(list)
    for edge in pool.store.edges(list(seeds)[:CUE_SEEDS], [LinkKind.ENCODED_BY], "out", MAX_CUES):
        owners[edge.dst].append(edge.src)
    back = pool.store.edges(list(owners), [LinkKind.ENCODED_BY], "in", RARE_CUE + 1)
    used = Counter(edge.dst for edge in back)
    for edge in back:
        if 1 < used[edge.dst] <= RARE_CUE:
            share = 1 / (1 + math.log2(used[edge.dst]))
            for seed in owners[edge.dst]:
                reach(edge.src, Step(seeds[seed] * share, seed, "shares the cue '{}'", Kind.CUE, edge.dst))
    best = sorted(reached, key=lambda id: (-reached[id].score, id))[:MAX_SPREAD]
    return {id: reached[id] for id in best}
