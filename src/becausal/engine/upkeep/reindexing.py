# SPDX-License-Identifier: Apache-2.0
"""Making all vectors anew, resumably: for another embedder, or after one was repaired."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from ...domain.records import Engram, Kind, LinkKind
from ...encode.pairs import weaker_pairs
from ...models.lazy import LazyEmbedder
from ...ports.batch import Batch, Patch, PutVector
from ...ports.store import Condition, Cursor, GraphStore, Op, Order, Where
from ..embedding import DIMENSION, NAME, STARTED, VECTORS_DUE
from ..results import Progress
from ..worker import Worker

GROUP = 200


def reindex(
    store: GraphStore,
    embedder: LazyEmbedder,
    worker: Worker,
    progress: Callable[[Progress], None] | None = None,
) -> int:
    """Drop every vector and association made from one, then index everything again.

    The start is remembered in the store, so that a second call goes on where the first was interrupted.
    From then on until all old vectors are gone, nobody indexes, and the memory is not opened otherwise.

    Raises:
        ModelUnavailable: the embedder cannot run; nothing was changed.
        StoreUnavailable: the memory is being closed.
    """
    embedder.load()
    tell = progress or (lambda _: None)
    total = store.count()[Kind.ENGRAM.value]
    reached = store.meta(STARTED)
    if reached is None or store.meta(NAME) != embedder.name:  # to yet another embedder, everything goes anew
        reached = ""
        store.write(Batch(meta={STARTED: reached, NAME: embedder.name, DIMENSION: None}))
    _drop_other_vectors(store)
    dropped = 0
    while records := store.find(Kind.ENGRAM, _indexed_after(reached), limit=GROUP).records:
        reached = records[-1].id
        _drop(store, [cast(Engram, record) for record in records], reached)
        dropped += len(records)
        tell(Progress(what="dropping old vectors", done=dropped, total=max(total, dropped)))
    store.write(Batch(meta={DIMENSION: str(embedder.dimension), STARTED: None, VECTORS_DUE: "1"}))
    worker.wake()
    while pending := worker.settle(0.5):
        tell(Progress(what="indexing", done=total - min(pending, total), total=total))
        if worker.stalled:
            worker.check()
            embedder.load()
    tell(Progress(what="indexing", done=total, total=total))
    return total


def _indexed_after(id: str) -> Where:
    """Ids say how far the dropping has come: unlike times, they cannot be set back."""
    return (Condition("indexed_at", Op.NULL, False), Condition("id", Op.GT, id))


def _drop(store: GraphStore, engrams: Sequence[Engram], reached: str) -> None:
    ids = [engram.id for engram in engrams]
    links = store.links(ids, [LinkKind.ASSOCIATED_WITH], limit=100_000)
    passages = store.find(Kind.PASSAGE, (Condition("engram_id", Op.IN, tuple(ids)),), limit=100_000).records
    store.write(
        Batch(
            unlinks=tuple(link.id for link in links if link.relation_type == "similar_to" and not link.asserted),
            weaken=weaker_pairs(store, engrams),
            patches=tuple(Patch(Kind.ENGRAM, id, set={"indexed_at": None}) for id in ids),
            vectors=tuple(PutVector(Kind.ENGRAM, id, None) for id in ids)
            + tuple(PutVector(Kind.PASSAGE, passage.id, None) for passage in passages),
            meta={STARTED: reached},
        )
    )


def _drop_other_vectors(store: GraphStore) -> None:
    for kind in (Kind.CUE, Kind.CAUSE):
        after: Cursor | None = None
        while True:
            page = store.find(kind, (), Order("id"), limit=GROUP, after=after)
            ids = [record.id for record in page.records]
            same = store.links(ids, [LinkKind.SAME_AS], limit=100_000) if ids else ()
            store.write(
                Batch(
                    unlinks=tuple(link.id for link in same if not link.asserted),
                    vectors=tuple(PutVector(kind, id, None) for id in ids),
                )
            )
            if (after := page.next) is None:
                break
