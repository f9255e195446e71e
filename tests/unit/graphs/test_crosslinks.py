# SPDX-License-Identifier: Apache-2.0
"""Links across the graphs: who is named in a text, what names a new entity, and what links some records."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from becausal.domain.records import Entity, Kind, LinkKind
from becausal.domain.text import terms
from becausal.graphs.causes import Causes
from becausal.graphs.crosslinks import link_named, link_naming, links_among, named_in
from becausal.graphs.entities import Entities, extracted_id
from becausal.graphs.linking import Draft, Node
from becausal.graphs.timeline import Timeline
from becausal.ports.store import GraphStore

NOW = datetime(2026, 6, 10, tzinfo=UTC)


def state(store: GraphStore, name: str, *aliases: str, entity_type: str = "X") -> Entity:
    return Entities(store).add(name, entity_type, {}, aliases, NOW)


def read(store: GraphStore, name: str) -> Entity:
    draft = Draft("alice", NOW, source="engram")
    key = name.casefold()
    entity = Entity(id=extracted_id("alice", key), name=name, key=key, entity_type="thing", created_at=NOW)
    draft.put(entity, terms(name))
    store.write(draft.batch())
    return entity


def names(store: GraphStore, text: str) -> list[str]:
    return [entity.name for entity in named_in(store, text)]


@pytest.mark.parametrize(
    "text",
    ["auth-service failed", "The AUTH SERVICE failed.", "auth_service's log", "“Auth-Service”", "failed: auth service"],
)
def test_a_stated_entity_is_named_whatever_its_case_and_hyphens(store: GraphStore, text: str) -> None:
    state(store, "Auth-Service")
    assert names(store, text) == ["Auth-Service"]


@pytest.mark.parametrize("text", ["auth services", "oauth service", "the service of auth", "authservice", ""])
def test_a_part_of_a_word_is_not_a_name(store: GraphStore, text: str) -> None:
    state(store, "Auth-Service")
    assert names(store, text) == []


def test_a_name_within_a_longer_one_is_not_meant(store: GraphStore) -> None:
    state(store, "York")
    state(store, "New York")
    assert names(store, "She moved to New York.") == ["New York"]
    assert names(store, "From New York to York") == ["New York", "York"]


def test_an_alias_names_its_entity(store: GraphStore) -> None:
    state(store, "Kubernetes", "k8s")
    assert names(store, "The K8S cluster") == ["Kubernetes"]


def test_short_names_and_those_only_read_must_be_written_as_they_are(store: GraphStore) -> None:
    state(store, "US")
    read(store, "Rose")
    assert names(store, "let us see whether prices rose") == []
    assert names(store, "Then Rose moved to the US.") == ["Rose", "US"]


def test_names_in_scripts_without_spaces_are_found(store: GraphStore) -> None:
    state(store, "東京")
    assert names(store, "昨日東京で会った") == ["東京"]


def test_one_name_stands_for_one_entity(store: GraphStore) -> None:
    state(store, "Mercury", entity_type="PLANET")
    state(store, "Mercury", entity_type="PERSON")
    assert len(named_in(store, "Mercury rises")) == 1


def test_a_record_is_linked_to_what_it_names_except_to_what_it_is_linked_to_already(store: GraphStore) -> None:
    one, other = state(store, "Kafka"), state(store, "Grafana")
    draft = Draft("alice", NOW)
    cause, *_ = Causes(store).draft_link(draft, "Kafka and Grafana were down", "nobody noticed", 1.0, None)
    named = link_named(draft, store, Node(Kind.CAUSE, cause.id), cause.description, {one.id})
    store.write(draft.batch())
    assert [entity.id for entity in named] == [other.id]
    assert {link.dst for link in store.links([cause.id], [LinkKind.X_AFFECTS])} == {other.id}


def test_a_new_entity_is_linked_to_what_named_it_before(store: GraphStore) -> None:
    causes, timeline = Causes(store), Timeline(store)
    cause, *_ = causes.add("the billing-service was slow", "money was lost", 1.0, None, NOW)
    draft = Draft("alice", NOW)
    about, _ = timeline.draft_fact(draft, "Billing Service", "status", "up", NOW, None, None)
    timeline.draft_fact(draft, "the other billing service", "status", "up", NOW, None, None)
    store.write(draft.batch())
    draft = Draft("alice", NOW)
    entity = Entities(store).make(draft, "Billing Service", "SERVICE", {}, ())
    link_naming(draft, store, entity)
    store.write(draft.batch())
    assert {link.src for link in store.links([entity.id])} == {cause.id, about.id}


def test_links_among_records_are_the_surest_of_each_kind_and_pair(store: GraphStore) -> None:
    for source, confidence in (("one", 0.5), ("two", 0.9)):
        draft = Draft("alice", NOW, source=source)
        causes = Causes(store)
        first, second, _ = causes.draft_link(draft, "rain", "flood", 1.0, None)
        draft.links.clear()
        ends = Node(Kind.CAUSE, first.id), Node(Kind.CAUSE, second.id)
        draft.link(LinkKind.C_CAUSES, *ends, confidence=confidence, per_source=True)
        store.write(draft.batch())
    (link,) = links_among(store, [first.id, second.id])
    assert link.confidence == 0.9
    assert links_among(store, [first.id]) == ()
    assert links_among(store, []) == ()
