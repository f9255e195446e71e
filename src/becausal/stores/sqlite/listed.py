# SPDX-License-Identifier: Apache-2.0
"""The table of list items, by which records are found by one of their tags or names, against the records' own lists."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from ...domain.records import Kind
from .damage import LINK, TABLES
from .sql import quoted

_WHOLE = "instr({}, '\\u0000') = 0"
"""SQLite's JSON functions end a text at its first NUL: lists with one are left alone."""


def list_items() -> Iterator[tuple[str, str, str]]:
    """Yield table, field, and the query that gives ``id`` and ``value`` of each item in the lists of that field."""
    for table, codec in TABLES.items():
        for column in codec.columns:
            if table != LINK and column.form.name == "TUPLE":
                items = f"t.{quoted(column.name)}"
                yield (
                    table,
                    column.name,
                    f"SELECT DISTINCT t.id AS id, item.value AS value FROM {quoted(table)} AS t, "
                    f"json_each(iif(json_valid({items}), {items}, '[]')) AS item "
                    f"WHERE item.type = 'text' AND {_WHOLE.format(items)}",
                )


def wrong_list_items(db: sqlite3.Connection, kind: Kind) -> Iterator[str]:
    """Say how many items of records' lists the table lacks, and how many it has that are in no list of theirs."""
    for table, field, items in list_items():
        if table != kind.value:
            continue
        mine = "SELECT id, value FROM member WHERE kind = ? AND field = ?"
        real = f"SELECT id FROM {quoted(table)} WHERE {_WHOLE.format(quoted(field))}"
        for what, sql in (
            ("are missing", f"{items} EXCEPT {mine}"),
            ("are in no list", f"{mine} AND id IN ({real}) EXCEPT {items}"),
        ):
            ((n,),) = db.execute(f"SELECT count(*) FROM ({sql})", (table, field))
            if n:
                yield f"{n} list items of {kind.value}s' {field} {what}"
