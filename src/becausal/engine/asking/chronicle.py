# SPDX-License-Identifier: Apache-2.0
"""What happened and what held, in order of time."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, TypeAlias, cast

from ...domain.interval import Interval
from ...domain.records import Engram, Entity, Event, Fact, Kind, Link, LinkKind, MemoryType, Record
from ...graphs.timeline import Timeline
from ...ports.store import Condition, Cursor, GraphStore, Op, Order, Where

MAX_LINKS = 5_000
ROUNDS = 50
"""Pages of memories that are looked through for such as tell no event."""

Entry: TypeAlias = Event | Fact | Engram
"""What a time line holds. An engram is there for itself where its text names no time, and so tells no event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chronicle:
    """Events and facts in order of time, the latest of what there is; ``truncated``: there is earlier.

    ``earlier`` is then where that begins.
    """

    entries: tuple[Entry, ...]
    about: Entity | None
    truncated: bool
    earlier: Cursor | None = None


class _Page(NamedTuple):
    limit: int
    before: Cursor | None


class Chronicler:
    """Reads one user's time line."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store

    def chronicle(
        self,
        window: Interval | None,
        limit: int,
        *,
        about: Entity | None = None,
        told_in: Sequence[str] | None = None,
        before: Cursor | None = None,
    ) -> Chronicle:
        """Return the latest ``limit`` entries of a window, about an entity, or told in some engrams.

        ``before`` is the ``earlier`` of the page that follows this one in time.
        """
        events: Collection[str] | None = None
        facts: Collection[str] | None = None
        engrams: Collection[str] | None = told_in
        if about is not None:
            edges = self._store.edges([about.id], [LinkKind.X_INVOLVES, LinkKind.X_RECORDS], "in", MAX_LINKS)
            events = {edge.src for edge in edges if edge.kind is LinkKind.X_INVOLVES}
            facts = events | {fact.id for fact in Timeline(self._store).about(about.name)}
            engrams = {edge.src for edge in edges if edge.kind is LinkKind.X_RECORDS}
        elif told_in is not None:
            events, facts = self._told(told_in, Kind.EVENT), self._told(told_in, Kind.FACT)
        page = _Page(limit, before)
        found: list[Entry] = [*self._events(window, events, page), *self._facts(window, facts, page)]
        found.sort(key=_place)
        found += self._memories(window, engrams, page, began(found[-limit]) if len(found) >= limit else None)
        found.sort(key=_place)
        truncated = len(found) > limit
        entries = tuple(found[-limit:])
        return Chronicle(
            entries=entries,
            about=about,
            truncated=truncated,
            earlier=Cursor(began(entries[0]), entries[0].id) if truncated else None,
        )

    def _events(self, window: Interval | None, ids: Collection[str] | None, page: _Page) -> list[Event]:
        where = _overlapping(window, "occurred_at", "occurred_end")
        return [cast(Event, record) for record in self._latest(Kind.EVENT, where, "occurred_at", ids, page)]

    def _facts(self, window: Interval | None, ids: Collection[str] | None, page: _Page) -> list[Fact]:
        held: tuple[Where, ...] = (
            (*_before(window, "valid_from"), Condition("valid_to", Op.NULL, True)),
            (*_overlapping(window, "valid_from", "valid_to"), Condition("valid_to", Op.NULL, False)),
        )
        return [
            cast(Fact, record) for where in held for record in self._latest(Kind.FACT, where, "valid_from", ids, page)
        ]

    def _memories(
        self, window: Interval | None, ids: Collection[str] | None, page: _Page, floor: datetime | None
    ) -> list[Engram]:
        """Return what happened according to memories that name no time in their text, and so tell no event.

        What lies before ``floor`` is not needed: others fill the page up to there.
        """
        dated: tuple[Where, ...] = (
            (*_overlapping(window, "at", "occurred_end"), Condition("occurred_at", Op.NULL, False)),
            (
                *_overlapping(window, "at", "at"),
                Condition("occurred_at", Op.NULL, True),
                Condition("memory_type", Op.EQ, MemoryType.EPISODIC),
            ),
        )
        kept: Where = (Condition("archived_at", Op.NULL, True),)
        if floor is not None:
            kept += (Condition("at", Op.GE, floor),)
        return [engram for where in dated for engram in self._silent((*where, *kept), ids, page)]

    def _silent(self, where: Where, ids: Collection[str] | None, page: _Page) -> list[Engram]:
        """Return the latest engrams that tell no event, as many as a page may need."""
        silent: list[Engram] = []
        for _ in range(ROUNDS):
            found = [cast(Engram, record) for record in self._latest(Kind.ENGRAM, where, "at", ids, page)]
            telling = {link.src for link in self._recorded([each.id for each in found]) if link.dst_kind is Kind.EVENT}
            silent += [each for each in found if each.id not in telling]
            if len(found) <= page.limit or len(silent) > page.limit:
                break
            page = _Page(page.limit, Cursor(found[-1].at, found[-1].id))
        return silent

    def _latest(
        self, kind: Kind, where: Where, by: str, ids: Collection[str] | None, page: _Page
    ) -> tuple[Record, ...]:
        if ids is not None:
            where = (*where, Condition("id", Op.IN, tuple(sorted(ids))))
        return self._store.find(kind, where, Order(by, descending=True), page.limit + 1, page.before).records

    def _told(self, engrams: Sequence[str], kind: Kind) -> set[str]:
        return {link.dst for link in self._recorded(engrams) if link.dst_kind is kind}

    def _recorded(self, engrams: Sequence[str]) -> tuple[Link, ...]:
        return self._store.links(engrams, [LinkKind.X_RECORDS], "out", limit=MAX_LINKS) if engrams else ()


def began(entry: Entry) -> datetime:
    """Return where an entry stands in a time line."""
    match entry:
        case Event():
            return entry.occurred_at
        case Fact():
            return entry.valid_from
        case Engram():
            return entry.at


def _place(entry: Entry) -> tuple[datetime, str]:
    return began(entry), entry.id


def _before(window: Interval | None, start: str) -> Where:
    return (Condition(start, Op.LT, window.end),) if window else ()


def _overlapping(window: Interval | None, start: str, end: str) -> Where:
    """Return the conditions for what lies, at least in part, within a window."""
    if window is None:
        return ()
    return (*_before(window, start), Condition(end, Op.GE if start == end else Op.GT, window.start))
