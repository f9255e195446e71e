# SPDX-License-Identifier: Apache-2.0
"""What looking after a memory answers with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from ...consolidate.communities import Cluster
from ...domain.records import Engram


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """A whole memory was erased: so many ``records`` of all kinds. ``remains`` is what may still hold traces."""

    records: int
    remains: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Consolidated:
    """What a consolidation did, or would do (``dry_run``), as counts by step.

    It was not ``ran`` where another process does it; ``note`` says so, or why it is not finished. ``weak`` are
    the memories that a dry run would archive; ``undo`` brings back what was archived. ``resumed``: it went on
    with what another process had begun.
    """

    ran: bool
    dry_run: bool = False
    steps: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    weak: tuple[str, ...] = ()
    undo: str | None = None
    seconds: float = 0.0
    resumed: bool = False
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BackedUp:
    """A copy was made, as ``version``; it was ``changed`` unless it is the one that was kept last.

    ``size`` is that of the copy in bytes, before anything that makes it smaller. It was not ``ran`` where
    another process does it; ``note`` says so.
    """

    ran: bool
    place: str
    version: str | None = None
    changed: bool = False
    memories: int = 0
    size: int = 0
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """A copy was fetched and is whole: so many memories, records of all kinds, links, and bytes."""

    place: str
    version: str
    memories: int
    records: int
    links: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BroughtBack:
    """A copy took the memory's place; ``kept_as`` is where what was there before is kept, if there was anything."""

    place: str
    version: str
    memories: int
    kept_as: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupStatus:
    """Where copies are kept, and how that goes.

    ``last`` is when the one that the memory goes on from was made, ``trouble`` what keeps another from being made,
    ``note`` why nothing was taken from there yet. ``remembers`` is what there keeps what was forgotten here.
    """

    place: str
    last: datetime | None
    version: str | None
    trouble: str | None
    note: str | None
    remembers: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A cluster with the most important of its memories."""

    cluster: Cluster
    memories: tuple[Engram, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Archived:
    """``ids`` were put into the archive; those that were there already are left out."""

    ids: tuple[str, ...]
    undo: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """``ids`` were brought back from the archive; those that were not in it are left out."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivePage:
    """Archived memories, the latest first; ``next`` asks for more."""

    memories: tuple[Engram, ...]
    next: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """Something that happened to a memory.

    ``change`` undoes it, ``until`` then; ``before`` is what the memory said before, where that was changed.
    """

    at: datetime
    action: str
    note: str
    change: str | None = None
    until: datetime | None = None
    before: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What happened to a memory, the earliest first; ``engram`` is absent once it is forgotten."""

    id: str
    engram: Engram | None
    happenings: tuple[Happening, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something about a memory that a person should know.

    ``serious``: something is lost or does not work; ``mendable``: mending the store may help.
    """

    what: str
    serious: bool
    mendable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """How a memory is, and what was ``done`` about it. ``checked`` says what was found to be in order."""

    location: str
    findings: tuple[Finding, ...]
    done: tuple[str, ...] = ()
    checked: tuple[str, ...] = ()

    @property
    def healthy(self) -> bool:
        return not any(finding.serious for finding in self.findings)

    @property
    def mendable(self) -> bool:
        return any(finding.mendable for finding in self.findings)
