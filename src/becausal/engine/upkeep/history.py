# SPDX-License-Identifier: Apache-2.0
"""What has happened to one memory, as far as it is still known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import cast

from ...domain.records import Change, Engram
from ...stores.codec import record_from_json
from . import archive
from .results import Happening, History


def history(id: str, engram: Engram | None, changes: Iterable[Change], now: datetime) -> History:
    """Return what has happened to a memory, the earliest first; ``engram`` is absent once it is forgotten."""
    kept = sorted(changes, key=lambda change: change.id)
    happened = [_change(id, change, now, engram) for change in kept]
    told = engram or next((state for state in (_before(id, change) for change in kept) if state is not None), None)
    if told is not None:
        happened.append(Happening(at=told.created_at, action="store", note="told"))
    if engram is not None:
        happened += _since(engram)
    return History(id=id, engram=engram, happenings=tuple(sorted(happened, key=lambda each: each.at)))


def _since(engram: Engram) -> Iterator[Happening]:
    if engram.access_count:
        times = "once" if engram.access_count == 1 else f"{engram.access_count} times"
        yield Happening(at=engram.last_accessed_at, action="use", note=f"last used; {times} so far")
    if engram.archived_at is not None:
        yield Happening(at=engram.archived_at, action="archive", note="in the archive since then")


def _change(id: str, change: Change, now: datetime, engram: Engram | None) -> Happening:
    before = _before(id, change)
    over = change.action == archive.ACTION and engram is not None and engram.archived_at != change.created_at
    alive = change.expires_at > now and not over
    return Happening(
        at=change.created_at,
        action=change.action,
        note=change.note,
        change=change.id if alive else None,
        until=change.expires_at if alive else None,
        before=before.content if before is not None else None,
    )


def _before(id: str, change: Change) -> Engram | None:
    for state in cast("list[Mapping[str, object]]", change.inverse.get("engrams", [])):
        engram = record_from_json(state)
        if engram.id == id:
            return cast(Engram, engram)
    return None
