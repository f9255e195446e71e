# SPDX-License-Identifier: Apache-2.0
"""The toolset ``session``: its list, its results, what it refuses, and how it meets the rest of the memory."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client

from becausal.engine.core import SessionOptions
from becausal.engine.memory import Memory
from becausal.server import app
from becausal.server.app import build_server
from becausal.server.toolsets import choose
from becausal.session import cosine_similarity, embed
from becausal.session.promises import Promises
from becausal.session.sessions import Sessions, sessions_of
from becausal.stores.registry import open_store
from memory_tools import bytes_of, open_test_memory
from toolclient import call, client, done, program, ready, refused

pytestmark = pytest.mark.anyio

NAMES = [
    "init",
    "peek",
    "set",
    "resolve",
    "flush",
    "graphql",
    "upsert_memory_node",
    "create_relation",
    "search_memory_graph",
    "prune_stale_links",
    "add_interlinked_context",
    "retrieve_with_traversal",
    "resolve_context",
    "promote_to_long_term",
    "memory_status",
]
ALIASES = [
    "create_memory_relation",
    "prune_memory_links",
    "add_interlinked_memory",
    "retrieve_memory_traversal",
    "resolve_memory_context",
    "promote_memory_to_long_term",
]
ROOM = 12 * 1024
"""Bytes of the toolset's list of tools."""

S = {"session_id": "s"}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with open_test_memory(tmp_path) as opened:
        yield opened


async def said(agent: Client, tool: str, **arguments: Any) -> Any:
    """Call a tool on the session that must succeed; return its answer, the same as text and as data."""
    answer = await done(agent, tool, **{**S, **arguments})
    assert answer.json == answer.data
    return answer.data


# --- the list ---


async def test_the_toolset_has_the_fifteen_tools_in_little_room(memory: Memory) -> None:
    async with client(ready(memory), "session") as agent:
        listed = await agent.list_tools()
    assert [tool.name for tool in listed.tools] == NAMES
    assert len(listed.model_dump_json(by_alias=True, exclude_none=True).encode()) <= ROOM


async def test_the_parameters_are_those_that_clients_know(memory: Memory) -> None:
    async with client(ready(memory), "session") as agent:
        tools = {tool.name: tool.input_schema for tool in (await agent.list_tools()).tools}
    assert {name: [each for each in schema["required"] if each != "session_id"] for name, schema in tools.items()} == {
        "init": [],
        "peek": ["key"],
        "set": ["key", "value"],
        "resolve": ["promise_id"],
        "flush": [],
        "graphql": ["operation"],
        "upsert_memory_node": ["type", "label", "content"],
        "create_relation": ["source_id", "target_id", "relation"],
        "search_memory_graph": ["query"],
        "prune_stale_links": [],
        "add_interlinked_context": ["items"],
        "retrieve_with_traversal": ["start_node_id"],
        "resolve_context": ["key"],
        "promote_to_long_term": ["key", "value"],
        "memory_status": [],
    }
    assert all("session_id" in schema["required"] for schema in tools.values())
    defaults = {
        (name, field): each["default"]
        for name, schema in tools.items()
        for field, each in schema["properties"].items()
        if "default" in each
    }
    assert defaults == {
        ("init", "silo_size"): 256,
        ("peek", "wait_ms"): 0,
        ("create_relation", "weight"): 1.0,
        ("search_memory_graph", "max_depth"): 1,
        ("search_memory_graph", "top_k"): 5,
        ("retrieve_with_traversal", "max_depth"): 2,
        ("promote_to_long_term", "node_type"): "concept",
    }


async def test_the_names_of_the_python_server_are_there_when_asked_for(memory: Memory) -> None:
    async with client(ready(memory), "session", "aliases") as agent:
        tools = {tool.name: tool for tool in (await agent.list_tools()).tools}
        assert list(tools) == [*NAMES, *ALIASES]
        made = await said(agent, "promote_memory_to_long_term", key="k", value="v")
        assert (await said(agent, "resolve_memory_context", key="k"))["node_id"] == made["node_id"]
        assert (await said(agent, "retrieve_memory_traversal", start_node_id=made["node_id"]))["start_node"] == "k"
        related = await said(
            agent,
            "create_memory_relation",
            source_id=made["node_id"],
            target_id=made["node_id"],
            relation="contains",
        )
        assert related["weight"] == 1.0
        assert (await said(agent, "prune_memory_links"))["remaining_edges"] == 1
        items = [{"type": "note", "label": "a", "content": "b"}]
        assert (await said(agent, "add_interlinked_memory", items=items))["nodes_created"] == 1
    assert tools["prune_memory_links"].input_schema == tools["prune_stale_links"].input_schema


async def test_a_prefix_goes_before_generic_names_and_no_others(memory: Memory) -> None:
    tools, instructions = choose(("engram", "session", "aliases"), "pmll_")
    async with Client(build_server(tools, ready(memory), instructions)) as agent:
        names = [tool.name for tool in (await agent.list_tools()).tools]
        assert (await done(agent, "pmll_peek", key="k", **S)).data == {"hit": False}
    assert names[:4] == ["smriti_store", "smriti_recall", "ask", "smriti_manage"]
    assert names[4:] == [f"pmll_{name}" for name in (*NAMES, *ALIASES)]


async def test_settings_choose_the_toolset_and_its_prefix(tmp_path: Path) -> None:
    async with Client(program(tmp_path, BECAUSAL_TOOLS="session", BECAUSAL_TOOL_PREFIX="pmll_")) as agent:
        assert [tool.name for tool in (await agent.list_tools()).tools] == [f"pmll_{name}" for name in NAMES]


# --- the short-term layer ---


async def test_values_are_set_peeked_at_and_flushed(memory: Memory) -> None:
    async with client(ready(memory), "session") as agent:
        assert await said(agent, "init", silo_size=2) == {
            "status": "initialized",
            "session_id": "s",
            "silo_size": 2,
            "cleared": True,
        }
        assert await said(agent, "peek", key="a") == {"hit": False}
        assert await said(agent, "set", key="a", value="1") == {"status": "stored", "index": 0}
        assert await said(agent, "set", key="b", value="") == {"status": "stored", "index": 1}
        assert await said(agent, "peek", key="a") == {"hit": True, "value": "1", "index": 0}
        assert await said(agent, "set", key="c", value=" ü\n") == {"status": "stored", "index": 2}
        assert await said(agent, "peek", key="b") == {"hit": False}  # the least recently used had to go
        assert await said(agent, "peek", key="c") == {"hit": True, "value": " ü\n", "index": 2}
        assert (await done(agent, "peek", session_id="other", key="a")).data == {"hit": False}
        assert await said(agent, "flush") == {"status": "flushed", "cleared_count": 2}
        assert await said(agent, "peek", key="a") == {"hit": False}
        assert (await done(agent, "flush", session_id="never")).data["cleared_count"] == 0
        assert (await said(agent, "memory_status"))["short_term"] == {"slots": 0, "silo_size": 256}


async def test_work_is_not_given_up_without_a_reason_and_stays_pending(memory: Memory) -> None:
    async with client(ready(memory), "session") as agent:
        await said(agent, "peek", key="k", claim=True)
        for blank in ("", "  "):
            refused = await agent.call_tool("resolve", {"session_id": "s", "promise_id": "k", "reject": blank})
            assert refused.is_error
            assert "reject" in str(refused.content[0])
        assert (await said(agent, "resolve", promise_id="k"))["status"] == "pending"


async def test_a_promise_is_claimed_pending_resolved_rejected_or_unknown(memory: Memory) -> None:
    async with client(ready(memory), "session") as agent:
        assert await said(agent, "resolve", promise_id="k") == {"status": "unknown", "payload": None}
        claimed = await said(agent, "peek", key="k", claim=True, ttl_ms=60_000)
        assert claimed == {
            "hit": False,
            "claimed": True,
            "promise_id": "k",
            "ttl_ms": 60_000,
            "claim_token": claimed["claim_token"],
        }
        pending = {"hit": True, "status": "pending", "promise_id": "k"}
        assert await said(agent, "peek", key="k") == pending
        assert await said(agent, "peek", key="k", claim=True, wait_ms=1) == pending
        assert await said(agent, "resolve", promise_id="k") == {"status": "pending", "payload": None}
        told = await said(agent, "resolve", promise_id="k", reject="the service is down")
        assert told == {"status": "rejected", "payload": None, "reason": "the service is down"}
        assert await said(agent, "peek", key="k") == {
            "hit": False,
            "status": "rejected",
            "promise_id": "k",
            "reason": "the service is down",
        }
        assert (await said(agent, "peek", key="k", claim=True))["claimed"]
        await said(agent, "set", key="k", value="v")
        assert await said(agent, "resolve", promise_id="k") == {"status": "resolved", "payload": "v"}
        assert await said(agent, "peek", key="k") == {"hit": True, "value": "v", "index": 0}
        await said(agent, "flush")
        assert await said(agent, "peek", key="k") == {"hit": False}
        assert (await said(agent, "peek", key="k", claim=True))["claimed"]  # what was flushed is to be done again


class Gate:
    """Holds back whoever looks a key up, from when it is shut until it is opened."""

    def __init__(self, sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
        self._open = threading.Event()
        self._open.set()
        self._lock = threading.Lock()
        self.held = 0
        peek = sessions.peek

        def held_back(*arguments: Any, **more: Any) -> Any:
            if not self._open.is_set():
                with self._lock:
                    self.held += 1
                self._open.wait(60)
            return peek(*arguments, **more)

        monkeypatch.setattr(sessions, "peek", held_back)

    @contextmanager
    def shut(self) -> Iterator[None]:
        self._open.clear()
        try:
            yield
        finally:
            self._open.set()


async def test_fifty_who_peek_at_once_share_one_piece_of_work_and_none_of_them_delays_the_one_who_does_it(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The value is set, and that is answered, while not one look of those who wait or come has an end."""
    gate = Gate(sessions_of(memory), monkeypatch)
    claims: list[int] = []
    values: list[str] = []

    async with client(ready(memory), "session") as agent:

        async def work(number: int) -> None:
            told = await said(agent, "peek", key="dear", claim=True, wait_ms=60_000)
            if told.get("claimed"):
                claims.append(number)
            else:
                values.append(told["value"])

        async with anyio.create_task_group() as group:
            for number in range(50):
                group.start_soon(work, number)
            # All but the one are waiting by now, since calls are taken in their order.
            while not claims:
                await anyio.lowlevel.checkpoint()
            await said(agent, "peek", key="other")
            with gate.shut(), anyio.fail_after(50):
                for number in range(50, 70):
                    group.start_soon(work, number)
                while gate.held < app.Lane.PEEK.value[1]:
                    await anyio.lowlevel.checkpoint()
                stored = await said(agent, "set", key="dear", value=f"found by {claims[0]}")
                assert stored == {"status": "stored", "index": 0}
                assert values == []
    assert len(claims) == 1
    assert values == [f"found by {claims[0]}"] * 69


async def test_forty_who_wait_keep_no_thread_from_the_work_of_others(memory: Memory) -> None:
    async with client(ready(memory), "session") as agent, anyio.create_task_group() as group:
        await said(agent, "peek", key="k", claim=True)
        for _ in range(40):
            group.start_soon(lambda: said(agent, "peek", key="k", claim=True, wait_ms=60_000))
        with anyio.fail_after(30):
            for number in range(20):
                assert await said(agent, "peek", key=f"other {number}") == {"hit": False}
                await said(agent, "memory_status")
        await said(agent, "set", key="k", value="v")


async def test_of_very_many_who_want_to_wait_the_last_are_told_at_once(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "MAX_WAITING", 2)
    told: list[Any] = []

    async with client(ready(memory), "session") as agent:

        async def wait() -> None:
            told.append(await said(agent, "peek", key="k", wait_ms=60_000))

        await said(agent, "peek", key="k", claim=True)
        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(wait)
            while len(told) < 3:
                await anyio.lowlevel.checkpoint()
            await said(agent, "set", key="k", value="v")
    pending = {"hit": True, "status": "pending", "promise_id": "k"}
    assert told == [pending] * 3 + [{"hit": True, "value": "v", "index": 0}] * 2


async def test_work_that_nobody_finished_goes_to_one_of_those_who_wait(memory: Memory) -> None:
    takers = []

    async with client(ready(memory), "session") as agent:

        async def wait() -> None:
            told = await said(agent, "peek", key="k", claim=True, wait_ms=60_000, ttl_ms=60_000)
            if told.get("claimed"):
                takers.append(told)
                await said(agent, "set", key="k", value="done")

        await said(agent, "peek", key="k", claim=True, ttl_ms=1500)
        assert await said(agent, "peek", key="k", claim=True) == {"hit": True, "status": "pending", "promise_id": "k"}
        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(wait)
    assert len(takers) == 1


async def test_a_claim_is_renewed_by_its_token_and_by_nothing_else(memory: Memory) -> None:
    pending = {"hit": True, "status": "pending", "promise_id": "k"}
    async with client(ready(memory), "session") as agent:
        claimed = await said(agent, "peek", key="k", claim=True, ttl_ms=60_000)
        token = claimed["claim_token"]
        renewed = await said(agent, "peek", key="k", claim=True, ttl_ms=90_000, claim_token=token, wait_ms=60_000)
        assert renewed == {**claimed, "ttl_ms": 90_000}
        left = sessions_of(memory).promises.look("s", "k").left
        assert left is not None
        assert left > 60
        assert await said(agent, "peek", key="k", claim=True, claim_token="somebody else's") == pending
        assert await said(agent, "peek", key="k", claim=True) == pending
        told = await refused(agent, "peek", key="k", claim_token=token, **S)
        assert "claim_token: goes with claim: true, which renews the claim" in told
        assert await said(agent, "peek", key="k", claim_token=" ") == pending  # blank is none
        await said(agent, "set", key="k", value="v", claim_token=token)
        assert (await said(agent, "peek", key="k", claim=True, claim_token=token))["value"] == "v"


async def test_who_is_late_with_a_value_is_told_and_changes_nothing(memory: Memory) -> None:
    async with client(ready(memory), "session") as agent:
        late = (await said(agent, "peek", key="k", claim=True, ttl_ms=500))["claim_token"]
        valid = (await said(agent, "peek", key="k", claim=True, wait_ms=60_000))["claim_token"]
        assert late != valid
        for tool, what in (("set", {"key": "k", "value": "late"}), ("resolve", {"promise_id": "k", "reject": "late"})):
            told = await refused(agent, tool, claim_token=late, **what, **S)
            assert told.startswith(f"{tool} failed: another caller has the work on 'k', or has done it")
        assert (await said(agent, "peek", key="k"))["status"] == "pending"
        assert (await said(agent, "memory_status"))["short_term"]["slots"] == 0
        await said(agent, "set", key="k", value="in time", claim_token=valid)
        await refused(agent, "set", key="k", value="late", claim_token=late, **S)
        assert (await said(agent, "peek", key="k"))["value"] == "in time"


async def test_what_is_flushed_is_to_be_done_again_and_work_in_progress_goes_on(memory: Memory) -> None:
    async with client(ready(memory), "session") as agent:
        await said(agent, "peek", key="done", claim=True)
        await said(agent, "set", key="done", value="v")
        token = (await said(agent, "peek", key="at work", claim=True))["claim_token"]
        assert (await said(agent, "flush"))["cleared_count"] == 1
        assert (await said(agent, "peek", key="at work", claim=True))["status"] == "pending"
        await said(agent, "set", key="at work", value="finished", claim_token=token)
        assert (await said(agent, "peek", key="at work"))["value"] == "finished"
        assert (await said(agent, "peek", key="done", claim=True))["claimed"]


async def test_a_call_that_is_given_up_gives_its_place_up_too(memory: Memory) -> None:
    async with client(ready(memory), "session") as agent:
        await said(agent, "peek", key="k", claim=True)
        with anyio.move_on_after(0.05) as scope:
            await said(agent, "peek", key="k", wait_ms=60_000)
        assert scope.cancelled_caught
        await said(agent, "set", key="k", value="v")
        assert (await said(agent, "peek", key="k"))["value"] == "v"


# --- the graph ---


async def test_nodes_and_relations_are_made_searched_and_walked(memory: Memory) -> None:
    async with client(ready(memory), "session") as agent:
        api = await said(agent, "upsert_memory_node", type="concept", label="API client", content="Wraps HTTP requests")
        auth = await said(
            agent, "upsert_memory_node", type="concept", label="Authentication", content="Handles login tokens"
        )
        assert auth == {
            "status": "upserted",
            "node_id": auth["node_id"],
            "nodeId": auth["node_id"],
            "label": "Authentication",
            "node_type": "concept",
            "access_count": 1,
            "graph_nodes": 2,
            "graph_edges": 0,
        }
        ends = {"source_id": api["node_id"], "target_id": auth["node_id"]}
        related = await said(agent, "create_relation", **ends, relation="depends_on", weight=0.5)
        assert related == {"status": "created", "edge_id": related["edge_id"], "relation": "depends_on", "weight": 0.5}
        assert (await said(agent, "create_relation", **ends, relation="depends_on"))["weight"] == 1.0
        lost = {"source_id": "never", "target_id": auth["node_id"]}
        assert await said(agent, "create_relation", **lost, relation="depends_on") == {
            "status": "error",
            "message": "One or both node IDs not found",
        }
        found = await said(agent, "search_memory_graph", query="http requests", top_k=1)
        assert found == {
            "query": "http requests",
            "direct": [
                {
                    "node_id": api["node_id"],
                    "label": "API client",
                    "type": "concept",
                    "content": "Wraps HTTP requests",
                    "score": found["direct"][0]["score"],
                }
            ],
            "neighbors": [
                {
                    "node_id": auth["node_id"],
                    "label": "Authentication",
                    "type": "concept",
                    "content": "Handles login tokens",
                    "score": 40.0,
                    "depth": 1,
                    "path": ["API client", "--[depends_on]-->", "Authentication"],
                }
            ],
            "total_nodes": 2,
            "total_edges": 1,
        }
        walked = await said(agent, "retrieve_with_traversal", start_node_id=api["node_id"])
        assert walked["start_node"] == "API client"
        assert [(each["label"], each["depth"], each["score"]) for each in walked["results"]] == [
            ("API client", 0, 100.0),
            ("Authentication", 1, 76.9),
        ]
        assert await said(agent, "retrieve_with_traversal", start_node_id="never") == {
            "status": "error",
            "message": "Node not found: never",
        }
        assert await said(agent, "prune_stale_links") == {"status": "pruned", "removed": 0, "remaining_edges": 1}
        gone = await said(agent, "prune_stale_links", threshold=2)
        assert (gone["removed"], gone["remaining_edges"]) == (1, 0)
        memory.undo(gone["change_id"])
        assert (await said(agent, "memory_status"))["long_term"] == {
            "nodes": 2,
            "edges": 1,
            "types": {"concept": 2},
        }


async def test_nodes_told_together_are_linked(memory: Memory) -> None:
    items = [{"type": kind, "label": "server.py", "content": "Registers MCP tools"} for kind in ("file", "note")]
    async with client(ready(memory), "session") as agent:
        added = await said(agent, "add_interlinked_context", items=items)
        assert (added["status"], added["nodes_created"], added["edges_created"]) == ("added", 2, 1)
        assert [(node["label"], node["type"]) for node in added["nodes"]] == [
            ("server.py", "file"),
            ("server.py", "note"),
        ]
        items = [{"type": "symbol", "label": "server.py", "content": "Registers MCP tools"}]
        assert (await said(agent, "add_interlinked_context", items=items, auto_link=False))["edges_created"] == 0


async def test_long_contents_are_cut_in_lists_and_whole_where_they_are_asked_for(memory: Memory) -> None:
    long = "login " * 10_000
    async with client(ready(memory), "session") as agent:
        await said(agent, "upsert_memory_node", type="note", label="long", content=long)
        (hit,) = (await said(agent, "search_memory_graph", query="login"))["direct"]
        assert (len(hit["content"]), hit["truncated"]) == (2000, True)
        assert (await said(agent, "resolve_context", key="long"))["value"] == long


# --- from the one layer to the other ---


async def test_a_key_is_resolved_short_term_first_and_is_a_miss_when_nothing_is_relevant(memory: Memory) -> None:
    async with client(ready(memory), "session") as agent:
        made = await said(
            agent,
            "upsert_memory_node",
            type="concept",
            label="Auth flow",
            content="Clients send login tokens to the API",
        )
        found = await said(agent, "resolve_context", key="login tokens")
        assert (found["source"], found["value"]) == ("long_term", "Clients send login tokens to the API")
        assert (found["node_id"], found["nodeId"]) == (made["node_id"], made["node_id"])
        text = "Auth flow Clients send login tokens to the API"
        assert found["score"] == pytest.approx(cosine_similarity(embed("login tokens"), embed(text)))
        for unrelated in ("pancake recipe", "the to", "http", "x"):
            assert await said(agent, "resolve_context", key=unrelated) == {
                "source": "miss",
                "value": None,
                "score": 0.0,
            }
        await said(agent, "set", key="login tokens", value="short")
        assert await said(agent, "resolve_context", key="login tokens") == {
            "source": "short_term",
            "value": "short",
            "score": 1.0,
        }


async def test_a_node_whose_label_is_the_key_answers_for_it_however_long_its_text(memory: Memory) -> None:
    value = " ".join(f"word{number}" for number in range(500))
    async with client(ready(memory), "session") as agent:
        await said(agent, "promote_to_long_term", key="config", value=value, node_type="file")
        found = await said(agent, "resolve_context", key="config")
        assert (found["source"], found["value"], found["label"]) == ("long_term", value, "config")
        await said(agent, "upsert_memory_node", type="note", label="other", content="config config config")
        assert (await said(agent, "resolve_context", key="config"))["label"] == "config"
        assert (await said(agent, "resolve_context", key="config file"))["label"] == "config"
        await said(agent, "promote_to_long_term", key="deployment guide", value=value)
        assert (await said(agent, "resolve_context", key="guide"))["label"] == "deployment guide"


@pytest.mark.parametrize(
    ("key", "label"),
    [
        ("retry policy", "retry policy"),
        ("webhook retries", "retry policy"),
        ("retryPolicy", "retry policy"),
        ("user_session_store", "UserSessionStore"),
        ("subnets of the network", "terraform/network.tf"),
        ("test failures", "test failures on main"),
        ("部署流程", "部署"),
        ("privacy policy", None),  # of the words that mean something, half are not there
        ("test plan", None),
        ("user", None),  # a kind of thing, and no label
        ("summary of the report", None),
        ("get user data", None),
        ("new file", None),
        ("the", None),
        ("!!!", None),
    ],
)
async def test_a_key_is_answered_by_what_says_most_of_it_and_not_by_words_that_everything_has(
    memory: Memory, key: str, label: str | None
) -> None:
    told = {
        "retry policy": "New webhook deliveries are retried five times, then the user gets a summary report",
        "UserSessionStore": "Gets and sets the data of the session in memory; evicts the oldest",
        "terraform/network.tf": "The file of two private subnets per zone",
        "test failures on main": "The new test breaks at midnight",
        "部署": "构建镜像,推送到仓库",
    }
    async with client(ready(memory), "session") as agent:
        for each, content in told.items():
            await said(agent, "upsert_memory_node", type="note", label=each, content=content)
        found = await said(agent, "resolve_context", key=key)
    assert (found["source"], found.get("label")) == ("long_term" if label else "miss", label)


async def test_a_value_becomes_a_node_at_its_third_use_and_again_when_it_has_changed(memory: Memory) -> None:
    async with client(ready(memory), "session") as agent:
        await said(agent, "set", key="decision", value="old")
        await said(agent, "peek", key="decision")
        await said(agent, "resolve_context", key="decision")
        status = await said(agent, "memory_status")
        assert (status["promotion_threshold"], status["long_term"]["nodes"]) == (3, 0)
        await said(agent, "peek", key="decision")
        assert await said(agent, "memory_status") == {
            "short_term": {"slots": 1, "silo_size": 256},
            "long_term": {"nodes": 1, "edges": 0, "types": {"concept": 1}},
            "promotion_threshold": 3,
            "shortTerm": {"slots": 1, "siloSize": 256},
            "longTerm": {"nodes": 1, "edges": 0, "types": {"concept": 1}},
            "promotionThreshold": 3,
        }
        await said(agent, "set", key="decision", value="new")
        for _ in range(3):
            await said(agent, "peek", key="decision")
        await said(agent, "flush")
        found = await said(agent, "resolve_context", key="decision")
        assert (found["source"], found["value"]) == ("long_term", "new")


async def test_promotion_happens_when_a_setting_says_so_or_never(tmp_path: Path) -> None:
    for uses, nodes in ((1, 1), (0, 0)):
        options = SessionOptions(promote_after=uses)
        with open_test_memory(tmp_path / str(uses), session=options) as memory:
            async with client(ready(memory), "session") as agent:
                await said(agent, "set", key="k", value="v")
                await said(agent, "peek", key="k")
                assert (await said(agent, "memory_status"))["long_term"]["nodes"] == nodes


async def test_what_a_session_promotes_is_recalled_cited_and_gone_when_it_is_forgotten(memory: Memory) -> None:
    text = "Card payments failed because the signing key had been rotated too early"
    async with client(ready(memory), "all") as agent:
        made = await said(agent, "promote_to_long_term", key="payment incident", value=text)
        assert made == {"promoted": True, "node_id": made["node_id"], "nodeId": made["node_id"]}
        (found,) = (await done(agent, "smriti_recall", query="signing key rotated")).json
        assert (found["id"], found["content"]) == (made["node_id"], text)
        answer = (await done(agent, "ask", question="Why did card payments fail?")).data
        assert not answer["abstained"]
        assert "signing key" in answer["root_cause"]
        assert text in [source["text"] for source in answer["sources"]]
        await done(agent, "smriti_manage", action="forget", memory_id=made["node_id"])
        assert (await done(agent, "smriti_recall", query="signing key rotated")).json == []
        assert (await done(agent, "ask", question="Why did card payments fail?")).data["abstained"]
        assert (await said(agent, "resolve_context", key="payment incident"))["source"] == "miss"
        assert (await said(agent, "search_memory_graph", query="signing key"))["total_nodes"] == 0


async def test_a_node_that_was_made_on_purpose_is_not_overwritten_by_a_value_in_use(memory: Memory) -> None:
    async with client(ready(memory), "session") as agent:
        await said(agent, "upsert_memory_node", type="concept", label="deploy", content="Deploys happen on Mondays.")
        await said(agent, "set", key="deploy", value="raw output 123")
        for _ in range(4):
            await said(agent, "peek", key="deploy")
        await said(agent, "flush")
        assert (await said(agent, "resolve_context", key="deploy"))["value"] == "Deploys happen on Mondays."


@pytest.mark.parametrize("forgotten_before", [False, True])
async def test_a_purge_takes_along_what_came_of_the_work(tmp_path: Path, forgotten_before: bool) -> None:
    secret = "Xylophonist is the codeword"
    with open_test_memory(tmp_path) as memory:
        async with client(ready(memory), "all") as agent:
            await said(agent, "peek", key="codeword", claim=True)
            await said(agent, "set", key="codeword", value=secret)
            for _ in range(3):
                await said(agent, "peek", key="codeword")
            (node,) = memory.recall("Xylophonist", limit=1).results
            assert b"Xylophonist" in bytes_of(tmp_path)
            if forgotten_before:
                await done(agent, "smriti_manage", action="forget", memory_id=node.engram.id)
            await done(agent, "smriti_manage", action="forget", memory_id=node.engram.id, purge=True)
        assert b"xylophonist" not in bytes_of(tmp_path).lower()
        with open_test_memory(tmp_path) as another:
            assert sessions_of(another).peek("s", "codeword").value is None


def test_what_comes_of_work_is_kept_without_secrets_where_that_is_asked_for(tmp_path: Path) -> None:
    store = open_store("sqlite", location=tmp_path, user="alice")
    made = Promises(store, claim_ttl=60.0, result_ttl=60.0, redact=lambda text: text.replace("hunter2", "[redacted]"))
    assert made.claim("s", "login")
    made.fulfil("s", "login", "the password is hunter2")
    assert made.look("s", "login").payload == "the password is [redacted]"
    made.close()
    store.close()
    assert b"hunter2" not in bytes_of(tmp_path)


# --- refusals ---


@pytest.mark.parametrize(
    ("tool", "arguments", "problem"),
    [
        ("init", {"silo_size": 0}, "silo_size: must be a whole number from 1 to 100,000, got 0"),
        ("init", {"silo_size": 1.5}, "silo_size: must be a whole number from 1 to 100,000, got 1.5"),
        ("peek", {"key": " "}, "key: is required and must not be blank"),
        ("peek", {}, "key: is required"),
        ("peek", {"key": "k" * 513}, "key: must be at most 512 characters, got 513"),
        ("peek", {"key": "k", "claim": 1}, "claim: must be true or false, got 1"),
        ("peek", {"key": "k", "wait_ms": 120_001}, "wait_ms: must be a whole number from 0 to 120,000, got 120,001"),
        ("peek", {"key": "k", "ttl_ms": 1}, "ttl_ms: must be a whole number from 50 to 86,400,000, got 1"),
        ("peek", {"key": "k", "kex": 1}, "kex: unknown argument"),
        ("set", {"key": "k"}, "value: is required"),
        ("set", {"key": "k", "value": 3}, "value: must be text, not int"),
        ("set", {"key": "k", "value": "v" * (1024 * 1024 + 1)}, "value: must be at most 1,048,576 bytes"),
        ("set", {"key": "k", "value": "\ud800"}, "value: must be valid Unicode"),
        ("resolve", {}, "promise_id: is required"),
        ("graphql", {}, "operation: is required"),
        ("upsert_memory_node", {"type": "thing", "label": "a", "content": "b"}, "type: must be one of concept, file"),
        ("upsert_memory_node", {"type": "note", "label": "a", "content": ""}, "content: is required and must not be"),
        ("upsert_memory_node", {"type": "note", "label": "a", "content": "b", "metadata": []}, "metadata: must be an"),
        ("create_relation", {"source_id": "a", "target_id": "b", "relation": "knows"}, "relation: must be one of"),
        (
            "create_relation",
            {"source_id": "a", "target_id": "b", "relation": "contains", "weight": -1},
            "weight: must be a number from 0 to 1000, got -1",
        ),
        ("search_memory_graph", {"query": "q", "top_k": 101}, "top_k: must be a whole number from 1 to 100, got 101"),
        ("search_memory_graph", {"query": "q", "max_depth": 11}, "max_depth: must be a whole number from 0 to 10"),
        ("prune_stale_links", {"threshold": "low"}, "threshold: must be a number from 0 to 1000, got 'low'"),
        ("add_interlinked_context", {"items": []}, "items: must hold from 1 to 100 items, got 0"),
        ("add_interlinked_context", {"items": [{"type": "note"}]}, "items.0.label: is required"),
        (
            "add_interlinked_context",
            {"items": [{"type": "x", "label": "a", "content": "b"}]},
            "items.0.type: must be one of concept, file, symbol, note",
        ),
        ("retrieve_with_traversal", {"start_node_id": ""}, "start_node_id: is required and must not be blank"),
        ("resolve_context", {"key": None}, "key: is required"),
        ("promote_to_long_term", {"key": "k", "value": " "}, "value: is required and must not be blank"),
    ],
)
async def test_wrong_arguments_are_refused_by_name(
    memory: Memory, tool: str, arguments: dict[str, Any], problem: str
) -> None:
    async with client(ready(memory), "session") as agent:
        message = await refused(agent, tool, **S, **arguments)
    assert message.startswith(f"Validation error in {tool}:\n")
    assert problem in message


@pytest.mark.parametrize("tool", NAMES)
async def test_every_tool_needs_a_session(memory: Memory, tool: str) -> None:
    async with client(ready(memory), "session") as agent:
        assert "session_id: is required" in (await call(agent, tool)).text
