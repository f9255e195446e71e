# SPDX-License-Identifier: Apache-2.0
"""What a consolidation does to those who store and recall meanwhile.

    python benchmarks/beside.py [--size 10000] [--runs 5] [--embedder minilm] [--keep DIR] [--json FILE]

Made-up notes are told, and then left with something to do for every step: a tenth of them is to be archived, a fifth
strengthened, all are to be put into clusters anew, and there are cues that lead nowhere. Notes are told and questions
asked in turn, first with nothing beside them, then beside the consolidation of all that, once in the same process, as
in a server, and once in another one, as when two clients are open. Everything is done some times over: of what the
clock shows the median counts, of processor times the longest; the load is printed.

"Held up" is how much longer than the longest one alone the longest one beside was. "Longest stretch" is the most work
between two turns that the consolidation gives others, "longest write" the most in one of its transactions, both in
milliseconds of processor time, which do not depend on the load; not counted is the Leiden library itself, which lets
all others go on meanwhile. What the process held before is kept out of the
garbage collector's sight, which goes through all of it now and then, whoever is at work. The exit code is 1 if
anything was held up, or a stretch or a write took, for more than 50 ms.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from becausal import Memory
from becausal.consolidate import leiden
from becausal.consolidate.communities import RESOLUTION, SHAPE
from becausal.consolidate.fading import STRENGTHENED
from becausal.domain.records import Cue, CueType, Kind
from becausal.engine.upkeep.consolidating import Consolidator
from becausal.ports.batch import Batch, Patch, Put
from scale import notes, percentile, questions

ALONE = 6.0
"""Seconds for which notes are told and questions asked with nothing beside them."""

REST = 0.01
"""Seconds between one and the next."""

LIMIT = 50.0
PIECE = 250
LOOSE = 500
"""Cues that lead nowhere."""

OWN = ("longest stretch, ms", "longest write, ms")
"""What is processor time of the consolidation."""

WHERES = ("in the same process", "in another process")


def fill(folder: Path, size: int, embedder: str) -> None:
    with opened(folder, embedder) as memory:
        memory.warm()
        for number, (text, source, moment) in enumerate(notes(size)):
            memory.store(text, source=source, occurred_at=moment)
            if number % 1000 == 999:
                print(f"  told {number + 1:,} of {size:,}", file=sys.stderr)
        while pending := memory.settle(10):
            print(f"  indexing, {pending:,} or more to go", file=sys.stderr)
        memory.upkeep.consolidate()


def opened(folder: Path, embedder: str) -> Memory:
    return Memory.open(folder, user="bench", BECAUSAL_EMBEDDER=embedder, CONSOLIDATION_INTERVAL=0)


def leave_work(memory: Memory) -> None:
    """Leave something to do for every step."""
    store = memory._store
    now = datetime.now(UTC)
    long_ago, lately = now - timedelta(days=400), now - timedelta(hours=2)
    patches = []
    after = ""
    while page := store.sweep(Kind.ENGRAM, (), (), after, 1000):
        after = page[-1][0]
        patches += [(id, len(patches) + at) for at, (id,) in enumerate(page)]
    for at in range(0, len(patches), PIECE):
        store.write(
            Batch(
                patches=tuple(
                    Patch(Kind.ENGRAM, id, set=left(n, long_ago, lately)) for id, n in patches[at : at + PIECE]
                )
            )
        )
    loose = [
        Put(Cue(id=f"loose{n}-{now.timestamp()}", name=f"loose{n}", cue_type=CueType.KEYWORD, created_at=now))
        for n in range(LOOSE)
    ]
    for at in range(0, LOOSE, PIECE):
        store.write(Batch(puts=tuple(loose[at : at + PIECE])))
    store.write(Batch(meta={SHAPE: None, RESOLUTION: None, STRENGTHENED: None}))


def left(number: int, long_ago: datetime, lately: datetime) -> dict[str, Any]:
    """Return what a note is set to: one in ten is weak, two in ten are used often."""
    kind = number % 10
    fields: dict[str, Any] = {"cluster_id": -1, "archived_at": None, "importance": 0.5, "last_accessed_at": lately}
    if kind == 0:
        return fields | {"importance": 0.1, "last_accessed_at": long_ago, "access_count": 0, "decay_factor": 1.0}
    return fields | {"access_count": 9 if kind < 3 else 0, "decay_factor": 0.5}


def timed(memory: Memory, size: int, going: Callable[[float], bool]) -> dict[str, list[float]]:
    """Store and recall in turn as long as ``going``; return how many milliseconds each took."""
    draw = random.Random(3)
    told = notes(1_000_000, seed=draw.randint(100, 10_000))
    asked = questions(200, size)
    spent: dict[str, list[float]] = {"store": [], "recall": []}
    began = time.perf_counter()
    while going(time.perf_counter() - began):
        text, source, _ = next(told)
        start = time.perf_counter()
        memory.store(f"{text} {time.time_ns()}", source=f"beside {source}")
        stored = time.perf_counter()
        memory.recall(draw.choice(asked), strengthen=False)
        spent["store"].append((stored - start) * 1000)
        spent["recall"].append((time.perf_counter() - stored) * 1000)
        time.sleep(REST)
    return spent


@contextmanager
def watched() -> Iterator[dict[str, float]]:
    """Note the longest stretch between two pauses of a consolidation in this process, and its longest write."""
    seen = dict.fromkeys(OWN, 0.0)
    pace, consolidate, library = Consolidator._pace, Consolidator._consolidate, leiden._leiden
    aside = 0.0

    def note(name: str, began: float) -> None:
        seen[name] = max(seen[name], (time.thread_time() - began) * 1000)

    def outside(*args: Any) -> dict[str, int]:
        nonlocal aside
        began = time.thread_time()
        try:
            return library(*args)
        finally:
            aside += time.thread_time() - began

    def paced(self: Consolidator, *args: Any, **options: Any) -> Callable[[], None]:
        pause = pace(self, *args, **options)
        last = time.thread_time()

        def noting() -> None:
            nonlocal aside, last
            note(OWN[0], last + aside)
            pause()
            last, aside = time.thread_time(), 0.0

        return noting

    def writing(self: Consolidator, *args: Any) -> Any:
        store, write = self._store, self._store.write
        worker = threading.get_ident()

        def noted(batch: Batch) -> Any:
            began = time.thread_time()
            try:
                return write(batch)
            finally:
                if threading.get_ident() == worker:
                    note(OWN[1], began)

        store.write = noted  # type: ignore[method-assign]
        try:
            return consolidate(self, *args)
        finally:
            store.write = write  # type: ignore[method-assign]

    Consolidator._pace, Consolidator._consolidate = paced, writing  # type: ignore[method-assign]
    leiden._leiden = outside
    try:
        yield seen
    finally:
        Consolidator._pace, Consolidator._consolidate = pace, consolidate  # type: ignore[method-assign]
        leiden._leiden = library


def consolidate(folder: Path, embedder: str) -> dict[str, Any]:
    """Consolidate, watched; return what was seen."""
    with opened(folder, embedder) as memory:
        return consolidated(memory)


def consolidated(memory: Memory) -> dict[str, Any]:
    gc.freeze()
    with watched() as seen:
        done = memory.upkeep.consolidate()
    assert done.ran, done.note
    return {**seen, "seconds": done.seconds, "steps": {name: dict(each) for name, each in done.steps.items()}}


def beside(memory: Memory, folder: Path, size: int, embedder: str, where: str) -> tuple[dict[str, list[float]], Any]:
    if where == WHERES[0]:
        results: list[Any] = []
        worker = threading.Thread(target=lambda: results.append(consolidated(memory)))
        worker.start()
        spent = timed(memory, size, lambda _: worker.is_alive())
        worker.join()
        return spent, results[0]
    command = [sys.executable, __file__, "--embedder", embedder, "--consolidate", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        spent = timed(memory, size, lambda _: process.poll() is None)
        assert process.stdout is not None
        return spent, json.loads(process.stdout.read())


def measure(base: Path, size: int, embedder: str, runs: int) -> dict[str, Any]:
    figures: dict[str, Any] = {"memories": size, "runs": runs}
    seen: dict[str, dict[str, list[float]]] = {}
    steps: Any = None
    for run in range(runs):
        for where in WHERES:
            with tempfile.TemporaryDirectory(dir=base.parent) as temporary:
                folder = Path(temporary, "memory")
                shutil.copytree(base, folder)
                with opened(folder, embedder) as memory:
                    memory.warm()
                    leave_work(memory)
                    memory.recall("What do we know?", strengthen=False)
                    alone = timed(memory, size, lambda passed: passed < ALONE)
                    while memory.settle(10):
                        pass
                    spent, told = beside(memory, folder, size, embedder, where)
                steps = told["steps"]
                rows = seen.setdefault(where, {})
                for name in (*OWN, "seconds"):
                    rows.setdefault(name, []).append(told[name])
                for what in alone:
                    for name, value in row(alone[what], spent[what]).items():
                        rows.setdefault(f"{what} {name}", []).append(value)
            load = os.getloadavg()[0]
            print(f"  run {run + 1}, {where}: load {load:.1f}, {brief(rows)}", file=sys.stderr)
    figures["load after a minute"] = round(os.getloadavg()[0], 1)
    for where, rows in seen.items():
        figures |= {
            f"{where}: {name}": max(values) if name in OWN else statistics.median(values)
            for name, values in rows.items()
        }
    print(f"  {steps}", file=sys.stderr)
    return figures


def row(alone: Sequence[float], beside: Sequence[float]) -> dict[str, float]:
    return {
        "alone, p50 ms": statistics.median(alone),
        "alone, longest ms": max(alone),
        "beside, p50 ms": statistics.median(beside),
        "beside, p99 ms": percentile(list(beside), 0.99),
        "beside, longest ms": max(beside),
        "beside over alone, p50": statistics.median(beside) / statistics.median(alone),
        "held up, ms": max(0.0, max(beside) - max(alone)),
    }


def brief(rows: dict[str, list[float]]) -> str:
    return ", ".join(f"{name} {values[-1]:.1f}" for name, values in rows.items() if "longest" in name or "held" in name)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--embedder", default="minilm")
    parser.add_argument("--keep", type=Path, help="a folder to leave the filled memory in, or to find it in")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--consolidate", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.consolidate is not None:
        print(json.dumps(consolidate(options.consolidate, options.embedder)))
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        base = options.keep or Path(temporary, "filled")
        if not base.exists():
            fill(base, options.size, options.embedder)
        figures = measure(base, options.size, options.embedder, options.runs)
    print("| figure | value |\n|---|---|")
    for name, value in figures.items():
        print(f"| {name} | {value:,.2f} |" if isinstance(value, float) else f"| {name} | {value:,} |")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2))
    bounded = ("held up, ms", *OWN)
    passed = all(value <= LIMIT for name, value in figures.items() if name.endswith(bounded))
    print("\npassed" if passed else "\nFAILED")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
