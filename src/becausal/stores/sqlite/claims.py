# SPDX-License-Identifier: Apache-2.0
"""Leases by wall clock: what two processes must not do twice."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from .sql import chunks, in_list


def take_claims(
    db: sqlite3.Connection, kind: str, ids: Sequence[str], holder: str, now: float, ttl: float
) -> frozenset[str]:
    """See ``GraphStore.claim``; ``now`` is in seconds since 1970."""
    db.execute("DELETE FROM claim WHERE expires <= ?", (now,))
    held: set[str] = set()
    for chunk in chunks(ids):
        db.executemany(
            "INSERT INTO claim (kind, id, holder, expires) VALUES (?, ?, ?, ?) ON CONFLICT (kind, id) "
            "DO UPDATE SET expires = excluded.expires WHERE holder = excluded.holder",
            [(kind, id, holder, now + ttl) for id in chunk],
        )
        marks, params = in_list(chunk)
        rows = db.execute(
            f"SELECT id FROM claim WHERE kind = ? AND holder = ? AND id IN {marks}", [kind, holder, *params]
        )
        held.update(id for (id,) in rows)
    return frozenset(held)


def release_claims(db: sqlite3.Connection, claims: Iterable[tuple[str, str]]) -> None:
    """Give up claims, whoever holds them."""
    db.executemany("DELETE FROM claim WHERE kind = ? AND id = ?", list(claims))
