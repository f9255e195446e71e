# SPDX-License-Identifier: Apache-2.0
"""Taking back one thing that a caller stated: it goes, what others support stays, and it can be undone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from becausal.domain.records import Kind
from becausal.engine.graph.graphs import Graphs
from becausal.engine.memory import Memory
from becausal.errors import InvalidInput, NotFound
from memory_tools import TurnableClock, open_test_memory

NOBODY = "00000000-0000-5000-8000-000000000000"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with open_test_memory(tmp_path) as opened:
        opened.store("The gym opens at six.", source="notices")
        opened.settle()
        yield opened


def everything(memory: Memory) -> dict[str, int]:
    """Return how many records and links there are, without the undo log."""
    return {name: count for name, count in memory.status().counts.items() if name != "change" and count}


def add_relation(graphs: Graphs) -> str:
    graphs.add_entity("Kafka", "service")
    graphs.add_entity("Billing", "service")
    return graphs.link_entities("Billing", "depends_on", "Kafka").link.id


STATED: dict[str, Callable[[Graphs], str]] = {
    "fact": lambda graphs: graphs.add_fact("Olga", "lives in", "Porto", "2020-01-01").fact.id,
    "event": lambda graphs: graphs.add_event("The office moved", "2026-03-14").event.id,
    "relation": add_relation,
    "cause": lambda graphs: graphs.add_causal_link("a full disk", "the outage", 0.8, evidence="post-mortem").link.id,
    "node": lambda graphs: graphs.add_causal_link("a full disk", "the outage").effect.id,
    "concept": lambda graphs: graphs.add_concept("circuit breaker", "a guard").cue.id,
    "entity": lambda graphs: graphs.add_entity("Redis", "service", {"region": "eu"}, aliases=["rc1"]).entity.id,
}


@pytest.mark.parametrize("kind", STATED)
def test_what_was_stated_goes_alone_and_comes_back_whole(memory: Memory, kind: str) -> None:
    before = everything(memory)
    id = STATED[kind](memory.graphs)
    memory.settle()
    stated = everything(memory)
    gone = memory.forget(id)
    assert (gone.stated, gone.ids[0]) == (True, id)
    if kind == "relation":  # its ends were stated on their own
        assert memory.graphs.entity_lookup(["Kafka"]).seeds[0].relations == ()
    else:
        assert everything(memory) == before
    undone = memory.undo(gone.undo)
    memory.settle()
    assert id in undone.ids
    assert everything(memory) == stated


@pytest.mark.parametrize("kind", STATED)
def test_undoing_by_the_id_takes_a_statement_back_and_then_brings_it_back(memory: Memory, kind: str) -> None:
    id = STATED[kind](memory.graphs)
    memory.settle()
    stated = everything(memory)
    assert memory.undo(id).change.action == "withdraw"
    assert everything(memory) != stated
    memory.undo(id)
    memory.settle()
    assert everything(memory) == stated


@pytest.mark.parametrize("kind", STATED)
def test_a_dry_run_takes_nothing(memory: Memory, kind: str) -> None:
    id = STATED[kind](memory.graphs)
    before = everything(memory)
    would = memory.graphs.withdraw(id, dry_run=True)
    assert would is not None
    assert (would.dry_run, would.ids[0]) == (True, id)
    assert everything(memory) == before


@pytest.mark.parametrize("kind", STATED)
def test_a_purge_leaves_nothing_to_undo_and_nothing_in_the_file(tmp_path: Path, kind: str) -> None:
    secret = {"fact": "Porto", "event": "The office moved", "cause": "post-mortem", "concept": "a guard"}.get(kind)
    with open_test_memory(tmp_path) as memory:
        id = STATED[kind](memory.graphs)
        memory.settle()
        assert memory.forget(id, purge=True).purged
        assert memory.changes() == ()
    if secret:
        held = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
        assert secret.encode() not in held


def test_what_was_taken_back_can_still_be_purged(memory: Memory) -> None:
    id = STATED["fact"](memory.graphs)
    memory.forget(id)
    assert memory.forget(id, purge=True).purged
    assert memory.changes() == ()


def test_an_unknown_id_is_an_error(memory: Memory) -> None:
    with pytest.raises(NotFound, match="not found"):
        memory.forget(NOBODY)
    with pytest.raises(NotFound, match="not found"):
        memory.undo(NOBODY)


# --- what others support ---


def test_a_fact_that_it_had_closed_is_open_again(memory: Memory) -> None:
    old = memory.graphs.add_fact("Olga", "lives in", "Porto", "2020-01-01").fact
    new = memory.graphs.add_fact("Olga", "lives in", "Lisbon", "2026-03-01")
    assert [each.before.id for each in new.closed] == [old.id]

    def end() -> object:
        return next(each.valid_to for each in memory.graphs.temporal_expand(["Olga"]).facts if each.id == old.id)

    assert end() is not None
    gone = memory.forget(new.fact.id)
    assert end() is None
    memory.undo(gone.undo)
    assert end() == new.fact.valid_from


def test_what_a_memory_tells_as_well_stays_and_goes_with_it(memory: Memory) -> None:
    told = memory.store("The pump failed because a seal cracked.").engram
    memory.settle()
    read = everything(memory)
    link = memory.graphs.add_causal_link("a seal cracked", "the pump failed", 0.9).link
    memory.forget(link.id)
    assert everything(memory) == read
    chain = memory.ask("Why did the pump fail?").chain
    assert [step.stated for step in chain] == [False]
    memory.forget(told.id)
    assert "cause" not in everything(memory)


def test_an_event_of_another_statement_stays(memory: Memory) -> None:
    first = memory.graphs.add_causal_link("a full disk", "the outage").link
    memory.graphs.add_causal_link("the outage", "lost orders")
    memory.forget(first.id)
    assert {node.description for node in memory.graphs.causal_expand(["lost orders"]).graph.nodes.values()} == {
        "the outage",
        "lost orders",
    }


def test_an_entity_goes_with_its_relations_and_comes_back_with_them(memory: Memory) -> None:
    relation = add_relation(memory.graphs)
    kafka = memory.graphs.entity_lookup(["Kafka"]).seeds[0].entity
    gone = memory.forget(kafka.id)
    assert set(gone.ids) == {kafka.id, relation}
    memory.undo(gone.undo)
    assert [link.id for link in memory.graphs.entity_lookup(["Kafka"]).seeds[0].relations] == [relation]


def test_what_was_only_read_from_a_memory_names_the_memory_to_forget(memory: Memory) -> None:
    told = memory.store("The pump failed because a seal cracked.").engram
    memory.settle()
    (cause, *_) = memory._store.find(Kind.CAUSE).records
    with pytest.raises(InvalidInput, match=told.id):
        memory.forget(cause.id)


def test_the_newest_change_of_a_memory_is_undone_by_the_memorys_id(memory: Memory) -> None:
    id = memory.store("The lighthouse keeper left.").engram.id
    memory.forget(id)
    assert memory.undo(id).ids == (id,)
    assert memory.get(id).engram.content == "The lighthouse keeper left."


def test_what_was_taken_back_is_erased_after_its_days(tmp_path: Path) -> None:
    clock = TurnableClock()
    with open_test_memory(tmp_path, clock=clock) as memory:
        id = STATED["fact"](memory.graphs)
        gone = memory.forget(id)
        clock.turn(days=8)
        assert memory.purge_expired() == 1
        with pytest.raises(NotFound):
            memory.undo(gone.undo)
