# SPDX-License-Identifier: Apache-2.0
"""``recall``, ``list`` and ``show``: asking a memory."""

from __future__ import annotations

from typing import Any

import click

from . import documents, render
from .app import WAIT, App, Command, filters, most, pass_app, split
from .terminal import Screen

MODE = click.Choice(["recall", "search", "fts", "hybrid", "list"])


@click.command(cls=Command)
@click.argument("query", nargs=-1)
@most(5, "results")
@click.option(
    "--mode",
    type=MODE,
    metavar="MODE",
    help="By which means: recall (all, the default), search (meaning), fts (words), hybrid (those two) or list (none).",
)
@filters
@click.option("--max-tokens", type=int, metavar="N", help="Most tokens of text in all results together.")
@click.option("--cursor", metavar="CURSOR", help="Go on where an earlier answer ended.")
@pass_app
def recall(app: App, /, query: tuple[str, ...], tags: tuple[str, ...], **given: Any) -> None:
    """Find what answers QUERY; without one, the memories used last."""
    _recall(app, " ".join(query) or None, tags, given)


@click.command("list", cls=Command)
@most(20, "results")
@filters
@click.option("--cursor", metavar="CURSOR", help="Go on where an earlier answer ended.")
@pass_app
def list_memories(app: App, /, tags: tuple[str, ...], **given: Any) -> None:
    """List memories, the ones used last first."""
    _recall(app, None, tags, given | {"mode": "list"})


def _recall(app: App, query: str | None, tags: tuple[str, ...], given: dict[str, Any]) -> None:
    with app.memory() as memory:
        patience = memory.get_ready(WAIT) if query is not None else None
        answer = memory.recall(query, tags=split(tags), patience=patience, **given)
    more = render.command(*_invocation(query, tags, given))
    app.answer(documents.recalled(answer), lambda screen: render.recalled(screen, answer, more))
    if not app.as_json and answer.mode != "list":  # listing needs no index
        render.concerns(Screen(err=True), answer.degraded, answer.pending)


def _invocation(query: str | None, tags: tuple[str, ...], given: dict[str, Any]) -> list[str]:
    """Return the command that asks the same again."""
    words = ["list"] if query is None and given.get("mode") == "list" else ["recall", *([query] if query else [])]
    names = {"memory_type": "type"}
    for name, value in given.items():
        if value is None or name == "cursor" or (name == "mode" and words[0] == "list"):
            continue
        words += [f"--{names.get(name, name).replace('_', '-')}", str(value)]
    words += [word for tag in tags for word in ("--tag", tag)]
    return words


@click.command(cls=Command)
@click.argument("id")
@pass_app
def show(app: App, id: str) -> None:
    """Show the memory ID with everything around it."""
    with app.memory() as memory:
        answer = memory.get(id)
    app.answer(documents.detail(answer), lambda screen: render.detail(screen, answer))
