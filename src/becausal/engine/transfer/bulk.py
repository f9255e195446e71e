# SPDX-License-Identifier: Apache-2.0
"""Keeping many memories in few transactions, each as it would have been kept alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import Any, NamedTuple, cast

from ...domain.records import Engram, Fact, Kind
from ...encode.compose import Telling, compose
from ...errors import Conflict
from ...graphs.timeline import Timeline
from ...ports.batch import Batch, Patch, Put
from ...ports.clock import Clock
from ...ports.store import Condition, GraphStore, Op
from ..writing import Writer, conversation, told_before

GROUP = 64
"""Memories kept in one transaction, at most."""

GROUP_TEXT = 1_000_000
"""Characters of text kept in one transaction, unless one memory alone has more."""


class Kept(NamedTuple):
    """What became of a telling: the memory that holds it, and whether it is new."""

    id: str
    created: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What another memory knows of the use of one of its own. ``access_count`` counts uses there."""

    created_at: datetime | None = None
    last_accessed_at: datetime | None = None
    access_count: int = 0
    decay_factor: float = 1.0
    summary: str | None = None

    def fields(self, engram: Engram) -> dict[str, Any]:
        """Return the fields of an engram with that past which are not as if it were new."""
        last = self.last_accessed_at or self.created_at or engram.last_accessed_at
        return {
            "last_accessed_at": last,
            "access_count": max(self.access_count, engram.access_count),
            "decay_factor": self.decay_factor,
            "summary": self.summary or engram.summary,
        }


class Bulk:
    """Keeps tellings of one import, in order. What is known already is left as it is, not strengthened."""

    def __init__(self, store: GraphStore, clock: Clock, writer: Writer) -> None:
        self._store = store
        self._clock = clock
        self._writer = writer
        self.redact = writer.redact
        self._last: dict[tuple[str, str] | None, str | None] = {None: None}  # by conversation

    def known(self, tellings: Sequence[Telling]) -> dict[str, str]:
        """Return the ids of memories that hold some tellings already, by content hash."""
        hashes = tuple({telling.content_hash for telling in tellings})
        found = self._store.find(Kind.ENGRAM, (Condition("content_hash", Op.IN, hashes),), limit=len(hashes) or 1)
        return {str(cast(Engram, record).content_hash): record.id for record in found.records}

    def keep(
        self, tellings: Sequence[Telling], zones: Sequence[tzinfo], pasts: Sequence[Past | None] = ()
    ) -> list[Kept]:
        """Keep some tellings, durably, before returning; those with a past as if they had been kept then."""
        holders = self.known(tellings)
        timeline = Timeline(self._store)
        batches: list[Batch] = []
        kept: list[Kept] = []
        new: list[int] = []
        pasts = pasts or [None] * len(tellings)
        for at, (telling, zone, past) in enumerate(zip(tellings, zones, pasts, strict=True)):
            hash = telling.content_hash
            if hash in holders:
                kept.append(Kept(holders[hash], False))
                continue
            composed = compose(
                telling,
                user=self._store.user,
                now=self._began(past),
                zone=zone,
                timeline=timeline,
                previous=self._previous(telling),
                pause=self._writer.pause,
            )
            batch = composed.batch
            if past is not None:
                engram = replace(composed.engram, **past.fields(composed.engram))
                batch = replace(batch, puts=(replace(batch.puts[0], record=engram), *batch.puts[1:]))
            if composed.closings:
                batch = replace(batch, puts=(*batch.puts, Put(self._writer.superseding(composed))))
            holders[hash] = composed.engram.id
            if part_of := conversation(telling.source, telling.session):
                self._last[part_of] = composed.engram.id
            batches.append(batch)
            kept.append(Kept(composed.engram.id, True))
            new.append(at)
        if not batches:
            return kept
        try:
            self._store.write(_together(batches, timeline.drafted))
        except Conflict:  # something else is being told at the same time
            self._last = {None: None}
            for at in new:
                stored = self._writer.store(tellings[at], zones[at])
                kept[at] = Kept(stored.engram.id, stored.created)
                if stored.created and (past := pasts[at]) is not None:
                    self._restore(stored.engram, past)
        return kept

    def _began(self, past: Past | None) -> datetime:
        return past.created_at if past is not None and past.created_at is not None else self._clock.now()

    def _restore(self, engram: Engram, past: Past) -> None:
        known = {} if past.created_at is None else {"created_at": past.created_at}
        if engram.occurred_at is None and past.created_at is not None:
            known["at"] = past.created_at
        self._store.write(Batch(patches=(Patch(Kind.ENGRAM, engram.id, set={**known, **past.fields(engram)}),)))

    def _previous(self, telling: Telling) -> str | None:
        part_of = conversation(telling.source, telling.session)
        if part_of not in self._last:
            self._last[part_of] = told_before(self._store, telling)
        return self._last[part_of]


def _together(batches: Sequence[Batch], facts: Mapping[str, Fact]) -> Batch:
    """Return one batch for several tellings; a fact is kept as later ones of them have left it."""
    puts = (put for batch in batches for put in batch.puts)
    return Batch(
        puts=tuple(replace(put, record=facts[put.record.id]) if put.record.id in facts else put for put in puts),
        patches=tuple(patch for batch in batches for patch in batch.patches),
        vectors=tuple(vector for batch in batches for vector in batch.vectors),
        links=tuple(link for batch in batches for link in batch.links),
    )
