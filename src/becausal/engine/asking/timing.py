# SPDX-License-Identifier: Apache-2.0
"""Whether what was told lies in the time that a question asks for: there, elsewhere, or nobody knows when."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta, tzinfo

from ...domain.interval import Interval
from ...domain.records import Kind, Link, LinkKind
from ...domain.temporal.text import find_times
from ...magma.matching import Timing
from ...ports.store import GraphStore

NEAR = timedelta(days=1)
"""How far from a time asked for something may be told to be and still not lie elsewhere: nights have two dates."""

LATER = timedelta(days=4)
"""The same, beyond a time that is only the occasion: "after Tuesday's release" need not be on Tuesday."""

READ = 4_000
"""Characters of a text in which such times are looked for."""

EVENTS = 50
"""Events looked at of one memory."""

_UNTIL = re.compile(r"\b(?:until|till|up to|before|prior to)\b", re.IGNORECASE)
_AFTER = re.compile(r"\b(?:after|since|following|in the wake of|as a result of|because of|due to)\b", re.IGNORECASE)


class Times:
    """Tells when memories and causal links were told to have happened, beside the times that a question asks for."""

    def __init__(self, store: GraphStore, question: str, windows: Sequence[Interval], zone: tzinfo) -> None:
        self._store = store
        self._windows = windows
        self._zone = zone
        self._later = LATER if _AFTER.search(question) else NEAR
        self._engrams: dict[str, Timing] = {}
        self._anchors: dict[str, datetime] = {}
        self._placed: set[str] = set()  # memories of which it was said outright that they happened then

    def of_engrams(self, ids: Collection[str]) -> Mapping[str, Timing]:
        """Return of memories whether they, or events that they tell, lie in the time asked for.

        One that names no time is of the time it was told at, and may be of any time before that.
        """
        fresh = sorted(set(ids) - self._engrams.keys())
        if fresh:
            told = self._events(fresh)
            fields = ("occurred_at", "occurred_end", "at")
            for id, (start, end, at) in self._store.peek(Kind.ENGRAM, fresh, fields).items():
                spans = [*told.get(id, ()), *([(start, end)] if start and end else [])]
                self._engrams[id] = self._place(spans) if spans else self._filed(at)
                self._anchors[id] = at
                if start and end and self._place([(start, end)]) is Timing.INSIDE:
                    self._placed.add(id)
        return {id: self._engrams[id] for id in ids if id in self._engrams}

    def reaches(self, text: str, told_at: datetime) -> bool:
        """Whether a text says of something that it was so until after the time asked for, so that it may be of then."""
        if not _UNTIL.search(text, 0, READ):  # reading times takes its time
            return False
        until = [
            mention.interval
            for mention in find_times(text[:READ], anchor=told_at, zone=self._zone)
            if mention.open == "start"
        ]
        return any(each.start < window.end and each.end > window.start for each in until for window in self._windows)

    def of_links(self, links: Sequence[Link]) -> dict[str, Timing]:
        """Return of causal links whether they lie in the time asked for, by the times that their sentences name.

        Where a sentence names none, it is what the memories say that tell it; what a caller stated without any is
        of no known time.
        """
        self.of_engrams({source for link in links for source in link.sources})
        return {link.id: self._of_link(link) for link in links}

    def _of_link(self, link: Link) -> Timing:
        if not self._placed.isdisjoint(link.sources):
            return Timing.INSIDE
        anchor = next((self._anchors[id] for id in link.sources if id in self._anchors), link.created_at)
        spans = [
            (mention.interval.start, mention.interval.end)
            for mention in find_times(link.evidence or "", anchor=anchor, zone=self._zone)
        ]
        if spans:
            return self._place(spans)
        known = [self._engrams[id] for id in link.sources if id in self._engrams]
        return min(known, key=list(Timing).index, default=Timing.UNKNOWN)

    def _events(self, engrams: Sequence[str]) -> dict[str, list[tuple[datetime, datetime]]]:
        edges = self._store.edges(engrams, [LinkKind.X_RECORDS], "out", EVENTS)
        ends = sorted({edge.dst for edge in edges})
        spans = self._store.peek(Kind.EVENT, ends, ("occurred_at", "occurred_end")) if ends else {}
        found: dict[str, list[tuple[datetime, datetime]]] = {}
        for edge in edges:
            if edge.dst in spans:
                start, end = spans[edge.dst]
                found.setdefault(edge.src, []).append((start, end))
        return found

    def _place(self, spans: Iterable[tuple[datetime, datetime]]) -> Timing:
        best = Timing.ELSEWHERE
        for start, end in spans:
            for window in self._windows:
                if start < window.end and end > window.start:
                    return Timing.INSIDE
                if start < window.end + self._later and end > window.start - NEAR:
                    best = Timing.UNKNOWN
        return best

    def _filed(self, at: datetime) -> Timing:
        """Return where a memory lies that names no time, told at a moment."""
        if any(window.start <= at < window.end for window in self._windows):
            return Timing.INSIDE
        return Timing.UNKNOWN if any(at >= window.start for window in self._windows) else Timing.ELSEWHERE
