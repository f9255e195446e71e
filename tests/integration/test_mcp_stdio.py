# SPDX-License-Identifier: Apache-2.0
"""Server processes on standard input and output, from their first answer to their exit."""

from __future__ import annotations

import json
import re
import signal
import sys
import textwrap
import time
from pathlib import Path

import anyio
import pytest
from mcp.client import Client

from becausal.composition import open_memory
from toolclient import CLIENT, answered, call, program, request, speaking

pytestmark = pytest.mark.anyio

posix = pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be sent a signal there")


async def test_what_one_process_stores_the_next_recalls_and_forgets(tmp_path: Path) -> None:
    async with Client(program(tmp_path)) as agent:
        stored = await call(agent, "smriti_store", content="The gateway keeps its sessions in Redis")
    async with Client(program(tmp_path)) as agent:
        (found,) = (await call(agent, "smriti_recall", query="gateway sessions")).json
        assert found["id"] == stored.json["id"]
        await call(agent, "smriti_manage", action="forget", memory_id=found["id"])
        assert (await call(agent, "smriti_recall", query="gateway sessions")).text == "[]"


async def test_two_processes_writing_at_once_lose_nothing_and_find_what_the_other_wrote(tmp_path: Path) -> None:
    async with Client(program(tmp_path)) as alpha, Client(program(tmp_path)) as beta:
        async with anyio.create_task_group() as group:
            for number in range(20):
                for name, agent in (("alpha", alpha), ("beta", beta)):
                    group.start_soon(_must_store, agent, f"{name} wrote entry{number}")
        for agent, name in ((alpha, "beta"), (beta, "alpha")):
            kept = (await call(agent, "smriti_recall", limit=100)).json
            assert len(kept) == 40
            found = (await call(agent, "smriti_recall", query=f"{name} entry7", mode="fts")).json
            assert found[0]["content"] == f"{name} wrote entry7"


async def test_a_hundred_calls_at_once_are_all_answered(tmp_path: Path) -> None:
    answers: list[str] = []

    async def ask(agent: Client, number: int) -> None:
        if number % 2:
            answer = await call(agent, "smriti_store", content=f"entry{number} of the log")
        else:
            answer = await call(agent, "smriti_recall", query=f"entry{number - 1}")
        assert not answer.failed, answer.text
        answers.append(answer.text)

    async with Client(program(tmp_path)) as agent:
        async with anyio.create_task_group() as group:
            for number in range(100):
                group.start_soon(ask, agent, number)
        assert len(answers) == 100
        assert len((await call(agent, "smriti_recall", limit=100)).json) == 50


def contents(folder: Path) -> list[str]:
    """Return what the memory in a folder holds."""
    with open_memory(folder, user="alice", embedder="hashing") as memory:
        return [result.text for result in memory.recall().results]


async def _must_store(agent: Client, content: str) -> None:
    answer = await call(agent, "smriti_store", content=content)
    assert not answer.failed, answer.text


def test_the_handshake_is_answered_before_a_model_or_its_libraries_are_loaded(tmp_path: Path) -> None:
    heavy = ("numpy", "onnxruntime", "sqlite3")
    imported = re.compile(r"\| +([\w.]+)$", re.MULTILINE)
    command = (sys.executable, "-X", "importtime", "-m", "becausal")
    with speaking(tmp_path, *command, BECAUSAL_EMBEDDER="minilm") as server:
        assert server.greet()["result"]["serverInfo"]["name"] == "becausal"
        _, log, _ = server.end()
    with speaking(tmp_path, *command, BECAUSAL_EMBEDDER="minilm") as server:
        server.greet()
        assert not server.call("smriti_recall", query="anything").failed
        _, later, _ = server.end()
    assert "mcp.server.lowlevel" in imported.findall(log)
    assert [name for name in heavy if name in imported.findall(log)] == []
    assert [name for name in heavy if name in imported.findall(later)] == list(heavy)


def test_it_leaves_cleanly_when_its_input_ends_and_what_it_acknowledged_is_there(tmp_path: Path) -> None:
    with speaking(tmp_path) as server:
        server.greet()
        assert not server.call("smriti_store", content="acknowledged").failed
        assert server.end() == ([], "", 0)
    assert contents(tmp_path) == ["acknowledged"]


def test_input_that_ends_before_it_begins_is_no_error(tmp_path: Path) -> None:
    with speaking(tmp_path) as server:
        assert server.end() == ([], "", 0)


def test_it_leaves_cleanly_while_it_still_opens_the_memory(tmp_path: Path) -> None:
    with speaking(tmp_path, BECAUSAL_EMBEDDER="minilm") as server:
        server.greet()
        server.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        said, log, code = server.end()
    assert ([message["id"] for message in said], log, code) == ([1], "", 0)


def test_calls_in_progress_are_answered_when_the_input_ends(tmp_path: Path) -> None:
    with speaking(tmp_path) as server:
        server.send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": CLIENT})
        server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        server.send(*(request(number, "smriti_store", content=f"note {number}") for number in range(1, 11)))
        said, log, code = server.end()
    assert sorted(message["id"] for message in said) == list(range(11))
    assert (log, code) == ("", 0)


@posix
@pytest.mark.parametrize("number", ["SIGTERM", "SIGINT"])
def test_it_leaves_cleanly_on_a_signal_although_its_input_stays_open(tmp_path: Path, number: str) -> None:
    with speaking(tmp_path) as server:
        server.greet()
        assert not server.call("smriti_store", content="acknowledged").failed
        server.process.send_signal(getattr(signal, number))
        assert server.process.wait(30) == 0
        assert server.log.rest() == ""
    assert contents(tmp_path) == ["acknowledged"]


def test_a_client_that_stops_reading_ends_it_quietly(tmp_path: Path) -> None:
    with speaking(tmp_path) as server:
        server.greet()
        assert server.process.stdout is not None
        server.process.stdout.close()
        server.send(request(1, "smriti_recall"))
        assert server.process.wait(30) == 0
        assert server.log.rest() == ""


STUCK = """
    import logging
    import sys
    import threading
    from becausal.server import stdio

    class Memory:
        backups = None
        def warm(self, *, vectors=False): pass
        def close(self): pass
        def store(self, content):
            print("printed by a tool")
            sys.stdout.flush()
            threading.Event().wait()

    logging.basicConfig()
    stdio.GRACE = stdio.DEADLINE = 0.2
    sys.exit(stdio.run_stdio(Memory))
"""


@posix
def test_a_call_that_never_ends_does_not_keep_the_process_alive(tmp_path: Path) -> None:
    with speaking(tmp_path, sys.executable, "-c", textwrap.dedent(STUCK)) as server:
        server.greet()
        server.send(request(1, "smriti_store", content="x"))
        assert server.log.line() == "printed by a tool\n"
        started = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        said, log, code = server.end()
        assert time.monotonic() - started < 20
    assert [message for message in said if "result" in message] == []
    assert "while a call was still running" in log
    assert code == 0


@posix
def test_a_second_signal_of_either_kind_ends_it_at_once(tmp_path: Path) -> None:
    patient = textwrap.dedent(STUCK).replace("= 0.2", "= 60")
    with speaking(tmp_path, sys.executable, "-c", patient) as server:
        server.greet()
        server.send(request(1, "smriti_store", content="x"))
        assert server.log.line() == "printed by a tool\n"
        server.process.send_signal(signal.SIGTERM)
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(30) in (-signal.SIGINT, -signal.SIGTERM)


@pytest.mark.parametrize(
    "locale",
    [{"PYTHONIOENCODING": "cp1252"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}],
    ids=["cp1252", "C"],
)
def test_text_is_utf8_whatever_the_locale(tmp_path: Path, locale: dict[str, str]) -> None:
    with speaking(tmp_path, **locale) as server:
        server.greet()
        message = request(1, "smriti_store", content="日本語 café 🙂")
        server.send(json.dumps(message, ensure_ascii=False).encode())
        assert not answered(server.hear()).failed
        assert server.call("smriti_recall").json[0]["content"] == "日本語 café 🙂"
        assert server.end() == ([], "", 0)


def test_what_cannot_be_read_is_answered_and_the_connection_lives(tmp_path: Path) -> None:
    whole = json.dumps(request(1, "smriti_store", content="CONTENT")).encode()
    with speaking(tmp_path) as server:
        server.greet()
        server.send(b"hello")
        assert server.hear()["error"]["code"] == -32700
        server.send(b"[1, 2]", b"", b"   ")
        assert server.hear()["error"]["code"] == -32600
        for bad in (rb"\ud800", b"caf\xe9"):
            server.send(whole.replace(b"CONTENT", bad))
            refused = answered(server.hear())
            assert refused.failed
            assert refused.text.startswith("Validation error in smriti_store:\n  - content: must be valid Unicode")
        server.send(whole.replace(b'"CONTENT"', b'"x", "importance": NaN'))
        assert "importance: must be a number from 0 to 1, got nan" in answered(server.hear()).text
        assert server.call("smriti_recall").text == "[]"
        assert server.end() == ([], "", 0)


def test_a_wrong_setting_is_one_line_on_standard_error_and_exit_code_2(tmp_path: Path) -> None:
    with speaking(tmp_path, BECAUSAL_EMBEDDER="nonsense") as server:
        said, log, code = server.end()
    assert (said, code) == ([], 2)
    assert len(log.splitlines()) == 1
    assert "BECAUSAL_EMBEDDER" in log


def test_a_memory_that_cannot_be_opened_is_an_answer_and_is_tried_again(tmp_path: Path) -> None:
    blocked = tmp_path / "storage"
    blocked.write_text("a file where a folder should be")
    with speaking(tmp_path, STORAGE_LOCATION=str(blocked)) as server:
        server.greet()
        refused = server.call("smriti_store", content="x")
        assert refused.failed
        assert refused.text.startswith("failed to store memory: ")
        assert str(blocked) in refused.text
        blocked.unlink()
        assert not server.call("smriti_store", content="x").failed
        _, log, code = server.end()
    assert "Traceback" not in log
    assert code == 0
