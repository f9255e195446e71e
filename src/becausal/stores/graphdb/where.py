# SPDX-License-Identifier: Apache-2.0
"""Conditions, orders and cursors as Cypher: predicates over a node, and their values as parameters.

A record is a node with a property per field, named like it and holding its flat value; one that is null is
absent. A tuple field has its items in a further property, a list (``items_name``). Only names of the records'
own fields ever become part of a query's text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ...domain.records import Kind
from ...ports.store import Cursor, Op, Order, Where
from ..columns import Flat
from ..conditions import Checked, check_where, cursor_value, order_column

Param: TypeAlias = Flat | list[Flat]

_COMPARISONS: Mapping[Op, str] = {Op.EQ: "=", Op.LT: "<", Op.LE: "<=", Op.GT: ">", Op.GE: ">="}


def property_name(name: str) -> str:
    """Return the name of a field, quoted."""
    return f"`{name}`"


def items_name(name: str) -> str:
    """Return the name of the property that lists the items of a tuple field."""
    return f"{name}_items"


@dataclass(frozen=True, slots=True)
class Predicate:
    """Part of a query that stands after ``WHERE``: each condition as `` AND …``, and its parameters by name."""

    text: str = ""
    params: Mapping[str, Param] = field(default_factory=dict)


def compile_where(kind: Kind, where: Where, alias: str = "t", *, prefix: str = "w", lambdas: bool = True) -> Predicate:
    """Return conditions on the node ``alias``, a record of ``kind``.

    The parameters are called ``prefix`` and a number. Without ``lambdas``, ``any(item IN …)`` is not used, for
    a database that takes no parameter in it.

    Raises:
        InvalidInput: a field does not exist or cannot be compared with the value.
    """
    params: dict[str, Param] = {}
    parts = [f" AND {_condition(condition, alias, prefix, params, lambdas)}" for condition in check_where(kind, where)]
    return Predicate("".join(parts), params)


def _condition(condition: Checked, alias: str, prefix: str, params: dict[str, Param], lambdas: bool) -> str:
    def param(value: Param) -> str:
        name = f"{prefix}{len(params)}"
        params[name] = value
        return f"${name}"

    name = f"{alias}.{property_name(condition.column.name)}"
    values = condition.values
    match condition.op:
        case Op.NULL:
            return f"{name} IS {'' if values[0] else 'NOT '}NULL"
        case Op.IN | Op.HAS if not values:
            return "false"
        case Op.IN:
            return f"{name} IN {param(list(values))}"
        case Op.HAS:
            items = f"{alias}.{property_name(items_name(condition.column.name))}"
            if len(values) > 1 and lambdas:
                return f"any(item IN {items} WHERE item IN {param(list(values))})"
            return f"({' OR '.join(f'{param(value)} IN {items}' for value in values)})"
        case Op.NE:
            return f"({name} IS NULL OR {name} <> {param(values[0])})"
        case _:
            return f"{name} {_COMPARISONS[condition.op]} {param(values[0])}"


@dataclass(frozen=True, slots=True)
class Range:
    """A part of an ordered whole: what belongs to it, and the ``ORDER BY`` within it."""

    where: Predicate
    order_by: str


def pages(kind: Kind, order: Order, after: Cursor | None, alias: str = "t", *, prefix: str = "c") -> Sequence[Range]:
    """Return the ranges to read one after the other, each only if those before it were too short for the page.

    What is null and what is not are ranges of their own, since Cypher sorts null after every value, and so that
    each can be read off an index in order.

    Raises:
        InvalidInput: the order is by no field, or by one that cannot be ordered by, or the cursor does not fit it.
    """
    column = order_column(kind, order)
    name, id = f"{alias}.{property_name(column.name)}", f"{alias}.{property_name('id')}"
    way, beyond = ("DESC", "<") if order.descending else ("ASC", ">")
    by_id = f"ORDER BY {id} {way}"
    value_name, id_name = f"{prefix}_value", f"{prefix}_id"
    if column.name == "id":
        return [
            Range(Predicate(f" AND {id} {beyond} ${id_name}", {id_name: after.id}) if after else Predicate(), by_id)
        ]
    by_value = f"ORDER BY {name} {way}, {id} {way}"
    nulls = Range(Predicate(f" AND {name} IS NULL"), by_id)
    values = Range(Predicate(f" AND {name} IS NOT NULL"), by_value)
    if after is None:
        ranges = [values, nulls] if order.descending else [nulls, values]
        return ranges if column.nullable else [values]
    value = cursor_value(column, after)
    if value is None:
        rest = Range(Predicate(f"{nulls.where.text} AND {id} {beyond} ${id_name}", {id_name: after.id}), by_id)
        return [rest] if order.descending else [rest, values]
    # The first comparison says no more than the others, and is what an index can seek by.
    beyond_it = f" AND {name} {beyond}= ${value_name} AND ({name} {beyond} ${value_name} OR {id} {beyond} ${id_name})"
    rest = Range(Predicate(beyond_it, {value_name: value, id_name: after.id}), by_value)
    return [rest, nulls] if order.descending and column.nullable else [rest]
