# SPDX-License-Identifier: Apache-2.0
"""What time does to memories: how far they have faded, which are too weak to keep at hand, which are strong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from ..domain.records import Kind
from ..domain.scoring import FADED, UNIMPORTANT, frequency_boost, is_weak, retained
from ..errors import Conflict
from ..ports.batch import Batch, Patch
from ..ports.store import Condition, Op
from .run import LIVE, PIECE, Run

STRENGTHENED = "strengthened_until"
"""Key under which the store remembers up to which time uses of memories were looked at."""

SETTLING = timedelta(minutes=1)
"""Uses younger than this wait for the next run: their notes may still be on their way into the store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruning:
    """What goes into the archive: of what less than ``faded`` is left, and of an importance below ``unimportant``."""

    faded: float = FADED
    unimportant: float = UNIMPORTANT


def decay(run: Run, bounds: Pruning) -> None:
    """Count how far memories have faded.

    Nothing is written: what is left of a memory is worked out from the time of its last use whenever it is
    asked for, so that it cannot depend on how often anybody looks.
    """
    for page in run.pages(Kind.ENGRAM, ("last_accessed_at", "decay_factor"), LIVE):
        left = [retained(factor, _hours(run.started, used)) for _, used, factor in page]
        run.after = page[-1][0]
        run.add("decay", memories=len(page), faded=sum(each < bounds.faded for each in left))


def prune(run: Run, bounds: Pruning, archive: Callable[[Sequence[tuple[str, int]]], Batch]) -> None:
    """Archive what is faded and of little importance, unless it is pinned (smriti's rule; it deleted).

    ``archive`` returns what puts memories, as (id, version), into the archive.
    """
    fields = ("last_accessed_at", "decay_factor", "importance", "version")
    passable = Condition("pinned", Op.EQ, False), Condition("importance", Op.LT, bounds.unimportant)
    run.add("prune", archived=0)
    for page in run.pages(Kind.ENGRAM, fields, (*LIVE, *passable)):
        weak = [
            (id, version)
            for id, used, factor, importance, version in page
            if is_weak(importance, retained(factor, _hours(run.started, used)), bounds.faded, bounds.unimportant)
        ]
        for at in range(0, len(weak), PIECE):
            _archive(run, weak[at : at + PIECE], archive)
        run.after = page[-1][0]


def _archive(run: Run, weak: Sequence[tuple[str, int]], archive: Callable[[Sequence[tuple[str, int]]], Batch]) -> None:
    run.weak += [id for id, _ in weak] if run.dry else []
    try:
        run.write("prune", archive(weak), after=weak[-1][0], archived=len(weak))
    except Conflict:
        # One of them was used or changed in this moment: that one is not weak any more.
        if len(weak) > 1:
            for each in weak:
                _archive(run, [each], archive)
        else:
            run.add("prune", spared=1)


def strengthen(run: Run) -> None:
    """Make up for some of the fading of what is used often: once for each time that it was used since.

    min(.01 · uses, .1) for more than 5 uses and less than .9 left at the last one (smriti's rule).
    """
    last = run.store.meta(STRENGTHENED)
    until = run.started - SETTLING
    since = datetime.fromisoformat(last) if last else datetime.min.replace(tzinfo=until.tzinfo)
    where = (*LIVE, Condition("last_accessed_at", Op.LE, until), Condition("access_count", Op.GT, 5))
    if last:
        where += (Condition("last_accessed_at", Op.GT, since),)
    for page in run.pages(Kind.ENGRAM, ("access_count", "decay_factor"), where):
        boosts = [(id, frequency_boost(uses, factor)) for id, uses, factor in page]
        patches = [
            Patch(Kind.ENGRAM, id, increment={"decay_factor": boost}, clamp={"decay_factor": (0.0, 1.0)})
            for id, boost in boosts
            if boost > 0
        ]
        for at in range(0, len(patches), PIECE):
            piece = patches[at : at + PIECE]
            run.write("strengthen", Batch(patches=tuple(piece)), after=piece[-1].id, strengthened=len(piece))
        run.after = page[-1][0]
    run.add("strengthen", strengthened=0)
    if run.counts["strengthen"]["strengthened"]:  # what was looked at and left alone may be looked at again
        run.write("strengthen", Batch(meta={STRENGTHENED: until.isoformat()}))


def _hours(now: datetime, used: datetime) -> float:
    return (now - used).total_seconds() / 3600
