# SPDX-License-Identifier: Apache-2.0
"""Token vectors in the file: what late interaction compares of the best candidates, read by id and never scanned.

They have a table of their own, so that reading all vectors does not have to pass over what is twice as long.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from ...domain.records import Kind
from ...ports.batch import PutVector
from ...ports.store import TokenVectors
from ..packing import packed_tokens
from .sql import chunks, in_list
from .transaction import Transaction

TABLE = (
    "CREATE TABLE IF NOT EXISTS token (number INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, "
    "width INTEGER NOT NULL, data BLOB NOT NULL, UNIQUE (kind, id)) STRICT"
)


def add_tokens(db: sqlite3.Connection) -> None:
    """Make the table. What was indexed without tokens is to be indexed again, which counts the pairs of cues anew."""
    db.execute(TABLE)
    db.execute("UPDATE engram SET indexed_at = NULL WHERE indexed_at IS NOT NULL")
    db.execute("DELETE FROM link WHERE kind = 'CO_OCCURS'")
    db.execute("DELETE FROM tally WHERE name = 'link:CO_OCCURS'")


def put_tokens(tx: Transaction, item: PutVector) -> None:
    """Write the token vectors of a record that exists; the old ones go.

    Raises:
        InvalidInput: they are not rows of whole numbers of one byte.
    """
    if item.tokens is None:
        drop_tokens(tx, item.kind, [item.id])
        return
    width, data = packed_tokens(item.tokens)
    tx.db.execute(
        "INSERT INTO token (kind, id, width, data) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (kind, id) DO UPDATE SET width = excluded.width, data = excluded.data",
        (item.kind.value, item.id, width, data),
    )


def drop_tokens(tx: Transaction, kind: Kind, ids: Iterable[str]) -> None:
    """Take away the token vectors of records."""
    for chunk in chunks(ids):
        marks, params = in_list(chunk)
        tx.db.execute(f"DELETE FROM token WHERE kind = ? AND id IN {marks}", [kind.value, *params])


def read_tokens(db: sqlite3.Connection, kind: Kind, ids: Sequence[str], width: int) -> TokenVectors:
    """See ``GraphStore.token_vectors``."""
    import numpy as np

    found: list[tuple[str, bytes]] = []
    for chunk in chunks(ids):
        marks, params = in_list(chunk)
        found += db.execute(
            f"SELECT id, data FROM token WHERE kind = ? AND id IN {marks} AND width = ?", [kind.value, *params, width]
        ).fetchall()
    rows = np.frombuffer(b"".join([data for _, data in found]), np.int8).reshape(-1, width)
    return TokenVectors(tuple([id for id, _ in found]), tuple([len(data) // width for _, data in found]), rows)
