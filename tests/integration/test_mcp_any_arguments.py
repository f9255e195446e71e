# SPDX-License-Identifier: Apache-2.0
"""Whatever a client sends, every tool answers, or refuses in its own words: it never breaks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp.client import Client

from becausal.server.toolsets import GENERIC, NAMES, choose
from json_schemas import arguments
from memory_tools import open_test_memory
from toolclient import Said, client, ready, said

TOOLSETS = ("all", "aliases")
TOOLS = {tool.name: tool for tool in choose(TOOLSETS)[0]}
HISTORY = (
    "The nightly deploy filled the disk because old images were never removed.",
    "The disk was full, so the gateway stopped answering on 3 May 2024.",
    "Alice moved from Paris to Berlin in March 2023 and works at Initech.",
    "To restart the gateway, drain it first and then run the script.",
)


class Agent:
    """A client that can be called from where there is no event loop."""

    def __init__(self, portal: BlockingPortal, agent: Client) -> None:
        self._portal = portal
        self._agent = agent
        self.known: list[str] = []

    def call(self, tool: str, given: dict[str, Any]) -> Said:
        return said(self._portal.call(partial(self._agent.call_tool, tool, given)))

    def schema(self, tool: str) -> Any:
        (found,) = (each for each in self._portal.call(self._agent.list_tools).tools if each.name == tool)
        return found.input_schema


@pytest.fixture(scope="module")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Agent]:
    with (
        open_test_memory(tmp_path_factory.mktemp("memory")) as memory,
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(client(ready(memory), *TOOLSETS, read_timeout_seconds=60)) as inner,
    ):
        agent = Agent(portal, inner)
        agent.known += [memory.store(text).engram.id for text in HISTORY]
        agent.known += ["s", "gateway", "disk", "Alice", "Berlin"]
        agent.call("set", {"session_id": "s", "key": "gateway", "value": "restarted"})
        agent.call("upsert_memory_node", {"session_id": "s", "node_id": "disk", "content": "the disk is full"})
        agent.call("add_entity", {"name": "Alice", "entity_type": "person"})
        agent.call("add_causal_link", {"cause": "the disk is full", "effect": "the gateway stops"})
        yield agent


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_answers_or_refuses_in_its_own_words_whatever_it_is_given(agent: Agent, tool: str) -> None:
    @settings(max_examples=25, suppress_health_check=list(HealthCheck), database=None)
    @given(data=st.data())
    def try_it(data: st.DataObject) -> None:
        given = data.draw(arguments(agent.schema(tool), agent.known))
        if isinstance(given.get("wait_ms"), int | float):
            given["wait_ms"] = min(given["wait_ms"], 20)  # that it waits is tested elsewhere
        answer = agent.call(tool, given)
        assert "internal error" not in answer.text, (given, answer.text)
        assert answer.text.strip()

    try_it()


def test_every_tool_of_every_toolset_is_tried() -> None:
    assert {tool.name for each in {*NAMES, *GENERIC} for tool in choose((each,))[0]} == set(TOOLS)
    assert len(TOOLS) == 40


def test_every_tool_can_also_succeed_with_such_a_history(agent: Agent) -> None:
    assert not agent.call("ask", {"question": "Why did the gateway stop?"}).failed
    assert not agent.call("smriti_recall", {"query": "gateway"}).failed
