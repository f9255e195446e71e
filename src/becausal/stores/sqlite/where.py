# SPDX-License-Identifier: Apache-2.0
"""Conditions, orders and cursors as SQL."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence

from ...domain.records import Kind
from ...ports.store import Condition, Cursor, Op, Order, Where
from ..columns import Flat
from ..conditions import Checked, check_where, cursor_value, order_column
from .sql import chunks, in_list, quoted

_COMPARISONS: Mapping[Op, str] = {
    Op.EQ: "=",
    Op.NE: "IS NOT",
    Op.LT: "<",
    Op.LE: "<=",
    Op.GT: ">",
    Op.GE: ">=",
}

_UNARCHIVED = Condition("archived_at", Op.NULL, True)


def compile_where(kind: Kind, where: Where, alias: str, known_row: bool = False) -> tuple[str, list[Flat]]:
    """Return conditions on a record of ``kind`` in the table ``alias`` as ``AND …`` and its parameters.

    ``known_row``: the query leads to the record by its id, and only tests it.

    Raises:
        InvalidInput: a field does not exist or cannot be compared with the value.
    """
    parts: list[str] = []
    params: list[Flat] = []
    for condition in check_where(kind, where):
        sql, values = _condition(kind, condition, alias, known_row)
        parts.append(f" AND {sql}")
        params += values
    return "".join(parts), params


def any_archived(db: sqlite3.Connection) -> bool:
    """Say whether any engram is archived."""
    return db.execute("SELECT 1 FROM engram WHERE archived_at IS NOT NULL LIMIT 1").fetchone() is not None


def needed(kind: Kind, where: Where, archived: Callable[[], bool]) -> Where:
    """Return those of a search's conditions that may leave something out: as a rule nothing is ``archived``.

    Passages are filtered by the engram they belong to.
    """
    if kind not in (Kind.ENGRAM, Kind.PASSAGE) or _UNARCHIVED not in where or archived():
        return where
    return tuple([condition for condition in where if condition != _UNARCHIVED])


def matching_ids(
    db: sqlite3.Connection, kind: Kind, where: Where, limit: int = -1, among: Sequence[str] | None = None
) -> list[str]:
    """Return ids of records that match: up to ``limit`` of all, or those ``among`` some.

    For passages the conditions are about the engram they belong to.
    """
    of, source, id = kind, f"{quoted(kind.value)} AS t", "t.id"
    if kind is Kind.PASSAGE:
        of, source, id = Kind.ENGRAM, "passage AS r JOIN engram AS t ON t.id = r.engram_id", "r.id"
    elif among is not None:
        # An index of a condition may look better to SQLite than the ids, and lead to very many rows.
        source += f" INDEXED BY {quoted(f'sqlite_autoindex_{kind.value}_1')}"
    condition, params = compile_where(of, where, "t", known_row=among is not None)
    if among is None:
        rows = db.execute(f"SELECT {id} FROM {source} WHERE 1{condition} LIMIT ?", [*params, limit])
        return [found for (found,) in rows]
    ids: list[str] = []
    for chunk in chunks(among):
        marks, chosen = in_list(chunk)
        rows = db.execute(f"SELECT {id} FROM {source} WHERE {id} IN {marks}{condition}", [*chosen, *params])
        ids += [found for (found,) in rows]
    return ids


def _condition(kind: Kind, condition: Checked, alias: str, known_row: bool) -> tuple[str, list[Flat]]:
    name = f"{alias}.{quoted(condition.column.name)}"
    match condition.op:
        case Op.NULL:
            return f"{name} IS {'' if condition.values[0] else 'NOT '}NULL", []
        case Op.IN | Op.HAS if not condition.values:
            return "0", []
        case Op.IN:
            marks, values = in_list(condition.values)
            return f"{name} IN {marks}", values
        case Op.HAS:
            marks, values = in_list(condition.values)
            found = f"SELECT id FROM member WHERE kind = ? AND field = ? AND value IN {marks}"
            sql = f"EXISTS ({found} AND id = {alias}.id)" if known_row else f"{alias}.id IN ({found})"
            return sql, [kind.value, condition.column.name, *values]
        case _:
            return f"{name} {_COMPARISONS[condition.op]} ?", [*condition.values]


def order_by(kind: Kind, order: Order) -> str:
    """Return the ORDER BY clause for the table ``t``.

    Raises:
        InvalidInput: the field does not exist or cannot be ordered by.
    """
    column = order_column(kind, order)
    direction = "DESC" if order.descending else "ASC"
    if column.name == "id":
        return f"ORDER BY t.id {direction}"
    return f"ORDER BY t.{quoted(column.name)} {direction}, t.id {direction}"


def pages(kind: Kind, order: Order, after: Cursor | None) -> list[tuple[str, list[Flat]]]:
    """Return the conditions of what follows a cursor, as ranges to read one after the other.

    There are two of them where one would keep SQLite from seeking in the index: null sorts before every
    value, but is not less than any.

    Raises:
        InvalidInput: the cursor does not fit the order.
    """
    if after is None:
        return [("", [])]
    column = order_column(kind, order)
    name = f"t.{quoted(column.name)}"
    beyond = "<" if order.descending else ">"
    if column.name == "id":
        return [(f" AND t.id {beyond} ?", [after.id])]
    value = cursor_value(column, after)
    if value is None:
        rest = [] if order.descending else [(f" AND {name} IS NOT NULL", list[Flat]())]
        return [(f" AND {name} IS NULL AND t.id {beyond} ?", [after.id]), *rest]
    rest = [(f" AND {name} IS NULL", [])] if order.descending and column.nullable else []
    return [(f" AND ({name}, t.id) {beyond} (?, ?)", [value, after.id]), *rest]
