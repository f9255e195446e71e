# SPDX-License-Identifier: Apache-2.0
"""Does ``ask`` know when it does not know? Each question asked with its gold passages stored, and without.

    python benchmarks/declining.py --data DIR [--limit N] [--cache FILE] [--json FILE]

``DIR`` holds ``2wiki/dev.jsonl``. All passages of all questions are told to one memory, each as a memory of
its own. Each question is asked; then its gold passages are forgotten, it is asked again, and they are
brought back. AUROC is the share of pairs of an answerable and an unanswerable question of which the
answerable one has the higher confidence, ties counting half. What confidence is made of was chosen on the
first half of the questions; the second half was only measured. ``--limit`` asks about as many of them as that,
evenly spread, of the whole memory; ``--cache`` keeps vectors between runs.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from becausal.engine.memory import Memory
from becausal.models.lazy import LazyEmbedder
from becausal.models.registry import make_embedder
from becausal.ports.models import Embedder
from becausal.stores.registry import open_store

if TYPE_CHECKING:
    from becausal.ports.models import Vectors

TUNED = 125
"""Questions looked at while confidence was put together."""

THRESHOLDS = (0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6)


@dataclass
class Cached:
    """An embedder that embeds each text once; ``known`` can be kept in a file."""

    inner: Embedder
    known: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def dimension(self) -> int:
        return self.inner.dimension

    @property
    def max_words(self) -> int:
        return self.inner.max_words

    @property
    def degraded(self) -> str | None:
        return self.inner.degraded

    def load(self) -> None:
        self.inner.load()

    def embed(self, texts: Sequence[str]) -> Vectors:
        new = list(dict.fromkeys(text for text in texts if text not in self.known))
        if new:
            self.known |= zip(new, self.inner.embed(new), strict=True)
        found = [self.known[text] for text in texts]
        return np.stack(found) if found else np.zeros((0, self.dimension), dtype=np.float32)

    def read(self, file: Path) -> None:
        if file.exists():
            with np.load(file) as kept:
                self.known = dict(zip(kept["texts"].tolist(), kept["vectors"], strict=True))

    def write(self, file: Path) -> None:
        np.savez(file, texts=np.array(list(self.known)), vectors=np.stack(list(self.known.values())))


@dataclass(frozen=True)
class Asked:
    """A question and the confidence of its answers; milliseconds of the first."""

    question: str
    kept: float
    gone: float
    declined_kept: bool
    declined_gone: bool
    spent: float
    tuned: bool


def gold(row: dict[str, Any]) -> set[str]:
    """Return the texts of a question's gold passages."""
    titles = {fact["title"] for fact in row["supporting_facts"]}
    return {chunk["chunk"] for chunk in row["chunks"] if chunk["title"] in titles}


def ask_all(memory: Memory, rows: Sequence[dict[str, Any]], limit: int | None) -> Iterator[Asked]:
    ids = {text: memory.store(text).engram.id for row in rows for text in (chunk["chunk"] for chunk in row["chunks"])}
    memory.settle()
    step = max(1, len(rows) // limit) if limit else 1
    for number, row in list(enumerate(rows))[::step]:
        began = time.perf_counter()
        kept = memory.ask(row["question"])
        spent = (time.perf_counter() - began) * 1000
        changes = [memory.forget(ids[text]).undo for text in gold(row)]
        gone = memory.ask(row["question"])
        for change in reversed(changes):
            memory.undo(change)
        memory.settle()
        yield Asked(
            question=row["question"],
            kept=kept.confidence,
            gone=gone.confidence,
            declined_kept=kept.abstained,
            declined_gone=gone.abstained,
            spent=spent,
            tuned=number < TUNED,
        )


def auroc(right: Sequence[float], wrong: Sequence[float]) -> float:
    pairs = [(one > other) + 0.5 * (one == other) for one in right for other in wrong]
    return sum(pairs) / len(pairs) if pairs else 0.0


def figures(asked: Sequence[Asked]) -> dict[str, float]:
    kept, gone = [each.kept for each in asked], [each.gone for each in asked]
    return {
        "questions": len(asked),
        "AUROC": auroc(kept, gone),
        "answered with gold": sum(not each.declined_kept for each in asked) / len(asked),
        "declined without gold": sum(each.declined_gone for each in asked) / len(asked),
    } | {
        f"at {cut:.2f}": (sum(each >= cut for each in kept) + sum(each < cut for each in gone)) / (2 * len(asked))
        for cut in THRESHOLDS
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--limit", type=int, help="questions to ask, about")
    parser.add_argument("--cache", type=Path, help="where vectors are kept between runs (.npz)")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    file = options.data / "2wiki" / "dev.jsonl"
    if not file.exists():
        print(f"skipped: {file} is not there", file=sys.stderr)
        return 0
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    embedder = Cached(make_embedder("minilm"))
    if options.cache:
        embedder.read(options.cache)
    with tempfile.TemporaryDirectory() as folder:
        store = open_store("sqlite", location=Path(folder), user="bench")
        with Memory(store, LazyEmbedder(embedder), timezone=UTC, start_worker=False) as memory:
            asked = list(ask_all(memory, rows, options.limit))
    if options.cache:
        embedder.write(options.cache)
    tuned, measured = ([each for each in asked if each.tuned is half] for half in (True, False))
    table = {"tuned on": figures(tuned), "measured only": figures(measured), "all": figures(asked)}
    print("| 2Wiki dev | " + " | ".join(table["all"]) + " |\n|---|" + "---|" * len(table["all"]))
    for name, values in table.items():
        print(f"| {name} | " + " | ".join(f"{value:.3f}".removesuffix(".000") for value in values.values()) + " |")
    print(f"\nmedian {sorted(each.spent for each in asked)[len(asked) // 2]:.1f} ms a question, its vector known")
    if options.json:
        rows_out = [each.__dict__ for each in asked]
        options.json.write_text(json.dumps({"figures": table, "questions": rows_out}, indent=2), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
