# SPDX-License-Identifier: Apache-2.0
"""What a client is told to start."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from becausal.cli import client


def test_the_installed_program_is_named_by_its_full_path(tmp_path: Path) -> None:
    folder = tmp_path / ("Scripts" if sys.platform == "win32" else "bin")
    folder.mkdir()
    program = folder / ("becausal.exe" if sys.platform == "win32" else "becausal")
    program.touch(mode=0o755)
    command, args = client.server_command(tmp_path)
    assert os.path.normcase(command) == os.path.normcase(program)
    assert args == []


def test_an_environment_that_uvx_made_is_never_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_installed_from", lambda: "/somewhere/becausal")
    assert client.server_command(tmp_path / "archive-v0" / "x1") == (
        "uvx",
        ["--from", "/somewhere/becausal", "becausal"],
    )
    monkeypatch.setattr(client, "_installed_from", lambda: None)
    assert client.server_command(tmp_path / "archive-v0" / "x1") == ("uvx", ["becausal"])


def test_the_configuration_is_json_with_the_command() -> None:
    server = json.loads(client.client_configuration())["mcpServers"]["becausal"]
    assert (server["command"], server["args"]) == client.server_command()
