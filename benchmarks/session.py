# SPDX-License-Identifier: Apache-2.0
"""The session layer under load: the silo, promises between processes, and the graph as it grows.

    python benchmarks/session.py [--operations 1000000] [--threads 8] [--nodes 2000] [--json FILE]

The silo: threads set and read their own keys and keys that all share, and every value read is checked; one operation
in sixteen is timed. A lost update, a value that nobody set, or an index given twice ends the benchmark with an error.
The promises: two handles on one memory, as two processes have them; from the call that fulfils a promise to the moment
at which a waiter on the other handle is told. The graph: medians over ``--nodes`` nodes with four relations each.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from becausal import Memory
from becausal.session.promises import Promises
from becausal.session.sessions import sessions_of
from becausal.session.silo import Silo
from becausal.stores.registry import open_store

TIMED = 16
SHARED = 64
WORDS = (
    "gateway token session cache index queue worker billing ledger search schema parser router cluster backup metric"
).split()


def percentiles(name: str, nanoseconds: list[int]) -> dict[str, float]:
    """Return p50, p95 and p99 in microseconds."""
    cuts = statistics.quantiles(nanoseconds, n=100)
    return {f"{name} p{percent} us": round(cuts[percent - 1] / 1000, 2) for percent in (50, 95, 99)}


def silo_under_load(operations: int, threads: int) -> dict[str, Any]:
    """Return how long a peek and a set take while several threads work on one silo."""
    silo = Silo(4096)
    peeks: list[list[int]] = [[] for _ in range(threads)]
    sets: list[list[int]] = [[] for _ in range(threads)]
    lost: list[str] = []
    ready = threading.Barrier(threads)
    each = operations // threads

    def work(number: int) -> None:
        random_ = random.Random(number)
        mine = [f"own-{number}-{at}" for at in range(32)]
        last = dict.fromkeys(mine, "")
        ready.wait()
        for step in range(each // 2):
            key = mine[step % 32]
            shared = step % 4 == 3
            name = f"shared-{random_.randrange(SHARED)}" if shared else key
            value = f"{number}:{step}"
            begun = time.perf_counter_ns()
            silo.set(name, value)
            middle = time.perf_counter_ns()
            hit, found, _ = silo.peek(key)
            ended = time.perf_counter_ns()
            if not shared:
                last[key] = value
            if last[key] and (not hit or found != last[key]):
                lost.append(f"{key}: {found!r} instead of {last[key]!r}")
            if step % TIMED == 0:
                sets[number].append(middle - begun)
                peeks[number].append(ended - middle)
        lost.extend(key for key in mine if last[key] and silo.peek(key)[1] != last[key])

    workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    begun = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    seconds = time.perf_counter() - begun
    slots = silo.slots()
    if lost or len({slot.index for slot in slots}) != len(slots):
        raise SystemExit(f"lost updates: {len(lost)}, the first: {lost[:1]}")
    if any(int(slot.value.split(":")[0]) >= threads for slot in slots if slot.key.startswith("shared")):
        raise SystemExit("a shared key holds what nobody set")
    return {
        "threads": threads,
        "operations": each // 2 * 2 * threads,
        "lost updates": len(lost),
        "operations per second": round(each // 2 * 2 * threads / seconds),
        **percentiles("peek", [taken for own in peeks for taken in own]),
        **percentiles("set", [taken for own in sets for taken in own]),
    }


def promises_between(folder: Path, rounds: int) -> dict[str, Any]:
    """Return the milliseconds of claiming, fulfilling, and being told in another process."""
    stores = [open_store("sqlite", location=folder, user="benchmark") for _ in range(2)]
    here, there = (Promises(store, claim_ttl=60, result_ttl=60) for store in stores)
    claims, fulfilments, told = [], [], []
    for number in range(rounds):
        key = f"key {number}"
        begun = time.perf_counter()
        assert here.claim("s", key)
        claimed = time.perf_counter()
        with there.ticket("s", key) as ticket:
            fulfilling = time.perf_counter()
            here.fulfil("s", key, "value")
            fulfilled = time.perf_counter()
            assert ticket.wait(60)
            told.append(time.perf_counter() - fulfilling)
        assert there.look("s", key).payload == "value"
        claims.append(claimed - begun)
        fulfilments.append(fulfilled - fulfilling)
    for each in (here, there, *stores):
        each.close()
    medians = {"claim": claims, "fulfil": fulfilments, "told in another process": told}
    return {f"{name} ms": round(statistics.median(times) * 1000, 2) for name, times in medians.items()}


def graph_as_it_grows(folder: Path, nodes: int) -> dict[str, Any]:
    """Return the median milliseconds of what is done with a graph of so many nodes."""
    random_ = random.Random(7)
    with Memory.open(folder, user="benchmark", embedder="hashing", log_level="error") as memory:
        sessions = sessions_of(memory)

        def text() -> str:
            return " ".join(random_.choice(WORDS) + str(random_.randrange(50)) for _ in range(12))

        making: list[float] = []
        ids: list[str] = []
        for number in range(nodes):
            begun = time.perf_counter()
            ids.append(sessions.nodes.upsert("s", "concept", f"node {number}", text()).id)
            making.append(time.perf_counter() - begun)
        links = [
            sessions.edges.draft("s", random_.choice(ids), random_.choice(ids), "references", 1.0)
            for _ in range(4 * nodes)
        ]
        for at in range(0, len(links), 500):
            sessions.edges.write(links[at : at + 500])
        memory.settle(600)
        sessions.set("s", "k", "v")

        def median(do: Callable[[], object], times: int = 20) -> float:
            taken = []
            for _ in range(times):
                begun = time.perf_counter()
                do()
                taken.append(time.perf_counter() - begun)
            return round(statistics.median(taken) * 1000, 3)

        return {
            "nodes": nodes,
            "relations": len({link.id for link in links}),
            "upsert ms": round(statistics.median(making[-100:]) * 1000, 2),
            "search ms": median(lambda: sessions.walker.search("s", text(), 1, 5)),
            "traverse ms": median(lambda: sessions.walker.traverse("s", random_.choice(ids), 2)),
            "resolve from the graph ms": median(lambda: sessions.resolve_context("s", text())),
            "peek at a value ms": median(lambda: sessions.peek("s", "k"), 1000),
            "peek at a miss ms": median(lambda: sessions.peek("s", "never"), 200),
        }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--operations", type=int, default=1_000_000)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--nodes", type=int, default=2000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        parts = {
            "silo": silo_under_load(options.operations, options.threads),
            "promises": promises_between(Path(folder, "promises"), 50),
            "graph": graph_as_it_grows(Path(folder, "graph"), options.nodes),
        }
    found = {f"{part}: {name}": figure for part, figures in parts.items() for name, figure in figures.items()}
    print(json.dumps(found, indent=1))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
