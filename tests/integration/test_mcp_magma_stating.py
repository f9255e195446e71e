# SPDX-License-Identifier: Apache-2.0
"""The toolset ``magma``: facts, concepts and causes that callers state."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from becausal.domain.records import Kind, LinkKind
from becausal.engine.memory import Memory
from becausal.models.fake import FakeEmbedder
from becausal.models.lazy import LazyEmbedder
from becausal.stores.registry import open_store
from memory_tools import open_test_memory
from toolclient import client, done, ready, refused

pytestmark = pytest.mark.anyio

NOBODY = "00000000-0000-0000-0000-000000000000"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with open_test_memory(tmp_path) as opened:
        yield opened


# --- facts ---


async def test_a_fact_is_answered_with_its_identity_and_returned_by_the_time_line(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        await done(agent, "add_entity", name="Alice", entity_type="PERSON")
        added = await done(
            agent,
            "add_fact",
            subject="Alice",
            predicate="speaks",
            object="French",
            valid_from="2020-01-01",
            valid_to="2024-01-01",
            subject_entity="alice",
        )
        broken = await done(
            agent,
            "add_fact",
            subject="Alice",
            predicate="speaks",
            object="Dutch",
            valid_from="2020",
            subject_entity="nobody",
        )
        facts = (await done(agent, "temporal_expand", entity_ids=["Alice"])).data["facts"]
    assert added.text == "Added fact: Alice speaks French (about: Alice)"
    assert added.data["linkedEntity"] == "Alice"
    assert added.data["valid_to"] == "2024-01-01T00:00:00.000Z"
    assert broken.data["linkError"] == "Entity 'nobody' not found"
    assert {fact["uuid"] for fact in facts} == {added.data["uuid"], broken.data["uuid"]}


async def test_a_newer_fact_closes_an_older_one_and_undo_takes_that_back(memory: Memory) -> None:
    said = {"subject": "Alice", "predicate": "works_at"}
    async with client(ready(memory), "magma", "engram") as agent:
        old = await done(agent, "add_fact", **said, object="Acme", valid_from="2020-01-01")
        new = await done(agent, "add_fact", **said, object="Beta", valid_from="2024-01-01")
        again = await done(agent, "add_fact", **said, object="beta", valid_from="2024-01-01")
        (closed,) = new.data["superseded"]
        assert new.text == "Added fact: Alice works_at Beta (closed: works_at Acme)"
        assert (closed["uuid"], closed["valid_to"]) == (old.data["uuid"], "2024-01-01T00:00:00.000Z")
        assert (again.data["uuid"], again.data["created"]) == (new.data["uuid"], False)
        assert "superseded" not in again.data
        await done(agent, "smriti_manage", action="undo", change_id=new.data["change_id"])
        (left,) = (await done(agent, "temporal_expand", entity_ids=["alice"])).data["facts"]
    assert left["uuid"] == old.data["uuid"]
    assert "valid_to" not in left


async def test_several_facts_of_a_predicate_stand_together_unless_told_otherwise(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        said = {"subject": "Alice", "valid_from": "2020"}
        await done(agent, "add_fact", **said, predicate="knows", object="Bob")
        two = await done(agent, "add_fact", **said, predicate="knows", object="Carol")
        await done(agent, "add_fact", **said, predicate="drinks", object="tea")
        three = await done(
            agent,
            "add_fact",
            subject="Alice",
            predicate="drinks",
            object="coffee",
            valid_from="2021",
            single_valued=True,
        )
    assert "superseded" not in two.data
    assert [fact["object"] for fact in three.data["superseded"]] == ["tea"]


# --- concepts ---


async def test_a_concept_is_answered_without_its_vector_and_found_by_meaning_at_once(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        entity = (await done(agent, "add_entity", name="Hystrix", entity_type="LIBRARY")).data["uuid"]
        added = await done(
            agent,
            "add_concept",
            name="Circuit-Breaker",
            description="stops cascading failures of services",
            entities=["hystrix", "ghost"],
        )
        found = await done(agent, "semantic_search", query="stops cascading failures", min_score=0.3)
    assert added.text == "Added concept: Circuit-Breaker (linked to: Hystrix) (failed to link: ghost)"
    assert added.data["name"] == "Circuit-Breaker"
    assert added.data["linkedEntities"] == ["Hystrix"]
    assert added.data["failedLinks"] == [{"entity": "ghost", "reason": "not found"}]
    (match,) = found.data["matches"]
    assert match["concept"]["uuid"] == added.data["uuid"]
    assert match["linkedEntityIds"] == [entity]
    assert "embedding" not in added.text + found.text + str(added.data) + str(found.data)


async def test_without_a_model_records_are_kept_found_by_words_and_get_their_vectors_later(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    embedder.fail("no such file")
    ticks = [0.0]
    lazy = LazyEmbedder(embedder, monotonic=lambda: ticks[0])
    store = open_store("sqlite", location=tmp_path, user="alice")
    with Memory(store, lazy, start_worker=False) as memory:
        async with client(ready(memory), "magma") as agent:
            concept = await done(agent, "add_concept", name="Backpressure", description="slowing the sender down")
            link = await done(agent, "add_causal_link", cause="The queue filled up", effect="Orders were lost")
            assert "no such file" in concept.data["degraded"]
            assert "no such file" in link.data["degraded"]
            found = (await done(agent, "semantic_search", query="who is slowing the sender?")).data
            assert [each["concept"]["uuid"] for each in found["matches"]] == [concept.data["uuid"]]
            assert "no such file" in found["degraded"]
            embedder.heal()
            ticks[0] += 10
            assert lazy.wait(60)
            assert memory.settle() == 0
            vector = embedder.embed(["slowing down the sender: backpressure"])[0]
            (near,) = store.vector_search(Kind.CUE, vector, 1)
            assert near.id == concept.data["uuid"]
            causes = store.vector_search(Kind.CAUSE, vector, 10)
            assert {hit.id for hit in causes} == {link.data["causeId"], link.data["effectId"]}
            assert embedder.texts == 4  # each once: a concept, two causes, and this test's question
            assert memory.settle() == 0
            assert embedder.texts == 4


# --- causes ---


async def test_causal_links_by_description_form_a_chain_with_falling_confidence(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        await done(agent, "add_entity", name="auth", entity_type="SERVICE")
        first = await done(
            agent, "add_causal_link", cause="JWT_SECRET was removed", effect="The deploy misses the secret"
        )
        await done(
            agent,
            "add_causal_link",
            cause="deploy misses secret",
            effect="CrashLoopBackOff",
            confidence=0.95,
            entities=["auth", "ghost"],
        )
        await done(agent, "add_causal_link", cause="CrashLoopBackOff", effect="503s", confidence=0.9)
        found = (await done(agent, "causal_expand", entity_ids=["AUTH"])).data
    assert first.text == ("Added causal link: JWT_SECRET was removed -> The deploy misses the secret (confidence: 1)")
    assert [(link["cause"], link["confidence"]) for link in found["links"]] == [
        ("The deploy misses the secret", 0.95),
        ("JWT_SECRET was removed", 1.0),
        ("CrashLoopBackOff", 0.9),
    ]
    assert all(link["causeId"] and link["effectId"] for link in found["links"])
    (chain,) = found["chains"]
    assert chain["path"] == ["JWT_SECRET was removed", "The deploy misses the secret", "CrashLoopBackOff", "503s"]
    assert chain["root_cause"] == "JWT_SECRET was removed"
    assert [hop["cumulative"] for hop in chain["hops"]] == [1.0, 0.95, 0.855]
    assert chain["confidence"] == 0.855


async def test_a_causal_link_says_what_it_affects_and_refers_to(memory: Memory) -> None:
    event = "Deploy of version 2.3.0 to the production cluster"
    async with client(ready(memory), "magma") as agent:
        await done(agent, "add_entity", name="auth", entity_type="SERVICE")
        await done(agent, "add_event", description=event, occurred_at="2026-06-09")
        added = await done(
            agent,
            "add_causal_link",
            cause="The secret was missing",
            effect="Logins failed",
            entities=["auth", "ghost"],
            events=[event.upper(), "some other day"],
            evidence="The log says so.",
        )
        cross = (await done(agent, "get_statistics")).data["cross_links"]
        again = await done(
            agent, "add_causal_link", cause=added.data["causeId"], effect="logins failed", confidence=0.5
        )
        unknown = await refused(agent, "add_causal_link", cause="0" * 8 + "-0000-0000-0000-" + "0" * 12, effect="x")
    assert added.text == (
        "Added causal link: The secret was missing -> Logins failed (confidence: 1) (affects: auth) "
        f"(refers to: {event[:40]}...) (failed to link: ghost, some other day)"
    )
    assert added.data["linkedEvents"] == [event]
    assert added.data["failedEntityLinks"] == [{"entity": "ghost", "reason": "not found"}]
    assert added.data["failedEventLinks"] == [{"event": "some other day", "reason": "not found"}]
    assert (cross["X_AFFECTS"], cross["X_REFERS_TO"]) == (2, 2)
    assert (again.data["created"], again.data["confidence"]) == (False, 0.5)
    assert unknown == f"Cause '{NOBODY}' not found"


async def test_the_link_to_an_event_goes_from_the_event_to_the_cause(memory: Memory) -> None:
    async with client(ready(memory), "magma") as agent:
        event = (await done(agent, "add_event", description="Deploy", occurred_at="2026-06-09")).data["uuid"]
        sides = (await done(agent, "add_causal_link", cause="a bug", effect="a crash", events=[event])).data
    links = memory._store.links([event], [LinkKind.X_REFERS_TO])
    assert {link.src for link in links} == {event}
    assert {link.dst for link in links} == {sides["causeId"], sides["effectId"]}


# --- taking back ---


async def test_what_a_tool_stated_is_forgotten_and_brought_back_by_the_id_it_answered(memory: Memory) -> None:
    async with client(ready(memory), "engram", "magma") as agent:
        await done(agent, "add_entity", name="Billing", entity_type="service")
        await done(agent, "add_entity", name="Kafka", entity_type="service")
        stated = [
            await done(agent, "link_entities", source="Billing", relationship="depends_on", target="Kafka"),
            await done(agent, "add_causal_link", cause="a full disk", effect="the outage"),
            await done(agent, "add_fact", subject="Olga", predicate="lives in", object="Porto", valid_from="2020"),
            await done(agent, "add_event", description="The office moved", occurred_at="2026-03-14"),
            await done(agent, "add_concept", name="circuit breaker", description="a guard"),
        ]
        before = (await done(agent, "get_statistics")).data
        for each in stated:
            id = each.data["uuid"]
            would = await done(agent, "smriti_manage", action="forget", memory_id=id, dry_run=True)
            assert would.data["ids"][0] == id
            assert (await done(agent, "get_statistics")).data == before
            gone = await done(agent, "smriti_manage", action="forget", memory_id=id)
            assert gone.data["deleted"] == id
            assert (await done(agent, "get_statistics")).data != before
            back = await done(agent, "smriti_manage", action="undo", change_id=gone.data["undo"])
            assert id in back.data["ids"]
            assert (await done(agent, "get_statistics")).data == before
        assert (
            await refused(agent, "smriti_manage", action="forget", memory_id=NOBODY) == f"memory '{NOBODY}' not found"
        )
