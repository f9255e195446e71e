# SPDX-License-Identifier: Apache-2.0
"""Batches as a whole: order, atomicity, cascades, counts and what a memory remembers, over every store."""

from __future__ import annotations

from typing import Any

import pytest

from becausal.domain.records import Kind, LinkKind
from becausal.errors import BecausalError, InvalidInput
from becausal.ports.batch import Batch, Patch, Put, PutLink, PutVector, Ref, WeakenLink
from becausal.ports.store import GraphStore
from contract.samples import FULL, T0, cue, engram, entity, link, passage, put, put_links, put_vector, vector

NOTHING = {"engram": 0, "passage": 0, "cue": 0, "link": 0, "pending": 0}


def counted(store: GraphStore) -> dict[str, int]:
    counts = store.count()
    return {
        "engram": counts["engram"],
        "passage": counts["passage"],
        "cue": counts["cue"],
        "link": sum(counts[kind.value] for kind in LinkKind),
        "pending": counts["pending"],
    }


def found_by_text(store: GraphStore, kind: Kind, term: str) -> list[str]:
    return sorted(hit.id for hit in store.text_search(kind, [term], 100).hits)


def found_by_vector(store: GraphStore, kind: Kind) -> list[str]:
    return sorted(hit.id for hit in store.vector_search(kind, vector(1, 0), 100))


@pytest.fixture
def graph(store: GraphStore) -> GraphStore:
    """Two engrams with passages, vectors, terms and links, one cue of both."""
    puts = [
        Put(record, ("shared", record.id))
        for record in (engram("a", tags=("t",)), engram("b"), passage("a1", "a"), passage("a2", "a", 1), cue("c"))
    ]
    cued: dict[str, Any] = {"kind": LinkKind.ENCODED_BY, "dst_kind": Kind.CUE}
    store.write(
        Batch(
            puts=(*puts, Put(passage("b1", "b"), ("shared",))),
            vectors=tuple(
                PutVector(kind, id, vector(1, 0.5))
                for kind, ids in ((Kind.ENGRAM, ("a", "b")), (Kind.PASSAGE, ("a1", "a2", "b1")), (Kind.CUE, ("c",)))
                for id in ids
            ),
            links=(
                PutLink(link("ab", "a", "b")),
                PutLink(link("ac", "a", "c", **cued)),
                PutLink(link("bc", "b", "c", **cued)),
            ),
        )
    )
    return store


def test_an_empty_batch_changes_nothing(graph: GraphStore) -> None:
    before = counted(graph)
    assert graph.write(Batch()).created == frozenset()
    assert counted(graph) == before


def test_deleting_an_engram_takes_everything_that_hangs_on_it(graph: GraphStore) -> None:
    graph.write(Batch(deletes=(Ref(Kind.ENGRAM, "a"),)))
    assert counted(graph) == {"engram": 1, "passage": 1, "cue": 1, "link": 1, "pending": 1}
    assert graph.get(Kind.PASSAGE, ["a1", "a2", "b1"]).keys() == {"b1"}
    assert [found.id for found in graph.links(["a", "b", "c"])] == ["bc"]
    assert found_by_text(graph, Kind.ENGRAM, "shared") == ["b"]
    assert found_by_text(graph, Kind.PASSAGE, "shared") == ["b1"]
    assert found_by_vector(graph, Kind.ENGRAM) == ["b"]
    assert found_by_vector(graph, Kind.PASSAGE) == ["b1"]
    assert graph.text_search(Kind.PASSAGE, ["a1"], 5).document_frequencies == (0,)
    assert graph.check() == ()


def test_deleting_a_cue_takes_its_links_and_nothing_else(graph: GraphStore) -> None:
    graph.write(Batch(deletes=(Ref(Kind.CUE, "c"), Ref(Kind.CUE, "nobody"), Ref(Kind.CUE, "a"))))
    assert counted(graph) == {"engram": 2, "passage": 3, "cue": 0, "link": 1, "pending": 2}
    assert found_by_vector(graph, Kind.CUE) == []


def test_a_record_put_back_after_its_deletion_starts_anew(graph: GraphStore) -> None:
    written = graph.write(Batch(deletes=(Ref(Kind.ENGRAM, "a"),), puts=(Put(engram("a")),)))
    assert written.created == {"a"}
    assert graph.get(Kind.ENGRAM, ["a"])["a"] == engram("a", version=1)
    assert found_by_text(graph, Kind.ENGRAM, "a") == []
    assert found_by_vector(graph, Kind.ENGRAM) == ["b"]
    assert [found.id for found in graph.links(["a"])] == []


def test_clearing_kinds_erases_them_and_counts_what_went(graph: GraphStore) -> None:
    assert graph.clear([Kind.PASSAGE, Kind.CUE, Kind.CUE, Kind.FACT]) == 4
    assert counted(graph) == {"engram": 2, "passage": 0, "cue": 0, "link": 1, "pending": 2}
    assert graph.clear([Kind.ENGRAM]) == 2
    assert counted(graph) == NOTHING
    assert graph.text_search(Kind.ENGRAM, ["shared"], 5).documents == 0
    assert graph.check() == ()


def test_the_parts_of_a_batch_happen_in_the_order_of_its_fields(store: GraphStore) -> None:
    put(store, engram("a"), engram("b"))
    put_links(store, link("l", "a", "b"))
    written = store.write(
        Batch(
            deletes=(Ref(Kind.ENGRAM, "b"),),
            weaken=(WeakenLink("l", 0.5),),
            puts=(Put(engram("b", summary="again")), Put(engram("x"))),
            patches=(Patch(Kind.ENGRAM, "x", {"summary": "patched"}),),
            vectors=(PutVector(Kind.ENGRAM, "x", vector(1, 0)), PutVector(Kind.ENGRAM, "nobody", vector(1, 0))),
            links=(PutLink(link("l", "a", "b"), "add"), PutLink(link("x", "x", "b"))),
        )
    )
    assert written.created == {"b", "x", "l"}
    assert store.get(Kind.ENGRAM, ["x"])["x"] == engram("x", summary="patched", version=2)
    assert {found.id: found.strength for found in store.links(["b"])} == {"l": 1.0, "x": 1.0}
    assert found_by_vector(store, Kind.ENGRAM) == ["x"]


FAILURES = {
    "a put": Batch(puts=(Put(engram("z", importance=float("inf"))),)),
    "terms": Batch(puts=(Put(engram("z"), ("two words",)),)),
    "a version": Batch(puts=(Put(engram("b"), expect_version=7),)),
    "a version to delete": Batch(deletes=(Ref(Kind.ENGRAM, "b", 7),)),
    "a patch": Batch(patches=(Patch(Kind.ENGRAM, "a", {"nonsense": 1}),)),
    "a vector": Batch(vectors=(PutVector(Kind.ENGRAM, "a", vector(1, 2, 3)),)),
    "a link": Batch(links=(PutLink(link("z", "a", "b", strength=float("nan"))),)),
    "meta": Batch(meta={"schema_version": "99"}),
}


@pytest.mark.parametrize("failing", FAILURES.values(), ids=FAILURES)
def test_a_batch_that_fails_anywhere_leaves_nothing_behind(graph: GraphStore, failing: Batch) -> None:
    before = counted(graph)
    links = graph.links(["a", "b", "c"])
    graph.claim("work", ["job"], "me", 60)
    batch = Batch(
        deletes=(Ref(Kind.CUE, "c"), *failing.deletes),
        unlinks=("ab",),
        weaken=(WeakenLink("bc", 0.5),),
        puts=(Put(engram("new", tags=("t",)), ("shared",)), Put(engram("a"), ("other",)), *failing.puts),
        patches=(Patch(Kind.ENGRAM, "b", {"summary": "changed"}), *failing.patches),
        vectors=(PutVector(Kind.ENGRAM, "new", vector(1, 0)), PutVector(Kind.ENGRAM, "b", None), *failing.vectors),
        links=(PutLink(link("new", "a", "b")), *failing.links),
        release=(("work", "job"),),
        meta={"remembered": "yes", **failing.meta},
    )
    with pytest.raises(BecausalError):
        graph.write(batch)
    assert counted(graph) == before
    assert graph.links(["a", "b", "c"]) == links
    assert graph.get(Kind.ENGRAM, ["a", "b", "new"]) == {
        "a": engram("a", tags=("t",), version=1),
        "b": engram("b", version=1),
    }
    assert found_by_text(graph, Kind.ENGRAM, "shared") == ["a", "b"]
    assert found_by_vector(graph, Kind.ENGRAM) == ["a", "b"]
    assert graph.claim("work", ["job"], "you", 60) == frozenset()
    assert graph.meta("remembered") is None
    assert graph.check() == ()


def test_a_record_is_deleted_in_the_version_expected_and_one_that_is_gone_is_no_conflict(store: GraphStore) -> None:
    put(store, engram("a"))
    store.write(Batch(deletes=(Ref(Kind.ENGRAM, "a", 1), Ref(Kind.ENGRAM, "gone", 3))))
    assert store.get(Kind.ENGRAM, ["a"]) == {}


# --- counts and meta ----------------------------------------------------------------------------


def test_counts_name_every_kind_of_record_and_link_also_where_there_is_none(store: GraphStore) -> None:
    assert store.count() == {**dict.fromkeys((*Kind, *LinkKind), 0), "pending": 0}


def test_counts_follow_what_is_put_and_indexed(store: GraphStore) -> None:
    put(store, *FULL, engram("pending1"), engram("pending2", archived_at=T0))
    assert {kind.value: store.count()[kind.value] for kind in Kind} == {**dict.fromkeys(Kind, 1), "engram": 3}
    assert store.count()["pending"] == 2
    store.write(Batch(patches=(Patch(Kind.ENGRAM, "pending1", {"indexed_at": T0}),)))
    assert store.count()["pending"] == 1


def test_what_waits_for_its_index_is_counted_through_every_change(store: GraphStore) -> None:
    def pending() -> int:
        assert store.check() == ()
        return store.count()["pending"]

    put(store, engram("a"), engram("b"), engram("c", indexed_at=T0))
    assert pending() == 2
    put(store, engram("a", indexed_at=T0), engram("c"))
    assert pending() == 2
    patches = (Patch(Kind.ENGRAM, "a", {"indexed_at": None}), Patch(Kind.ENGRAM, "c", {"importance": 0.5}))
    store.write(Batch(patches=patches))
    assert pending() == 3
    store.write(Batch(deletes=(Ref(Kind.ENGRAM, "b"), Ref(Kind.ENGRAM, "none"))))
    assert pending() == 2
    store.write(Batch(deletes=(Ref(Kind.ENGRAM, "c"),), puts=(Put(engram("c", indexed_at=T0)),)))
    assert pending() == 1
    store.clear([Kind.ENGRAM])
    assert pending() == 0


def test_meta_is_remembered_changed_and_removed(store: GraphStore) -> None:
    store.write(Batch(meta={"embedder": "minilm", "ключ'\"": "wert 🦉", "empty": ""}))
    assert (store.meta("embedder"), store.meta("ключ'\""), store.meta("empty")) == ("minilm", "wert 🦉", "")
    store.write(Batch(meta={"embedder": "hashing", "empty": None, "never": None}))
    assert (store.meta("embedder"), store.meta("empty"), store.meta("never")) == ("hashing", None, None)


def test_the_schema_version_is_told_and_cannot_be_changed(store: GraphStore) -> None:
    assert int(store.meta("schema_version") or 0) >= 1
    with pytest.raises(InvalidInput, match="schema_version"):
        store.write(Batch(meta={"schema_version": None}))


def test_a_meta_value_that_is_not_text_is_refused(store: GraphStore) -> None:
    with pytest.raises(InvalidInput, match="count"):
        store.write(Batch(meta={"count": 5}))  # type: ignore[dict-item]


def test_entities_and_vectors_of_one_id_in_two_kinds_are_kept_apart(store: GraphStore) -> None:
    put(store, entity("same"), cue("same"), terms=("word",))
    put_vector(store, "same", 1, 0, kind=Kind.CUE)
    assert found_by_vector(store, Kind.ENTITY) == []
    store.write(Batch(deletes=(Ref(Kind.ENTITY, "same"),)))
    assert found_by_vector(store, Kind.CUE) == ["same"]
    assert found_by_text(store, Kind.CUE, "word") == ["same"]
