# SPDX-License-Identifier: Apache-2.0
"""``ask`` and ``why``: questions answered from the graphs."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..domain.records import Engram
from ..engine.results import Answer
from ..errors import NotFound
from . import answers, documents
from .app import WAIT, App, Command, in_zone, most, pass_app, since, until
from .terminal import Screen

if TYPE_CHECKING:
    from ..engine.memory import Memory

F = TypeVar("F", bound=Callable[..., Any])

_QUESTION = re.compile(r"\W*(?:why|what|when|who|whom|whose|which|where|how|explain|tell)\b", re.I)


def _bounds(function: F) -> F:
    for option in (
        in_zone,
        until,
        since,
        most(10, "sources"),
    ):
        function = option(function)
    return function


@click.command(cls=Command)
@click.argument("question", nargs=-1, required=True)
@_bounds
@pass_app
def ask(app: App, /, question: tuple[str, ...], **given: Any) -> None:
    """Answer QUESTION from what was told.

    Why, when, who, what about it: it names its sources, and says so when nothing told answers it.
    """
    _answer(app, " ".join(question), given, answers.answered)


@click.command(cls=Command)
@click.argument("question", nargs=-1, required=True, metavar="QUESTION|EVENT...")
@_bounds
@pass_app
def why(app: App, /, question: tuple[str, ...], **given: Any) -> None:
    """Trace what led to an event, and draw it as a tree.

    It may be asked for as a question, "why did auth fail", or told: "auth failed".
    """
    _answer(app, as_question(" ".join(question)), given, answers.explained)


def as_question(text: str) -> str:
    """Return a question as it is, and anything else as a question for its causes.

    "did auth fail" is taken for a question that has left out its "why".
    """
    if _QUESTION.match(text):
        return text
    bare = text.strip().rstrip(".!?")
    return f"Why {bare}?" if bare else text


def _answer(
    app: App,
    question: str,
    given: Mapping[str, Any],
    show: Callable[[Screen, Answer, Mapping[str, Engram]], None],
) -> None:
    with app.memory() as memory:
        patience = memory.get_ready(WAIT)
        answer = memory.ask(question, patience=patience, **given)
        cited = {} if app.as_json else _cited(memory, answer)
    app.answer(documents.answered(answer), lambda screen: show(screen, answer, cited))
    if not app.as_json:
        answers.doubts(Screen(err=True), answer)


def _cited(memory: Memory, answer: Answer) -> dict[str, Engram]:
    """Return the memories an answer cites, but for what somebody has forgotten in this moment."""
    found = {}
    for id in (source.engram for source in answer.sources if source.engram):
        with suppress(NotFound):
            found[id] = memory.get(id).engram
    return found
