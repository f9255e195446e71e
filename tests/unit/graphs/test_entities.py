# SPDX-License-Identifier: Apache-2.0
"""The entity graph: identity by name and type, aliases, relations and what is around."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from becausal.domain.records import Entity, Kind, LinkKind
from becausal.errors import InvalidInput, NotFound
from becausal.graphs.entities import Entities, extracted_id
from becausal.ports.batch import Batch, Put
from becausal.ports.store import GraphStore

NOW = datetime(2026, 6, 10, tzinfo=UTC)


@pytest.fixture
def entities(store: GraphStore) -> Entities:
    return Entities(store)


def read_from_text(store: GraphStore, name: str, entity_type: str = "thing") -> Entity:
    """Store an entity as a text tells it."""
    key = name.casefold()
    id = extracted_id("alice", key)
    entity = Entity(id=id, name=name, key=key, entity_type=entity_type, created_at=NOW)
    store.write(Batch(puts=(Put(entity),)))
    return entity


@pytest.mark.parametrize("name", ["Auth-Service", "auth service", "AUTH_SERVICE", "  auth   service "])
def test_case_hyphens_underscores_and_spaces_make_no_other_name(entities: Entities, name: str) -> None:
    added = entities.add("auth-service", "SERVICE", {}, (), NOW)
    found = entities.resolve(name)
    assert found is not None
    assert found.id == added.id
    assert entities.resolve(added.id) == found


def test_adding_again_joins_properties_and_aliases_and_keeps_the_name(entities: Entities) -> None:
    one = entities.add("Auth Service", "SERVICE", {"a": 1, "b": 1}, ["login"], NOW)
    two = entities.add("auth-service", "service", {"b": 2}, ["Sign-In", "login", "auth service"], NOW)
    assert two.id == one.id
    assert two.name == "Auth Service"
    assert two.entity_type == "SERVICE"
    assert dict(two.properties) == {"a": 1, "b": 2}
    assert two.aliases == ("login", "sign in")
    assert [each.id for each in entities.named("SIGN IN")] == [one.id]


def test_a_stated_type_splits_a_name_and_one_read_from_a_text_does_not(entities: Entities, store: GraphStore) -> None:
    read = read_from_text(store, "Mercury", "place")
    planet = entities.add("Mercury", "PLANET", {}, (), NOW)
    singer = entities.add("Mercury", "PERSON", {}, (), NOW)
    assert planet.id == read.id
    assert singer.id != planet.id
    assert {each.entity_type for each in entities.named("mercury")} == {"PLANET", "PERSON"}


def test_a_name_needs_a_letter_or_a_digit(entities: Entities) -> None:
    with pytest.raises(InvalidInput, match="name"):
        entities.add(" - _ ", "X", {}, (), NOW)


def test_a_relation_is_made_once_in_whatever_spelling(entities: Entities, store: GraphStore) -> None:
    one, other = (entities.add(name, "SERVICE", {}, (), NOW) for name in ("a", "b"))
    _, _, first = entities.relate("A", "depends_on", "b", NOW)
    _, _, again = entities.relate("a", "Depends On", "B", NOW)
    entities.relate("a", "calls", "b", NOW)
    entities.relate("b", "depends_on", "a", NOW)
    assert first.id == again.id
    links = store.links([one.id], [LinkKind.E_RELATES])
    assert sorted((link.src, link.relation_type) for link in links) == sorted(
        [(one.id, "calls"), (one.id, "depends_on"), (other.id, "depends_on")]
    )


def test_a_relation_needs_two_entities_that_exist(entities: Entities) -> None:
    entities.add("a", "X", {}, (), NOW)
    with pytest.raises(NotFound, match="Entity 'b' not found"):
        entities.relate("a", "knows", "b", NOW)
    with pytest.raises(InvalidInput, match="target"):
        entities.relate("a", "knows", "A", NOW)


def test_stating_a_relation_pins_entities_that_were_only_read(entities: Entities, store: GraphStore) -> None:
    for name in ("Kafka", "Grafana"):
        read_from_text(store, name)
    entities.relate("kafka", "feeds", "grafana", NOW)
    assert [each.asserted for each in map(entities.require, ("kafka", "grafana"))] == [True, True]


def test_what_is_around_is_found_in_both_directions_with_its_distance(entities: Entities) -> None:
    ids = {name: entities.add(name, "X", {}, (), NOW).id for name in "abcde"}
    for one, other in ("ab", "cb", "cd", "de"):
        entities.relate(one, "to", other, NOW)
    found = entities.neighbourhood([ids["a"]], 3)
    assert {found.entities[id].name: steps for id, steps in found.distance.items()} == {"a": 0, "b": 1, "c": 2, "d": 3}
    assert len(found.relations) == 3
    assert not found.truncated
    alone = entities.neighbourhood([ids["a"]], 0)
    assert (set(alone.entities), alone.relations) == ({ids["a"]}, ())


def test_a_circle_of_relations_and_a_limit_bound_the_walk(entities: Entities) -> None:
    ids = [entities.add(f"n{number}", "X", {}, (), NOW).id for number in range(12)]
    for number in range(12):
        entities.relate(f"n{number}", "next", f"n{(number + 1) % 12}", NOW)
    whole = entities.neighbourhood([ids[0]], 5)
    assert len(whole.entities) == 11
    cut = entities.neighbourhood([ids[0]], 5, limit=4)
    assert len(cut.entities) == 4
    assert cut.truncated


def test_what_does_not_exist_is_not_found(entities: Entities, store: GraphStore) -> None:
    assert entities.named("") == ()
    assert entities.resolve("nobody") is None
    assert entities.neighbourhood(["nobody"], 2).entities == {}
    assert store.count()[Kind.ENTITY] == 0
