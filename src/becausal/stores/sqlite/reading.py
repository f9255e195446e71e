# SPDX-License-Identifier: Apache-2.0
"""Reading records and counts."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, cast

from ...domain.records import Kind, LinkKind, Record
from ...errors import StoreCorrupt
from ...ports.store import Cursor, Order, Page, Scalar, Where
from ..codec import CODECS
from ..columns import Flat
from ..damage import NOTHING
from .damage import leaving_out, readable
from .sql import chunks, in_list, quoted, quoted_list
from .where import compile_where, order_by, pages


@cache
def _select(kind: Kind) -> str:
    return f"SELECT {quoted_list(CODECS[kind].names, 't')} FROM {quoted(kind.value)} AS t"


def read_records(
    db: sqlite3.Connection, kind: Kind, ids: Sequence[str], without: frozenset[str] = NOTHING
) -> dict[str, Record]:
    """See ``GraphStore.get``; here and below, ``without`` are the ids of rows that cannot be read."""
    decode = CODECS[kind].decode
    records: dict[str, Record] = {}
    for chunk in chunks(readable(ids, without)):
        marks, params = in_list(chunk)
        records.update((row[0], decode(row)) for row in db.execute(f"{_select(kind)} WHERE t.id IN {marks}", params))
    return records


def read_fields(
    db: sqlite3.Connection,
    kind: Kind,
    ids: Sequence[str],
    fields: Sequence[str],
    without: frozenset[str] = NOTHING,
) -> dict[str, tuple[Any, ...]]:
    """See ``GraphStore.peek``."""
    columns = [CODECS[kind].column(name) for name in fields]
    decoders = [(at, column.decode) for at, column in enumerate(columns) if column.decode]
    selected = quoted_list(["id", *fields])
    found: dict[str, tuple[Any, ...]] = {}
    for chunk in chunks(readable(ids, without)):
        marks, params = in_list(chunk)
        rows = db.execute(f"SELECT {selected} FROM {quoted(kind.value)} WHERE id IN {marks}", params).fetchall()
        for id, *values in rows:
            found[id] = tuple(_decoded(kind, id, values, decoders))
    return found


def sweep_fields(
    db: sqlite3.Connection,
    kind: Kind,
    fields: Sequence[str],
    where: Where,
    after: str,
    limit: int,
    without: frozenset[str] = NOTHING,
) -> tuple[tuple[Any, ...], ...]:
    """See ``GraphStore.sweep``."""
    columns = [CODECS[kind].column(name) for name in fields]
    decoders = [(at, column.decode) for at, column in enumerate(columns) if column.decode]
    condition, params = _conditions(kind, where, without)
    selected = quoted_list(["id", *fields], "t")
    rows = db.execute(
        f"SELECT {selected} FROM {quoted(kind.value)} AS t WHERE t.id > ?{condition} ORDER BY t.id LIMIT ?",
        [after, *params, limit],
    ).fetchall()
    return tuple((id, *_decoded(kind, id, values, decoders)) for id, *values in rows)


def _conditions(kind: Kind, where: Where, without: frozenset[str]) -> tuple[str, list[Flat]]:
    condition, params = compile_where(kind, where, "t")
    if without:
        left_out, ids = leaving_out(without, "t")
        return condition + left_out, [*params, *ids]
    return condition, params


def _decoded(
    kind: Kind, id: str, values: list[Any], decoders: Sequence[tuple[int, Callable[[Any], object]]]
) -> list[Any]:
    try:
        for at, decode in decoders:
            if values[at] is not None:
                values[at] = decode(values[at])
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise StoreCorrupt(f"a stored {kind.value} cannot be read ({error!r}): {id!r}") from error
    return values


def find_records(
    db: sqlite3.Connection,
    kind: Kind,
    where: Where,
    order: Order,
    limit: int,
    after: Cursor | None,
    without: frozenset[str] = NOTHING,
) -> Page:
    """See ``GraphStore.find``."""
    condition, params = _conditions(kind, where, without)
    ordering = order_by(kind, order)
    rows: list[Sequence[Flat]] = []
    for beyond, start in pages(kind, order, after):
        left = limit + 1 - len(rows)  # one more than asked for tells whether anything follows
        rows += db.execute(
            f"{_select(kind)} WHERE 1{condition}{beyond} {ordering} LIMIT ?", [*params, *start, left]
        ).fetchall()
        if len(rows) > limit:
            break
    decode = CODECS[kind].decode
    records = tuple(cast(Record, decode(row)) for row in rows[:limit])
    if len(rows) <= limit:
        return Page(records, None)
    return Page(records, Cursor(cast("Scalar | None", getattr(records[-1], order.field)), records[-1].id))


def read_counts(db: sqlite3.Connection) -> dict[str, int]:
    """See ``GraphStore.count``."""
    stored = dict(db.execute("SELECT name, n FROM tally").fetchall())
    counts = {kind.value: stored.get(kind.value, 0) for kind in Kind}
    counts |= {kind.value: stored.get(f"link:{kind.value}", 0) for kind in LinkKind}
    (counts["pending"],) = db.execute("SELECT count(*) FROM engram WHERE indexed_at IS NULL").fetchone()
    return counts
