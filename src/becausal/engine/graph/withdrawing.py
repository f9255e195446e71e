# SPDX-License-Identifier: Apache-2.0
"""Taking back one thing that a caller stated: a fact, an event, a relation, a cause, a concept or an entity.

What a memory tells as well stays, and is no longer stated; what nothing supports any more goes. A fact that the
statement had closed is open again. All of it can be undone like the forgetting of a memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TypeAlias, cast

from ...domain.ids import link_id
from ...domain.records import (
    KIND_OF,
    Cause,
    Change,
    Cue,
    CueType,
    Entity,
    Event,
    Fact,
    Json,
    Kind,
    Link,
    LinkKind,
    Record,
)
from ...domain.text import terms
from ...domain.words import clip
from ...errors import Conflict, InvalidInput
from ...graphs.concepts import embedded_text
from ...graphs.timeline import Closing, Timeline, fact_terms
from ...ports.batch import Batch, Patch, Put, PutLink, Ref
from ...ports.clock import Clock
from ...ports.store import Condition, GraphStore, Op, Order
from ...stores.codec import link_from_json, record_from_json, record_to_json
from ..changes import facts_before, make_change
from ..embedding import VECTORS_DUE
from ..removal import erase_traces
from ..results import Forgotten, Undone
from .stated import spoken

ACTION = "withdraw"
"""What a change of this kind is called in the list of changes."""

ATTEMPTS = 5
MAX_LINKS = 10_000
PAGE = 1_000
MANY = 1_000
"""Changes about one record that are looked at."""

Stated: TypeAlias = Fact | Event | Entity | Cause | Cue
RECORDS = (Kind.FACT, Kind.EVENT, Kind.ENTITY, Kind.CAUSE, Kind.CUE)

BETWEEN: Mapping[LinkKind, Kind] = {LinkKind.E_RELATES: Kind.ENTITY, LinkKind.C_CAUSES: Kind.CAUSE}
"""The links that are statements of their own, and what they join."""


@dataclass(slots=True)
class _Taking:
    """A withdrawal in the making. ``records`` and ``links`` are as they were before."""

    deletes: list[Ref] = field(default_factory=list)
    unlinks: list[str] = field(default_factory=list)
    puts: list[Put] = field(default_factory=list)
    patches: list[Patch] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    kept: list[PutLink] = field(default_factory=list)
    records: list[Stated] = field(default_factory=list)
    closings: tuple[Closing, ...] = ()
    gone: list[str] = field(default_factory=list)

    def batch(self, change: Change | None) -> Batch:
        return Batch(
            deletes=tuple(self.deletes),
            unlinks=tuple(self.unlinks),
            puts=(*self.puts, *([Put(change)] if change else [])),
            patches=(*self.patches, *Timeline.patches(self.closings)),
            links=tuple(self.kept),
        )


class Withdrawals:
    """Takes back what callers stated in one memory."""

    def __init__(self, store: GraphStore, clock: Clock, undo: timedelta, elsewhere: Sequence[str] = ()) -> None:
        self._store = store
        self._elsewhere = elsewhere
        self._clock = clock
        self._undo = undo

    def withdraw(self, id: str, *, purge: bool, dry_run: bool) -> Forgotten | None:
        """Take back what has this id; return ``None`` if nothing stated or read has it.

        Raises:
            InvalidInput: nobody stated it, so that it goes with the memories that tell it.
        """
        for _ in range(ATTEMPTS):
            found = self._find(id)
            if found is None:
                return self._purge_kept(id) if purge and not dry_run else None
            taking = self._taking(found)
            if dry_run:
                return Forgotten(ids=tuple(taking.gone), dry_run=True, stated=True)
            change = None if purge else self._change(found, taking)
            try:
                self._store.write(taking.batch(change))
            except Conflict:
                continue  # what it is about was changed in this moment
            if purge:
                self._drop_changes(taking.gone)
                return Forgotten(
                    ids=tuple(taking.gone), purged=True, stated=True, remains=erase_traces(self._store, self._elsewhere)
                )
            until = self._clock.now() + self._undo
            undo = change.id if change else None
            return Forgotten(ids=tuple(taking.gone), stated=True, undo=undo, erased_at=until)
        raise Conflict("what this is about is being changed elsewhere; try again")

    def undo_statement(self, id: str) -> Undone | None:
        """Take back what was stated under an id, if there is no change of it that could be undone instead."""
        if self._store.get(Kind.CHANGE, [id]) or self._store.get(Kind.ENGRAM, [id]) or self._changes(id, 1):
            return None
        taken = self.withdraw(id, purge=False, dry_run=False)
        if taken is None or taken.undo is None:
            return None
        change = cast(Change, self._store.get(Kind.CHANGE, [taken.undo])[taken.undo])
        return Undone(change=change, ids=taken.ids)

    def _changes(self, id: str, most: int) -> tuple[Record, ...]:
        alive = (Condition("targets", Op.HAS, (id,)), Condition("expires_at", Op.GT, self._clock.now()))
        return self._store.find(Kind.CHANGE, alive, Order("id", descending=True), most).records

    # --- finding ---

    def _find(self, id: str) -> Stated | Link | None:
        for kind in RECORDS:
            if record := self._store.get(kind, [id]).get(id):
                return self._stated(cast("Stated", record))
        for link_kind, kind in BETWEEN.items():
            if link := self._link(id, link_kind, kind):
                if not link.asserted:
                    raise _unstated(id, link.sources)
                return link
        return None

    def _stated(self, record: Stated) -> Stated:
        if record.asserted:
            return record
        support = LinkKind.ENCODED_BY if isinstance(record, Cue) else LinkKind.X_RECORDS
        raise _unstated(record.id, [edge.src for edge in self._store.edges([record.id], [support], "in", 1)])

    def _link(self, id: str, link_kind: LinkKind, kind: Kind) -> Link | None:
        """Return the link with this id. A store looks links up by their ends, from which their ids are made."""
        after = ""
        while page := self._store.sweep(kind, (), after=after, limit=PAGE):
            ends = [row[0] for row in page]
            for edge in self._store.edges(ends, [link_kind], "out", MAX_LINKS):
                if id == link_id(self._store.user, link_kind, edge.src, edge.dst, edge.relation_type):
                    links = self._store.links([edge.src], [link_kind], "out", MAX_LINKS)
                    return next((link for link in links if link.id == id), None)
            after = ends[-1]
        return None

    # --- what goes ---

    def _taking(self, found: Stated | Link) -> _Taking:
        taking = _Taking(gone=[found.id])
        match found:
            case Link():
                self._take_link(taking, found)
                self._release(taking, [found.src, found.dst], found)
            case Cause():
                links = self._store.links([found.id], [LinkKind.C_CAUSES], limit=MAX_LINKS)
                stated = [link for link in links if link.asserted]
                for link in stated:
                    self._take_link(taking, link)
                    taking.gone.append(link.id)
                self._take_record(taking, found)
                ends = {end for link in stated for end in (link.src, link.dst)} - {found.id}
                for end in sorted(ends):
                    self._release(taking, [end], *stated)
            case Entity():
                self._take_record(taking, found)
                self._take_names(taking, found)
            case _:
                self._take_record(taking, found)
        return taking

    def _take_link(self, taking: _Taking, link: Link) -> None:
        """Take a link out; if memories tell it as well, it stays as they tell it."""
        taking.links.append(link)
        taking.unlinks.append(link.id)
        if link.sources:
            taking.kept.append(PutLink(replace(link, asserted=False)))

    def _take_record(self, taking: _Taking, record: Stated) -> None:
        """Delete a record; if memories tell it as well, it stays as they tell it."""
        kind = KIND_OF[type(record)]
        links = self._store.links([record.id], limit=MAX_LINKS)
        support = LinkKind.ENCODED_BY if kind is Kind.CUE else LinkKind.X_RECORDS
        taking.records.append(record)
        if not any(link.kind is support and link.dst == record.id for link in links):
            taking.deletes.append(Ref(kind, record.id, expect_version=record.version))
            taking.links += [link for link in links if link not in taking.links]
            taking.gone += [link.id for link in links if link.kind in BETWEEN and link.id not in taking.gone]
            if isinstance(record, Fact):
                taking.closings = Timeline(self._store).reopened([record.id])
            return
        if isinstance(record, Cue | Entity):
            bare = _bare(record)
            taking.puts.append(Put(bare, _terms(bare), expect_version=record.version))
        else:
            taking.patches.append(Patch(kind, record.id, set={"asserted": False}, expect_version=record.version))

    def _take_names(self, taking: _Taking, entity: Entity) -> None:
        """Take out the names that were stated with an entity, but for those of other entities."""
        links = self._store.links([entity.id], [LinkKind.X_REPRESENTS], "in", MAX_LINKS)
        names = self._store.get(Kind.CUE, [link.src for link in links])
        for cue in (cast(Cue, record) for record in names.values()):
            others = self._store.edges([cue.id], [LinkKind.X_REPRESENTS], "out", 2)
            if cue.asserted and cue.cue_type is CueType.ENTITY and len(others) < 2:
                self._take_record(taking, cue)

    def _release(self, taking: _Taking, ids: Sequence[str], *but: Link) -> None:
        """Let go of causal nodes that were stated with links that go, if nothing else was stated of them."""
        known = self._store.get(Kind.CAUSE, ids)
        going = {link.id for link in but}
        for cause in (cast(Cause, record) for record in known.values()):
            links = self._store.links([cause.id], [LinkKind.C_CAUSES], limit=MAX_LINKS)
            others = [link for link in links if link.asserted and link.id not in going]
            if cause.asserted and not others:
                self._take_record(taking, cause)

    # --- undoing ---

    def _change(self, found: Stated | Link, taking: _Taking) -> Change:
        change = make_change(
            ACTION,
            tuple(dict.fromkeys(taking.gone)),
            f"withdrew: {clip(self._told(found), 80)}",
            now=self._clock.now(),
            kept_for=self._undo,
            links=taking.links,
            closings=taking.closings,
        )
        kept: list[Json] = [record_to_json(record) for record in taking.records]
        return replace(change, inverse={**change.inverse, "records": kept})

    def _told(self, found: Stated | Link) -> str:
        match found:
            case Fact():
                return f"{found.subject} {spoken(found.predicate)} {found.object}"
            case Link():
                ends = self._store.get(BETWEEN[found.kind], [found.src, found.dst])
                one, other = (_name(ends.get(id)) for id in (found.src, found.dst))
                return f"{one} {spoken(found.relation_type) or '→'} {other}"
            case _:
                return _name(found)

    def _drop_changes(self, ids: Sequence[str]) -> int:
        page = self._store.find(Kind.CHANGE, (Condition("targets", Op.HAS, tuple(ids)),), limit=MANY)
        # What a memory was before is the writer's to erase, with all that came of it.
        own = [record for record in page.records if cast(Change, record).inverse.get("records")]
        if own:
            self._store.write(Batch(deletes=tuple(Ref(Kind.CHANGE, record.id) for record in own)))
        return len(own)

    def _purge_kept(self, id: str) -> Forgotten | None:
        """Erase what is kept for undoing of a statement that was taken back before."""
        if not self._drop_changes([id]):
            return None
        return Forgotten(ids=(id,), purged=True, stated=True, remains=erase_traces(self._store, self._elsewhere))


def restore(store: GraphStore, change: Change) -> list[str]:
    """Bring back what a change of this kind took; return the ids."""
    state = change.inverse
    records = [cast("Stated", record_from_json(each)) for each in cast("list[dict[str, object]]", state["records"])]
    links = [link_from_json(each) for each in cast("list[dict[str, object]]", state["links"])]
    facts = facts_before(store, state)
    embedded = any(isinstance(record, Cue | Cause) for record in records)
    store.write(
        Batch(
            deletes=(Ref(Kind.CHANGE, change.id),),
            puts=tuple(Put(record, _terms(record)) for record in records),
            patches=facts.patches,
            links=tuple(PutLink(link) for link in links),
            meta={VECTORS_DUE: "1"} if embedded else {},
        )
    )
    return [*change.targets, *(patch.id for patch in facts.patches)]


def _name(record: Record | None) -> str:
    match record:
        case Entity() | Cue():
            return record.name
        case Event() | Cause():
            return record.description
        case _:
            return ""


def _bare(record: Cue | Entity) -> Cue | Entity:
    """Return a record without what only callers say of it."""
    if isinstance(record, Cue):
        return replace(record, asserted=False, description=None)
    return replace(record, asserted=False, aliases=(), properties={})


def _terms(record: Record) -> tuple[str, ...]:
    """Return what the text index holds of a record."""
    match record:
        case Fact():
            return fact_terms(record)
        case Event() | Cause():
            return tuple(terms(record.description))
        case Cue():
            return tuple(terms(embedded_text(record)))
        case Entity():
            return tuple(terms(" ".join((record.name, *record.aliases))))
        case _:
            raise AssertionError(record)


def _unstated(id: str, tellers: Iterable[str]) -> InvalidInput:
    told = next(iter(tellers), None)
    where = f"it was read from memory '{told}'; forget or change that" if told else "it was read from memories"
    return InvalidInput("memory_id", f"'{id}' was not stated on its own: {where}")
