# SPDX-License-Identifier: Apache-2.0
"""``forget``, ``erase``, ``undo`` and ``changes``."""

from __future__ import annotations

import sys
from typing import Any

import click

from ..errors import NotFound
from . import documents, render
from .app import WAIT, App, Command, filters, most, pass_app, split
from .exits import NOT_FOUND
from .terminal import Screen, is_terminal


@click.command(cls=Command)
@click.argument("ids", nargs=-1, metavar="[ID]...")
@filters
@click.option("--purge", is_flag=True, help="Erase now and for good: cannot be undone.")
@click.option("--yes", is_flag=True, help="Do it: without this, forgetting by filter only says what it would do.")
@pass_app
def forget(app: App, /, ids: tuple[str, ...], tags: tuple[str, ...], purge: bool, yes: bool, **given: Any) -> None:
    """Forget memories by ID, or all that match a filter.

    An ID may also be that of something stated outright, as relate and ask show it. What is forgotten is hidden at
    once and erased after UNDO_DAYS (7); until then, undo brings it back.
    """
    zone = given.pop("timezone")
    chosen = {name: value for name, value in given.items() if value is not None}
    if tags:
        chosen["tags"] = split(tags)
    if bool(ids) == bool(chosen):
        raise click.UsageError("give either ids or filters" if ids else "give ids, or a filter such as --tag")
    if chosen:
        _by_filter(app, chosen | {"timezone": zone}, purge=purge, yes=yes)
    else:
        _by_id(app, ids, purge=purge, yes=yes)


def _by_id(app: App, ids: tuple[str, ...], *, purge: bool, yes: bool) -> None:
    if purge and not yes and is_terminal(sys.stdin):
        click.confirm(f"Erase {len(ids)} for good?", abort=True, err=True)
    answers, missing = [], []
    with app.memory() as memory:
        for id in dict.fromkeys(ids):
            try:
                answers.append(memory.forget(id, purge=purge))
            except NotFound as error:
                missing.append(id)
                Screen(err=True).line(f"Error: {error}")
    app.answer(documents.forgotten(answers, missing), lambda screen: render.forgotten(screen, answers))
    if missing:
        raise click.exceptions.Exit(NOT_FOUND)


def _by_filter(app: App, chosen: dict[str, Any], *, purge: bool, yes: bool) -> None:
    with app.memory() as memory:
        answer = memory.forget_matching(purge=purge, dry_run=not yes, **chosen)
        said = {id: memory.get(id).engram.summary for id in answer.ids[: render.SHOWN_IDS]} if answer.dry_run else {}
    app.answer(documents.forgotten([answer]), lambda screen: render.forgotten(screen, [answer], purge=purge, said=said))
    if answer.dry_run and answer.ids and not app.as_json:
        Screen(err=True).line("Nothing was changed. Add --yes to do it.")


@click.command(cls=Command)
@click.option("--yes", is_flag=True, help="Do it, without asking.")
@pass_app
def erase(app: App, yes: bool) -> None:
    """Erase the whole memory of the user, for good.

    Nothing brings it back but a copy kept elsewhere (backup, export). Memories of other users stay.
    """
    with app.memory(reindexing=True) as memory:
        state = memory.status()
        told = f"{render.count(state.counts['engram'], 'memory')} of user '{state.user}' in {state.location}"
        if not yes and is_terminal(sys.stdin) and not app.as_json:
            yes = click.confirm(f"Erase {told}, and all that was made of them, for good?", err=True)
        if not yes:
            raise click.UsageError(f"nothing was erased: add --yes to erase {told}")
        answer = memory.upkeep.erase()
    app.answer(documents.erased(answer), lambda screen: render.erased(screen, answer))


@click.command(cls=Command)
@click.argument("change", required=False)
@pass_app
def undo(app: App, change: str | None) -> None:
    """Take back CHANGE, or the newest change.

    CHANGE may also be the id of what was changed: a memory, or something stated outright.
    """
    with app.memory() as memory:
        answer = memory.undo(change)
        memory.settle(WAIT)
    app.answer(documents.undone(answer), lambda screen: render.undone(screen, answer))


@click.command(cls=Command)
@most(20, "changes")
@pass_app
def changes(app: App, limit: int) -> None:
    """List the changes that can be undone, newest first."""
    with app.memory() as memory:
        answer = memory.changes(limit)
    document = {"changes": [documents.change(item) for item in answer]}
    app.answer(document, lambda screen: render.changes(screen, answer))
