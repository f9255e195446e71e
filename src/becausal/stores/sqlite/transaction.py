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
    """An open write transaction, the counts it changes and the ids it makes."""

    db: sqlite3.Connection
    tally: Counter[str] = field(default_factory=Counter)
    created: set[str] = field(default_factory=set)

    def existing(self, kind: Kind, ids: Iterable[str]) -> set[str]:
        """Return those of the ids that a record of ``kind`` has."""
        found: set[str] = set()
        for chunk in chunks(ids):
            marks, params = in_list(chunk)
            rows = self.db.execute(f"SELECT id FROM {quoted(kind.value)} WHERE id IN {marks}", params)
            found.update(id for (id,) in rows)
        return found

    def finish(self) -> None:
        """Bring the stored counts up to date. The last thing to do before committing."""
        self.db.executemany(
            "INSERT INTO tally (name, n) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET n = n + excluded.n",
            [(name, change) for name, change in self.tally.items() if change],
        )
        self.tally.clear()
