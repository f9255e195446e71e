# SPDX-License-Identifier: Apache-2.0
"""Making all vectors anew, resumably: for another embedder, or after one was repaired."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import cast

from ..domain.records import Engram, Kind, LinkKind
from ..models.lazy import LazyEmbedder
from ..ports.clock import Clock
from ..ports.store import Batch, Condition, Cursor, GraphStore, Op, Order, Patch, PutVector
from .embedding import STARTED
from .results import Progress
from .worker import Worker

GROUP = 200


def reindex(
    store: GraphStore,
    embedder: LazyEmbedder,
    worker: Worker,
    clock: Clock,
    progress: Callable[[Progress], None] | None = None,
) -> int:
    """Drop every vector and association made from one, then index everything again.

    The start is remembered in the store, so that a second call goes on where the first was interrupted.
    From then on until all old vectors are gone, nobody indexes, and the memory is not opened otherwise.

    Raises:
        ModelUnavailable: the embedder cannot run; nothing was changed.
    """
    embedder.load()
    tell = progress or (lambda _: None)
    total = store.count()[Kind.ENGRAM.value]
    started = store.meta(STARTED)
    if started is None:
        started = clock.now().isoformat()
        store.write(Batch(meta={STARTED: started, "embedder_name": embedder.name}))
    begun = datetime.fromisoformat(started)
    _drop_cue_vectors(store)
    old = (Condition("indexed_at", Op.LE, begun),)
    dropped = 0
    while records := store.find(Kind.ENGRAM, old, limit=GROUP).records:
        _drop(store, [cast(Engram, record) for record in records])
        dropped += len(records)
        tell(Progress(what="dropping old vectors", done=dropped, total=max(total, dropped)))
    store.write(Batch(meta={"embedder_dimension": str(embedder.dimension), STARTED: None}))
    worker.wake()
    while pending := worker.settle(0.5):
        tell(Progress(what="indexing", done=total - min(pending, total), total=total))
        if embedder.state == "failed":
            embedder.load()
    tell(Progress(what="indexing", done=total, total=total))
    return total


def _drop(store: GraphStore, engrams: list[Engram]) -> None:
    ids = [engram.id for engram in engrams]
    links = store.links(ids, [LinkKind.ASSOCIATED_WITH], limit=100_000)
    passages = store.find(Kind.PASSAGE, (Condition("engram_id", Op.IN, tuple(ids)),), limit=100_000).records
    store.write(
        Batch(
            unlinks=tuple(link.id for link in links if link.relation_type == "similar_to" and not link.asserted),
            patches=tuple(Patch(Kind.ENGRAM, id, set={"indexed_at": None}) for id in ids),
            vectors=tuple(PutVector(Kind.ENGRAM, id, None) for id in ids)
            + tuple(PutVector(Kind.PASSAGE, passage.id, None) for passage in passages),
        )
    )


def _drop_cue_vectors(store: GraphStore) -> None:
    after: Cursor | None = None
    while True:
        page = store.find(Kind.CUE, (), Order("id"), limit=GROUP, after=after)
        store.write(Batch(vectors=tuple(PutVector(Kind.CUE, cue.id, None) for cue in page.records)))
        if (after := page.next) is None:
            return
