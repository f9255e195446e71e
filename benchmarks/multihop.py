# SPDX-License-Identifier: Apache-2.0
"""Evidence recall on questions that join facts of several passages, beside plain rankings in the same run.

    python benchmarks/multihop.py --data DIR [--limit N] [--untitled] [--without names] [--keep DIR] [--json FILE]

``DIR`` holds ``2wiki/dev.jsonl`` (2WikiMultihopQA). All passages of all questions are told to one memory, each
as a memory of its own with its text alone: what it is about is read from the text. A question counts by the
share of its gold passages among the first five and ten results, and by whether all are among the first ten.
``--untitled`` leaves out the first line of every passage, which is its title, and the numbers of its sentences.

The figures in ``recall/names.py`` and the weights were chosen on these questions, most of them on the first
half, which is shown beside the second. ``--keep`` leaves the filled memory for the next run.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from becausal import Memory
from becausal.recall.rank import Weights
from measuring import PLAIN, Plain, means, recall_at, weighing, weights_without
from page import table

DEPTH = 10
COLUMNS = ("R@5", "R@10", "all in 10")
CUTS = (5, DEPTH)


def titled(questions: Sequence[Mapping[str, Any]], untitled: bool) -> dict[str, str]:
    """Return the title of every passage, each text once."""
    return {
        bare(chunk["chunk"]) if untitled else chunk["chunk"]: chunk["title"]
        for question in questions
        for chunk in question["chunks"]
    }


def bare(chunk: str) -> str:
    _, _, body = chunk.partition("\n")
    return re.sub(r"^\d+\. ", "", body, flags=re.MULTILINE) or chunk


@contextlib.contextmanager
def filled(texts: Iterable[str], weights: Weights, keep: Path | None) -> Iterator[Memory]:
    """Yield a memory of all passages."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open(keep or folder, user="bench", weights=weights) as memory,
    ):
        for text in texts:
            memory.store(text)
        while pending := memory.settle(10):
            print(f"  indexing, {pending:,} or more to go", file=sys.stderr)
        yield memory


def recalled(memory: Memory, question: str, title_of: Mapping[str, str]) -> list[str]:
    results = memory.recall(question, limit=DEPTH, strengthen=False).results
    return [title_of.get(result.engram.content, "") for result in results]


def row(found: Sequence[str], gold: set[str]) -> list[float]:
    at5, at10 = recall_at(found, gold, CUTS)
    return [at5, at10, float(at10 == 1.0)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--limit", type=int, help="questions at most")
    parser.add_argument("--untitled", action="store_true")
    parser.add_argument("--without", default="", help="kinds of evidence to leave out, comma-separated")
    parser.add_argument("--keep", type=Path, help="a folder to leave the memory in, or to find it in")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    file = options.data / "2wiki" / "dev.jsonl"
    if not file.exists():
        print(f"skipped: {file} is not there", file=sys.stderr)
        return 0
    questions = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()][: options.limit]
    title_of = titled(questions, options.untitled)
    rows: dict[str, list[list[float]]] = {name: [] for name in (*PLAIN, "recall without names", "recall")}
    times = []
    weights = weights_without(options.without)
    with filled(title_of, weights, options.keep) as memory:
        plain = Plain({text: text for text in title_of}, memory._embedder)
        memory.warm()
        for question in questions:
            gold = {fact["title"] for fact in question["supporting_facts"]}
            began = time.perf_counter()
            rows["recall"].append(row(recalled(memory, question["question"], title_of), gold))
            times.append((time.perf_counter() - began) * 1000)
            with weighing(memory, replace(weights, names=0.0)):
                rows["recall without names"].append(row(recalled(memory, question["question"], title_of), gold))
            for name, best in plain.rankings(question["question"], DEPTH).items():
                rows[name].append(row([title_of[text] for text in best], gold))
    half = (len(questions) + 1) // 2
    parts = {"first half": slice(0, half), "second half": slice(half, None), "all": slice(None)}
    result: dict[str, Any] = {"passages": len(title_of), "median ms": statistics.median(times), "ranking": {}}
    for name, counted in rows.items():
        result["ranking"][name] = {part: means(some, COLUMNS) for part, at in parts.items() if (some := counted[at])}
    lines = [
        (f"{name}, {part}", *figures.values())
        for name, by_part in result["ranking"].items()
        for part, figures in by_part.items()
    ]
    print(table((f"2WikiMultihopQA, {len(title_of):,} passages", "questions", *COLUMNS), lines))
    print(f"\nmedian {statistics.median(times):.1f} ms a question")
    if options.json:
        options.json.write_text(json.dumps(result, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
