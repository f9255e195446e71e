# SPDX-License-Identifier: Apache-2.0
"""What the parts of one write share."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from ...domain.records import Kind
from .sql import chunks, in_list, quoted


@dataclass(slots=True)
class Transaction:
    """An open write transaction, the counts it changes, the ids it makes and those it knows to exist."""

    db: sqlite3.Connection
    tally: Counter[str] = field(default_factory=Counter)
    created: set[str] = field(default_factory=set)
    known: dict[Kind, set[str]] = field(default_factory=lambda: {kind: set() for kind in Kind})

    def existing(self, kind: Kind, ids: Iterable[str]) -> set[str]:
        """Return known ids of ``kind``: those of ``ids`` that a record has are among them, the others are not.

        Only to be called when nothing more is deleted in this transaction.
        """
        known = self.known[kind]
        for chunk in chunks(id for id in ids if id not in known):
            marks, params = in_list(chunk)
            rows = self.db.execute(f"SELECT id FROM {quoted(kind.value)} WHERE id IN {marks}", params)
            known.update(id for (id,) in rows)
        return known

    def finish(self) -> None:
        """Bring the stored counts up to date. The last thing to do before committing."""
        self.db.executemany(
            "INSERT INTO tally (name, n) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET n = n + excluded.n",
            [(name, change) for name, change in self.tally.items() if change],
        )
        self.tally.clear()
