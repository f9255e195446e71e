# SPDX-License-Identifier: Apache-2.0
"""A year in the life of a memory: what consolidation puts away, what it keeps, and whether recall still finds it.

    python benchmarks/lifetime.py [--size 5000] [--days 365] [--embedder minilm] [--json FILE]

Made-up notes of all importances are told over 30 days. Then a clock that can be turned goes through a year: every day a
few things are asked, most of them about a part of the notes that is in use, and the memory is consolidated. Probes,
questions about important notes in part of their words, are asked at the start and at the end, and change nothing; at
the end also without importance, recency of use and decay ("vitality") in the ranking.
The exit code is 1 if anything important was archived, anything that should have been was not, something
archived did not come back, or the probes find less at the end than at the start.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from becausal.domain.records import Engram, Kind
from becausal.domain.scoring import retained
from becausal.engine.memory import Memory
from becausal.models.lazy import LazyEmbedder
from becausal.models.registry import make_embedder
from becausal.ports.store import Order
from becausal.recall.rank import Weights
from becausal.stores.registry import open_store
from measuring import percentile, weighing
from notes import notes

START = datetime(2026, 1, 1, 9, tzinfo=UTC)
TOLD_IN = 30
IN_USE = 0.2
"""Share of the notes that the daily questions are about."""

ASKED_A_DAY = 3
PROBES = 100


class TurnableClock:
    """A clock that stands still until it is turned."""

    def __init__(self) -> None:
        self.moment = START

    def now(self) -> datetime:
        self.moment += timedelta(microseconds=1)
        return self.moment


def asked_about(text: str, draw: random.Random) -> str:
    words = text.rstrip(".").split()
    start = draw.randint(0, max(0, len(words) - 6))
    return "What do we know about " + " ".join(words[start : start + 5]) + "?"


def everything(memory: Memory) -> list[Engram]:
    found: list[Engram] = []
    after = None
    while True:
        page = memory._store.find(Kind.ENGRAM, (), Order("id"), 1000, after)
        found += [record for record in page.records if isinstance(record, Engram)]
        if (after := page.next) is None:
            return found


def recall_at_ten(memory: Memory, probes: Sequence[tuple[str, str]]) -> float:
    """Return the share of probes whose note is among the first ten results."""
    return first_ten(memory, probes)[0]


def first_ten(memory: Memory, probes: Sequence[tuple[str, str]]) -> tuple[float, float]:
    """Return the share of probes whose note is among the first ten results, and the mean importance of all of these."""
    found, importances = 0, []
    for question, id in probes:
        results = memory.recall(question, limit=10, strengthen=False).results
        found += id in {result.engram.id for result in results}
        importances += [result.engram.importance for result in results]
    return found / len(probes), statistics.fmean(importances)


def live(memory: Memory, clock: TurnableClock, size: int, days: int) -> dict[str, Any]:
    draw = random.Random(5)
    told: list[tuple[str, str, float]] = []
    for number, (text, source, _) in enumerate(notes(size)):
        clock.moment = START + timedelta(days=TOLD_IN * number / size)
        importance = round(draw.random(), 2)
        told.append((memory.store(text, source=source, importance=importance).engram.id, text, importance))
    memory.settle()
    important = [each for each in told if each[2] >= 0.5]
    probes = [(asked_about(text, draw), id) for id, text, _ in draw.sample(important, min(PROBES, len(important)))]
    in_use = draw.sample(told, int(len(told) * IN_USE))
    figures: dict[str, Any] = {"memories": size, "days": days, "recall@10 at the start": recall_at_ten(memory, probes)}
    spent = []
    for day in range(days):
        clock.moment = START + timedelta(days=TOLD_IN + day + 1)
        for _ in range(ASKED_A_DAY):
            memory.recall(asked_about(draw.choice(in_use)[1], draw), limit=5)
        memory.settle()
        began = time.perf_counter()
        done = memory.upkeep.consolidate()
        spent.append(time.perf_counter() - began)
        if day % 60 == 59:
            print(f"  day {day + 1}: {dict(done.steps)}", file=sys.stderr)
    figures["recall@10 at the end"], figures["importance of the first ten"] = first_ten(memory, probes)
    with weighing(memory, replace(Weights(), vitality=0.0)):
        without = first_ten(memory, probes)
    figures["recall@10 without vitality"], figures["importance of the first ten without vitality"] = without
    figures["consolidation p50, s"] = statistics.median(spent)
    figures["consolidation p95, s"] = percentile(spent, 0.95)
    return figures | judged(memory, clock)


def judged(memory: Memory, clock: TurnableClock) -> dict[str, Any]:
    """Return what was archived and what was not, and whether all of it comes back."""
    now = clock.now()
    engrams = everything(memory)
    archived = [each for each in engrams if each.archived_at is not None]

    def left(each: Engram) -> float:
        return retained(each.decay_factor, (now - each.last_accessed_at).total_seconds() / 3600)

    weak = [each for each in engrams if each.importance < 0.3 and not each.access_count and left(each) < 0.05]
    figures = {
        "used at least once": sum(each.access_count > 0 for each in engrams),
        "archived": len(archived),
        "archived, importance ≥ .5": sum(each.importance >= 0.5 for each in archived),
        "never used, importance < .3, less than .05 left": len(weak),
        "of these not archived": sum(each.archived_at is None for each in weak),
        "clusters": len(memory.upkeep.clusters(100)),
    }
    ids = [each.id for each in archived]
    if ids:
        memory.upkeep.restore(ids)
    back = {each.id for each in everything(memory) if each.archived_at is None}
    figures["archived and not brought back"] = sum(id not in back for id in ids)
    figures["lost"] = len(engrams) - len(back)
    return figures


def passed(figures: dict[str, Any]) -> bool:
    return (
        figures["archived"] > 0
        and figures["archived, importance ≥ .5"] == 0
        and figures["of these not archived"] == 0
        and figures["archived and not brought back"] == 0
        and figures["lost"] == 0
        and figures["recall@10 at the end"] >= figures["recall@10 at the start"]
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=5000)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--embedder", default="minilm")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    clock = TurnableClock()
    with tempfile.TemporaryDirectory() as folder:
        store = open_store("sqlite", location=Path(folder), user="bench")
        embedder = LazyEmbedder(make_embedder(options.embedder, path=None, threads=2))
        with Memory(store, embedder, clock=clock, timezone=UTC, start_worker=False) as memory:
            embedder.load()
            figures = live(memory, clock, options.size, options.days)
    print("| figure | value |\n|---|---|")
    for name, value in figures.items():
        print(f"| {name} | {value:,.3f} |" if isinstance(value, float) else f"| {name} | {value:,} |")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2))
    print("\npassed" if passed(figures) else "\nFAILED")
    return 0 if passed(figures) else 1


if __name__ == "__main__":
    sys.exit(main())
