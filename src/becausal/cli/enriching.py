# SPDX-License-Identifier: Apache-2.0
"""``enrich``: memories read by a chat model."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from ..engine.enriching.results import Enriched, Estimate
from . import render
from .app import WAIT, App, Command, pass_app
from .exits import FAILED
from .terminal import ProgressLine, Screen, is_terminal

if TYPE_CHECKING:
    from ..engine.results import Progress


@click.command(cls=Command)
@click.option("--all", "everything", is_flag=True, help="Read anew what was read before, too.")
@click.option("--limit", type=click.IntRange(1), help="Most memories read now.")
@click.option("--dry-run", is_flag=True, help="Say what it would take, and send nothing.")
@click.option("--yes", is_flag=True, help="Do not ask first.")
@pass_app
def enrich(app: App, everything: bool, limit: int | None, dry_run: bool, yes: bool) -> None:
    """Have the chat model in the settings read memories.

    It says what that will take, and asks on a terminal. It can be stopped, and goes on where it was.
    """
    line = ProgressLine()

    def show(progress: Progress) -> None:
        line.show(progress.what, progress.done, progress.total)

    with app.memory() as memory:
        estimate = memory.enrichment.estimate(all=everything)
        if dry_run:
            app.answer(_estimated(estimate), lambda screen: screen.line(_cost(estimate)))
            return
        if not app.as_json:
            Screen(err=True).line(_cost(estimate))
        if estimate.memories and not yes and is_terminal(sys.stdin):
            click.confirm("Go on?", abort=True, err=True)
        try:
            done = memory.enrichment.run(all=everything, limit=limit, progress=show)
        finally:
            line.clear()
        memory.settle(WAIT)
    app.answer(_document(done), lambda screen: _render(screen, done))
    if not done.succeeded:
        raise click.exceptions.Exit(FAILED)


def _cost(estimate: Estimate) -> str:
    if not estimate.memories:
        return "There is nothing to read."
    calls = render.count(estimate.memories, "call")
    return (
        f"{render.count(estimate.memories, 'memory')} to read: {calls} of the model, about {estimate.tokens_in:,} "
        f"tokens read, at most {estimate.tokens_out:,} written; twice that where answers must be asked for again."
    )


def _render(screen: Screen, done: Enriched) -> None:
    guessed = f", {done.estimated:,} of them estimated" if done.estimated else ""
    screen.line(f"{render.count(done.read, 'memory')} read, {done.tokens:,} tokens used{guessed}.")
    for reason, number in done.failed.items():
        screen.text(f"{render.count(number, 'memory')} could not be read: {reason}")
    if done.stopped is not None:
        screen.text(f"Stopped, with {render.count(done.left, 'memory')} left: {done.stopped}")
    if done.unnamed is not None:
        screen.text(f"Clusters keep the names made of their words: {done.unnamed}")


def _estimated(estimate: Estimate) -> dict[str, object]:
    return {"memories": estimate.memories, "tokens_in": estimate.tokens_in, "tokens_out": estimate.tokens_out}


def _document(done: Enriched) -> dict[str, object]:
    return {
        "read": done.read,
        "failed": dict(done.failed),
        "left": done.left,
        "stopped": done.stopped,
        "unnamed": done.unnamed,
        "tokens": done.tokens,
        "estimated": done.estimated,
    }
