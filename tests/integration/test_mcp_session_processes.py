# SPDX-License-Identifier: Apache-2.0
"""Sessions between server processes on one memory."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client

from toolclient import done, program, refused, request, speaking

pytestmark = pytest.mark.anyio

SESSION = {"BECAUSAL_TOOLS": "session"}


async def said(agent: Client, tool: str, **arguments: Any) -> Any:
    return (await done(agent, tool, session_id="s", **arguments)).data


async def test_fifty_who_peek_at_once_at_two_processes_share_one_piece_of_work(tmp_path: Path) -> None:
    claims: list[int] = []
    values: list[str] = []

    async def work(agent: Client, number: int) -> None:
        told = await said(agent, "peek", key="dear", claim=True, wait_ms=60_000)
        if told.get("claimed"):
            claims.append(number)
            await said(agent, "set", key="dear", value=f"found by {number}")
            told = await said(agent, "peek", key="dear")
        values.append(told["value"])

    async with Client(program(tmp_path, **SESSION)) as here, Client(program(tmp_path, **SESSION)) as there:
        async with anyio.create_task_group() as group:
            for number in range(50):
                group.start_soon(work, (here, there)[number % 2], number)
        assert len(claims) == 1
        assert values == [f"found by {claims[0]}"] * 50
        assert await said(here, "resolve", promise_id="dear") == await said(there, "resolve", promise_id="dear")


async def test_whoever_comes_later_in_another_process_gets_what_was_found(tmp_path: Path) -> None:
    async with Client(program(tmp_path, **SESSION)) as here, Client(program(tmp_path, **SESSION)) as there:
        await said(here, "peek", key="k", claim=True)
        assert (await said(there, "peek", key="k"))["status"] == "pending"
        await said(here, "set", key="k", value="v")
        await said(there, "init")
        assert await said(there, "peek", key="k", claim=True) == {"hit": True, "value": "v", "index": 0}
        await said(here, "set", key="own", value="nobody promised it")
        assert await said(there, "peek", key="own") == {"hit": False}  # values live in the process
    async with Client(program(tmp_path, **SESSION)) as later:
        assert (await said(later, "resolve_context", key="k"))["value"] == "v"


async def test_the_work_of_a_process_that_was_killed_is_free_after_its_time_and_not_before(tmp_path: Path) -> None:
    ttl = 3.0
    async with Client(program(tmp_path, **SESSION)) as other:
        await said(other, "peek", key="warm")  # its memory is open
        with speaking(tmp_path, **SESSION) as server:
            server.greet()
            begun = time.monotonic()
            server.send(request(1, "peek", session_id="s", key="k", claim=True, ttl_ms=int(ttl * 1000)))
            assert json.loads(server.hear()["result"]["content"][0]["text"])["claimed"]
            server.process.kill()
        told = await said(other, "peek", key="k")
        assert told == {"hit": True, "status": "pending", "promise_id": "k"} or time.monotonic() - begun >= ttl
        told = await said(other, "peek", key="k", claim=True, wait_ms=60_000)
        assert told["claimed"]
        assert time.monotonic() - begun >= ttl
        assert (await said(other, "resolve", promise_id="k"))["status"] == "pending"


async def test_a_flush_in_one_process_lets_no_two_disagree_about_whose_work_it_is(tmp_path: Path) -> None:
    async with Client(program(tmp_path, **SESSION)) as here, Client(program(tmp_path, **SESSION)) as there:
        await said(here, "peek", key="k", claim=True)
        await said(here, "set", key="k", value="old")
        await said(here, "flush")
        assert await said(there, "peek", key="k") == {"hit": False}
        assert (await said(here, "peek", key="k", claim=True))["claimed"]
        assert await said(there, "peek", key="k", claim=True) == {"hit": True, "status": "pending", "promise_id": "k"}
        assert (await said(there, "flush"))["cleared_count"] == 0  # and work in progress goes on
        assert await said(there, "peek", key="k", claim=True) == {"hit": True, "status": "pending", "promise_id": "k"}
        await said(here, "set", key="k", value="new")
        assert await said(there, "peek", key="k", claim=True) == {"hit": True, "value": "new", "index": 0}


async def test_a_process_keeps_the_values_it_has_until_it_is_told_to_begin_anew(tmp_path: Path) -> None:
    async with Client(program(tmp_path, **SESSION)) as here, Client(program(tmp_path, **SESSION)) as there:
        await said(here, "peek", key="k", claim=True)
        await said(here, "set", key="k", value="old")
        assert (await said(there, "peek", key="k"))["value"] == "old"
        await said(here, "set", key="k", value="new")
        assert (await said(there, "peek", key="k"))["value"] == "old"
        await said(there, "flush")
        assert await said(there, "peek", key="k") == {"hit": False}
        assert (await said(here, "peek", key="k"))["value"] == "new"


async def test_who_is_late_is_told_in_another_process_too_without_a_token(tmp_path: Path) -> None:
    async with Client(program(tmp_path, **SESSION)) as here, Client(program(tmp_path, **SESSION)) as there:
        await said(here, "peek", key="k", claim=True, ttl_ms=500)
        assert (await said(there, "peek", key="k", claim=True, wait_ms=60_000))["claimed"]
        told = await refused(here, "set", session_id="s", key="k", value="late")
        assert "another caller has the work on 'k', or has done it" in told
        assert (await said(here, "peek", key="k"))["status"] == "pending"
        await said(there, "set", key="k", value="in time")
        await refused(here, "set", session_id="s", key="k", value="late")
        assert (await said(here, "peek", key="k"))["value"] == "in time"
        await said(here, "set", key="k", value="changed by one who has seen it")
        assert (await said(here, "peek", key="k"))["value"] == "changed by one who has seen it"


async def test_who_is_late_is_heard_where_nobody_took_the_work_over(tmp_path: Path) -> None:
    async with Client(program(tmp_path, **SESSION)) as here, Client(program(tmp_path, **SESSION)) as there:
        token = (await said(here, "peek", key="k", claim=True, ttl_ms=500))["claim_token"]
        while (await said(there, "peek", key="k")).get("status") != "expired":
            await anyio.lowlevel.checkpoint()
        await said(here, "set", key="k", value="late", claim_token=token)
        assert (await said(there, "peek", key="k"))["value"] == "late"


async def test_nodes_of_one_process_are_found_by_the_next(tmp_path: Path) -> None:
    async with Client(program(tmp_path, **SESSION)) as agent:
        made = await said(agent, "upsert_memory_node", type="file", label="server.py", content="Registers MCP tools")
    async with Client(program(tmp_path, **SESSION)) as agent:
        found = await said(agent, "search_memory_graph", query="mcp tools")
        assert [hit["node_id"] for hit in found["direct"]] == [made["node_id"]]
        again = await said(agent, "upsert_memory_node", type="file", label="server.py", content="Registers MCP tools")
        assert (again["node_id"], again["access_count"]) == (made["node_id"], 2)


async def test_two_processes_that_make_one_node_at_once_make_one(tmp_path: Path) -> None:
    made: list[Any] = []

    async def make(agent: Client, number: int) -> None:
        made.append(await said(agent, "upsert_memory_node", type="note", label="one", content=f"told by {number}"))

    async with Client(program(tmp_path, **SESSION)) as here, Client(program(tmp_path, **SESSION)) as there:
        async with anyio.create_task_group() as group:
            for number in range(10):
                group.start_soon(make, (here, there)[number % 2], number)
        assert len({each["node_id"] for each in made}) == 1
        assert (await said(here, "memory_status"))["long_term"]["nodes"] == 1
        assert (await said(there, "search_memory_graph", query="one"))["total_nodes"] == 1
        last = await said(there, "upsert_memory_node", type="note", label="one", content="told last")
        assert last["access_count"] == 11


@pytest.mark.parametrize("claim", [False, True])
async def test_who_waits_is_answered_when_the_session_ends_and_keeps_the_process_from_nothing(
    tmp_path: Path, claim: bool
) -> None:
    with speaking(tmp_path, **SESSION) as server:
        server.greet()
        server.send(request(1, "peek", session_id="s", key="k", claim=True))
        assert json.loads(server.hear()["result"]["content"][0]["text"])["claimed"]
        server.send(
            *(request(number, "peek", session_id="s", key="k", claim=claim, wait_ms=120_000) for number in (2, 3))
        )
        begun = time.monotonic()
        said, log, code = server.end()
    answers = [json.loads(message["result"]["content"][0]["text"]) for message in said]
    assert answers == [{"hit": True, "status": "pending", "promise_id": "k"}] * 2
    assert (log, code) == ("", 0)
    assert time.monotonic() - begun < 9  # and not the ten seconds that other calls are given
