# SPDX-License-Identifier: Apache-2.0
"""``store`` and ``edit``: telling a memory something, and putting it right."""

from __future__ import annotations

import sys
from typing import Any

import click

from . import documents, render
from .app import MEMORY_TYPE, TYPES, WAIT, App, Command, in_zone, pass_app, split
from .terminal import Screen, is_terminal


@click.command(cls=Command)
@click.argument("text", nargs=-1, metavar="[TEXT | -]")
@click.option("--importance", type=float, metavar="SHARE", default=0.5, show_default=True, help="From 0 to 1.")
@click.option("--tag", "--tags", "tags", multiple=True, metavar="TAGS", help="Comma-separated; repeatable.")
@click.option(
    "--source", metavar="NAME", help="Where it comes from: a channel, a file, or in a conversation who says it."
)
@click.option("--session", metavar="NAME", help="The conversation it is part of.")
@click.option("--label", metavar="TITLE", help="A title.")
@click.option(
    "--type", "memory_type", type=MEMORY_TYPE, metavar="TYPE", help=f"What it is: {TYPES}; worked out unless given."
)
@click.option("--occurred-at", metavar="TIME", help="When it happened, such as 2026-03-09 or 'last Tuesday'.")
@in_zone
@click.option("--pin", "pinned", is_flag=True, help="Never let it fade.")
@click.option("--no-wait", is_flag=True, help="Return before it is indexed.")
@pass_app
def store(app: App, /, text: tuple[str, ...], tags: tuple[str, ...], no_wait: bool, **given: Any) -> None:
    """Remember TEXT, or standard input if TEXT is - or missing."""
    content = _content(text)
    with app.memory() as memory:
        answer = memory.store(content, tags=split(tags), **given)
        pending = memory.settle(0.0 if no_wait else WAIT)
    app.answer(documents.stored(answer, pending), lambda screen: render.stored(screen, answer, pending))


@click.command(cls=Command)
@click.argument("id")
@click.option("--content", metavar="TEXT", help="The new text; - reads standard input.")
@click.option("--importance", type=float, metavar="SHARE", help="From 0 to 1.")
@click.option("--tag", "--tags", "tags", multiple=True, metavar="TAGS", help="All tags from now on; '' removes them.")
@click.option("--source", metavar="NAME", help="Where it comes from; '' removes it.")
@click.option("--label", metavar="TITLE", help="A title; '' removes it.")
@click.option("--type", "memory_type", type=MEMORY_TYPE, metavar="TYPE", help=f"What it is: {TYPES}.")
@click.option("--occurred-at", metavar="TIME", help="When it happened, such as 2026-03-09 or 'last Tuesday'.")
@in_zone
@click.option("--pin/--unpin", "pinned", default=None, help="Never let it fade, or let it again.")
@pass_app
def edit(app: App, /, id: str, content: str | None, tags: tuple[str, ...], **given: Any) -> None:
    """Change the memory ID. With no option, open its text in $EDITOR."""
    zone = given.pop("timezone")
    changes = {name: value for name, value in given.items() if value is not None}
    if content is not None:
        changes["content"] = _read_input() if content == "-" else content
    if tags:
        changes["tags"] = split(tags)
    if not changes and not (is_terminal(sys.stdin) and is_terminal(sys.stdout)):
        raise click.UsageError("say what to change, such as --content or --tags (or use a terminal, for $EDITOR)")
    with app.memory() as memory:
        if not changes:
            before = memory.get(id).engram.content
            edited = click.edit(before, extension=".txt")
            if edited is None or edited.rstrip("\r\n") == before.rstrip("\r\n"):
                Screen(err=True).line("Nothing changed.")
                return
            changes["content"] = edited.rstrip("\r\n")
        answer = memory.update(id, timezone=zone, **changes)
        pending = memory.settle(WAIT)
    app.answer(documents.stored(answer, pending), lambda screen: render.updated(screen, answer, pending))


def _content(words: tuple[str, ...]) -> str:
    if words == ("-",):
        return _read_input()
    if words:
        return " ".join(words)
    if is_terminal(sys.stdin):
        raise click.UsageError("nothing to remember: give a text, or - to read standard input")
    return _read_input()


def _read_input() -> str:
    """Return standard input, without the line end that shells and editors put after it."""
    from ..engine.validate import MAX_CONTENT
    from ..errors import InvalidInput

    if is_terminal(sys.stdin):
        Screen(err=True).line("Type the text, then end the input (Ctrl-D; on Windows Ctrl-Z and Enter).")
    data = sys.stdin.buffer.read(MAX_CONTENT + 16)
    if len(data) > MAX_CONTENT + 8:
        raise InvalidInput("content", f"must be at most {MAX_CONTENT:,} bytes")
    try:
        text = data.decode("utf-8-sig")  # Windows shells put a byte order mark before what they pipe
    except UnicodeDecodeError as error:
        raise InvalidInput("content", f"must be UTF-8, but byte {error.start} is not") from None
    return text.rstrip("\r\n")
