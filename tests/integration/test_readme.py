# SPDX-License-Identifier: Apache-2.0
"""The README says what is so: its commands, snippets and links are tried."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from becausal.cli.main import program
from becausal.server.tools.engram import ENGRAM
from commandline import CommandLine

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def commands() -> list[list[str]]:
    """Return the becausal commands in the README's console blocks, as words."""
    lines = [line[2:] for block in blocks("console") for line in block.splitlines() if line.startswith("$ ")]
    words = [shlex.split(part, comments=True) for line in lines for part in line.split(" | ")]
    return [found[1:] for found in words if found[0] == "becausal"]


def test_the_two_set_up_commands_come_first_each_on_a_line() -> None:
    lines = [line for block in blocks("sh")[:2] for line in block.splitlines()]
    assert lines == [
        "python3 -m venv .venv && .venv/bin/pip install -q . && .venv/bin/becausal demo",
        "python3 -m venv .venv && .venv/bin/pip install -q -e '.[dev]' && .venv/bin/pytest",
    ]


def test_every_client_snippet_is_json_that_starts_the_server() -> None:
    snippets = [json.loads(block) for block in blocks("json")]
    servers = [
        snippet[key]["becausal"]
        for snippet in snippets
        for key in ("mcpServers", "servers", "context_servers")
        if key in snippet
    ]
    assert len(servers) >= 3
    for server in servers:
        assert Path(server["command"]).name in ("becausal", "uvx")
        assert isinstance(server["args"], list)


def test_the_tools_examples_fit_the_tools() -> None:
    rows = re.findall(r"^\| `(\w+)` \|.*\| `(\{.*\})` \|$", README, re.MULTILINE)
    examples = {name: json.loads(arguments) for name, arguments in rows}
    assert set(examples) == {tool.name for tool in ENGRAM}
    for tool in ENGRAM:
        assert set(examples[tool.name]) <= {param.name for param in tool.params}


def test_every_command_in_the_readme_exists_with_its_options() -> None:
    found = commands()
    assert len(found) >= 8
    for name, *rest in found:
        if name.startswith("-"):
            assert name in ("--help", "--version")
            continue
        program.commands[name].make_context(name, [word for word in rest if word not in ("-h", "--help")])


def test_every_command_that_help_lists_is_in_the_readme() -> None:
    for name in program.commands:
        assert re.search(rf"`becausal {name}\b|^\$ becausal {name}\b|\| becausal {name}\b", README, re.MULTILINE), name


def test_the_story_told_in_the_readme_has_the_answers_it_shows(tmp_path: Path) -> None:
    (transcript,) = [block for block in blocks("console") if "becausal why" in block]
    becausal = CommandLine(tmp_path, {"ACCESSING_USER": "alice", "COLUMNS": "90"})
    said = ""
    for line in transcript.splitlines():
        if line.startswith("$ "):
            _, command, *words = shlex.split(line[2:])
            ran = becausal(command, *words)
            assert ran.code == 0, ran.err
            said += f"{line}\n" + (ran.out if command != "store" else "")
    assert _without_figures(said) == _without_figures(transcript)


def _without_figures(text: str) -> str:
    """Leave out what differs from run to run, and from processor to processor: ids and shares."""
    return re.sub(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", "ID", re.sub(r"\d+%", "N%", text))


@pytest.mark.parametrize("snippet", blocks("python"))
def test_every_python_snippet_runs(snippet: str, tmp_path: Path) -> None:
    env = {**os.environ, "STORAGE_LOCATION": str(tmp_path), "BECAUSAL_EMBEDDER": "hashing"}
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", snippet],
        env=env,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr


def test_every_link_into_the_repository_leads_somewhere() -> None:
    targets = re.findall(r"\]\((?!https?://|#)([^)#]+)", README)
    assert targets
    for target in targets:
        assert (ROOT / target).exists(), target
