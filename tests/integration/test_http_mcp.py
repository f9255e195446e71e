# SPDX-License-Identifier: Apache-2.0
"""MCP over HTTP: what sessions there are and whose, each transport, and a stop that loses nothing."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp.client import Client
from mcp.client.sse import sse_client

from becausal.composition import open_memory
from becausal.web.tokens import Tokens, digest_of
from toolclient import done
from webclient import INITIALIZE, MCP, Served, bearer, serving

pytestmark = pytest.mark.anyio

LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
MODES = pytest.mark.parametrize("mode", ["legacy", "auto"])


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served")) as service:
        yield service


@pytest.fixture
def http(served: Served) -> Iterator[httpx2.Client]:
    with served.http(served.token("alice")) as client:
        yield client


def refused(response: httpx2.Response) -> tuple[int, Any]:
    """Return the status of a refusal and its data, after checking its form."""
    told = response.json()
    assert (told["jsonrpc"], told["id"], told["error"]["code"]) == ("2.0", None, -32000)
    return response.status_code, told["error"]["data"]


def begin(http: httpx2.Client, path: str = "/mcp") -> str:
    response = http.post(path, json=INITIALIZE, headers=MCP)
    assert response.status_code == 200, response.text
    return str(response.headers["mcp-session-id"])


# --- what a client can do -------------------------------------------------------------------------


@MODES
@pytest.mark.parametrize("path", ["/mcp", "/"])
async def test_the_sdks_client_stores_and_recalls_at_either_path(served: Served, mode: Any, path: str) -> None:
    user = f"{mode}{path}"
    async with served.agent(served.token(user), path, mode=mode) as agent:
        stored = await done(agent, "smriti_store", content="The gateway keeps its sessions in Redis")
        (found,) = (await done(agent, "smriti_recall", query="gateway sessions")).json
        assert found["id"] == stored.json["id"]
        assert len((await agent.list_tools()).tools) > 30


async def test_the_older_transport_works_too_and_its_sessions_are_their_users_own(served: Served) -> None:
    token = served.token("carol")
    begun: list[str] = []
    transport = sse_client(f"{served.address}/sse", headers=bearer(token), on_session_created=begun.append)
    async with Client(transport, mode="legacy") as agent:
        await done(agent, "smriti_store", content="carol keeps bees")
        assert [each["content"] for each in (await done(agent, "smriti_recall")).json] == ["carol keeps bees"]
        with served.http(served.token("bob")) as stranger:
            answer = stranger.post(f"/messages?session_id={begun[0]}", json=LIST, headers=MCP)
            assert answer.status_code == 404
        with served.http(token) as same:
            assert same.post("/messages?session_id=0", json=LIST, headers=MCP).status_code == 400
            assert same.post("/messages", json=LIST, headers=MCP).status_code == 400


@MODES
async def test_users_who_work_at_the_same_time_see_only_their_own(served: Served, mode: Any) -> None:
    users = [f"{mode}-{number}" for number in range(4)]

    async def work(user: str) -> None:
        async with served.agent(served.token(user), mode=mode) as agent:
            for number in range(5):
                await done(agent, "smriti_store", content=f"note {number} of {user}")
                await done(agent, "set", session_id="s", key="whose", value=user)
            kept = (await done(agent, "smriti_recall", limit=100)).json
            assert sorted(each["content"] for each in kept) == [f"note {number} of {user}" for number in range(5)]
            assert user in (await done(agent, "peek", session_id="s", key="whose")).text

    async with anyio.create_task_group() as group:
        for user in users:
            group.start_soon(work, user)


def test_more_users_than_memories_may_be_open_are_served_one_after_the_other(tmp_path: Path) -> None:
    users = [f"user{number}" for number in range(5)]
    with serving(tmp_path, BECAUSAL_HTTP_MEMORIES="2") as service:
        tokens = {user: service.token(user) for user in users}
        for turn in range(2):
            for user in users:
                with service.http(tokens[user]) as http:
                    stored = {"query": f'mutation {{ store(content: "turn {turn} of {user}") {{ id }} }}'}
                    assert "errors" not in http.post("/graphql", json=stored).json()
                    kept = http.post("/graphql", json={"query": "{ engrams { nodes { content } } }"}).json()["data"]
                    contents = sorted(each["content"] for each in kept["engrams"]["nodes"])
                    assert contents == [f"turn {number} of {user}" for number in range(turn + 1)]
                    assert "becausal_open_memories 2.0" in http.get("/metrics").text or user == users[0]


async def test_a_long_call_tells_that_it_is_still_being_worked_on(served: Served) -> None:
    heard: list[tuple[float, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, message))

    async with served.agent(served.token("alice"), mode="legacy") as agent:
        await done(agent, "peek", session_id="s", key="slow", claim=True)
        waiting = {"session_id": "s", "key": "slow", "wait_ms": 4500}
        await agent.call_tool("peek", waiting, progress_callback=hear)
        assert [progress for progress, _ in heard] == sorted({progress for progress, _ in heard})
        assert heard[0][1] == f"still working, after {heard[0][0]:g} s"


# --- sessions -------------------------------------------------------------------------------------


def test_a_request_without_a_session_is_told_to_begin_one(http: httpx2.Client) -> None:
    for method, path in (("POST", "/mcp"), ("POST", "/"), ("GET", "/mcp"), ("DELETE", "/mcp"), ("GET", "/")):
        body = {"json": LIST} if method == "POST" else {}
        response = http.request(method, path, headers={**MCP, "accept": MCP["accept"]}, **body)
        assert refused(response) == (400, {"code": "SESSION_REQUIRED"})


def test_a_session_that_is_unknown_or_ended_is_not_found(http: httpx2.Client) -> None:
    unknown = http.post("/mcp", json=LIST, headers={**MCP, "mcp-session-id": "made-up"})
    assert refused(unknown) == (404, {"code": "SESSION_NOT_FOUND", "sessionId": "made-up"})
    id = begin(http)
    headers = {**MCP, "mcp-session-id": id}
    assert http.post("/", json=LIST, headers=headers).status_code == 200
    assert http.delete("/mcp", headers=headers).status_code == 200
    for _ in range(2):
        gone = http.post("/mcp", json=LIST, headers=headers)
        assert refused(gone) == (404, {"code": "SESSION_NOT_FOUND", "sessionId": id})
    again = http.post("/mcp", json=INITIALIZE, headers=headers)
    assert refused(again) == (404, {"code": "SESSION_NOT_FOUND", "sessionId": id})


def test_a_session_is_found_by_its_user_alone_with_whichever_token(served: Served, http: httpx2.Client) -> None:
    headers = {**MCP, "mcp-session-id": begin(http)}
    with served.http(served.token("bob")) as stranger:
        for method in ("GET", "POST", "DELETE"):
            body = {"json": LIST} if method == "POST" else {}
            status, data = refused(stranger.request(method, "/mcp", headers=headers, **body))
            assert (status, data["code"]) == (404, "SESSION_NOT_FOUND")
    with served.http(served.token("alice")) as same:
        assert same.post("/mcp", json=LIST, headers=headers).status_code == 200


def test_what_cannot_be_the_beginning_of_a_session_leaves_none_behind(http: httpx2.Client) -> None:
    before = http.get("/health").json()["sessions"]["active"]
    bad_accept = http.post("/mcp", json=INITIALIZE, headers={**MCP, "accept": "text/html"})
    assert bad_accept.status_code == 406
    bad_type = http.post("/mcp", json=INITIALIZE, headers={**MCP, "content-type": "text/plain"})
    assert bad_type.status_code in (400, 415)
    bad_version = http.post("/mcp", json=INITIALIZE, headers={**MCP, "mcp-protocol-version": "1999-01-01"})
    assert bad_version.status_code == 400
    assert http.get("/health").json()["sessions"]["active"] == before


def test_past_the_limit_a_session_is_refused_and_ended_ones_make_room(tmp_path: Path) -> None:
    with serving(tmp_path, BECAUSAL_HTTP_SESSIONS="3") as service, service.http(service.token("alice")) as http:
        ids = [begin(http) for _ in range(3)]
        for answer in (http.post("/mcp", json=INITIALIZE, headers=MCP), http.get("/sse")):
            assert refused(answer) == (503, {"code": "SESSION_LIMIT", "maxSessions": 3})
        assert http.get("/health").json()["sessions"] == {"active": 3, "max": 3}
        assert http.post("/mcp", json=LIST, headers={**MCP, "mcp-session-id": ids[0]}).status_code == 200
        http.delete("/mcp", headers={**MCP, "mcp-session-id": ids[0]})
        begin(http)


def test_a_session_that_is_idle_for_long_ends_and_one_in_use_does_not(tmp_path: Path) -> None:
    with serving(tmp_path, BECAUSAL_HTTP_IDLE="1") as service, service.http(service.token("alice")) as http:
        idle, used = ({**MCP, "mcp-session-id": begin(http)} for _ in range(2))
        end = time.monotonic() + 20
        while http.get("/health").json()["sessions"]["active"] > 1:
            assert time.monotonic() < end
            assert http.post("/mcp", json=LIST, headers=used).status_code == 200
        assert refused(http.post("/mcp", json=LIST, headers=idle))[1]["code"] == "SESSION_NOT_FOUND"
        assert http.post("/mcp", json=LIST, headers=used).status_code == 200


def test_a_stream_ends_when_its_token_is_revoked(served: Served) -> None:
    token = served.token("alice")
    with served.http(token) as http:
        headers = {"accept": "text/event-stream", "mcp-session-id": begin(http)}
        with http.stream("GET", "/mcp", headers=headers) as stream:
            assert stream.status_code == 200
            Tokens(served.folder).revoke(digest_of(token)[:12])
            assert list(stream.iter_bytes()) == []


# --- the end --------------------------------------------------------------------------------------


def test_a_stop_during_writes_loses_nothing_that_was_acknowledged_and_takes_less_than_five_seconds(
    tmp_path: Path,
) -> None:
    with serving(tmp_path) as service:
        kept: list[str] = []
        enough = threading.Event()

        def write(name: int) -> None:
            with service.http(service.token("alice")) as http:
                headers = {**MCP, "mcp-session-id": begin(http)}
                for number in range(10_000):
                    content = f"entry {number} of writer {name}"
                    body = {"name": "smriti_store", "arguments": {"content": content}}
                    try:
                        request = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": body}
                        answer = http.post("/mcp", json=request, headers=headers)
                    except httpx2.HTTPError:
                        return
                    if answer.status_code != 200 or '"isError":false' not in answer.text.replace(" ", ""):
                        return
                    kept.append(content)
                    if len(kept) > 40:
                        enough.set()

        with service.http(service.token("alice")) as http:
            listening = {"accept": "text/event-stream", "mcp-session-id": begin(http)}
            older = {"accept": "text/event-stream"}
            with http.stream("GET", "/mcp", headers=listening), http.stream("GET", "/sse", headers=older):
                writers = [threading.Thread(target=write, args=(name,)) for name in range(8)]
                for writer in writers:
                    writer.start()
                assert enough.wait(60)
                begun = time.monotonic()
                code = service.stop()
                took = time.monotonic() - begun
        for writer in writers:
            writer.join()
        assert (code, service.log.rest()) == (0, "")
    assert took <= 5
    with open_memory(tmp_path, user="alice", embedder="hashing") as memory:
        assert memory.status().counts["engram"] >= len(kept)
        found: set[str] = set()
        cursor = None
        while True:
            page = memory.recall(limit=100, cursor=cursor)
            found |= {each.text for each in page.results}
            cursor = page.next
            if cursor is None:
                break
    assert set(kept) <= found


def test_whoever_waits_is_answered_with_what_there_is_when_it_stops(tmp_path: Path) -> None:
    with serving(tmp_path) as service, service.http(service.token("alice")) as http:
        headers = {**MCP, "mcp-session-id": begin(http)}

        def peek(**more: Any) -> httpx2.Response:
            body = {"name": "peek", "arguments": {"session_id": "s", "key": "k", **more}}
            return http.post(
                "/mcp", json={"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": body}, headers=headers
            )

        peek(claim=True)
        answers: list[httpx2.Response] = []
        waiter = threading.Thread(target=lambda: answers.append(peek(wait_ms=20_000)))
        waiter.start()
        while "becausal_requests_at_work 2.0" not in http.get("/metrics").text:
            assert waiter.is_alive()
        begun = time.monotonic()
        assert service.stop() == 0
        waiter.join()
        assert time.monotonic() - begun <= 5
        assert "pending" in answers[0].text
