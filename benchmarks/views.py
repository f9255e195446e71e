# SPDX-License-Identifier: Apache-2.0
"""How long the views of the page wait for their data, in a small memory and in a large one.

    python benchmarks/views.py [--sizes 100,20000] [--rounds 9] [--keep DIR] [--json FILE]

The requests are read from the page's own files, so that what is measured is what the page asks. They run in this
process, without the network and without a browser, which take the same time whatever the memory holds. The memories
are made up: work notes, incidents with what led to them, and what people do and are since when; they are told by an
import, and one consolidation finds the clusters. The embedder is ``hashing``, since no view but a search and a question
needs any. Times are the shortest of the rounds, in milliseconds, since whatever else the machine does only adds to
them; the ratio is that of the largest memory to the smallest.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import becausal
from becausal import Memory
from becausal.composition import open_memory
from becausal.graphql.schema import run
from notes import PEOPLE, SERVICES, incidents, notes

PAGE = Path(becausal.__file__).parent / "web" / "page"
TEAMS = ("platform", "payments", "search", "support", "data", "mobile")
_CONSTANT = re.compile(r'^const (\w+) = (?:`([^`]*)`|"((?:[^"\\]|\\.)*)"|([\d_]+));', re.MULTILINE)


def requests() -> dict[str, str]:
    """Return the GraphQL requests in the page's files, as ``file.NAME``."""
    found = {}
    for file in sorted(PAGE.glob("*.js")):
        constants = {
            name: long or short or number.replace("_", "")
            for name, long, short, number in _CONSTANT.findall(file.read_text("utf-8"))
        }
        for name, value in constants.items():
            text = re.sub(r"\$\{(\w+)\}", lambda match, known=constants: str(known[match[1]]), value)
            if text.lstrip().startswith(("query", "{")):
                found[f"{file.stem}.{name}"] = text
    return found


def moves(count: int, seed: int = 5) -> Iterator[tuple[str, str, datetime]]:
    """Yield text, source and time of made-up memories that tell dated events and facts."""
    draw = random.Random(seed)
    moment = datetime(2020, 1, 2, 9, tzinfo=UTC)
    for number in range(count):
        moment += timedelta(minutes=draw.randint(10, 300))
        day = moment - timedelta(days=draw.randint(0, 40))
        who, on = f"{draw.choice(PEOPLE)} {chr(65 + number % 26)}.", f"{day.day} {day:%B %Y}"
        text = draw.choice(
            (
                f"On {on} {who} joined the {draw.choice(TEAMS)} team.",
                f"The {draw.choice(SERVICES)}-{number % 97} service was moved to a new cluster on {on}.",
                f"{who} has worked at {draw.choice(TEAMS).capitalize()} Works since {day:%B %Y}.",
            )
        )
        yield text, f"people-{number // 60}", moment


def told(size: int) -> list[dict[str, str]]:
    """Return the memories of a size, in order of time: half notes, a quarter of each of the others."""
    quarter = size // 4
    texts = (*notes(size - 2 * quarter), *incidents(quarter), *moves(quarter))
    return [
        {"content": text, "source": source, "occurred_at": at.isoformat()}
        for text, source, at in sorted(texts, key=lambda each: each[2])
    ]


def fill(folder: Path, user: str, size: int) -> None:
    """Tell a memory what it is to hold, unless it holds that already."""
    with Memory.open(folder, user=user, BECAUSAL_EMBEDDER="hashing", consolidation_interval=0) as memory:
        if memory.status().counts["engram"] == 0:
            with tempfile.TemporaryDirectory() as name:
                file = Path(name) / "told.jsonl"
                file.write_text("\n".join(map(json.dumps, told(size))), encoding="utf-8")
                memory.transfer.import_file(file)
        while memory.settle(5):
            print("  indexing", file=sys.stderr)
        if not memory.upkeep.clusters(1):
            memory.upkeep.consolidate()


def views(memory: Memory) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield what the page asks: what it shows, the request's name and its variables."""
    known = requests()

    def asked(name: str, **variables: Any) -> Any:
        ran = run(memory, known[name], variables, None)
        assert not ran.errors, ran.errors
        return ran.data

    newest = asked("search.NEWEST")["engrams"]
    words = " ".join(newest["nodes"][0]["content"].split()[:6])
    id, source = newest["nodes"][0]["id"], newest["nodes"][0]["origin"]
    yield "the newest memories", "search.NEWEST", {}
    yield "and earlier ones", "search.NEWEST", {"after": newest["pageInfo"]["endCursor"]}
    for name, given in {
        "of a source": {"source": source},
        "with a tag that none has": {"tag": "none"},
        "of a type": {"type": "semantic"},
        "since a time": {"since": "2020-01-05"},
        "until a time": {"until": "2020-01-05"},
        "before all of them": {"until": "1990"},
        "after all of them": {"since": "2100"},
    }.items():
        yield f"the newest {name}", "search.NEWEST", given
    for mode in ("recall", "search", "fts", "hybrid"):
        yield f"a search, by {mode}", "search.RECALL", {"q": words, "limit": 10, "mode": mode}
    yield "a search until a time", "search.RECALL", {"q": words, "limit": 10, "mode": "recall", "until": "2020-01-05"}
    yield "a memory", "memory.DETAIL", {"id": id}
    yield "what happened to it", "memory.HISTORY", {"id": id}
    yield "a question of why", "ask.ASK", {"question": "Why did checkout fail?"}
    yield "a question of when", "ask.ASK", {"question": "When was the billing-3 service moved?"}
    yield "a question that is declined", "ask.ASK", {"question": "Who painted the Mona Lisa?"}
    line = asked("timeline.TIMELINE")["timeline"]
    yield "the time line", "timeline.TIMELINE", {}
    yield "and what was earlier", "timeline.TIMELINE", {"cursor": line["earlier"]}
    for name, given in {
        "about a name told often": {"about": "Priya"},
        "about other words": {"about": "the disk was full"},
        "of a month": {"since": "2020-01", "until": "2020-01"},
        "before all of it": {"until": "1990"},
        "after all of it": {"since": "2100"},
    }.items():
        yield f"the time line {name}", "timeline.TIMELINE", given
    graph = asked("graph.BEGIN")
    yield "the graph's beginning", "graph.BEGIN", {}
    yield "what surrounds a name told often", "graph.AROUND", {"of": "Priya", "depth": 1}
    yield "and what surrounds that", "graph.AROUND", {"of": "Priya", "depth": 2}
    yield "what surrounds a memory", "graph.AROUND", {"of": id, "depth": 2}
    yield "causes and effects", "graph.WHY", {"of": "checkout failed"}
    yield "names that hold a word", "graph.FIND", {"words": "billing"}
    if graph["clusters"]:
        yield "a cluster", "graph.CLUSTER", {"id": graph["clusters"][0]["id"]}
    yield "the status", "status.STATUS", {}


def measure(folder: Path, user: str, rounds: int) -> dict[str, float]:
    """Return the shortest time of each request, in milliseconds."""
    known, took = requests(), {}
    with open_memory(folder, user=user, embedder="hashing") as memory:
        memory.warm()
        for shown, name, variables in views(memory):
            times = []
            for _ in range(rounds):
                started = time.perf_counter()
                ran = run(memory, known[name], variables, None)
                times.append((time.perf_counter() - started) * 1000)
                if ran.errors:
                    raise SystemExit(f"{shown}: {ran.errors[0]['message']}")
            took[shown] = min(times)
    return took


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="100,20000", help="numbers of memories, the smallest first")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--keep", type=Path, help="folder to leave the memories in, or to find them")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        for size in sizes:
            fill(folder, f"views{size}", size)
        took = [measure(folder, f"views{size}", options.rounds) for size in sizes]
    figures = {
        shown: {
            **{f"{size:,} memories, ms": times[shown] for size, times in zip(sizes, took, strict=True)},
            "ratio": took[-1][shown] / took[0][shown],
        }
        for shown in took[0]
        if all(shown in times for times in took)
    }
    for shown, row in figures.items():
        print(f"{shown:40}" + "".join(f"{value:10.1f}" for value in row.values()))
    if options.json:
        options.json.write_text(json.dumps(figures), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
