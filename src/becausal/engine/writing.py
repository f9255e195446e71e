# SPDX-License-Identifier: Apache-2.0
"""The write path's durable half, and every later change to what was written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta, tzinfo
from typing import Any, cast

from ..domain.ids import new_id
from ..domain.leases import results_of
from ..domain.records import KIND_OF, Change, Engram, Fact, Json, Kind
from ..domain.redaction import Redact, nothing
from ..domain.scoring import decay
from ..domain.text import clip
from ..encode.compose import Composed, Telling, compose, index_terms, redacted, retelling
from ..encode.enrichment import MODEL
from ..encode.pairs import weaker_pairs
from ..errors import Conflict, NotFound, NothingToUndo
from ..graphs.timeline import Timeline
from ..ports.batch import Batch, Put, PutLink, PutVector, Ref, Written
from ..ports.clock import Clock
from ..ports.store import Condition, GraphStore, Op, Order, Where
from ..stores.codec import link_from_json
from .changes import engrams_before, facts_before, make_change
from .graph import withdrawing
from .removal import derived_from, engrams, erase_expired, erase_traces, facts_gone, healed, links_of, stated
from .results import Forgotten, Stored, Undone
from .upkeep import archive
from .upkeep.archive import Archive

STRENGTHENING = 0.05
GROUP = 500
"""Memories forgotten in one transaction."""

MAX_FORGOTTEN = 100_000
ATTEMPTS = 5
"""Tries of a change that somebody else's change got in the way of."""


class Writer:
    """Keeps, edits, forgets and restores memories, each in one transaction with what it implies."""

    def __init__(
        self,
        store: GraphStore,
        clock: Clock,
        zone: tzinfo,
        undo_days: int,
        elsewhere: tuple[str, ...] = (),
        redact: Redact = nothing,
        pause: Callable[[], object] = lambda: None,
    ) -> None:
        """Write to a store what ``redact`` lets pass; ``elsewhere`` names what keeps what is purged here.

        ``pause`` is called again and again while a text is read; what it raises ends that.
        """
        self._store = store
        self._clock = clock
        self._zone = zone
        self._undo = timedelta(days=undo_days)
        self.elsewhere = elsewhere
        self.redact = redact
        self.pause = pause
        self._archive = Archive(store, clock, undo_days)

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
        return self._change("supersede", (composed.engram.id, *facts), note, closings=composed.closings)

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
            puts += (Put(self._change("update", (old.id,), note, engrams=(old,), closings=reopened)),)
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

    # --- forgetting ---

    def forget(self, ids: Sequence[str], *, purge: bool) -> Forgotten:
        """Take engrams out of the memory, with everything that only they supported.

        Kept for undoing until the days are over, unless ``purge`` erases them, their earlier versions and
        their traces in the store's files at once.
        """
        group = new_id()
        forgotten: list[str] = []
        for start in range(0, len(ids), GROUP):
            forgotten += self._forget_some(ids[start : start + GROUP], group, purge, first=not start)
        remains: tuple[str, ...] = ()
        if purge:
            self._purge_changes(ids)
            remains = erase_traces(self._store, self.elsewhere)
        return Forgotten(
            ids=tuple(forgotten),
            purged=purge,
            undo=None if purge or not forgotten else group,
            erased_at=None if purge or not forgotten else self._clock.now() + self._undo,
            remains=remains,
        )

    def _forget_some(self, ids: Sequence[str], group: str, purge: bool, *, first: bool) -> list[str]:
        for _ in range(ATTEMPTS):
            try:
                return self._forget_group(ids, group, purge, first=first)
            except Conflict:
                continue  # one of them, or a fact that opens again, was changed in this moment
        raise Conflict("what these memories told is being changed elsewhere; try again")

    def _forget_group(self, ids: Sequence[str], group: str, purge: bool, *, first: bool) -> list[str]:
        found = engrams(self._store, ids)
        if not found:
            return []
        gone = {engram.id for engram in found}
        links = links_of(self._store, gone)
        closed = healed(self._store.user, gone, links, self._clock.now())
        removed = derived_from(self._store, gone, links)
        reopened = Timeline(self._store).reopened(facts_gone(removed))
        puts: tuple[Put, ...] = ()
        if not purge:
            what = clip(found[0].summary, 80) if len(found) == 1 else f"{len(found)} memories"
            change = self._change(
                "forget",
                sorted(gone) if first else (*sorted(gone), group),
                f"forgot: {what}",
                id=group if first else new_id(),
                engrams=found,
                links=stated(links),
                healed=[link.id for link in closed],
                closings=reopened,
            )
            puts = (Put(change),)
        self._store.write(
            replace(
                removed,
                # One that is indexed in this moment gives strength that would not be taken back.
                deletes=removed.deletes + tuple(Ref(Kind.ENGRAM, each.id, each.version) for each in found),
                weaken=removed.weaken + weaker_pairs(self._store, found),
                puts=puts,
                patches=Timeline.patches(reopened),
                links=tuple(PutLink(link, merge="keep") for link in closed),
                release=tuple(lease for each in found for lease in results_of(each)) if purge else (),
            )
        )
        return [engram.id for engram in found]

    def _purge_changes(self, ids: Sequence[str]) -> None:
        """Delete every kept state of some engrams."""
        for start in range(0, len(ids), GROUP):
            for change in self._changes_of(ids[start : start + GROUP]):
                held = tuple(lease for engram in engrams_before(change) for lease in results_of(engram))
                self._store.write(Batch(deletes=(Ref(Kind.CHANGE, change.id),), release=held))

    def known_to_changes(self, id: str) -> bool:
        """Whether an engram that is no longer there is still kept for undoing."""
        return bool(self._changes_of([id]))

    def matching(self, where: Where) -> tuple[str, ...]:
        """Return the ids of all engrams that match, up to 100,000."""
        ids: list[str] = []
        page = self._store.find(Kind.ENGRAM, where, limit=1000)
        while True:
            ids += [record.id for record in page.records]
            if page.next is None or len(ids) >= MAX_FORGOTTEN:
                return tuple(ids[:MAX_FORGOTTEN])
            page = self._store.find(Kind.ENGRAM, where, limit=1000, after=page.next)

    # --- undoing ---

    def undo(self, change_id: str | None) -> Undone:
        """Take back the newest change, or the one named (for a bulk: all of it)."""
        if change_id is None:
            newest = self.changes(1)
            if not newest:
                raise NothingToUndo("there is no change left that could be undone")
            group = self._group_of(newest[0])
        else:
            kept = cast("Change | None", self._store.get(Kind.CHANGE, [change_id]).get(change_id))
            if kept is None or kept.expires_at <= self._clock.now():
                raise NotFound("change", change_id)
            group = self._group_of(kept)
        restored = [id for change in group for id in self._take_back(change)]
        return Undone(change=group[0], ids=tuple(restored))

    def _group_of(self, change: Change) -> tuple[Change, ...]:
        """Return all changes that one call made together, the newest first.

        The first has the id of the whole; the others name it as their last target.
        """
        group = change.targets[-1] if self._store.get(Kind.CHANGE, change.targets[-1:]) else change.id
        first = cast(Change, self._store.get(Kind.CHANGE, [group])[group])
        return (*(each for each in self._changes_of([group]) if each.id != group), first)

    def _take_back(self, change: Change) -> list[str]:
        if change.action == archive.ACTION:
            return self._archive.take_out(change)
        if change.action == archive.BACK:
            return self._archive.put_back(change)
        # What went into the archive since, or came back, is as it was otherwise.
        moves = (archive.ACTION, archive.BACK)
        later = [each for each in self._changes_of(change.targets) if each.id > change.id and each.action not in moves]
        if later:
            raise Conflict(f"it was changed again since: undo change '{later[0].id}' first")
        if change.action == withdrawing.ACTION:
            return withdrawing.restore(self._store, change)
        state = change.inverse
        old = engrams_before(change)
        done = Batch(deletes=(Ref(Kind.CHANGE, change.id),), unlinks=tuple(cast(list[str], state["healed"])))
        present = self._store.get(Kind.ENGRAM, [engram.id for engram in old])
        for engram in old:
            if engram.id in present:
                before = retelling(engram)
                self._rewrite(engram.id, lambda _, telling=before: telling, self._zone, keep=False)  # type: ignore[misc]
        try:
            missing = [engram for engram in old if engram.id not in present]
            batches = [self._compose(retelling(engram), self._zone, existing=engram).batch for engram in missing]
            links = tuple(
                PutLink(link_from_json(each), merge="keep") for each in cast(list[dict[str, object]], state["links"])
            )
            patches = tuple(patch for batch in batches for patch in batch.patches)
            patches += self._archive.revival(cast("list[str]", state.get("archived", []))).patches
            facts = facts_before(self._store, state, {patch.id for patch in patches})
            self._store.write(
                replace(
                    done,
                    deletes=done.deletes + facts.deletes,
                    puts=tuple(put for batch in batches for put in batch.puts),
                    patches=facts.patches + patches,
                    vectors=tuple(put for batch in batches for put in batch.vectors),
                    links=tuple(link for batch in batches for link in batch.links) + links,
                )
            )
        except Conflict:
            raise Conflict("the same text has been stored again since; forget that one first") from None
        return [engram.id for engram in old] + [patch.id for patch in facts.patches]

    def changes(self, limit: int) -> tuple[Change, ...]:
        """Return what can still be undone, newest first; what one call did is one change."""
        alive = (Condition("expires_at", Op.GT, self._clock.now()),)
        found: list[Change] = []
        page = self._store.find(Kind.CHANGE, alive, Order("id", descending=True), limit)
        while True:
            changes = [cast(Change, record) for record in page.records]
            wholes = self._store.get(Kind.CHANGE, [each.targets[-1] for each in changes if each.targets])
            found += [each for each in changes if not (each.targets and each.targets[-1] in wholes)]
            if page.next is None or len(found) >= limit:
                return tuple(found[:limit])
            page = self._store.find(Kind.CHANGE, alive, Order("id", descending=True), limit, page.next)

    def change_about(self, id: str) -> str:
        """Return the id of the newest change that can be undone of what has an id, or the id itself."""
        now = self._clock.now()
        return next((each.id for each in self._changes_of([id]) if each.expires_at > now), id)

    def changes_of(self, id: str) -> tuple[Change, ...]:
        return self._changes_of([id])

    def _changes_of(self, ids: Sequence[str]) -> tuple[Change, ...]:
        page = self._store.find(Kind.CHANGE, (Condition("targets", Op.HAS, tuple(ids)),), Order("id", True), 1000)
        return tuple(cast(Change, record) for record in page.records)

    def erase_expired(self, *, hurry: bool = False) -> int:
        """Erase what was kept for undoing and is past its days; see ``removal.erase_expired``."""
        return erase_expired(self._store, self._clock.now(), hurry=hurry)

    # --- helpers ---

    def _fresh(self, id: str) -> Engram:
        found = engrams(self._store, [id])
        if not found:
            raise NotFound("memory", id)
        return found[0]

    def _change(self, action: str, targets: Sequence[str], note: str, **before: Any) -> Change:
        return make_change(action, targets, note, now=self._clock.now(), kept_for=self._undo, **before)


def told_before(store: GraphStore, telling: Telling) -> str | None:
    """Return the id of what was told last in the same source and session, if it has any."""
    where = tuple(
        Condition(field, Op.EQ, value)
        for field, value in (("source", telling.source), ("session", telling.session))
        if value is not None
    )
    if not where:
        return None
    page = store.find(Kind.ENGRAM, where, Order("created_at", descending=True), limit=1)
    return page.records[0].id if page.records else None


def _ids(composed: Composed) -> set[str]:
    return {put.record.id for put in composed.batch.puts}


def _made(batch: Batch, written: Written) -> dict[str, int]:
    """Return how many records and links of each kind are new."""
    new = written.created
    kinds = {put.record.id: str(KIND_OF[type(put.record)]) for put in batch.puts if put.record.id in new}
    kinds |= {put.link.id: str(put.link.kind) for put in batch.links if put.link.id in new}
    return dict(Counter(kinds.values()))
