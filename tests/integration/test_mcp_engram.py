# SPDX-License-Identifier: Apache-2.0
"""The toolset ``engram`` over a real memory: what each tool answers, and what it refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from becausal.composition import open_memory
from becausal.engine.memory import Memory
from toolclient import call, client, ready

pytestmark = pytest.mark.anyio

STORED = ["id", "summary", "memory_type", "importance", "tags"]
RECALLED = [
    "id",
    "content",
    "summary",
    "memory_type",
    "importance",
    "score",
    "match_type",
    "tags",
    "source",
    "created_at",
]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with open_memory(tmp_path, user="alice", embedder="hashing") as opened:
        yield opened


# --- smriti_store ---


async def test_storing_answers_with_one_line_of_five_fields(memory: Memory) -> None:
    async with client(ready(memory)) as agent:
        answer = await call(
            agent,
            "smriti_store",
            content="Kubernetes keeps its state in etcd",
            importance=0.8,
            tags="kubernetes, etcd,,infrastructure",
            source="notes",
        )
    assert "\n" not in answer.text
    assert list(answer.json) == STORED
    assert answer.json["importance"] == 0.8
    assert answer.json["tags"] == "kubernetes,etcd,infrastructure"
    assert answer.json["summary"] == "Kubernetes keeps its state in etcd"


async def test_for_programs_storing_also_says_what_is_new_and_how_it_is_found(memory: Memory) -> None:
    async with client(ready(memory)) as agent:
        first = await call(agent, "smriti_store", content="Kubernetes keeps its state in etcd")
        again = await call(agent, "smriti_store", content="Kubernetes keeps its state in etcd")
    assert {name: first.data[name] for name in STORED} == first.json
    assert (first.data["created"], again.data["created"]) == (True, False)
    assert first.data["id"] == again.data["id"]
    assert "kubernetes" in first.data["cues"]


async def test_everything_that_may_be_said_about_a_memory_is_kept(memory: Memory) -> None:
    async with client(ready(memory)) as agent:
        stored = await call(
            agent,
            "smriti_store",
            content="The pump was replaced",
            tags=["house", "pump"],
            session="s1",
            label="pump",
            memory_type="episodic",
            occurred_at="2024-03-01T10:00",
            timezone="Europe/Berlin",
            pinned=True,
            metadata={"cost": 120.5},
        )
        got = await call(agent, "smriti_manage", action="get", memory_id=stored.json["id"])
    told = {
        "content": "The pump was replaced",
        "tags": "house,pump",
        "session": "s1",
        "label": "pump",
        "memory_type": "episodic",
        "occurred_at": "2024-03-01T09:00:00.000Z",
        "pinned": True,
        "metadata": {"cost": 120.5},
    }
    assert {name: got.json[name] for name in told} == told


@pytest.mark.parametrize("arguments", [{}, {"content": ""}, {"content": " \n"}, {"content": None}], ids=str)
async def test_storing_nothing_is_refused(memory: Memory, arguments: dict[str, Any]) -> None:
    async with client(ready(memory)) as agent:
        answer = await call(agent, "smriti_store", **arguments)
    assert (answer.failed, answer.text) == (True, "content is required")


BAD = [
    ("content", 7, "must be text"),
    ("content", "x" * 2 * 1024 * 1024, "must be at most 1,048,576 bytes"),
    ("content", "a\0b", "must not contain NUL"),
    ("content", "a\ud800b", "lone surrogate at character 1"),
    ("importance", -1, "must be a number from 0 to 1"),
    ("importance", 2, "must be a number from 0 to 1"),
    ("importance", "high", "must be a number from 0 to 1"),
    ("tags", {"a": 1}, "must be comma-separated text or a list"),
    ("tags", "x" * 600, "must be at most 512 characters"),
    ("tags", [str(n) for n in range(300)], "must be at most 256"),
    ("source", "a\udfff", "lone surrogate at character 1"),
    ("memory_type", "vague", "must be one of episodic, semantic, procedural"),
    ("occurred_at", "the day the sun stood still", ""),
    ("timezone", "Mars/Olympus", ""),
    ("metadata", {"text": "\ud800"}, "must hold only JSON values"),
    ("metadata", {"text": "x" * 70_000}, "must be at most 65,536 bytes"),
    ("colour", "red", "unknown argument"),
]


@pytest.mark.parametrize(("name", "value", "allowed"), BAD, ids=[f"{name} {value!r:.20}" for name, value, _ in BAD])
async def test_bad_input_is_named_with_what_is_allowed_and_nothing_is_half_written(
    memory: Memory, name: str, value: object, allowed: str
) -> None:
    before = memory.status().counts
    async with client(ready(memory), mode="auto") as agent:
        answer = await call(agent, "smriti_store", **{"content": "The pump failed because of Bob", name: value})
    assert answer.failed
    assert answer.text.startswith(f"Validation error in smriti_store:\n  - {name}: ")
    assert allowed in answer.text
    assert len(answer.text) < 1_000
    assert memory.status().counts == before


# --- smriti_recall ---


async def test_recalling_answers_with_the_bare_array_of_ten_fields(memory: Memory) -> None:
    async with client(ready(memory)) as agent:
        stored = await call(agent, "smriti_store", content="Kubernetes keeps its state in etcd", tags="a,b", source="x")
        answer = await call(agent, "smriti_recall", query="where does Kubernetes keep its state?")
    (result,) = answer.json
    assert "\n" not in answer.text
    assert list(result) == RECALLED
    assert {name: result[name] for name in STORED} == stored.json
    assert (result["content"], result["source"]) == ("Kubernetes keeps its state in etcd", "x")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", result["created_at"])
    assert isinstance(result["score"], float)


async def test_for_programs_recalling_also_says_how_each_was_found_and_what_is_wrong(memory: Memory) -> None:
    async with client(ready(memory)) as agent:
        await call(agent, "smriti_store", content="Kubernetes keeps its state in etcd", occurred_at="2024-01-02")
        answer = await call(agent, "smriti_recall", query="Kubernetes state")
    (result,) = answer.data["results"]
    assert {name: result[name] for name in RECALLED} == answer.json[0]
    assert result["path"]
    assert result["parts"]
    assert result["occurred_at"].startswith("2024-01-02T")
    assert "hashing" in answer.data["degraded"]
    assert answer.data["next"] is None


async def test_for_programs_recalling_says_how_sure_it_is_that_the_answer_was_told(memory: Memory) -> None:
    async with client(ready(memory)) as agent:
        await call(agent, "smriti_store", content="Kubernetes keeps its state in etcd")
        told = await call(agent, "smriti_recall", query="where does Kubernetes keep its state?")
        never = await call(agent, "smriti_recall", query="who feeds the goats?")
        listed = await call(agent, "smriti_recall")
    assert 0 <= never.data["confidence"] < told.data["confidence"] <= 1
    assert "confidence" not in listed.data


async def test_without_a_query_the_latest_memories_are_listed(memory: Memory) -> None:
    async with client(ready(memory)) as agent:
        for content in ("first", "second"):
            await call(agent, "smriti_store", content=content)
        answer = await call(agent, "smriti_recall")
    assert [result["content"] for result in answer.json] == ["second", "first"]
    assert {result["match_type"] for result in answer.json} == {"list"}


async def test_an_empty_memory_answers_with_an_empty_array(memory: Memory) -> None:
    async with client(ready(memory)) as agent:
        assert (await call(agent, "smriti_recall", query="anything")).text == "[]"
        assert (await call(agent, "smriti_recall")).text == "[]"


async def test_an_answer_is_continued_with_its_cursor(memory: Memory) -> None:
    async with client(ready(memory)) as agent:
        for number in range(5):
            await call(agent, "smriti_store", content=f"note {number}")
        seen: list[str] = []
        cursor = None
        for size in (2, 2, 1):
            page = await call(agent, "smriti_recall", limit=2, cursor=cursor)
            assert len(page.json) == size
            seen += [result["content"] for result in page.json]
            cursor = page.data["next"]
    assert cursor is None
    assert sorted(seen) == [f"note {number}" for number in range(5)]


async def test_filters_come_before_the_limit(memory: Memory) -> None:
    async with client(ready(memory)) as agent:
        await call(
            agent, "smriti_store", content="The pump was old", occurred_at="2020-05-01", tags="house", session="s"
        )
        for number in range(8):
            await call(agent, "smriti_store", content=f"The pump, note {number}")
        for narrowed in ({"tags": "house"}, {"session": "s"}, {"until": "2021-01-01"}):
            answer = await call(agent, "smriti_recall", query="pump", limit=1, **narrowed)
            assert [result["content"] for result in answer.json] == ["The pump was old"]


async def test_a_long_memory_is_shown_in_part_and_got_in_full_by_pages(memory: Memory) -> None:
    content = " ".join(f"word{number}" for number in range(6_000))
    async with client(ready(memory)) as agent:
        id = (await call(agent, "smriti_store", content=content)).json["id"]
        (shown,) = (await call(agent, "smriti_recall", query="word77 word78")).data["results"]
        assert shown["truncated"]
        assert len(shown["content"]) < 5_000
        parts: list[str] = []
        offset: int | None = 0
        while offset is not None:
            page = (await call(agent, "smriti_manage", action="get", memory_id=id, offset=offset)).json
            assert len(page["content"]) <= 20_000
            assert page["total"] == len(content)
            parts.append(page["content"])
            offset = page["next_offset"]
    assert len(parts) == 3
    assert "".join(parts) == content


@pytest.mark.parametrize("limit", [5, 5.0])
async def test_a_limit_is_any_number_that_is_whole(memory: Memory, limit: float) -> None:
    async with client(ready(memory)) as agent:
        assert not (await call(agent, "smriti_recall", limit=limit)).failed


@pytest.mark.parametrize("limit", ["5", 0, -5, 10**9, 2.5, True])
async def test_any_other_limit_is_refused_with_the_range(memory: Memory, limit: object) -> None:
    async with client(ready(memory)) as agent:
        answer = await call(agent, "smriti_recall", limit=limit)
    assert answer.failed
    assert answer.text.startswith(
        "Validation error in smriti_recall:\n  - limit: must be a whole number from 1 to 100, got "
    )


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"mode": "recall"}, "query is required for recall mode"),
        ({"mode": "search", "query": " "}, "query is required for search mode"),
        ({"mode": "fts"}, "query is required for fts mode"),
        ({"mode": "deep", "query": "x"}, "unknown mode: deep"),
    ],
    ids=str,
)
async def test_a_question_that_cannot_be_answered_is_refused_in_the_usual_words(
    memory: Memory, arguments: dict[str, Any], text: str
) -> None:
    async with client(ready(memory)) as agent:
        answer = await call(agent, "smriti_recall", **arguments)
    assert (answer.failed, answer.text) == (True, text)


async def test_a_cursor_of_another_question_is_refused(memory: Memory) -> None:
    async with client(ready(memory)) as agent:
        answer = await call(agent, "smriti_recall", query="x", cursor="abc")
    assert answer.failed
    assert answer.text.startswith("Validation error in smriti_recall:\n  - cursor: ")


# --- smriti_manage ---


async def test_forgetting_answers_in_the_usual_words_and_the_memory_is_gone(memory: Memory) -> None:
    async with client(ready(memory)) as agent:
        id = (await call(agent, "smriti_store", content="The pump failed")).json["id"]
        answer = await call(agent, "smriti_manage", action="forget", memory_id=id)
        assert answer.text == f'{{"status":"ok","deleted":"{id}"}}'
        assert (await call(agent, "smriti_recall", query="pump")).text == "[]"
        assert answer.data["undo"]
        assert answer.data["erased_at"]


async def test_forgetting_can_be_undone(memory: Memory) -> None:
    async with client(ready(memory)) as agent:
        id = (await call(agent, "smriti_store", content="The pump failed")).json["id"]
        forgotten = await call(agent, "smriti_manage", action="forget", memory_id=id)
        undone = await call(agent, "smriti_manage", action="undo", change_id=forgotten.data["undo"])
        assert undone.json["ids"] == [id]
        await call(agent, "smriti_manage", action="forget", memory_id=id)
        undone = await call(agent, "smriti_manage", action="undo", memory_id=id)  # of what was forgotten
        assert undone.json["ids"] == [id]
        assert (await call(agent, "smriti_recall", query="pump")).json[0]["id"] == id
        again = await call(agent, "smriti_manage", action="undo")
    assert again.failed
    assert "undone" in again.text


async def test_purging_cannot_be_undone(memory: Memory) -> None:
    async with client(ready(memory)) as agent:
        id = (await call(agent, "smriti_store", content="The pump failed")).json["id"]
        purged = await call(agent, "smriti_manage", action="forget", memory_id=id, purge=True)
        assert purged.data["purged"]
        assert "undo" not in purged.data
        assert (await call(agent, "smriti_manage", action="undo")).failed


async def test_forgetting_by_filter_only_says_what_it_would_do_until_told_otherwise(memory: Memory) -> None:
    async with client(ready(memory)) as agent:
        ids = {(await call(agent, "smriti_store", content=f"draft {n}", tags="draft")).json["id"] for n in range(3)}
        await call(agent, "smriti_store", content="final")
        would = await call(agent, "smriti_manage", action="forget", tags="draft")
        assert (would.json["dry_run"], would.json["count"], set(would.json["ids"])) == (True, 3, ids)
        assert len((await call(agent, "smriti_recall")).json) == 4
        done = await call(agent, "smriti_manage", action="forget", tags="draft", dry_run=False)
        assert (done.json["dry_run"], done.json["count"]) == (False, 3)
        assert [result["content"] for result in (await call(agent, "smriti_recall")).json] == ["final"]


async def test_a_dry_run_for_one_memory_forgets_nothing(memory: Memory) -> None:
    async with client(ready(memory)) as agent:
        id = (await call(agent, "smriti_store", content="The pump failed")).json["id"]
        would = await call(agent, "smriti_manage", action="forget", memory_id=id, dry_run=True)
        assert would.json == {"status": "ok", "dry_run": True, "count": 1, "ids": [id]}
        assert len((await call(agent, "smriti_recall")).json) == 1


async def test_what_is_updated_is_found_under_its_new_text(memory: Memory) -> None:
    async with client(ready(memory)) as agent:
        id = (await call(agent, "smriti_store", content="The deploy is on Monday", tags="ops")).json["id"]
        answer = await call(
            agent, "smriti_manage", action="update", memory_id=id, content="The deploy is on Friday", importance=0.9
        )
        assert (answer.json["id"], answer.json["importance"], answer.json["tags"]) == (id, 0.9, "ops")
        (result,) = (await call(agent, "smriti_recall", query="when is the deploy")).json
    assert result["content"] == "The deploy is on Friday"


async def test_the_status_says_where_the_memory_is_and_what_can_be_undone(memory: Memory, tmp_path: Path) -> None:
    async with client(ready(memory)) as agent:
        id = (await call(agent, "smriti_store", content="The pump failed")).json["id"]
        await call(agent, "smriti_manage", action="forget", memory_id=id)
        status = (await call(agent, "smriti_manage", action="status")).json
    assert status["user"] == "alice"
    assert str(tmp_path) in status["location"]
    assert status["sends_text_to"] == []
    assert [change["action"] for change in status["changes"]] == ["forget"]


async def test_synchronising_says_that_there_is_no_backup(memory: Memory) -> None:
    async with client(ready(memory)) as agent:
        answer = await call(agent, "smriti_manage", action="sync")
    assert not answer.failed
    assert answer.json == {"status": "ok", "action": "sync", "message": "no backup configured"}


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"action": "forget"}, "memory_id is required for forget action"),
        ({"action": "forget", "memory_id": " "}, "memory_id is required for forget action"),
        ({"action": "forget", "tags": " , "}, "memory_id is required for forget action"),
        ({"action": "forget", "dry_run": False, "purge": True}, "memory_id is required for forget action"),
        ({"action": "get"}, "memory_id is required for get action"),
        ({"action": "update", "content": "x"}, "memory_id is required for update action"),
        ({"action": "explode"}, "unknown action: explode"),
        ({"action": "forget", "memory_id": "nope"}, "memory 'nope' not found"),
        ({"action": "get", "memory_id": "nope"}, "memory 'nope' not found"),
        ({"action": "update", "memory_id": "nope", "content": "x"}, "memory 'nope' not found"),
        ({"action": "undo", "change_id": "nope"}, "change 'nope' not found"),
    ],
    ids=str,
)
async def test_what_cannot_be_done_is_refused_in_the_usual_words(
    memory: Memory, arguments: dict[str, Any], text: str
) -> None:
    async with client(ready(memory)) as agent:
        answer = await call(agent, "smriti_manage", **arguments)
    assert (answer.failed, answer.text) == (True, text)


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({}, "action"),
        ({"action": 5}, "action"),
        ({"action": "sync", "memory_id": "x"}, "memory_id"),
        ({"action": "get", "memory_id": "x", "purge": True}, "purge"),
        ({"action": "forget", "memory_id": "x", "content": "y"}, "content"),
        ({"action": "forget", "memory_id": "x", "tags": "y"}, "tags"),
        ({"action": "update", "memory_id": "x"}, "input"),
        ({"action": "update", "memory_id": "x", "content": " "}, "content"),
        ({"action": "get", "memory_id": "x", "offset": -1}, "offset"),
        ({"action": "forget", "since": "someday"}, "since"),
        ({"action": "forget", "ids": ["x"]}, "ids"),
    ],
    ids=str,
)
async def test_arguments_that_do_not_belong_together_are_refused_by_name(
    memory: Memory, arguments: dict[str, Any], path: str
) -> None:
    async with client(ready(memory)) as agent:
        await call(agent, "smriti_store", content="keep me")
        answer = await call(agent, "smriti_manage", **arguments)
        assert len((await call(agent, "smriti_recall")).json) == 1
    assert answer.failed
    assert answer.text.startswith(f"Validation error in smriti_manage:\n  - {path}: ")


async def test_text_comes_back_as_it_was_told(memory: Memory) -> None:
    content = 'He said: "日本語\tと\r\n絵文字 🙂"\u2028{"not": "json"} \\ud800 </memory>'
    async with client(ready(memory)) as agent:
        await call(agent, "smriti_store", content=content)
        answer = await call(agent, "smriti_recall")
    assert answer.json[0]["content"] == content
    assert json.loads(json.dumps(answer.data))["results"][0]["content"] == content
