# SPDX-License-Identifier: Apache-2.0
"""The numbered sources of an answer: memories, and records that callers stated outright."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from ...domain.records import Engram, Kind
from ...domain.text import clip
from ...ports.store import GraphStore
from ..graph.stated import Statement
from ..results import Source

if TYPE_CHECKING:
    from .asked import Found

SUMMARY = 300
"""Characters of a memory's summary that stand for it where nothing of its text is quoted."""


@dataclass(slots=True)
class Citations:
    """Sources in the order in which they are first referred to. ``look_up`` fetches an engram that may be gone."""

    look_up: Callable[[str], Engram | None]
    sources: list[Source] = field(default_factory=list)
    _numbers: dict[str, int] = field(default_factory=dict)

    def has(self, id: str) -> bool:
        """Return whether a memory or a statement has a number already."""
        return id in self._numbers

    def memory(self, engram: str, text: str = "") -> int | None:
        """Return a memory's number, giving it one and remembering what it says; ``None`` if it is gone."""
        if engram in self._numbers:
            return self._numbers[engram]
        record = self.look_up(engram)
        if record is None:
            return None
        return self._add(
            engram,
            Source(
                number=len(self.sources) + 1,
                engram=record.id,
                text=text or clip(record.summary, SUMMARY),
                source=record.source,
                at=record.at,
                occurred_end=record.occurred_end,
                precision=record.precision,
            ),
        )

    def statement(self, each: Statement) -> int:
        """Return the number of what a caller stated outright, giving it one."""
        if each.id in self._numbers:
            return self._numbers[each.id]
        return self._add(
            each.id,
            Source(
                number=len(self.sources) + 1,
                engram=None,
                text=each.text,
                source=None,
                at=each.when.start if each.when else each.stated_at,
                occurred_end=each.when.end if each.when else None,
                precision=each.when.precision if each.when else None,
                kind=each.sort.value,
                record=each.id,
            ),
        )

    def _add(self, id: str, source: Source) -> int:
        self._numbers[id] = source.number
        self.sources.append(source)
        return source.number


def citations(store: GraphStore, found: Found) -> Citations:
    """Return a list for the sources of an answer, empty as yet."""
    known = found.engrams
    return Citations(lambda id: known.get(id) or cast("Engram | None", store.get(Kind.ENGRAM, [id]).get(id)))
