# SPDX-License-Identifier: Apache-2.0
"""Records and batches as flat values and as JSON."""

from __future__ import annotations

import json
from dataclasses import fields
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from becausal.domain.records import KIND_OF, RECORD_TYPES, Kind, LinkKind, Record
from becausal.errors import InvalidInput, StoreCorrupt
from becausal.stores.codec import (
    CODECS,
    LINK_CODEC,
    link_from_json,
    link_to_json,
    record_from_json,
    record_to_json,
)
from becausal.stores.columns import Form
from contract.samples import FULL, T0, engram, link

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
