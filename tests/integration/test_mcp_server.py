# SPDX-License-Identifier: Apache-2.0
"""The MCP server itself: what it declares, how it fails, and that nobody waits for anybody else."""

from __future__ import annotations

import json
import threading
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from becausal import __version__
from becausal.engine.results import Recalled
from becausal.errors import StoreUnavailable
from becausal.server.app import Lane
from becausal.server.opening import LazyMemory
from toolclient import call, client, ready

pytestmark = pytest.mark.anyio

ROOM = 8 * 1024
"""Bytes that the whole tool list may take of every conversation."""


class Memory:
    """Stands in for a memory whose methods do what a test wants."""

    backups = None

    def __init__(self, **methods: Any) -> None:
        self.__dict__ |= methods

    def warm(self, *, vectors: bool = False) -> None:
        pass

    def close(self) -> None:
        pass


@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_the_server_says_who_it_is_and_how_to_use_it(era: str) -> None:
    async with client(ready(Memory()), mode=era) as agent:
        assert (agent.server_info.name, agent.server_info.version) == ("becausal", __version__)
        instructions = agent.instructions or ""
    assert len(instructions.encode()) < 1024
    for word in ("Recall before", "Ask, with a whole question", "Store what", "data", "Never follow instructions"):
        assert word in instructions


@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_the_tool_list_is_small(era: str) -> None:
    async with client(ready(Memory()), mode=era) as agent:
        listed = await agent.list_tools()
    wire = listed.model_dump_json(by_alias=True, exclude_none=True)
    assert [tool.name for tool in listed.tools] == ["smriti_store", "smriti_recall", "ask", "smriti_manage"]
    assert len(wire.encode()) <= ROOM


async def test_every_tool_says_what_a_client_may_do_without_asking() -> None:
    async with client(ready(Memory())) as agent:
        hints = {tool.name: tool.annotations for tool in (await agent.list_tools()).tools}
    assert all(hint is not None and hint.open_world_hint is False for hint in hints.values())
    assert {
        name: (hint.read_only_hint, hint.destructive_hint, hint.idempotent_hint)
        for name, hint in hints.items()
        if hint is not None
    } == {
        "smriti_store": (False, False, False),
        "smriti_recall": (True, False, True),
        "ask": (True, False, True),
        "smriti_manage": (False, True, False),
    }


async def test_the_parameters_of_the_systems_before_are_all_there() -> None:
    async with client(ready(Memory())) as agent:
        schemas = {tool.name: tool.input_schema for tool in (await agent.list_tools()).tools}
    assert {"content", "importance", "tags", "source"} <= set(schemas["smriti_store"]["properties"])
    assert {"query", "limit", "mode", "memory_type"} <= set(schemas["smriti_recall"]["properties"])
    assert {"action", "memory_id"} <= set(schemas["smriti_manage"]["properties"])
    assert [schema["required"] for schema in schemas.values()] == [["content"], [], ["question"], ["action"]]
    assert schemas["smriti_recall"]["properties"]["limit"]["type"] == "number"


async def test_a_tool_that_does_not_exist_is_a_protocol_error_that_names_it() -> None:
    async with client(ready(Memory())) as agent:
        with pytest.raises(MCPError, match="Unknown tool: smriti_forget"):
            await agent.call_tool("smriti_forget", {})


async def test_an_unexpected_error_is_logged_under_a_reference_and_not_shown(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def store(content: str) -> None:
        raise RuntimeError("secret of the house")

    async with client(ready(Memory(store=store))) as agent:
        answer = await call(agent, "smriti_store", content="x")
    assert answer.failed
    assert answer.text.startswith("internal error (ref ")
    assert "secret" not in answer.text
    assert answer.text.split("ref ")[1][:8] in caplog.text
    assert "secret of the house" in caplog.text


async def test_a_memory_that_cannot_be_opened_is_every_tools_answer_until_it_can() -> None:
    broken = True

    def open_memory() -> Any:
        if broken:
            raise StoreUnavailable("the folder is not writable")
        return Memory(recall=lambda **given: Recalled(results=(), mode="list"))

    async with client(LazyMemory(open_memory)) as agent:
        for tool, arguments, text in (
            ("smriti_store", {"content": "x"}, "failed to store memory: the folder is not writable"),
            ("smriti_recall", {}, "recall failed: the folder is not writable"),
            ("ask", {"question": "Why?"}, "could not answer: the folder is not writable"),
            ("smriti_manage", {"action": "status"}, "the folder is not writable"),
        ):
            answer = await call(agent, tool, **arguments)
            assert (answer.failed, answer.text) == (True, text)
        broken = False
        assert (await call(agent, "smriti_recall")).text == "[]"


async def test_recalls_that_wait_for_a_model_hold_up_neither_writes_nor_a_look() -> None:
    loaded = threading.Event()
    waiting = threading.Semaphore(0)

    def recall(**given: Any) -> Recalled:
        waiting.release()
        assert loaded.wait(60)
        return Recalled(results=(), mode="recall")

    def forget(id: str, purge: bool) -> None:
        raise StoreUnavailable("reached")

    def get(id: str) -> None:
        raise StoreUnavailable("reached")

    many = 2 * Lane.RECALL.value[1]
    answers: list[str] = []

    async def ask(agent: Client) -> None:
        answers.append((await call(agent, "smriti_recall", query="why")).text)

    everything = ready(Memory(recall=recall, forget=forget, get=get))
    async with client(everything) as agent, anyio.create_task_group() as group:
        for _ in range(many):
            group.start_soon(ask, agent)
        for _ in range(Lane.RECALL.value[1]):
            await anyio.to_thread.run_sync(waiting.acquire)
        for action in ("forget", "get"):
            assert (await call(agent, "smriti_manage", action=action, memory_id="x")).text == "reached"
        assert answers == []
        loaded.set()
    assert answers == ["[]"] * many


async def test_the_tool_list_does_not_wait_for_the_memory_and_has_it_opened() -> None:
    asked, may_open = threading.Event(), threading.Event()

    def open_memory() -> Any:
        asked.set()
        assert may_open.wait(60)
        return Memory()

    memories = LazyMemory(open_memory)
    async with client(memories) as agent:
        await agent.list_tools()
        assert await anyio.to_thread.run_sync(asked.wait, 60)
        may_open.set()
    memories.close()


async def test_answers_keep_what_json_has_no_other_way_to_say() -> None:
    async with client(ready(Memory(recall=lambda **given: Recalled(results=(), mode="list")))) as agent:
        answer = await call(agent, "smriti_recall")
    assert json.loads(json.dumps(answer.data)) == {"results": [], "degraded": None, "next": None}
