# SPDX-License-Identifier: Apache-2.0
"""The relations between nodes: links that a session has asserted."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...domain.ids import link_id
from ...domain.records import Json, Kind, Link, LinkKind
from ...engine import validate
from ...engine.core import Core
from ...errors import InvalidInput
from ...graphs.linking import SESSION, WEIGHT, relation_key
from ...ports.batch import Batch, PutLink
from .formulae import decayed
from .model import ATTRIBUTES, is_relation, weight_of

MAX_LINKS = 200_000
"""Links read around the nodes of one graph."""

MAX_WEIGHT = 1000.0


@dataclass(frozen=True, slots=True)
class Hop:
    """One step from a node: the node it leads to, and the relation taken, whichever way that points."""

    node: str
    link: Link


class Edges:
    """Reads and writes relations. A relation is one by its ends, its direction and its name."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._store = core.store

    def among(self, ids: Sequence[str]) -> list[Link]:
        """Return the relations between some nodes, the oldest first."""
        if not ids:
            return []
        inside = set(ids)
        links = self._store.links(ids, [LinkKind.ASSOCIATED_WITH], "out", limit=MAX_LINKS)
        found = [link for link in links if is_relation(link) and link.dst in inside]
        return sorted(found, key=lambda link: (link.created_at, link.id))

    def around(self, ids: Sequence[str]) -> list[Link]:
        """Return the relations that some nodes take part in, the oldest first."""
        if not ids:
            return []
        links = self._store.links(ids, [LinkKind.ASSOCIATED_WITH], "both", limit=MAX_LINKS)
        return sorted(filter(is_relation, links), key=lambda link: (link.created_at, link.id))

    def count(self, ids: Collection[str]) -> Counter[str]:
        """Return how many relations of each name there are between some nodes, without reading them."""
        if not ids:
            return Counter()
        edges = self._store.edges(list(ids), [LinkKind.ASSOCIATED_WITH], "out", MAX_LINKS)
        # Of these links only sessions assert any.
        return Counter(edge.relation_type for edge in edges if edge.asserted and edge.dst in ids)

    def now(self, link: Link) -> float:
        """Return what is left of a relation's weight."""
        return decayed(weight_of(link), link.created_at, self._core.clock.now(), self._core.session.decay_rate)

    def draft(
        self,
        session: str,
        source: str,
        target: str,
        relation: str,
        weight: float | None,
        metadata: Mapping[str, Any] | None = None,
        known: Link | None = None,
    ) -> Link:
        """Return a relation as it is to be written; asserting ``known`` again makes it fresh.

        What is not given stays as it is known, and is 1 for a new one's weight.
        """
        told = validate.metadata(metadata)
        if weight is None:
            weight = weight_of(known) if known else 1.0
        attributes: dict[str, Json] = dict(told)
        if known is not None and isinstance(before := known.metadata.get(ATTRIBUTES), Mapping):
            attributes = {**before, **told}
        told_by: dict[str, Json] = {SESSION: session, WEIGHT: weight, ATTRIBUTES: attributes}
        key = relation_key(relation, told_by)
        return Link(
            id=known.id if known else link_id(self._store.user, LinkKind.ASSOCIATED_WITH, source, target, key),
            kind=LinkKind.ASSOCIATED_WITH,
            src=source,
            dst=target,
            src_kind=Kind.ENGRAM,
            dst_kind=Kind.ENGRAM,
            relation_type=relation,
            strength=min(1.0, weight),
            asserted=True,
            metadata=told_by,
            created_at=self._core.clock.now(),
        )

    def known(self, source: str, target: str, relation: str) -> Link | None:
        links = self._store.links([source], [LinkKind.ASSOCIATED_WITH], "out", limit=MAX_LINKS)
        same = (link for link in links if (link.dst, link.relation_type) == (target, relation))
        return next((link for link in same if is_relation(link)), None)

    def write(self, links: Iterable[Link]) -> None:
        puts = tuple(PutLink(link) for link in links)
        if puts:
            self._store.write(Batch(links=puts))


def hops(links: Iterable[Link], only: Sequence[str] | None = None) -> Mapping[str, list[Hop]]:
    """Return where each node leads, both ways along its relations; ``only`` names the relations to take."""
    ways: dict[str, list[Hop]] = defaultdict(list)
    for link in links:
        if only is not None and link.relation_type not in only:
            continue
        ways[link.src].append(Hop(link.dst, link))
        if link.src != link.dst:
            ways[link.dst].append(Hop(link.src, link))
    return ways


def relation_name(value: object) -> str:
    return validate.text(value, "relation", longest=validate.MAX_NAME).strip()


def weight_given(value: object) -> float:
    """Return a weight a caller gave: a number from 0 to 1,000."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MAX_WEIGHT:
        raise InvalidInput("weight", f"must be a number from 0 to {MAX_WEIGHT:,.0f}, got {value!r:.40}")
    return float(value) if math.isfinite(value) else 0.0
