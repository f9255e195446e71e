# SPDX-License-Identifier: Apache-2.0
"""The types of the schema about what happened to a memory, what can be taken back, and copies of it."""

from __future__ import annotations

from datetime import datetime

import strawberry

from ..domain import records
from ..engine.results import Undone as TakenBack
from ..engine.upkeep import results
from ..ports.backup import Version

BEFORE = 2_000
"""Characters shown of an earlier text."""

TARGETS = 20
"""Records named that a change was about."""


@strawberry.type(description="Something that happened to a memory; undo is the id of the change that takes it back.")
class Happening:
    at: datetime
    action: str
    note: str
    undo: strawberry.ID | None
    until: datetime | None
    before: str | None = strawberry.field(description="The beginning of what it said before, where that was changed.")


@strawberry.type(description="Something that was done and can be undone until expiresAt.")
class Change:
    id: strawberry.ID
    action: str
    note: str
    targets: list[strawberry.ID]
    created_at: datetime
    expires_at: datetime


@strawberry.type(description="What was undone, and the records that it was about.")
class Undone:
    action: str
    note: str
    ids: list[strawberry.ID]


@strawberry.type(description="What was put into the archive or brought back from it.")
class Archived:
    ids: list[strawberry.ID]
    undo: strawberry.ID | None


@strawberry.type(description="One copy of the memory.")
class BackupVersion:
    id: strawberry.ID
    at: datetime
    memories: int


@strawberry.type(description="Where copies are kept, and how that goes. trouble: what keeps another from being made.")
class Backups:
    place: str
    last: datetime | None
    version: str | None
    trouble: str | None
    remembers: str
    versions: list[BackupVersion]


@strawberry.type(description="A copy was made. ran is false where another process does it; note says so.")
class BackedUp:
    ran: bool
    place: str
    version: str | None
    changed: bool
    memories: int
    note: str | None


def happening(told: results.Happening) -> Happening:
    return Happening(
        at=told.at,
        action=told.action,
        note=told.note,
        undo=strawberry.ID(told.change) if told.change else None,
        until=told.until,
        before=told.before[:BEFORE] if told.before is not None else None,
    )


def change(told: records.Change) -> Change:
    return Change(
        id=strawberry.ID(told.id),
        action=told.action,
        note=told.note,
        targets=[strawberry.ID(id) for id in told.targets[:TARGETS]],
        created_at=told.created_at,
        expires_at=told.expires_at,
    )


def undone(told: TakenBack) -> Undone:
    return Undone(
        action=told.change.action, note=told.change.note, ids=[strawberry.ID(id) for id in told.ids[:TARGETS]]
    )


def backups(told: results.BackupStatus, versions: tuple[Version, ...]) -> Backups:
    return Backups(
        place=told.place,
        last=told.last,
        version=told.version,
        trouble=told.trouble,
        remembers=told.remembers,
        versions=[BackupVersion(id=strawberry.ID(each.id), at=each.at, memories=each.memories) for each in versions],
    )


def backed_up(told: results.BackedUp) -> BackedUp:
    return BackedUp(
        ran=told.ran,
        place=told.place,
        version=told.version,
        changed=told.changed,
        memories=told.memories,
        note=told.note,
    )
