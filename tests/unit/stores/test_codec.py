# SPDX-License-Identifier: Apache-2.0
"""Records and batches as flat values and as JSON."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from becausal.domain.records import KIND_OF, RECORD_TYPES, Engram, Kind, LinkKind, Record
from becausal.errors import InvalidInput, StoreCorrupt
from becausal.ports.store import Batch, Grant, Patch, Put, PutLink, PutVector, Ref, Space, WeakenLink
from becausal.stores.codec import (
    CODECS,
    LINK_CODEC,
    batch_from_json,
    batch_to_json,
    link_from_json,
    link_to_json,
    record_from_json,
    record_to_json,
)
from becausal.stores.columns import Form
from contract.samples import FULL, T0, cue, engram, link

FULL_LINK = link(
    "l", "a", "b", LinkKind.C_CAUSES, relation_type="r", strength=0.1, confidence=0.2, evidence="e",
    sources=("s1", 's"2'), asserted=True, metadata={"k": [1]},
)  # fmt: skip


def through_json(data: Any) -> Any:
    return json.loads(json.dumps(data, allow_nan=False))


def test_every_field_of_every_record_has_a_column() -> None:
    for kind, cls in RECORD_TYPES.items():
        assert CODECS[kind].names == tuple(field.name for field in fields(cls))


@pytest.mark.parametrize("record", FULL, ids=lambda record: type(record).__name__)
def test_a_record_survives_its_row(record: Record) -> None:
    codec = CODECS[KIND_OF[type(record)]]
    row = codec.encode(record)
    assert all(value is None or type(value) in (str, int, float) for value in row)
    assert codec.decode(row) == record


def test_flat_values_are_what_a_database_can_hold() -> None:
    row = dict(zip(CODECS[Kind.ENGRAM].names, CODECS[Kind.ENGRAM].encode(FULL[0]), strict=True))  # type: ignore[arg-type]
    assert row["memory_type"] == "procedural"
    assert row["pinned"] == 1
    assert row["tags"] == '["b","a","b",""]'
    assert row["occurred_at"] == 1_740_830_400_123_456
    assert row["at"] == -62_135_596_800_000_000


def test_times_keep_their_microseconds_at_both_ends_of_the_calendar() -> None:
    column = CODECS[Kind.ENGRAM].column("at")
    for time in (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC), T0 + timedelta(microseconds=1)):
        assert column.decode is not None
        assert column.decode(column.encode(time)) == time


def test_nullable_fields_are_known() -> None:
    codec = CODECS[Kind.FACT]
    assert [codec.column(name).nullable for name in ("valid_from", "valid_to", "superseded_by")] == [False, True, True]
    assert CODECS[Kind.ENTITY].column("aliases").form is Form.TUPLE


@settings(deadline=None)  # a busy machine is no failure
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))).map(tuple))
def test_any_tuple_of_text_survives_its_row(tags: tuple[str, ...]) -> None:
    column = CODECS[Kind.ENGRAM].column("tags")
    assert column.decode is not None
    assert column.decode(column.encode(tags)) == tags
    assert json.loads(str(column.encode(tags))) == list(tags)


NUMBERS = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@settings(deadline=None)  # a busy machine is no failure
@given(st.dictionaries(st.text(), JSON))
def test_any_json_object_survives_its_row(metadata: dict[str, Any]) -> None:
    column = CODECS[Kind.ENGRAM].column("metadata")
    assert column.decode is not None
    assert column.decode(column.encode(metadata)) == metadata


def test_decoded_mappings_are_not_shared() -> None:
    codec = CODECS[Kind.ENGRAM]
    row = codec.encode(engram("a"))
    assert codec.decode(row).metadata is not codec.decode(row).metadata


def test_a_deep_object_is_refused_as_input() -> None:
    deep: Any = []
    for _ in range(200_000):
        deep = [deep]
    with pytest.raises(InvalidInput, match="metadata"):
        CODECS[Kind.ENGRAM].encode(engram("a", metadata={"deep": deep}))
    while deep:  # taken apart step by step: letting go of all of it at once is as deep as making it
        deep = deep.pop()


def test_numbers_of_numpy_are_numbers() -> None:
    row = CODECS[Kind.ENGRAM].encode(engram("a", importance=np.float32(0.5), access_count=np.int64(3)))  # type: ignore[arg-type]
    assert [type(value) for value in row if value in (0.5, 3)] == [float, int]
    with pytest.raises(InvalidInput, match="importance"):
        CODECS[Kind.ENGRAM].encode(engram("a", importance=10**400))


@pytest.mark.parametrize(
    ("field", "value"), [("memory_type", "poetic"), ("tags", "[not json"), ("at", 10**18), ("metadata", "5")]
)
def test_a_row_that_nobody_can_have_written_is_corrupt(field: str, value: Any) -> None:
    codec = CODECS[Kind.ENGRAM]
    row = codec.encode(engram("the id"))
    row[codec.names.index(field)] = value
    with pytest.raises(StoreCorrupt, match="the id"):
        codec.decode(row)


# --- JSON ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("record", FULL, ids=lambda record: type(record).__name__)
def test_a_record_survives_json(record: Record) -> None:
    data = through_json(record_to_json(record))
    assert data["kind"] == KIND_OF[type(record)]
    assert record_from_json(data) == record


def test_json_is_made_to_be_read() -> None:
    data = record_to_json(engram("a", at=T0.astimezone(timezone(timedelta(hours=1))), pinned=True, tags=("x",)))
    assert (data["at"], data["pinned"], data["tags"]) == ("2025-03-01T12:00:00.123456+00:00", True, ["x"])
    assert (data["metadata"], data["label"]) == ({}, None)


def test_a_link_survives_json() -> None:
    data = through_json(link_to_json(FULL_LINK))
    assert data["kind"] == "C_CAUSES"
    assert link_from_json(data) == FULL_LINK
    assert LINK_CODEC.decode(LINK_CODEC.encode(FULL_LINK)) == FULL_LINK


def test_a_missing_field_gets_its_default() -> None:
    data = {name: value for name, value in record_to_json(engram("a")).items() if name not in ("tags", "importance")}
    assert record_from_json(data) == engram("a")


GOOD = record_to_json(engram("a"))
BAD_RECORDS: list[tuple[str, Any]] = [
    ("record", []),
    ("record", {1: 2}),
    ("kind", {}),
    ("kind", {**GOOD, "kind": "poem"}),
    ("kind", {**GOOD, "kind": None}),
    ("nonsense", {**GOOD, "nonsense": 1}),
    ("content", {name: value for name, value in GOOD.items() if name != "content"}),
    ("content", {**GOOD, "content": None}),
    ("at", {**GOOD, "at": "yesterday"}),
    ("at", {**GOOD, "at": "2025-03-01T12:00:00"}),
    ("at", {**GOOD, "at": 5}),
    ("pinned", {**GOOD, "pinned": 1}),
    ("tags", {**GOOD, "tags": "x"}),
    ("tags", {**GOOD, "tags": [1]}),
    ("access_count", {**GOOD, "access_count": True}),
    ("importance", {**GOOD, "importance": "1"}),
    ("metadata", {**GOOD, "metadata": []}),
    ("memory_type", {**GOOD, "memory_type": 1}),
]


@pytest.mark.parametrize(("field", "data"), BAD_RECORDS, ids=lambda value: value if isinstance(value, str) else "")
def test_json_that_is_no_record_is_refused_by_field(field: str, data: Any) -> None:
    with pytest.raises(InvalidInput) as refused:
        record_from_json(data)
    assert refused.value.field == field


BATCH = Batch(
    deletes=(Ref(Kind.ENGRAM, "a"), Ref(Kind.CUE, "b")),
    unlinks=("l1", "l2"),
    weaken=(WeakenLink("l3", 0.25, "a"), WeakenLink("l4")),
    puts=(
        *(Put(record) for record in FULL),
        Put(engram("t"), ("two", "terms", "two"), if_absent=True, expect_version=3),
        Put(cue("c"), ()),
    ),
    patches=(
        Patch(
            Kind.ENGRAM,
            "a",
            {"archived_at": T0, "tags": ("x", "y"), "label": None, "memory_type": "episodic", "metadata": {"k": [1]}},
            {"importance": 0.1, "access_count": 2},
            {"importance": (0.0, 1.0)},
            7,
        ),
        Patch(Kind.CUE, "c", {"description": "d"}),
    ),
    links=(PutLink(FULL_LINK, "add"), PutLink(replace(FULL_LINK, id="m"))),
    release=(("index", "a"), ("promise", "b")),
    grants=(Grant("promise", "c", "me", 2.5),),
    meta={"key": "value", "gone": None},
)


def test_a_batch_survives_json() -> None:
    assert batch_from_json(through_json(batch_to_json(BATCH))) == BATCH


def test_token_vectors_of_a_batch_survive_json() -> None:
    rows = np.array([[1, -127, 3], [0, 0, 127]], np.int8)
    batch = Batch(
        vectors=(
            PutVector(Kind.ENGRAM, "a", np.ones(2, np.float32), tokens=rows),
            PutVector(Kind.ENGRAM, "b", np.ones(2, np.float32), tokens=rows[:0]),
        )
    )
    first, second = batch_from_json(through_json(batch_to_json(batch))).vectors
    assert first.tokens is not None
    assert (first.tokens.dtype, first.tokens.tolist()) == (np.int8, rows.tolist())
    assert second.tokens is not None
    assert second.tokens.shape == (0, 3)


def test_vectors_of_a_batch_survive_json_to_the_last_bit() -> None:
    numbers = np.array([0.1, -1e-38, 3.4e38, 0.0], np.float32)
    batch = Batch(
        vectors=(
            PutVector(Kind.ENGRAM, "a", numbers),
            PutVector(Kind.CUE, "b", None),
            PutVector(Kind.ENGRAM, "c", None, Space.HASHED),
        )
    )
    first, second, third = batch_from_json(through_json(batch_to_json(batch))).vectors
    assert (first.kind, first.id, first.vector.dtype) == (Kind.ENGRAM, "a", np.float32)  # type: ignore[union-attr]
    assert first.vector.tobytes() == numbers.tobytes()  # type: ignore[union-attr]
    assert second == PutVector(Kind.CUE, "b", None)
    assert third == PutVector(Kind.ENGRAM, "c", None, Space.HASHED)


def test_an_empty_batch_is_an_empty_object() -> None:
    assert batch_to_json(Batch()) == {}
    assert batch_from_json({}) == Batch()


BAD_BATCHES: list[tuple[str, Any]] = [
    ("batch", 5),
    ("nonsense", {"nonsense": []}),
    ("deletes", {"deletes": 5}),
    ("deletes", {"deletes": [["engram"]]}),
    ("deletes", {"deletes": [["engram", 5]]}),
    ("kind", {"deletes": [["poem", "a"]]}),
    ("unlinks", {"unlinks": "abc"}),
    ("unlinks", {"unlinks": [1]}),
    ("weaken", {"weaken": [{"id": "l", "for": 1}]}),
    ("puts", {"puts": [{}]}),
    ("content", {"puts": [{"record": {**GOOD, "content": 5}, "terms": None}]}),
    ("puts", {"puts": [{"record": GOOD, "terms": [1]}]}),
    ("patches", {"patches": [{"kind": "engram", "id": "a"}]}),
    ("vectors", {"vectors": [{"kind": "engram", "id": "a", "vector": "?"}]}),
    ("vectors", {"vectors": [{"kind": "engram", "id": "a", "vector": "AAA="}]}),
    ("merge", {"links": [{"link": link_to_json(FULL_LINK), "merge": "blend"}]}),
    ("release", {"release": [["a"]]}),
    ("meta", {"meta": []}),
    ("meta", {"meta": {"key": 5}}),
]


@pytest.mark.parametrize(("part", "data"), BAD_BATCHES, ids=lambda value: value if isinstance(value, str) else "")
def test_json_that_is_no_batch_is_refused_by_part(part: str, data: Any) -> None:
    with pytest.raises(InvalidInput) as refused:
        batch_from_json(data)
    assert refused.value.field == part


def test_a_batch_may_be_kept_in_a_change() -> None:
    change = replace(FULL[-1], inverse=batch_to_json(BATCH))  # type: ignore[call-arg]
    again = CODECS[Kind.CHANGE].decode(CODECS[Kind.CHANGE].encode(change))
    assert batch_from_json(again.inverse) == BATCH
    assert isinstance(BATCH.puts[0].record, Engram)
