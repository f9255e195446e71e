# SPDX-License-Identifier: Apache-2.0
"""One consolidation under way: what a step is given, and what it leaves for whoever goes on after a crash."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from ..domain.records import Kind
from ..ports.batch import Batch
from ..ports.store import Condition, GraphStore, Op, Where

STATE = "consolidation"
"""Key under which the store remembers how far a consolidation has come, while it is not finished."""

PAGE = 500
"""Records read at a time."""

PIECE = 25
"""Records changed in one transaction: a few milliseconds, so that nobody else waits long to write."""

LIVE: Where = (Condition("archived_at", Op.NULL, True),)


class Stopped(Exception):
    """The work was told to stop, or is somebody else's by now; what was done so far is kept."""


@dataclass(slots=True)
class Run:
    """A consolidation.

    ``started`` is the time that everything is reckoned from, also by whoever goes on with it. ``after`` is the
    id up to which the present step has come. ``pause`` is called between pieces of work; it gives others their
    turn, and raises ``Stopped``. A ``dry`` run counts and changes nothing.
    """

    store: GraphStore
    started: datetime
    pause: Callable[[], object]
    dry: bool = False
    step: int = 0
    after: str = ""
    notes: dict[str, str] = field(default_factory=dict)  # what a step must know when it is gone on with
    counts: dict[str, dict[str, int]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(int)))
    weak: list[str] = field(default_factory=list)  # what a dry run would archive

    def pages(self, kind: Kind, fields: Sequence[str], where: Where = ()) -> Iterator[tuple[tuple[Any, ...], ...]]:
        """Walk over the records that match, from where the step has come, some at a time."""
        after = self.after
        while page := self.store.sweep(kind, fields, where, after, PAGE):
            after = page[-1][0]
            yield page
            self.pause()
            if len(page) < PAGE:
                return

    def write(self, step: str, batch: Batch, *, after: str | None = None, **counts: int) -> None:
        """Write a piece of a step together with how far it has come, and count what it did.

        Raises:
            Conflict: somebody else changed one of the records; nothing was written or counted.
        """
        before = dict(self.counts[step])
        self.add(step, **counts)
        if self.dry:
            return
        old, self.after = self.after, self.after if after is None else after
        try:
            self.store.write(replace(batch, meta={**batch.meta, STATE: self.state()}))
        except BaseException:
            self.after = old
            self.counts[step] = defaultdict(int, before)
            raise
        self.pause()

    def add(self, step: str, **counts: int) -> None:
        """Count what a step found or did."""
        for name, count in counts.items():
            self.counts[step][name] += count

    def state(self) -> str:
        """Return how far the work has come, as JSON."""
        return json.dumps(
            {
                "started": self.started.isoformat(),
                "step": self.step,
                "after": self.after,
                "notes": self.notes,
                "counts": self.counts,
            }
        )

    def go_on_from(self, state: str) -> None:
        """Take up what an earlier run has left behind."""
        told = json.loads(state)
        self.started = datetime.fromisoformat(told["started"])
        self.step, self.after, self.notes = told["step"], told["after"], dict(told["notes"])
        for step, counts in told["counts"].items():
            self.add(step, **counts)
