# SPDX-License-Identifier: Apache-2.0
"""The write path's durable half: keeping what is told, and telling it anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import tzinfo
from typing import cast

from ..domain.records import KIND_OF, Change, Engram, Fact, Json, Kind
from ..domain.redaction import Redact, nothing
from ..domain.scoring import decay
from ..domain.text import clip
from ..encode.compose import Composed, Telling, compose, index_terms, redacted, retelling
from ..encode.enrichment import MODEL
from ..encode.pairs import weaker_pairs
from ..errors import Conflict, NotFound
from ..graphs.timeline import Timeline
from ..ports.batch import Batch, Put, PutVector, Written
from ..ports.clock import Clock
from ..ports.store import Condition, GraphStore, Op, Order
from .change_log import ChangeLog
from .removal import derived_from, engrams, facts_gone, links_of
from .results import Stored

STRENGTHENING = 0.05
ATTEMPTS = 5
"""Tries of a change that somebody else's change got in the way of."""


class Writer:
    """Keeps and edits memories, each in one transaction with what it implies."""

    def __init__(
        self,
        store: GraphStore,
        clock: Clock,
        zone: tzinfo,
        log: ChangeLog,
        redact: Redact = nothing,
        pause: Callable[[], object] = lambda: None,
    ) -> None:
        """Write to a store what ``redact`` lets pass.

        ``pause`` is called again and again while a text is read; what it raises ends that.
        """
        self._store = store
        self._clock = clock
        self._zone = zone
        self._log = log
        self.redact = redact
        self.pause = pause

    # --- keeping ---

    def store(self, telling: Telling, zone: tzinfo) -> Stored:
        """Keep a telling, or strengthen the memory that already holds it."""
        telling = redacted(telling, self.redact)
        for _ in range(ATTEMPTS):
            composed = self._compose(telling, zone)
            batch = composed.batch
            if composed.closings:
                batch = replace(batch, puts=(*batch.puts, Put(self.superseding(composed))))
            # What is told is mostly new: whether it is, the write itself finds out.
            try:
                written = self._store.write(batch)
            except Conflict:
                with suppress(Conflict):  # somebody else was told the same, or used it, in this moment
                    if known := self._known(telling):
                        return self._strengthen(known, telling)
                continue
            closed = tuple(each.after for each in composed.closings if each.after.valid_to)
            made = _made(batch, written)
            return Stored(engram=composed.engram, created=True, cues=composed.cues, superseded=closed, made=made)
        raise Conflict("the same memory is being told and forgotten elsewhere at once; try again")

    def superseding(self, composed: Composed) -> Change:
        """Return the record of the facts that a telling closes, so that they can be opened again."""
        facts = [each.before.id for each in composed.closings]
        closed = "a fact" if len(facts) == 1 else f"{len(facts)} facts"
        note = f"{closed} closed by: {clip(composed.engram.summary, 80)}"
        return self._log.make("supersede", (composed.engram.id, *facts), note, closings=composed.closings)

    def _known(self, telling: Telling) -> Engram | None:
        page = self._store.find(Kind.ENGRAM, (Condition("content_hash", Op.EQ, telling.content_hash),), limit=1)
        return cast(Engram, page.records[0]) if page.records else None

    def _strengthen(self, known: Engram, telling: Telling) -> Stored:
        now = self._clock.now()
        hours = (now - known.last_accessed_at).total_seconds() / 3600
        engram = replace(
            known,
            importance=max(known.importance, telling.importance),
            tags=tuple(dict.fromkeys((*known.tags, *telling.tags))),
            pinned=known.pinned or telling.pinned,
            metadata={**known.metadata, **telling.metadata},
            last_accessed_at=max(now, known.last_accessed_at),
            decay_factor=min(1.0, known.decay_factor * decay(hours) + STRENGTHENING),
            access_count=known.access_count + 1,
            archived_at=None,
        )
        terms = index_terms(engram, self._zone) if engram.tags != known.tags else None
        self._store.write(Batch(puts=(Put(engram, terms=terms, expect_version=known.version),)))
        return Stored(engram=engram, created=False, cues=())

    def _compose(
        self, telling: Telling, zone: tzinfo, existing: Engram | None = None, gone: Collection[str] = ()
    ) -> Composed:
        return compose(
            telling,
            user=self._store.user,
            now=self._clock.now(),
            zone=zone,
            timeline=Timeline(self._store, gone),
            previous=told_before(self._store, telling) if existing is None else None,
            existing=existing,
            pause=self.pause,
        )

    # --- editing ---

    def update(self, id: str, changes: dict[str, object], zone: tzinfo) -> Stored:
        """Change an engram; text, names and times are read anew, and the old state can be brought back.

        Raises:
            NotFound: no memory has this id.
            Conflict: another memory already holds exactly this.
        """

        def telling(old: Engram) -> Telling:
            told = retelling(old)
            if not changes.keys().isdisjoint(("content", "label")):  # what a model has read is of the old text
                told = replace(told, told={name: part for name, part in told.told.items() if name != MODEL})
            return redacted(replace(told, **changes), self.redact)  # type: ignore[arg-type]

        return self._rewrite(id, telling, zone, keep=True)

    def retell(self, id: str, told: Mapping[str, Json]) -> Stored:
        """Replace what was told or read beside a text, and derive everything anew.

        Raises:
            NotFound: no memory has this id.
            Conflict: it is being changed elsewhere.
        """
        return self._rewrite(id, lambda old: replace(retelling(old), told=told), self._zone, keep=False)

    def put_back(self, old: Engram) -> None:
        """Have an engram tell again what it told in an earlier state.

        Raises:
            NotFound: no memory has its id.
            Conflict: another memory already holds exactly this, or it is being changed elsewhere.
        """
        self._rewrite(old.id, lambda _: retelling(old), self._zone, keep=False)

    def drafted(self, gone: Engram) -> Batch:
        """Return what writes an engram that is no longer there, with all that comes of it."""
        return self._compose(retelling(gone), self._zone, existing=gone).batch

    def _rewrite(self, id: str, telling_of: Callable[[Engram], Telling], zone: tzinfo, *, keep: bool) -> Stored:
        """Replace what an engram tells, as often as somebody else's change to it gets in the way."""
        for _ in range(ATTEMPTS):
            old = self._fresh(id)
            telling = telling_of(old)
            known = self._known(telling)
            if known is not None and known.id != id:
                raise Conflict(f"another memory already holds exactly this: '{known.id}'")
            try:
                return self._replace(old, telling, zone, f"edited: {clip(old.summary, 80)}" if keep else None)
            except Conflict:
                continue  # it was used, indexed or changed in this moment
        raise Conflict(f"memory '{id}' is being changed elsewhere; try again")

    def _replace(self, old: Engram, telling: Telling, zone: tzinfo, note: str | None) -> Stored:
        links = links_of(self._store, {old.id})
        composed = self._compose(telling, zone, existing=old)
        removed = derived_from(self._store, {old.id}, links, _ids(composed))
        if gone := facts_gone(removed):  # what they contradict is put right by what takes their place, not by them
            composed = self._compose(telling, zone, existing=old, gone=gone)
            removed = derived_from(self._store, {old.id}, links, _ids(composed))
        patched = {patch.id for patch in composed.batch.patches}
        coming = [put.record for put in composed.batch.puts if isinstance(put.record, Fact)]
        reopened = [
            each
            for each in Timeline(self._store).reopened(facts_gone(removed), coming)
            if each.before.id not in patched
        ]
        first, *others = composed.batch.puts
        puts = (replace(first, expect_version=old.version), *others)
        if note is not None:
            puts += (Put(self._log.make("update", (old.id,), note, engrams=(old,), closings=reopened)),)
        batch = replace(
            removed,
            weaken=removed.weaken + weaker_pairs(self._store, [old]),
            puts=puts,
            patches=composed.batch.patches + Timeline.patches(reopened),
            vectors=(PutVector(Kind.ENGRAM, old.id, None), *composed.batch.vectors),
            links=composed.batch.links,
        )
        self._store.write(batch)
        return Stored(engram=self._fresh(old.id), created=False, cues=composed.cues)

    # --- helpers ---

    def _fresh(self, id: str) -> Engram:
        found = engrams(self._store, [id])
        if not found:
            raise NotFound("memory", id)
        return found[0]


def told_before(store: GraphStore, telling: Telling) -> str | None:
    """Return the id of what was told last in the same conversation, if it is of any."""
    part_of = conversation(telling.source, telling.session)
    if part_of is None:
        return None
    where = (Condition(part_of[0], Op.EQ, part_of[1]),)
    page = store.find(Kind.ENGRAM, where, Order("created_at", descending=True), limit=1)
    return page.records[0].id if page.records else None


def conversation(source: str | None, session: str | None) -> tuple[str, str] | None:
    """Return the field, and its value, that all that is told one after the other shares.

    That is the session, in which several may speak, or without one the source.
    """
    if session is not None:
        return "session", session
    return None if source is None else ("source", source)


def _ids(composed: Composed) -> set[str]:
    return {put.record.id for put in composed.batch.puts}


def _made(batch: Batch, written: Written) -> dict[str, int]:
    """Return how many records and links of each kind are new."""
    new = written.created
    kinds = {put.record.id: str(KIND_OF[type(put.record)]) for put in batch.puts if put.record.id in new}
    kinds |= {put.link.id: str(put.link.kind) for put in batch.links if put.link.id in new}
    return dict(Counter(kinds.values()))
