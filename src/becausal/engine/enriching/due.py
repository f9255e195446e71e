# SPDX-License-Identifier: Apache-2.0
"""Which memories are to be read, by what is noted with each of an earlier reading."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias, cast

from ...domain.records import Engram, Json, Kind, NodeType
from ...domain.time import iso
from ...encode.enrichment import FAILED, MODEL
from ...ports.batch import Batch
from ...ports.clock import Clock
from ...ports.store import Condition, GraphStore, Op, Where

READABLE: Where = (
    Condition("archived_at", Op.NULL, True),
    Condition("node_type", Op.EQ, NodeType.MEMORY.value),
)
INDEXED: Where = (*READABLE, Condition("indexed_at", Op.NULL, False))
PAGE = 500

ALL_SINCE = "enrich_all_since"
"""Key that the store has while everything is being read anew: since when."""

Told: TypeAlias = "Mapping[str, Json]"
"""What was told beside a memory's text, with what a model has read in it."""

Wanted: TypeAlias = "Callable[[Told], bool]"


class Due:
    """The memories of a store that a model is to read."""

    def __init__(self, store: GraphStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def begin_anew(self) -> None:
        """Have everything read anew that is read by now, unless that was begun already."""
        if self._store.meta(ALL_SINCE) is None:
            self._store.write(Batch(meta={ALL_SINCE: iso(self._clock.now())}))

    def end_anew(self) -> None:
        self._store.write(Batch(meta={ALL_SINCE: None}))

    def wanted(self, all: bool) -> Wanted:
        """Return what tells which memories are to be read: those not read yet or unreadable; or all, since it began."""
        since = (self._store.meta(ALL_SINCE) or iso(self._clock.now())) if all else None
        return (lambda told: _read_at(told) < since) if since is not None else _unread_or_failed

    def count(self, wanted: Wanted) -> int:
        return sum(1 for _ in self._ids(wanted))

    def engrams(self, wanted: Wanted) -> Iterator[Engram]:
        """Yield the memories that are to be read, in the order in which they were told."""
        for id in self._ids(wanted):
            found = self._store.get(Kind.ENGRAM, [id])
            if id in found:
                yield cast(Engram, found[id])

    def all(self) -> Iterator[tuple[str, Told]]:
        """Yield the ids of memories that can be read, in that order, with what was told beside them."""
        after = ""
        while page := self._store.sweep(Kind.ENGRAM, ("told",), READABLE, after, PAGE):
            yield from page
            after = page[-1][0]

    def _ids(self, wanted: Wanted) -> Iterator[str]:
        return (id for id, told in self.all() if wanted(told))


def part_of(told: Told) -> Told:
    """Return what a model has left with a memory; empty if none has read it."""
    part = told.get(MODEL)
    return part if isinstance(part, dict) else {}


def is_unread(told: Told) -> bool:
    return not part_of(told)


def _unread_or_failed(told: Told) -> bool:
    part = part_of(told)
    return not part or FAILED in part


def _read_at(told: Told) -> str:
    return str(part_of(told).get("at", ""))
