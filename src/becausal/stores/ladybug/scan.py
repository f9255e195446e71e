# SPDX-License-Identifier: Apache-2.0
"""Going through everything in a database, some hundred nodes at a time, in one transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...domain.records import Kind
from ...errors import StoreCorrupt
from ...ports.batch import Space
from ...ports.store import Damaged, Kept
from ..codec import CODECS, LINK_CODEC, Codec
from .connection import Connection
from .reading import rows_of
from .schema import LINK, TOKENS, WIDTH, vector_column

if TYPE_CHECKING:
    from ...ports.models import Tokens, Vector

TABLES: Mapping[str, Codec[Any]] = {**{kind.value: CODECS[kind] for kind in Kind}, LINK: LINK_CODEC}
"""The tables whose nodes are records or links."""

_ROWS = 256


def scan_all(db: Connection, vectors: bool) -> Iterator[Kept | Damaged]:
    """See ``GraphStore.scan``; to be read inside one open transaction. Only ids are held for all."""
    damaged: list[Damaged] = []
    of: dict[str, list[str]] = defaultdict(list)
    passages = "MATCH (t:passage) RETURN t.engram_id, t.id ORDER BY t.engram_id, t.position, t.id"
    for engram, passage in db.run(passages):
        of[engram].append(passage)
    for ids in _pages(db, Kind.ENGRAM.value):
        own = _kept(db, Kind.ENGRAM.value, ids, vectors, damaged)
        its = _kept(db, Kind.PASSAGE.value, [passage for id in ids for passage in of.get(id, ())], vectors, damaged)
        for id in ids:
            if id in own:
                yield own[id]
                yield from (its[passage] for passage in of.get(id, ()) if passage in its)
    for table in TABLES:
        if table not in (Kind.ENGRAM.value, Kind.PASSAGE.value):
            for ids in _pages(db, table):
                yield from _kept(db, table, ids, vectors and table != LINK, damaged).values()
    yield from damaged


def survey(db: Connection, table: str) -> dict[str, str]:
    """Return the id and the problem of every node of a table that cannot be read."""
    found: list[Damaged] = []
    for ids in _pages(db, table):
        _kept(db, table, ids, False, found)
    return {each.id: each.problem for each in found}


def _pages(db: Connection, table: str) -> Iterator[list[str]]:
    ids = [id for (id,) in db.run(f"MATCH (t:{table}) RETURN t.id ORDER BY t.id")]
    for start in range(0, len(ids), _ROWS):
        yield ids[start : start + _ROWS]


def _kept(db: Connection, table: str, ids: list[str], vectors: bool, damaged: list[Damaged]) -> dict[str, Kept]:
    import numpy as np

    codec = TABLES[table]
    width = len(codec.names)
    names = [*codec.names, *((vector_column(Space.MODEL), TOKENS, WIDTH) if vectors else ())]
    found: dict[str, Kept] = {}
    for row in sorted(rows_of(db, table, ids, names), key=lambda row: row[0]):
        try:
            record = codec.decode(row[:width])
        except StoreCorrupt as error:
            damaged.append(Damaged(table, row[0], f"{error.__cause__ or error!r}"))
            continue
        vector: Vector | None = None
        tokens: Tokens | None = None
        if vectors and row[width] is not None:
            vector = np.frombuffer(row[width], dtype="<f4").astype(np.float32)
            if row[width + 1] is not None:
                tokens = np.frombuffer(row[width + 1], np.int8).reshape(-1, row[width + 2])
        found[row[0]] = Kept(record, vector, tokens)
    return found
