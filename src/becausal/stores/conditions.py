# SPDX-License-Identifier: Apache-2.0
"""Conditions, orders and cursors, checked against the records' fields: the same refusals in every backend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, assert_never

from ..domain.records import Kind
from ..errors import InvalidInput
from ..ports.store import Condition, Cursor, Op, Order, Where
from .codec import CODECS
from .columns import Column, Flat, Form

MOST_VALUES = 16_000
"""Values that all conditions of a question may hold together: SQLite takes 32,766, and lists are filled up there."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A condition that can be asked. ``values`` are flat, exactly one but for the operators ``in`` and ``has``.

    With the operator ``null`` it is 1 for null and 0 for not null.
    """

    column: Column
    op: Op
    values: tuple[Flat, ...]


def check_where(kind: Kind, where: Where) -> tuple[Checked, ...]:
    """Return the conditions on a record of ``kind``, checked.

    Raises:
        InvalidInput: a field does not exist or cannot be compared with the value, or there are too many values.
    """
    checked = tuple(_checked(kind, condition) for condition in where)
    if sum(len(each.values) for each in checked if each.op is not Op.NULL) > MOST_VALUES:
        raise InvalidInput("where", f"must not hold more than {MOST_VALUES} values")
    return checked


def matches_nothing(where: Where) -> bool:
    """Say whether a condition asks for one of no values, so that there is nothing to look for."""
    return any(each.op in (Op.IN, Op.HAS) and each.value == () for each in where)


def _checked(kind: Kind, condition: Condition) -> Checked:
    column = CODECS[kind].column(condition.field)
    value = condition.value
    match condition.op:
        case Op.NULL:
            if not isinstance(value, bool):
                raise InvalidInput(column.name, "is compared with null: say true or false")
            return Checked(column, Op.NULL, (int(value),))
        case Op.IN:
            items = _many(column, value)
            _must_compare(column)
            return Checked(column, Op.IN, tuple(_encoded(column, item) for item in items))
        case Op.HAS:
            if column.form is not Form.TUPLE:
                raise InvalidInput(column.name, "holds one value: only a tuple field can have one among others")
            items = _many(column, value)
            if not all(isinstance(item, str) for item in items):
                raise InvalidInput(column.name, "holds text only")
            return Checked(column, Op.HAS, items)
        case Op.EQ | Op.NE | Op.LT | Op.LE | Op.GT | Op.GE:
            _must_compare(column)
            return Checked(column, condition.op, (_encoded(column, value),))
        case _:
            assert_never(condition.op)


def _many(column: Column, value: object) -> tuple[Any, ...]:
    if not isinstance(value, tuple):
        raise InvalidInput(column.name, "is compared with several values: give a tuple")
    return value


def _must_compare(column: Column) -> None:
    if column.form in (Form.TUPLE, Form.MAPPING):
        raise InvalidInput(column.name, f"is {column.form.value}, which cannot be compared or ordered")


def _encoded(column: Column, value: object) -> Flat:
    if value is None:
        raise InvalidInput(column.name, "must be compared with a value; ask for null with the operator null")
    return column.encode(value)


def order_column(kind: Kind, order: Order) -> Column:
    """Return the field that records are ordered by.

    Raises:
        InvalidInput: it does not exist or cannot be ordered by.
    """
    column = CODECS[kind].column(order.field)
    _must_compare(column)
    return column


def cursor_value(column: Column, after: Cursor) -> Flat:
    """Return the flat value at which a page ended.

    Raises:
        InvalidInput: the cursor does not fit the order.
    """
    if after.value is not None:
        return column.encode(after.value)
    if not column.nullable:
        raise InvalidInput("after", f"does not belong to an order by {column.name}, which is never null")
    return None
