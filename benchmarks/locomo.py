# SPDX-License-Identifier: Apache-2.0
"""Evidence recall on LoCoMo: each turn told as a memory of its own, each question asked through ``Memory``.

    python benchmarks/locomo.py --data DIR [--split tuning|reporting] [--without cues,neighbours,…] [--ablate]
                                [--backend sqlite]

``DIR`` holds ``locomo/dev.json``. A question counts by the share of its evidence turns among the first 5, 10
and 20 results; BM25, cosine similarity and two fusions of them are computed in the same run on the same texts.
The split is fixed: the first three conversations are for tuning, the last two for reporting. (The shares in
``recall/neighbours.py`` were once chosen on all five.) ``--ablate`` asks everything again without each part of
recall, and with those that are off by default; ``--try graph,clusters`` asks with those named only, where "clusters" is
"graph" after a consolidation has found clusters, so that a hop into another one counts half. ``--keep`` leaves the
filled memories in a folder, for the next run.
``--backend`` keeps them in another database; a server is found by the settings (``NEO4J_URI``, ``FALKOR_ADDR``, …), and
what is stored there, for users named after the moment, stays.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from becausal import Memory
from becausal.recall.rank import Weights
from measuring import CUTS, PLAIN, Plain, auroc, interval, means, recall_at, weights_without
from page import shown, table

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop", 5: "adversarial"}
UNANSWERABLE = 5
TUNING = 3
NAMES = tuple(f"R@{cut}" for cut in CUTS)
OURS, BASE = "recall", "score fusion"
ABLATED = ("words", "meaning", "late", "neighbours", "speaker", "source", "time", "names", "vitality")
"""Parts of recall, by their names on the command line."""
ADDED = {"cues": "cue=0.05", "graph": "graph=0.5"}
"""Parts that are off by default, and with what they were tried."""

CLUSTERED = "with clusters"
"""The variant before which the memory is consolidated: the last one."""

TRIED = {**ADDED, "clusters": ADDED["graph"]}


@dataclass(frozen=True)
class Asked:
    """One question: its part of the data, its category, and what each ranking made of it."""

    part: str
    category: int
    scores: Mapping[str, Sequence[float]]
    confidence: float
    milliseconds: float


def turns(conversation: Mapping[str, Any]) -> Iterator[tuple[str, str, str, datetime]]:
    """Yield id, source, text and time of every turn."""
    number = 1
    while (key := f"session_{number}") in conversation or f"{key}_date_time" in conversation:
        if key in conversation:
            when = datetime.strptime(conversation[f"{key}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
            for turn in conversation[key]:
                caption = f" [{turn['blip_caption']}]" if turn.get("blip_caption") else ""
                yield turn["dia_id"], key, f"{turn['speaker']}: {turn['text']}{caption}", when
        number += 1


def questions(sample: Mapping[str, Any], known: set[str]) -> Iterator[tuple[str, int, set[str]]]:
    """Yield text, category and evidence of the questions whose evidence is there."""
    for question in sample["qa"]:
        evidence = {part for each in question.get("evidence", []) for part in each.replace(";", " ").split()}
        if evidence := evidence & known:
            yield question["question"], question["category"], evidence


def run(
    sample: Mapping[str, Any],
    part: str,
    folder: Path,
    variants: Mapping[str, Weights],
    mode: str,
    scoring: str,
    clusters: bool,
    backend: str,
    user: str,
) -> list[Asked]:
    """Tell a conversation, unless it was told before, and ask its questions, once for each variant."""
    told = list(turns(sample["conversation"]))
    texts = {id: text for id, _, text, _ in told}
    asked = list(questions(sample, set(texts)))
    ids = {}
    with Memory.open(folder, user=user, db_type=backend) as memory:
        for id, source, text, when in told:
            ids[memory.store(text, source=source, occurred_at=when, timezone="UTC").engram.id] = id
        memory.settle()
        if clusters:
            memory.upkeep.consolidate()
        plain = Plain(texts, memory._embedder)
        scores: list[dict[str, list[float]]] = []
        for question, _, evidence in asked:
            rankings = plain.rankings(question)
            scores.append({name: recall_at(rankings[name], evidence) for name in PLAIN})
    confidence, times = [], []
    for variant, weights in variants.items():
        with Memory.open(folder, user=user, db_type=backend, weights=weights, scoring=scoring) as memory:
            memory.warm()
            if variant == CLUSTERED:
                memory.upkeep.consolidate()
            for (question, _, evidence), row in zip(asked, scores, strict=True):
                began = time.perf_counter()
                found = memory.recall(question, limit=CUTS[-1], mode=mode, strengthen=False)
                if variant == OURS:
                    times.append((time.perf_counter() - began) * 1000)
                    confidence.append(found.confidence or 0.0)
                row[variant] = recall_at([ids[result.engram.id] for result in found.results], evidence)
    return [
        Asked(part, category, row, sure, spent)
        for (_, category, _), row, sure, spent in zip(asked, scores, confidence, times, strict=True)
    ]


def ranked(asked: Sequence[Asked]) -> dict[str, dict[str, dict[str, float]]]:
    """Return recall by ranking and category."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for name in (*PLAIN, OURS):
        by_category: dict[str, list[Sequence[float]]] = {name: [] for name in CATEGORIES.values()}
        for each in asked:
            by_category[CATEGORIES[each.category]].append(each.scores[name])
        rows = {**by_category, "all": [each.scores[name] for each in asked]}
        found[name] = {category: means(some, NAMES) for category, some in rows.items() if some}
    return found


def compared(asked: Sequence[Asked], one: str, other: str) -> dict[str, list[float]]:
    """Return the mean difference between two rankings at each depth, with its interval."""
    return {
        name: interval([each.scores[one][at] - each.scores[other][at] for each in asked])
        for at, name in enumerate(NAMES)
    }


def figures(asked: Sequence[Asked], variants: Sequence[str]) -> dict[str, Any]:
    """Return everything that is said of one part of the data."""
    there = [each.confidence for each in asked if each.category != UNANSWERABLE]
    absent = [each.confidence for each in asked if each.category == UNANSWERABLE]
    found: dict[str, Any] = {
        "ranking": ranked(asked),
        "over score fusion": compared(asked, OURS, BASE),
        "median ms": statistics.median(each.milliseconds for each in asked),
    }
    if there and absent:
        found["confidence"] = {
            "AUROC": auroc(there, absent),
            "answerable": statistics.fmean(there),
            "unanswerable": statistics.fmean(absent),
        }
    if len(variants) > 1:
        found["parts"] = {
            name: compared(asked, *((name, OURS) if name.startswith("with ") else (OURS, name)))
            for name in variants
            if name != OURS
        }
    return found


def show(title: str, result: Mapping[str, Any]) -> None:
    for name, by_category in result["ranking"].items():
        rows = [(category, *row.values()) for category, row in by_category.items()]
        print(f"\n{table((f'{title}, {name}', 'questions', *NAMES), rows)}")
    print(f"\n{OURS} over {BASE}: " + ", ".join(f"{n} {shown(d)}" for n, d in result["over score fusion"].items()))
    if "parts" in result:
        rows = [(name, *map(shown, by.values())) for name, by in result["parts"].items()]
        print(f"\n{table(('what each part adds', *NAMES), rows)}")
    if "confidence" in result:
        print("\nconfidence: " + ", ".join(f"{name} {value:.3f}" for name, value in result["confidence"].items()))
    print(f"\nmedian {result['median ms']:.1f} ms a question")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--split", choices=["tuning", "reporting", "all"], default="all")
    parser.add_argument("--without", default="", help="parts of recall to leave out, comma-separated")
    parser.add_argument("--set", default="", help="weights to change, such as cue=0.1,time=0.3")
    parser.add_argument("--ablate", action="store_true", help="also ask without each part of recall")
    parser.add_argument("--try", dest="tried", default="", help=f"parts to ask with: {', '.join(TRIED)}")
    parser.add_argument("--mode", default="recall")
    parser.add_argument("--scoring", default="default")
    parser.add_argument("--first", type=int, default=99, help="conversations of each part at most")
    parser.add_argument("--clusters", action="store_true", help="consolidate before asking, so that there are clusters")
    parser.add_argument("--backend", default="sqlite", help="the database that keeps the memories")
    parser.add_argument("--keep", type=Path, help="a folder to leave the memories in, or to find them in")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    file = options.data / "locomo" / "dev.json"
    if not file.exists():
        print(f"skipped: {file} is not there", file=sys.stderr)
        return 0
    samples = json.loads(file.read_text(encoding="utf-8"))
    split = {"tuning": samples[:TUNING], "reporting": samples[TUNING:]}
    variants = {OURS: weights_without(options.without, options.set)}
    if options.ablate:
        variants |= {f"without {part}": weights_without(f"{options.without},{part}", options.set) for part in ABLATED}
        variants |= {
            f"with {part}": weights_without(options.without, f"{options.set},{on}") for part, on in ADDED.items()
        }
    user = "bench" if options.keep else f"bench-{int(time.time())}"
    how = (options.mode, options.scoring, options.clusters, options.backend)
    variants |= {
        f"with {part}": weights_without(options.without, f"{options.set},{TRIED[part]}")
        for part in filter(None, options.tried.split(","))
    }
    results: dict[str, Any] = {}
    everything: list[Asked] = []
    with tempfile.TemporaryDirectory() as temporary:
        for part, some in split.items():
            if options.split in (part, "all"):
                asked: list[Asked] = []
                for sample in some[: options.first]:
                    folder = (options.keep or Path(temporary)) / sample["sample_id"]
                    asked += run(sample, part, folder, variants, *how, f"{user}-{sample['sample_id']}")
                results[part] = {
                    "conversations": [sample["sample_id"] for sample in some[: options.first]],
                    **figures(asked, list(variants)),
                }
                everything += asked
    if options.split == "all":
        results["all"] = figures(everything, list(variants))
    for part, result in results.items():
        show(f"LoCoMo dev, {part}", result)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
