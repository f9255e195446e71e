# SPDX-License-Identifier: Apache-2.0
"""From candidates to a ranking: fusion, neighbours, spreading, and the composite score."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast

from ..domain.records import Cue, Engram, Kind, LinkKind
from ..domain.scoring import decay, min_max, recency
from .candidates import Candidate, Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """How much each kind of evidence counts. Set to 0, a kind is left out."""

    text: float = 0.5
    vector: float = 0.5
    cue: float = 0.05
    time: float = 0.2
    neighbours: float = 0.2  # of each adjoining memory's own score
    spread: float = 0.5  # of the score of the memory it was reached from
    vitality: float = 0.03  # importance, recency of use and decay together: breaks near-ties


NEIGHBOURED = 40
"""Best candidates whose neighbours in the same source are looked at."""

SEEDS = 8
"""Best candidates that activation spreads from over associations, and that name the home cluster."""

CUE_SEEDS = 3
"""Best candidates that it spreads from over shared cues."""

MAX_SPREAD = 40
RARE_CUE = 12
"""Engrams that may share a cue for it to lead from one to the other."""

MAX_LINKS = 400
CROSS_CLUSTER = 0.5
"""Factor for what was reached by a hop into another cluster than the seeds' (smriti's)."""


def rank(pool: Pool, weights: Weights, now: datetime, depth: int) -> list[Candidate]:
    """Return the ``depth`` best candidates, best first, each with its ``score`` in 0 … 1.

    Scores are normalised over the pool and then scaled by how well the best candidate matches at all, so
    that a question about nothing the memory holds gets low scores.
    """
    if not pool.plan.topical:
        weights = replace(weights, time=1.0, text=0.1, vector=0.1)
    fuse(pool.by_id, weights)
    if weights.neighbours:
        _lend(pool, weights)
    if weights.spread:
        _spread(pool, weights)
    return composite(pool, _best(pool.by_id.values(), depth), weights, now)


def fuse(candidates: Mapping[str, Candidate], weights: Weights) -> None:
    """Score by words and meaning, min-max normalised over the candidates, plus cues and time."""
    text = min_max({id: each.text for id, each in candidates.items()})
    cosine = min_max({id: each.cosine for id, each in candidates.items()})
    for id, each in candidates.items():
        each.score = (
            weights.text * text[id] + weights.vector * cosine[id] + weights.cue * each.cue + weights.time * each.time
        )


def _lend(pool: Pool, weights: Weights) -> None:
    """Let memories told next to each other in one source support each other."""
    best = _best(pool.by_id.values(), NEIGHBOURED)
    links = pool.store.links([each.id for each in best], [LinkKind.FOLLOWS], "both", limit=MAX_LINKS)
    pool.add({end for link in links for end in (link.src, link.dst)})
    fuse(pool.by_id, weights)
    beside: dict[str, list[tuple[float, str, str]]] = defaultdict(list)
    for link in links:
        if link.src in pool.by_id and link.dst in pool.by_id:
            later, earlier = pool.by_id[link.src], pool.by_id[link.dst]
            beside[earlier.id].append((later.score, "before", later.id))
            beside[later.id].append((earlier.score, "after", earlier.id))
    for id, lenders in beside.items():
        each = pool.by_id[id]
        each.lent = weights.neighbours * sum(score for score, _, _ in lenders)
        score, side, via = max(lenders)
        if each.lent > each.score:
            each.via = via
            each.path.append(f"told just {side} a match in the same source")
    for id in beside:
        pool.by_id[id].score += pool.by_id[id].lent


def _spread(pool: Pool, weights: Weights) -> None:
    """Reach memories over associations, both ways, and over cues that few memories share."""
    seeds = _best(pool.by_id.values(), SEEDS)
    if not seeds:
        return
    reached: dict[str, tuple[float, str, str]] = {}

    def reach(id: str, score: float, seed: str, step: str) -> None:
        if score > reached.get(id, (0.0, "", ""))[0]:
            reached[id] = (score, seed, step)

    scores = {seed.id: seed.score for seed in seeds}
    for link in pool.store.links(list(scores), [LinkKind.ASSOCIATED_WITH], "both", limit=MAX_LINKS):
        for seed, other in ((link.src, link.dst), (link.dst, link.src)):
            if seed in scores and other not in scores:
                step = f"{link.relation_type or 'associated'} ({link.strength:.2f})"
                reach(other, scores[seed] * link.strength, seed, step)
    for id, seed, share, name in _by_shared_cues(pool, list(scores)[:CUE_SEEDS]):
        reach(id, scores[seed] * share, seed, f"shares the cue '{name}'")

    best = sorted(reached, key=lambda id: (-reached[id][0], id))[:MAX_SPREAD]
    fresh = pool.add(best)
    fuse_new = {id: pool.by_id[id] for id in fresh}
    _score_late(pool, fuse_new, weights)
    for id in best:
        if (each := pool.by_id.get(id)) is None:
            continue
        score, seed, step = reached[id]
        if id in fresh:
            each.hop, each.via = 1, seed
            each.path.append(step)
            each.score += weights.spread * score


def _by_shared_cues(pool: Pool, seeds: Sequence[str]) -> Iterable[tuple[str, str, float, str]]:
    """Yield engram, seed, strength and name for every cue that a seed shares with few others."""
    out = pool.store.links(seeds, [LinkKind.ENCODED_BY], "out", limit=MAX_LINKS)
    back = [
        link
        for cue in dict.fromkeys(link.dst for link in out)
        for link in pool.store.links([cue], [LinkKind.ENCODED_BY], "in", limit=RARE_CUE + 1)
    ]
    used = Counter(link.dst for link in back)
    owners: dict[str, list[str]] = defaultdict(list)
    for link in out:
        owners[link.dst].append(link.src)
    names = {id: cast(Cue, cue).name for id, cue in pool.store.get(Kind.CUE, sorted(owners)).items()}
    for link in back:
        if link.src in seeds or not 1 < used[link.dst] <= RARE_CUE:
            continue
        for seed in owners[link.dst]:
            yield link.src, seed, 1 / (1 + math.log2(used[link.dst])), names.get(link.dst, "")


def _score_late(pool: Pool, late: Mapping[str, Candidate], weights: Weights) -> None:
    """Score candidates that came after the fusion, on its scale."""
    others = [each for id, each in pool.by_id.items() if id not in late]
    highs = {name: max((getattr(each, name) for each in others), default=0.0) for name in ("text", "cosine")}
    lows = {name: min((getattr(each, name) for each in others), default=0.0) for name in ("text", "cosine")}

    def scaled(value: float, name: str) -> float:
        span = highs[name] - lows[name]
        return min(1.0, max(0.0, (value - lows[name]) / span)) if span > 0 else 0.0

    for each in late.values():
        each.score = (
            weights.text * scaled(each.text, "text")
            + weights.vector * scaled(each.cosine, "cosine")
            + weights.cue * each.cue
            + weights.time * each.time
        )


def composite(pool: Pool, best: Sequence[Candidate], weights: Weights, now: datetime) -> list[Candidate]:
    """Finish the scores of the best candidates: clusters, vitality, and the scale of the best match."""
    engrams = pool.engrams([each.id for each in best])
    best = [each for each in best if each.id in engrams]
    if not best:
        return []
    home = seed_cluster(engrams[each.id].cluster_id for each in best[:SEEDS] if each.hop == 0)
    most = best[0].score or 1.0
    scale = max(_strength(each) for each in best)
    for each in best:
        engram = engrams[each.id]
        if each.hop and home >= 0 and engram.cluster_id >= 0 and engram.cluster_id != home:
            each.score *= CROSS_CLUSTER
            each.path.append("from another cluster")
        relevance = max(0.0, each.score / most * scale)
        each.score = (1 - weights.vitality) * relevance + weights.vitality * vitality(engram, now)
    return sorted(best, key=lambda each: (-each.score, each.id))


def vitality(engram: Engram, now: datetime) -> float:
    """Return how alive a memory is, 0 … 1: the mean of importance, recency of use and decay."""
    hours = (now - engram.last_accessed_at).total_seconds() / 3600
    return (engram.importance + recency(hours) + engram.decay_factor * decay(hours)) / 3


def seed_cluster(clusters: Iterable[int]) -> int:
    """Return the most frequent cluster of the direct hits, the smaller id if two tie, −1 if none has any."""
    counts = Counter(cluster for cluster in clusters if cluster >= 0)
    return min(counts, key=lambda cluster: (-counts[cluster], cluster), default=-1)


def _strength(each: Candidate) -> float:
    """Return how well a candidate matches at all, 0 … 1, independent of the others."""
    return min(1.0, max(each.cosine, 0.0, (each.text + max(each.cosine, 0.0)) / 2, each.text, 0.5 * each.time))


def _best(candidates: Iterable[Candidate], n: int) -> list[Candidate]:
    return sorted(candidates, key=lambda each: (-each.score, each.id))[:n]
