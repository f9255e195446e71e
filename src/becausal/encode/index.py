# SPDX-License-Identifier: Apache-2.0
"""The second half of writing: vectors, associations and clusters, for memories already kept."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar, cast

from ..domain.records import Cause, Cue, Engram, Kind, LinkKind, Passage
from ..errors import Conflict
from ..graphs.linking import Draft, Node
from ..graphs.sameness import same_as
from ..ports.batch import Batch, Patch, PutLink, PutVector
from ..ports.store import Condition, Cursor, GraphStore, Op, Where
from .associations import Alike, alike, associations
from .pairs import cues_of, stronger_pairs
from .vectors import SLICE, Told, takes_vector, vectors_of, vectors_of_passages

if TYPE_CHECKING:
    from ..ports.models import Embedder, Vector

MAX_PASSAGES = 4096
MAX_TEXTS = 128
"""Texts of memories embedded in one round."""

MAX_STATED = 64
"""Stated records embedded in one round."""

PIECE = 16
"""Passages of a long memory whose vectors are written together: so many are made again after a breakdown."""

PAGE = 1000
ASSERTED: Where = (Condition("asserted", Op.EQ, True),)
R = TypeVar("R", Cue, Cause)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What the indexing of some engrams is to write: their vectors, and those of the names that came with them."""

    told: Sequence[Told]
    cues: Mapping[str, Sequence[Cue]]  # by engram
    causes: Sequence[Cause]
    vectors: Sequence[PutVector]

    @property
    def coming(self) -> frozenset[str]:
        """The ids of the records whose vectors these are."""
        return frozenset(put.id for put in self.vectors)


def prepare(
    store: GraphStore,
    embedder: Embedder,
    engrams: Sequence[Engram],
    stated: Sequence[Cue | Cause] = (),
    coming: Callable[[], Collection[str]] = tuple,
) -> Prepared:
    """Make the vectors of engrams and of the names that come with them, but for those whose vectors are ``coming``.

    Which these are is asked when all has been read and only the model's work is left. ``stated`` are concepts and
    causal nodes to embed along with those of the engrams. One call does as much as takes a second or so: some engrams
    may be left for the next, and of a long one a part of its passages.

    Raises:
        ModelUnavailable: nothing was changed, or vectors of some passages were added.
    """
    told = _ready(store, embedder, engrams)
    ids = [engram.id for engram, _ in told]
    own_cues = cues_of(store, ids)
    cues = _once((*_new_cues(store, embedder, own_cues), *(each for each in stated if isinstance(each, Cue))))
    causes = _once((*_new_causes(store, embedder, ids), *(each for each in stated if isinstance(each, Cause))))
    elsewhere = coming()
    cues = [cue for cue in cues if cue.id not in elsewhere]
    causes = [cause for cause in causes if cause.id not in elsewhere]
    return Prepared(told=told, cues=own_cues, causes=causes, vectors=vectors_of(embedder, told, (*cues, *causes)))


def finish(store: GraphStore, prepared: Prepared, now: datetime) -> list[str]:
    """Associate what was prepared with what resembles it, and mark it as indexed; return the ids of the engrams done.

    One that was changed meanwhile is left to be indexed again. Doing it twice, or in two processes at once, leaves
    the same graph.

    Raises:
        StoreError: some of the engrams may be indexed; the rest still say that they are not.
    """
    ids = [engram.id for engram, _ in prepared.told]
    # Whoever reads these before the memories count as indexed has better answers earlier.
    store.write(Batch(vectors=tuple(prepared.vectors)))
    vectors = {put.id: put.vector for put in prepared.vectors if put.vector is not None}
    with store.snapshot():
        same = sameness(store, prepared.causes, [vectors[cause.id] for cause in prepared.causes], now)
        # Those that come later in the round find this one, so that the graph does not depend on the rounds.
        near = alike(store, {id: vectors[id] for id in ids}, {id: ids[at + 1 :] for at, id in enumerate(ids)})
        done = [
            _indexed(store, engram, near[engram.id], prepared.cues.get(engram.id, ()), now)
            for engram, _ in prepared.told
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


def _indexed(store: GraphStore, engram: Engram, near: Sequence[Alike], cues: Sequence[Cue], now: datetime) -> Batch:
    """Return the batch that associates an engram and marks it as indexed, unless it is another by then."""
    patch: dict[str, object] = {"indexed_at": now}
    if engram.cluster_id < 0 and near and near[0].cluster >= 0:
        patch["cluster_id"] = near[0].cluster
    return Batch(
        patches=(Patch(Kind.ENGRAM, engram.id, set=patch, expect_version=engram.version),),
        links=associations(store.user, engram.id, near, now) + stronger_pairs(store.user, cues, now),
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
    cues = _once([cue for own in by_engram.values() for cue in own if takes_vector(cue)])
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
            due = [each.id for each in records if takes_vector(each)]
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
