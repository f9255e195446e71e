# SPDX-License-Identifier: Apache-2.0
"""The links in memory, reduced to what walking the graph needs, by both of their ends.

LadybugDB finds the links of fifty records by reading all there are. The process that has the file open has it for
itself, so what it keeps here stays right. A reader whose transaction began earlier is answered from what has
changed since, undone.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from ...ports.store import Edge

Key: TypeAlias = tuple[float, int]
"""Strength and number: the order in which links are taken, the last first."""

_Side: TypeAlias = dict[str, dict[str, list[Key]]]


class Entry(NamedTuple):
    """A link. ``number`` is greater the newer it is."""

    number: int
    id: str
    edge: Edge
    ends: tuple[str, str]  # the kinds of what it joins

    @property
    def key(self) -> Key:
        return self.edge.strength, self.number


class Change(NamedTuple):
    """A link that was put, changed or taken away."""

    old: Entry | None
    new: Entry | None


class Adjacency:
    """All links of one memory. Not safe for threads: its owner locks it."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries: dict[int, Entry] = {}
        self._by_id: dict[str, int] = {}
        self._sides: dict[str, _Side] = {"src": defaultdict(dict), "dst": defaultdict(dict)}
        self._history: deque[tuple[int, int, Entry | None]] = deque()  # revision, number, what it was before
        self._names: dict[str, str] = {}
        self._kinds: dict[tuple[str, str], tuple[str, str]] = {}
        for entry in entries:
            self._add(entry, sort=False)
        for side in self._sides.values():
            for kinds in side.values():
                for keys in kinds.values():
                    keys.sort()
        self.last = max(self._entries, default=0)

    def of(self, id: str) -> Entry | None:
        """Return the link with an id."""
        number = self._by_id.get(id)
        return None if number is None else self._entries[number]

    def at(self, ids: Iterable[str]) -> dict[str, Entry]:
        """Return the links that start or end at any of ``ids``, by their ids."""
        found: dict[str, Entry] = {}
        for id in ids:
            for side in self._sides.values():
                for keys in side.get(id, {}).values():
                    for _, number in keys:
                        entry = self._entries[number]
                        found[entry.id] = entry
        return found

    def apply(self, changes: Sequence[Change], revision: int, oldest: int) -> None:
        """Make changes that a transaction made; no reader is older than the revision ``oldest``."""
        while self._history and self._history[0][0] <= oldest:
            self._history.popleft()
        for old, new in changes:
            entry = new or old
            if entry is None:
                continue
            if oldest < revision:
                self._history.append((revision, entry.number, old))
            if old is not None:
                self._remove(old)
            if new is not None:
                self._add(new)
                self.last = max(self.last, new.number)

    def strongest(
        self, ids: Iterable[str], kinds: Sequence[str] | None, ends: Sequence[Literal["src", "dst"]], each: int,
        revision: int,
    ) -> dict[int, Entry]:  # fmt: skip
        """Return of every id the ``each`` strongest links of each kind and end, by number; no kinds means all."""
        before = self._before(revision)
        found: dict[int, Entry] = {}
        for id in dict.fromkeys(ids):
            for end in ends:
                by_kind = self._sides[end].get(id, {})
                for kind in by_kind if kinds is None else kinds:
                    taken = 0
                    for _, number in reversed(by_kind.get(kind, ())):
                        if number in before:
                            continue
                        found[number] = self._entries[number]
                        taken += 1
                        if taken >= each:
                            break
        return self._with_older(found, before, ids, kinds, ends, each) if before else found

    def _before(self, revision: int) -> Mapping[int, Entry | None]:
        before: dict[int, Entry | None] = {}
        for at, number, old in reversed(self._history):
            if at <= revision:
                break
            before[number] = old
        return before

    def _with_older(
        self, found: dict[int, Entry], before: Mapping[int, Entry | None], ids: Iterable[str],
        kinds: Sequence[str] | None, ends: Sequence[str], each: int,
    ) -> dict[int, Entry]:  # fmt: skip
        asked = set(ids)
        groups: dict[tuple[str, str, str], list[Entry]] = defaultdict(list)
        older = [entry for entry in before.values() if entry is not None]
        for entry in (*found.values(), *older):
            if kinds is None or entry.edge.kind in kinds:
                for end in ends:
                    id = entry.edge.src if end == "src" else entry.edge.dst
                    if id in asked:
                        groups[end, id, entry.edge.kind].append(entry)
        return {
            entry.number: entry
            for group in groups.values()
            for entry in sorted(group, key=lambda entry: entry.key, reverse=True)[:each]
        }

    def _add(self, entry: Entry, *, sort: bool = True) -> None:
        edge = entry.edge
        src, dst = (self._names.setdefault(id, id) for id in (edge.src, edge.dst))  # each id is kept once
        entry = entry._replace(
            edge=edge._replace(src=src, dst=dst), ends=self._kinds.setdefault(entry.ends, entry.ends)
        )
        self._entries[entry.number] = entry
        self._by_id[entry.id] = entry.number
        key = entry.key
        for side, id in (("src", src), ("dst", dst)):
            keys = self._sides[side][id].setdefault(edge.kind.value, [])
            if sort:
                insort(keys, key)
            else:
                keys.append(key)

    def _remove(self, entry: Entry) -> None:
        del self._entries[entry.number]
        del self._by_id[entry.id]
        for side, id in (("src", entry.edge.src), ("dst", entry.edge.dst)):
            kinds = self._sides[side][id]
            keys = kinds[entry.edge.kind.value]
            del keys[bisect_left(keys, entry.key)]
            if not keys:
                del kinds[entry.edge.kind.value]
                if not kinds:
                    del self._sides[side][id]
                    if not any(id in other for other in self._sides.values()):
                        self._names.pop(id, None)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())
