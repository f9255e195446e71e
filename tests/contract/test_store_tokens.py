# SPDX-License-Identifier: Apache-2.0
"""Token vectors: kept with a record's vector, read by id, and gone with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from becausal.domain.records import Kind
from becausal.errors import InvalidInput
from becausal.ports.batch import Batch, PutVector, Ref, Space
from becausal.ports.store import GraphStore
from contract.samples import OpenStore, engram, passage, put, vector


def tokens(*rows: Sequence[int]) -> Any:
    return np.array(rows, np.int8)


def keep(store: GraphStore, id: str, rows: Any, kind: Kind = Kind.ENGRAM, space: Space = Space.MODEL) -> None:
    store.write(Batch(vectors=(PutVector(kind, id, vector(1, 0), space, rows),)))


def kept(store: GraphStore, *ids: str, kind: Kind = Kind.ENGRAM, width: int = 3) -> dict[str, list[list[int]]]:
    found = store.token_vectors(kind, ids, width)
    assert found.rows.dtype == np.int8
    assert found.rows.shape == (sum(found.counts), width)
    ends = np.cumsum(found.counts).tolist()
    return {id: found.rows[end - n : end].tolist() for id, n, end in zip(found.ids, found.counts, ends, strict=True)}


@pytest.fixture
def two(store: GraphStore) -> GraphStore:
    put(store, engram("a"), engram("b"), engram("c"))
    keep(store, "a", tokens((1, 2, 3), (-127, 0, 127)))
    keep(store, "b", tokens((4, 5, 6)))
    return store


def test_token_vectors_are_read_by_id(two: GraphStore) -> None:
    assert kept(two, "b", "a", "c", "nobody") == {"a": [[1, 2, 3], [-127, 0, 127]], "b": [[4, 5, 6]]}
    assert kept(two) == {}


def test_those_of_another_width_are_left_out(two: GraphStore) -> None:
    keep(two, "c", tokens((1, 2)))
    assert kept(two, "a", "c", width=2) == {"c": [[1, 2]]}


def test_a_text_without_telling_tokens_has_none_and_that_is_known(two: GraphStore) -> None:
    keep(two, "c", np.zeros((0, 3), np.int8))
    assert kept(two, "c") == {"c": []}


def test_they_are_replaced_with_the_vector(two: GraphStore) -> None:
    keep(two, "a", tokens((7, 7, 7)))
    keep(two, "b", None)
    assert kept(two, "a", "b") == {"a": [[7, 7, 7]]}


def test_they_go_with_the_vector_and_with_the_record(two: GraphStore) -> None:
    put(two, passage("p", "c"))
    keep(two, "p", tokens((1, 1, 1)), Kind.PASSAGE)
    assert kept(two, "p", kind=Kind.PASSAGE) == {"p": [[1, 1, 1]]}
    two.write(Batch(vectors=(PutVector(Kind.ENGRAM, "a", None),)))
    two.write(Batch(deletes=(Ref(Kind.ENGRAM, "b"), Ref(Kind.ENGRAM, "c"))))
    assert kept(two, "a", "b") == kept(two, "p", kind=Kind.PASSAGE) == {}
    assert two.check() == ()


def test_a_vector_in_another_space_does_not_touch_them(two: GraphStore) -> None:
    keep(two, "a", None, space=Space.HASHED)
    two.write(Batch(vectors=(PutVector(Kind.ENGRAM, "a", None, Space.HASHED),)))
    assert kept(two, "a") == {"a": [[1, 2, 3], [-127, 0, 127]]}


def test_a_record_that_does_not_exist_gets_none(two: GraphStore) -> None:
    keep(two, "nobody", tokens((1, 2, 3)))
    assert kept(two, "nobody") == {}
    assert two.check() == ()


@pytest.mark.parametrize("rows", [vector(1, 2, 3), tokens((1, 2)).astype(np.float32), np.zeros((2, 0), np.int8)])
def test_what_is_no_table_of_bytes_is_refused(two: GraphStore, rows: Any) -> None:
    with pytest.raises(InvalidInput, match="tokens"):
        keep(two, "a", rows)
    assert kept(two, "a") == {"a": [[1, 2, 3], [-127, 0, 127]]}


def test_another_handle_sees_them(open_store: OpenStore) -> None:
    one, other = open_store(), open_store()
    put(one, engram("a"))
    keep(one, "a", tokens((1, 2, 3)))
    assert kept(other, "a") == {"a": [[1, 2, 3]]}
