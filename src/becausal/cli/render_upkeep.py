# SPDX-License-Identifier: Apache-2.0
"""What a memory does for itself, as a person reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..consolidate.communities import Cluster
from ..engine.upkeep.results import Archived, ArchivePage, Consolidated, Diagnosis, History, Restored, Topic
from .render import about, command, count, fields, stamp
from .terminal import Screen, bold, clean_line, dim, shorten, warning

SHOWN = 20
"""Memories named of those that a consolidation would archive."""


def consolidated(screen: Screen, answer: Consolidated, said: Mapping[str, str]) -> None:
    """Write what a consolidation did, or would do; ``said`` is what the memories say that it would archive."""
    if not answer.ran:
        screen.text(f"Nothing done: {answer.note}.")
        return
    screen.line(bold("A consolidation would do this:" if answer.dry_run else f"Consolidated in {answer.seconds:.1f} s"))
    fields(screen, [(step, _counts(counts)) for step, counts in answer.steps.items()])
    for id in answer.weak[:SHOWN]:
        screen.text(f"would be archived: {clean_line(said[id])}", indent=2)
        screen.line(dim(id), indent=4)
    if len(answer.weak) > SHOWN:
        screen.line(dim(f"and {count(len(answer.weak) - SHOWN, 'more memory')}"), indent=2)
    if answer.undo is not None:
        screen.line(dim("to bring back what was archived:"), indent=2)
        screen.line(command("undo", answer.undo), indent=2)
    if answer.note is not None:
        screen.text(answer.note, style=warning(""))


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {_named(name, number)}" for name, number in counts.items()) or "nothing"


def _named(name: str, number: int) -> str:
    """Return the name of what was counted, in the singular for one."""
    if number != 1:
        return name
    return f"{name[:-3]}y" if name.endswith("ies") else name.removesuffix("s")


def clusters(screen: Screen, answer: Sequence[Cluster]) -> None:
    if not answer:
        screen.text("No clusters yet: a consolidation finds them, once enough memories are about the same.")
    for each in answer:
        screen.line(f"{each.id:>5}", "  ", bold(shorten(clean_line(each.name), screen.width - 7)))
        screen.text(f"{count(each.size, 'memory')} · {', '.join(map(clean_line, each.cues))}", indent=7, style=dim(""))


def topic(screen: Screen, answer: Topic) -> None:
    screen.line(bold(clean_line(answer.cluster.name)), f"  {count(answer.cluster.size, 'memory')}")
    for engram in answer.memories:
        screen.gap()
        screen.text(engram.summary, indent=2)
        screen.text(about(engram), indent=2, style=dim(""))
        screen.line(dim(engram.id), indent=2)


def archive_page(screen: Screen, answer: ArchivePage, more: Sequence[str]) -> None:
    """Write what is archived; ``more`` is the command that shows the next ones, without the cursor."""
    if not answer.memories:
        screen.line("The archive is empty.")
    for position, engram in enumerate(answer.memories):
        if position:
            screen.gap()
        screen.text(engram.summary)
        if engram.archived_at is not None:
            screen.text(f"archived {stamp(engram.archived_at)} · {about(engram)}", indent=2, style=dim(""))
        screen.line(dim(engram.id), indent=2)
    if answer.next is not None:
        screen.gap()
        screen.line(dim(f"More: {command(*more, '--cursor', answer.next)}"))


def archived(screen: Screen, answer: Archived) -> None:
    screen.line(bold(f"{count(len(answer.ids), 'memory')} archived"))
    if answer.undo is not None:
        screen.line(command("undo", answer.undo), indent=2)


def restored(screen: Screen, answer: Restored) -> None:
    screen.line(bold(f"{count(len(answer.ids), 'memory')} brought back") if answer.ids else "Not in the archive.")


def history(screen: Screen, answer: History) -> None:
    if answer.engram is None:
        screen.line(dim("forgotten"))
    else:
        screen.text(answer.engram.summary)
    for each in answer.happenings:
        screen.gap()
        screen.text(f"{stamp(each.at)}  {clean_line(each.note)}")
        if each.before is not None:
            screen.text(f"before: {shorten(clean_line(each.before), 300)}", indent=2, style=dim(""))
        if each.change is not None and each.until is not None:
            screen.line(dim(f"{command('undo', each.change)}  (until {stamp(each.until)})"), indent=2)


def diagnosis(screen: Screen, answer: Diagnosis) -> None:
    screen.line(answer.location)
    for what in answer.done:
        screen.text(f"mended: {what}", indent=2)
    for item in answer.findings:
        if item.serious:
            screen.text(f"wrong: {item.what}", indent=2, style=warning(""))
        else:
            screen.text(f"note: {item.what}", indent=2)
    for what in answer.checked:
        screen.text(f"in order: {what}", indent=2)
    if answer.mendable and not answer.done:
        screen.line(f"{command('doctor', '--fix')} mends what can be mended.")
