# SPDX-License-Identifier: Apache-2.0
"""Links: putting, merging, weakening and following them, over every store."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import pytest

from becausal.domain.records import Kind, Link, LinkKind
from becausal.errors import InvalidInput
from becausal.ports.batch import Batch, Put, PutLink, WeakenLink
from becausal.ports.store import Edge, GraphStore
from contract.samples import T0, cue, engram, entity, link, put, put_links


@pytest.fixture
def abcd(store: GraphStore) -> GraphStore:
    put(store, *(engram(id) for id in "abcd"))
    return store


def ids(links: tuple[Link, ...]) -> list[str]:
    return [link.id for link in links]


def only(store: GraphStore) -> Link:
    (found,) = store.links(["a"])
    return found


def test_a_link_is_got_as_it_was_put_in_every_field(store: GraphStore) -> None:
    put(store, cue("c"), entity("n"))
    full = Link(
        id="l'\"🦉",
        kind=LinkKind.X_REPRESENTS,
        src="c",
        dst="n",
        src_kind=Kind.CUE,
        dst_kind=Kind.ENTITY,
        relation_type="is; DROP TABLE link",
        strength=0.1 + 0.2,
        confidence=0.95,
        evidence="because\0of 漢字",
        sources=("e2", "e1"),
        asserted=True,
        metadata={"a": [1, None]},
        created_at=T0,
    )
    assert store.write(Batch(links=(PutLink(full),))).created == {full.id}
    assert store.links(["c"]) == (full,)


def test_a_link_with_a_missing_end_is_passed_over(abcd: GraphStore) -> None:
    batch = Batch(
        links=(
            PutLink(link("no-dst", "a", "nobody")),
            PutLink(link("no-src", "nobody", "a")),
            PutLink(link("wrong-kind", "a", "b", dst_kind=Kind.CUE)),
            PutLink(link("good", "a", "b")),
        )
    )
    assert abcd.write(batch).created == {"good"}
    assert ids(abcd.links(["a", "nobody", "b"])) == ["good"]
    assert abcd.count()["ASSOCIATED_WITH"] == 1


def test_a_link_may_join_records_of_its_own_batch(store: GraphStore) -> None:
    store.write(Batch(puts=(Put(engram("a")), Put(engram("b"))), links=(PutLink(link("l", "a", "b")),)))
    assert ids(store.links(["b"])) == ["l"]


def test_direction_says_which_end_is_asked_about(abcd: GraphStore) -> None:
    put_links(abcd, link("ab", "a", "b"), link("ca", "c", "a"), link("bc", "b", "c"))
    assert ids(abcd.links(["a"], direction="out")) == ["ab"]
    assert ids(abcd.links(["a"], direction="in")) == ["ca"]
    assert set(ids(abcd.links(["a"]))) == {"ab", "ca"}
    assert set(ids(abcd.links(["a", "b"], direction="out"))) == {"ab", "bc"}


def test_a_link_between_two_of_the_asked_is_returned_once(abcd: GraphStore) -> None:
    put_links(abcd, link("ab", "a", "b"), link("aa", "a", "a"))
    assert sorted(ids(abcd.links(["a", "b", "a"]))) == ["aa", "ab"]


def test_kinds_are_a_filter_before_the_limit(abcd: GraphStore) -> None:
    put_links(
        abcd,
        *(link(f"strong{i}", "a", "b", LinkKind.FOLLOWS, strength=9.0) for i in range(5)),
        link("weak", "a", "b", strength=0.1),
    )
    assert ids(abcd.links(["a"], [LinkKind.ASSOCIATED_WITH], limit=1)) == ["weak"]
    assert len(abcd.links(["a"], [LinkKind.ASSOCIATED_WITH, LinkKind.FOLLOWS, LinkKind.C_CAUSES])) == 6


@pytest.mark.parametrize("direction", ["out", "in", "both"])
@pytest.mark.parametrize("limit", [1, 4, 11, 12, 100])
def test_the_strongest_come_first_and_are_what_the_limit_leaves(
    abcd: GraphStore, direction: Literal["out", "in", "both"], limit: int
) -> None:
    strengths = [((5 * i) % 12 + 1) / 12 for i in range(12)]
    for i, strength in enumerate(strengths):
        put_links(abcd, link(f"out{i}", "a", "bcd"[i % 3], strength=strength, relation_type=str(i)))
        put_links(abcd, link(f"in{i}", "bcd"[i % 3], "a", strength=strength, relation_type=str(i)))
    wanted = sorted(strengths * (2 if direction == "both" else 1), reverse=True)[:limit]
    assert [found.strength for found in abcd.links(["a"], direction=direction, limit=limit)] == wanted


def test_links_of_more_ids_than_one_statement_holds_are_the_strongest_of_all(store: GraphStore) -> None:
    names = [f"c{i}" for i in range(1200)]
    put(store, *(cue(name) for name in names))
    ends = {"src_kind": Kind.CUE, "dst_kind": Kind.CUE}
    put_links(
        store,
        *(link(f"l{i}", f"c{i}", f"c{i + 1}", LinkKind.CO_OCCURS, strength=1.0 + i, **ends) for i in range(1199)),
    )
    assert len(store.links(names, limit=5000)) == 1199
    assert ids(store.links(names, limit=3)) == ["l1198", "l1197", "l1196"]


def test_no_ids_have_no_links(abcd: GraphStore) -> None:
    put_links(abcd, link("ab", "a", "b"))
    assert abcd.links([]) == ()


def test_a_limit_below_one_is_refused(abcd: GraphStore) -> None:
    with pytest.raises(InvalidInput, match="limit"):
        abcd.links(["a"], limit=0)


# --- merging ------------------------------------------------------------------------------------

OLD = link("l", "a", "b", strength=0.5, confidence=0.5, evidence="old", sources=("e1", "e2"), metadata={"v": 1})
NEW = link("l", "a", "b", strength=0.25, confidence=0.75, evidence="new", sources=("e3", "e2"), metadata={"v": 2})
BOTH = ("e1", "e2", "e3")

MERGED = {
    "replace": replace(NEW, sources=BOTH),
    "add": replace(OLD, strength=0.75, sources=BOTH),
    "keep": replace(OLD, sources=BOTH),
}


@pytest.mark.parametrize("merge", MERGED)
def test_a_link_meets_the_one_with_its_id_as_its_merge_says(abcd: GraphStore, merge: Any) -> None:
    put_links(abcd, OLD)
    assert abcd.write(Batch(links=(PutLink(NEW, merge),))).created == frozenset()
    assert only(abcd) == MERGED[merge]
    assert abcd.count()["ASSOCIATED_WITH"] == 1


@pytest.mark.parametrize("merge", MERGED)
def test_links_of_one_batch_merge_as_those_of_two_would(abcd: GraphStore, merge: Any) -> None:
    batch = Batch(links=(PutLink(OLD, merge), PutLink(NEW, merge)))
    assert abcd.write(batch).created == {"l"}
    assert only(abcd) == MERGED[merge]


@pytest.mark.parametrize("merge", MERGED)
def test_a_merge_with_nothing_inserts(abcd: GraphStore, merge: Any) -> None:
    abcd.write(Batch(links=(PutLink(NEW, merge),)))
    assert only(abcd) == NEW


@pytest.mark.parametrize(("first", "second"), [(True, False), (False, True)])
def test_a_replaced_link_stays_asserted_if_either_was(abcd: GraphStore, first: bool, second: bool) -> None:
    put_links(abcd, replace(OLD, asserted=first))
    put_links(abcd, replace(NEW, asserted=second))
    assert only(abcd).asserted


def test_a_merge_of_another_name_is_refused(abcd: GraphStore) -> None:
    put_links(abcd, OLD)
    with pytest.raises(InvalidInput, match="merge"):
        abcd.write(Batch(links=(PutLink(NEW, "blend"),)))  # type: ignore[arg-type]


@pytest.mark.parametrize("field", ["strength", "confidence"])
def test_a_link_without_a_finite_weight_is_refused(abcd: GraphStore, field: str) -> None:
    with pytest.raises(InvalidInput, match=field):
        put_links(abcd, replace(OLD, **{field: float("nan")}))
    assert abcd.links(["a"]) == ()


# --- weakening and unlinking --------------------------------------------------------------------


def test_weakening_takes_off_strength_and_a_source(abcd: GraphStore) -> None:
    put_links(abcd, OLD)
    abcd.write(Batch(weaken=(WeakenLink("l", 0.25, "e1"), WeakenLink("nothing", 1.0))))
    assert only(abcd) == replace(OLD, strength=0.25, sources=("e2",))
    abcd.write(Batch(weaken=(WeakenLink("l", source="unknown"),)))
    assert only(abcd) == replace(OLD, strength=0.25, sources=("e2",))


def test_a_link_goes_with_its_last_source(abcd: GraphStore) -> None:
    put_links(abcd, OLD)
    abcd.write(Batch(weaken=(WeakenLink("l", source="e1"), WeakenLink("l", source="e2"))))
    assert abcd.links(["a"]) == ()
    assert abcd.count()["ASSOCIATED_WITH"] == 0


def test_what_a_caller_asserted_stays_without_sources(abcd: GraphStore) -> None:
    put_links(abcd, replace(OLD, asserted=True))
    abcd.write(Batch(weaken=(WeakenLink("l", source="e1"), WeakenLink("l", source="e2"))))
    assert only(abcd) == replace(OLD, asserted=True, sources=())


def test_a_link_that_never_had_a_source_stays(abcd: GraphStore) -> None:
    put_links(abcd, replace(OLD, sources=()))
    abcd.write(Batch(weaken=(WeakenLink("l", source="e1"),)))
    assert only(abcd) == replace(OLD, sources=())


@pytest.mark.parametrize("by", [(0.5,), (9.0,), (0.1, 0.2, 0.2)])
def test_a_link_with_no_strength_left_goes(abcd: GraphStore, by: tuple[float, ...]) -> None:
    put_links(abcd, OLD)
    abcd.write(Batch(weaken=tuple(WeakenLink("l", amount) for amount in by)))
    assert abcd.links(["a"]) == ()
    assert abcd.count()["ASSOCIATED_WITH"] == 0


@pytest.mark.parametrize("by", [-0.1, float("nan"), float("inf")])
def test_weakening_by_less_than_nothing_is_refused(abcd: GraphStore, by: float) -> None:
    put_links(abcd, OLD)
    with pytest.raises(InvalidInput, match="by"):
        abcd.write(Batch(weaken=(WeakenLink("l", by),)))
    assert only(abcd) == OLD


def test_weakening_comes_before_the_links_of_the_same_batch(abcd: GraphStore) -> None:
    put_links(abcd, OLD)
    written = abcd.write(Batch(weaken=(WeakenLink("l", 1.0),), links=(PutLink(NEW, "add"),)))
    assert written.created == {"l"}
    assert only(abcd) == NEW


def test_unlinking_takes_links_away_by_id(abcd: GraphStore) -> None:
    put_links(abcd, link("ab", "a", "b"), link("ac", "a", "c", LinkKind.FOLLOWS))
    abcd.write(Batch(unlinks=("ab", "nothing")))
    assert ids(abcd.links(["a"])) == ["ac"]
    assert (abcd.count()["ASSOCIATED_WITH"], abcd.count()["FOLLOWS"]) == (0, 1)


# --- bare edges ---------------------------------------------------------------------------------


def test_edges_are_links_without_what_they_carry(abcd: GraphStore) -> None:
    put_links(abcd, link("x", "a", "b", relation_type="similar_to", strength=0.75), link("y", "c", "a"))
    assert set(abcd.edges(["a"], [LinkKind.ASSOCIATED_WITH], "both", 10)) == {
        Edge("a", "b", LinkKind.ASSOCIATED_WITH, "similar_to", 0.75),
        Edge("c", "a", LinkKind.ASSOCIATED_WITH, "", 1.0),
    }
    put_links(abcd, link("z", "a", "d", asserted=True))
    assert {edge.dst for edge in abcd.edges(["a"], [LinkKind.ASSOCIATED_WITH], "out", 10) if edge.asserted} == {"d"}


@pytest.mark.parametrize(("direction", "found"), [("out", {"ab"}), ("in", {"ca"}), ("both", {"ab", "ca"})])
def test_edges_go_one_hop_in_the_direction_asked(
    abcd: GraphStore, direction: Literal["out", "in", "both"], found: set[str]
) -> None:
    put_links(abcd, link("1", "a", "b"), link("2", "c", "a"), link("3", "b", "d"))
    edges = abcd.edges(["a"], [LinkKind.ASSOCIATED_WITH], direction, 10)
    assert {edge.src + edge.dst for edge in edges} == found


def test_an_edge_between_two_that_are_asked_for_comes_once(abcd: GraphStore) -> None:
    put_links(abcd, link("1", "a", "b"), link("2", "b", "a"), link("loop", "c", "c"))
    edges = abcd.edges(["a", "b", "c", "a"], [LinkKind.ASSOCIATED_WITH] * 2, "both", 10)
    assert sorted(edge.src + edge.dst for edge in edges) == ["ab", "ba", "cc"]


def test_of_every_record_the_strongest_edges_of_each_kind_are_taken_then_the_newest(abcd: GraphStore) -> None:
    put(abcd, cue("m"), cue("n"))
    put_links(
        abcd,
        link("1", "a", "b", strength=0.2),
        link("2", "a", "c", strength=0.9),
        link("3", "a", "d", strength=0.9),
        link("4", "b", "c", strength=0.1),
        link("5", "a", "m", LinkKind.ENCODED_BY, dst_kind=Kind.CUE),
        link("6", "a", "n", LinkKind.ENCODED_BY, dst_kind=Kind.CUE, strength=0.5),
    )
    kinds = [LinkKind.ASSOCIATED_WITH, LinkKind.ENCODED_BY]
    assert sorted(edge.src + edge.dst for edge in abcd.edges(["a", "b"], kinds, "out", 1)) == ["ad", "am", "bc"]
    assert sorted(edge.src + edge.dst for edge in abcd.edges(["a"], kinds, "out", 2)) == ["ac", "ad", "am", "an"]


def test_edges_of_nothing_of_no_kind_and_of_strangers_are_none(abcd: GraphStore) -> None:
    put_links(abcd, link("1", "a", "b"))
    assert abcd.edges([], [LinkKind.ASSOCIATED_WITH], "both", 10) == ()
    assert abcd.edges(["a"], [], "both", 10) == ()
    assert abcd.edges(["a"], [LinkKind.FOLLOWS], "both", 10) == ()
    assert abcd.edges(["nobody", "'\"\\", "漢"], [LinkKind.ASSOCIATED_WITH], "both", 10) == ()


def test_edges_of_a_thousand_records_are_all_there(abcd: GraphStore) -> None:
    put(abcd, *(engram(f"e{i}") for i in range(1000)))
    put_links(abcd, *(link(f"l{i}", f"e{i}", "a") for i in range(1000)))
    edges = abcd.edges([f"e{i}" for i in range(1000)], [LinkKind.ASSOCIATED_WITH], "out", 1)
    assert {edge.src for edge in edges} == {f"e{i}" for i in range(1000)}


@pytest.mark.parametrize("each", [0, -1])
def test_edges_need_room_for_one(abcd: GraphStore, each: int) -> None:
    with pytest.raises(InvalidInput, match="each"):
        abcd.edges(["a"], [LinkKind.FOLLOWS], "out", each)
