# SPDX-License-Identifier: Apache-2.0
"""Putting, patching and getting records, over every store."""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from becausal.domain.records import KIND_OF, Change, Engram, Kind, MemoryType, Record
from becausal.errors import Conflict, InvalidInput
from becausal.ports.batch import Batch, Patch, Put, Ref
from becausal.ports.store import Condition, GraphStore, Op
from contract.samples import FULL, T0, cue, engram, entity, put


@pytest.mark.parametrize("record", FULL, ids=lambda record: type(record).__name__)
def test_what_is_put_is_what_is_got_in_every_field(store: GraphStore, record: Record) -> None:
    put(store, record)
    kind = KIND_OF[type(record)]
    assert store.get(kind, [record.id]) == {record.id: replace(record, version=1)}


def test_a_change_holds_its_inverse_as_data(store: GraphStore) -> None:
    put(store, *FULL)
    (change,) = store.get(Kind.CHANGE, ["h"]).values()
    assert isinstance(change, Change)
    assert change.inverse == {"deletes": [["engram", "e"]]}


def test_a_time_comes_back_in_utc_whatever_zone_it_was_told_in(store: GraphStore) -> None:
    put(store, engram("a", at=datetime(2025, 1, 1, 12, tzinfo=timezone(timedelta(hours=5, minutes=30)))))
    (record,) = store.get(Kind.ENGRAM, ["a"]).values()
    assert isinstance(record, Engram)
    assert (record.at, record.at.tzinfo) == (datetime(2025, 1, 1, 6, 30, tzinfo=UTC), UTC)


def test_get_leaves_out_ids_that_no_record_of_the_kind_has(store: GraphStore) -> None:
    put(store, engram("a"), cue("c"))
    assert list(store.get(Kind.ENGRAM, ["a", "b", "c", "a"])) == ["a"]
    assert store.get(Kind.ENGRAM, []) == {}


@pytest.mark.parametrize("record", FULL, ids=lambda record: type(record).__name__)
def test_a_peek_gives_each_field_as_get_does(store: GraphStore, record: Record) -> None:
    put(store, record)
    kind = KIND_OF[type(record)]
    fields = [field.name for field in dataclasses.fields(record)][::-1]
    (got,) = store.get(kind, [record.id]).values()
    assert store.peek(kind, [record.id], fields) == {record.id: tuple(getattr(got, name) for name in fields)}


def test_a_peek_gives_none_for_what_is_not_known_and_leaves_out_strangers(store: GraphStore) -> None:
    put(store, engram("a"), engram("b", source="s", occurred_at=T0), cue("c"))
    assert store.peek(Kind.ENGRAM, ["a", "b", "c", "nobody"], ["source", "occurred_at"]) == {
        "a": (None, None),
        "b": ("s", T0),
    }
    assert store.peek(Kind.ENGRAM, [], ["source"]) == {}
    assert store.peek(Kind.ENGRAM, ["a"], []) == {"a": ()}


def test_a_peek_at_a_field_that_does_not_exist_is_refused(store: GraphStore) -> None:
    with pytest.raises(InvalidInput, match="colour"):
        store.peek(Kind.ENGRAM, ["a"], ["colour"])


def test_get_takes_more_ids_than_one_statement_holds(store: GraphStore) -> None:
    ids = [f"id{i}" for i in range(1500)]
    put(store, *(cue(id) for id in ids))
    assert store.get(Kind.CUE, ids).keys() == set(ids)


def test_the_version_rises_by_one_with_every_put_and_patch(store: GraphStore) -> None:
    put(store, engram("a", version=41))
    assert store.get(Kind.ENGRAM, ["a"])["a"].version == 1
    put(store, engram("a"))
    store.write(Batch(patches=(Patch(Kind.ENGRAM, "a", {"summary": "new"}),)))
    assert store.get(Kind.ENGRAM, ["a"])["a"].version == 3


def test_written_names_what_did_not_exist_before(store: GraphStore) -> None:
    put(store, engram("old"))
    written = store.write(Batch(puts=(Put(engram("old")), Put(engram("new")), Put(cue("c"), if_absent=True))))
    assert written.created == {"new", "c"}


def test_if_absent_leaves_an_existing_record_untouched_with_its_terms(store: GraphStore) -> None:
    store.write(Batch(puts=(Put(cue("c", description="first"), ("first",)),)))
    written = store.write(Batch(puts=(Put(cue("c", description="second"), ("second",), if_absent=True),)))
    assert written.created == frozenset()
    assert store.get(Kind.CUE, ["c"])["c"] == cue("c", description="first", version=1)
    assert [hit.id for hit in store.text_search(Kind.CUE, ["first"], 5).hits] == ["c"]
    assert store.text_search(Kind.CUE, ["second"], 5).hits == ()


def test_puts_of_one_id_in_one_batch_follow_each_other(store: GraphStore) -> None:
    store.write(Batch(puts=(Put(cue("c", description="1")), Put(cue("c", description="2"), expect_version=1))))
    assert store.get(Kind.CUE, ["c"])["c"] == cue("c", description="2", version=2)


def test_a_record_that_comes_from_another_store_may_keep_its_version(store: GraphStore) -> None:
    for version, kept in ((7, 7), (0, 1), (3, 3)):
        store.write(Batch(puts=(Put(engram("a", version=version), keep_version=True),)))
        assert store.get(Kind.ENGRAM, ["a"])["a"].version == kept
    put(store, engram("a"))
    assert store.get(Kind.ENGRAM, ["a"])["a"].version == 4


@pytest.mark.parametrize("expected", [0, 1, 3])
def test_a_put_that_expects_another_version_is_a_conflict(store: GraphStore, expected: int) -> None:
    put(store, engram("a"))
    put(store, engram("a"))
    with pytest.raises(Conflict, match="a"):
        store.write(Batch(puts=(Put(engram("a", summary="lost"), expect_version=expected),)))
    assert store.get(Kind.ENGRAM, ["a"])["a"] == engram("a", version=2)


def test_a_put_that_expects_the_right_version_is_made(store: GraphStore) -> None:
    store.write(Batch(puts=(Put(engram("a"), expect_version=0),)))
    store.write(Batch(puts=(Put(engram("a"), expect_version=1),)))
    assert store.get(Kind.ENGRAM, ["a"])["a"].version == 2


def test_two_engrams_cannot_have_one_content_hash(store: GraphStore) -> None:
    put(store, engram("a", content_hash="h"), engram("none1"), engram("none2"))
    with pytest.raises(Conflict, match="content_hash"):
        put(store, engram("b", content_hash="h"))
    with pytest.raises(Conflict, match="content_hash"):
        store.write(Batch(patches=(Patch(Kind.ENGRAM, "none1", {"content_hash": "h"}),)))
    assert store.get(Kind.ENGRAM, ["b"]) == {}


def test_a_content_hash_is_free_again_once_its_engram_is_gone(store: GraphStore) -> None:
    put(store, engram("a", content_hash="h"))
    store.write(Batch(deletes=(Ref(Kind.ENGRAM, "a"),), puts=(Put(engram("b", content_hash="h")),)))
    assert store.find(Kind.ENGRAM, (Condition("content_hash", Op.EQ, "h"),)).records[0].id == "b"


# --- patches ------------------------------------------------------------------------------------


def test_a_patch_changes_the_named_fields_and_no_other(store: GraphStore) -> None:
    put(store, FULL[0])
    changes = {"summary": "new", "label": None, "tags": ("z",), "metadata": {"a": [1]}, "archived_at": None}
    store.write(Batch(patches=(Patch(Kind.ENGRAM, "e", changes),)))
    assert store.get(Kind.ENGRAM, ["e"])["e"] == replace(FULL[0], version=2, **changes)  # type: ignore[arg-type]


def test_a_patched_enum_may_be_given_as_text(store: GraphStore) -> None:
    put(store, engram("a"))
    store.write(Batch(patches=(Patch(Kind.ENGRAM, "a", {"memory_type": "episodic"}),)))
    assert store.get(Kind.ENGRAM, ["a"])["a"] == engram("a", memory_type=MemoryType.EPISODIC, version=2)


def test_increments_add_up_and_stay_within_their_bounds(store: GraphStore) -> None:
    put(store, engram("a", importance=0.5, access_count=3), engram("b", importance=0.125))
    bounds = {"importance": (0.0, 1.0)}
    raise_both = Patch(Kind.ENGRAM, "a", increment={"access_count": 2, "importance": 0.75}, clamp=bounds)
    lower = Patch(Kind.ENGRAM, "b", increment={"importance": -0.5}, clamp=bounds)
    store.write(Batch(patches=(raise_both, lower, Patch(Kind.ENGRAM, "b", increment={"access_count": 1.0}))))
    assert store.get(Kind.ENGRAM, ["a", "b"]) == {
        "a": engram("a", importance=1.0, access_count=5, version=2),
        "b": engram("b", importance=0.0, access_count=1, version=3),
    }


def test_a_patch_of_a_record_that_does_not_exist_is_passed_over(store: GraphStore) -> None:
    assert store.write(Batch(patches=(Patch(Kind.ENGRAM, "nobody", {"summary": "x"}),))).created == frozenset()
    assert store.count()["engram"] == 0


@pytest.mark.parametrize("id", ["a", "nobody"])
def test_a_patch_that_expects_another_version_is_a_conflict(store: GraphStore, id: str) -> None:
    put(store, engram("a"))
    with pytest.raises(Conflict, match=id):
        store.write(Batch(patches=(Patch(Kind.ENGRAM, id, {"summary": "x"}, expect_version=2),)))
    assert store.get(Kind.ENGRAM, ["a"])["a"] == engram("a", version=1)


def test_a_patch_that_expects_the_right_version_is_made(store: GraphStore) -> None:
    put(store, engram("a"))
    store.write(Batch(patches=(Patch(Kind.ENGRAM, "a", {"summary": "x"}, expect_version=1),)))
    assert store.get(Kind.ENGRAM, ["a"])["a"] == engram("a", summary="x", version=2)


BAD_PATCHES: list[tuple[str, dict[str, Any]]] = [
    ("nonsense", {"set": {"nonsense": 1}}),
    ("summary; DROP TABLE engram", {"set": {"summary; DROP TABLE engram": "x"}}),
    ("id", {"set": {"id": "b"}}),
    ("version", {"set": {"version": 9}}),
    ("summary", {"set": {"summary": None}}),
    ("summary", {"set": {"summary": 5}}),
    ("pinned", {"set": {"pinned": 1}}),
    ("memory_type", {"set": {"memory_type": "poetic"}}),
    ("importance", {"set": {"importance": float("nan")}}),
    ("importance", {"set": {"importance": True}}),
    ("at", {"set": {"at": datetime(2025, 1, 1)}}),
    ("tags", {"set": {"tags": ["a"]}}),
    ("metadata", {"set": {"metadata": {"x": float("inf")}}}),
    ("metadata", {"set": {"metadata": {"x": object()}}}),
    ("access_count", {"set": {"access_count": 2**63}}),
    ("importance", {"increment": {"importance": float("inf")}}),
    ("access_count", {"increment": {"access_count": 0.5}}),
    ("summary", {"increment": {"summary": 1}}),
    ("version", {"increment": {"version": 1}}),
    ("importance", {"set": {"importance": 0.1}, "increment": {"importance": 0.1}}),
    ("importance", {"increment": {"importance": 0.1}, "clamp": {"importance": (0.0, float("nan"))}}),
    ("importance", {"clamp": {"importance": (0.0, 1.0)}}),
]


@pytest.mark.parametrize(("field", "changes"), BAD_PATCHES, ids=lambda value: value if isinstance(value, str) else "")
def test_a_patch_that_cannot_be_made_names_the_field_and_changes_nothing(
    store: GraphStore, field: str, changes: dict[str, Any]
) -> None:
    put(store, engram("a"))
    with pytest.raises(InvalidInput) as refused:
        store.write(Batch(patches=(Patch(Kind.ENGRAM, "a", {"label": "seen"}), Patch(Kind.ENGRAM, "a", **changes))))
    assert refused.value.field == field
    assert store.get(Kind.ENGRAM, ["a"])["a"] == engram("a", version=1)


@pytest.mark.parametrize("fields", [{"importance": float("nan")}, {"at": datetime(2025, 1, 1)}, {"access_count": "1"}])
def test_a_record_that_cannot_be_stored_is_refused(store: GraphStore, fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as refused:
        put(store, engram("good"), engram("bad", **fields))
    assert refused.value.field in fields
    assert store.count()["engram"] == 0


def test_half_a_surrogate_pair_is_refused_as_input(store: GraphStore) -> None:
    with pytest.raises(InvalidInput, match="Unicode"):
        put(store, engram("a", content="broken \ud83e emoji"))
    with pytest.raises(InvalidInput, match="Unicode"):
        store.get(Kind.ENGRAM, ["\ud83e"])


HOSTILE = [
    "' OR 1=1 --",
    '"; DROP TABLE engram; --',
    "a\0b",
    "%",
    "_",
    "*",
    "\\",
    "{{x}}",
    "$1",
    "日本語",
    "🦉",
    " ",
    "A",
    "a",
]


def test_hostile_values_are_only_values(store: GraphStore) -> None:
    records = [
        engram(f"id{text}", content=text, label=text, source=text, session=text, tags=(text,), content_hash=text)
        for text in HOSTILE
    ]
    put(store, *records, *(entity(f"entity{text}", name=text, aliases=(text,)) for text in HOSTILE))
    for text, record in zip(HOSTILE, records, strict=True):
        expected = (replace(record, version=1),)
        assert store.get(Kind.ENGRAM, [f"id{text}"]) == {record.id: expected[0]}
        for field in ("content", "label", "source", "session", "content_hash"):
            assert store.find(Kind.ENGRAM, (Condition(field, Op.EQ, text),)).records == expected
        assert store.find(Kind.ENGRAM, (Condition("tags", Op.HAS, (text,)),)).records == expected
        assert len(store.find(Kind.ENTITY, (Condition("aliases", Op.HAS, (text,)),)).records) == 1


def test_a_megabyte_of_text_is_kept_whole(store: GraphStore) -> None:
    put(store, engram("a", content="schön " * 175_000, at=T0))
    (record,) = store.get(Kind.ENGRAM, ["a"]).values()
    assert isinstance(record, Engram)
    assert record.content == "schön " * 175_000
