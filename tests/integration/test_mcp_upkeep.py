# SPDX-License-Identifier: Apache-2.0
"""What a memory does for itself, as an MCP client sees it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import TextResourceContents

from becausal.engine.memory import Memory
from memory_tools import TurnableClock, open_test_memory
from toolclient import call, client, done, ready, refused

HARBOUR = "harbour crane container ship tide pilot quay anchor"
pytestmark = pytest.mark.anyio


@pytest.fixture
def clock() -> TurnableClock:
    return TurnableClock()


@pytest.fixture
def memory(tmp_path: Path, clock: TurnableClock) -> Iterator[Memory]:
    with open_test_memory(tmp_path, clock=clock) as opened:
        yield opened


def tell(memory: Memory) -> list[str]:
    ids = [memory.store(f"{HARBOUR} number{number}").engram.id for number in range(4)]
    memory.settle()
    return ids


async def test_consolidation_archives_what_has_faded_and_says_how_to_undo_it(
    memory: Memory, clock: TurnableClock
) -> None:
    id = memory.store("A trifle.", importance=0.1).engram.id
    clock.turn(days=301)
    async with client(ready(memory)) as agent:
        would = (await done(agent, "smriti_manage", action="consolidate", dry_run=True)).json
        assert would["would_archive"] == [id]
        assert (await done(agent, "smriti_manage", action="archive")).json["archived"] == []
        did = (await done(agent, "smriti_manage", action="consolidate")).json
        assert did["steps"]["prune"] == {"archived": 1}
        assert [each["id"] for each in (await done(agent, "smriti_manage", action="archive")).json["archived"]] == [id]
        back = (await done(agent, "smriti_manage", action="undo", change_id=did["undo"])).json
        assert back["ids"] == [id]


async def test_a_memory_is_archived_and_restored_and_has_a_history(memory: Memory) -> None:
    id = memory.store("The kettle is descaled in May.").engram.id
    async with client(ready(memory)) as agent:
        assert (await done(agent, "smriti_manage", action="archive", memory_id=id)).json["archived"] == [id]
        assert (await done(agent, "smriti_recall", query="kettle descaled")).json == []
        assert (await done(agent, "smriti_manage", action="restore", memory_id=id)).json["restored"] == [id]
        told = (await done(agent, "smriti_manage", action="history", memory_id=id)).json
        assert [each["action"] for each in told["history"]] == ["store", "archive", "unarchive"]
        assert await refused(agent, "smriti_manage", action="restore") == "memory_id is required for restore action"
        assert "not found" in await refused(agent, "smriti_manage", action="history", memory_id="nope")


async def test_each_cluster_is_a_resource(memory: Memory) -> None:
    ids = tell(memory)
    memory.upkeep.consolidate()
    async with client(ready(memory)) as agent:
        (listed,) = (await done(agent, "smriti_manage", action="clusters")).json["clusters"]
        status, resource = (await agent.list_resources()).resources
        assert str(status.uri) == "memory://status"
        assert resource.title == listed["name"]
        assert str(resource.uri) == f"memory://cluster/{listed['cluster_id']}"
        (content,) = (await agent.read_resource(str(resource.uri))).contents
        assert isinstance(content, TextResourceContents)
        topic = json.loads(content.text)
        assert topic["memories"] == 4
        assert {each["id"] for each in topic["most_important"]} == set(ids)


async def test_a_memory_is_a_resource_and_what_does_not_exist_is_an_error(memory: Memory) -> None:
    (id, *_) = tell(memory)
    async with client(ready(memory)) as agent:
        templates = (await agent.list_resource_templates()).resource_templates
        assert {each.uri_template for each in templates} == {"memory://cluster/{id}", "memory://engram/{id}"}
        (content,) = (await agent.read_resource(f"memory://engram/{id}")).contents
        assert isinstance(content, TextResourceContents)
        assert json.loads(content.text)["content"] == f"{HARBOUR} number0"
        for uri in ("memory://engram/nope", "memory://cluster/7", "memory://cluster/x", "file:///etc/passwd"):
            with pytest.raises(MCPError, match="Resource not found"):
                await agent.read_resource(uri)


async def test_the_status_is_a_resource(memory: Memory) -> None:
    tell(memory)
    async with client(ready(memory)) as agent:
        (content,) = (await agent.read_resource("memory://status")).contents
        asked = (await done(agent, "smriti_manage", action="status")).json
    assert isinstance(content, TextResourceContents)
    status = json.loads(content.text)
    assert status["counts"] == asked["counts"]
    assert status["counts"]["engram"] == 4
    assert status["user"] == asked["user"]


async def test_arguments_that_an_action_does_not_take_are_refused(memory: Memory) -> None:
    async with client(ready(memory)) as agent:
        answer = await call(agent, "smriti_manage", action="consolidate", memory_id="x")
        assert answer.failed
        assert "does not belong to action consolidate" in answer.text


async def test_what_another_process_is_at_is_not_told_as_done(memory: Memory) -> None:
    memory._store.claim("consolidate", ["memory"], "a process of another machine", 25)
    async with client(ready(memory)) as agent:
        answer = (await done(agent, "smriti_manage", action="consolidate")).json
    assert (answer["status"], answer["ran"]) == ("busy", False)
    assert "another process" in answer["note"]


async def test_an_archived_memory_says_so_when_it_is_got_or_updated(memory: Memory) -> None:
    id = memory.store("The kettle is descaled in May.").engram.id
    async with client(ready(memory)) as agent:
        assert "archived_at" not in (await done(agent, "smriti_manage", action="get", memory_id=id)).json
        memory.upkeep.archive([id])
        assert (await done(agent, "smriti_manage", action="get", memory_id=id)).json["archived_at"]
        assert (await done(agent, "smriti_manage", action="update", memory_id=id, importance=0.9)).json["archived_at"]
