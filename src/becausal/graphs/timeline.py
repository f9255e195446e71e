# SPDX-License-Identifier: Apache-2.0
"""The time line: events, and facts that hold for an interval and give way to newer ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast

from ..domain.ids import derived_id
from ..domain.interval import Interval
from ..domain.predicates import single_valued
from ..domain.records import Event, Fact, Kind, LinkKind
from ..domain.text import normalize_name, terms
from ..errors import InvalidInput
from ..ports.store import Batch, Condition, GraphStore, Op, Order, Patch, Where
from .linking import Draft

MAX_EVENTS = 1_000
MAX_LINKS = 5_000
MAX_FACTS = 500


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


class Timeline:
    """One user's events and facts."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store

    # --- stating ---

    def draft_event(self, draft: Draft, description: str, when: Interval, duration: str | None) -> Event:
        """Add an event that a caller states; the same description at the same time is the same event."""
        key = (description.strip().casefold(), when.start.isoformat(), when.end.isoformat())
        event = Event(
            id=derived_id(draft.user, Kind.EVENT, *key),
            description=description.strip(),
            occurred_at=when.start,
            occurred_end=when.end,
            precision=when.precision,
            duration=duration,
            asserted=True,
            created_at=draft.now,
        )
        draft.put(event, terms(description), if_absent=True)
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
        begins. Facts whose intervals do not meet are left alone. Nothing is deleted.

        Raises:
            InvalidInput: ``valid_to`` is before ``valid_from``.
        """
        if valid_to is not None and valid_to < valid_from:
            raise InvalidInput("valid_to", "must not be before valid_from")
        closings: list[Closing] = []
        superseded_by = None
        told_to = valid_to
        if single if single is not None else single_valued(predicate):
            for other in self.about(subject, predicate):
                if normalize_name(other.object) == normalize_name(object):
                    continue
                if other.valid_from <= valid_from and (other.valid_to is None or other.valid_to > valid_from):
                    after = replace(other, valid_to=valid_from)
                    closings.append(Closing(before=other, after=after))
                elif other.valid_from > valid_from and (valid_to is None or other.valid_from < valid_to):
                    valid_to, superseded_by = other.valid_from, other.id
        fact = Fact(
            id=fact_id(draft.user, subject, predicate, object, valid_from, told_to),
            subject=subject.strip(),
            predicate=predicate.strip(),
            object=object.strip(),
            valid_from=valid_from,
            valid_to=valid_to,
            recorded_at=draft.now,
            superseded_by=superseded_by,
            asserted=draft.source is None,
        )
        draft.put(fact, terms(fact_text(fact)), if_absent=True)
        closings = [Closing(before=each.before, after=replace(each.after, superseded_by=fact.id)) for each in closings]
        return fact, tuple(closings)

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

    def reopened(self, gone: Sequence[str]) -> tuple[Patch, ...]:
        """Return what reopens the facts that some facts had closed, once those are gone."""
        if not gone:
            return ()
        page = self._store.find(Kind.FACT, (Condition("superseded_by", Op.IN, tuple(gone)),), limit=MAX_FACTS)
        return tuple(
            Patch(Kind.FACT, record.id, set={"valid_to": None, "superseded_by": None})
            for record in page.records
            if record.id not in gone
        )

    # --- asking ---

    def about(self, subject: str, predicate: str | None = None) -> tuple[Fact, ...]:
        """Return the facts about a subject, whatever its case and hyphens, oldest first."""
        wanted = normalize_name(subject)
        matches = self._store.text_search(Kind.FACT, tuple(dict.fromkeys(terms(subject))), MAX_FACTS)
        records = self._store.get(Kind.FACT, [hit.id for hit in matches.hits]).values()
        facts = [
            fact
            for fact in (cast(Fact, record) for record in records)
            if normalize_name(fact.subject) == wanted
            and (predicate is None or normalize_name(fact.predicate) == normalize_name(predicate))
        ]
        return tuple(sorted(facts, key=lambda fact: (fact.valid_from, fact.id)))

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


def merged(*batches: Batch) -> Batch:
    """Return batches as one."""
    return Batch(
        deletes=tuple(each for batch in batches for each in batch.deletes),
        unlinks=tuple(each for batch in batches for each in batch.unlinks),
        weaken=tuple(each for batch in batches for each in batch.weaken),
        puts=tuple(each for batch in batches for each in batch.puts),
        patches=tuple(each for batch in batches for each in batch.patches),
        vectors=tuple(each for batch in batches for each in batch.vectors),
        links=tuple(each for batch in batches for each in batch.links),
        release=tuple(each for batch in batches for each in batch.release),
        meta={key: value for batch in batches for key, value in batch.meta.items()},
    )
