# SPDX-License-Identifier: Apache-2.0
"""Vectors in the file: rows are the truth, and every change of one takes the next sequence number.

What is taken away leaves an empty row with a number of its own, so that a reader in any process that has
seen everything up to some number learns the rest by asking for the greater ones. ``vector_epoch`` in
``meta`` counts what numbers cannot tell: when it changes, a reader starts over. The column ``kind`` holds
``space_name``: a record may have a vector in each space, of a dimension of its own.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...domain.records import Kind
from ...ports.batch import PutVector, Space
from ..matrix import State
from ..packing import DIMENSION_KEY, EPOCH_KEY, packed_vector
from .sql import chunks, in_list
from .tokens import drop_tokens, put_tokens
from .transaction import Transaction

if TYPE_CHECKING:
    from ...ports.models import Vector, Vectors

_BATCH = 4096  # rows read at a time


@dataclass(frozen=True, slots=True)
class FileRows:
    """The vectors of a ``space_name`` that an open transaction sees, for a matrix to follow."""

    db: sqlite3.Connection
    name: str

    def load(self, dimension: int) -> Iterator[tuple[list[str], Vectors]]:
        return load_vectors(self.db, self.name, dimension)

    def changed(self, dimension: int, after: int) -> list[tuple[str, Vector | None]]:
        return changed_vectors(self.db, self.name, dimension, after)


def space_name(kind: Kind, space: Space) -> str:
    """Return what the vectors of a kind in a space are filed under."""
    return f"{kind.value}@{space.value}" if space.value else kind.value


def read_state(db: sqlite3.Connection, space: Space = Space.MODEL) -> State:
    """Return the state that the open transaction sees."""
    seq, epoch, dimension = db.execute(
        "SELECT (SELECT max(seq) FROM vector), (SELECT value FROM meta WHERE key = ?), "
        "(SELECT value FROM meta WHERE key = ?)",
        (EPOCH_KEY, DIMENSION_KEY),
    ).fetchone()
    known = int(dimension) if dimension and space is Space.MODEL else _dimension_in_use(db, space)
    return State(int(epoch or 0), seq or 0, known)


def _dimension_in_use(db: sqlite3.Connection, space: Space) -> int | None:
    marks, params = in_list([space_name(kind, space) for kind in Kind])
    row = db.execute(
        f"SELECT length(data) / 4 FROM vector WHERE kind IN {marks} AND data IS NOT NULL LIMIT 1", params
    ).fetchone()
    return row[0] if row else None


def start_epoch(tx: Transaction) -> None:
    """Make every reader load the vectors anew."""
    tx.db.execute(
        "INSERT INTO meta (key, value) VALUES (?, '1') ON CONFLICT (key) DO UPDATE SET value = CAST(value + 1 AS TEXT)",
        (EPOCH_KEY,),
    )


def put_vectors(tx: Transaction, items: Sequence[PutVector], meta: Mapping[str, str | None]) -> None:
    """Write the vectors of records that exist; ``meta`` is what the same batch remembers.

    Raises:
        InvalidInput: a vector has the wrong length or holds something else than finite numbers.
    """
    if not items:
        return
    groups: dict[tuple[Kind, Space], list[PutVector]] = defaultdict(list)
    for item in items:
        groups[item.kind, item.space].append(item)
    dimensions = {space: read_state(tx.db, space).dimension for space in {item.space for item in items}}
    if DIMENSION_KEY in meta:
        dimensions[Space.MODEL] = int(meta[DIMENSION_KEY] or 0) or None
    seq = _last(tx)
    for (kind, space), group in groups.items():
        name = space_name(kind, space)
        present = tx.existing(kind, (item.id for item in group))
        for item in group:
            if item.vector is None:
                seq = _take_away(tx, name, [item.id], seq)
                if space is Space.MODEL:
                    drop_tokens(tx, kind, [item.id])
                continue
            data, dimensions[space] = packed_vector(item.vector, dimensions[space])
            if item.id in present:
                seq += 1
                tx.db.execute(
                    "INSERT INTO vector (seq, kind, id, data) VALUES (?, ?, ?, ?) "
                    "ON CONFLICT (kind, id) DO UPDATE SET seq = excluded.seq, data = excluded.data",
                    (seq, name, item.id, data),
                )
                if space is Space.MODEL:
                    put_tokens(tx, item)


def drop_vectors(tx: Transaction, kind: Kind, ids: Sequence[str]) -> None:
    """Take away the vectors of records, in every space."""
    if not ids:
        return
    seq = _last(tx)
    for space in Space:
        seq = _take_away(tx, space_name(kind, space), ids, seq)
    drop_tokens(tx, kind, ids)


def _last(tx: Transaction) -> int:
    return tx.db.execute("SELECT coalesce(max(seq), 0) FROM vector").fetchone()[0]  # type: ignore[no-any-return]


def _take_away(tx: Transaction, name: str, ids: Iterable[str], seq: int) -> int:
    for chunk in chunks(ids):
        marks, params = in_list(chunk)
        rows = tx.db.execute(
            f"SELECT seq FROM vector WHERE kind = ? AND id IN {marks} AND data IS NOT NULL", [name, *params]
        ).fetchall()
        changes = [(seq + number, old) for number, (old,) in enumerate(rows, 1)]
        tx.db.executemany("UPDATE vector SET seq = ?, data = NULL WHERE seq = ?", changes)
        seq += len(rows)
    return seq


def load_vectors(db: sqlite3.Connection, name: str, dimension: int) -> Iterator[tuple[list[str], Vectors]]:
    """Return the vectors of a ``space_name`` with this dimension, some thousands at a time: ids and an array (n, d)."""
    # The unary plus keeps SQLite from going through the index of kinds, here and below, and then having to sort.
    rows = db.execute(
        "SELECT id, data FROM vector WHERE +kind = ? AND length(data) = ? ORDER BY seq", (name, 4 * dimension)
    )
    while batch := rows.fetchmany(_BATCH):
        yield [id for id, _ in batch], _array([data for _, data in batch], dimension)


def vectors_by_id(db: sqlite3.Connection, name: str, dimension: int, ids: Sequence[str]) -> tuple[list[str], Vectors]:
    """Return those of some ids that have a vector of this dimension, and these vectors (n, dimension)."""
    found: list[tuple[str, bytes]] = []
    for chunk in chunks(ids):
        marks, params = in_list(chunk)
        found += db.execute(
            f"SELECT id, data FROM vector WHERE kind = ? AND id IN {marks} AND length(data) = ?",
            [name, *params, 4 * dimension],
        ).fetchall()
    return [id for id, _ in found], _array([data for _, data in found], dimension)


def changed_vectors(db: sqlite3.Connection, name: str, dimension: int, after: int) -> list[tuple[str, Vector | None]]:
    """Return what changed after a sequence number, in order: ``None`` for what is gone or has another dimension."""
    rows = db.execute("SELECT id, data FROM vector WHERE seq > ? AND +kind = ? ORDER BY seq", (after, name))
    size = 4 * dimension
    return [(id, _array([data], dimension)[0] if data is not None and len(data) == size else None) for id, data in rows]


def _array(blobs: Sequence[bytes], dimension: int) -> Vectors:
    import numpy as np

    return np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(blobs), dimension).astype(np.float32, copy=False)
