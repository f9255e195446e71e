# SPDX-License-Identifier: Apache-2.0
"""Going through everything in a file, some hundred rows at a time, in one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, cast

from ...domain.records import KIND_OF, Kind, Link, Passage, Record
from ...errors import StoreCorrupt
from ...ports.store import Damaged, Kept
from ..damage import NOTHING
from .damage import LINK, TABLES, leaving_out, survey
from .errors import is_undecodable
from .sql import in_list, quoted, quoted_list

if TYPE_CHECKING:
    from ...ports.models import Tokens, Vector

_ROWS = 256
_NONE: Mapping[str, tuple[Vector, Tokens | None]] = {}


def scan_all(db: sqlite3.Connection, vectors: bool) -> Iterator[Kept | Damaged]:
    """See ``GraphStore.scan``; to be read inside one open transaction."""
    damaged = _Damaged()
    for group in _pages(db, Kind.ENGRAM.value, damaged):
        ids = [engram.id for engram in group]
        of = {id: list(each) for id, each in groupby(_passages(db, ids, damaged), key=attrgetter("engram_id"))}
        own = _vectors(db, Kind.ENGRAM, ids) if vectors else _NONE
        for engram in group:
            yield Kept(engram, *own.get(engram.id, ()))
            yield from _kept(db, of.get(engram.id, []), vectors)
    for kind in Kind:
        if kind not in (Kind.ENGRAM, Kind.PASSAGE):
            for group in _pages(db, kind.value, damaged):
                yield from _kept(db, group, vectors)
    for group in _pages(db, LINK, damaged):
        yield from map(Kept, group)
    yield from damaged.found


class _Damaged:
    """What a scan had to leave out, by table."""

    def __init__(self) -> None:
        self.found: list[Damaged] = []
        self._without: dict[str, frozenset[str]] = {}

    def without(self, table: str) -> frozenset[str]:
        return self._without.get(table, NOTHING)

    def look(self, db: sqlite3.Connection, table: str) -> bool:
        """Find out which rows of a table cannot be read; return whether that was not known."""
        if table in self._without:
            return False
        found = survey(db, table)
        self._without[table] = frozenset(found)
        self.found += [Damaged(table, id, problem) for id, problem in found.items()]
        return bool(found)


def _pages(db: sqlite3.Connection, table: str, damaged: _Damaged) -> Iterator[list[Any]]:
    codec = TABLES[table]
    select = f"SELECT {quoted_list(codec.names)} FROM {quoted(table)} WHERE id > ?"
    after = ""
    while True:
        condition, params = leaving_out(damaged.without(table))
        try:
            rows = db.execute(f"{select}{condition} ORDER BY id LIMIT {_ROWS}", [after, *params]).fetchall()
            page = [codec.decode(row) for row in rows]
        except (StoreCorrupt, sqlite3.OperationalError) as error:
            if (isinstance(error, StoreCorrupt) or is_undecodable(error)) and damaged.look(db, table):
                continue
            raise
        if not page:
            return
        yield page
        after = page[-1].id


def _passages(db: sqlite3.Connection, engrams: list[str], damaged: _Damaged) -> list[Passage]:
    table = Kind.PASSAGE.value
    codec = TABLES[table]
    marks, ids = in_list(engrams)
    select = f"SELECT {quoted_list(codec.names)} FROM passage WHERE engram_id IN {marks}"
    while True:
        condition, params = leaving_out(damaged.without(table))
        try:
            rows = db.execute(f"{select}{condition} ORDER BY engram_id, position, id", [*ids, *params]).fetchall()
            return [codec.decode(row) for row in rows]
        except (StoreCorrupt, sqlite3.OperationalError) as error:
            if (isinstance(error, StoreCorrupt) or is_undecodable(error)) and damaged.look(db, table):
                continue
            raise


def _kept(db: sqlite3.Connection, group: list[Any], vectors: bool) -> Iterator[Kept]:
    own = _vectors(db, KIND_OF[type(group[0])], [record.id for record in group]) if vectors and group else _NONE
    for record in group:
        yield Kept(cast("Record | Link", record), *own.get(record.id, ()))


def _vectors(db: sqlite3.Connection, kind: Kind, ids: list[str]) -> dict[str, tuple[Vector, Tokens | None]]:
    import numpy as np

    found: dict[str, tuple[Vector, Tokens | None]] = {}
    for start in range(0, len(ids), _ROWS):
        marks, params = in_list(ids[start : start + _ROWS])
        values = [kind.value, *params]
        rows = db.execute(f"SELECT id, width, data FROM token WHERE kind = ? AND id IN {marks}", values)
        tokens = {id: np.frombuffer(data, np.int8).reshape(-1, width) for id, width, data in rows}
        for id, data in db.execute(
            f"SELECT id, data FROM vector WHERE kind = ? AND id IN {marks} AND data IS NOT NULL", values
        ):
            found[id] = np.frombuffer(data, dtype="<f4").astype(np.float32), tokens.get(id)
    return found
