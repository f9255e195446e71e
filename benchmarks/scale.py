# SPDX-License-Identifier: Apache-2.0
"""How a memory behaves as it grows: storing, recalling and asking beside the bare embedding, in one run.

    python benchmarks/scale.py [--size 10000] [--questions 200] [--incidents] [--bulk] [--embedder minilm]
                               [--backend falkordb,neo4j,…] [--pruning N] [--keep DIR] [--json FILE]

The memories are made-up work notes; with ``--incidents`` each tells what led to what, in few words of many, so that
one event has hundreds of causes, and every question asks why. "Store" is the time until a memory is durable, taken
over the last tenth of them, a thousand at most, with the indexing of the earlier ones done. "Embedding" is the model
alone on the same questions, interleaved with the recalls and answers, so that the ratio holds on a busy machine.

With ``--backend`` the same notes go into other databases as well, and every note and question to each in turn, so that
they can be compared with SQLite. Servers are found by the settings (``NEO4J_URI``, ``FALKOR_ADDR``, …); what is stored
there, for a user named after the moment, stays.

With ``--pruning`` so many questions are asked once more, looked for by their rarest words alone, as always, and by all
of them: what share of the notes they are about is among the first ten. ``--keep`` leaves the memory in a folder; one
that is found there and holds the earlier notes is not filled again.

With ``--bulk`` the notes are imported from files instead, a tenth at a time, until they are indexed; before each the
model alone embeds the same texts, in batches.

"Resident" is what the process holds at the end, with all memories filled and asked, and "resident, model alone" what it
held with the model in use and the memories empty.
"""

from __future__ import annotations

import argparse
import gc
import json
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from becausal import Memory
from becausal.domain.records import Kind
from becausal.stores import terms
from becausal.stores.sqlite import text as text_index
from measuring import interval, percentile
from notes import Note, incidents, notes, questions, questions_with_notes, why_questions
from page import table

PIECE = 500
"""Memories imported at a time, between two lines of progress."""


LAST = 1000
"""Memories whose storing is timed, at most."""


class Timed:
    """One memory, and how long what was done with it took, in milliseconds."""

    def __init__(self, backend: str, memory: Memory) -> None:
        self.backend = backend
        self.memory = memory
        self.stores: list[float] = []
        self.recalls: list[float] = []
        self.answers: list[float] = []
        self.filling = 0.0

    def fill(self, told: Sequence[Note], file: Path) -> None:
        """Import notes and wait until they are indexed, unless they are there."""
        if self.memory._store.count()[Kind.ENGRAM.value] >= len({text for text, _, _ in told}):
            return
        began = time.perf_counter()
        for start in range(0, len(told), PIECE):
            bring_in(self.memory, piece := told[start : start + PIECE], file)
            print(f"  {self.backend}: {start + len(piece):,} of {len(told):,}", file=sys.stderr)
        self.filling = time.perf_counter() - began

    def store(self, note: Note) -> None:
        text, source, moment = note
        began = time.perf_counter()
        stored = self.memory.store(text, source=source, occurred_at=moment)
        if stored.created:  # the same note twice only strengthens the first
            self.stores.append((time.perf_counter() - began) * 1000)

    def ask(self, question: str) -> None:
        began = time.perf_counter()
        self.memory.recall(question, limit=10)
        recalled = time.perf_counter()
        self.memory.ask(question)
        self.answers.append((time.perf_counter() - recalled) * 1000)
        self.recalls.append((recalled - began) * 1000)

    def figures(self, bare: float) -> dict[str, float]:
        recall, answer = statistics.median(self.recalls), statistics.median(self.answers)
        return {
            "filling, s": self.filling,
            "store p50": statistics.median(self.stores),
            "store p95": percentile(self.stores, 0.95),
            "embedding p50": bare,
            "recall p50": recall,
            "recall p99": percentile(self.recalls, 0.99),
            "recall p50 / embedding p50": recall / bare,
            "ask p50": answer,
            "ask p99": percentile(self.answers, 0.99),
            "ask p50 / embedding p50": answer / bare,
        }


def bring_in(memory: Memory, some: Sequence[Note], file: Path) -> None:
    told = [{"content": text, "source": source, "occurred_at": at.isoformat()} for text, source, at in some]
    file.write_text("\n".join(map(json.dumps, told)), encoding="utf-8")
    answer = memory.transfer.import_file(file)
    assert (answer.refused, answer.unindexed) == (0, 0)


def opened(backends: Sequence[str], embedder: str, folder: Path, stack: ExitStack) -> Iterator[Timed]:
    user = f"bench-{int(time.time())}" if len(backends) > 1 else "bench"
    for backend in backends:
        place = folder / backend if len(backends) > 1 else folder
        memory = Memory.open(place, user=user, db_type=backend, embedder=embedder, consolidation_interval=0)
        yield Timed(backend, stack.enter_context(memory))


def measure(
    size: int, count: int, embedder: str, folder: Path, backends: Sequence[str], *, dense: bool = False
) -> dict[str, dict[str, float]]:
    """Fill memories and question them; return the figures by backend, times in milliseconds."""
    with ExitStack() as stack:
        timed = list(opened(backends, embedder, folder, stack))
        told = list(incidents(size) if dense else notes(size))
        early = size - max(100, min(LAST, size // 10))
        for each in timed:
            each.memory.warm()
        alone = resident_with_model(timed[0].memory, told)
        gc.freeze()  # as a server does once its memory is open
        for each in timed:
            each.fill(told[:early], folder / "notes.jsonl")
        for number, note in enumerate(told[early:]):
            for each in timed:
                each.store(note)
            if number % 20 == 19:  # so that what is timed is storing, not storing beside the indexing
                for each in timed:
                    each.memory.settle()
        for each in timed:
            each.memory.settle()
        bare = []
        model = timed[0].memory._embedder
        for number, question in enumerate(why_questions(count) if dense else questions(count, size)):
            began = time.perf_counter()
            model.embed([question])
            bare.append((time.perf_counter() - began) * 1000)
            for each in timed[number % len(timed) :] + timed[: number % len(timed)]:
                each.ask(question)
        held = residents(alone)
        figures = {each.backend: each.figures(statistics.median(bare)) for each in timed}
    if len(figures) > 1:
        first = figures[backends[0]]
        for row in figures.values():
            row |= {f"{name} / {backends[0]}'s": row[name] / first[name] for name in ("store p50", "recall p50")}
    else:
        figures[backends[0]] |= held
    return figures


def measure_pruning(size: int, count: int, embedder: str, folder: Path) -> dict[str, float]:
    """Return the share of notes among the first ten, by the rarest words of each question, and by all its words."""
    asked = questions_with_notes(count, size)
    found: dict[str, list[float]] = {}
    with Memory.open(folder, user="bench", embedder=embedder, consolidation_interval=0) as memory:
        memory.warm()
        for how, rows in (("rarest words", text_index.ENOUGH_NUMBERS), ("all words", size * terms.MOST_TERMS)):
            text_index.ENOUGH_NUMBERS = rows
            for question, text in asked:
                results = memory.recall(question, limit=10, strengthen=False).results
                found.setdefault(how, []).append(float(any(each.engram.content == text for each in results)))
    lost, low, high = interval([one - other for one, other in zip(*reversed(found.values()), strict=True)])
    return {
        "pruning, questions": len(asked),
        **{f"pruning, recall@10 by {how}": statistics.fmean(each) for how, each in found.items()},
        "pruning, recall@10 lost": lost,
        "pruning, recall@10 lost, from": low,
        "pruning, recall@10 lost, to": high,
    }


def measure_import(size: int, embedder: str, folder: Path, batch: int = 64) -> dict[str, float]:
    """Import notes; return how fast that was beside the model alone."""
    told = list(notes(size))
    bare = imported = processor = model_alone = 0.0
    with Memory.open(folder, user="bench", embedder=embedder, consolidation_interval=0) as memory:
        model = memory._embedder
        alone = resident_with_model(memory, told)
        for start in range(0, size, step := max(batch, -(-size // 10))):
            piece = told[start : start + step]
            began, worked = time.perf_counter(), time.process_time()
            for at in range(0, len(piece), batch):
                model.embed([text for text, _, _ in piece[at : at + batch]])
            bare += time.perf_counter() - began
            model_alone += time.process_time() - worked
            began, worked = time.perf_counter(), time.process_time()
            bring_in(memory, piece, folder / "notes.jsonl")
            imported += time.perf_counter() - began
            processor += time.process_time() - worked
            print(f"  imported {start + len(piece):,} of {size:,}", file=sys.stderr)
        held = residents(alone)
    return {
        "memories": size,
        "embedding alone, texts/s": size / bare,
        "import, memories/s": size / imported,
        "import / embedding alone": bare / imported,
        "embedding alone, processor ms each": model_alone * 1000 / size,
        "import, processor ms each": processor * 1000 / size,
        **held,
    }


def resident_with_model(memory: Memory, told: Sequence[Note]) -> float:
    """Return what the process holds with the model in use and nothing told yet, in MB."""
    memory._embedder.load()
    for _ in range(3):
        memory._embedder.encode([text for text, _, _ in told[:64]])
    return resident()


def residents(alone: float) -> dict[str, float]:
    now = resident()
    return {"resident, model alone, MB": alone, "resident, MB": now, "resident / model alone": now / alone}


def resident() -> float:
    """Return the memory that the process holds now, in MB; where that is not told, the most it has held."""
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = (line for line in status.read_text(encoding="utf-8").splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1]) / 1024
    return most_resident()


def most_resident() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def of_the_process(folder: Path) -> dict[str, float]:
    return {
        "most resident, MB": most_resident(),
        "on disk, MB": sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--embedder", default="minilm")
    parser.add_argument("--incidents", action="store_true", help="memories dense in causes")
    parser.add_argument("--bulk", action="store_true", help="import the memories from files")
    parser.add_argument("--backend", default="", help="databases to compare with SQLite, comma-separated")
    parser.add_argument("--pruning", type=int, default=0, help="questions asked with and without term pruning")
    parser.add_argument("--keep", help="a folder to leave the memory in, or to find it in")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if options.bulk:
            result: dict[str, object] = dict(measure_import(options.size, options.embedder, folder))
        else:
            backends = ["sqlite", *filter(None, options.backend.split(","))]
            by = measure(options.size, options.questions, options.embedder, folder, backends, dense=options.incidents)
            result = dict(by) if len(by) > 1 else {"memories": options.size, **by["sqlite"], **of_the_process(folder)}
            if options.pruning:
                result |= measure_pruning(options.size, options.pruning, options.embedder, folder)
    if options.backend:
        names = list(by["sqlite"])
        print(
            table((f"{options.size:,} memories", *by), [(name, *(row[name] for row in by.values())) for name in names])
        )
    else:
        print(table(("figure", "value"), list(result.items())))
    if options.json:
        options.json.write_text(json.dumps(result, indent=2), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
