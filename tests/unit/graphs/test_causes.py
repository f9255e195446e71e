# SPDX-License-Identifier: Apache-2.0
"""The causal graph: identity of causes, stating them, and what is around them."""

from __future__ import annotations

from itertools import pairwise

import pytest

from becausal.domain.records import Entity, Kind, LinkKind
from becausal.errors import InvalidInput, NotFound
from becausal.graphs.causes import Causes, make_cause
from becausal.graphs.direction import Direction
from becausal.graphs.linking import Draft, Node
from becausal.ports.batch import Batch, Put, PutLink
from becausal.ports.store import GraphStore
from causal_graphs import NOW, cause, node


def store_chain(store: GraphStore, length: int) -> list[str]:
    ids = [f"{number:05}" for number in range(length)]
    store.write(
        Batch(
            puts=tuple(Put(node(id)) for id in ids),
            links=tuple(PutLink(cause(one, other)) for one, other in pairwise(ids)),
        )
    )
    return ids


# --- what is around ---


def test_a_walk_through_a_long_chain_ends_at_its_depth(store: GraphStore) -> None:
    ids = store_chain(store, 10_000)
    around = Causes(store).around([ids[5000]], Direction.BOTH, 5)
    assert sorted(around.nodes) == ids[4995:5006]
    assert {link.src for link in around.causes} == set(ids[4995:5005])
    assert max(around.distance.values()) == 5
    assert not around.truncated


def test_a_walk_stops_at_its_limit_and_says_so(store: GraphStore) -> None:
    ids = store_chain(store, 50)
    around = Causes(store).around([ids[0]], Direction.DOWNSTREAM, 40, limit=10)
    assert sorted(around.nodes) == ids[:10]
    assert around.truncated


def test_both_directions_do_not_include_what_lies_beside(store: GraphStore) -> None:
    for one, other in (("a", "b"), ("b", "c"), ("a", "beside"), ("other", "c")):
        store.write(Batch(puts=(Put(node(one)), Put(node(other))), links=(PutLink(cause(one, other)),)))
    around = Causes(store).around(["b"], Direction.BOTH, 3)
    assert set(around.nodes) == {"a", "b", "c"}


# --- stating ---


def test_two_causes_in_the_same_words_are_one_whatever_articles_case_and_tense(store: GraphStore) -> None:
    causes = Causes(store)
    one, _, first = causes.add("The secret was removed", "The deploy crashed", 0.9, None, NOW)
    two, _, second = causes.add("secret is removed", "users complained", 0.8, "a mail", NOW)
    assert one.id == two.id
    assert first.src == second.src == one.id
    known = causes.resolve("A secret was removed!")
    assert known is not None
    assert (known.id, known.description) == (one.id, "The secret was removed")


def test_increased_and_decreased_are_two_causes(store: GraphStore) -> None:
    causes = Causes(store)
    up, *_ = causes.add("latency increased", "pages were slow", 1.0, None, NOW)
    down, *_ = causes.add("latency decreased", "pages were fast", 1.0, None, NOW)
    assert up.id != down.id


def test_stating_a_link_again_replaces_its_confidence_and_keeps_one(store: GraphStore) -> None:
    causes = Causes(store)
    causes.add("rain", "flood", 0.5, "a guess", NOW)
    _, flood, _ = causes.add("rain", "flood", 0.9, "a gauge", NOW)
    (link,) = store.links([flood.id], [LinkKind.C_CAUSES])
    assert (link.confidence, link.evidence) == (0.9, "a gauge")


def test_what_a_text_told_is_pinned_when_a_caller_states_it(store: GraphStore) -> None:
    draft = Draft("alice", NOW, source="engram")
    told = make_cause(draft, "rain", "event")
    store.write(draft.batch())
    assert not told.asserted
    Causes(store).add("rain", "flood", 1.0, None, NOW)
    known = Causes(store).resolve(told.id)
    assert known is not None
    assert known.asserted


@pytest.mark.parametrize("effect", ["It failed.", "it FAILED", "it failed"])
def test_nothing_causes_itself(store: GraphStore, effect: str) -> None:
    with pytest.raises(InvalidInput, match="effect"):
        Causes(store).add("It failed", effect, 1.0, None, NOW)
    assert store.count()[Kind.CAUSE] == 0


def test_an_id_that_is_none_is_not_taken_for_a_description(store: GraphStore) -> None:
    with pytest.raises(NotFound, match=r"Cause '0{8}-"):
        Causes(store).add("00000000-0000-5000-8000-000000000000", "x", 1.0, None, NOW)


def test_the_nodes_that_affect_an_entity_are_found_from_it(store: GraphStore) -> None:
    causes = Causes(store)
    entity = Entity(id="e", name="Rhine", key="rhine", entity_type="RIVER", created_at=NOW)
    draft = Draft("alice", NOW)
    draft.put(entity, ("rhine",))
    _, flood, _ = causes.draft_link(draft, "rain", "flood", 1.0, None)
    draft.link(LinkKind.X_AFFECTS, Node(Kind.CAUSE, flood.id), Node(Kind.ENTITY, "e"))
    store.write(draft.batch())
    assert causes.touching(["e"]) == {flood.id}
    assert causes.touching([]) == set()
