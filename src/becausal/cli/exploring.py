# SPDX-License-Identifier: Apache-2.0
"""``timeline``, ``graph`` and ``causes``: looking around in what was told.

What draws the graphs is imported by the commands: the program's start, which is the server's too, is not to pay.
"""

from __future__ import annotations

from typing import Any

import click

from .app import WAIT, App, Command, in_zone, most, pass_app, since, until


@click.command(cls=Command)
@click.argument("about", nargs=-1, metavar="[QUERY|ENTITY]")
@most(20, "entries: the latest ones")
@since
@until
@in_zone
@pass_app
def timeline(app: App, /, about: tuple[str, ...], **given: Any) -> None:
    """List events and facts in order of time.

    All of them, or those about ENTITY, or those told in the memories that fit QUERY.
    """
    from . import documents_graph, graphs

    with app.memory() as memory:
        if about:
            memory.get_ready(WAIT)
        answer = memory.explore.timeline(" ".join(about) if about else None, **given)
    app.answer(documents_graph.chronicle(answer), lambda screen: graphs.chronicle(screen, answer))


@click.command(cls=Command)
@click.argument("entity", nargs=-1, required=True, metavar="ENTITY")
@click.option("--depth", type=int, metavar="N", default=2, show_default=True, help="Relations away, from 1 to 5.")
@most(10, "facts, events and causes each")
@pass_app
def graph(app: App, /, entity: tuple[str, ...], **given: Any) -> None:
    """Draw what surrounds ENTITY.

    Whom and what it relates to, as a tree, with the facts, events and causes told of it.
    """
    from . import documents_graph, graphs

    with app.memory() as memory:
        answer = memory.explore.surroundings(" ".join(entity), **given)
    app.answer(documents_graph.surroundings(answer), lambda screen: graphs.surroundings(screen, answer))


@click.command(cls=Command)
@click.argument("event", nargs=-1, metavar="[EVENT]")
@click.option("--upstream", is_flag=True, help="Only what led to it.")
@click.option("--downstream", is_flag=True, help="Only what came of it.")
@click.option("--depth", type=int, metavar="N", default=5, show_default=True, help="Steps away, from 1 to 5.")
@most(10, "root causes, without EVENT")
@pass_app
def causes(app: App, /, event: tuple[str, ...], upstream: bool, downstream: bool, depth: int, limit: int) -> None:
    """Draw what led to EVENT and what came of it.

    EVENT is most of the words it was told in, a thing it affects, or an id. Without it, the newest root
    causes are drawn with what came of them.
    """
    from ..graphs.direction import Direction
    from . import documents_graph, graphs

    if upstream and downstream:
        raise click.UsageError("give --upstream or --downstream; without either, both are shown")
    if upstream and not event:
        raise click.UsageError("--upstream needs an EVENT: nothing is told to have led to a root cause")
    direction = Direction.UPSTREAM if upstream else Direction.DOWNSTREAM if downstream else Direction.BOTH
    with app.memory() as memory:
        if event:
            answer = memory.explore.causation(" ".join(event), direction=direction, depth=depth)
        else:
            answer = memory.explore.beginnings(depth=depth, limit=limit)
    app.answer(documents_graph.causation(answer), lambda screen: graphs.causation(screen, answer))
