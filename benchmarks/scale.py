# SPDX-License-Identifier: Apache-2.0
"""How a memory behaves as it grows: storing, recalling and asking beside the bare embedding, in one run.

    python benchmarks/scale.py [--size 10000] [--questions 200] [--incidents] [--bulk] [--embedder minilm]
                               [--keep DIR] [--json FILE]

The memories are made-up work notes; with ``--incidents`` each tells what led to what, in few words of many, so that
one event has hundreds of causes, and every question asks why. "Store" is the time until a memory is durable, taken
over the last tenth of them, with the indexing of the earlier ones done. "Embedding" is the model alone on the same
questions, interleaved with the recalls and answers, so that the ratio holds on a busy machine.

With ``--bulk`` the notes are imported from files instead, a tenth at a time, until they are indexed; before each the
model alone embeds the same texts, in batches.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from becausal import Memory

PEOPLE = [
    "Ana",
    "Bela",
    "Chen",
    "Dara",
    "Emil",
    "Farah",
    "Goran",
    "Hana",
    "Ivo",
    "Jun",
    "Kira",
    "Luis",
    "Mina",
    "Noor",
    "Omar",
    "Priya",
    "Quinn",
    "Rosa",
    "Sven",
    "Tara",
]
SERVICES = [
    "billing",
    "checkout",
    "search",
    "ledger",
    "gateway",
    "mailer",
    "profile",
    "catalog",
    "invoice",
    "payout",
    "session",
    "upload",
]
ACTIONS = [
    "deployed",
    "restarted",
    "rolled",
    "back",
    "migrated",
    "profiled",
    "patched",
    "scaled",
    "reviewed",
    "documented",
    "benchmarked",
]
THINGS = [
    "the retry queue",
    "a connection pool",
    "the feature flags",
    "the nightly export",
    "the rate limiter",
    "the schema change",
    "the TLS certificate",
    "a stale cache",
    "the audit log",
    "the webhook signer",
    "a memory leak",
    "the backup job",
    "the search index",
    "the onboarding form",
    "an expired token",
    "the currency rounding",
    "the image resizer",
    "the time zone table",
]
OUTCOMES = [
    "latency fell by {n} percent",
    "customers in {city} noticed",
    "nobody had to be paged",
    "the error budget was spent",
    "{n} requests failed first",
    "the change was reverted within {n} minutes",
    "the fix is waiting for review",
    "the numbers looked right afterwards",
    "support counted {n} tickets",
    "we agreed to automate it",
]
CITIES = [
    "Lisbon",
    "Oslo",
    "Nairobi",
    "Lima",
    "Hanoi",
    "Quito",
    "Riga",
    "Porto",
    "Bergen",
    "Accra",
    "Dakar",
    "Turin",
    "Ghent",
    "Split",
    "Varna",
    "Izmir",
]
HOBBIES = [
    "the pottery class",
    "a walk along the river",
    "the sourdough starter",
    "a concert of old songs",
    "the allotment",
    "the chess club",
    "her daughter's recital",
    "the broken bicycle",
    "a trip to the mountains",
    "a new recipe for lentils",
]


def notes(count: int, seed: int = 7) -> Iterator[tuple[str, str, datetime]]:
    """Yield text, source and time of some made-up notes."""
    draw = random.Random(seed)
    moment = datetime(2020, 1, 1, 9, tzinfo=UTC)
    for number in range(count):
        moment += timedelta(minutes=draw.randint(5, 200))
        who, other = draw.sample(PEOPLE, 2)
        if draw.random() < 0.3:
            text = (
                f"{who} told {other} about {draw.choice(HOBBIES)} in {draw.choice(CITIES)}, "
                f"and that it took {draw.randint(2, 90)} days."
            )
        else:
            outcome = draw.choice(OUTCOMES).format(n=draw.randint(2, 97), city=draw.choice(CITIES))
            text = (
                f"{who} {draw.choice(ACTIONS)} {draw.choice(THINGS)} of the {draw.choice(SERVICES)} service "
                f"for ticket OPS-{draw.randint(100, 9999)}; {outcome}."
            )
        yield text, f"channel-{number // 40}", moment


def questions(count: int, size: int, seed: int = 11) -> list[str]:
    """Return questions about some of the notes, in part of their words."""
    draw = random.Random(seed)
    texts = [text for text, _, _ in notes(size)]
    asked = []
    for text in draw.sample(texts, min(count, len(texts))):
        words = text.rstrip(".").split()
        start = draw.randint(0, max(0, len(words) - 9))
        asked.append("What do we know about " + " ".join(words[start : start + 8]) + "?")
    return asked


FAULTS = [
    "the cache was stale",
    "the certificate had expired",
    "the disk was full",
    "a flag was set wrongly",
    "the token had been revoked",
    "the migration locked the table",
    "the retry loop ran wild",
    "the rate limiter was too strict",
]
HARM = [
    "checkout failed",
    "logins timed out",
    "the {s} service crashed",
    "orders were lost in {c}",
    "the {s} dashboard went blank",
    "customers in {c} saw errors",
    "invoices were sent twice",
    "searches returned nothing",
]


def incidents(count: int, seed: int = 7) -> Iterator[tuple[str, str, datetime]]:
    """Yield text, source and time of some made-up incidents, each with what led to it."""
    draw = random.Random(seed)
    moment = datetime(2020, 1, 1, 9, tzinfo=UTC)
    for number in range(count):
        moment += timedelta(minutes=draw.randint(10, 300))
        harm, later = (harmful(draw) for _ in range(2))
        fault = f"{draw.choice(FAULTS)} on {draw.choice(SERVICES)}-{draw.randint(1, 40)}"
        if draw.random() < 0.6:
            text = f"{harm[0].upper()}{harm[1:]} because {fault} ({draw.choice(PEOPLE)})."
        else:
            text = f"{draw.choice(PEOPLE)} found that {fault}, which led to {later}. As a result, {harm}."
        yield text, f"channel-{number // 40}", moment


def harmful(draw: random.Random) -> str:
    return draw.choice(HARM).format(s=draw.choice(SERVICES), c=draw.choice(CITIES))


def why_questions(count: int, seed: int = 11) -> list[str]:
    draw = random.Random(seed)
    return [f"Why was it that {harmful(draw)}?" for _ in range(count)]


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def measure(size: int, count: int, embedder: str, folder: str, *, dense: bool = False) -> dict[str, float]:
    """Fill a memory and question it; return the figures, times in milliseconds."""
    figures: dict[str, float] = {"memories": size}
    with Memory.open(folder, user="bench", BECAUSAL_EMBEDDER=embedder) as memory:
        memory.warm()
        told = list(incidents(size) if dense else notes(size))
        early = size - max(100, size // 10)
        began = time.perf_counter()
        for number, (text, source, moment) in enumerate(told[:early]):
            memory.store(text, source=source, occurred_at=moment)
            if number % 500 == 499:
                print(f"  told {number + 1:,} of {size:,}", file=sys.stderr)
        while pending := memory.settle(5):
            print(f"  indexing, {pending:,} or more to go", file=sys.stderr)
        figures["filling, s"] = time.perf_counter() - began
        stores = []
        for text, source, moment in told[early:]:
            started = time.perf_counter()
            memory.store(text, source=source, occurred_at=moment)
            stores.append((time.perf_counter() - started) * 1000)
            if len(stores) % 20 == 0:
                memory.settle()  # so that what is timed is storing, not storing beside the indexing
        memory.settle()
        bare, recalls, answers = [], [], []
        model = memory._embedder
        for question in why_questions(count) if dense else questions(count, size):
            started = time.perf_counter()
            model.embed([question])
            embedded = time.perf_counter()
            memory.recall(question, limit=10)
            recalled = time.perf_counter()
            memory.ask(question)
            answers.append((time.perf_counter() - recalled) * 1000)
            recalls.append((recalled - embedded) * 1000)
            bare.append((embedded - started) * 1000)
        figures |= {
            "store p50": statistics.median(stores),
            "store p95": percentile(stores, 0.95),
            "embedding p50": statistics.median(bare),
            "recall p50": statistics.median(recalls),
            "recall p99": percentile(recalls, 0.99),
            "recall p50 / embedding p50": statistics.median(recalls) / statistics.median(bare),
            "ask p50": statistics.median(answers),
            "ask p99": percentile(answers, 0.99),
            "ask p50 / embedding p50": statistics.median(answers) / statistics.median(bare),
        }
    figures["resident MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures["on disk, MB"] = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file()) / 1e6
    return figures


def measure_import(size: int, embedder: str, folder: str, batch: int = 64) -> dict[str, float]:
    """Import notes; return how fast that was beside the model alone."""
    told = [{"content": text, "source": source, "occurred_at": at.isoformat()} for text, source, at in notes(size)]
    bare = imported = processor = 0.0
    file = Path(folder) / "notes.jsonl"
    with Memory.open(folder, user="bench", BECAUSAL_EMBEDDER=embedder, consolidation_interval=0) as memory:
        model = memory._embedder
        model.load()
        for start in range(0, size, step := max(batch, -(-size // 10))):
            piece = told[start : start + step]
            began = time.perf_counter()
            for at in range(0, len(piece), batch):
                model.embed([each["content"] for each in piece[at : at + batch]])
            bare += time.perf_counter() - began
            file.write_text("\n".join(map(json.dumps, piece)), encoding="utf-8")
            began, worked = time.perf_counter(), time.process_time()
            answer = memory.transfer.import_file(file)
            imported += time.perf_counter() - began
            processor += time.process_time() - worked
            assert (answer.refused, answer.unindexed) == (0, 0)
            print(f"  imported {start + len(piece):,} of {size:,}", file=sys.stderr)
    return {
        "memories": size,
        "embedding alone, texts/s": size / bare,
        "import, memories/s": size / imported,
        "import / embedding alone": bare / imported,
        "import, processor ms each": processor * 1000 / size,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--embedder", default="minilm")
    parser.add_argument("--incidents", action="store_true", help="memories dense in causes")
    parser.add_argument("--bulk", action="store_true", help="import the memories from files")
    parser.add_argument("--keep", help="a folder to leave the memory in")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or temporary
        if options.bulk:
            figures = measure_import(options.size, options.embedder, folder)
        else:
            figures = measure(options.size, options.questions, options.embedder, folder, dense=options.incidents)
    print("| figure | value |\n|---|---|")
    for name, value in figures.items():
        print(f"| {name} | {value:,.2f} |")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
