# SPDX-License-Identifier: Apache-2.0
"""From candidates to a ranking: fusion, neighbours, spreading, names, and the composite score."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast

from ..domain.records import Cue, Entity, Kind
from ..domain.scoring import decay, min_max, recency
from . import names
from .candidates import Candidate, Life, Pool, Step
from .confidence import confidence
from .neighbours import Neighbours
from .spread import spread
from .turns import Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """How much each kind of evidence counts. Set to 0, a kind is left out.

    Chosen on the tuning part of LoCoMo (``benchmarks/locomo.py``), except ``names`` (see ``names.py``).
    """

    text: float = 0.3
    vector: float = 0.3
    late: float = 0.4  # late interaction, with the neighbours' help
    cue: float = 0.0
    time: float = 0.2
    speaker: float = 0.15  # of a turn of somebody whom a question for several things names
    source: float = 0.2  # of the best score in the source that a turn was told in
    neighbours: float = 1.0  # of what memories told one after the other lend each other
    spread: float = 0.0  # of the score of the memory it was reached from
    names: float = 1.0  # of what the names in the question and in the best candidates add
    vitality: float = 0.03  # importance, recency of use and decay together: breaks near-ties


NEIGHBOURED = 40
"""Best candidates whose neighbours in the same source are looked at."""

EARLY = 16
"""Best candidates by words alone of which the same is done while the question's vector is being made."""

COMPARED = 100
"""Best candidates that are compared with the question token by token."""

ARTICLES = 0.5
"""Share of its weight that late interaction has where names lead on."""

READ = 32
"""Best candidates that are read, to tell questions from answers."""

SEEDS = 8
"""Best candidates that name the home cluster, and that nothing needs to lead to."""

CROSS_CLUSTER = 0.5
"""Factor for what was reached by a hop into another cluster than the seeds' (smriti's)."""


def rank(pool: Pool, weights: Weights, now: datetime, depth: int) -> list[Candidate]:
    """Find candidates and return the ``depth`` best, best first, each with its ``score`` in 0 … 1.

    Scores are normalised over the pool and then scaled by how well the best candidate matches at all, so
    that a question about nothing the memory holds gets low scores.
    """
    if not pool.plan.topical:
        weights = replace(weights, time=1.0, text=0.1, vector=0.1, late=0.0)
    first_look = _less_late(weights, 0.0)
    # While the vector is being made, all is done that can be done without.
    pool.find_by_text()
    if weights.cue:
        pool.find_by_cues()
    pool.find_by_time()
    titled = names.in_question(pool) if weights.names else {}
    beside = Neighbours(pool)
    if weights.neighbours:
        beside.look(each.id for each in heapq.nlargest(EARLY, pool.by_id.values(), key=lambda each: each.text))
    pool.bring({*beside.ids, *titled})
    pool.find_by_vector()
    pool.complete(list(pool.by_id))
    fuse(pool, first_look)
    first = best_of(pool, NEIGHBOURED)
    if weights.neighbours:
        beside.look(each.id for each in first)
    reached = spread(pool, {each.id: each.score for each in first[:SEEDS]}) if weights.spread else {}
    fresh = pool.add({*beside.ids, *titled, *reached})
    _take_names(pool, titled, weights.names * names.TITLED)
    for id in reached.keys() & fresh - beside.ids - titled.keys():
        each = pool.by_id[id]
        each.hop, each.step, each.spread = 1, reached[id], weights.spread * reached[id].score
    beside.lend_words(weights.neighbours)
    fuse(pool, first_look)
    if weights.late:
        if beside.lend_tokens([each.id for each in best_of(pool, COMPARED)], weights.neighbours):
            fuse(pool, weights)
        else:
            weights = first_look
    turns = _read_turns(pool, beside, weights)
    if weights.names:
        _follow_names(pool, beside, weights)
    best = best_of(pool, depth)
    if pool.plan.topical:
        said = {id: speaker for id, turn in turns.items() if (speaker := turn.speaker) is not None}
        pool.confidence = confidence(pool, best, said)
    best = composite(pool, best, weights, now)
    _explain(pool, best, beside)
    return best


def rest(pool: Pool, best: Sequence[Candidate], depth: int) -> list[Candidate]:
    """Return what comes after all that was ranked, so that an answer can be read on: up to ``depth`` with the best.

    These are what words and meaning find beyond the candidates, in the order of the mean of both, and below the last of
    the best.
    """
    ranked = {each.id for each in best}
    pool.find_by_text(depth)
    pool.find_by_vector(depth)
    more = [each for id, each in pool.by_id.items() if id not in ranked]
    pool.complete([each.id for each in more])
    for each in more:
        each.score = (each.text + each.cosine) / 2
    more = sorted(more, key=lambda each: (-each.score, each.id))[: max(0, depth - len(best))]
    highest = max((each.score for each in more), default=0.0)
    lowest = min((each.score for each in best), default=1.0)
    for each in more:
        each.score = lowest * max(0.0, each.score) / highest if highest > 0 else 0.0
    return more


def _less_late(weights: Weights, share: float) -> Weights:
    """Leave late interaction a share of its weight, and give the rest to words and meaning."""
    others = weights.text + weights.vector
    more = 1 + (1 - share) * weights.late / others if others else 1.0
    return replace(
        weights,
        text=more * weights.text,
        vector=more * weights.vector,
        late=share * weights.late,
    )


def fuse(pool: Pool, weights: Weights) -> None:
    """Score by words and meaning, min-max normalised over the candidates, plus cues and time and what came later."""
    some = list(pool.by_id.values())
    texts = min_max([each.text + each.borrowed for each in some])
    cosines = min_max([each.cosine for each in some])
    for each, text, cosine in zip(some, texts, cosines, strict=True):
        words = weights.text * text
        each.base = words + weights.vector * cosine + weights.cue * each.cue + weights.time * each.time
        if each.borrowed:
            loan = words * each.borrowed / (each.text + each.borrowed)
            each.base -= loan
            each.lent += loan - each.loan
            each.loan = loan
    if weights.late:
        # What was not compared token by token is taken to match like the worst that was.
        compared = [each for each in some if each.told_apart]
        for each, late in zip(compared, min_max([each.late for each in compared]), strict=True):
            each.base += weights.late * late


def best_of(pool: Pool, n: int) -> list[Candidate]:
    """Add up the scores and return the candidates with the highest, best first."""
    some = list(pool.by_id.values())
    for each in some:
        each.score = each.base + each.lent + each.named + each.spread - each.penalty
    if len(some) > n:
        least = sorted([each.score for each in some])[-n]  # numbers are sorted in a fraction of the time
        some = [each for each in some if each.score >= least]
    return sorted(some, key=lambda each: (-each.score, each.id))[:n]


def _read_turns(pool: Pool, beside: Neighbours, weights: Weights) -> dict[str, Turn]:
    """Let answers follow their questions, and count who says a turn, and where; return the turns read for it."""
    if not beside.ids:
        return {}
    best = best_of(pool, READ)
    turns = pool.turns(beside.with_questions(each.id for each in best if each.short))
    beside.lend_questions(turns, weights.neighbours)
    beside.hear_speakers(turns, weights.speaker)
    if weights.source:
        beside.keep_to_sources(best_of(pool, READ), turns, weights.source)
    return turns


def _follow_names(pool: Pool, beside: Neighbours, weights: Weights) -> None:
    best = best_of(pool, names.HITS)
    hits = {each.id: each.score / best[0].score for each in best if each.score > 0}
    named = names.from_hits(pool, hits)
    if named is None:
        return
    again = names.ask_again(pool, list(hits))
    fresh = pool.add({*named, *again})
    if fresh and weights.late:
        beside.lend_tokens(fresh, weights.neighbours)
    _take_names(pool, named, weights.names * names.NAMED)
    for id, score in again.items():
        if (each := pool.by_id.get(id)) is not None:
            each.named += weights.names * names.AGAIN * score
    # Among articles about much the same, what is special are names, and words tell those better than tokens do.
    fuse(pool, _less_late(weights, ARTICLES))


def _take_names(pool: Pool, steps: Mapping[str, Step], share: float) -> None:
    for id, step in steps.items():
        if (each := pool.by_id.get(id)) is not None:
            each.named += share * step.score
            each.step = each.step or step


def composite(pool: Pool, best: Sequence[Candidate], weights: Weights, now: datetime) -> list[Candidate]:
    """Finish the scores of the best candidates: clusters, vitality, and the scale of the best match."""
    lives = pool.lives([each.id for each in best])
    best = [each for each in best if each.id in lives]
    if not best:
        return []
    home = seed_cluster(lives[each.id].cluster_id for each in best[:SEEDS] if each.hop == 0)
    most = best[0].score or 1.0
    scale = max(_strength(each) for each in best)
    for each in best:
        life = lives[each.id]
        if each.hop and home >= 0 and life.cluster_id >= 0 and life.cluster_id != home:
            each.score *= CROSS_CLUSTER
            each.path.append("from another cluster")
        relevance = max(0.0, each.score / most * scale)
        each.score = (1 - weights.vitality) * relevance + weights.vitality * vitality(life, now)
    return sorted(best, key=lambda each: (-each.score, each.id))


def _explain(pool: Pool, best: Sequence[Candidate], beside: Neighbours) -> None:
    """Put into words how the best candidates were reached."""
    over: dict[Kind, set[str]] = defaultdict(set)
    for each in best:
        if each.step is not None and each.step.kind is not None:
            over[each.step.kind].add(each.step.over)
    records = {id: record for kind, ids in over.items() for id, record in pool.store.get(kind, sorted(ids)).items()}
    for each in best:
        if (step := each.step) is not None:
            record = records.get(step.over)
            each.via = step.seed
            each.path.insert(0, step.words.format(cast(Cue | Entity, record).name) if record else step.words)
        elif each.lent > each.base:
            each.via = each.lender
            each.path.append(beside.told(each))


def vitality(life: Life, now: datetime) -> float:
    """Return how alive a memory is, 0 … 1: the mean of importance, recency of use and decay."""
    hours = (now - life.last_accessed_at).total_seconds() / 3600
    return (life.importance + recency(hours) + life.decay_factor * decay(hours)) / 3


def seed_cluster(clusters: Iterable[int]) -> int:
    """Return the most frequent cluster of the direct hits, the smaller id if two tie, −1 if none has any."""
    counts = Counter(cluster for cluster in clusters if cluster >= 0)
    return min(counts, key=lambda cluster: (-counts[cluster], cluster), default=-1)


def _strength(each: Candidate) -> float:
    """Return how well a candidate matches at all, 0 … 1, independent of the others."""
    return min(1.0, max(each.cosine, 0.0, (each.text + max(each.cosine, 0.0)) / 2, each.text, 0.5 * each.time))
