# SPDX-License-Identifier: Apache-2.0
"""What an export or import tells: how far it is, and in the end what became of everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TypeAlias

from ...domain.records import KIND_OF, Kind
from ...ports.batch import Batch, Written
from ..results import Progress
from .results import Imported, Skipped

Tell: TypeAlias = Callable[[Progress], None]

MOST_SKIPPED = 100
"""Refusals that a report names; the rest are counted."""


class Report:
    """Gathers what an import did."""

    def __init__(self, format: str) -> None:
        self.format = format
        self.known = 0
        self.unindexed = 0
        self._added: Counter[str] = Counter()
        self._links = 0
        self._refused = 0
        self._skipped: list[Skipped] = []
        self._passed: Counter[str] = Counter()

    def refuse(self, where: str, why: str) -> None:
        self._refused += 1
        if len(self._skipped) < MOST_SKIPPED:
            self._skipped.append(Skipped(where=where, why=why))

    def passed(self, why: str) -> None:
        self._passed[why] += 1

    def add(self, kind: Kind) -> None:
        self._added[kind.value] += 1

    def add_link(self) -> None:
        self._links += 1

    def wrote(self, batch: Batch, written: Written) -> None:
        """Count what a batch has made."""
        for put in batch.puts:
            if put.record.id in written.created:
                self._added[KIND_OF[type(put.record)].value] += 1
            else:
                self.known += 1
        new = {put.link.id for put in batch.links}
        self._links += len(new & written.created)
        self.known += len(new - written.created)

    def would_write(self, batch: Batch) -> None:
        """Count what a batch would make."""
        self._added.update(KIND_OF[type(put.record)].value for put in batch.puts)
        self._links += len(batch.links)

    def imported(self, *, dry_run: bool) -> Imported:
        return Imported(
            format=self.format,
            added={kind.value: self._added[kind.value] for kind in Kind if self._added[kind.value]},
            links=self._links,
            known=self.known,
            refused=self._refused,
            skipped=tuple(self._skipped),
            passed=dict(self._passed),
            unindexed=self.unindexed,
            dry_run=dry_run,
        )
