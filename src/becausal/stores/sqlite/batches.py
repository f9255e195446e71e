# SPDX-License-Identifier: Apache-2.0
"""One batch in one transaction, its parts in the order the port promises."""

from __future__ import annotations

import sqlite3
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence

from ...domain.records import Kind
from ...ports.batch import Batch, Written
from ..packing import DIMENSION_KEY, check_meta
from .claims import grant_claims, release_claims
from .links import drop_links, put_links, weaken_links
from .records import delete_records, drop_unlinked, must_have_versions, patch_records, put_records
from .transaction import Transaction
from .vectors import put_vectors, start_epoch


def apply_batch(db: sqlite3.Connection, batch: Batch) -> Written:
    """Apply a batch inside an open transaction; see ``GraphStore.write`` for what it raises."""
    check_meta(batch.meta)
    tx = Transaction(db)
    doomed: dict[Kind, list[str]] = defaultdict(list)
    for ref in batch.deletes:
        doomed[ref.kind].append(ref.id)
    must_have_versions(tx, batch.deletes)
    for kind, ids in doomed.items():
        delete_records(tx, kind, ids)
    drop_links(tx, batch.unlinks)
    weaken_links(tx, batch.weaken)
    put_records(tx, batch.puts)
    patch_records(tx, batch.patches)
    put_vectors(tx, batch.vectors, batch.meta)
    put_links(tx, batch.links)
    drop_unlinked(tx, batch.unlinked)
    release_claims(db, batch.release)
    grant_claims(db, batch.grants, time.time())
    _put_meta(tx, batch.meta)
    tx.finish()
    return Written(frozenset(tx.created))


def clear_kinds(db: sqlite3.Connection, kinds: Sequence[Kind]) -> int:
    """Erase all records of these kinds inside an open transaction; see ``GraphStore.clear``."""
    tx = Transaction(db)
    gone = 0
    for kind in dict.fromkeys(kinds):
        rows = db.execute(f'SELECT id FROM "{kind.value}"').fetchall()
        gone += delete_records(tx, kind, [id for (id,) in rows])
    tx.finish()
    return gone


def _put_meta(tx: Transaction, meta: Mapping[str, str | None]) -> None:
    if DIMENSION_KEY in meta:
        old = tx.db.execute("SELECT value FROM meta WHERE key = ?", (DIMENSION_KEY,)).fetchone()
        if (old[0] if old else None) != meta[DIMENSION_KEY]:
            start_epoch(tx)
    for key, value in meta.items():
        if value is None:
            tx.db.execute("DELETE FROM meta WHERE key = ?", (key,))
        else:
            tx.db.execute(
                "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                (key, value),
            )
