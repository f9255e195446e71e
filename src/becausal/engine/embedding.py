# SPDX-License-Identifier: Apache-2.0
"""Which embedder a store's vectors come from, so that vectors of two are never compared."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..domain.records import Kind
from ..errors import EmbedderMismatch, ModelUnavailable
from ..models.lazy import LazyEmbedder
from ..models.patience import seconds_left, within
from ..ports.batch import Batch
from ..ports.models import Embedder
from ..ports.store import GraphStore

if TYPE_CHECKING:
    from ..ports.models import Vectors

log = logging.getLogger("becausal.engine")

NAME = "embedder_name"
"""Key under which the store remembers whose vectors it holds, ..."""

DIMENSION = "embedder_dimension"
"""... and of which length, once that is known."""

VECTORS_DUE = "vectors_due"
"""Key that the store has while records that callers have stated may lack their vectors."""

STARTED = "reindex_started"
"""Key under which the store remembers when a change of embedder began, until all old vectors are gone."""


def check_embedder(store: GraphStore, embedder: Embedder) -> None:
    """Make sure a store's vectors come from this embedder; an empty store takes it as its own.

    Raises:
        EmbedderMismatch: they come from another one, or a change of embedder is not finished.
    """
    if (problem := mismatch(store, embedder)) is not None:
        number = store.count()[Kind.ENGRAM.value]
        holds = "1 memory" if number == 1 else f"{number:,} memories"
        raise EmbedderMismatch(f"the memory at {store.location} holds {holds}, but {problem}")
    if store.meta(NAME) is None and not store.read_only:
        size = {DIMENSION: str(embedder.dimension)} if embedder.dimension else {}
        store.write(Batch(meta={NAME: embedder.name, **size}))


def mismatch(store: GraphStore, embedder: Embedder) -> str | None:
    """Return why vectors of this embedder do not belong into the store, and what to do, if so."""
    known = store.meta(NAME)
    if known is None:
        return None
    if store.meta(STARTED) is not None:
        return "a change of embedder was interrupted: run 'becausal reindex' to finish it"
    if known != embedder.name:
        return (
            f"it was indexed with '{known}', and the embedder now is '{embedder.name}': run 'becausal reindex' to "
            "change over, or go back to the embedder it was indexed with"
        )
    length = known_dimension(store, known)
    if length is not None and embedder.dimension not in (0, length):
        return (
            f"its vectors have {length} numbers, and those of '{known}' now are to have {embedder.dimension} "
            "(EMBEDDING_DIMS): run 'becausal reindex' to make them anew, or go back to that length"
        )
    return None


def may_index(store: GraphStore, embedder: Embedder) -> bool:
    """Whether vectors of this embedder belong into the store at the moment."""
    return store.meta(NAME) == embedder.name and store.meta(STARTED) is None


def known_dimension(store: GraphStore, name: str) -> int | None:
    """Return the length of the vectors that the store holds of an embedder, if it knows."""
    return int(store.meta(DIMENSION) or 0) or None if store.meta(NAME) == name else None


def note_dimension(store: GraphStore, embedder: Embedder) -> None:
    """Have the store remember the length of an embedder's vectors, where that was not known from the start."""
    if embedder.dimension and store.meta(DIMENSION) is None and may_index(store, embedder):
        store.write(Batch(meta={DIMENSION: str(embedder.dimension)}))


def embed_now(store: GraphStore, embedder: LazyEmbedder, texts: Sequence[str], wait: float) -> Vectors | None:
    """Return the vectors of some texts, waiting up to ``wait`` seconds for a model that is still loading.

    ``None`` if there is no model, it does not answer in that time, or the store takes no vectors for the moment.
    Without a ``wait`` only an ``within`` around it bounds how long making them may take.
    """
    with within(wait or math.inf):
        return _embedded(store, embedder, texts, wait)


def _embedded(store: GraphStore, embedder: LazyEmbedder, texts: Sequence[str], wait: float) -> Vectors | None:
    if not may_index(store, embedder) or not embedder.wait(min(wait, seconds_left())):
        return None
    try:
        return embedder.embed(texts)
    except ModelUnavailable as error:
        log.debug("no vectors could be made: %s", error)
        return None
