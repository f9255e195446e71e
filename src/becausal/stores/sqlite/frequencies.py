# SPDX-License-Identifier: Apache-2.0
"""How many records hold a term: the text index counts them one by one, so what is common is remembered.

A record's place in the index is a number that grows. As long as no text was changed or taken away, which
``text_epoch`` in ``meta`` tells, only what was added since is counted on, by this process or another.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from ...domain.records import Kind
from ..packing import TEXT_EPOCH_KEY
from .transaction import Transaction

COMMON = 256
"""Records from which on a term is remembered: those of fewer are counted as quickly."""

_MOST = 4096  # terms
_REMEMBERED = (Kind.ENGRAM, Kind.PASSAGE)  # what questions are asked of


class Frequencies:
    """The numbers of records that hold common tokens. Safe to use from several threads."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, int, int]] = {}
        """By token: the epoch, the last record counted, and how many hold it up to that one."""

    def of(self, db: sqlite3.Connection, kind: Kind, tokens: Iterable[str]) -> dict[str, int]:
        """Return in how many records each token is, in the state that the open transaction sees."""
        if kind not in _REMEMBERED:
            return {token: _counted(db, token) for token in tokens}
        epoch, last = db.execute(
            "SELECT coalesce((SELECT value FROM meta WHERE key = ?), ''), coalesce(max(number), 0) FROM doc",
            (TEXT_EPOCH_KEY,),
        ).fetchone()
        found = {}
        for token in tokens:
            known = self._known.get(token)
            # Another thread may have seen a newer state than this transaction.
            if known is None or known[0] != epoch or known[1] > last:
                n = _counted(db, token)
            else:
                n = known[2] if known[1] == last else known[2] + _added(db, token, known[1])
            found[token] = n
            if n >= COMMON and (known is None or known[0] != epoch or known[1] < last):
                if len(self._known) >= _MOST:
                    self._known.clear()
                self._known[token] = epoch, last, n
        return found


def start_text_epoch(tx: Transaction, kind: Kind) -> None:
    """Have every reader count anew: texts of a kind are changed, or taken away."""
    if kind in _REMEMBERED:
        tx.db.execute(
            "INSERT INTO meta (key, value) VALUES (?, '1') "
            "ON CONFLICT (key) DO UPDATE SET value = CAST(value + 1 AS TEXT)",
            (TEXT_EPOCH_KEY,),
        )


def _counted(db: sqlite3.Connection, token: str) -> int:
    row = db.execute("SELECT doc FROM vocabulary WHERE term = ?", (token,)).fetchone()
    return row[0] if row else 0


def _added(db: sqlite3.Connection, token: str, after: int) -> int:
    """Return how many records behind a number hold a token; the index leaps over those before."""
    query = '"' + token.replace('"', '""') + '"'
    row = db.execute("SELECT count(*) FROM fulltext WHERE fulltext MATCH ? AND rowid > ?", (query, after)).fetchone()
    return int(row[0])
