# SPDX-License-Identifier: Apache-2.0
"""How long a client waits for the first answer: ``becausal`` beside a bare server made with the same SDK.

Both are started as a client starts them, get an ``initialize`` request as their first line, and the clock
stops at its answer. Runs alternate, so that whatever else the machine does hits both. The bare server is
built on the same level of the SDK and has one trivial tool.

    python benchmarks/startup.py [--runs 15] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BARE = """
import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server


async def list_tools(context, params):
    return types.ListToolsResult(tools=[types.Tool(name="echo", input_schema={"type": "object"})])


async def call_tool(context, params):
    return types.CallToolResult(content=[types.TextContent(type="text", text=str(params.arguments))])


async def main():
    server = Server("bare", version="1", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


anyio.run(main)
"""

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "benchmark", "version": "1"},
    },
}


def measure(command: list[str], environment: dict[str, str]) -> float:
    """Return the milliseconds from starting a server to its answer to ``initialize``."""
    started = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        server.stdin.flush()
        answer = json.loads(server.stdout.readline())
        elapsed = (time.perf_counter() - started) * 1000
        server.stdin.close()
        server.stdout.read()
    if "result" not in answer or server.returncode != 0:
        raise SystemExit(f"{command} did not answer: {answer}, exit code {server.returncode}")
    return elapsed


def run(runs: int) -> dict[str, object]:
    """Return the medians in milliseconds of ``runs`` starts each, and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        bare_file = Path(folder, "bare.py")
        bare_file.write_text(BARE)
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment |= {"STORAGE_LOCATION": folder, "ACCESSING_USER": "benchmark"}
        commands = {
            "becausal": [sys.executable, "-m", "becausal"],
            "bare": [sys.executable, str(bare_file)],
        }
        for command in commands.values():  # writes the compiled files, and warms the disk's cache
            measure(command, environment)
        times: dict[str, list[float]] = {name: [] for name in commands}
        for round_ in range(runs):
            for name in sorted(commands, reverse=bool(round_ % 2)):
                times[name].append(measure(commands[name], environment))
    return {
        "runs": runs,
        "becausal_ms": round(statistics.median(times["becausal"]), 1),
        "bare_ms": round(statistics.median(times["bare"]), 1),
        "ratio": round(statistics.median(times["becausal"]) / statistics.median(times["bare"]), 3),
        "python": platform.python_version(),
        "cpus": os.cpu_count(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of a table row")
    options = parser.parse_args()
    if options.runs < 1:
        parser.error("--runs must be at least 1")
    figures = run(options.runs)
    if options.json:
        print(json.dumps(figures))
        return
    print("| runs | becausal, ms | bare SDK server, ms | ratio |\n|---|---|---|---|")
    print("| {runs} | {becausal_ms} | {bare_ms} | {ratio} |".format(**figures))


if __name__ == "__main__":
    main()
