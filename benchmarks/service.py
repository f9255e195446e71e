# SPDX-License-Identifier: Apache-2.0
"""``becausal serve`` under load: many MCP clients that store and recall over HTTP at the same time.

Half of the clients hold a session, half speak the protocol without sessions, all through the SDK's client and each with
a token of its own; several users share the service. Each client in turn stores a memory and recalls it; after that time
all go on for a third of it with recalls alone, in which the working memory of the server must stay as it is: what it
grows by before is what is told. In the end every acknowledged memory must be there, at its own user and nobody else.
The clients run in one process on the same machine, so what is measured is both sides; ``load_before`` are the processes
that wanted a processor in the minute before it began, and with more of them than processors its times are theirs too.

    python benchmarks/service.py [--clients 64] [--users 4] [--seconds 60] [--embedder hashing] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from becausal.composition import open_memory
from becausal.web.tokens import Tokens

SERVICES = ("gateway", "scheduler", "billing", "search", "mailer", "importer", "archive", "router")
EVENTS = ("restarted", "ran out of memory", "was deployed", "lost its connection", "answered slowly", "was rolled back")


@dataclass(slots=True)
class Tally:
    """What happened: milliseconds of calls by tool, what was acknowledged by user, and what went wrong."""

    took: dict[str, list[float]] = field(default_factory=lambda: {"store": [], "recall": []})
    kept: dict[str, set[str]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)


async def call(agent: Client, tally: Tally, kind: str, tool: str, **arguments: Any) -> Any:
    """Call a tool; return what it answered, ``None`` if that was an error."""
    started = time.perf_counter()
    try:
        answer = await agent.call_tool(tool, arguments)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what the benchmark looks for
        tally.errors.append(f"{tool}: {error!r}")
        return None
    tally.took[kind].append((time.perf_counter() - started) * 1000)
    text = getattr(answer.content[0], "text", "")
    if answer.is_error:
        tally.errors.append(f"{tool}: {text}")
        return None
    return json.loads(text)


@asynccontextmanager
async def connected(address: str, token: str, mode: Any) -> AsyncIterator[Client]:
    headers = {"authorization": f"Bearer {token}"}

    @asynccontextmanager
    async def transport() -> AsyncIterator[Any]:
        async with (
            httpx2.AsyncClient(headers=headers, timeout=120) as http,
            streamable_http_client(f"{address}/mcp", http_client=http) as streams,
        ):
            yield streams

    async with Client(transport(), mode=mode) as agent:
        yield agent


async def work(address: str, token: str, user: str, number: int, seconds: float, tally: Tally) -> None:
    """Be one client until the time is over."""
    chance = random.Random(number)
    kept = tally.kept.setdefault(user, set())
    async with connected(address, token, "legacy" if number % 2 else "auto") as agent:
        end = time.monotonic() + seconds
        step = 0
        while (now := time.monotonic()) < end + seconds / 3:
            if now >= end:
                query = f"incident c{number}n{chance.randrange(max(step, 1))}"
                await call(agent, tally, "recall", "smriti_recall", query=query, limit=5)
                continue
            what = f"{chance.choice(SERVICES)} {chance.choice(EVENTS)}, incident c{number}n{step}"
            if (stored := await call(agent, tally, "store", "smriti_store", content=f"The {what}")) is not None:
                kept.add(stored["id"])
            found = await call(agent, tally, "recall", "smriti_recall", query=f"incident c{number}n{step}", limit=5)
            if found is not None and stored is not None and all(each["id"] != stored["id"] for each in found):
                tally.errors.append(f"recall: what client {number} had stored in step {step} was not found")
            step += 1


async def look(address: str, token: str, seconds: float, tally: Tally) -> None:
    """Note the memory of the server, in megabytes, each second."""
    async with httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}, timeout=120) as http:
        for _ in range(int(seconds * 4 / 3)):
            text = (await http.get(f"{address}/metrics")).text
            if match := re.search(r"^process_resident_memory_bytes (\S+)", text, re.MULTILINE):
                tally.memory.append(float(match[1]) / 1e6)
            await anyio.sleep(1)


async def load(address: str, tokens: Tokens, clients: int, users: int, seconds: float) -> Tally:
    tally = Tally()
    async with anyio.create_task_group() as group:
        group.start_soon(look, address, tokens.create("watch")[0], seconds, tally)
        for number in range(clients):
            user = f"user{number % users}"
            group.start_soon(work, address, tokens.create(user)[0], user, number, seconds, tally)
    return tally


def lost(folder: Path, embedder: str, tally: Tally) -> tuple[int, int]:
    """Return how many acknowledged memories are not there, and how many are at a user they do not belong to."""
    missing = strange = 0
    for user, kept in tally.kept.items():
        there: set[str] = set()
        with open_memory(folder, user=user, embedder=embedder) as memory:
            cursor = None
            while True:
                page = memory.recall(limit=100, cursor=cursor)
                there |= {each.engram.id for each in page.results}
                if (cursor := page.next) is None:
                    break
        missing += len(kept - there)
        others = set().union(*(ids for name, ids in tally.kept.items() if name != user))
        strange += len(there & others)
    return missing, strange


def percentile(values: list[float], part: float) -> float:
    ordered = sorted(values)
    return round(ordered[min(len(ordered) - 1, int(len(ordered) * part))], 1) if ordered else 0.0


def run(clients: int, users: int, seconds: float, embedder: str) -> dict[str, Any]:
    """Return the figures: times in milliseconds, memory of the server in megabytes."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        busy = round(os.getloadavg()[0], 1)
        environment = {
            **os.environ,
            "STORAGE_LOCATION": name,
            "ACCESSING_USER": "user0",
            "BECAUSAL_EMBEDDER": embedder,
            "PYTHONUNBUFFERED": "1",
            "CONSOLIDATION_INTERVAL": "0",
        }
        command = [sys.executable, "-m", "becausal", "serve", "--port", "0"]
        with subprocess.Popen(command, env=environment, cwd=name, stdout=subprocess.PIPE) as server:
            assert server.stdout is not None
            match = re.search(r"http://[^\s:]+:\d+", server.stdout.readline().decode())
            if match is None:
                raise SystemExit("the server did not start")
            try:
                tally = anyio.run(load, match[0], Tokens(folder), clients, users, seconds)
            except BaseException:
                server.kill()
                raise
            stopping = time.perf_counter()
            server.send_signal(signal.SIGTERM)
            code = server.wait(30)
            stopped = time.perf_counter() - stopping
        missing, strange = lost(folder, embedder, tally)
    reading = tally.memory[len(tally.memory) * 3 // 4 :] or [0.0]
    return {
        "clients": clients,
        "users": users,
        "seconds": seconds,
        "embedder": embedder,
        "load_before": busy,
        "calls": sum(map(len, tally.took.values())),
        "calls_per_second": round(sum(map(len, tally.took.values())) / (seconds * 4 / 3), 1),
        "stored": sum(map(len, tally.kept.values())),
        "errors": len(tally.errors),
        "first_errors": tally.errors[:5],
        "lost": missing,
        "at_another_user": strange,
        **{f"{kind}_p50_ms": percentile(took, 0.5) for kind, took in tally.took.items()},
        **{f"{kind}_p95_ms": percentile(took, 0.95) for kind, took in tally.took.items()},
        "memory_at_first_mb": round(tally.memory[0], 1) if tally.memory else 0.0,
        "memory_when_reading_begins_mb": round(reading[0], 1),
        "memory_at_the_end_mb": round(reading[-1], 1),
        "stop_seconds": round(stopped, 2),
        "exit_code": code,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--users", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--embedder", default="hashing", choices=("hashing", "minilm"))
    parser.add_argument("--json", type=Path, help="file for the figures")
    options = parser.parse_args()
    figures = run(options.clients, options.users, options.seconds, options.embedder)
    for name, value in figures.items():
        print(f"{name:24} {value}")
    if options.json:
        options.json.write_text(json.dumps(figures), encoding="utf-8")
    return 0 if not (figures["errors"] or figures["lost"] or figures["at_another_user"]) else 1


if __name__ == "__main__":
    sys.exit(main())
