# SPDX-License-Identifier: Apache-2.0
"""The causal graph: identity of causes, what is around them, chains and their confidence, and causal order."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from itertools import pairwise

import pytest

from becausal.domain.ids import link_id
from becausal.domain.records import Cause, Entity, Kind, Link, LinkKind
from becausal.errors import InvalidInput, NotFound
from becausal.graphs.causes import MAX_CHAIN, CausalGraph, Causes, Direction, chain_to, make_cause, topological
from becausal.graphs.linking import Draft, Node
from becausal.ports.store import Batch, GraphStore, Put, PutLink

NOW = datetime(2026, 6, 10, tzinfo=UTC)


def node(id: str) -> Cause:
    return Cause(id=id, description=id, key=id, created_at=NOW)


def cause(src: str, dst: str, confidence: float = 0.9, source: str | None = None) -> Link:
    return Link(
        id=link_id("alice", LinkKind.C_CAUSES, src, dst, source or ""),
        kind=LinkKind.C_CAUSES,
        src=src,
        dst=dst,
        src_kind=Kind.CAUSE,
        dst_kind=Kind.CAUSE,
        confidence=confidence,
        evidence=source,
        sources=(source,) if source else (),
        asserted=source is None,
        created_at=NOW,
    )


def same(one: str, other: str, strength: float) -> Link:
    return Link(
        id=link_id("alice", LinkKind.SAME_AS, one, other),
        kind=LinkKind.SAME_AS,
        src=one,
        dst=other,
        src_kind=Kind.CAUSE,
        dst_kind=Kind.CAUSE,
        strength=strength,
        created_at=NOW,
    )


def graph(*causes: Link, twins: tuple[Link, ...] = ()) -> CausalGraph:
    ids = {end for link in (*causes, *twins) for end in (link.src, link.dst)}
    return CausalGraph(nodes={id: node(id) for id in ids}, causes=causes, same=twins, distance=dict.fromkeys(ids, 0))


def path(of: CausalGraph, target: str, **options: float) -> list[str]:
    chain = chain_to(of, target, **options)
    assert chain is not None
    return [chain.root.id, *(hop.effect.id for hop in chain.hops)]


def store_chain(store: GraphStore, length: int) -> list[str]:
    ids = [f"{number:05}" for number in range(length)]
    store.write(
        Batch(
            puts=tuple(Put(node(id)) for id in ids),
            links=tuple(PutLink(cause(one, other)) for one, other in pairwise(ids)),
        )
    )
    return ids


# --- chains ---


def test_a_chains_confidence_is_the_product_of_its_hops() -> None:
    chain = chain_to(graph(cause("a", "b", 0.9), cause("b", "c", 0.8), cause("c", "d", 0.5)), "d")
    assert chain is not None
    assert [hop.confidence for hop in chain.hops] == [0.9, 0.8, 0.5]
    assert chain.confidence == pytest.approx(0.36)
    assert chain.told() == ("a", "b", "c", "d")
    assert not chain.cyclic


def test_what_nothing_leads_to_has_no_chain() -> None:
    assert chain_to(graph(cause("a", "b")), "a") is None
    assert chain_to(graph(), "a") is None


def test_of_several_ways_back_the_most_certain_is_taken() -> None:
    both = graph(cause("a", "b", 0.5), cause("a", "x", 0.9), cause("x", "b", 0.9))
    assert path(both, "b") == ["a", "x", "b"]


def test_what_lies_further_back_wins_if_it_is_nearly_as_certain_and_loses_if_not() -> None:
    nearly = graph(cause("near", "end", 0.9), cause("far", "mid", 0.9), cause("mid", "end", 0.9))
    hardly = graph(cause("near", "end", 0.9), cause("far", "mid", 0.5), cause("mid", "end", 0.9))
    assert path(nearly, "end") == ["far", "mid", "end"]  # 0.81 × √2 > 0.9
    assert path(hardly, "end") == ["near", "end"]  # 0.45 × √2 < 0.9


def test_of_several_links_between_two_nodes_the_surest_counts_with_its_evidence() -> None:
    chain = chain_to(graph(cause("a", "b", 0.6, "radio"), cause("a", "b", 0.9, "paper")), "b")
    assert chain is not None
    assert (chain.confidence, chain.hops[0].link.evidence) == (0.9, "paper")


def test_a_link_that_is_not_trusted_is_not_used_unless_a_caller_stated_it() -> None:
    doubtful = graph(cause("a", "b", 0.3, "rumour"))
    stated = graph(cause("a", "b", 0.3))
    assert chain_to(doubtful, "b", trust=0.5) is None
    assert path(stated, "b", trust=0.5) == ["a", "b"]


def test_a_circle_is_entered_once_and_said_to_be_one() -> None:
    chain = chain_to(graph(cause("a", "b"), cause("b", "c"), cause("c", "a")), "c")
    assert chain is not None
    assert [hop.cause.id for hop in chain.hops] == ["a", "b"]
    assert chain.cyclic


def test_a_beginning_outside_of_a_circle_is_preferred_to_one_inside() -> None:
    chain = chain_to(graph(cause("root", "a"), cause("a", "b"), cause("b", "a"), cause("b", "end")), "end")
    assert chain is not None
    assert chain.root.id == "root"
    assert not chain.cyclic


def test_links_that_contradict_each_other_give_one_chain_each_way() -> None:
    both = graph(cause("load", "errors", 0.8), cause("errors", "load", 0.6))
    assert path(both, "errors") == ["load", "errors"]
    assert path(both, "load") == ["errors", "load"]


def test_a_bridge_to_what_means_the_same_costs_its_strength() -> None:
    chain = chain_to(graph(cause("a", "b", 0.9), cause("b2", "c", 0.8), twins=(same("b", "b2", 0.85),)), "c")
    assert chain is not None
    assert [(hop.cause.id, hop.effect.id) for hop in chain.hops] == [("a", "b"), ("b2", "c")]
    assert chain.hops[0].bridge is not None
    assert chain.confidence == pytest.approx(0.9 * 0.85 * 0.8)


def test_two_nodes_that_mean_the_same_and_cause_each_other_do_not_loop() -> None:
    tangled = graph(cause("b", "b2"), cause("a", "b"), twins=(same("b", "b2", 0.9),))
    assert path(tangled, "b2")[0] == "a"


def test_a_chain_of_ten_thousand_nodes_is_cut_and_not_taken_for_a_circle() -> None:
    ids = [f"{number:05}" for number in range(10_000)]
    chain = chain_to(graph(*(cause(one, other, 0.99) for one, other in pairwise(ids))), ids[-1])
    assert chain is not None
    assert len(chain.hops) == MAX_CHAIN
    assert not chain.cyclic


def test_a_circle_of_ten_thousand_nodes_is_followed_in_bounded_time() -> None:
    ids = [f"{number:05}" for number in range(10_000)]
    chain = chain_to(graph(*(cause(one, other) for one, other in pairwise([*ids, ids[0]]))), ids[-1])
    assert chain is not None
    assert len(chain.hops) == MAX_CHAIN


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


# --- order ---


@pytest.mark.parametrize(
    ("ids", "causes", "order"),
    [
        ("cba", ["ab", "bc"], "abc"),
        ("abc", [], "abc"),
        ("cab", [], "cab"),
        ("dcba", ["ad", "bd", "cd"], "cbad"),
        ("ba", ["ab", "ab", "bb", "xa"], "ab"),
        ("aab", ["ba"], "ba"),
        ("cab", ["ab", "bc", "ca"], "cab"),
        ("dab", ["ab", "ba", "bd"], "abd"),
        ("bax", ["xa", "ab", "ba"], "xba"),
        ("", [], ""),
    ],
)
def test_causes_stand_before_effects_and_all_else_as_it_was(ids: str, causes: list[str], order: str) -> None:
    assert "".join(topological(ids, [(pair[0], pair[1]) for pair in causes])) == order


def test_a_shuffled_chain_of_ten_thousand_nodes_is_put_in_order() -> None:
    ids = [str(number) for number in range(10_000)]
    shuffled = random.Random(7).sample(ids, len(ids))
    assert topological(shuffled, pairwise(ids)) == ids


def test_everything_causing_everything_is_still_an_order() -> None:
    ids = [str(number) for number in range(300)]
    assert topological(ids, [(one, other) for one in ids for other in ids]) == ids
