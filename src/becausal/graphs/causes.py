# SPDX-License-Identifier: Apache-2.0
"""The causal graph: what brought about what, and how sure that is; writing it and walking it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from ..domain.causal.text import cause_key
from ..domain.ids import derived_id, looks_like_id
from ..domain.records import Cause, Kind, Link, LinkKind
from ..domain.text import normalize_name, terms
from ..errors import InvalidInput, NotFound
from ..ports.store import GraphStore
from .direction import Direction
from .linking import Draft, Node

MAX_NODES = 2_000
MAX_LINKS = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CausalGraph:
    """Part of the causal graph: its nodes, ``C_CAUSES`` and ``SAME_AS`` links, and each node's distance.

    ``truncated`` says that there was more than could be returned.
    """

    nodes: Mapping[str, Cause]
    causes: tuple[Link, ...]
    same: tuple[Link, ...]
    distance: Mapping[str, int]
    truncated: bool = False


def cause_id(user: str, description: str) -> str:
    """Return the id of a description's node: the same for every wording with the same key."""
    return derived_id(user, Kind.CAUSE, cause_key(description) or description.strip().casefold())


def _plain(description: str) -> str:
    return normalize_name(description).strip(" .!")


def make_cause(draft: Draft, description: str, node_type: str) -> Cause:
    """Add a causal node to a draft, unless the graph has it, and return it."""
    description = " ".join(description.split())
    cause = Cause(
        id=cause_id(draft.user, description),
        description=description,
        key=cause_key(description) or description.casefold(),
        node_type=node_type,
        asserted=draft.source is None,
        created_at=draft.now,
    )
    draft.put(cause, terms(description), if_absent=True)
    return cause


class Causes:
    """One user's causal graph."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store

    def resolve(self, description_or_id: str) -> Cause | None:
        """Return the node with this id, or else the one that this description means."""
        text = description_or_id.strip()
        ids = [text, cause_id(self._store.user, text)]
        found = self._store.get(Kind.CAUSE, ids)
        return cast("Cause | None", next((found[id] for id in ids if id in found), None))

    def add(
        self, cause: str, effect: str, confidence: float, evidence: str | None, now: datetime
    ) -> tuple[Cause, Cause, Link]:
        """Write what ``draft_link`` adds."""
        draft = Draft(self._store.user, now)
        added = self.draft_link(draft, cause, effect, confidence, evidence)
        self._store.write(draft.batch())
        return added

    def draft_link(
        self, draft: Draft, cause: str, effect: str, confidence: float, evidence: str | None
    ) -> tuple[Cause, Cause, Link]:
        """State that one thing brought about another; both may be ids or descriptions.

        Stating it again replaces its confidence and evidence.

        Raises:
            InvalidInput: both are the same thing.
            NotFound: what looks like an id is none.
        """
        one, other = (self._node(draft, text, kind) for text, kind in ((cause, "cause"), (effect, "effect")))
        if one.id == other.id or _plain(one.description) == _plain(other.description):
            raise InvalidInput("effect", "must be something else than the cause: nothing causes itself")
        link = draft.link(
            LinkKind.C_CAUSES,
            Node(Kind.CAUSE, one.id),
            Node(Kind.CAUSE, other.id),
            confidence=confidence,
            evidence=evidence,
        )
        return one, other, link

    def _node(self, draft: Draft, description_or_id: str, node_type: str) -> Cause:
        if known := self.resolve(description_or_id):
            draft.pin(known)
            return known
        if looks_like_id(description_or_id):
            raise NotFound("Cause", description_or_id)
        return make_cause(draft, description_or_id, node_type)

    def around(
        self,
        starts: Iterable[str],
        direction: Direction,
        depth: int,
        limit: int = MAX_NODES,
        links: int = MAX_LINKS,
    ) -> CausalGraph:
        """Return what is within ``depth`` hops of some nodes, breadth first; ``SAME_AS`` links cost no hop.

        No more than ``limit`` nodes are reached, and no more than ``links`` links followed in one step.
        ``both`` is everything upstream together with everything downstream, not what lies beside.
        """
        ways = {Direction.UPSTREAM: ("in",), Direction.DOWNSTREAM: ("out",), Direction.BOTH: ("in", "out")}[direction]
        starts = list(dict.fromkeys(starts))
        distance: dict[str, int] = {}
        causes: dict[str, Link] = {}
        same: dict[str, Link] = {}
        truncated = False
        for way in ways:
            reached, cut = self._walk(starts, way, depth, (limit, links), causes, same)
            truncated |= cut
            for id, steps in reached.items():
                distance[id] = min(steps, distance.get(id, steps))
        nodes = {id: cast(Cause, record) for id, record in self._store.get(Kind.CAUSE, list(distance)).items()}
        return CausalGraph(
            nodes=nodes,
            causes=tuple(link for link in causes.values() if link.src in nodes and link.dst in nodes),
            same=tuple(link for link in same.values() if link.src in nodes and link.dst in nodes),
            distance={id: steps for id, steps in distance.items() if id in nodes},
            truncated=truncated,
        )

    def _walk(
        self,
        starts: Sequence[str],
        way: str,
        depth: int,
        limits: tuple[int, int],
        causes: dict[str, Link],
        same: dict[str, Link],
    ) -> tuple[dict[str, int], bool]:
        limit, most = limits
        reached = dict.fromkeys(starts, 0)
        frontier = self._with_same(list(reached), reached, 0, limits, same)
        truncated = False
        for step in range(1, depth + 1):
            if not frontier:
                break
            links = self._store.links(frontier, [LinkKind.C_CAUSES], "in" if way == "in" else "out", limit=most)
            truncated |= len(links) >= most
            fresh = []
            for link in links:
                far = link.src if way == "in" else link.dst
                if far not in reached:
                    if len(reached) >= limit:
                        truncated = True
                        continue
                    reached[far] = step
                    fresh.append(far)
                causes[link.id] = link
            frontier = self._with_same(fresh, reached, step, limits, same)
        return reached, truncated

    def _with_same(
        self, ids: list[str], reached: dict[str, int], step: int, limits: tuple[int, int], same: dict[str, Link]
    ) -> list[str]:
        """Return some nodes together with those known to mean the same, which are reached with them."""
        if not ids:
            return []
        limit, most = limits
        everything = list(ids)
        for link in self._store.links(ids, [LinkKind.SAME_AS], "both", limit=most):
            same[link.id] = link
            for end in (link.src, link.dst):
                if end not in reached and len(reached) < limit:
                    reached[end] = step
                    everything.append(end)
        return everything

    def touching(self, entities: Sequence[str], limit: int = MAX_LINKS) -> set[str]:
        """Return the ids of the nodes that affect some entities."""
        if not entities:
            return set()
        return {link.src for link in self._store.links(entities, [LinkKind.X_AFFECTS], "in", limit=limit)}

    def recorded_by(self, engrams: Sequence[str], limit: int = MAX_LINKS) -> dict[str, set[str]]:
        """Return the nodes read from some engrams, each with those engrams."""
        if not engrams:
            return {}
        found: dict[str, set[str]] = defaultdict(set)
        for link in self._store.links(engrams, [LinkKind.X_RECORDS], "out", limit=limit):
            if link.dst_kind is Kind.CAUSE:
                found[link.dst].add(link.src)
        return dict(found)
