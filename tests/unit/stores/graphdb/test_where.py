# SPDX-License-Identifier: Apache-2.0
"""Conditions, orders and cursors become Cypher with every value as a parameter."""

from __future__ import annotations

import pytest

from becausal.domain.records import Kind
from becausal.errors import InvalidInput
from becausal.ports.store import Condition, Cursor, Op, Order
from becausal.stores.graphdb.where import Predicate, compile_where, pages


def test_no_condition_is_an_empty_predicate() -> None:
    assert compile_where(Kind.ENGRAM, ()) == Predicate("", {})


def test_each_condition_follows_an_and_and_numbers_its_parameters() -> None:
    where = (Condition("importance", Op.GE, 0.5), Condition("label", Op.NE, "x' OR 1=1"))

    assert compile_where(Kind.ENGRAM, where, "n", prefix="p") == Predicate(
        " AND n.`importance` >= $p0 AND (n.`label` IS NULL OR n.`label` <> $p1)", {"p0": 0.5, "p1": "x' OR 1=1"}
    )


@pytest.mark.parametrize(("asked", "text"), [(True, "IS NULL"), (False, "IS NOT NULL")])
def test_null_is_asked_for_without_a_value(asked: bool, text: str) -> None:
    assert compile_where(Kind.ENGRAM, (Condition("label", Op.NULL, asked),)) == Predicate(f" AND t.`label` {text}", {})


@pytest.mark.parametrize(("field", "op"), [("id", Op.IN), ("tags", Op.HAS)])
def test_one_of_no_values_is_false(field: str, op: Op) -> None:
    assert compile_where(Kind.ENGRAM, (Condition(field, op, ()),)) == Predicate(" AND false", {})


def test_items_of_a_tuple_field_are_looked_for_in_their_list() -> None:
    def of(*tags: str, lambdas: bool = True) -> Predicate:
        return compile_where(Kind.ENGRAM, (Condition("tags", Op.HAS, tags),), lambdas=lambdas)

    assert of("a") == Predicate(" AND ($w0 IN t.`tags_items`)", {"w0": "a"})
    assert of("a", "b") == Predicate(" AND any(item IN t.`tags_items` WHERE item IN $w0)", {"w0": ["a", "b"]})
    assert of("a", "b", lambdas=False) == Predicate(
        " AND ($w0 IN t.`tags_items` OR $w1 IN t.`tags_items`)", {"w0": "a", "w1": "b"}
    )


@pytest.mark.parametrize(
    "condition",
    [
        Condition("colour", Op.EQ, "red"),
        Condition("id` RETURN 1 //", Op.EQ, "red"),
        Condition("importance", Op.HAS, ("a",)),
        Condition("tags", Op.EQ, "a"),
        Condition("label", Op.IN, "a"),
        Condition("label", Op.NULL, "yes"),
        Condition("id", Op.IN, tuple(map(str, range(20_000)))),
    ],
)
def test_what_cannot_be_asked_is_refused(condition: Condition) -> None:
    with pytest.raises(InvalidInput):
        compile_where(Kind.ENGRAM, (condition,))


def test_null_and_the_values_are_read_as_two_ranges_null_first() -> None:
    nulls, values = pages(Kind.ENGRAM, Order("indexed_at"), None)

    assert (nulls.where.text, nulls.order_by) == (" AND t.`indexed_at` IS NULL", "ORDER BY t.`id` ASC")
    assert values.where.text == " AND t.`indexed_at` IS NOT NULL"
    assert values.order_by == "ORDER BY t.`indexed_at` ASC, t.`id` ASC"
    assert pages(Kind.ENGRAM, Order("indexed_at", descending=True), None)[1].where == nulls.where


def test_a_field_that_is_never_null_is_one_range() -> None:
    (whole,) = pages(Kind.ENGRAM, Order("importance"), None)
    (by_id,) = pages(Kind.ENGRAM, Order(descending=True), None)

    assert whole.where.text == " AND t.`importance` IS NOT NULL"
    assert (by_id.where, by_id.order_by) == (Predicate(), "ORDER BY t.`id` DESC")


def test_what_follows_a_cursor_begins_at_its_value() -> None:
    (rest,) = pages(Kind.ENGRAM, Order("importance"), Cursor(0.5, "e1"))

    assert rest.where == Predicate(
        " AND t.`importance` >= $c_value AND (t.`importance` > $c_value OR t.`id` > $c_id)",
        {"c_value": 0.5, "c_id": "e1"},
    )


def test_after_a_null_come_the_other_nulls_and_then_the_values_or_nothing() -> None:
    ascending = pages(Kind.ENGRAM, Order("label"), Cursor(None, "e1"))
    descending = pages(Kind.ENGRAM, Order("label", descending=True), Cursor(None, "e1"))

    assert [part.where.text for part in ascending] == [
        " AND t.`label` IS NULL AND t.`id` > $c_id",
        " AND t.`label` IS NOT NULL",
    ]
    assert [part.where.text for part in descending] == [" AND t.`label` IS NULL AND t.`id` < $c_id"]


@pytest.mark.parametrize(
    ("order", "after"),
    [
        (Order("tags"), None),
        (Order("colour"), None),
        (Order("importance"), Cursor(None, "e1")),
        (Order("importance"), Cursor("much", "e1")),
    ],
)
def test_an_order_or_cursor_that_does_not_fit_is_refused(order: Order, after: Cursor | None) -> None:
    with pytest.raises(InvalidInput):
        pages(Kind.ENGRAM, order, after)
