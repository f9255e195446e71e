# SPDX-License-Identifier: Apache-2.0
"""Reading records, counts and what is remembered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, TypeVar, cast

from ...domain.records import Kind, LinkKind, Record
from ...errors import StoreCorrupt
from ...ports.store import Cursor, Op, Order, Page, Scalar, Where
from ..codec import CODECS
from ..conditions import matches_nothing
from ..graphdb.tally import PENDING
from ..graphdb.where import Param, Predicate, pages
from ..graphdb.where import compile_where as cypher_where
from .root import known_root
from .schema import KEYS, LABELS, key_name
from .session import Session
from .values import REALS, exact_name, key_of, keys_of

T = TypeVar("T")
CHUNK = 1000
"""How many ids go into one query."""

Skip = Callable[[str, str, str], None]
"""Told the kind, id and problem of what is stored and cannot be read."""


def chunks(values: Sequence[T], size: int = CHUNK) -> Iterator[list[T]]:
    """Cut values, each taken once, into lists of at most ``size``."""
    distinct = list(dict.fromkeys(values))
    for start in range(0, len(distinct), size):
        yield distinct[start : start + size]


@cache
def listed(names: tuple[str, ...], alias: str = "t") -> str:
    """Return properties as the columns of an answer, which may hold one twice."""
    return ", ".join(f"{_column(name, alias)} AS c{number}" for number, name in enumerate(names))


def _column(name: str, alias: str) -> str:
    if name in REALS:
        return f"coalesce({alias}.`{exact_name(name)}`, {alias}.`{name}`)"
    return f"{alias}.`{name}`"


def as_told(names: Sequence[str], row: Sequence[Any]) -> list[Any]:
    """Return a row of ``listed`` columns with its numbers whole."""
    return [
        float(value) if name in REALS and value is not None else value for name, value in zip(names, row, strict=True)
    ]


def matched(kind: Kind, alias: str = "t") -> str:
    """Return the start of a query over the owner's records of a kind."""
    return f"MATCH ({alias}:{LABELS[kind]}) WHERE {alias}._owner = $o"


def compile_where(kind: Kind, where: Where, carry: str = "t") -> Predicate:
    """Return conditions on the record ``t``; those that ask for text that is indexed name its key too.

    Only the keys stand with the match; the rest follows a ``WITH`` of the variables ``carry``.

    Raises:
        InvalidInput: a field does not exist or cannot be compared with the value.
    """
    condition = cypher_where(kind, where)
    keys, params = "", dict[str, Param](condition.params)
    for number, each in enumerate(where):
        values = each.value if each.op is Op.IN else (each.value,) if each.op is Op.EQ else None
        if each.field in KEYS.get(kind, ()) and isinstance(values, tuple) and values:
            params[f"k{number}"] = [key_of(value) for value in values if isinstance(value, str)]
            keys += f" AND t.`{key_name(each.field)}` IN $k{number}"
    return Predicate(f"{keys} WITH {carry} WHERE true{condition.text}", params)


def read_records(session: Session, kind: Kind, ids: Sequence[str], skip: Skip) -> dict[str, Record]:
    """See ``GraphStore.get``."""
    found: dict[str, Record] = {}
    names = CODECS[kind].names
    for chunk in chunks(ids):
        rows = session.read(f"{matched(kind)} AND t._id IN $ids RETURN {listed(names)}", ids=keys_of(chunk))
        found.update((record.id, record) for record in decoded(kind, rows, skip))
    return found


def decoded(kind: Kind, rows: Sequence[Sequence[Any]], skip: Skip) -> Iterator[Record]:
    """Return the records of rows, without those that cannot be read."""
    codec = CODECS[kind]
    for row in rows:
        try:
            _must_be_whole(kind, row)
            yield cast(Record, codec.decode(as_told(codec.names, row)))
        except StoreCorrupt as error:
            skip(kind.value, str(row[0]), str(error.__cause__ or error))


def _must_be_whole(kind: Kind, row: Sequence[Any]) -> None:
    for column, value in zip(CODECS[kind].columns, row, strict=True):
        if value is None and not column.nullable:
            raise StoreCorrupt(f"its {column.name} is missing")


def read_fields(
    session: Session, kind: Kind, ids: Sequence[str], fields: Sequence[str], skip: Skip
) -> dict[str, tuple[Any, ...]]:
    """See ``GraphStore.peek``."""
    for name in fields:
        CODECS[kind].column(name)
    found: dict[str, tuple[Any, ...]] = {}
    for chunk in chunks(ids):
        rows = session.read(f"{matched(kind)} AND t._id IN $ids RETURN {listed(('id', *fields))}", ids=keys_of(chunk))
        found.update((row[0], tuple(row[1:])) for row in _fields(kind, fields, rows, skip))
    return found


def _fields(kind: Kind, fields: Sequence[str], rows: list[list[Any]], skip: Skip) -> Iterator[list[Any]]:
    columns = [CODECS[kind].column(name) for name in fields]
    for each in rows:
        row = as_told(("id", *fields), each)
        try:
            for at, column in enumerate(columns, 1):
                if row[at] is None:
                    if not column.nullable:
                        raise ValueError(f"its {column.name} is missing")
                elif column.decode:
                    row[at] = column.decode(row[at])
        except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
            skip(kind.value, str(row[0]), str(error))
        else:
            yield row


def sweep_fields(
    session: Session, kind: Kind, fields: Sequence[str], where: Where, after: str, limit: int, skip: Skip
) -> tuple[tuple[Any, ...], ...]:
    """See ``GraphStore.sweep``."""
    condition = compile_where(kind, where)
    for name in fields:
        CODECS[kind].column(name)
    if _has_none(session, kind, where):
        return ()
    rows = session.read(
        f"{matched(kind)}{condition.text} AND t.id > $after RETURN {listed(('id', *fields))} "
        "ORDER BY t.id LIMIT $limit",
        after=after,
        limit=limit,
        **condition.params,
    )
    return tuple(tuple(row) for row in _fields(kind, fields, rows, skip))


def find_records(
    session: Session, kind: Kind, where: Where, order: Order, limit: int, after: Cursor | None, skip: Skip
) -> Page:
    """See ``GraphStore.find``."""
    condition = compile_where(kind, where)
    parts = pages(kind, order, after)
    if _has_none(session, kind, where):
        return Page((), None)
    rows: list[list[Any]] = []
    for part in parts:
        left = limit + 1 - len(rows)  # one more than asked for tells whether anything follows
        rows += session.read(
            f"{matched(kind)}{condition.text}{part.where.text} RETURN {listed(CODECS[kind].names)} "
            f"{part.order_by} LIMIT $limit",
            limit=left,
            **condition.params,
            **part.where.params,
        )
        if len(rows) > limit:
            break
    records = tuple(decoded(kind, rows[:limit], skip))
    if len(rows) <= limit or not records:
        return Page(records, None)
    return Page(records, Cursor(cast("Scalar | None", getattr(records[-1], order.field)), records[-1].id))


def _has_none(session: Session, kind: Kind, where: Where) -> bool:
    """Say whether the question or the counts show that nothing matches: what waits is in no index of the server."""
    if matches_nothing(where):
        return True
    if kind is Kind.ENGRAM and any(each.field == "indexed_at" and each.op is Op.NULL and each.value for each in where):
        return not known_root(session).tally.get(PENDING)
    return session.remembered() is not None and not known_root(session).tally.get(kind.value)


def known_to_be_there(session: Session, kinds: Sequence[LinkKind]) -> Sequence[LinkKind]:
    """Return those of some kinds of link of which this thread's snapshot does not know that there are none."""
    if not kinds or session.remembered() is None:
        return kinds
    tally = known_root(session).tally
    return [kind for kind in kinds if tally.get(f"link:{kind.value}")]


def known_texts(session: Session, kind: Kind) -> dict[str, tuple[int, str] | None] | None:
    """Return the length and terms of records that this thread's snapshot has read along, by id.

    ``None`` without a snapshot; a record that the text index holds nothing of has ``None``.
    """
    remembered = session.remembered()
    return None if remembered is None else remembered.setdefault(("texts", kind), {})


def matching_ids(
    session: Session, kind: Kind, where: Where, among: Sequence[str] | None = None, limit: int | None = None
) -> list[str]:
    """Return ids of records that match: up to ``limit`` of all, or those ``among`` some.

    For passages the conditions are about the engram they belong to.
    """
    of = Kind.ENGRAM if kind is Kind.PASSAGE else kind
    condition = compile_where(of, where, "t" if kind is not Kind.PASSAGE else "t, p")
    if matches_nothing(where):
        return []
    asked: list[list[str] | None] = [None] if among is None else [*chunks(among)]
    found: list[str] = []
    for ids in asked:
        params: dict[str, Any] = dict(condition.params)
        if ids is not None:
            params["ids"] = keys_of(ids)
        if limit is not None:
            params["limit"] = limit
        until = "" if limit is None else " LIMIT $limit"
        if kind is not Kind.PASSAGE:
            some = "" if ids is None else " AND t._id IN $ids"
            if ids is not None and (texts := known_texts(session, kind)) is not None:
                # Whoever asks what passes mostly asks next which words of the question that holds.
                query = f"{matched(kind)}{some}{condition.text} RETURN t.id, t._length, t._terms{until}"
                rows = session.read(query, **params)
                texts.update((id, (length, text) if length else None) for id, length, text in rows)
                found += [row[0] for row in rows]
                continue
            query = f"{matched(kind)}{some}{condition.text} RETURN t.id{until}"
        else:
            some = "" if ids is None else " AND p._id IN $ids"
            query = (
                f"{matched(kind, 'p')}{some} WITH p MATCH (t:{LABELS[of]}) WHERE t._id = p._engram_id AND t._owner = $o"
                f"{condition.text} RETURN p.id{until}"
            )
        found += [row[0] for row in session.read(query, **params)]
    return found
