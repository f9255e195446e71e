# SPDX-License-Identifier: Apache-2.0
"""Finding records: conditions, orders and pages, over every store."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from becausal.domain.records import Engram, Kind, MemoryType
from becausal.errors import InvalidInput
from becausal.ports.batch import Batch, Patch, Ref
from becausal.ports.store import Condition, Cursor, GraphStore, Op, Order, Where
from contract.samples import HOUR, T0, cue, engram, passage, put

SOURCES = (None, "a", "b", "c", None)


@pytest.fixture
def engrams(store: GraphStore) -> list[Engram]:
    """Twenty engrams whose fields differ, repeat and are null in different rhythms."""
    records = [
        engram(
            f"id{(7 * i) % 20:02}",
            memory_type=list(MemoryType)[i % 3],
            importance=(i % 4) / 4,
            tags=tuple("xyz"[: i % 4]),
            source=SOURCES[i % 5],
            occurred_at=None if i % 3 else T0 + (i % 6) * HOUR,
            created_at=T0 + i * HOUR,
            access_count=i % 7 - 3,
            pinned=i % 2 == 0,
            archived_at=T0 if i % 4 == 3 else None,
            version=1,
        )
        for i in range(20)
    ]
    put(store, *records)
    return records


CONDITIONS: list[tuple[Condition, Callable[[Engram], bool]]] = [
    (Condition("id", Op.EQ, "id07"), lambda e: e.id == "id07"),
    (Condition("source", Op.EQ, "a"), lambda e: e.source == "a"),
    (Condition("source", Op.NE, "a"), lambda e: e.source != "a"),
    (Condition("source", Op.IN, ("a", "c", "nope")), lambda e: e.source in ("a", "c")),
    (Condition("source", Op.IN, ()), lambda e: False),
    (Condition("source", Op.LT, "b"), lambda e: e.source is not None and e.source < "b"),
    (Condition("source", Op.NULL, True), lambda e: e.source is None),
    (Condition("source", Op.NULL, False), lambda e: e.source is not None),
    (Condition("memory_type", Op.EQ, MemoryType.EPISODIC), lambda e: e.memory_type is MemoryType.EPISODIC),
    (Condition("memory_type", Op.NE, "semantic"), lambda e: e.memory_type is not MemoryType.SEMANTIC),
    (Condition("importance", Op.GE, 0.5), lambda e: e.importance >= 0.5),
    (Condition("importance", Op.GT, 0.5), lambda e: e.importance > 0.5),
    (Condition("importance", Op.LT, 1), lambda e: e.importance < 1),
    (Condition("importance", Op.IN, (0.25, 0.75)), lambda e: e.importance in (0.25, 0.75)),
    (Condition("access_count", Op.LE, -1), lambda e: e.access_count <= -1),
    (Condition("occurred_at", Op.LE, T0 + HOUR), lambda e: e.occurred_at is not None and e.occurred_at <= T0 + HOUR),
    (Condition("occurred_at", Op.NE, T0), lambda e: e.occurred_at != T0),
    (Condition("occurred_at", Op.NULL, True), lambda e: e.occurred_at is None),
    (Condition("created_at", Op.GT, T0 + timedelta(hours=4, microseconds=-1)), lambda e: e.created_at >= T0 + 4 * HOUR),
    (Condition("pinned", Op.EQ, True), lambda e: e.pinned),
    (Condition("pinned", Op.NE, True), lambda e: not e.pinned),
    (Condition("tags", Op.HAS, ("z",)), lambda e: "z" in e.tags),
    (Condition("tags", Op.HAS, ("y", "q")), lambda e: "y" in e.tags),
    (Condition("tags", Op.HAS, ()), lambda e: False),
    (Condition("archived_at", Op.NULL, True), lambda e: e.archived_at is None),
]  # fmt: skip


@pytest.mark.parametrize(("condition", "holds"), CONDITIONS, ids=lambda value: str(getattr(value, "op", "")))
def test_each_operator_finds_exactly_the_records_it_holds_for(
    store: GraphStore, engrams: list[Engram], condition: Condition, holds: Callable[[Engram], bool]
) -> None:
    expected = sorted((record for record in engrams if holds(record)), key=lambda record: record.id)
    page = store.find(Kind.ENGRAM, (condition,))
    assert (page.records, page.next) == (tuple(expected), None)


@pytest.mark.parametrize(("condition", "holds"), CONDITIONS, ids=lambda value: str(getattr(value, "op", "")))
def test_the_filter_comes_before_the_limit(
    store: GraphStore, engrams: list[Engram], condition: Condition, holds: Callable[[Engram], bool]
) -> None:
    newest = [record for record in reversed(engrams) if holds(record)]
    page = store.find(Kind.ENGRAM, (condition,), Order("created_at", descending=True), limit=2)
    assert list(page.records) == newest[:2]
    assert (page.next is None) == (len(newest) <= 2)


def test_all_conditions_must_hold(store: GraphStore, engrams: list[Engram]) -> None:
    where: Where = (
        Condition("created_at", Op.GE, T0 + 3 * HOUR),
        Condition("created_at", Op.LT, T0 + 15 * HOUR),
        Condition("tags", Op.HAS, ("x",)),
        Condition("pinned", Op.EQ, False),
    )
    expected = {e.id for e in engrams[3:15] if "x" in e.tags and not e.pinned}
    assert expected
    assert {record.id for record in store.find(Kind.ENGRAM, where).records} == expected


def test_has_follows_every_change_of_the_field(store: GraphStore) -> None:
    def tagged(tag: str) -> list[str]:
        return [record.id for record in store.find(Kind.ENGRAM, (Condition("tags", Op.HAS, (tag,)),)).records]

    put(store, engram("a", tags=("one",)), engram("b", tags=("one",)))
    put(store, engram("a", tags=("two", "two")))
    store.write(Batch(patches=(Patch(Kind.ENGRAM, "b", {"tags": ("three",)}),)))
    assert (tagged("one"), tagged("two"), tagged("three")) == ([], ["a"], ["b"])
    store.write(Batch(deletes=(Ref(Kind.ENGRAM, "a"),)))
    assert tagged("two") == []


ORDERS = [
    Order(field, descending)
    for field in ("id", "source", "occurred_at", "created_at", "importance", "access_count", "memory_type", "pinned")
    for descending in (False, True)
]


def in_order(records: list[Engram], order: Order) -> list[Engram]:
    def key(record: Engram) -> tuple[bool, Any, str]:
        value = getattr(record, order.field)
        return (value is not None, value or 0 if value is None else value, record.id)

    return sorted(records, key=key, reverse=order.descending)


@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_an_order_puts_null_first_and_equal_values_by_id(
    store: GraphStore, engrams: list[Engram], order: Order
) -> None:
    assert list(store.find(Kind.ENGRAM, order=order).records) == in_order(engrams, order)


@pytest.mark.parametrize("limit", [1, 3, 7])
@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_pages_give_every_record_once_and_in_order(
    store: GraphStore, engrams: list[Engram], order: Order, limit: int
) -> None:
    where = (Condition("archived_at", Op.NULL, True),)
    found: list[Any] = []
    after: Cursor | None = None
    for _ in range(30):
        page = store.find(Kind.ENGRAM, where, order, limit, after)
        assert 1 <= len(page.records) <= limit
        found += page.records
        if (after := page.next) is None:
            break
    assert found == in_order([record for record in engrams if record.archived_at is None], order)


def test_a_page_is_not_disturbed_by_records_that_come_or_go_before_it(store: GraphStore) -> None:
    put(store, *(cue(f"c{i}") for i in range(1, 7)))
    first = store.find(Kind.CUE, limit=3)
    put(store, cue("c0"))
    store.write(Batch(deletes=(Ref(Kind.CUE, "c3"),)))
    second = store.find(Kind.CUE, limit=3, after=first.next)
    assert [record.id for record in second.records] == ["c4", "c5", "c6"]
    assert second.next is None


def test_a_page_that_ends_with_the_last_record_has_no_next(store: GraphStore) -> None:
    put(store, cue("a"), cue("b"))
    assert store.find(Kind.CUE, limit=2).next is None
    assert store.find(Kind.CUE, limit=1).next == Cursor("a", "a")


def test_kinds_are_searched_apart(store: GraphStore) -> None:
    put(store, engram("a"), cue("b"))
    assert [record.id for record in store.find(Kind.CUE).records] == ["b"]
    assert store.find(Kind.FACT).records == ()


BAD_CONDITIONS = [
    Condition("nonsense", Op.EQ, 1),
    Condition("id = id OR 1", Op.EQ, 1),
    Condition("importance", Op.EQ, "high"),
    Condition("importance", Op.LT, float("nan")),
    Condition("at", Op.GT, "2025-01-01"),
    Condition("memory_type", Op.EQ, "poetic"),
    Condition("source", Op.IN, "abc"),
    Condition("source", Op.NULL, "yes"),
    Condition("source", Op.EQ, None),  # type: ignore[arg-type]
    Condition("source", Op.HAS, ("a",)),
    Condition("tags", Op.EQ, "a"),
    Condition("tags", Op.HAS, "a"),
    Condition("tags", Op.HAS, (1,)),
    Condition("metadata", Op.IN, ("a",)),
]


@pytest.mark.parametrize("condition", BAD_CONDITIONS, ids=str)
def test_a_condition_that_makes_no_sense_is_refused_by_field(store: GraphStore, condition: Condition) -> None:
    with pytest.raises(InvalidInput) as refused:
        store.find(Kind.ENGRAM, (condition,))
    assert refused.value.field == condition.field


@pytest.mark.parametrize("field", ["nonsense", "tags", "metadata"])
def test_an_order_that_makes_no_sense_is_refused_by_field(store: GraphStore, field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        store.find(Kind.ENGRAM, order=Order(field))
    assert refused.value.field == field


def test_a_cursor_of_another_order_is_refused(store: GraphStore) -> None:
    for value in (None, "text"):
        with pytest.raises(InvalidInput):
            store.find(Kind.ENGRAM, order=Order("importance"), after=Cursor(value, "a"))


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_is_refused(store: GraphStore, limit: int) -> None:
    with pytest.raises(InvalidInput, match="limit"):
        store.find(Kind.ENGRAM, limit=limit)


def test_more_values_than_a_statement_can_take_are_refused(store: GraphStore) -> None:
    put(store, cue("c12345"))
    many = tuple(f"c{i}" for i in range(15_000))
    assert len(store.find(Kind.CUE, (Condition("name", Op.IN, many),)).records) == 1
    with pytest.raises(InvalidInput, match="where"):
        store.find(Kind.CUE, (Condition("name", Op.IN, many), Condition("id", Op.IN, many)))


# --- which of some pass -------------------------------------------------------------------------


def test_of_some_records_those_pass_that_exist_and_match(store: GraphStore, engrams: list[Engram]) -> None:
    live: Where = (Condition("archived_at", Op.NULL, True), Condition("tags", Op.HAS, ("x",)))
    asked = ["id00", "id07", "id14", "id01", "nobody", "id00"]
    expected = {e.id for e in engrams if e.id in asked and e.archived_at is None and "x" in e.tags}
    assert expected  # some pass
    assert expected < set(asked) - {"nobody"}  # and some do not
    assert store.passing(Kind.ENGRAM, asked, live) == expected
    assert store.passing(Kind.ENGRAM, asked, ()) == set(asked) - {"nobody"}
    assert store.passing(Kind.ENGRAM, [], live) == frozenset()


def test_passages_pass_by_their_engram(store: GraphStore) -> None:
    put(store, engram("old", archived_at=T0), engram("new"), passage("p1", "old"), passage("p2", "new"))
    live: Where = (Condition("archived_at", Op.NULL, True),)
    assert store.passing(Kind.PASSAGE, ["p1", "p2", "new"], live) == {"p2"}


def test_as_many_as_two_thousand_records_pass_at_once(store: GraphStore) -> None:
    put(store, *(engram(f"e{i}") for i in range(2000)))
    assert len(store.passing(Kind.ENGRAM, [f"e{i}" for i in range(2000)], ())) == 2000
