# SPDX-License-Identifier: Apache-2.0
"""What nothing leads to any more, and indexes."""

from __future__ import annotations

from ..domain.records import Kind, LinkKind
from ..ports.batch import Batch, DropUnlinked
from ..ports.store import Condition, Op, Where
from .run import PIECE, Run

UNSTATED: Where = (Condition("asserted", Op.EQ, False),)

MAX_ROUNDS = 1000
"""Rounds of looking after indexes in one consolidation; the next one goes on."""


def drop_orphans(run: Run) -> None:
    """Delete cues that lead to no memory, unless a caller stated them.

    Forgetting takes them along, so there are some only where something else went wrong.
    """
    for page in run.pages(Kind.CUE, (), UNSTATED):
        ids = [id for (id,) in page]
        held = {edge.dst for edge in run.store.edges(ids, [LinkKind.ENCODED_BY], "in", 1)}
        loose = [id for id in ids if id not in held]
        for at in range(0, len(loose), PIECE):
            piece = loose[at : at + PIECE]
            drops = tuple(DropUnlinked(Kind.CUE, id, LinkKind.ENCODED_BY) for id in piece)
            run.write("orphans", Batch(unlinked=drops), after=piece[-1], dropped=len(piece))
        run.after = ids[-1]
    run.add("orphans", dropped=0)


def tend_indexes(run: Run) -> None:
    """Let the store look after its indexes, a little at a time."""
    rounds = 0
    while not run.dry and rounds < MAX_ROUNDS and run.store.tend():
        rounds += 1
        run.pause()
    run.add("indexes", rounds=rounds)
