# SPDX-License-Identifier: Apache-2.0
"""Reading records, links and counts: each verb is one query, but a page that spans null and values."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, TypeVar, cast

from ...domain.records import Kind, Link, LinkKind, Record
from ...errors import StoreCorrupt
from ...ports.store import Cursor, Edge, Order, Page, Scalar, Where
from ..codec import CODECS, LINK_CODEC
from ..conditions import matches_nothing
from ..damage import Damage
from ..graphdb.tally import counts_of
from ..graphdb.where import pages
from . import names
from .connection import Connection
from .standing import known_standing, known_to_be_there, read_standing
from .text import known_texts
from .where import among, by_index, conditions, hint_at_waiting, matching

log = logging.getLogger("becausal.store")
T = TypeVar("T")
_KINDS = {kind.value: kind for kind in LinkKind}


class Around(Damage):
    """What was met that cannot be read, and the reading around it."""

    def decoded(self, name: str, rows: Iterable[Sequence[Any]], decode: Callable[[Any], T]) -> list[T]:
        """Return what rows hold, without those that cannot be read; a row begins with its id."""
        items: list[T] = []
        for row in rows:
            try:
                items.append(decode(row))
            except StoreCorrupt as error:
                if self.add(name, {str(row[0]): str(error)}):
                    log.error("%s '%s' cannot be read and is left out: %s", name, row[0], error)
        return items


class Reader:
    """The reading verbs of a user's memory."""

    def __init__(self, connection: Connection, mark: str, damage: Around) -> None:
        self._connection = connection
        self._mark = mark
        self._damage = damage

    def records(self, kind: Kind, ids: Sequence[str]) -> dict[str, Record]:
        """See ``GraphStore.get``."""
        if not ids:
            return {}
        found = among(kind, (), self._mark, ids)
        rows = self._connection.listed(f"{found.text} RETURN collect({names.row_of(kind)})", **found.params)
        records = self._damage.decoded(kind.value, rows, CODECS[kind].decode)
        return {record.id: record for record in records}

    def fields(self, kind: Kind, ids: Sequence[str], fields: Sequence[str]) -> dict[str, tuple[Any, ...]]:
        """See ``GraphStore.peek``."""
        decode = _decoder(kind, fields)
        if not ids:
            return {}
        found = among(kind, (), self._mark, ids)
        query = f"{found.text} RETURN collect({names.columns_of(['id', *fields], 't')})"
        rows = self._connection.listed(query, **found.params)
        return {row[0]: row[1:] for row in self._damage.decoded(kind.value, rows, decode)}

    def sweep(
        self, kind: Kind, fields: Sequence[str], where: Where, after: str, limit: int
    ) -> tuple[tuple[Any, ...], ...]:
        """See ``GraphStore.sweep``."""
        decode = _decoder(kind, fields)
        found = conditions(kind, where)
        if matches_nothing(where):
            return ()
        hint = hint_at_waiting(kind, where)
        query = (
            f"MATCH (t:{names.label(kind)}){hint} WHERE t.mark = $mark{found.text} AND t.id > $after "
            f"WITH t ORDER BY t.mark, {'t.waiting, ' if hint else ''}t.id LIMIT $limit "
            f"RETURN collect({names.columns_of(['id', *fields], 't')})"
        )
        rows = self._connection.listed(query, **found.params, mark=self._mark, after=after, limit=limit)
        return tuple(self._damage.decoded(kind.value, rows, decode))

    def find(self, kind: Kind, where: Where, order: Order, limit: int, after: Cursor | None) -> Page:
        """See ``GraphStore.find``."""
        found = conditions(kind, where)
        params: dict[str, Any] = {**found.params, "mark": self._mark}
        parts = pages(kind, order, after)
        known = known_standing(self._connection)
        if matches_nothing(where) or (known is not None and not known.counts.get(kind.value)):
            return Page((), None)
        rows: list[Any] = []
        for part in parts:
            hint, ordered = by_index(kind, where, order, part)
            query = (
                f"MATCH (t:{names.label(kind)}){hint} WHERE t.mark = $mark AND t.id IS NOT NULL{found.text}"
                f"{part.where.text} WITH t {ordered} LIMIT $limit RETURN collect({names.row_of(kind)})"
            )
            left = limit + 1 - len(rows)  # one more than asked for tells whether anything follows
            rows += self._connection.listed(query, **params, **part.where.params, limit=left)
            if len(rows) > limit:
                break
        shown = cast("list[Record]", self._damage.decoded(kind.value, rows[:limit], CODECS[kind].decode))
        if len(rows) <= limit or not shown:
            return Page(tuple(shown), None)
        return Page(tuple(shown), Cursor(cast("Scalar | None", getattr(shown[-1], order.field)), shown[-1].id))

    def passing(self, kind: Kind, ids: Sequence[str], where: Where) -> frozenset[str]:
        """See ``GraphStore.passing``."""
        found = among(kind, where, self._mark, ids)
        if (texts := known_texts(self._connection, kind)) is None:
            return frozenset(self._connection.listed(f"{found.text} RETURN collect(t.id)", **found.params))
        # Whoever asks what passes mostly asks next which words of the question that holds.
        rows = self._connection.listed(f"{found.text} RETURN collect([t.id, t.text])", **found.params)
        texts.update(rows)
        return frozenset(id for id, _ in rows)

    def all_matching(self, kind: Kind, where: Where) -> list[str]:
        """Return the ids of all records that match; see ``matching``."""
        found = matching(kind, where, self._mark)
        if matches_nothing(where):
            return []
        return self._connection.listed(f"{found.text} RETURN collect(t.id)", **found.params)

    def links(
        self, ids: Sequence[str], kinds: Sequence[LinkKind], direction: Literal["out", "in", "both"], limit: int
    ) -> tuple[Link, ...]:
        """See ``GraphStore.links``. Of equally strong links the newest come first."""
        there = known_to_be_there(self._connection, kinds)
        if not ids or (kinds and not there):
            return ()
        query = (
            f"MATCH (n:{names.RECORD}) WHERE n.mark = $mark AND n.id IN $ids MATCH {_hop(there, direction)} "
            f"WITH DISTINCT l ORDER BY l.strength DESC, l.seq DESC LIMIT $limit RETURN {names.LINK_ROW}"
        )
        rows = self._connection.read(query, mark=self._mark, ids=list(ids), limit=limit)
        return tuple(self._damage.decoded("link", [row for (row,) in rows], LINK_CODEC.decode))

    def edges(
        self, ids: Sequence[str], kinds: Sequence[LinkKind], direction: Literal["out", "in", "both"], each: int
    ) -> tuple[Edge, ...]:
        """See ``GraphStore.edges``."""
        kinds = known_to_be_there(self._connection, kinds)
        if not ids or not kinds:
            return ()
        ways: tuple[Literal["out", "in"], ...] = ("out", "in") if direction == "both" else (direction,)
        hops = " UNION ".join(
            f"WITH n MATCH {_hop([kind], way)} WITH l ORDER BY l.strength DESC, l.seq DESC LIMIT $each RETURN l"
            for kind in dict.fromkeys(kinds)
            for way in ways
        )
        query = (
            f"MATCH (n:{names.RECORD}) WHERE n.mark = $mark AND n.id IN $ids CALL {{ {hops} }} "
            "WITH DISTINCT l RETURN collect([l.src, l.dst, l.kind, l.relation_type, l.strength, l.asserted])"
        )
        rows = self._connection.listed(query, mark=self._mark, ids=list(dict.fromkeys(ids)), each=each)
        return tuple(
            Edge(src, dst, _KINDS[kind], relation_type, strength, bool(asserted))
            for src, dst, kind, relation_type, strength, asserted in rows
        )

    def counts(self) -> dict[str, int]:
        """See ``GraphStore.count``."""
        return counts_of(read_standing(self._connection, self._mark).counts)

    def meta(self, key: str) -> str | None:
        """See ``GraphStore.meta``."""
        remembered = self._connection.remembered()
        if remembered is None:
            return self._meta(key)
        if ("meta", key) not in remembered:
            remembered["meta", key] = self._meta(key)
        return cast("str | None", remembered["meta", key])

    def _meta(self, key: str) -> str | None:
        if key == "schema_version":
            query = f"MATCH (r:{names.ROOT} {{mark: $mark}}) RETURN r.schema_version"
            return str(self._connection.read(query, mark=self._mark)[0][0])
        rows = self._connection.read(
            f"MATCH (m:{names.META} {{pk: $pk}}) RETURN m.value", pk=names.key(self._mark, "meta", key)
        )
        return rows[0][0] if rows else None


def _hop(kinds: Sequence[LinkKind], direction: Literal["out", "in", "both"]) -> str:
    of = f":{'|'.join(kind.value for kind in dict.fromkeys(kinds))}" if kinds else ""
    return f"(n){'<' if direction == 'in' else ''}-[l{of}]-{'>' if direction == 'out' else ''}()"


def _decoder(kind: Kind, fields: Sequence[str]) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    columns = [CODECS[kind].column(name) for name in fields]

    def decode(row: Sequence[Any]) -> tuple[Any, ...]:
        id, *values = row
        try:
            for at, column in enumerate(columns):
                if column.decode and values[at] is not None:
                    values[at] = column.decode(values[at])
        except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
            raise StoreCorrupt(f"a stored {kind.value} cannot be read ({error!r}): {id!r}") from error
        return (id, *values)

    return decode
