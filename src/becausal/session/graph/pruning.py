# SPDX-License-Identifier: Apache-2.0
"""Taking away what a session's graph no longer needs, so that it can be brought back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from ...domain.records import Kind
from ...engine.core import Core
from ...errors import InvalidInput
from ...ports.batch import Batch, Patch, Put
from .edges import Edges
from .nodes import Nodes, session_name

IDLE = timedelta(days=7)
"""For how long a node without relations must have been of no use."""

FEW = 1
"""Uses up to which such a node goes."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """How many relations went and how many nodes, how many relations are left, and the change that undoes it."""

    edges: int
    nodes: int
    remaining: int
    change: str | None


class Pruner:
    """Removes faded relations, and archives the nodes that nothing leads to and nobody uses."""

    def __init__(self, core: Core, nodes: Nodes, edges: Edges) -> None:
        self._core = core
        self._nodes = nodes
        self._edges = edges

    def prune(self, session: str, threshold: float | None = None) -> Pruned:
        """Prune relations whose weight has fallen below ``threshold`` (.15), then nodes that stand alone.

        What went is kept in one change, which ``undo`` takes back.
        """
        session = session_name(session)
        threshold = self._core.session.prune_threshold if threshold is None else _threshold(threshold)
        now = self._core.clock.now()
        known = self._nodes.known(session)
        links = self._edges.among([node.id for node in known])
        faded = [link for link in links if self._edges.now(link) < threshold]
        gone = {link.id for link in faded}
        joined = {end for link in links if link.id not in gone for end in (link.src, link.dst)}
        alone = [
            node.id
            for node in known
            if node.id not in joined and node.access_count <= FEW and now - node.last_accessed_at > IDLE
        ]
        if not faded and not alone:
            return Pruned(0, 0, len(links), None)
        ends = {end for link in faded for end in (link.src, link.dst)}
        change = self._core.log.make(
            "prune",
            sorted(ends | set(alone)),
            f"pruned: {len(faded)} relations and {len(alone)} nodes of a session",
            links=faded,
            archived=alone,
        )
        self._core.store.write(
            Batch(
                unlinks=tuple(gone),
                puts=(Put(change),),
                patches=tuple(Patch(Kind.ENGRAM, id, set={"archived_at": now}) for id in alone),
            )
        )
        return Pruned(len(faded), len(alone), len(links) - len(faded), change.id)


def _threshold(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1000:
        raise InvalidInput("threshold", f"must be a number from 0 to 1,000, got {value!r:.40}")
    return float(value)
