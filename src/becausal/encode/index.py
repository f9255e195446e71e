# SPDX-License-Identifier: Apache-2.0
"""The second half of writing: vectors, associations and clusters, for memories already kept."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, cast

from ..domain.ids import link_id
from ..domain.records import Cue, CueType, Engram, Kind, Link, LinkKind, Passage
from ..ports.store import Batch, Condition, GraphStore, Op, Patch, PutLink, PutVector, Where

if TYPE_CHECKING:
    from ..ports.models import Embedder, Vector

ASSOCIATION_THRESHOLD = 0.7
"""Cosine similarity above which two memories are associated (smriti's)."""

MAX_ASSOCIATIONS = 5
MAX_PASSAGES = 4096
EMBEDDED_CUES = (CueType.ENTITY, CueType.CONCEPT)

LIVE: Where = (Condition("archived_at", Op.NULL, True),)


def embedded_text(engram: Engram) -> str:
    """Return what an engram's vector stands for."""
    return f"{engram.label}: {engram.content}" if engram.label else engram.content


def index(store: GraphStore, embedder: Embedder, engrams: Sequence[Engram], now: datetime) -> None:
    """Embed engrams, associate them with what resembles them, and mark them as indexed.

    Doing it twice, or in two processes at once, leaves the same graph.

    Raises:
        ModelUnavailable: nothing was changed.
        StoreError: some of the engrams may be indexed; the rest still say that they are not.
    """
    pieces = [_passages(store, engram) for engram in engrams]
    cues = _new_cues(store, embedder, engrams)
    texts = [
        text
        for engram, parts in zip(engrams, pieces, strict=True)
        for text in ([engram.content[part.start : part.end] for part in parts] or [embedded_text(engram)])
    ]
    vectors = embedder.embed([*texts, *(cue.name for cue in cues)])
    cue_vectors = tuple(
        PutVector(Kind.CUE, cue.id, vector) for cue, vector in zip(cues, vectors[len(texts) :], strict=True)
    )
    at = 0
    for engram, parts in zip(engrams, pieces, strict=True):
        own = vectors[at : at + max(1, len(parts))]
        at += len(own)
        vector = own[0] if len(own) == 1 else _mean(own)
        linked, cluster = _associate(store, engram, vector, now)
        patch: dict[str, object] = {"indexed_at": now}
        if cluster is not None and engram.cluster_id < 0:
            patch["cluster_id"] = cluster
        store.write(
            Batch(
                # The text may have been changed, or forgotten, while its vectors were made.
                patches=(Patch(Kind.ENGRAM, engram.id, set=patch, expect_version=engram.version),),
                vectors=(
                    PutVector(Kind.ENGRAM, engram.id, vector),
                    *(PutVector(Kind.PASSAGE, part.id, piece) for part, piece in zip(parts, own, strict=False)),
                    *cue_vectors,
                ),
                links=linked,
                release=(("index", engram.id),),
            )
        )
        cue_vectors = ()


def _passages(store: GraphStore, engram: Engram) -> list[Passage]:
    """Return the passages of an engram, in text order."""
    page = store.find(Kind.PASSAGE, (Condition("engram_id", Op.EQ, engram.id),), limit=MAX_PASSAGES)
    return sorted((cast(Passage, record) for record in page.records), key=lambda passage: passage.position)


def _new_cues(store: GraphStore, embedder: Embedder, engrams: Sequence[Engram]) -> list[Cue]:
    """Return the cues of some engrams that should have a vector and have none."""
    import numpy as np

    links = store.links([engram.id for engram in engrams], [LinkKind.ENCODED_BY], "out", limit=100 * len(engrams))
    cues = [
        cast(Cue, record)
        for record in store.get(Kind.CUE, sorted({link.dst for link in links})).values()
        if cast(Cue, record).cue_type in EMBEDDED_CUES
    ]
    if not cues:
        return []
    ids = tuple(cue.id for cue in cues)
    probe = np.zeros(embedder.dimension, dtype=np.float32)
    known = {hit.id for hit in store.vector_search(Kind.CUE, probe, len(ids), (Condition("id", Op.IN, ids),))}
    return [cue for cue in cues if cue.id not in known]


def _associate(
    store: GraphStore, engram: Engram, vector: Vector, now: datetime
) -> tuple[tuple[PutLink, ...], int | None]:
    """Return links to the memories most like this one, and the strongest one's cluster if it has any."""
    hits = [
        hit
        for hit in store.vector_search(Kind.ENGRAM, vector, MAX_ASSOCIATIONS + 1, LIVE)
        if hit.id != engram.id and hit.score > ASSOCIATION_THRESHOLD
    ][:MAX_ASSOCIATIONS]
    others = store.get(Kind.ENGRAM, [hit.id for hit in hits])
    links = []
    for hit in hits:
        if hit.id not in others:
            continue
        # From the newer to the older, whichever was indexed first: the pair gets one link.
        src, dst = max(engram.id, hit.id), min(engram.id, hit.id)
        links.append(
            PutLink(
                Link(
                    id=link_id(store.user, LinkKind.ASSOCIATED_WITH, src, dst, "similar_to"),
                    kind=LinkKind.ASSOCIATED_WITH,
                    src=src,
                    dst=dst,
                    src_kind=Kind.ENGRAM,
                    dst_kind=Kind.ENGRAM,
                    relation_type="similar_to",
                    strength=min(1.0, hit.score),
                    created_at=now,
                )
            )
        )
    cluster = next((cast(Engram, others[hit.id]).cluster_id for hit in hits if hit.id in others), -1)
    return tuple(links), cluster if cluster >= 0 else None


def _mean(vectors: Vector) -> Vector:
    """Return the unit vector in the middle of some unit vectors."""
    import numpy as np

    middle = vectors.mean(axis=0)
    length = float(np.linalg.norm(middle))
    return np.asarray(middle / length if length > 0 else middle, dtype=np.float32)
