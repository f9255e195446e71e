# SPDX-License-Identifier: Apache-2.0
"""Another implementation, the client of the TypeScript MCP SDK, gets on with every tool."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from toolclient import environment
from webclient import serving

FOLDER = Path(__file__).parents[2] / "tools" / "ts-client"
NODE = shutil.which("node")
TOOLS = "all,aliases"
ALL = "40 of 40 tools answered as they should"


@pytest.fixture(autouse=True)
def installed() -> None:
    missing = "Node.js" if NODE is None else None if (FOLDER / "node_modules").is_dir() else f"npm ci in {FOLDER}"
    if missing is not None and os.environ.get("TEST_TS_CLIENT") == "required":
        pytest.fail(f"{missing} is missing")
    if missing is not None:
        pytest.skip(f"NOT TRIED with the TypeScript MCP SDK: {missing} is missing")


def run(*arguments: str, **env: str) -> str:
    """Run the client to its end; return what it says."""
    assert NODE is not None
    ran = subprocess.run(
        [NODE, str(FOLDER / "run.mjs"), *arguments],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=100,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_every_tool_answers_over_standard_input_and_output(tmp_path: Path) -> None:
    env = environment(tmp_path, BECAUSAL_TOOLS=TOOLS)
    assert ALL in run("stdio", sys.executable, "-m", "becausal", **env)


@pytest.mark.parametrize(("transport", "path"), [("http", "/mcp"), ("http", "/"), ("sse", "/sse")])
def test_every_tool_answers_over_http(tmp_path: Path, transport: str, path: str) -> None:
    with serving(tmp_path, BECAUSAL_TOOLS=TOOLS) as service:
        assert ALL in run(transport, service.address + path, MCP_TOKEN=service.token("alice"))
