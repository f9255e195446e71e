# SPDX-License-Identifier: Apache-2.0
"""What the recall benchmarks share: plain rankings to compare with, recall at a depth, intervals, tables."""

from __future__ import annotations

import random
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from becausal.domain.scoring import idf, min_max
from becausal.domain.text import query_terms, terms
from becausal.engine.memory import Memory
from becausal.ports.models import Embedder
from becausal.recall.rank import Weights

CUTS = (5, 10, 20)
PLAIN = ("BM25", "dense", "rank fusion", "score fusion")
PARTS = {"cues": "cue", "graph": "spread", "words": "text", "meaning": "vector"}
"""Parts of recall by their name on the command line, where that is not the weight's own."""

K1, B = 1.5, 0.75
RRF = 60
ROUNDS = 2000
DEPTH = 100  # places of a ranking that rank fusion looks at


def weights_without(parts: str, changes: str = "") -> Weights:
    """Return recall's weights with some of them (comma-separated) at 0 and others changed (``cue=0.1,…``)."""
    values = {PARTS.get(part, part): 0.0 for part in filter(None, parts.split(","))}
    for each in filter(None, changes.split(",")):
        part, _, value = each.partition("=")
        values[PARTS.get(part, part)] = float(value)
    return replace(Weights(), **values)


@contextmanager
def weighing(memory: Memory, weights: Weights) -> Iterator[None]:
    """Have a memory answer with other weights in a ``with`` block."""
    usual, memory._recaller._weights = memory._recaller._weights, weights
    try:
        yield
    finally:
        memory._recaller._weights = usual


class Plain:
    """BM25, cosine similarity and two fusions of them over all of some texts, without a store.

    BM25 has k1 1.5 and b .75; rank fusion is Σ 1 / (60 + rank), score fusion half and half after each is
    stretched to 0 … 1 over the texts that either finds among its first hundred.
    """

    def __init__(self, texts: Mapping[str, str], embedder: Embedder) -> None:
        self._ids = list(texts)
        counts = [Counter(terms(text)) for text in texts.values()]
        lengths = np.array([count.total() for count in counts], np.float32)
        self._norm = K1 * (1 - B + B * lengths / lengths.mean())
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for at, count in enumerate(counts):
            for term, often in count.items():
                self._postings[term].append((at, often))
        self._embedder = embedder
        self._vectors = embedder.embed(list(texts.values()))

    def rankings(self, question: str, depth: int = CUTS[-1]) -> dict[str, list[str]]:
        """Return the best ids of each way of ranking, by its name."""
        words = np.zeros(len(self._ids), np.float32)
        for term in query_terms(question):
            posted = self._postings.get(term, [])
            weight = idf(len(self._ids), len(posted))
            for at, often in posted:
                words[at] += weight * often * (K1 + 1) / (often + self._norm[at])
        meaning = self._vectors @ self._embedder.embed([question])[0]
        by_words = [at for at in _first(words, DEPTH) if words[at] > 0]
        by_meaning = _first(meaning, DEPTH)
        ranks: dict[int, float] = defaultdict(float)
        for ranking in (by_words, by_meaning):
            for place, at in enumerate(ranking, 1):
                ranks[at] += 1 / (RRF + place)
        pool = list(ranks)
        one, other = (min_max([float(scores[at]) for at in pool]) for scores in (words, meaning))
        fused = {at: word + near for at, word, near in zip(pool, one, other, strict=True)}
        orders = (by_words, by_meaning, _best(ranks), _best(fused))
        return {name: [self._ids[at] for at in order[:depth]] for name, order in zip(PLAIN, orders, strict=True)}


def _first(scores: Any, n: int) -> list[int]:
    order: list[int] = np.argsort(-scores, kind="stable")[:n].tolist()
    return order


def _best(scores: Mapping[int, float]) -> list[int]:
    return sorted(scores, key=lambda at: (-scores[at], at))


def recall_at(found: Sequence[Hashable], gold: Iterable[Hashable], cuts: Sequence[int] = CUTS) -> list[float]:
    """Return the share of what is wanted among the first results, for each depth."""
    wanted = set(gold)
    return [len(wanted.intersection(found[:cut])) / len(wanted) for cut in cuts]


def means(rows: Sequence[Sequence[float]], names: Sequence[str]) -> dict[str, float]:
    """Return how many rows there are and the mean of every column."""
    columns = zip(*rows, strict=True)
    return {"questions": len(rows), **{name: statistics.fmean(each) for name, each in zip(names, columns, strict=True)}}


def interval(values: Sequence[float], statistic: Callable[[Sequence[float]], float] = statistics.fmean) -> list[float]:
    """Return a statistic and its 95 % interval by the percentile bootstrap over the values, with a fixed seed."""
    draw = random.Random(1)
    drawn = sorted(statistic(draw.choices(values, k=len(values))) for _ in range(ROUNDS))
    return [statistic(values), drawn[int(0.025 * ROUNDS)], drawn[int(0.975 * ROUNDS)]]


def percentile(values: list[float], share: float) -> float:
    """Return the value that a share of them, 0 to 1, lies below."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def auroc(higher: Sequence[float], lower: Sequence[float]) -> float:
    """Return how often one of the first is greater than one of the second, ties counting half."""
    order = sorted([(value, True) for value in higher] + [(value, False) for value in lower])
    ranks: dict[float, list[int]] = defaultdict(list)
    for rank, (value, _) in enumerate(order, 1):
        ranks[value].append(rank)
    total = sum(statistics.fmean(ranks[value]) for value, is_higher in order if is_higher)
    return (total - len(higher) * (len(higher) + 1) / 2) / (len(higher) * len(lower))
