# SPDX-License-Identifier: Apache-2.0
"""What callers state about the graphs beside what memories tell: what stays, what opens again, what is undone."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from becausal.domain.records import Entity, Fact, Kind, LinkKind
from becausal.engine.memory import Memory
from becausal.errors import Conflict
from becausal.graphs.entities import Entities
from becausal.models.fake import FakeEmbedder
from memory_tools import open_test_memory


def told(memory: Memory, text: str, object: str, since: str, until: str | None = None) -> str:
    """Store a text that says where Alice works; return the memory's id."""
    fact = {"subject": "Alice", "predicate": "works at", "object": object, "valid_from": since}
    return memory.store(text, facts=[fact | ({"valid_to": until} if until else {})]).engram.id


def held(memory: Memory) -> dict[str, str | None]:
    """Return where Alice worked, and until when."""
    facts = memory.graphs.temporal_expand(["Alice"]).facts
    return {fact.object: fact.valid_to.date().isoformat() if fact.valid_to else None for fact in facts}


# --- what stays ---


def test_what_a_caller_states_stays_when_the_text_that_told_it_first_is_forgotten(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        id = memory.store("Grafana and Kafka are down because Zookeeper crashed.").engram.id
        memory.graphs.link_entities("grafana", "reads", "kafka")
        memory.graphs.add_causal_link("Zookeeper crashed", "Grafana went dark", 0.7)
        memory.graphs.add_entity("Zookeeper", "SERVICE")
        memory.forget(id)
        entities = {entity.name for entity in (_entity(each) for each in memory._store.find(Kind.ENTITY).records)}
        (seed,) = memory.graphs.entity_lookup(["Grafana"]).seeds
        (link,) = memory.graphs.causal_expand(["zookeeper crashed"]).graph.causes
    assert entities == {"Grafana", "Kafka", "Zookeeper"}
    assert [relation.relation_type for relation in seed.relations] == ["reads"]
    assert (link.confidence, link.asserted, link.sources) == (0.7, True, ())


def test_a_statement_that_a_text_had_told_before_is_the_callers_from_then_on(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        id = told(memory, "She works there.", "Acme", "2020-01-01")
        memory.graphs.add_fact("alice", "Works At", "ACME", "2020-01-01")
        memory.forget(id)
        assert held(memory) == {"Acme": None}


def test_what_was_only_linked_by_its_name_goes_with_its_text(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        id = memory.store("Grafana is slow.").engram.id
        added = memory.graphs.add_event("Grafana restarted", "2026-05-01")
        assert [entity.name for entity in added.named] == ["Grafana"]
        memory.forget(id)
        assert memory._store.find(Kind.ENTITY).records == ()
        assert memory._store.links([added.event.id]) == ()


def test_an_edit_leaves_links_that_others_have_made_to_what_the_text_still_names(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        id = memory.store("Grafana is slow.").engram.id
        event = memory.graphs.add_event("Grafana restarted", "2026-05-01").event
        memory.update(id, content="Grafana is very slow today.")
        links = memory._store.links([event.id], [LinkKind.X_INVOLVES])
    assert len(links) == 1


# --- facts that close others ---


def test_forgetting_a_memory_opens_the_fact_again_that_its_fact_had_closed(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        told(memory, "She began at Acme.", "Acme", "2020-01-01")
        id = told(memory, "She changed to Beta.", "Beta", "2022-01-01")
        assert held(memory) == {"Acme": "2022-01-01", "Beta": None}
        memory.forget(id)
        assert held(memory) == {"Acme": None}
        memory.undo()
        assert held(memory) == {"Acme": "2022-01-01", "Beta": None}


def test_a_fact_that_opens_again_ends_where_it_was_told_to_or_where_a_newer_one_begins(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        told(memory, "She is at Acme for some years.", "Acme", "2020-01-01", "2025-01-01")
        id = told(memory, "She changed to Beta.", "Beta", "2022-01-01")
        assert held(memory)["Acme"] == "2022-01-01"
        memory.forget(id)
        assert held(memory) == {"Acme": "2025-01-01"}
        memory.undo()
        memory.graphs.add_fact("Alice", "works at", "Gamma", "2024-01-01")
        memory.forget(id)
        assert held(memory) == {"Acme": "2024-01-01", "Gamma": None}


def test_a_fact_told_late_fits_in_between_and_leaves_no_gap_when_forgotten(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        told(memory, "She began at Acme.", "Acme", "2020-01-01")
        told(memory, "She changed to Gamma.", "Gamma", "2024-01-01")
        id = told(memory, "Before that she was at Beta.", "Beta", "2022-01-01")
        assert held(memory) == {"Acme": "2022-01-01", "Beta": "2024-01-01", "Gamma": None}
        memory.forget(id)
        assert held(memory) == {"Acme": "2024-01-01", "Gamma": None}


def test_an_edit_of_the_text_moves_the_end_of_the_fact_it_had_closed(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        memory.graphs.add_fact("Alice", "lives in", "Bonn", "2019-01-01")
        id = memory.store("Alice lives in Rome since March 2024.").engram.id
        first = {fact.object: fact.valid_to for fact in memory.graphs.temporal_expand(["Alice"]).facts}
        memory.update(id, content="Alice likes Rome.")
        second = {fact.object: fact.valid_to for fact in memory.graphs.temporal_expand(["Alice"]).facts}
        memory.undo()
        third = {fact.object: fact.valid_to for fact in memory.graphs.temporal_expand(["Alice"]).facts}
    assert first == {"Bonn": datetime(2024, 3, 1, tzinfo=UTC), "Rome": None}
    assert second["Bonn"] is None
    assert third == first


def test_a_statement_that_closed_a_fact_is_undone_with_it_newest_first(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        memory.graphs.add_fact("Alice", "works at", "Acme", "2020-01-01")
        one = memory.graphs.add_fact("Alice", "works at", "Beta", "2022-01-01")
        two = memory.graphs.add_fact("Alice", "works at", "Gamma", "2024-01-01")
        assert one.change is not None
        with pytest.raises(Conflict, match=f"undo change '{two.change}' first"):
            memory.undo(one.change)
        assert memory.undo().change.id == two.change
        assert held(memory) == {"Acme": "2022-01-01", "Beta": None}
        assert memory.undo().ids == (one.closed[0].before.id,)
        assert held(memory) == {"Acme": None}


def test_undoing_a_statement_leaves_what_a_memory_tells_as_well(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        memory.graphs.add_fact("Alice", "works at", "Acme", "2020-01-01")
        memory.graphs.add_fact("Alice", "works at", "Beta", "2022-01-01")
        id = told(memory, "She changed to Beta.", "Beta", "2022-01-01")
        memory.undo()
        assert held(memory) == {"Acme": "2022-01-01", "Beta": None}
        memory.forget(id)
        assert held(memory) == {"Acme": None}


def test_an_open_fact_told_again_with_an_end_ends_there(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        memory.graphs.add_fact("Alice", "speaks", "French", "2020-01-01")
        memory.graphs.add_fact("Alice", "speaks", "French", "2020-01-01", "2023-01-01")
        facts = memory.graphs.temporal_expand(["Alice"]).facts
        now = memory.graphs.temporal_expand(["Alice"], since="2024-01-01").facts
    assert {fact.valid_to for fact in facts} == {datetime(2023, 1, 1, tzinfo=UTC)}
    assert now == ()


def test_a_purged_text_leaves_nothing_where_a_fact_of_it_was_closed(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        id = told(memory, "Her employer was Xylophonia.", "Xylophonia", "2020-01-01")
        memory.graphs.add_fact("Alice", "works at", "Beta", "2022-01-01")
        memory.forget(id, purge=True)
        left = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()).lower()
    assert b"xylophonia" not in left


# --- vectors ---


def test_stated_concepts_and_causes_are_embedded_again_by_reindexing(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        concept = memory.graphs.add_concept("Backpressure", "slowing the sender down").cue
        added = memory.graphs.add_causal_link("The queue was full", "Orders were lost")
    other = FakeEmbedder(name="another", dimension=32)
    with open_test_memory(tmp_path, embedder=other, reindexing=True) as memory:
        memory.reindex()
        memory.settle()
    with open_test_memory(tmp_path, embedder=other) as memory:
        probe = other.embed(["slowing the sender down"])[0]
        assert [hit.id for hit in memory._store.vector_search(Kind.CUE, probe, 5)] == [concept.id]
        causes = {hit.id for hit in memory._store.vector_search(Kind.CAUSE, probe, 5)}
    assert causes == {added.cause.id, added.effect.id}


def test_a_search_that_comes_before_the_worker_finds_what_a_memory_has_just_told(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        memory.store("The blue kettle is broken.")
        found = memory.graphs.semantic_search("blue kettle")
    assert found.pending == 0
    assert found.matches[0].cue.name == "blue kettle"
    assert [memory.content for memory in found.memories.values()] == ["The blue kettle is broken."]


# --- at once ---


def test_threads_that_state_the_same_at_once_make_it_once(tmp_path: Path) -> None:
    together = threading.Barrier(4)
    with open_test_memory(tmp_path) as memory, ThreadPoolExecutor(4) as pool:

        def state(number: int) -> None:
            together.wait()
            memory.graphs.add_entity("Auth Service", "SERVICE", {f"p{number}": number})
            memory.graphs.add_fact("Auth Service", "status", "down", "2026-01-01")
            memory.graphs.add_causal_link("It rained", "The cellar flooded", entities=["auth service"])

        list(pool.map(state, range(4)))
        (entity,) = memory._store.find(Kind.ENTITY).records
        (fact,) = memory._store.find(Kind.FACT).records
        counts = memory.status().counts
    assert dict(_entity(entity).properties) == {"p0": 0, "p1": 1, "p2": 2, "p3": 3}
    assert isinstance(fact, Fact)
    assert (counts[Kind.CAUSE], counts[LinkKind.C_CAUSES], counts[LinkKind.X_AFFECTS]) == (2, 1, 2)


def test_what_is_stated_between_two_looks_at_its_name_is_not_made_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = Entities.named
    with open_test_memory(tmp_path) as memory:

        def interrupted(entities: Entities, key: str) -> tuple[Entity, ...]:
            found = look(entities, key)
            monkeypatch.setattr(Entities, "named", look)
            memory.graphs.add_entity("Auth Service", "SERVICE", {"first": 1})
            return found

        monkeypatch.setattr(Entities, "named", interrupted)
        memory.graphs.add_entity("Auth Service", "SERVICE", {"second": 2})
        (entity,) = memory._store.find(Kind.ENTITY).records
    assert dict(_entity(entity).properties) == {"first": 1, "second": 2}


def _entity(record: object) -> Entity:
    assert isinstance(record, Entity)
    return record
