# SPDX-License-Identifier: Apache-2.0
"""``demo``: tell a fresh memory an incident history, close it, reopen it, and ask.

It is a check as well: it fails when what a question is about is not among the first three results, or
when a chain of causes is not traced as it was told.
"""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

import click

from . import demo_tracing, documents, render
from .app import App, Command, pass_app
from .client import client_configuration, server_command
from .demo_tracing import Traced
from .exits import FAILED
from .terminal import ProgressLine, Screen, Styled, bold, dim, warning

if TYPE_CHECKING:
    from ..engine.memory import Memory
    from ..engine.results import Recalled

T = TypeVar("T")

AMONG = 3
"""What a question is about must be among this many results."""

INDEXING = 60.0
"""Seconds after which the demo goes on although not everything is indexed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    key: str
    at: datetime
    source: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question, the keys of the memories that answer it (any will do), and what it is there to show."""

    question: str
    expect: frozenset[str]
    shows: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    asked: Asked
    recalled: Recalled
    seconds: float
    rank: int | None  # of the first expected memory, from 1

    @property
    def found(self) -> bool:
        return self.rank is not None


def history() -> tuple[tuple[Told, ...], tuple[Asked, ...], tuple[Traced, ...]]:
    """Return the history that comes with the package, the questions about it, and those for its causes."""
    import tomllib
    from importlib.resources import files

    data = tomllib.loads(files(__package__).joinpath("demo_history.toml").read_text(encoding="utf-8"))
    told = tuple(Told(**item | {"text": " ".join(item["text"].split())}) for item in data["told"])
    asked = tuple(Asked(**item | {"expect": frozenset(item["expect"])}) for item in data["asked"])
    traced = tuple(Traced(**item | {"chain": tuple(item["chain"])}) for item in data["traced"])
    return told, asked, traced


@click.command(cls=Command, without={"path": "demo makes a memory of its own; --keep FOLDER says where"})
@click.option(
    "--keep",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Make the memory in this new folder and leave it there.",
)
@pass_app
def demo(app: App, keep: Path | None) -> None:
    """Tell a fresh memory a history, reopen it and ask.

    See it work, or find out that it does not: it fails if an answer is not the one that was told.
    """
    if keep is not None and keep.exists() and any(keep.iterdir()):
        raise click.UsageError(f"--keep: '{keep}' is not empty")
    with ExitStack() as stack:
        folder = keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="becausal-demo-")))
        found = _run(app, folder, kept=keep is not None)
    if not found:
        raise click.exceptions.Exit(FAILED)


def _run(app: App, folder: Path, *, kept: bool) -> bool:
    """Tell, reopen and ask; return whether everything was answered as it should be."""
    told, asked, traced = history()
    screen = Screen(err=app.as_json)  # with --json, what is told on the way is not the answer
    user = app.user or "demo"
    keys: dict[str, str] = {}

    first, last = told[0].at, told[-1].at
    screen.line(bold("becausal demo"), f"  a fresh memory in {folder}")
    screen.gap()
    with _open(folder, user) as memory:
        _, seconds = _timed(lambda: keys.update((_tell(memory, item), item.key) for item in told))
        screen.text(
            f"Told it {len(told)} things, dated {first:%Y-%m-%d} to {last:%Y-%m-%d}; each on disk before the next"
        )
        screen.line(dim(f"{seconds:.2f} s, {seconds * 1000 / len(told):.1f} ms each"), indent=2)
        pending, seconds = _timed(lambda: _index(memory, len(told)))
        status = memory.status()
        screen.line(f"Indexed by meaning with {status.embedder}")
        screen.line(dim(f"{seconds:.2f} s, the model's loading included"), indent=2)
        if pending:
            screen.text(f"Unexpected: {pending} could not be indexed", style=warning(""))
    screen.line("Closed it, and opened it again")
    memory, seconds = _timed(lambda: _open(folder, user))
    with memory:
        screen.line(dim(f"{seconds * 1000:.0f} ms"), indent=2)
        answers = [_ask(memory, item, keys) for item in asked]
        for position, answer in enumerate(answers, start=1):
            screen.gap()
            _show(screen, position, answer)
        explained = [demo_tracing.explain(memory, item) for item in traced]
        for position, item in enumerate(explained, start=len(answers) + 1):
            screen.gap()
            demo_tracing.show(screen, position, item)
        degraded = memory.status().degraded
    screen.gap()
    found = [*(answer.found for answer in answers), *(item.found for item in explained)]
    _conclude(screen, found, degraded)
    if not app.as_json:
        screen.gap()
        _go_on(screen, folder if kept else None, user)
    document = {
        "folder": str(folder) if kept else None,
        "questions": [_document(answer) for answer in answers],
        "traced": [demo_tracing.document(item) for item in explained],
    }
    if app.as_json:
        app.answer(document, lambda screen: None)
    return all(found)


def _open(folder: Path, user: str) -> Memory:
    from ..composition import open_memory

    return open_memory(folder, user=user)


def _tell(memory: Memory, item: Told) -> str:
    stored = memory.store(item.text, source=item.source, occurred_at=item.at, timezone="UTC")
    return stored.engram.id


def _index(memory: Memory, total: int) -> int:
    """Wait until everything is indexed; return how many memories could not be."""
    line = ProgressLine()
    end = perf_counter() + INDEXING
    left, before = total, -1
    while left and perf_counter() < end:
        line.show("indexing", total - left, total)
        left = memory.settle(0.1)
        if memory.status().embedder_state == "failed" and left == before:
            break
        before = left
    line.clear()
    return left


def _ask(memory: Memory, asked: Asked, keys: dict[str, str]) -> Answer:
    recalled, seconds = _timed(lambda: memory.recall(asked.question, limit=AMONG, timezone="UTC", strengthen=False))
    ranks = (rank for rank, item in enumerate(recalled.results, 1) if keys.get(item.engram.id) in asked.expect)
    return Answer(asked=asked, recalled=recalled, seconds=seconds, rank=next(ranks, None))


def _show(screen: Screen, position: int, answer: Answer) -> None:
    screen.line(bold(f"{position}. {answer.asked.question}"))
    loading = ", the model's loading included" if position == 1 else ""
    screen.text(f"{answer.asked.shows}; {answer.seconds * 1000:.0f} ms{loading}", indent=3, style=dim(""))
    for rank, item in enumerate(answer.recalled.results, 1):
        expected = rank == answer.rank
        if not expected and answer.rank is not None and rank > answer.rank:
            break
        mark = Styled("✓ ", fg="green", bold=True) if expected else dim("· ")
        screen.line(mark, Styled(render.about(item.engram), fg="cyan"), indent=3)
        screen.text(item.text, indent=5, style=None if expected else dim(""))
        screen.text(f"why: {render.why(item)}", indent=5, style=dim(""))
    if not answer.found:
        screen.line(Styled(f"✗ not among the first {AMONG}", fg="red", bold=True), indent=3)


def _conclude(screen: Screen, found: list[bool], degraded: str | None) -> None:
    colour = "green" if all(found) else "red"
    screen.line(Styled(f"{sum(found)} of {len(found)} questions answered.", fg=colour, bold=True))
    if degraded is not None:
        screen.text(f"degraded: {degraded}", style=warning(""))


def _go_on(screen: Screen, folder: Path | None, user: str) -> None:
    if folder is not None:
        command = shlex.join([*_invocation(), "--path", str(folder.absolute()), "--user", user])
        screen.line("Go on asking it:")
        screen.line(f"{command} why were new products not found", indent=2)
        screen.gap()
    screen.text("To give an agent a memory, tell its MCP client this (README.md says where for each client):")
    for line in client_configuration().splitlines():
        screen.line(line, indent=2)


def _invocation() -> list[str]:
    command, args = server_command()
    return [command, *args]


def _document(answer: Answer) -> dict[str, Any]:
    return {
        "question": answer.asked.question,
        "found": answer.found,
        "rank": answer.rank,
        "seconds": round(answer.seconds, 4),
        "answer": documents.recalled(answer.recalled),
    }


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    start = perf_counter()
    value = work()
    return value, perf_counter() - start
