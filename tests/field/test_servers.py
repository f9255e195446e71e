# SPDX-License-Identifier: Apache-2.0
"""Complaints about other memory servers as programs, each as the behaviour that is promised here instead."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from becausal import Memory
from commandline import CommandLine
from toolclient import client, ready, speaking


def test_an_eager_start_misses_the_handshake(tmp_path: Path) -> None:
    """The model named here is never there, so an answer cannot have waited for one."""
    with speaking(tmp_path, BECAUSAL_EMBEDDER="minilm", BECAUSAL_MODEL_PATH=str(tmp_path / "never.onnx")) as server:
        assert server.greet()["result"]["serverInfo"]["name"] == "becausal"
        assert not server.call("smriti_store", content="Kept and found before any model is there").failed
        assert "before any model" in server.call("smriti_recall", query="model").text


def test_a_windows_console_cannot_read_what_is_not_ascii(tmp_path: Path) -> None:
    folder = tmp_path / "記憶の 場所"
    folder.mkdir()
    text = "記憶 — Füße"
    with speaking(folder, PYTHONIOENCODING="cp950", PYTHONUTF8="0") as server:
        server.greet()
        server.send(
            json.dumps(
                {
                    "jsonrpc": "2.0",
                    "id": 1,
                    "method": "tools/call",
                    "params": {"name": "smriti_store", "arguments": {"content": text}},
                },
                ensure_ascii=False,
            ).encode()
        )
        assert not server.hear()["result"]["isError"]
    assert text in CommandLine(folder)("recall", "記憶").out


@pytest.mark.anyio
async def test_the_tools_eat_the_context(memory: Memory) -> None:
    async with client(ready(memory)) as agent:
        listed = await agent.list_tools()
    tools = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed.tools]
    assert len(tools) <= 10
    assert len(json.dumps(tools, ensure_ascii=False).encode()) <= 8_192


def test_processes_are_left_behind_and_telemetry_and_secrets_leave(tmp_path: Path) -> None:
    with speaking(tmp_path, REDACT="all") as server:
        server.greet()
        stored = server.call("smriti_store", content="The key is AKIAIOSFODNN7EXAMPLE")
        assert not stored.failed
        _, _, code = server.end()
    assert code == 0
    assert b"AKIAIOSFODNN7EXAMPLE" not in b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert CommandLine(tmp_path)("status", "--json").json["sends_text_to"] == []
