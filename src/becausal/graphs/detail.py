# SPDX-License-Identifier: Apache-2.0
"""A chain told step by step: where a text says outright what caused what, and also tells what lay between."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..domain.records import Link

MAX_STEPS = 8
MAX_VISITS = 500
"""Nodes looked at for the steps of one hop."""

Step = tuple["Link", "Link | None"]
"""A causal link, and the ``SAME_AS`` link crossed behind it, if any."""


def steps_between(
    start: str,
    goals: Mapping[str, Link | None],
    outgoing: Mapping[str, Sequence[Link]],
    twins: Mapping[str, Sequence[tuple[str, Link]]],
    sources: Collection[str],
    avoid: Collection[str],
) -> tuple[Step, ...]:
    """Return the steps of two links or more from ``start`` to one of ``goals``, or none if there are none.

    ``goals`` are node ids, each with the ``SAME_AS`` link crossed at the end. Only links told in one of
    ``sources`` count, and nodes to ``avoid`` are not passed. Of several ways the one with the highest geometric
    mean of confidence times √steps is taken: more detail, as long as it is about as certain.
    """
    wanted = set(sources)
    best: tuple[Step, ...] = ()
    most = 0.0
    for steps in _ways(start, goals, outgoing, twins, wanted, frozenset(avoid) | {start}):
        sure = math.prod(link.confidence * (over.strength if over else 1.0) for link, over in steps)
        score = sure ** (1 / len(steps)) * math.sqrt(len(steps))
        if score > most:
            best, most = steps, score
    return best


def _ways(
    start: str,
    goals: Mapping[str, Link | None],
    outgoing: Mapping[str, Sequence[Link]],
    twins: Mapping[str, Sequence[tuple[str, Link]]],
    sources: set[str],
    passed: frozenset[str],
) -> Iterator[tuple[Step, ...]]:
    """Walk depth first, each way without passing a node twice."""
    visits = 0
    stack: list[tuple[str, tuple[Step, ...], frozenset[str]]] = [(start, (), passed)]
    while stack and visits < MAX_VISITS:
        at, steps, seen = stack.pop()
        for link in outgoing.get(at, ()):
            visits += 1
            if not sources & set(link.sources):
                continue
            if link.dst in goals:
                if steps:
                    yield (*steps, (link, goals[link.dst]))
                continue
            if link.dst in seen or len(steps) + 2 > MAX_STEPS:
                continue
            beyond = seen | {link.dst}
            stack.append((link.dst, (*steps, (link, None)), beyond))
            for twin, over in twins.get(link.dst, ()):
                if twin not in beyond and twin not in goals:
                    stack.append((twin, (*steps, (link, over)), beyond | {twin}))
