# SPDX-License-Identifier: Apache-2.0
"""``status``, ``doctor`` and ``reindex``."""

from __future__ import annotations

from time import monotonic, sleep
from typing import TYPE_CHECKING

import click

from . import documents, documents_upkeep, render, render_upkeep
from .app import WAIT, App, Command, pass_app
from .exits import FAILED
from .terminal import ProgressLine

if TYPE_CHECKING:
    from ..engine.memory import Memory
    from ..engine.results import Progress, Status

PATIENCE = 10.0
"""Seconds that ``status`` waits to see whether the embedder can be loaded."""


@click.command(cls=Command)
@pass_app
def status(app: App) -> None:
    """Say where the memory is, what it holds and how it is doing."""
    with app.memory(reindexing=True) as memory:  # it says where a memory is and what to do, whatever embedder it needs
        answer = _status_with_model(memory)
    app.answer(documents.status(answer), lambda screen: render.status(screen, answer))


def _status_with_model(memory: Memory) -> Status:
    """Return the status once it is known whether the embedder runs, or after ``PATIENCE`` seconds."""
    memory.warm()
    end = monotonic() + PATIENCE
    while (answer := memory.status()).embedder_state in ("idle", "loading") and monotonic() < end:
        sleep(0.02)
    return answer


@click.command(cls=Command)
@pass_app
def reindex(app: App) -> None:
    """Embed everything anew, with the embedder in the settings.

    Needed after a change of embedder. It can be stopped and started again: it goes on where it was.
    """
    line = ProgressLine()

    def show(progress: Progress) -> None:
        line.show(progress.what, progress.done, progress.total)

    with app.memory(reindexing=True) as memory:
        try:
            number = memory.reindex(show)
        finally:
            line.clear()
    app.answer({"reindexed": number}, lambda screen: screen.line(f"{render.count(number, 'memory')} reindexed."))


@click.command(cls=Command)
@click.option("--fix", is_flag=True, help="Mend what can be mended.")
@pass_app
def doctor(app: App, fix: bool) -> None:
    """Look the memory over, also one that cannot be opened.

    With --fix, what cannot be read is set aside and kept, and everything that is made from memories is made
    again. Other programs should not have the memory open then.
    """
    from ..composition import examine_memory

    answer = examine_memory(app.settings(), fix=fix)
    if answer.done and answer.healthy:
        with app.memory() as memory:
            memory.settle(WAIT)
    app.answer(documents_upkeep.diagnosis(answer), lambda screen: render_upkeep.diagnosis(screen, answer))
    if not answer.healthy:
        raise click.exceptions.Exit(FAILED)
