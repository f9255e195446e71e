# SPDX-License-Identifier: Apache-2.0
"""Evidence recall on LoCoMo: each turn told as a memory of its own, each question asked through ``Memory``.

    python benchmarks/locomo.py --data DIR [--split tuning|reporting|all] [--without text,vector,…]

``DIR`` holds ``locomo/dev.json``. A question counts by the share of its evidence turns among the first
5, 10 and 20 results. The weights were chosen on the first conversations of the tuning part, which is the first
three; the figures in ``recall/neighbours.py`` on all five, so the reporting part, the last two, is no test of them.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from becausal import Memory
from becausal.recall.rank import Weights

CUTS = (5, 10, 20)
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop", 5: "adversarial"}
TUNING = 3


def turns(conversation: dict[str, Any]) -> Iterator[tuple[str, str, str, datetime]]:
    """Yield id, source, text and time of every turn."""
    number = 1
    while (key := f"session_{number}") in conversation or f"{key}_date_time" in conversation:
        if key in conversation:
            when = datetime.strptime(conversation[f"{key}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
            for turn in conversation[key]:
                caption = f" [{turn['blip_caption']}]" if turn.get("blip_caption") else ""
                yield turn["dia_id"], key, f"{turn['speaker']}: {turn['text']}{caption}", when
        number += 1


def run(sample: dict[str, Any], weights: Weights, mode: str, scoring: str) -> Iterator[tuple[int, list[float], float]]:
    """Yield category, recall at the cuts, and seconds of every question of a conversation."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open(folder, user="bench", weights=weights, scoring=scoring) as memory,
    ):
        ids = {}
        for id, source, text, when in turns(sample["conversation"]):
            ids[memory.store(text, source=source, occurred_at=when, timezone="UTC").engram.id] = id
        memory.settle()
        for question in sample["qa"]:
            evidence = {part for each in question.get("evidence", []) for part in each.replace(";", " ").split()}
            evidence &= set(ids.values())
            if not evidence:
                continue
            began = time.perf_counter()
            found = memory.recall(question["question"], limit=20, mode=mode, strengthen=False)
            spent = time.perf_counter() - began
            order = [ids[result.engram.id] for result in found.results]
            yield question["category"], [len(evidence & set(order[:cut])) / len(evidence) for cut in CUTS], spent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--split", choices=["tuning", "reporting", "all"], default="all")
    parser.add_argument("--without", default="", help="kinds of evidence to leave out, comma-separated")
    parser.add_argument("--set", default="", help="weights to change, such as cue=0.1,time=0.3")
    parser.add_argument("--mode", default="recall")
    parser.add_argument("--scoring", default="default")
    parser.add_argument("--first", type=int, default=99, help="conversations at most")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    file = options.data / "locomo" / "dev.json"
    if not file.exists():
        print(f"skipped: {file} is not there", file=sys.stderr)
        return 0
    changes = dict.fromkeys(filter(None, options.without.split(",")), 0.0)
    changes |= {
        name: float(value) for name, value in (each.split("=") for each in filter(None, options.set.split(",")))
    }
    weights = dataclasses.replace(Weights(), **changes)
    samples = json.loads(file.read_text())
    chosen = {"tuning": samples[:TUNING], "reporting": samples[TUNING:], "all": samples}[options.split][: options.first]
    scores: dict[int, list[list[float]]] = defaultdict(list)
    times: list[float] = []
    for sample in chosen:
        for category, found, spent in run(sample, weights, options.mode, options.scoring):
            scores[category].append(found)
            times.append(spent)
    rows = {CATEGORIES[category]: scores[category] for category in sorted(scores)}
    rows["all"] = [each for found in scores.values() for each in found]
    print(f"| LoCoMo dev, {options.split} | questions | " + " | ".join(f"R@{cut}" for cut in CUTS) + " |")
    print("|---|---|" + "---|" * len(CUTS))
    table = {}
    for name, found in rows.items():
        means = [sum(each[at] for each in found) / len(found) for at in range(len(CUTS))]
        table[name] = {"questions": len(found), **{f"R@{cut}": mean for cut, mean in zip(CUTS, means, strict=True)}}
        print(f"| {name} | {len(found)} | " + " | ".join(f"{mean:.3f}" for mean in means) + " |")
    print(f"\nmedian {sorted(times)[len(times) // 2] * 1000:.1f} ms a question")
    if options.json:
        options.json.write_text(json.dumps(table, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
