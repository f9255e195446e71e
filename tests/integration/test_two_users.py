# SPDX-License-Identifier: Apache-2.0
"""Two users of one place: whatever both store, neither learns anything of the other through any tool."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC
from functools import partial
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp.client import Client

from becausal.engine.memory import Memory
from becausal.errors import BecausalError
from becausal.models.fake import FakeEmbedder
from becausal.models.lazy import LazyEmbedder
from becausal.ports.store import GraphStore
from places import PLACES, Opener
from toolclient import Said, client, ready, said

NAMES = ("alice", "Alice")
SECRETS = {"alice": "quixolotl", "Alice": "zimbrawan"}


class Agent:
    """A user's client of every tool, called from where there is no event loop."""

    def __init__(self, portal: BlockingPortal, inner: Client, memory: Memory) -> None:
        self._portal = portal
        self._inner = inner
        self.memory = memory

    def __call__(self, tool: str, **given: Any) -> Said:
        return said(self._portal.call(partial(self._inner.call_tool, tool, given)))


@pytest.fixture(scope="module", params=sorted(PLACES))
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opener]:
    yield from PLACES[request.param](tmp_path_factory.mktemp("place"))


@pytest.fixture(scope="module")
def agents(place: Opener) -> Iterator[dict[str, Agent]]:
    with start_blocking_portal() as portal:
        memories = {
            name: Memory(place(name), LazyEmbedder(FakeEmbedder()), timezone=UTC, start_worker=False) for name in NAMES
        }
        try:
            one, other = (client(ready(memory), "all", read_timeout_seconds=60) for memory in memories.values())
            with portal.wrap_async_context_manager(one) as a, portal.wrap_async_context_manager(other) as b:
                yield {name: Agent(portal, inner, memories[name]) for name, inner in zip(NAMES, (a, b), strict=True)}
        finally:
            for memory in memories.values():
                memory.close()


def tell(agent: Agent, secret: str, word: str) -> str:
    """Store something through every door; return the id of a memory."""
    text = f"The {word} of the vault is {secret} because {secret} was chosen by Mara"
    stored = agent("smriti_store", content=text, tags=f"{word},{secret}", source=secret)
    agent("remember", content=f"{secret} met Mara on 3 May 2024 at the vault")
    agent("add_entity", name="Mara", entity_type="person", properties={"about": secret})
    agent("add_entity", name=secret, entity_type="thing")
    agent("link_entities", source="Mara", target=secret, relationship=f"keeps {secret}")
    agent("add_fact", subject="Mara", predicate="keeps", object=secret, valid_from="2024-01-01")
    agent("add_event", description=f"{secret} was lost", occurred_at="2024-05-03", entities=["Mara"])
    agent("add_concept", name=f"vault {secret}", description=secret, entities=["Mara"])
    agent("add_causal_link", cause=f"{secret} was lost", effect="the vault was opened", entities=["Mara"])
    agent("set", session_id="s", key="vault", value=secret)
    agent("upsert_memory_node", session_id="s", type="concept", label="vault", content=f"{secret} is in the vault")
    agent.memory.settle(30)
    return str(stored.data["id"])


def read(agent: Agent, word: str, id: str) -> str:
    """Return everything that every reading tool answers to questions about what both have stored."""
    question = f"Why was the vault opened, and what is its {word}?"
    entities = ["Mara"]
    answers = [
        agent("smriti_recall", query=f"{word} of the vault", limit=50),
        agent("smriti_recall", query="vault", mode="search", limit=50),
        agent("smriti_recall", mode="list", limit=50),
        agent("ask", question=question),
        *(agent("smriti_manage", action=action) for action in ("status", "clusters", "consolidate")),
        *(agent("smriti_manage", action=action, memory_id=id) for action in ("forget", "get", "history", "archive")),
        agent("semantic_search", query="vault", min_score=0.0),
        agent("entity_lookup", entity_ids=entities, depth=5, include_properties=True),
        agent("entity_lookup", entity_ids=[id]),
        agent("temporal_expand", entity_ids=entities, depth=5),
        agent("causal_expand", entity_ids=entities, depth=5),
        agent("get_statistics"),
        agent("peek", session_id="s", key="vault"),
        agent("search_memory_graph", session_id="s", query="vault", top_k=50),
        agent("resolve_context", session_id="s", key="vault"),
        agent("retrieve_with_traversal", session_id="s", start_node_id=id),
        agent("memory_status", session_id="s"),
        graphql(agent, "{ engrams(first: 50) { nodes { content } } status { location counts } }"),
    ]
    return "\n".join(f"{each.text} {json.dumps(each.data, default=str)}" for each in answers)


def graphql(agent: Agent, operation: str) -> Said:
    answer = agent("graphql", session_id="s", operation=operation)
    assert not answer.failed, answer.text
    assert "errors" not in answer.data, answer.data
    return answer


@pytest.mark.timeout(400)
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
@given(words=st.lists(st.from_regex("[a-z]{3,9}", fullmatch=True), min_size=1, max_size=2, unique=True))
def test_no_tool_tells_one_user_anything_of_the_other(agents: dict[str, Agent], words: list[str]) -> None:
    for word in words:
        ids = {name: tell(agents[name], SECRETS[name], word) for name in NAMES}
        for mine, theirs in (NAMES, NAMES[::-1]):
            answer = read(agents[mine], word, ids[theirs])
            assert SECRETS[mine] in answer
            assert SECRETS[theirs] not in answer


@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(word=st.from_regex("[a-z]{3,9}", fullmatch=True))
def test_what_one_user_stores_changes_no_count_and_no_score_of_the_other(agents: dict[str, Agent], word: str) -> None:
    mine, theirs = (agents[name] for name in NAMES)
    tell(mine, SECRETS["alice"], word)

    def seen() -> list[Any]:
        hits = mine.memory.recall(f"{word} vault", mode="search").results
        return [mine.memory.graphs.statistics(), [(each.engram.id, each.score) for each in hits]]

    before = seen()
    tell(theirs, SECRETS["Alice"], word)
    assert seen() == before


HOSTILE = (
    "a' OR 1=1",
    "../x",
    "..",
    "user:b",
    "nul\0name",
    "x" * 10_000,
    "🐘",
    "x}) MATCH (n) DETACH DELETE n //",
    "`) RETURN 1 //",
    "*",
    "bob",
    "BOB",
)


def test_hostile_names_are_refused_as_users_or_kept_apart(place: Opener) -> None:
    opened: dict[str, GraphStore] = {}
    try:
        for name in HOSTILE:
            try:
                opened[name] = place(name)
            except BecausalError:
                assert name in ("nul\0name", "x" * 10_000, "..", "../x", "user:b", "*"), name
        memories = {}
        for at, (name, store) in enumerate(opened.items()):
            memories[name] = Memory(store, LazyEmbedder(FakeEmbedder()), timezone=UTC, start_worker=False)
            memories[name].store(f"note number {at}")
        assert {"bob", "BOB", "a' OR 1=1"} <= set(memories)
        for at, memory in enumerate(memories.values()):
            assert [each.engram.content for each in memory.recall("note", limit=50).results] == [f"note number {at}"]
    finally:
        for store in opened.values():
            store.close()


@pytest.mark.parametrize("name", [name for name in HOSTILE if len(name) < 500 and "\0" not in name])
def test_hostile_names_as_labels_relations_and_tags_are_text_like_any_other(
    agents: dict[str, Agent], name: str
) -> None:
    agent = agents["alice"]
    other = agents["Alice"]("get_statistics").data
    kept = agent("smriti_store", content=f"An ordinary note about {name}", tags=[name], source=name)
    assert not kept.failed, kept.text
    agent("add_entity", name="Left", entity_type=f"type {name}")
    agent("add_entity", name="Right", entity_type=f"type {name}")
    assert not agent("link_entities", source="Left", target="Right", relationship=f"is {name} of").failed
    node = agent("upsert_memory_node", session_id=name, type="note", label=name, content=f"node {name}")
    assert not node.failed, node.text
    told = agent("entity_lookup", entity_ids=["Left"], include_properties=True).data
    assert json.dumps(f"is {name} of").lower() in json.dumps(told).lower()  # case makes no other relation
    assert agents["Alice"]("get_statistics").data == other
