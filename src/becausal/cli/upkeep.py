# SPDX-License-Identifier: Apache-2.0
"""``status`` and ``reindex``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from . import documents, render
from .app import App, Command
from .terminal import ProgressLine

if TYPE_CHECKING:
    from ..engine.results import Progress


@click.command(cls=Command)
@click.pass_obj
def status(app: App) -> None:
    """Say where the memory is, what it holds and how it is doing."""
    with app.memory() as memory:
        answer = memory.status()
    app.answer(documents.status(answer), lambda screen: render.status(screen, answer))


@click.command(cls=Command)
@click.pass_obj
def reindex(app: App) -> None:
    """Embed everything anew, with the embedder in the settings.

    Needed after a change of embedder. It can be stopped and started again: it goes on where it was.
    """
    line = ProgressLine()

    def show(progress: Progress) -> None:
        line.show(progress.what, progress.done, progress.total)

    with app.memory() as memory:
        try:
            number = memory.reindex(show)
        finally:
            line.clear()
    app.answer({"reindexed": number}, lambda screen: screen.line(f"{render.count(number, 'memory')} reindexed."))
