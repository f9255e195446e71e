# SPDX-License-Identifier: Apache-2.0
"""The second half of writing: vectors, associations and clusters, for memories already kept."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar, cast

from ..domain.ids import link_id
from ..domain.records import Cause, Cue, Engram, Kind, Link, LinkKind, Passage
from ..errors import Conflict
from ..graphs.linking import Draft, Node
from ..graphs.sameness import same_as
from ..ports.batch import Batch, Patch, PutLink
from ..ports.store import Condition, Cursor, GraphStore, Op, Where
from .pairs import cues_of, stronger_pairs
from .vectors import EMBEDDED_CUES, SLICE, Told, vectors_of, vectors_of_passages

if TYPE_CHECKING:
    from ..ports.models import Embedder, Vector

ASSOCIATION_THRESHOLD = 0.7
"""Cosine similarity above which two memories are associated (smriti's)."""

MAX_ASSOCIATIONS = 5
MAX_PASSAGES = 4096
MAX_TEXTS = 128
"""Texts of memories embedded in one round."""

MAX_STATED = 64
"""Stated records embedded in one round."""

PIECE = 16
"""Passages of a long memory whose vectors are written together: so many are made again after a breakdown."""

PAGE = 1000
LIVE: Where = (Condition("archived_at", Op.NULL, True),)
ASSERTED: Where = (Condition("asserted", Op.EQ, True),)
R = TypeVar("R", Cue, Cause)


def index(
    store: GraphStore, embedder: Embedder, engrams: Sequence[Engram], now: datetime, stated: Sequence[Cue | Cause] = ()
) -> list[str]:
    """Embed engrams, associate them with what resembles them, and mark them as indexed; return the ids of those done.

    ``stated`` are concepts and causal nodes to embed along with those of the engrams. One call does as much as
    takes a second or so: some engrams may be left for the next, and of a long one a part of its passages. One
    that was changed meanwhile is left to be indexed again. Doing it twice, or in two processes at once, leaves
    the same graph.

    Raises:
        ModelUnavailable: nothing was changed, or vectors of some passages were added.
        StoreError: some of the engrams may be indexed; the rest still say that they are not.
    """
    told = _ready(store, embedder, engrams)
    ids = [engram.id for engram, _ in told]
    own_cues = cues_of(store, ids)
    cues = _once((*_new_cues(store, embedder, own_cues), *(each for each in stated if isinstance(each, Cue))))
    causes = _once((*_new_causes(store, embedder, ids), *(each for each in stated if isinstance(each, Cause))))
    made = vectors_of(embedder, told, (*cues, *causes))
    # Whoever reads these before the memories count as indexed has better answers earlier.
    store.write(Batch(vectors=tuple(made)))
    vectors = {put.id: put.vector for put in made if put.vector is not None}
    with store.snapshot():
        same = sameness(store, causes, [vectors[cause.id] for cause in causes], now)
        done = [
            _indexed(store, engram, vectors[engram.id], own_cues.get(engram.id, ()), ids[at + 1 :], now)
            for at, (engram, _) in enumerate(told)
        ]
    try:
        store.write(_joined(Batch(links=same), *done))
    except Conflict:
        store.write(Batch(links=same))
        for batch in done:
            with suppress(Conflict):  # this one was changed, or forgotten, while its vectors were made
                store.write(batch)
    return ids


def _ready(store: GraphStore, embedder: Embedder, engrams: Sequence[Engram]) -> list[Told]:
    """Return the engrams to be finished now, with the passages whose vectors are still to be made.

    Of a long one, the vectors of a slice are made instead, until no more than the first slice is left.
    """
    told: list[Told] = []
    texts = 0
    all_short = not _any_passage(store, engrams)
    for engram in engrams:
        passages = [] if all_short else _passages(store, engram)
        if len(passages) > SLICE:
            if due := _without_their_vectors(store, embedder, engram, passages[SLICE:]):
                soon = due[:SLICE]
                for at in range(0, len(soon), PIECE):
                    made = vectors_of_passages(embedder, engram, soon[at : at + PIECE])
                    store.write(Batch(vectors=tuple(made)))
                texts += SLICE
            if len(due) > SLICE:
                continue
            passages = passages[:SLICE]
        if told and texts + max(1, len(passages)) > MAX_TEXTS:
            break
        told.append((engram, passages))
        texts += max(1, len(passages))
        if texts >= MAX_TEXTS:
            break
    return told


def _indexed(
    store: GraphStore, engram: Engram, vector: Vector, cues: Sequence[Cue], later: Collection[str], now: datetime
) -> Batch:
    """Return the batch that associates an engram and marks it as indexed, unless it is another by then."""
    linked, cluster = _associate(store, engram, vector, later, now)
    patch: dict[str, object] = {"indexed_at": now}
    if cluster is not None and engram.cluster_id < 0:
        patch["cluster_id"] = cluster
    return Batch(
        patches=(Patch(Kind.ENGRAM, engram.id, set=patch, expect_version=engram.version),),
        links=linked + stronger_pairs(store.user, cues, now),
        release=(("index", engram.id),),
    )


def _joined(*batches: Batch) -> Batch:
    return Batch(
        patches=tuple(patch for batch in batches for patch in batch.patches),
        links=tuple(link for batch in batches for link in batch.links),
        release=tuple(claim for batch in batches for claim in batch.release),
    )


def _any_passage(store: GraphStore, engrams: Sequence[Engram]) -> bool:
    """Say whether any of some engrams has passages: mostly none has, and one question says so of all."""
    ids = tuple(engram.id for engram in engrams)
    return bool(ids) and bool(store.find(Kind.PASSAGE, (Condition("engram_id", Op.IN, ids),), limit=1).records)


def _passages(store: GraphStore, engram: Engram) -> list[Passage]:
    """Return the passages of an engram, in text order."""
    page = store.find(Kind.PASSAGE, (Condition("engram_id", Op.EQ, engram.id),), limit=MAX_PASSAGES)
    return sorted((cast(Passage, record) for record in page.records), key=lambda passage: passage.position)


def _new_cues(store: GraphStore, embedder: Embedder, by_engram: Mapping[str, Sequence[Cue]]) -> list[Cue]:
    """Return the cues of some engrams that should have a vector and have none."""
    cues = _once([cue for own in by_engram.values() for cue in own if cue.cue_type in EMBEDDED_CUES])
    unknown = _without_vector(store, embedder, Kind.CUE, [cue.id for cue in cues])
    return [cue for cue in cues if cue.id in unknown]


def _new_causes(store: GraphStore, embedder: Embedder, engrams: Sequence[str]) -> list[Cause]:
    """Return the causal nodes read from some engrams that have no vector yet."""
    if not engrams:
        return []
    links = store.links(engrams, [LinkKind.X_RECORDS], "out", limit=1000 * len(engrams))
    told = sorted({link.dst for link in links if link.dst_kind is Kind.CAUSE})
    unknown = _without_vector(store, embedder, Kind.CAUSE, told)
    return [cast(Cause, record) for record in store.get(Kind.CAUSE, sorted(unknown)).values()]


def stated_without_vector(store: GraphStore, embedder: Embedder) -> list[Cue | Cause]:
    """Return concepts and causal nodes that callers have stated and that should have a vector and have none."""
    found: list[Cue | Cause] = []
    for kind in (Kind.CUE, Kind.CAUSE):
        after: Cursor | None = None
        while len(found) < MAX_STATED:
            page = store.find(kind, ASSERTED, limit=PAGE, after=after)
            records = [cast("Cue | Cause", record) for record in page.records]
            due = [each.id for each in records if isinstance(each, Cause) or each.cue_type in EMBEDDED_CUES]
            unknown = _without_vector(store, embedder, kind, due)
            found += [each for each in records if each.id in unknown]
            if (after := page.next) is None:
                break
    return found[:MAX_STATED]


def _once(records: Sequence[R]) -> list[R]:
    return list({record.id: record for record in records}.values())


def _without_their_vectors(
    store: GraphStore, embedder: Embedder, engram: Engram, passages: Sequence[Passage]
) -> list[Passage]:
    import numpy as np

    probe = np.zeros(embedder.dimension, dtype=np.float32)
    hits = store.vector_search(Kind.PASSAGE, probe, MAX_PASSAGES, (Condition("id", Op.EQ, engram.id),))
    known = {hit.id for hit in hits}
    return [passage for passage in passages if passage.id not in known]


def _without_vector(store: GraphStore, embedder: Embedder, kind: Kind, ids: Sequence[str]) -> set[str]:
    import numpy as np

    if not ids:
        return set()
    probe = np.zeros(embedder.dimension, dtype=np.float32)
    hits = store.vector_search(kind, probe, len(ids), (Condition("id", Op.IN, tuple(ids)),))
    return set(ids) - {hit.id for hit in hits}


def sameness(
    store: GraphStore, causes: Sequence[Cause], vectors: Iterable[Vector], now: datetime
) -> tuple[PutLink, ...]:
    """Return links from new causal nodes to those that mean the same."""
    draft = Draft(store.user, now)
    for cause, vector in zip(causes, vectors, strict=True):
        for same in same_as(store, cause, vector):
            one, other = sorted((cause.id, same.other.id))
            ends = Node(Kind.CAUSE, one), Node(Kind.CAUSE, other)
            draft.link(LinkKind.SAME_AS, *ends, strength=same.score, asserted=False, merge="keep")
    return tuple(draft.links)


def _associate(
    store: GraphStore, engram: Engram, vector: Vector, later: Collection[str], now: datetime
) -> tuple[tuple[PutLink, ...], int | None]:
    """Return links to the memories most like this one, and the strongest one's cluster if it has any.

    Those that come ``later`` in the same round find this one, so that the graph does not depend on the rounds.
    """
    hits = [
        hit
        for hit in store.vector_search(Kind.ENGRAM, vector, MAX_ASSOCIATIONS + 1 + len(later), LIVE)
        if hit.score > ASSOCIATION_THRESHOLD and hit.id != engram.id and hit.id not in later
    ][:MAX_ASSOCIATIONS]
    others = store.peek(Kind.ENGRAM, [hit.id for hit in hits], ("cluster_id",))
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
    cluster = next((others[hit.id][0] for hit in hits if hit.id in others), -1)
    return tuple(links), cluster if cluster >= 0 else None
