# SPDX-License-Identifier: Apache-2.0
"""smriti-mcp's recall, selectable as ``SCORING=smriti``: cues, vectors, two hops, its composite formula."""

from __future__ import annotations

from datetime import datetime

from ..domain.records import LinkKind
from ..domain.scoring import decay, recency, smriti_score
from .candidates import Candidate, Pool
from .rank import seed_cluster

HOPS = 2
MIN_SCORE = 0.1
MIN_STRENGTH = 0.5
MAX_LINKS = 1000


def rank(pool: Pool, now: datetime, limit: int) -> list[Candidate]:
    """Return the ``limit`` best candidates by smriti's formula.

    Direct hits are exact cue matches and the ``2 × limit`` nearest vectors. Two hops over associations
    stronger than .5 follow, in both directions. Scores below .1 are left out.
    """
    pool.find_by_cues()
    pool.find_by_vector(2 * limit)
    pool.complete(list(pool.by_id))
    _hop(pool)
    engrams = pool.engrams(list(pool.by_id))
    home = seed_cluster(
        engrams[each.id].cluster_id for each in pool.by_id.values() if not each.hop and each.id in engrams
    )
    kept = []
    for id, engram in engrams.items():
        each = pool.by_id[id]
        hours = (now - engram.last_accessed_at).total_seconds() / 3600
        each.score = smriti_score(
            each.cosine,
            recency(hours),
            engram.importance,
            engram.decay_factor * decay(hours),
            each.hop,
            bool(each.hop) and home >= 0 and engram.cluster_id >= 0 and engram.cluster_id != home,
        )
        if each.score >= MIN_SCORE:
            kept.append(each)
    return sorted(kept, key=lambda each: (-each.score, each.id))[:limit]


def _hop(pool: Pool) -> None:
    frontier = list(pool.by_id)
    for hop in range(1, HOPS + 1):
        links = pool.store.links(frontier, [LinkKind.ASSOCIATED_WITH], "both", limit=MAX_LINKS)
        known = set(pool.by_id)
        steps: dict[str, tuple[str, str]] = {}
        for link in links:
            for seed, other in ((link.src, link.dst), (link.dst, link.src)):
                if seed in known and other not in known and link.strength > MIN_STRENGTH:
                    steps.setdefault(other, (seed, f"{link.relation_type or 'associated'} ({link.strength:.2f})"))
        frontier = sorted(pool.add(steps))
        for id in frontier:
            each = pool.by_id[id]
            each.hop = hop
            each.via, step = steps[id]
            each.path.append(step)
        if not frontier:
            return
