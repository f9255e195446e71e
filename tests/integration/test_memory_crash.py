# SPDX-License-Identifier: Apache-2.0
"""What survives a process that dies without warning."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from becausal import Memory
from becausal.domain.records import Engram, Kind

WRITER = """
import sys
from becausal import Memory

with Memory.open(sys.argv[1], user="alice", BECAUSAL_EMBEDDER="hashing") as memory:
    for number in range(100_000):
        text = f"Round {sys.argv[2]}: note {number} mentions Grafana and Kafka on 3 March 2026."
        stored = memory.store(text, source="log")
        print(stored.engram.id, flush=True)
"""


def acknowledged_until_killed(folder: Path, round: int, after: int) -> list[str]:
    """Write in another process, kill it after some acknowledgements, and return the ids it gave."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), str(round)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        ids = [process.stdout.readline().strip() for _ in range(after)]
        os.kill(process.pid, signal.SIGKILL)
        ids += [line.strip() for line in process.stdout.read().splitlines()]
    return [id for id in ids if len(id) == 36]


def test_every_acknowledged_memory_survives_twenty_kills_and_is_indexed(tmp_path: Path) -> None:
    told: list[str] = []
    for round in range(20):
        told += acknowledged_until_killed(tmp_path, round, 3 + 7 * round % 20)
        with Memory.open(tmp_path, user="alice", BECAUSAL_EMBEDDER="hashing") as memory:
            assert memory._store.check() == ()
            assert len(memory._store.get(Kind.ENGRAM, told)) == len(told)
    with Memory.open(tmp_path, user="alice", BECAUSAL_EMBEDDER="hashing") as memory:
        assert memory.settle(60) == 0
        engrams = memory._store.get(Kind.ENGRAM, told).values()
        assert all(isinstance(engram, Engram) and engram.indexed_at for engram in engrams)
        assert memory.recall("Round 0 note 0", mode="search").results
