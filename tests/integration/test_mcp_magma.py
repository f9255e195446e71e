# SPDX-License-Identifier: Apache-2.0
"""The toolset ``magma``: its list, what it refuses, remembering, entities and events."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from becausal.engine.memory import Memory
from memory_tools import open_test_memory
from toolclient import client, done, program, ready, refused

pytestmark = pytest.mark.anyio

NAMES = [
    "remember",
    "add_entity",
    "link_entities",
    "add_event",
    "add_fact",
    "add_concept",
    "add_causal_link",
    "semantic_search",
    "entity_lookup",
    "temporal_expand",
    "causal_expand",
    "subgraph_merge",
    "linearize_context",
    "get_statistics",
    "clear_graph",
]
ROOM = 12 * 1024
"""Bytes of the toolset's list of tools."""


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with open_test_memory(tmp_path) as opened:
        yield opened


# --- the list ---


async def test_the_toolset_has_the_fifteen_tools_in_little_room(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        listed = await agent.list_tools()
    assert [tool.name for tool in listed.tools] == NAMES
    assert len(listed.model_dump_json(by_alias=True, exclude_none=True).encode()) <= ROOM


async def test_the_parameters_are_those_that_clients_know(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        tools = {tool.name: tool for tool in (await agent.list_tools()).tools}
    required = {name: tool.input_schema["required"] for name, tool in tools.items()}
    assert required == {
        "remember": ["content"],
        "add_entity": ["name", "entity_type"],
        "link_entities": ["source", "target", "relationship"],
        "add_event": ["description", "occurred_at"],
        "add_fact": ["subject", "predicate", "object", "valid_from"],
        "add_concept": ["name"],
        "add_causal_link": ["cause", "effect"],
        "semantic_search": ["query"],
        "entity_lookup": ["entity_ids"],
        "temporal_expand": ["entity_ids"],
        "causal_expand": ["entity_ids"],
        "subgraph_merge": ["views"],
        "linearize_context": ["subgraph", "intent"],
        "get_statistics": [],
        "clear_graph": ["graph"],
    }
    optional = {name: set(tool.input_schema["properties"]) - set(required[name]) for name, tool in tools.items()}
    assert {"context"} <= optional["remember"]
    assert {"properties"} <= optional["add_entity"]
    assert {"entities", "duration"} <= optional["add_event"]
    assert {"valid_to", "subject_entity"} <= optional["add_fact"]
    assert {"description", "entities"} <= optional["add_concept"]
    assert {"confidence", "entities", "events"} <= optional["add_causal_link"]
    assert {"limit", "min_score"} <= optional["semantic_search"]
    assert {"depth", "include_properties"} <= optional["entity_lookup"]
    assert {"from", "to", "depth"} <= optional["temporal_expand"]
    assert {"direction", "depth"} <= optional["causal_expand"]
    assert {"multi_view_boost", "min_score"} <= optional["subgraph_merge"]
    assert {"max_tokens"} <= optional["linearize_context"]


async def test_a_client_is_told_what_may_be_done_without_asking(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        hints = {tool.name: tool.annotations for tool in (await agent.list_tools()).tools}
    reading = {name for name, hint in hints.items() if hint is not None and hint.read_only_hint}
    assert reading == {*NAMES[7:13], "get_statistics"}
    assert [name for name, hint in hints.items() if hint is not None and hint.destructive_hint] == ["clear_graph"]


async def test_several_toolsets_are_offered_together_and_each_tool_once(memory: Memory) -> None:
    async with client(ready(memory), "all") as agent:
        everything = [tool.name for tool in (await agent.list_tools()).tools]
        instructions = agent.instructions or ""
    async with client(ready(memory)) as agent:
        default = [tool.name for tool in (await agent.list_tools()).tools]
    assert everything[: len(default) + len(NAMES)] == [*default, *NAMES]
    assert len(everything) == len(set(everything))
    assert not set(default) & set(NAMES)
    assert "Recall before" in instructions
    assert "semantic_search" in instructions


async def test_the_setting_chooses_the_toolsets_of_a_server(tmp_path: Path) -> None:
    async with Client(program(tmp_path, BECAUSAL_TOOLS="magma,engram")) as agent:
        names = [tool.name for tool in (await agent.list_tools()).tools]
        assert names[: len(NAMES)] == NAMES
        assert "smriti_store" in names
        assert (await done(agent, "get_statistics")).json["entity_nodes"] == 0


# --- remember ---


async def test_remembering_names_the_facts_that_it_closes(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        await done(agent, "remember", content="Dana works at Acme.")
        moved = await done(agent, "remember", content="Dana now works at Globex.")
    (closed,) = moved.data["superseded"]
    assert closed.startswith("Dana works at Acme (until ")


async def test_remembering_reads_entities_facts_events_and_causes_and_says_what_it_made(memory: Memory) -> None:
    text = "On 9 June 2026 the auth-service failed because Dana removed JWT_SECRET. Dana works at Acme."
    async with client(ready(memory), "magma") as agent:
        first = await done(agent, "remember", content=text)
        again = await done(agent, "remember", content=text)
    made = first.data
    assert made["entities_created"] >= 3
    assert made["facts_added"] == 1
    assert made["events_logged"] == 1
    assert made["causes_added"] == 2
    assert made["causal_links_added"] == 1
    stored = f"Stored: {made['entities_created']} entities, 1 fact, 1 event"
    assert first.text == f"{stored}, 1 causal link"
    assert memory.get(made["uuid"]).engram.content == text
    assert again.data["created"] is False
    assert [again.data[name] for name in ("entities_created", "facts_added", "events_logged", "causes_added")] == [
        0
    ] * 4


async def test_what_was_known_before_is_not_counted_as_made(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        await done(agent, "add_entity", name="Grafana", entity_type="TOOL")
        made = (await done(agent, "remember", content="Grafana is slow.")).data
    assert made["entities_created"] == 0


async def test_remembered_text_is_found_by_the_tools_that_read(memory: Memory) -> None:
    told = "The auth-service crashed because Dana removed JWT_SECRET."
    async with client(ready(memory), "magma") as agent:
        id = (await done(agent, "remember", content=told)).data["uuid"]
        found = (await done(agent, "semantic_search", query="What happened to the auth-service?")).data
        assert id in [each["uuid"] for each in found["memories"]]
        seeds = found["allEntityIds"]
        assert (await done(agent, "entity_lookup", entity_ids=seeds)).data["total"] == len(seeds)
        (event,) = (await done(agent, "temporal_expand", entity_ids=["auth service"])).data["events"]
        assert (event["uuid"], event["description"]) == (id, told)
        (link,) = (await done(agent, "causal_expand", entity_ids=seeds)).data["links"]
        assert link["evidence"] == told
        assert link["memoryIds"] == [id]


async def test_a_remembered_text_without_any_name_is_found_by_its_words(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        id = (await done(agent, "remember", content="the boiler needs service in spring")).data["uuid"]
        found = (await done(agent, "semantic_search", query="boiler")).data
        assert [each["uuid"] for each in found["memories"]] == [id]
        events = (await done(agent, "temporal_expand", entity_ids=["boiler"])).data["events"]
        assert [each["uuid"] for each in events] == [id]


async def test_the_context_of_a_memory_is_its_source_and_it_can_be_told_when_it_happened(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        id = (await done(agent, "remember", content="Kafka lagged.", context="retro", occurred_at="2019-05-04")).data[
            "uuid"
        ]
    engram = memory.get(id).engram
    assert engram.source == "retro"
    assert engram.occurred_at is not None
    assert engram.occurred_at.date().isoformat() == "2019-05-04"


@pytest.mark.parametrize("content", ["", "  \n", None])
async def test_nothing_cannot_be_remembered(memory: Memory, content: str | None) -> None:
    async with client(ready(memory), "magma") as agent:
        said = await refused(agent, "remember", content=content)
    assert said == "Validation error in remember:\n  - content: Content cannot be empty"


# --- entities ---


async def test_an_entity_is_answered_with_its_identity(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        added = await done(agent, "add_entity", name="auth-service", entity_type="SERVICE", properties={"team": "core"})
    assert added.text == "Created entity: auth-service (SERVICE)"
    assert set(added.data) == {"uuid", "name", "entity_type", "properties", "created_at", "created"}
    assert added.data["properties"] == {"team": "core"}
    assert added.data["created_at"] == "2026-06-10T12:00:00.000Z"


async def test_adding_an_entity_twice_makes_it_once_and_joins_what_is_said_of_it(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        one = await done(agent, "add_entity", name="Auth Service", entity_type="Service", properties={"a": 1})
        two = await done(
            agent, "add_entity", name="auth-service", entity_type="SERVICE", properties={"b": 2}, aliases=["login svc"]
        )
        other = await done(agent, "add_entity", name="auth service", entity_type="TEAM")
        assert two.text == "Updated entity: Auth Service (Service)"
        assert one.data["uuid"] == two.data["uuid"] != other.data["uuid"]
        assert two.data["properties"] == {"a": 1, "b": 2}
        assert (await done(agent, "get_statistics")).data["entity_nodes"] == 2
        by_alias = await done(agent, "entity_lookup", entity_ids=["LOGIN-SVC"])
    assert by_alias.data["entities"][0]["entity"] == {"uuid": one.data["uuid"], "name": "Auth Service"}


async def test_an_added_entity_is_found_by_the_next_search(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        added = (await done(agent, "add_entity", name="Payment Gateway", entity_type="SERVICE")).data
        found = (await done(agent, "semantic_search", query="the gateway for payment")).data
    assert found["matches"][0]["concept"]["name"] == "payment gateway"
    assert found["allEntityIds"] == [added["uuid"]]


async def test_entities_are_linked_by_name_whatever_case_and_hyphens_and_only_once(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        one = (await done(agent, "add_entity", name="auth-service", entity_type="SERVICE")).data["uuid"]
        two = (await done(agent, "add_entity", name="API Gateway", entity_type="SERVICE")).data["uuid"]
        first = await done(agent, "link_entities", source="AUTH SERVICE", target=two, relationship="depends_on")
        again = await done(agent, "link_entities", source=one, target="api gateway", relationship="Depends On")
        assert first.text == "Linked: auth-service -[depends_on]-> API Gateway"
        assert (first.data["sourceId"], first.data["targetId"]) == (one, two)
        assert (first.data["created"], again.data["created"]) == (True, False)
        (seed,) = (await done(agent, "entity_lookup", entity_ids=[one])).data["entities"]
    assert len(seed["relationships"]) == 1


async def test_linking_what_does_not_exist_or_something_to_itself_is_refused(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        await done(agent, "add_entity", name="Alice", entity_type="PERSON")
        assert await refused(agent, "link_entities", source="Alice", target="Bob", relationship="knows") == (
            "Entity 'Bob' not found"
        )
        assert (await refused(agent, "link_entities", source="Alice", target="ALICE", relationship="knows")).startswith(
            "Validation error in link_entities:\n  - target: must be another entity"
        )


@pytest.mark.parametrize(
    ("tool", "arguments", "field"),
    [
        ("add_entity", {"name": "", "entity_type": "X"}, "name"),
        ("add_entity", {"name": "X"}, "entity_type"),
        ("add_entity", {"name": "X", "entity_type": "Y", "properties": []}, "properties"),
        ("add_entity", {"name": "…", "entity_type": "  "}, "entity_type"),
        ("link_entities", {"source": " ", "target": "b", "relationship": "r"}, "source"),
        ("link_entities", {"source": "a", "target": "b", "relationship": ""}, "relationship"),
        ("add_event", {"description": "", "occurred_at": "2026-01-01"}, "description"),
        ("add_event", {"description": "x", "occurred_at": ""}, "occurred_at"),
        ("add_event", {"description": "x", "occurred_at": "the day after never"}, "occurred_at"),
        ("add_event", {"description": "x", "occurred_at": "2026-02-31"}, "occurred_at"),
        ("add_event", {"description": "x", "occurred_at": "2026-01-01", "entities": ["a", ""]}, "entities.1"),
        ("add_event", {"description": "x", "occurred_at": "2026-01-01", "entities": "a"}, "entities"),
        ("add_fact", {"subject": "a", "predicate": "b", "object": "c", "valid_from": "soonish"}, "valid_from"),
        ("add_fact", {"subject": "a", "predicate": "", "object": "c", "valid_from": "2026"}, "predicate"),
        (
            "add_fact",
            {"subject": "a", "predicate": "b", "object": "c", "valid_from": "2026", "valid_to": ""},
            "valid_to",
        ),
        (
            "add_fact",
            {"subject": "a", "predicate": "b", "object": "c", "valid_from": "2026", "valid_to": "2025"},
            "valid_to",
        ),
        ("add_concept", {"name": " "}, "name"),
        ("add_causal_link", {"cause": "", "effect": "x"}, "cause"),
        ("add_causal_link", {"cause": "x", "effect": "y", "confidence": 1.2}, "confidence"),
        ("add_causal_link", {"cause": "x", "effect": "y", "confidence": 10**400}, "confidence"),
        ("add_causal_link", {"cause": "It failed", "effect": "it  FAILED."}, "effect"),
        ("semantic_search", {"query": ""}, "query"),
        ("semantic_search", {"query": "x", "limit": 0}, "limit"),
        ("semantic_search", {"query": "x", "min_score": "0.5"}, "min_score"),
        ("entity_lookup", {"entity_ids": []}, "entity_ids"),
        ("entity_lookup", {"entity_ids": ["a"], "depth": 6}, "depth"),
        ("temporal_expand", {"entity_ids": ["a"], "from": ""}, "from"),
        ("temporal_expand", {"entity_ids": ["a"], "from": "2026-02", "to": "2026-01"}, "to"),
        ("causal_expand", {"entity_ids": ["a"], "direction": "sideways"}, "direction"),
        ("subgraph_merge", {"views": []}, "views"),
        ("linearize_context", {"subgraph": {"nodes": []}, "intent": "HOW"}, "intent"),
        ("linearize_context", {"subgraph": {"nodes": []}, "intent": "WHY", "max_tokens": 99}, "max_tokens"),
        ("clear_graph", {"graph": "everything"}, "graph"),
        ("clear_graph", {}, "graph"),
        ("get_statistics", {"verbose": True}, "verbose"),
    ],
)
async def test_wrong_arguments_are_refused_by_name(
    memory: Memory, tool: str, arguments: dict[str, Any], field: str
) -> None:
    async with client(ready(memory), "magma") as agent:
        said = await refused(agent, tool, **arguments)
    assert said.startswith(f"Validation error in {tool}:\n")
    assert f"\n  - {field}: " in said
    assert memory.graphs.statistics().entity == 0


# --- events ---


async def test_an_event_says_what_it_was_linked_to_and_what_not(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        id = (await done(agent, "add_entity", name="auth-service", entity_type="SERVICE")).data["uuid"]
        added = await done(
            agent,
            "add_event",
            description="Deploy v2.3.0",
            occurred_at="2026-06-09T14:00:00+02:00",
            entities=["Auth Service", "ghost"],
            duration="5 min",
        )
    assert added.text == (
        "Added event: Deploy v2.3.0 at 2026-06-09T12:00:00.000Z (linked to: auth-service) (failed to link: ghost)"
    )
    assert added.data["linkedEntities"] == ["auth-service"]
    assert added.data["linkedEntityIds"] == [id]
    assert added.data["failedLinks"] == [{"entity": "ghost", "reason": "not found"}]
    assert (added.data["duration"], added.data["occurred_at"]) == ("5 min", "2026-06-09T12:00:00.000Z")


async def test_an_event_added_twice_is_one_and_found_by_its_description(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        one = await done(agent, "add_event", description="Fire drill", occurred_at="2026-05-01")
        two = await done(agent, "add_event", description="fire drill ", occurred_at="2026-05-01", duration="1 h")
        assert one.data["uuid"] == two.data["uuid"]
        (event,) = (await done(agent, "temporal_expand", entity_ids=["FIRE DRILL"])).data["events"]
    assert (event["uuid"], event["duration"]) == (one.data["uuid"], "1 h")


async def test_an_event_is_linked_to_entities_that_it_names_whichever_came_first(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        await done(agent, "add_event", description="billing-service went down", occurred_at="2026-05-01")
        await done(agent, "add_entity", name="Billing Service", entity_type="SERVICE")
        later = await done(agent, "add_event", description="Billing service is back", occurred_at="2026-05-02")
        events = (await done(agent, "temporal_expand", entity_ids=["billing service"])).data["events"]
    assert later.data["linkedEntities"] == []
    assert later.data["alsoLinked"] == ["Billing Service"]
    assert [event["description"] for event in events] == ["billing-service went down", "Billing service is back"]
