# SPDX-License-Identifier: Apache-2.0
"""Looking around in a memory's graphs: time lines, surroundings, causes and effects."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from becausal.domain.records import Engram, Event, Fact
from becausal.engine.asking.chronicle import Entry
from becausal.engine.memory import Memory
from becausal.errors import InvalidInput, NotFound
from becausal.graphs.direction import Direction
from memory_tools import TurnableClock, open_test_memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with open_test_memory(tmp_path, clock=TurnableClock()) as opened:
        yield opened


def said(entry: Entry) -> str:
    match entry:
        case Event():
            return entry.description
        case Fact():
            return f"{entry.subject} {entry.predicate} {entry.object}"
        case Engram():
            return entry.content


def line(memory: Memory, *about: str, **given: object) -> list[str]:
    return [said(entry) for entry in memory.explore.timeline(*about, **given).entries]  # type: ignore[arg-type]


# --- time ---


def test_a_time_line_holds_events_facts_and_dated_memories_in_order_of_time(memory: Memory) -> None:
    memory.store("The pump was replaced.", occurred_at="2025-05-01")
    memory.graphs.add_event("The roof leaked", "2025-04-01")
    memory.graphs.add_fact("Alice", "works at", "Acme", "2025-04-15")
    memory.store("Water boils at a hundred degrees.", memory_type="semantic")
    assert line(memory) == ["The roof leaked", "Alice works at Acme", "The pump was replaced."]


def test_a_memory_whose_text_names_a_time_is_there_as_its_event_only(memory: Memory) -> None:
    memory.store("The pump was replaced on 3 May 2025.", occurred_at="2025-05-09")
    (entry,) = memory.explore.timeline().entries
    assert isinstance(entry, Event)
    assert entry.occurred_at.day == 3


def test_since_and_until_keep_what_lies_in_part_between_them(memory: Memory) -> None:
    memory.graphs.add_event("before", "2025-03-31")
    memory.graphs.add_event("inside", "2025-04-10")
    memory.graphs.add_event("across the end", "2025-05")
    memory.graphs.add_event("after", "2025-06-01")
    memory.graphs.add_fact("Alice", "lives in", "Rome", "2024-01-01", "2025-04-02")
    memory.graphs.add_fact("Bob", "lives in", "Oslo", "2024-01-02", "2025-03-01")
    memory.graphs.add_fact("Eve", "lives in", "Bonn", "2024-06-01")
    memory.store("told in the morning", occurred_at="2025-04-10T08:00")
    assert line(memory, since="2025-04-01", until="2025-05-10") == [
        "Alice lives in Rome",
        "Eve lives in Bonn",
        "inside",
        "told in the morning",
        "across the end",
    ]
    assert line(memory, since="2025-06-01") == ["Eve lives in Bonn", "after"]
    assert line(memory, until="2024-03-01") == ["Alice lives in Rome", "Bob lives in Oslo"]


def test_the_limit_keeps_the_latest_and_says_that_there_is_more(memory: Memory) -> None:
    for day in range(1, 6):
        memory.graphs.add_event(f"event {day}", f"2025-05-0{day}")
    some = memory.explore.timeline(limit=2)
    assert [said(entry) for entry in some.entries] == ["event 4", "event 5"]
    assert some.truncated
    assert not memory.explore.timeline(limit=5).truncated


def test_a_time_line_about_a_thing_holds_what_involves_it_by_any_of_its_names(memory: Memory) -> None:
    memory.graphs.add_entity("Alice Meier", "person", aliases=["Ally"])
    memory.graphs.add_event("the party", "2025-05-01", ["Alice Meier"])
    memory.graphs.add_event("the storm", "2025-05-02")
    memory.graphs.add_fact("Alice Meier", "works at", "Acme", "2025-01-01")
    memory.store("Alice Meier fell ill.", occurred_at="2025-06-01")
    expected = ["Alice Meier works at Acme", "the party", "Alice Meier fell ill."]
    assert line(memory, "alice-meier") == expected
    assert line(memory, "Ally") == expected
    found = memory.explore.timeline("Ally").about
    assert found is not None
    assert found.name == "Alice Meier"


def test_any_other_text_asks_for_what_the_memories_it_finds_tell(memory: Memory) -> None:
    memory.store("The gravel arrived on 2 May 2025.")
    memory.store("On 3 May 2025 the choir sang.")
    assert line(memory, "when did the gravel arrive") == ["The gravel arrived on 2 May 2025."]


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": 101}, "limit"),
        ({"since": "the day the sun stood still"}, "since"),
        ({"until": "2025-13-01"}, "until"),
        ({"since": "2025-05-01", "until": "2025-04-01"}, "until"),
        ({"timezone": "Mars/Olympus"}, "timezone"),
        ({"about": " "}, "query"),
    ],
    ids=str,
)
def test_a_time_line_refuses_what_it_cannot_use(memory: Memory, given: dict[str, str], field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        memory.explore.timeline(**given)  # type: ignore[arg-type]
    assert refused.value.field == field


# --- things ---


def test_surroundings_are_relations_and_what_is_told_of_a_thing(memory: Memory) -> None:
    for name in ("Alice", "Acme", "Berlin"):
        memory.graphs.add_entity(name, "thing")
    memory.graphs.link_entities("Alice", "works at", "Acme")
    memory.graphs.link_entities("Acme", "based in", "Berlin")
    memory.graphs.add_event("the party", "2025-05-01", ["Alice"])
    memory.graphs.add_fact("Alice", "plays", "chess", "2025-01-01")
    memory.graphs.add_causal_link("the party", "Alice was late", entities=["Alice"])
    found = memory.explore.surroundings("alice", depth=1)
    assert found.entity.name == "Alice"
    assert {entity.name for entity in found.around.entities.values()} == {"Alice", "Acme"}
    assert [said(entry) for entry in (*found.facts, *found.events)] == ["Alice plays chess", "the party"]
    assert {cause.description for cause in found.causes} == {"the party", "Alice was late"}
    assert "Berlin" in {entity.name for entity in memory.explore.surroundings("alice").around.entities.values()}


def test_surroundings_of_what_nobody_named_are_not_found(memory: Memory) -> None:
    with pytest.raises(NotFound, match="Entity 'nobody' not found"):
        memory.explore.surroundings("nobody")
    for given in ({"depth": 0}, {"depth": 6}, {"limit": 0}):
        with pytest.raises(InvalidInput):
            memory.explore.surroundings("nobody", **given)


# --- causes ---


@pytest.fixture
def flood(memory: Memory) -> Memory:
    memory.graphs.add_causal_link("the roof leaked", "the cellar was flooded", 0.9)
    memory.graphs.add_causal_link("the cellar was flooded", "the fuse blew", 0.8)
    memory.graphs.add_causal_link("the dog barked", "the neighbours woke up", 0.7)
    return memory


def described(memory: Memory, *event: str, **given: object) -> set[str]:
    graph = memory.explore.causation(*event, **given).graph  # type: ignore[arg-type]
    return {node.description for node in graph.nodes.values()}


def test_causes_and_effects_are_walked_in_the_direction_asked_for(flood: Memory) -> None:
    everything = {"the roof leaked", "the cellar was flooded", "the fuse blew"}
    assert described(flood, "the cellar was flooded") == everything
    assert described(flood, "the cellar was flooded", direction=Direction.UPSTREAM) == everything - {"the fuse blew"}
    assert described(flood, "the roof leaked", direction=Direction.DOWNSTREAM, depth=1) == everything - {
        "the fuse blew"
    }


def test_an_event_is_found_by_most_of_its_words_by_what_it_affects_and_by_its_id(flood: Memory) -> None:
    (start,) = flood.explore.causation("cellar flooded").starts
    assert start.description == "the cellar was flooded"
    assert flood.explore.causation(start.id).starts == (start,)
    flood.graphs.add_entity("cellar", "place")
    assert flood.explore.causation("Cellar").starts == (start,)


def test_an_event_nobody_told_of_is_not_found(flood: Memory) -> None:
    for unknown in ("the moon landing", "the", "?"):
        with pytest.raises(NotFound, match="Event"):
            flood.explore.causation(unknown)
    with pytest.raises(InvalidInput, match="event"):
        flood.explore.causation(" ")


def test_without_an_event_the_newest_beginnings_come_first(flood: Memory) -> None:
    found = flood.explore.beginnings()
    assert [start.description for start in found.starts] == ["the dog barked", "the roof leaked"]
    assert [start.description for start in flood.explore.beginnings(limit=1).starts] == ["the dog barked"]
    assert len(found.graph.nodes) == 5


def test_a_circle_has_no_beginning(memory: Memory) -> None:
    memory.graphs.add_causal_link("stress", "bad sleep")
    memory.graphs.add_causal_link("bad sleep", "stress")
    assert memory.explore.beginnings().starts == ()
    assert described(memory, "stress") == {"stress", "bad sleep"}


def test_the_memories_that_links_were_read_from_come_along(memory: Memory) -> None:
    stored = memory.store("The pump stopped because the filter was clogged.")
    found = memory.explore.causation("the pump stopped")
    assert found.told_in == {stored.engram.id: memory.get(stored.engram.id).engram}


def test_a_thing_named_with_a_number_is_found_with_what_was_told_of_it(memory: Memory) -> None:
    memory.store("Freezer 7 failed on 3 June 2026 because a fuse had blown. Later freezer 7 was moved.", source="a")
    memory.store("We repaired freezer 7 on 5 June 2026.", source="b")
    memory.store("Freezer 71 was sold on 6 June 2026.", source="b")
    memory.settle()
    found = memory.explore.surroundings("freezer 7")
    assert found.entity.name.lower() == "freezer 7"
    assert len(found.events) == 2
    assert any("Freezer 7 failed" in cause.description for cause in found.causes)
