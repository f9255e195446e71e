# SPDX-License-Identifier: Apache-2.0
"""``backup``, ``restore`` and ``verify``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from ..errors import SettingsError
from .app import App, Command, pass_app
from .documents import moment
from .exits import BUSY
from .render import count, stamp
from .terminal import ProgressLine, Screen, bold, dim, is_terminal

if TYPE_CHECKING:
    from ..engine.memory import Memory
    from ..engine.results import Progress
    from ..engine.upkeep.backups import Backups
    from ..engine.upkeep.results import BackedUp


@click.command(cls=Command)
@click.option("--overwrite", is_flag=True, help="Put this memory on top of what another machine has put there.")
@click.option("--list", "listing", is_flag=True, help="Only list the copies that are kept.")
@click.option("--limit", type=int, default=20, show_default=True, help="Most copies listed.")
@pass_app
def backup(app: App, overwrite: bool, listing: bool, limit: int) -> None:
    """Keep a copy of the memory, if anything has changed.

    It is kept where BACKUP_TYPE says.
    """
    with app.memory() as memory:
        backups = _configured(memory)
        if listing:
            _list(app, backups, limit)
            return
        answer = backups.run(overwrite=overwrite)
    document = {
        "ran": answer.ran,
        "place": answer.place,
        "version": answer.version,
        "changed": answer.changed,
        "memories": answer.memories,
        "size": answer.size,
        "note": answer.note,
    }
    app.answer(document, lambda screen: _backed_up(screen, answer))
    if not answer.ran:
        raise click.exceptions.Exit(BUSY)


def _backed_up(screen: Screen, answer: BackedUp) -> None:
    if not answer.ran:
        screen.text(f"Nothing done: {answer.note}.")
        return
    done = "Backed up" if answer.changed else "Nothing has changed since the last backup"
    screen.line(bold(done), f"  {count(answer.memories, 'memory')}")
    screen.text(answer.place, indent=2)
    screen.line(dim(answer.version or ""), indent=2)


def _list(app: App, backups: Backups, limit: int) -> None:
    found = backups.versions(limit)
    document = {
        "place": backups.place.name,
        "versions": [{"id": each.id, "at": moment(each.at), "memories": each.memories} for each in found],
    }

    def human(screen: Screen) -> None:
        if not found:
            screen.line("No copies yet.")
        for each in found:
            screen.line(f"{stamp(each.at)}  {count(each.memories, 'memory')}  ", dim(each.id))

    app.answer(document, human)


@click.command(cls=Command)
@click.argument("version", required=False)
@click.option("--yes", is_flag=True, help="Do it without asking.")
@pass_app
def restore(app: App, version: str | None, yes: bool) -> None:
    """Put a copy in the place of the memory.

    The newest one, or that of VERSION. What was there before is kept beside it, and named. Every program that has
    the memory open must be closed.
    """
    from ..composition import restore_backup
    from ..settings import Settings

    settings = Settings.load(storage_location=app.path, user=app.user)
    if not yes:
        if not is_terminal(sys.stdin):
            raise click.UsageError("this puts a copy in the place of the memory: add --yes to do it")
        click.confirm("Put the copy in the place of the memory?", abort=True, err=True)
    line = ProgressLine()

    def show(progress: Progress) -> None:
        line.show(progress.what, progress.done, progress.total)

    try:
        answer = restore_backup(settings, version, show)
    finally:
        line.clear()
    document: dict[str, Any] = {
        "place": answer.place,
        "version": answer.version,
        "memories": answer.memories,
        "kept_as": answer.kept_as,
    }

    def human(screen: Screen) -> None:
        screen.line(bold("Restored"), f"  {count(answer.memories, 'memory')}")
        screen.text(answer.place, indent=2)
        screen.line(dim(answer.version), indent=2)
        if answer.kept_as is not None:
            screen.line(f"what was there before: {answer.kept_as}", indent=2)

    app.answer(document, human)


@click.command(cls=Command)
@click.argument("version", required=False)
@pass_app
def verify(app: App, version: str | None) -> None:
    """Make sure that a copy can be brought back.

    The newest one, or that of VERSION, is fetched and read in full.
    """
    with app.memory() as memory:
        answer = _configured(memory).verify(version)
    document = {
        "place": answer.place,
        "version": answer.version,
        "memories": answer.memories,
        "records": answer.records,
        "links": answer.links,
        "size": answer.size,
    }

    def human(screen: Screen) -> None:
        held = f"{count(answer.memories, 'memory')}, {count(answer.records, 'record')}, {count(answer.links, 'link')}"
        screen.line(bold("Whole"), f"  {held}")
        screen.text(answer.place, indent=2)
        screen.line(dim(answer.version), indent=2)

    app.answer(document, human)


def _configured(memory: Memory) -> Backups:
    if memory.backups is None:
        raise SettingsError("BACKUP_TYPE", "no backup is configured")
    return memory.backups
