# SPDX-License-Identifier: Apache-2.0
"""``relate``: stating outright how things relate, and what brought about what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..domain.ids import looks_like_id
from ..errors import NotFound
from .app import WAIT, App, Command, pass_app
from .render import concerns, count
from .terminal import Screen

if TYPE_CHECKING:
    from ..engine.graph.results import Related
    from ..engine.memory import Memory

UNTYPED = "thing"
"""Type of an entity that is made because something relates to it."""


@click.command(cls=Command)
@click.argument("words", nargs=-1, required=True, metavar="SOURCE RELATION TARGET | CAUSE EFFECT")
@click.option("--causes", "causal", is_flag=True, help="State that CAUSE brought about EFFECT, in any words.")
@click.option("--confidence", type=float, metavar="SHARE", help="With --causes: how sure that is, from 0 to 1.")
@click.option("--evidence", metavar="TEXT", help="With --causes: what it rests on.")
@click.option("--add", is_flag=True, help="Make SOURCE and TARGET where they are not known yet.")
@pass_app
def relate(
    app: App, /, words: tuple[str, ...], causal: bool, confidence: float | None, evidence: str | None, add: bool
) -> None:
    """State how two things relate, or what caused what.

    That SOURCE relates to TARGET, or with --causes that CAUSE brought about EFFECT. What is stated here
    stays when memories that told it too are forgotten. Put quotes around words that belong together:
    becausal relate Alice "works at" Acme
    """
    from . import documents_graph, graphs  # here, because they load the graphs

    wanted = 2 if causal else 3
    if len(words) != wanted:
        names = "CAUSE EFFECT" if causal else "SOURCE RELATION TARGET"
        raise click.UsageError(
            f"give {names}, each in quotes if it has several words (got {count(len(words), 'word')})"
        )
    if not causal and (confidence is not None or evidence is not None):
        raise click.UsageError("--confidence and --evidence belong to --causes")
    if causal and add:
        raise click.UsageError("--add belongs to relations: causes and effects are made anyway")
    with app.memory() as memory:
        memory.warm()
        if causal:
            cause, effect = words
            sure = 1.0 if confidence is None else confidence
            stated = memory.graphs.add_causal_link(cause, effect, sure, evidence=evidence)
            pending = memory.settle(WAIT)
            app.answer(documents_graph.caused(stated), lambda screen: graphs.caused(screen, stated))
            if not app.as_json:
                concerns(Screen(err=True), stated.degraded, pending)
        else:
            source, relation, target = words
            related = _relate(memory, source, relation, target, add=add)
            app.answer(documents_graph.related(related), lambda screen: graphs.related(screen, related))


def _relate(memory: Memory, source: str, relation: str, target: str, *, add: bool) -> Related:
    """Relate two things, one after the other made if it is not known and that was asked for."""
    for _ in (source, target):
        try:
            return memory.graphs.link_entities(source, relation, target)
        except NotFound as missing:
            if not add or looks_like_id(missing.id):
                raise
            memory.graphs.add_entity(missing.id, UNTYPED)
    return memory.graphs.link_entities(source, relation, target)
