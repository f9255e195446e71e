# SPDX-License-Identifier: Apache-2.0
"""Reading records, links, token vectors and vectors out of an open transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from ...domain.records import Kind, Link, Record
from ...errors import StoreCorrupt
from ...ports.batch import Space
from ...ports.store import Cursor, Order, Page, Scalar, TokenVectors, Where
from ..codec import CODECS, LINK_CODEC
from ..graphdb.where import pages
from .connection import Connection
from .schema import LINK, TOKENS, WIDTH, returned, vector_column
from .where import match

if TYPE_CHECKING:
    from ...ports.models import Vector, Vectors
    from .database import Memory

NOTHING: frozenset[str] = frozenset()
_ROWS = 4096


def rows_of(db: Connection, table: str, ids: Iterable[str], names: Sequence[str]) -> list[list[Any]]:
    """Return some properties of the nodes of a table that exist."""
    distinct = list(dict.fromkeys(ids))
    if not distinct:
        return []
    return db.run(f"UNWIND $ids AS i MATCH (t:{table} {{id: i}}) RETURN {returned(names)}", ids=distinct)


def read_records(db: Connection, kind: Kind, ids: Iterable[str], without: frozenset[str] = NOTHING) -> dict[str, Any]:
    """See ``GraphStore.get``; here and below, ``without`` are the ids of nodes that cannot be read."""
    codec = CODECS[kind]
    asked = [id for id in ids if id not in without]
    return {row[0]: codec.decode(row) for row in rows_of(db, kind.value, asked, codec.names)}


def read_fields(
    db: Connection, kind: Kind, ids: Sequence[str], fields: Sequence[str], without: frozenset[str] = NOTHING
) -> dict[str, tuple[Any, ...]]:
    """See ``GraphStore.peek``."""
    decoders = _decoders(kind, fields)
    rows = rows_of(db, kind.value, [id for id in ids if id not in without], ["id", *fields])
    return {id: tuple(_decoded(kind, id, values, decoders)) for id, *values in rows}


def sweep_fields(
    db: Connection, kind: Kind, fields: Sequence[str], where: Where, after: str, limit: int,
    without: frozenset[str] = NOTHING,
) -> tuple[tuple[Any, ...], ...]:  # fmt: skip
    """See ``GraphStore.sweep``."""
    decoders = _decoders(kind, fields)
    found = match(kind, where, without=without)
    if found.none:
        return ()
    rows = db.run(
        f"{found.text} AND t.id > $after RETURN {returned(['id', *fields])} ORDER BY t.id LIMIT {limit}",
        after=after,
        **found.params,
    )
    return tuple((id, *_decoded(kind, id, values, decoders)) for id, *values in rows)


def find_records(
    db: Connection, kind: Kind, where: Where, order: Order, limit: int, after: Cursor | None,
    without: frozenset[str] = NOTHING,
) -> Page:  # fmt: skip
    """See ``GraphStore.find``."""
    ranges = pages(kind, order, after)
    found = match(kind, where, without=without)
    ids: list[str] = []
    for part in () if found.none else ranges:
        left = limit + 1 - len(ids)  # one more than asked for tells whether anything follows
        # Only the ids are sorted: what they name is read when it is known which they are.
        rows = db.run(
            f"{found.text}{part.where.text} RETURN t.id {part.order_by} LIMIT {left}",
            **found.params,
            **part.where.params,
        )
        ids += [id for (id,) in rows]
        if len(ids) > limit:
            break
    stored = read_records(db, kind, ids[:limit])
    records = tuple(cast(Record, stored[id]) for id in ids[:limit])
    if len(ids) <= limit:
        return Page(records, None)
    return Page(records, Cursor(cast("Scalar | None", getattr(records[-1], order.field)), records[-1].id))


def read_links(db: Connection, ids: Sequence[str], without: frozenset[str] = NOTHING) -> tuple[Link, ...]:
    """Return links by their ids, in that order."""
    rows = rows_of(db, LINK, [id for id in ids if id not in without], LINK_CODEC.names)
    stored = {row[0]: LINK_CODEC.decode(row) for row in rows}
    return tuple(stored[id] for id in ids if id in stored)


def read_tokens(db: Connection, kind: Kind, ids: Sequence[str], width: int) -> TokenVectors:
    """See ``GraphStore.token_vectors``."""
    import numpy as np

    rows = rows_of(db, kind.value, ids, ["id", WIDTH, TOKENS])
    found = [(id, data) for id, own, data in rows if own == width and data is not None]
    numbers = np.frombuffer(b"".join([data for _, data in found]), np.int8).reshape(-1, width)
    return TokenVectors(tuple(id for id, _ in found), tuple(len(data) // width for _, data in found), numbers)


def dimension_in_use(db: Connection, space: Space) -> int | None:
    """Return the dimension of any vector in a space."""
    column = vector_column(space)
    for kind in Kind:
        for (data,) in db.run(f"MATCH (t:{kind.value}) WHERE t.`{column}` IS NOT NULL RETURN t.`{column}` LIMIT 1"):
            return len(data) // 4
    return None


@dataclass(frozen=True, slots=True)
class StoredVectors:
    """The vectors of a kind and space that an open transaction sees, for a matrix to follow."""

    db: Connection
    memory: Memory
    kind: Kind
    space: Space
    seq: int  # up to which the transaction sees changes

    def load(self, dimension: int) -> Iterator[tuple[list[str], Vectors]]:
        import numpy as np

        column = f"t.`{vector_column(self.space)}`"
        stored = self.db.run(f"MATCH (t:{self.kind.value}) WHERE {column} IS NOT NULL RETURN t.id, {column}")
        rows = [row for row in stored if len(row[1]) == 4 * dimension]
        for start in range(0, len(rows), _ROWS):
            some = rows[start : start + _ROWS]
            numbers = np.frombuffer(b"".join([data for _, data in some]), dtype="<f4").reshape(len(some), dimension)
            yield [id for id, _ in some], numbers.astype(np.float32, copy=False)

    def changed(self, dimension: int, after: int) -> list[tuple[str, Vector | None]]:
        return [
            (id, vector if vector is not None and vector.size == dimension else None)
            for at, kind, space, id, vector in self.memory.vectors
            if after < at <= self.seq and kind is self.kind and space is self.space
        ]


def _decoders(kind: Kind, fields: Sequence[str]) -> list[tuple[int, Callable[[Any], object]]]:
    columns = [CODECS[kind].column(name) for name in fields]
    return [(at, column.decode) for at, column in enumerate(columns) if column.decode]


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
