# SPDX-License-Identifier: Apache-2.0
"""``export``, ``import`` and ``migrate``."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from . import documents, render_transfer
from .app import WAIT, App, Command, pass_app, split
from .exits import FAILED
from .terminal import ProgressLine, Screen, is_terminal

if TYPE_CHECKING:
    from ..engine.results import Progress

FORMATS = "text, markdown, jsonl, chatgpt, claude, server-memory, basic-memory, pmll, pmll-json, smriti, polyg"

BROKEN_OFF = "Broken off. What was imported so far is kept; the same command goes on with the rest."


class _Place(click.Path):
    """A path, or the address of a server, which is left as it is."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return value if isinstance(value, str) and "://" in value else super().convert(value, param, ctx)


@click.command(cls=Command)
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path), default="-")
@click.option("--vectors", is_flag=True, help="With the vectors: larger, and imported without a model.")
@click.option("--no-changes", is_flag=True, help="Without what can be undone, and so without what was forgotten.")
@pass_app
def export(app: App, file: Path, vectors: bool, no_changes: bool) -> None:
    """Write the whole memory to FILE, as JSON lines.

    Without FILE, or if it is -, to standard output. Nothing is lost: an import into an empty memory makes the
    same memory again, with the same ids.
    """
    line = ProgressLine()
    to_stream = str(file) == "-"
    if to_stream and is_terminal(sys.stdout):
        raise click.UsageError("name a file, or send the output somewhere: becausal export memory.jsonl")
    with app.memory() as memory:
        try:
            target = sys.stdout.buffer if to_stream else file
            answer = memory.transfer.export(target, vectors=vectors, changes=not no_changes, progress=_telling(line))
        finally:
            line.clear()
    if to_stream:
        sys.stdout.buffer.flush()
        render_transfer.exported(Screen(err=True), answer, None)
    else:
        app.answer(
            documents.exported(answer, str(file)), lambda screen: render_transfer.exported(screen, answer, str(file))
        )
    if answer.damaged:
        raise click.exceptions.Exit(FAILED)


@click.command("import", cls=Command)
@click.argument(
    "file", type=_Place(exists=True, allow_dash=True, path_type=Path), metavar="FILE | FOLDER | ADDRESS | -"
)
@click.option("--format", "format", metavar="NAME", help=f"What it is, if that cannot be told from it: {FORMATS}.")
@click.option("--dry-run", is_flag=True, help="Only say what would come of it.")
@click.option("--source", metavar="NAME", help="Where it comes from, in place of what the file says.")
@click.option("--session", metavar="NAME", help="The conversation it belongs to, in place of what the file says.")
@click.option("--tag", "--tags", "tags", multiple=True, metavar="TAGS", help="Tags for all of it; repeatable.")
@click.option("--timezone", metavar="ZONE", help="Zone of times that name none, such as Europe/Berlin.")
@pass_app
def import_(app: App, /, file: Path | str, tags: tuple[str, ...], **given: Any) -> None:
    """Bring in what an export or another program has written.

    FILE may be an export, notes, conversations or the memory of another program; - is standard input. ADDRESS is
    that of a server with polyg-mcp's graph or smriti-mcp's memory: falkordb://HOST:PORT/GRAPH or
    neo4j://HOST:PORT/DATABASE, with ?user=NAME where another user's part of it is meant; FALKORDB_PASSWORD or
    NEO4J_PASSWORD opens it. What is known already is left as it is, so an import that was interrupted can be
    started again.
    """
    line = ProgressLine()
    given |= app.settings().store_access() if isinstance(file, str) else {}
    with app.memory() as memory, _on_disk(file) as place:
        try:
            answer = memory.transfer.import_file(place, tags=split(tags), progress=_telling(line), **given)
            memory.settle(WAIT)
        except KeyboardInterrupt:
            line.clear()
            if not given["dry_run"]:
                Screen(err=True).line(BROKEN_OFF)
            raise
        finally:
            line.clear()
    app.answer(documents.imported(answer), lambda screen: render_transfer.imported(screen, answer))
    if answer.refused:
        raise click.exceptions.Exit(FAILED)


@click.command(cls=Command)
@click.option("--from", "source", metavar="STORE", required=True, help="Where the memory is: a value of DB_TYPE.")
@click.option("--to", "target", metavar="STORE", required=True, help="Where it is to be: a value of DB_TYPE.")
@click.option(
    "--to-path",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="The folder of the new store, if that is a file; without it, the same.",
)
@pass_app
def migrate(app: App, source: str, target: str, to_path: Path | None) -> None:
    """Bring the whole memory into another store.

    Ids, versions and vectors stay what they are. The new store must be empty, or half filled by the same migration:
    one that was interrupted goes on where it was. The old one stays as it is. Afterwards, set DB_TYPE to the new one.
    """
    from ..composition import migrate_memory

    line = ProgressLine()
    there = App(path=to_path.expanduser() if to_path is not None else app.path, user=app.user)
    try:
        answer = migrate_memory(app.settings(db_type=source), there.settings(db_type=target), _telling(line))
    finally:
        line.clear()
    app.answer(documents.migrated(answer), lambda screen: render_transfer.migrated(screen, answer))
    if answer.damaged:
        raise click.exceptions.Exit(FAILED)


def _telling(line: ProgressLine) -> Callable[[Progress], None]:
    return lambda progress: line.show(progress.what, progress.done, progress.total)


@contextmanager
def _on_disk(file: Path | str) -> Iterator[Path | str]:
    """Lend a file, an address, or a private copy of standard input that can be read twice."""
    if str(file) != "-":
        yield file
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "input"
        with copy.open("wb") as target:
            shutil.copyfileobj(sys.stdin.buffer, target)
        yield copy
