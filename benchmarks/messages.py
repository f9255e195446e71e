# SPDX-License-Identifier: Apache-2.0
"""Sixty questions about 75 real incident reports, each cut into messages of 300 words.

    python benchmarks/messages.py --data DIR [--without late,…] [--json FILE]

``DIR`` holds ``postmortems``. A report is told without its title and front matter, except for the summary:
one memory for every 300 words, the report's name as their source. A question is answered by the messages of
one report, which the beginning of its file's name tells; it counts by whether one of them is among the first
1, 3, 5 and 10 results. The questions were written from the reports before they were first asked, in other words
than the reports' where there are any, and were not changed to suit the ranking.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from becausal import Memory
from causal import body
from measuring import PLAIN, Plain, interval, means, weights_without
from page import shown, table

WORDS = 300
CUTS = (1, 3, 5, 10)
NAMES = tuple(f"R@{cut}" for cut in CUTS)

QUESTIONS = (
    ("00b7f759", "Which database service failed since its nodes gave up on handshakes after a power cut?"),
    ("01494547", "Which update of a game removed a file that Windows needs to start up?"),
    ("018edf27", "a package manager's credentials could be read from its build server"),
    ("019eb098", "Whose alerts did not work because queries over old data took all the serverless capacity?"),
    ("029b4a8e", "a message that no worker could digest made the application crash over and over"),
    ("06ceee47", "After a restart the main server came up with the wrong disk mounted. Whose was it?"),
    ("0787bc22", "pairs of file servers shot each other down while the network stood still"),
    ("090ac94f", "How did one huge order of a cheap share bring a broker down?"),
    ("097f2292", "the line to the stock exchange failed and the reserve line did not hold up"),
    ("0afb9162", "customers could not write to device files any more after an operating system package update"),
    ("0b69e012", "What made the hosted search clusters unreachable when the coordination layer was patched?"),
    ("0b9c79f2", "Hundreds of millions of people had no electricity for two days. What was the load like that night?"),
    ("0d052dd0", "visitors saw not-found pages of the cloud provider instead of the customers' websites"),
    ("0d5441d3", "payments company lost records when its database moved to the standby in another zone"),
    ("0df4b886", "how damaged status messages paralysed an early computer network"),
    ("0dfe934b", "two different files with one fingerprint broke a source code repository"),
    ("0fb2bbd9", "a generator of settings produced a faulty one and nobody could reach their mail or calendar"),
    ("118fcca7", "When people began to work from home, a chat product went down and showed strangers' data"),
    (
        "14024599",
        "builds waited in a queue because a document database was slow; thread pools had shrunk unnoticed",
    ),
    ("14b8603f", "text messages to one American carrier were blocked"),
    ("160d35a4", "object storage stood still behind a lock that the database took to prevent wraparound"),
    ("1c6f32bc", "copying the search index to many machines at once flooded the network of a shop for handmade things"),
    ("1f3d306d", "a half-broken switch let the members of a consensus group see different leaders"),
    ("20834b0c", "one customer's valid change of settings set off a hidden bug all over a content network"),
    ("217ee689", "a streaming service with too many small shards took slow hosts for dead ones"),
    ("22e646c4", "consumers lost their channels after fifteen minutes because of a message broker upgrade"),
    ("2349ef07", "customers who did not pay could see databases of others, and lost some of their own"),
    ("23713fc8", "Whose containers could not look up any name after a change just past midnight in December?"),
    ("24049f4d", "answers in a cache got out of order, so users saw the chat titles of others"),
    ("2487d400", "a bad firewall rule cut off a family of question and answer sites"),
    ("24be1eec", "a file for recognising bots grew beyond what the proxies could take"),
    ("2590ea48", "an exception tracker processed messages hours late after its data centre was maintained"),
    ("27672984", "a tightened security policy kept customers from logging in to their sales software"),
    ("27a23dcd", "What kept millions of players out for three days?"),
    ("27ad61bb", "two coordination clusters existed side by side after hosts had been replaced too fast"),
    (
        "27e719b1",
        "Which build service asked its users to change keys after its database host was broken into?",
    ),
    ("2b542525", "a ship that capsized the first time it ever left the harbour"),
    ("2dcd8790", "What raised the alarms in the guidance computer while the astronauts were going down?"),
    ("300cba9e", "How did a video service keep streaming when the block storage in one zone failed?"),
    ("30bde82e", "monitoring went blind because producers blocked on a queue when the column store crashed"),
    ("31874408", "the flaw that made expensive Unix machines crash because bits flipped in their processors"),
    ("32b081c5", "requests failed with status 530 after a release of the caching hierarchy"),
    ("32d4756d", "An incident tool could not ship a fix since its base image came from another provider that was down"),
    ("33d85b0f", "automation took down the network's control plane in several places on the East Coast"),
    ("3435a88e", "overgrown trees touched power lines while the alarm in the control room stayed silent"),
    ("34721eea", "the order of the terms in a routing policy withdrew the addresses of nineteen busy locations"),
    (
        "34b4a47b",
        "requests waited twenty seconds for a connection because of needless transactions around modals",
    ),
    ("36450ae5", "everybody reconnected at once to a chat service and its servers ran out of memory"),
    ("36858814", "two processes that write name records raced, and the table service's address was left empty"),
    ("3aac3a45", "the programmers' site went read-only, and switching to the standby servers failed"),
    ("3d2adf6c", "a battle game broke under more than three million players at once"),
    ("3e3b9cb1", "the program that adds and removes servers was switched on again during a migration"),
    ("3e8b0d65", "several disks failed at once and the database cluster would not promote a replica"),
    ("3f376b77", "a performance improvement for blob front ends was rolled out everywhere at once"),
    ("PM2019-009", "When did our cluster run out of network addresses for workloads?"),
    ("PM2019-010", "somebody removed every worker from the cluster by mistake"),
    ("PM2019-011", "a pipeline ran though nobody asked for it and put the old subnets back"),
    ("PM2020-001", "a node could not send its logs since too many files were being observed"),
    ("PM2020-005", "the load balancers had no machines behind them after groups were split by zone"),
    ("PM2020-008", "deployments timed out since somebody tried a security product in a workshop"),
)


def messages(file: Path) -> Iterator[str]:
    """Yield a report in pieces of ``WORDS`` words, the last one being shorter."""
    words = body(file.read_text(encoding="utf-8")).split()
    yield from (" ".join(words[at : at + WORDS]) for at in range(0, len(words), WORDS))


def hits(found: Sequence[str], report: str) -> list[float]:
    return [float(any(source.startswith(report) for source in found[:cut])) for cut in CUTS]


def run(files: Sequence[Path], weights: Any) -> dict[str, Any]:
    rows: dict[str, list[list[float]]] = {name: [] for name in (*PLAIN, "recall")}
    places, times = [], []
    told = {f"{file.stem} {number}": text for file in files for number, text in enumerate(messages(file))}
    with tempfile.TemporaryDirectory() as folder, Memory.open(folder, user="bench", weights=weights) as memory:
        for name, text in told.items():
            memory.store(text, source=name.rpartition(" ")[0])
        memory.settle()
        plain = Plain(told, memory._embedder)
        for report, question in QUESTIONS:
            began = time.perf_counter()
            found = [each.engram.source or "" for each in memory.recall(question, limit=10, strengthen=False).results]
            times.append((time.perf_counter() - began) * 1000)
            rows["recall"].append(hits(found, report))
            place = next((at for at, source in enumerate(found, 1) if source.startswith(report)), None)
            places.append({"question": question, "report": report, "place": place})
            for name, best in plain.rankings(question, 10).items():
                rows[name].append(hits(best, report))
    better = [
        ours[CUTS.index(5)] - theirs[CUTS.index(5)]
        for ours, theirs in zip(rows["recall"], rows["score fusion"], strict=True)
    ]
    return {
        "messages": len(told),
        "ranking": {name: means(some, NAMES) for name, some in rows.items()},
        "over score fusion, R@5": interval(better),
        "median ms": statistics.median(times),
        "questions": places,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--without", default="", help="parts of recall to leave out, comma-separated")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    files = sorted((options.data / "postmortems").glob("*/*.md"))
    if not files:
        print(f"skipped: no reports under {options.data / 'postmortems'}", file=sys.stderr)
        return 0
    result = run(files, weights_without(options.without))
    lines = [(name, *figures.values()) for name, figures in result["ranking"].items()]
    print(table((f"{result['messages']:,} messages of incident reports", "questions", *NAMES), lines))
    print(f"\nrecall over score fusion, R@5: {shown(result['over score fusion, R@5'])}")
    for each in result["questions"]:
        if each["place"] is None or each["place"] > 3:
            print(f"{each['place'] or '–':>3}  {each['question']}")
    print(f"\nmedian {result['median ms']:.1f} ms a question")
    if options.json:
        options.json.write_text(json.dumps(result, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
