# SPDX-License-Identifier: Apache-2.0
"""Evidence recall on questions that join facts of several passages, beside plain BM25 in the same run.

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
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from becausal import Memory
from becausal.domain.scoring import bm25
from becausal.domain.text import query_terms, terms
from becausal.recall.rank import Weights

DEPTH = 10
COLUMNS = ("R@5", "R@10", "all in 10")
K1, B = 1.5, 0.75

Row = tuple[float, float, float]


class Bm25:
    """Okapi BM25 over all passages, each text as one document."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._counts = {text: Counter(terms(text)) for text in texts}
        self._lengths = {text: counts.total() for text, counts in self._counts.items()}
        self._mean = statistics.fmean(self._lengths.values())
        self._spread = Counter(term for counts in self._counts.values() for term in counts)

    def best(self, question: str) -> list[str]:
        """Return the first results."""
        asked = query_terms(question)
        spread = [self._spread[term] for term in asked]
        scores = {
            text: bm25(
                [counts[term] for term in asked],
                self._lengths[text],
                spread,
                len(self._counts),
                self._mean,
                k1=K1,
                b=B,
            )
            for text, counts in self._counts.items()
            if any(term in counts for term in asked)
        }
        return sorted(scores, key=lambda text: (-scores[text], text))[:DEPTH]


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


def row(found: Sequence[str], gold: set[str]) -> Row:
    at5, at10 = (len(gold & set(found[:cut])) / len(gold) for cut in (5, DEPTH))
    return at5, at10, float(at10 == 1.0)


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
    weights = replace(Weights(), **dict.fromkeys(filter(None, options.without.split(",")), 0.0))
    plain = Bm25(title_of)
    rows: dict[str, list[Row]] = {"BM25": [], "recall": []}
    times = []
    with filled(title_of, weights, options.keep) as memory:
        memory.warm()
        for question in questions:
            gold = {fact["title"] for fact in question["supporting_facts"]}
            began = time.perf_counter()
            answer = memory.recall(question["question"], limit=DEPTH, strengthen=False)
            times.append((time.perf_counter() - began) * 1000)
            found = [title_of.get(result.engram.content, "") for result in answer.results]
            rows["recall"].append(row(found, gold))
            rows["BM25"].append(row([title_of[text] for text in plain.best(question["question"])], gold))
    half = (len(questions) + 1) // 2
    parts = {"first half": slice(0, half), "second half": slice(half, None), "all": slice(None)}
    print(f"| 2WikiMultihopQA, {len(title_of):,} passages | questions | " + " | ".join(COLUMNS) + " |")
    print("|---|---|" + "---|" * len(COLUMNS))
    table: dict[str, dict[str, float]] = {}
    for name, counted in rows.items():
        for part, chosen in parts.items():
            if some := counted[chosen]:
                means = [statistics.fmean(column) for column in zip(*some, strict=True)]
                table[f"{name}, {part}"] = {"questions": len(some), **dict(zip(COLUMNS, means, strict=True))}
                print(f"| {name}, {part} | {len(some)} | " + " | ".join(f"{mean:.3f}" for mean in means) + " |")
    print(f"\nmedian {statistics.median(times):.1f} ms a question")
    if options.json:
        options.json.write_text(json.dumps(table, indent=2), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
