# SPDX-License-Identifier: Apache-2.0
"""``consolidate``, ``clusters``, ``archive``, ``unarchive`` and ``history``."""

from __future__ import annotations

import sys

import click

from . import documents, documents_upkeep, render, render_upkeep
from .app import App, Command, most, pass_app
from .exits import BUSY
from .terminal import Screen, is_terminal


@click.command(cls=Command)
@click.option("--dry-run", is_flag=True, help="Say what would be done, and change nothing.")
@pass_app
def consolidate(app: App, dry_run: bool) -> None:
    """Look after the memory now.

    Archive what has faded, find clusters, and more. Done by itself every CONSOLIDATION_INTERVAL seconds while a
    server runs.
    """
    with app.memory() as memory:
        answer = memory.upkeep.consolidate(dry_run=dry_run)
        said = {id: memory.get(id).engram.summary for id in answer.weak[: render_upkeep.SHOWN]}
    app.answer(documents_upkeep.consolidated(answer), lambda screen: render_upkeep.consolidated(screen, answer, said))
    if not answer.ran:
        raise click.exceptions.Exit(BUSY)


@click.command(cls=Command)
@click.argument("cluster_id", type=int, required=False, metavar="[CLUSTER]")
@most(20, "clusters, or memories of one")
@pass_app
def clusters(app: App, cluster_id: int | None, limit: int) -> None:
    """List the topics of the memory, the largest first.

    With CLUSTER, the number of one, list its memories.
    """
    with app.memory() as memory:
        if cluster_id is not None:
            topic = memory.upkeep.cluster(cluster_id, limit)
            app.answer(documents_upkeep.topic(topic), lambda screen: render_upkeep.topic(screen, topic))
            return
        answer = memory.upkeep.clusters(limit)
    document = {"clusters": [documents_upkeep.cluster(each) for each in answer]}
    app.answer(document, lambda screen: render_upkeep.clusters(screen, answer))


@click.command(cls=Command)
@click.argument("ids", nargs=-1, metavar="[ID]...")
@most(20, "memories listed")
@click.option("--cursor", metavar="CURSOR", help="Go on where an earlier list ended.")
@click.option("--empty", is_flag=True, help="Forget all that is archived (with --yes; else say what that is).")
@click.option("--yes", is_flag=True, help="Do it.")
@pass_app
def archive(app: App, ids: tuple[str, ...], limit: int, cursor: str | None, empty: bool, yes: bool) -> None:
    """List the archive, or put memories into it by ID.

    No question finds what is archived. Consolidation archives what has faded and is of little importance.
    unarchive brings memories back.
    """
    if ids and (empty or cursor):
        raise click.UsageError("give ids, or --empty or --cursor, not both")
    with app.memory() as memory:
        if ids:
            done = memory.upkeep.archive(list(dict.fromkeys(ids)))
            app.answer(documents_upkeep.archived(done), lambda screen: render_upkeep.archived(screen, done))
        elif empty:
            if yes and is_terminal(sys.stdin):
                click.confirm("Forget all that is archived?", abort=True, err=True)
            gone = memory.upkeep.empty_archive(dry_run=not yes)
            app.answer(documents.forgotten([gone]), lambda screen: render.forgotten(screen, [gone]))
            if gone.dry_run and gone.ids and not app.as_json:
                Screen(err=True).line("Nothing was changed. Add --yes to do it.")
        else:
            page = memory.upkeep.archived(limit, cursor)
            more = ("archive", "--limit", str(limit))
            document = documents_upkeep.archive_page(page)
            app.answer(document, lambda screen: render_upkeep.archive_page(screen, page, more))


@click.command(cls=Command)
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@pass_app
def unarchive(app: App, ids: tuple[str, ...]) -> None:
    """Bring memories back from the archive by ID."""
    with app.memory() as memory:
        answer = memory.upkeep.restore(list(dict.fromkeys(ids)))
    app.answer(documents_upkeep.restored(answer), lambda screen: render_upkeep.restored(screen, answer))


@click.command(cls=Command)
@click.argument("id")
@pass_app
def history(app: App, id: str) -> None:
    """Tell what has happened to the memory ID.

    With the undo of what can be undone.
    """
    with app.memory() as memory:
        answer = memory.upkeep.history(id)
    app.answer(documents_upkeep.history(answer), lambda screen: render_upkeep.history(screen, answer))
