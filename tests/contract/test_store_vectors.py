# SPDX-License-Identifier: Apache-2.0
"""Vector search: exact, filtered before the limit, and up to date, over every store."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from becausal.domain.records import Kind
from becausal.errors import InvalidInput
from becausal.ports.batch import Batch, Put, PutVector, Ref, Space
from becausal.ports.store import Condition, GraphStore, Op, Where
from contract.samples import T0, OpenStore, cue, engram, passage, put, put_vector, vector

LIVE: Where = (Condition("archived_at", Op.NULL, True),)


def nearest(
    store: GraphStore, query: Any, k: int = 100, where: Where = (), kind: Kind = Kind.ENGRAM
) -> list[tuple[str, float]]:
    return [(hit.id, round(hit.score, 5)) for hit in store.vector_search(kind, query, k, where)]


def found(store: GraphStore, query: Any, k: int = 100, where: Where = (), kind: Kind = Kind.ENGRAM) -> list[str]:
    return [id for id, _ in nearest(store, query, k, where, kind)]


def fill(store: GraphStore, vectors: Any, **fields: list[Any]) -> None:
    """Put one engram ``e0000``, ``e0001``, … per row, with fields from lists of the same length."""
    ids = [f"e{i:04}" for i in range(len(vectors))]
    store.write(
        Batch(
            puts=tuple(
                Put(engram(id, **{name: values[i] for name, values in fields.items()})) for i, id in enumerate(ids)
            ),
            vectors=tuple(PutVector(Kind.ENGRAM, id, row) for id, row in zip(ids, vectors, strict=True)),
        )
    )


@pytest.fixture
def plane(store: GraphStore) -> GraphStore:
    put(store, *(engram(id) for id in ("east", "northeast", "north", "west", "nowhere")))
    for id, numbers in {"east": (2, 0), "northeast": (1, 1), "north": (0, 0.5), "west": (-1, 0)}.items():
        put_vector(store, id, *numbers)
    return store


def test_scores_are_cosine_similarities_nearest_first(plane: GraphStore) -> None:
    assert nearest(plane, vector(3, 0)) == [("east", 1), ("northeast", 0.70711), ("north", 0), ("west", -1)]
    assert found(plane, vector(0.1, 1), 2) == ["north", "northeast"]


def test_a_vector_of_zeros_is_near_nothing(plane: GraphStore) -> None:
    put_vector(plane, "nowhere", 0, 0)
    assert dict(nearest(plane, vector(1, 0)))["nowhere"] == 0
    assert {score for _, score in nearest(plane, vector(0, 0))} == {0}


def test_no_vectors_no_hits(store: GraphStore) -> None:
    put(store, engram("a"))
    assert found(store, vector(1, 0)) == []
    assert found(store, vector(1, 0), where=LIVE) == []


def test_a_vector_is_replaced_and_taken_away(plane: GraphStore) -> None:
    assert found(plane, vector(1, 0), 1) == ["east"]
    put_vector(plane, "west", 1, 0.001)
    put_vector(plane, "east", -1, 0)
    assert found(plane, vector(1, 0)) == ["west", "northeast", "north", "east"]
    plane.write(Batch(vectors=(PutVector(Kind.ENGRAM, "west", None), PutVector(Kind.ENGRAM, "nowhere", None))))
    assert found(plane, vector(1, 0)) == ["northeast", "north", "east"]
    put_vector(plane, "west", 1, 0)
    assert found(plane, vector(1, 0)) == ["west", "northeast", "north", "east"]


def test_the_last_vector_of_a_batch_stands(plane: GraphStore) -> None:
    batch = tuple(PutVector(Kind.ENGRAM, "nowhere", numbers) for numbers in (vector(0, 1), None, vector(1, 0)))
    plane.write(Batch(vectors=batch))
    assert dict(nearest(plane, vector(1, 0)))["nowhere"] == 1


def test_a_record_keeps_its_vector_when_it_is_put_again(plane: GraphStore) -> None:
    put(plane, engram("east", summary="changed"))
    assert found(plane, vector(1, 0), 1) == ["east"]


def test_a_deleted_record_is_found_no_more(plane: GraphStore) -> None:
    assert len(found(plane, vector(1, 0))) == 4
    plane.write(Batch(deletes=(Ref(Kind.ENGRAM, "east"),)))
    assert found(plane, vector(1, 0)) == ["northeast", "north", "west"]
    plane.clear([Kind.ENGRAM])
    assert found(plane, vector(1, 0)) == []


def test_a_vector_of_a_record_that_does_not_exist_is_passed_over(plane: GraphStore) -> None:
    put_vector(plane, "nobody", 1, 0)
    put(plane, engram("nobody"))
    assert "nobody" not in found(plane, vector(1, 0))


def test_results_equal_a_full_computation(store: GraphStore) -> None:
    rng = np.random.default_rng(3)
    vectors = rng.standard_normal((700, 16), np.float32)
    fill(store, vectors)
    for query in rng.standard_normal((5, 16), np.float32):
        scores = vectors @ query / np.linalg.norm(vectors, axis=1) / np.linalg.norm(query)
        best = np.argsort(-scores)[:20]
        hits = store.vector_search(Kind.ENGRAM, query, 20)
        assert [hit.id for hit in hits] == [f"e{i:04}" for i in best]
        assert [hit.score for hit in hits] == pytest.approx(scores[best].tolist(), abs=1e-5)


def test_results_stay_right_through_many_changes(store: GraphStore) -> None:
    """Slots move, are used again and grow; what is found must always be what was put."""
    rng = np.random.default_rng(4)
    truth: dict[str, Any] = {}
    for _ in range(40):
        names = [f"n{int(i)}" for i in rng.integers(0, 400, 30)]
        new = dict(zip(names, rng.standard_normal((30, 4), np.float32), strict=True))
        gone = [f"n{int(i)}" for i in rng.integers(0, 400, 12)]
        store.write(
            Batch(
                deletes=tuple(Ref(Kind.ENGRAM, name) for name in gone[:6]),
                puts=tuple(Put(engram(name)) for name in new),
                vectors=(
                    *(PutVector(Kind.ENGRAM, name, row) for name, row in new.items()),
                    *(PutVector(Kind.ENGRAM, name, None) for name in gone[6:]),
                ),
            )
        )
        truth = {name: row for name, row in truth.items() if name not in gone[:6]} | new
        truth = {name: row for name, row in truth.items() if name not in gone[6:]}
        query = rng.standard_normal(4, np.float32)
        expected = {
            name: float(row @ query / np.linalg.norm(row) / np.linalg.norm(query)) for name, row in truth.items()
        }
        hits = store.vector_search(Kind.ENGRAM, query, 1000)
        assert {hit.id: hit.score for hit in hits} == pytest.approx(expected, abs=1e-5)


# --- filters ------------------------------------------------------------------------------------


def test_the_filter_comes_before_the_limit(store: GraphStore) -> None:
    """The nearest 1,500 do not pass; one that is far away does."""
    angles = np.linspace(0, math.pi / 2, 1501)
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    last = [None] * 1500
    fill(
        store,
        vectors,
        archived_at=[T0] * 1500 + [None],
        source=[*last, "s"],
        tags=[()] * 1500 + [("t",)],
        importance=[0.1] * 1500 + [0.9],
    )
    for where in (
        LIVE,
        (Condition("source", Op.EQ, "s"),),
        (Condition("source", Op.IN, ("s", "x")),),
        (Condition("source", Op.NULL, False),),
        (Condition("tags", Op.HAS, ("t",)),),
        (Condition("importance", Op.GT, 0.5),),
        (Condition("summary", Op.GE, "e1500"),),
        (Condition("id", Op.EQ, "e1500"),),
        (*LIVE, Condition("id", Op.IN, ("e0001", "e1500"))),
    ):
        assert found(store, vector(1, 0), 1, where) == ["e1500"], where
        assert found(store, vector(1, 0), 50, where) == ["e1500"], where


@pytest.mark.parametrize("share", [2, 3, 40])
def test_a_filter_gives_the_nearest_that_pass_however_many_do(store: GraphStore, share: int) -> None:
    rng = np.random.default_rng(5)
    vectors = rng.standard_normal((900, 8), np.float32)
    fill(store, vectors, archived_at=[None if i % share == 0 else T0 for i in range(900)])
    query = rng.standard_normal(8, np.float32)
    scores = vectors @ query / np.linalg.norm(vectors, axis=1)
    expected = [f"e{i:04}" for i in np.argsort(-scores) if i % share == 0]
    for k in (1, 10, 300):
        assert found(store, query, k, LIVE) == expected[:k]


def test_records_with_equal_scores_are_all_found_through_a_filter(store: GraphStore) -> None:
    fill(store, np.ones((600, 3), np.float32), archived_at=[None if i % 5 else T0 for i in range(600)])
    hits = found(store, vector(1, 1, 1), 600, LIVE)
    assert sorted(hits) == [f"e{i:04}" for i in range(600) if i % 5]


def test_what_is_archived_is_left_out_from_then_on_and_comes_back(store: GraphStore) -> None:
    for id in ("a", "b"):
        put(store, engram(id), passage(f"{id}-p", id), terms=("word",))
        put_vector(store, id, 1, 0)
        store.write(Batch(vectors=(PutVector(Kind.PASSAGE, f"{id}-p", vector(1, 0)),)))

    def alive() -> list[set[str]]:
        return [
            set(found(store, vector(1, 0), where=LIVE)),
            {id.removesuffix("-p") for id in found(store, vector(1, 0), where=LIVE, kind=Kind.PASSAGE)},
            {hit.id for hit in store.text_search(Kind.ENGRAM, ["word"], 9, LIVE).hits},
            {hit.id.removesuffix("-p") for hit in store.text_search(Kind.PASSAGE, ["word"], 9, LIVE).hits},
            set(store.passing(Kind.ENGRAM, ("a", "b", "nobody"), LIVE)),
            {id.removesuffix("-p") for id in store.passing(Kind.PASSAGE, ("a-p", "b-p"), LIVE)},
        ]

    assert alive() == [{"a", "b"}] * 6
    put(store, engram("a", archived_at=T0))
    assert alive() == [{"b"}] * 6
    put(store, engram("a"))
    assert alive() == [{"a", "b"}] * 6


def test_an_id_condition_scores_just_those_that_also_pass_the_rest(plane: GraphStore) -> None:
    put(plane, engram("east", archived_at=T0))
    among = Condition("id", Op.IN, ("west", "east", "north", "nowhere", "nobody"))
    assert found(plane, vector(1, 0), 10, (among,)) == ["east", "north", "west"]
    assert found(plane, vector(1, 0), 1, (*LIVE, among)) == ["north"]
    assert found(plane, vector(1, 0), 10, (Condition("id", Op.IN, ()),)) == []


def test_a_filter_on_passages_is_about_their_engram(store: GraphStore) -> None:
    put(store, engram("a", source="s"), engram("b"), engram("c", source="s", archived_at=T0))
    for i, id in enumerate("abc"):
        for j in (1, 2):
            put(store, passage(f"{id}{j}", id, j))
            put_vector(store, f"{id}{j}", 1, 0.1 * (i + 3 * j), kind=Kind.PASSAGE)
    query, kind = vector(1, 0), Kind.PASSAGE
    assert found(store, query, 10, kind=kind) == ["a1", "b1", "c1", "a2", "b2", "c2"]
    assert found(store, query, 10, LIVE, kind) == ["a1", "b1", "a2", "b2"]
    assert found(store, query, 10, (*LIVE, Condition("source", Op.EQ, "s")), kind) == ["a1", "a2"]
    assert found(store, query, 10, (Condition("id", Op.IN, ("b", "c")),), kind) == ["b1", "c1", "b2", "c2"]


def test_kinds_are_searched_apart(plane: GraphStore) -> None:
    put(plane, cue("c"))
    put_vector(plane, "c", 1, 0, kind=Kind.CUE)
    assert found(plane, vector(1, 0), kind=Kind.CUE) == ["c"]
    assert "c" not in found(plane, vector(1, 0))


# --- refusals -----------------------------------------------------------------------------------


def test_the_remembered_dimension_decides_which_vectors_are_taken(store: GraphStore) -> None:
    put(store, engram("a"))
    store.write(Batch(meta={"embedder_dimension": "3"}))
    with pytest.raises(InvalidInput, match="vector"):
        put_vector(store, "a", 1, 0)
    put_vector(store, "a", 1, 0, 0)
    with pytest.raises(InvalidInput, match="vector"):
        store.vector_search(Kind.ENGRAM, vector(1, 0), 5)


def test_the_dimension_may_be_remembered_together_with_the_first_vectors(store: GraphStore) -> None:
    put(store, engram("a"))
    with pytest.raises(InvalidInput, match="vector"):
        store.write(Batch(vectors=(PutVector(Kind.ENGRAM, "a", vector(1, 0)),), meta={"embedder_dimension": "3"}))
    assert store.meta("embedder_dimension") is None
    store.write(Batch(vectors=(PutVector(Kind.ENGRAM, "a", vector(1, 0)),), meta={"embedder_dimension": "2"}))
    assert found(store, vector(1, 0)) == ["a"]


def test_without_a_remembered_dimension_the_first_vector_decides(plane: GraphStore) -> None:
    with pytest.raises(InvalidInput, match="vector"):
        put_vector(plane, "nowhere", 1, 0, 0)


def test_after_the_dimension_has_changed_only_vectors_of_the_new_one_are_found(plane: GraphStore) -> None:
    assert len(found(plane, vector(1, 0))) == 4
    plane.write(Batch(meta={"embedder_dimension": "3"}))
    assert found(plane, vector(1, 0, 0)) == []
    put_vector(plane, "west", 1, 0, 0)
    assert found(plane, vector(1, 0, 0)) == ["west"]
    put_vector(plane, "east", 1, 1, 0)
    assert found(plane, vector(1, 0, 0)) == ["west", "east"]


@pytest.mark.parametrize("value", ["0", "-1", "many", "3.5", "", "70000"])
def test_a_dimension_that_is_none_is_refused(store: GraphStore, value: str) -> None:
    with pytest.raises(InvalidInput, match="embedder_dimension"):
        store.write(Batch(meta={"embedder_dimension": value}))


@pytest.mark.parametrize("numbers", [(float("nan"), 0), (float("inf"), 0), ()])
def test_a_vector_that_is_none_is_refused(plane: GraphStore, numbers: tuple[float, ...]) -> None:
    with pytest.raises(InvalidInput, match="vector"):
        put_vector(plane, "nowhere", *numbers)
    with pytest.raises(InvalidInput, match="vector"):
        plane.vector_search(Kind.ENGRAM, vector(*numbers), 5)
    with pytest.raises(InvalidInput, match="vector"):
        plane.vector_search(Kind.ENGRAM, np.ones((2, 2), np.float32), 5)


def test_a_k_below_one_is_refused(plane: GraphStore) -> None:
    with pytest.raises(InvalidInput, match="k"):
        plane.vector_search(Kind.ENGRAM, vector(1, 0), 0)


# --- another handle -----------------------------------------------------------------------------


def test_another_handle_sees_every_change_of_vectors(open_store: OpenStore) -> None:
    one, two = open_store(), open_store()
    put(one, *(engram(id) for id in "abc"))
    assert found(two, vector(1, 0)) == []
    put_vector(one, "a", 1, 0)
    put_vector(two, "b", 1, 1)
    assert found(one, vector(1, 0)) == found(two, vector(1, 0)) == ["a", "b"]
    put_vector(one, "c", 1, 0.1)
    one.write(Batch(deletes=(Ref(Kind.ENGRAM, "a"),)))
    assert found(two, vector(1, 0)) == ["c", "b"]
    two.write(Batch(vectors=(PutVector(Kind.ENGRAM, "c", None),)))
    assert found(one, vector(1, 0)) == ["b"]


def test_another_handle_starts_over_after_traces_were_erased(open_store: OpenStore) -> None:
    one, two = open_store(), open_store()
    put(one, *(engram(id) for id in "abc"))
    for id in "abc":
        put_vector(one, id, 1, 0)
    assert found(two, vector(1, 0)) == ["a", "b", "c"]
    one.write(Batch(deletes=(Ref(Kind.ENGRAM, "b"), Ref(Kind.ENGRAM, "c"))))
    one.erase_traces()
    assert found(two, vector(1, 0)) == ["a"]
    put(one, engram("d"))
    put_vector(one, "d", 1, 0)
    assert found(two, vector(1, 0)) == ["a", "d"]


def test_a_record_may_have_a_vector_in_each_space_and_they_never_meet(plane: GraphStore) -> None:
    def hashed(query: Any) -> list[tuple[str, float]]:
        return [(hit.id, round(hit.score, 5)) for hit in plane.vector_search(Kind.ENGRAM, query, 9, (), Space.HASHED)]

    def put_hashed(id: str, *numbers: float) -> None:
        plane.write(Batch(vectors=(PutVector(Kind.ENGRAM, id, vector(*numbers), Space.HASHED),)))

    assert hashed(vector(1, 0, 0)) == []
    put_hashed("north", 1, 0, 0)  # of another dimension
    put_hashed("nowhere", 0, 1, 0)
    assert hashed(vector(1, 0, 0)) == [("north", 1), ("nowhere", 0)]
    assert nearest(plane, vector(3, 0)) == [("east", 1), ("northeast", 0.70711), ("north", 0), ("west", -1)]
    with pytest.raises(InvalidInput, match="vector"):
        put_hashed("east", 1, 0)
    plane.write(Batch(vectors=(PutVector(Kind.ENGRAM, "north", None),)))
    assert "north" not in found(plane, vector(3, 0))
    assert hashed(vector(1, 0, 0)) == [("north", 1), ("nowhere", 0)]


def test_a_record_that_goes_loses_its_vectors_in_every_space(plane: GraphStore) -> None:
    for id in ("north", "east"):
        plane.write(Batch(vectors=(PutVector(Kind.ENGRAM, id, vector(1, 0, 0), Space.HASHED),)))
    plane.write(Batch(deletes=(Ref(Kind.ENGRAM, "north"),)))
    assert [hit.id for hit in plane.vector_search(Kind.ENGRAM, vector(1, 0, 0), 9, (), Space.HASHED)] == ["east"]
    assert plane.check() == ()


# --- very many records --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def topics() -> Any:
    """Five thousand vectors of 64 numbers around fifty directions, as those of texts gather around topics."""
    draw = np.random.default_rng(4)
    centres = draw.normal(size=(50, 64))
    vectors = centres[np.arange(5000) % 50] + 0.6 * draw.normal(size=(5000, 64))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def best(vectors: Any, query: Any, n: int) -> list[str]:
    return [f"e{i:04}" for i in np.argsort(-(vectors @ query), kind="stable")[:n]]


def test_among_thousands_the_ten_nearest_are_found(store: GraphStore, topics: Any) -> None:
    fill(store, topics)
    for query in topics[::500]:
        assert found(store, query, 10) == best(topics, query, 10)
        assert found(store, query, 10, LIVE) == best(topics, query, 10)


def test_among_thousands_a_filter_that_lets_few_through_still_gives_as_many_as_there_are(
    store: GraphStore, topics: Any
) -> None:
    fill(store, topics, label=["kept" if i % 1000 == 7 else "other" for i in range(5000)])
    kept = topics[7::1000]
    where = (Condition("label", Op.EQ, "kept"),)
    expected = [f"e{7 + 1000 * i:04}" for i in np.argsort(-(kept @ topics[0]))]
    assert found(store, topics[0], 10, where) == expected


def test_among_thousands_what_is_taken_away_or_changed_is_seen_at_once(store: GraphStore, topics: Any) -> None:
    fill(store, topics)
    query = topics[123]
    first, second = found(store, query, 2)
    store.write(Batch(deletes=(Ref(Kind.ENGRAM, first),), vectors=(PutVector(Kind.ENGRAM, second, -query),)))
    assert found(store, query, 5) == best(topics, query, 7)[2:]
    assert found(store, -query, 1) == [second]
    store.write(Batch(vectors=(PutVector(Kind.ENGRAM, second, query),)))
    assert found(store, query, 1) == [second]


def test_among_thousands_hashed_words_are_compared_exactly(store: GraphStore) -> None:
    draw = np.random.default_rng(5)
    vectors = np.zeros((4500, 64), np.float32)
    vectors[np.arange(4500)[:, None], draw.integers(0, 64, (4500, 6))] = draw.normal(size=(4500, 6))
    fill(store, vectors)
    lengths = np.linalg.norm(vectors, axis=1)
    unit = vectors / lengths[:, None]
    for query in unit[::450]:
        assert found(store, query, 5) == best(unit, query, 5)
