# SPDX-License-Identifier: Apache-2.0
"""What bringing memories in and out answers with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """What was not exported or imported: ``where`` it stands, and ``why``."""

    where: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What an export holds: records by kind, links, and what could not be read."""

    records: Mapping[str, int] = field(default_factory=dict)
    links: int = 0
    damaged: tuple[Skipped, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import brought, or would bring (``dry_run``).

    ``added`` counts by kind what is new, ``links`` the new links, ``known`` what was there already; ``skipped``
    are the first of ``refused`` parts that were not taken, with the reason; ``passed`` counts what is no memory,
    by reason. ``unindexed`` memories are kept, but are not found by meaning yet.
    """

    format: str
    added: Mapping[str, int]
    links: int = 0
    known: int = 0
    refused: int = 0
    skipped: tuple[Skipped, ...] = ()
    passed: Mapping[str, int] = field(default_factory=dict)
    unindexed: int = 0
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Migrated:
    """What a migration from one store to another brought over, and what was there from an earlier try.

    ``damaged`` could not be read where it was.
    """

    source: str
    target: str
    records: Mapping[str, int]
    links: int
    known: int
    damaged: tuple[Skipped, ...] = ()
