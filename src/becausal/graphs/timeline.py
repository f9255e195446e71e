# SPDX-License-Identifier: Apache-2.0
"""The time line: events, and facts that hold for an interval and give way to newer ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast

from ..domain.ids import derived_id
from ..domain.interval import Interval
from ..domain.predicates import holding, single_holder, single_valued
from ..domain.records import Engram, Event, Fact, Kind, LinkKind, Record
from ..domain.text import normalize_name, query_terms, terms
from ..errors import InvalidInput
from ..ports.batch import Patch
from ..ports.store import Condition, GraphStore, Op, Order, Where
from .linking import Draft

MAX_EVENTS = 1_000
MAX_LINKS = 5_000
MAX_FACTS = 500
MAX_REOPENED = 10_000
MAX_DESCRIBED = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """An older fact that a newer one of the same subject and predicate closed."""

    before: Fact
    after: Fact


def fact_id(
    user: str, subject: str, predicate: str, object: str, valid_from: datetime, valid_to: datetime | None
) -> str:
    """Return a fact's id: subject, predicate, object and interval are its identity."""
    key = (normalize_name(subject), normalize_name(predicate), normalize_name(object))
    return derived_id(user, Kind.FACT, *key, valid_from.isoformat(), valid_to.isoformat() if valid_to else "")


def fact_text(fact: Fact) -> str:
    return f"{fact.subject} {fact.predicate} {fact.object}"


def subject_term(subject: str, predicate: str | None = None) -> str:
    """Return the term under which the text index holds the facts about a subject, whatever its case and hyphens.

    Its words alone would not do: some subjects have none that are indexed ("I"), and many share theirs.
    """
    parts = ("about", subject) if predicate is None else ("about", subject, predicate)
    return "=".join(normalize_name(part) for part in parts).replace(" ", "_")


def holder_term(predicate: str, object: str) -> str:
    """Return the term under which the text index holds the facts about who holds an office."""
    return "=".join(("held", holding(predicate), normalize_name(object))).replace(" ", "_")


def fact_terms(fact: Fact) -> tuple[str, ...]:
    """Return what the text index holds of a fact."""
    about = [subject_term(fact.subject), subject_term(fact.subject, fact.predicate)]
    if single_holder(fact.predicate):
        about.append(holder_term(fact.predicate, fact.object))
    return (*terms(fact_text(fact)), *about)


def event_id(user: str, description: str, when: Interval) -> str:
    """Return the id of an event that a caller states: the same description at the same time is the same event."""
    key = (description.strip().casefold(), when.start.isoformat(), when.end.isoformat())
    return derived_id(user, Kind.EVENT, *key)


class Timeline:
    """One user's events and facts.

    ``gone`` are facts that the write in the making takes away: it is drafted as if they, and what they closed, had
    never been.
    """

    def __init__(self, store: GraphStore, gone: Collection[str] = ()) -> None:
        self._store = store
        self._gone = frozenset(gone)
        self._drafted: dict[str, Fact] = {}  # facts of the write in the making, which the store does not know yet
        self._reopened: dict[str, Fact] = {}
        self._reopened = {each.after.id: each.after for each in self.reopened(self._gone)}

    @property
    def drafted(self) -> Mapping[str, Fact]:
        """The facts drafted so far, as they stand after those drafted later."""
        return self._drafted

    # --- stating ---

    def draft_event(self, draft: Draft, description: str, when: Interval, duration: str | None) -> Event:
        """Add an event that a caller states; the same description at the same time is the same event."""
        id = event_id(draft.user, description, when)
        known = cast("Event | None", self._store.get(Kind.EVENT, [id]).get(id))
        event = Event(
            id=id,
            description=known.description if known else description.strip(),
            occurred_at=when.start,
            occurred_end=when.end,
            precision=when.precision,
            duration=duration or (known.duration if known else None),
            asserted=True,
            created_at=known.created_at if known else draft.now,
        )
        draft.put(event, terms(description))
        return event

    def draft_fact(
        self,
        draft: Draft,
        subject: str,
        predicate: str,
        object: str,
        valid_from: datetime,
        valid_to: datetime | None,
        single: bool | None,
    ) -> tuple[Fact, tuple[Closing, ...]]:
        """Add a fact, and close what it makes out of date.

        An older open fact with the same subject and a single-valued predicate but another object ends where
        this one begins. A fact told late, about an earlier time, is itself closed where the later one
        begins. An open fact with the same object and beginning ends where this one does. Facts whose
        intervals do not meet are left alone. Nothing is deleted. The closings are not part of the draft:
        see ``patches``.

        Raises:
            InvalidInput: ``valid_to`` is before ``valid_from``.
        """
        if valid_to is not None and valid_to < valid_from:
            raise InvalidInput("valid_to", "must not be before valid_from")
        id = fact_id(draft.user, subject, predicate, object, valid_from, valid_to)
        if known := cast("Fact | None", self._store.get(Kind.FACT, [id]).get(id)):
            if draft.source is None:
                draft.pin(known)
            draft.put(known, fact_terms(known), if_absent=True)
            return known, ()
        ends: list[tuple[Fact, datetime]] = []
        told_to, superseded_by = valid_to, None
        exclusive = single if single is not None else single_valued(predicate)
        for other in (*self.about(subject, predicate), *self._other_holders(subject, predicate, object)):
            holder = normalize_name(other.subject) != normalize_name(subject)
            if not holder and normalize_name(other.object) == normalize_name(object):
                if other.valid_from == valid_from and other.valid_to is None and told_to is not None:
                    ends.append((other, told_to))
            elif not (exclusive or holder):
                continue
            elif other.valid_from <= valid_from and (other.valid_to is None or other.valid_to > valid_from):
                ends.append((other, valid_from))
            elif other.valid_from > valid_from and (valid_to is None or other.valid_from < valid_to):
                valid_to, superseded_by = other.valid_from, other.id
        fact = Fact(
            id=id,
            subject=subject.strip(),
            predicate=predicate.strip(),
            object=object.strip(),
            valid_from=valid_from,
            valid_to=valid_to,
            told_to=told_to,
            recorded_at=draft.now,
            superseded_by=superseded_by,
            asserted=draft.source is None,
        )
        draft.put(fact, fact_terms(fact), if_absent=True)
        self._drafted[id] = fact
        closings = [Closing(before=other, after=replace(other, valid_to=end, superseded_by=id)) for other, end in ends]
        for each in closings:
            if each.before.id in self._drafted:
                self._drafted[each.after.id] = each.after
                draft.puts = [
                    replace(put, record=each.after) if put.record.id == each.after.id else put for put in draft.puts
                ]
        return fact, tuple(each for each in closings if each.before.id not in self._drafted)

    def end(
        self, draft: Draft, subject: str, predicate: str, object: str, at: datetime, told_at: datetime
    ) -> tuple[Closing, ...]:
        """Let the open facts that say this end at a time, as was told at ``told_at``; one that begins later stays.

        Of a fact that begins only where it was told, and that before, the beginning is not known: it was told while
        its end was not known yet, and ends where it was told.
        An office is the same with "the" before it and without: "is the treasurer of" ends with "is treasurer of".
        """
        closings: tuple[Closing, ...] = ()
        office = single_holder(predicate) or predicate == "is"
        for other in self.about(subject, None if office else predicate):
            same = _bare(other.object) == _bare(object) and holding(other.predicate) == holding(predicate)
            if not same or other.valid_to is not None:
                continue
            if other.valid_from < at or (other.valid_from < told_at and self._begins_where_told(other)):
                told = (other.subject, other.predicate, other.object, other.valid_from, max(at, other.valid_from))
                closings += self.draft_fact(draft, *told, None)[1]
        return closings

    def _begins_where_told(self, fact: Fact) -> bool:
        """Whether a fact begins at the time of a text that tells it: when else, was not told."""
        links = self._store.links([fact.id], [LinkKind.X_RECORDS], "in", limit=MAX_LINKS)
        tellers = self._store.get(Kind.ENGRAM, sorted({link.src for link in links}))
        return any(cast(Engram, each).at == fact.valid_from for each in tellers.values())

    @staticmethod
    def patches(closings: Iterable[Closing]) -> tuple[Patch, ...]:
        """Return what closes facts in a write."""
        return tuple(
            Patch(
                Kind.FACT,
                each.after.id,
                set={"valid_to": each.after.valid_to, "superseded_by": each.after.superseded_by},
                expect_version=each.before.version,
            )
            for each in closings
        )

    def reopened(self, gone: Collection[str], coming: Sequence[Fact] = ()) -> tuple[Closing, ...]:
        """Return how the facts that some facts had closed end once those are gone.

        Each ends where it was told to end, or where yet another fact that is newer closes it: the one that
        had closed the fact that goes, or another of the same subject and single-valued predicate, among the
        stored ones and those ``coming``.
        """
        if not gone:
            return ()
        going = sorted(gone)
        closers = {id: cast(Fact, record) for id, record in self._store.get(Kind.FACT, going).items()}
        page = self._store.find(Kind.FACT, (Condition("superseded_by", Op.IN, tuple(going)),), limit=MAX_REOPENED)
        found = []
        for fact in (cast(Fact, record) for record in page.records):
            if fact.id in gone:
                continue
            rivals = self._rivals(fact, closers, coming)
            ends = [each.valid_from for each in rivals] + ([fact.told_to] if fact.told_to else [])
            end = min(ends, default=None)
            closer = next((each.id for each in rivals if each.valid_from == end), None)
            found.append(Closing(before=fact, after=replace(fact, valid_to=end, superseded_by=closer)))
        return tuple(found)

    def _rivals(self, fact: Fact, closers: Mapping[str, Fact], coming: Sequence[Fact]) -> list[Fact]:
        """Return the facts that close another, were its closer gone; those that begin first ahead."""
        rivals = {}
        next_ = fact.superseded_by
        while next_ is not None and next_ in closers:
            next_ = closers[next_].superseded_by
        if next_ and (heir := self._store.get(Kind.FACT, [next_])):
            rivals[next_] = cast(Fact, heir[next_])
        if single_valued(fact.predicate):
            rivals |= {each.id: each for each in (*self.about(fact.subject, fact.predicate), *coming)}
        if single_holder(fact.predicate):
            others = self._other_holders(fact.subject, fact.predicate, fact.object)
            rivals |= {each.id: each for each in (*others, *coming)}
        newer = [
            each
            for each in rivals.values()
            if each.id not in closers
            and _contradict(fact, each)
            and (each.valid_from, each.recorded_at) > (fact.valid_from, fact.recorded_at)
            and not (fact.told_to and each.valid_from >= fact.told_to)
        ]
        return sorted(newer, key=lambda each: (each.valid_from, each.id))

    # --- asking ---

    def about(self, subject: str, predicate: str | None = None) -> tuple[Fact, ...]:
        """Return the facts about a subject, whatever its case and hyphens, oldest first."""
        wanted = normalize_name(subject)
        return tuple(
            fact
            for fact in self._indexed(subject_term(subject, predicate))
            if normalize_name(fact.subject) == wanted
            and (predicate is None or normalize_name(fact.predicate) == normalize_name(predicate))
        )

    def _other_holders(self, subject: str, predicate: str, object: str) -> Iterator[Fact]:
        """Yield the facts that say of somebody else that they hold an office which one at a time holds."""
        if not single_holder(predicate):
            return
        office, of = holding(predicate), normalize_name(object)
        for fact in self._indexed(holder_term(predicate, object)):
            same = single_holder(fact.predicate) and holding(fact.predicate) == office
            if same and normalize_name(fact.object) == of and normalize_name(fact.subject) != normalize_name(subject):
                yield fact

    def _indexed(self, term: str) -> list[Fact]:
        """Return the facts that the text index has under a term, and those in the making, oldest first."""
        matches = self._store.text_search(Kind.FACT, (term,), MAX_FACTS)
        found = cast("dict[str, Fact]", self._store.get(Kind.FACT, [hit.id for hit in matches.hits]))
        known = {id: self._reopened.get(id, fact) for id, fact in found.items() if id not in self._gone}
        return sorted({**known, **self._drafted}.values(), key=lambda fact: (fact.valid_from, fact.id))

    def described(self, description: str) -> Event | None:
        """Return the latest event described in these words, whatever their case."""
        words = query_terms(description)
        wanted = normalize_name(description)
        if not words:
            return None
        matches = self._store.text_search(Kind.EVENT, words, MAX_DESCRIBED)
        records = self._store.get(Kind.EVENT, [hit.id for hit in matches.hits]).values()
        events = [event for event in map(_event, records) if normalize_name(event.description) == wanted]
        return max(events, key=lambda event: (event.asserted, event.occurred_at, event.id), default=None)

    def events_within(
        self, window: Interval | None, ids: Sequence[str] | None, limit: int = MAX_EVENTS
    ) -> tuple[Event, ...]:
        """Return events that overlap a window, in order of time; ``ids`` restricts them."""
        where: list[Condition] = []
        if window is not None:
            where = [Condition("occurred_at", Op.LT, window.end), Condition("occurred_end", Op.GT, window.start)]
        if ids is not None:
            where.append(Condition("id", Op.IN, tuple(ids)))
        page = self._store.find(Kind.EVENT, tuple(where), Order("occurred_at"), limit)
        return tuple(cast(Event, record) for record in page.records)

    def facts_within(self, window: Interval | None, ids: Sequence[str], limit: int = MAX_FACTS) -> tuple[Fact, ...]:
        """Return those of some facts that held at some time of a window, in order of their beginning."""
        where: Where = (Condition("id", Op.IN, tuple(ids)),)
        if window is not None:
            where += (Condition("valid_from", Op.LT, window.end),)
        page = self._store.find(Kind.FACT, where, Order("valid_from"), limit)
        facts = (cast(Fact, record) for record in page.records)
        return tuple(fact for fact in facts if window is None or fact.valid_to is None or fact.valid_to > window.start)

    def involving(self, entities: Sequence[str], limit: int = MAX_LINKS) -> tuple[set[str], set[str]]:
        """Return the ids of the events and of the facts that involve some entities."""
        events: set[str] = set()
        facts: set[str] = set()
        if entities:
            for link in self._store.links(entities, [LinkKind.X_INVOLVES], "in", limit=limit):
                (events if link.src_kind is Kind.EVENT else facts).add(link.src)
        return events, facts


def _bare(object: str) -> str:
    return normalize_name(object).removeprefix("the ")


def _contradict(one: Fact, other: Fact) -> bool:
    """Whether two facts give one thing two values, or one office two holders."""
    same_subject = normalize_name(one.subject) == normalize_name(other.subject)
    same_object = normalize_name(one.object) == normalize_name(other.object)
    if same_subject:
        return normalize_name(one.predicate) == normalize_name(other.predicate) and not same_object
    both = single_holder(one.predicate) and single_holder(other.predicate)
    return both and same_object and holding(one.predicate) == holding(other.predicate)


def _event(record: Record) -> Event:
    return cast(Event, record)
