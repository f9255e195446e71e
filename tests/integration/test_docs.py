# SPDX-License-Identifier: Apache-2.0
"""The documents say what is so: what is generated is fresh, commands exist, imports work, and the site builds."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from becausal.cli.clients import CLIENTS
from becausal.cli.main import program
from becausal.server.tools_table import table
from becausal.server.toolsets import choose
from commandline import CommandLine

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = {path.name: path.read_text(encoding="utf-8") for path in sorted(DOCS.glob("*.md"))}

LEDGER = "The ledger runs on PostgreSQL."


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGES[page], re.MULTILINE | re.DOTALL)


@pytest.fixture
def becausal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.chdir(tmp_path)
    return CommandLine(tmp_path / "memory")


def test_the_list_of_tools_is_up_to_date_and_has_all() -> None:
    assert PAGES["tools.md"] == table(), "run: python -m becausal.server.tools_table > docs/tools.md"
    assert all(f"\n### {tool.name}\n" in table() for tool in choose(("all", "aliases"))[0])


def test_each_clients_entries_are_what_setup_writes(becausal: CommandLine) -> None:
    written = iter(json.loads(block) for block in blocks("clients.md", "json"))
    for client in CLIENTS.values():
        assert f"\n## {client.title}\n\n```sh\nbecausal setup {client.name}\n```\n" in PAGES["clients.md"]
        assert next(written) == {client.section: {"becausal": client.local("/path/to/becausal", [], {})}}
        printed = becausal("setup", client.name, "--print", "--url", "http://127.0.0.1:3000/mcp", "--token", "TOKEN")
        assert next(written) == printed.json
    assert next(written, None) is None


@pytest.mark.parametrize("page", PAGES)
def test_every_command_in_the_documents_exists_with_its_options(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("memory.json", "mem0.jsonl", "memory_graph.sqlite3", "memory.lbug"):
        (tmp_path / name).touch()
    lines = [line for language in ("sh", "console") for block in blocks(page, language) for line in block.splitlines()]
    for line in lines:
        words = shlex.split(line.removeprefix("$ "), comments=True)
        if words and Path(words[0]).name == "becausal":
            name, *rest = words[1:]
            program.commands[name].make_context(name, rest)


def test_a_memory_of_server_memory_comes_in_as_it_is_told(becausal: CommandLine, tmp_path: Path) -> None:
    lines = [
        {
            "type": "entity",
            "name": "Ledger",
            "entityType": "system",
            "observations": ["The ledger runs on PostgreSQL."],
        },
        {"type": "entity", "name": "Alice", "entityType": "person", "observations": []},
        {"type": "relation", "from": "Alice", "to": "Ledger", "relationType": "maintains"},
    ]
    (tmp_path / "memory.json").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    for command in ("becausal import memory.json --dry-run", "becausal import memory.json"):
        assert f"$ {command}\n" in PAGES["switching.md"]
        ran = becausal(*command.split()[1:])
        assert ran.code == 0, ran.err
    found = becausal("recall", "PostgreSQL", "--json").json["results"]
    assert LEDGER in found[0]["content"]
    assert "maintains" in becausal("graph", "Alice").out


def test_a_memory_of_mem0_comes_in_as_it_is_told(becausal: CommandLine, tmp_path: Path) -> None:
    told = {"id": "1", "memory": "Alice prefers tea.", "user_id": "alice", "created_at": "2025-06-07T08:09:10-07:00"}
    (tmp_path / "mem0.json").write_text(json.dumps({"results": [told]}), encoding="utf-8")
    (script,) = [block for block in blocks("switching.md", "python") if "mem0.jsonl" in block]
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert ran.returncode == 0, ran.stderr
    ran_import = becausal("import", "mem0.jsonl")
    assert ran_import.code == 0, ran_import.err
    (found,) = becausal("list", "--json").json["results"]
    assert (found["content"], found["source"]) == ("Alice prefers tea.", "mem0")
    assert found["occurred_at"].startswith("2025-06-07T15:09:10")


def test_the_python_of_the_quick_start_runs(tmp_path: Path) -> None:
    (snippet,) = blocks("index.md", "python")
    env = {**os.environ, "STORAGE_LOCATION": str(tmp_path), "BECAUSAL_EMBEDDER": "hashing"}
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", snippet], env=env, capture_output=True, text=True, timeout=60
    )
    assert ran.returncode == 0, ran.stderr
    assert "cooling broke down" in ran.stdout


def test_every_page_is_in_the_sites_contents() -> None:
    contents = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert set(re.findall(r": ([\w-]+\.md)$", contents, re.MULTILINE)) == set(PAGES)


def test_every_link_between_pages_leads_somewhere() -> None:
    for page, text in PAGES.items():
        for target in re.findall(r"\]\((?!https?://|#)([^)#]+)", text):
            assert (DOCS / target).exists(), f"{page}: {target}"


@pytest.mark.skipif(find_spec("mkdocs") is None, reason="NOT BUILT: the site needs pip install 'becausal[docs]'")
def test_the_site_builds_and_asks_nobody_for_anything(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert ran.returncode == 0, ran.stderr
    for page in (tmp_path / "site").rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"<(?:script|img|iframe|source)\b[^>]*\ssrc=\"?(?:https?:)?//", text), page
        links = re.findall(r"<link\b[^>]*>", text)
        assert not [link for link in links if re.search(r"href=\"?(?:https?:)?//", link)], page
        assert "@import" not in text
