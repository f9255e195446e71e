# SPDX-License-Identifier: Apache-2.0
"""Which memories resemble each other, and the links between them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from ..domain.ids import link_id
from ..domain.records import Kind, Link, LinkKind
from ..ports.batch import PutLink
from ..ports.store import Condition, GraphStore, Op, VectorHit, Where

if TYPE_CHECKING:
    from ..ports.models import Vector

ASSOCIATION_THRESHOLD = 0.7
"""Cosine similarity above which two memories are associated (smriti's)."""

MAX_ASSOCIATIONS = 5
FEW = 32
"""Records asked for first: seldom are many of those a memory resembles left out, and more are worth a longer search."""

LIVE: Where = (Condition("archived_at", Op.NULL, True),)


class Alike(NamedTuple):
    """A memory that resembles another: their cosine similarity, and its cluster, −1 for none."""

    id: str
    score: float
    cluster: int


def alike(
    store: GraphStore, vectors: Mapping[str, Vector], but: Mapping[str, Collection[str]]
) -> dict[str, list[Alike]]:
    """Return the memories most like some others, nearest first, ``but`` some of them and what is archived."""
    near = {id: _nearest(store, id, vector, but[id]) for id, vector in vectors.items()}
    found = store.peek(Kind.ENGRAM, sorted({hit.id for hits in near.values() for hit in hits}), _FIELDS)
    chosen = {id: _live(hits, found) for id, hits in near.items()}
    for id, hits in near.items():
        # The filter is asked for only where what is archived has taken the place of others: it takes longer.
        if len(chosen[id]) < min(len(hits), MAX_ASSOCIATIONS):
            hits = _nearest(store, id, vectors[id], but[id], LIVE)
            chosen[id] = _live(hits, store.peek(Kind.ENGRAM, [hit.id for hit in hits], _FIELDS))
    return chosen


def associations(user: str, id: str, near: Sequence[Alike], now: datetime) -> tuple[PutLink, ...]:
    """Return links between a memory and those most like it."""
    links = []
    for other in near:
        # From the newer to the older, whichever was indexed first: the pair gets one link.
        src, dst = max(id, other.id), min(id, other.id)
        link = Link(
            id=link_id(user, LinkKind.ASSOCIATED_WITH, src, dst, "similar_to"),
            kind=LinkKind.ASSOCIATED_WITH,
            src=src,
            dst=dst,
            src_kind=Kind.ENGRAM,
            dst_kind=Kind.ENGRAM,
            relation_type="similar_to",
            strength=min(1.0, other.score),
            created_at=now,
        )
        links.append(PutLink(link))
    return tuple(links)


_FIELDS = ("cluster_id", "archived_at")


def _nearest(store: GraphStore, id: str, vector: Vector, but: Collection[str], where: Where = ()) -> list[VectorHit]:
    near: list[VectorHit] = []
    enough = MAX_ASSOCIATIONS + 1 + len(but)
    for k in sorted({min(enough, FEW), enough}):
        hits = store.vector_search(Kind.ENGRAM, vector, k, where)
        alike = [hit for hit in hits if hit.score > ASSOCIATION_THRESHOLD]
        near = [hit for hit in alike if hit.id != id and hit.id not in but][:MAX_ASSOCIATIONS]
        if len(near) == MAX_ASSOCIATIONS or len(alike) < k:
            break
    return near


def _live(hits: Sequence[VectorHit], found: Mapping[str, tuple[int, object]]) -> list[Alike]:
    return [Alike(hit.id, hit.score, found[hit.id][0]) for hit in hits if hit.id in found and found[hit.id][1] is None]
