# SPDX-License-Identifier: Apache-2.0
"""Leases by wall clock: what two processes must not do twice."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

from ...ports.batch import Grant
from ...ports.store import Lease
from ..checks import LONGEST_CLAIM, check_ttl
from .sql import chunks, in_list


def take_claims(
    db: sqlite3.Connection, kind: str, ids: Sequence[str], holder: str, now: float, ttl: float
) -> frozenset[str]:
    """See ``GraphStore.claim``; ``now`` is in seconds since 1970."""
    # What runs out later than any claim can was taken before the clock was set back.
    db.execute("DELETE FROM claim WHERE expires <= ? OR expires > ?", (now, now + LONGEST_CLAIM))
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


def read_leases(db: sqlite3.Connection, kind: str, ids: Sequence[str], now: float) -> dict[str, Lease]:
    """See ``GraphStore.leases``."""
    found: dict[str, Lease] = {}
    for chunk in chunks(ids):
        marks, params = in_list(chunk)
        rows = db.execute(
            f"SELECT id, holder, expires FROM claim WHERE kind = ? AND expires > ? AND id IN {marks}",
            [kind, now, *params],
        )
        found |= {id: Lease(holder, expires - now) for id, holder, expires in rows}
    return found


def grant_claims(db: sqlite3.Connection, grants: Iterable[Grant], now: float) -> None:
    """Give claims to new holders, whoever had them."""
    rows = []
    for grant in grants:
        check_ttl(grant.ttl)
        rows.append((grant.kind, grant.id, grant.holder, now + grant.ttl))
    db.executemany("INSERT OR REPLACE INTO claim (kind, id, holder, expires) VALUES (?, ?, ?, ?)", rows)


def release_claims(db: sqlite3.Connection, claims: Iterable[tuple[str, str]]) -> None:
    """Give up claims, whoever holds them."""
    db.executemany("DELETE FROM claim WHERE kind = ? AND id = ?", list(claims))
