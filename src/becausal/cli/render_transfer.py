# SPDX-License-Identifier: Apache-2.0
"""What came of an export or import, as a person reads it."""

from __future__ import annotations

from collections.abc import Sequence

from ..engine.transfer.results import Exported, Imported, Migrated, Skipped
from . import render
from .terminal import Screen, bold, warning


def exported(screen: Screen, answer: Exported, file: str | None) -> None:
    held = render.holdings({**answer.records, "links": answer.links})
    screen.line(bold("Exported"), f"  {held}")
    if file is not None:
        screen.line(file, indent=2)
    _left_out(screen, answer.damaged, len(answer.damaged), "cannot be read")


def migrated(screen: Screen, answer: Migrated) -> None:
    new = {**answer.records, "links": answer.links}
    held = render.holdings(new) if any(new.values()) else "nothing new"
    screen.line(bold("Migrated"), f"  {held}")
    screen.line(f"from {answer.source}", indent=2)
    screen.line(f"to   {answer.target}", indent=2)
    if answer.known:
        screen.line(f"{answer.known:,} were there already, from an earlier try", indent=2)
    _left_out(screen, answer.damaged, len(answer.damaged), "cannot be read")


def imported(screen: Screen, answer: Imported) -> None:
    new = {**answer.added, "links": answer.links}
    held = render.holdings(new) if any(new.values()) else "nothing new"
    screen.line(bold("Would import" if answer.dry_run else "Imported"), f"  {held}")
    if answer.known:
        screen.line(f"{answer.known:,} known already and left as they are", indent=2)
    for why, number in answer.passed.items():
        screen.line(f"passed over: {why} ({number:,})", indent=2)
    if answer.unindexed:
        memories = render.count(answer.unindexed, "memory")
        screen.text(f"{memories} not indexed yet: found by words now, by meaning a little later", indent=2)
    _left_out(screen, answer.skipped, answer.refused, "not taken")


def _left_out(screen: Screen, named: Sequence[Skipped], number: int, what: str) -> None:
    if not number:
        return
    screen.text(f"{number:,} {what}:", indent=2, style=warning(""))
    for item in named:
        screen.text(f"{item.where}: {item.why}", indent=4)
    if number > len(named):
        screen.line(f"and {number - len(named):,} more", indent=4)
