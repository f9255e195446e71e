# SPDX-License-Identifier: Apache-2.0
"""Clusters of memories that are about the same: found in the graph of their associations, kept in the store."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast

from ..domain.clusters import NONE, keep_ids, needs_tuning, telling_names
from ..domain.records import Cue, CueType, Kind, LinkKind
from ..ports.batch import Batch, Patch
from ..ports.store import Condition, GraphStore, Op
from .leiden import partition
from .run import LIVE, PIECE, Run

CLUSTERS = "clusters"
"""Key under which the store keeps what ``read_clusters`` returns."""

NAMES = "cluster_names"
"""Key of the names that a chat model gave to clusters: by id, the name ("" for none) and the cues it is for."""

RESOLUTION = "cluster_resolution"
"""Key of the resolution chosen, and of how many memories there were."""

NEXT_ID = "cluster_next_id"
SHAPE = "cluster_shape"
"""Key of what the graph looked like when it was last clustered; taken away by what changes it unseen."""

FEWEST = 3
"""Memories below which there is nothing to part (smriti's)."""

LEAST_WEIGHT = 0.01
"""Weight of an association whose strength is not above 0 (smriti's)."""

MAX_LINKS = 1000
"""Associations looked at of one memory."""

MAX_LISTED = 1000
"""Clusters, the largest ones, that are listed by name."""

AT_ONCE = 100
"""Memories whose links are read at a time: some ten milliseconds of work, so that nobody waits long for a turn."""

MAX_CUES = 20
NAMED_AFTER = 3
LISTED_CUES = 6
CONSIDERED = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A topic: ``size`` memories that are associated with one another more than with others.

    ``id`` stays the same from one consolidation to the next. ``cues`` are what tells it from others, the most
    telling first; its ``name`` is made from them.
    """

    id: int
    name: str
    size: int
    cues: tuple[str, ...]

    @classmethod
    def of(cls, id: int, size: int, cues: Sequence[str] = ()) -> Cluster:
        """Return a cluster with the name that its cues give it."""
        name = ", ".join(cues[:NAMED_AFTER]) or f"cluster {id}"
        return cls(id=id, name=name, size=size, cues=tuple(cues))


def read_clusters(store: GraphStore) -> tuple[Cluster, ...]:
    """Return the largest clusters, the largest first, as the last consolidation left them."""
    told = json.loads(store.meta(CLUSTERS) or "[]")
    given = given_names(store)
    return tuple(
        replace(found, name=given.get((found.id, found.cues)) or found.name)
        for found in (Cluster.of(id, size, cues) for id, size, cues in told)
    )


def given_names(store: GraphStore) -> dict[tuple[int, tuple[str, ...]], str]:
    """Return the names that a chat model gave, by id and cues: for other cues another name is due."""
    return {(id, tuple(cues)): name for id, name, cues in json.loads(store.meta(NAMES) or "[]")}


def cluster(run: Run) -> None:
    """Find clusters anew if the graph has changed, and note for each memory in which it is.

    An undirected graph of all memories, weighted by the strongest association of each two; communities by the
    Leiden algorithm, at a resolution that is kept until the memory has grown or shrunk by a tenth.
    """
    shape = _shape(run.store)
    if not _has_changed(run, shape):
        run.add("cluster", unchanged=1)
        return
    weak = set(run.weak)  # as good as archived in a dry run
    before = {
        id: cluster for page in run.pages(Kind.ENGRAM, ("cluster_id",), LIVE) for id, cluster in page if id not in weak
    }
    weights = _weights(run, before)
    run.add("cluster", memories=len(before), associations=len(weights))
    if len(before) < FEWEST or not weights:
        return
    resolution, tuned_at = _known_resolution(run.store, len(before))
    ids, next_id, chosen = _found(run, before, weights, resolution)
    members: dict[int, list[str]] = defaultdict(list)
    for member, id in ids.items():
        members[id].append(member)
    run.add("cluster", clusters=len(members), tuned=int(resolution is None))
    meta: dict[str, str | None] = {
        NEXT_ID: str(next_id),
        RESOLUTION: json.dumps({"resolution": chosen, "memories": tuned_at}),
    }
    moved = [(member, ids.get(member, NONE)) for member in before if ids.get(member, NONE) != before[member]]
    for at in range(0, max(1, len(moved)), PIECE):
        piece = moved[at : at + PIECE]
        patches = tuple(Patch(Kind.ENGRAM, member, set={"cluster_id": id}) for member, id in piece)
        run.write("cluster", Batch(patches=patches, meta=meta), moved=len(piece))
        meta = {}
    listed = sorted(members, key=lambda id: (-len(members[id]), id))[:MAX_LISTED]
    named = _named(run, {id: members[id] for id in listed})
    summary = [[id, len(members[id]), named.get(id, ())] for id in listed]
    meta = {CLUSTERS: json.dumps(summary, ensure_ascii=False), SHAPE: json.dumps([*shape, run.started.isoformat()])}
    run.write("cluster", Batch(meta=meta))


def _shape(store: GraphStore) -> tuple[int, int]:
    counts = store.count()
    return counts[Kind.ENGRAM.value], counts[LinkKind.ASSOCIATED_WITH.value]


def _has_changed(run: Run, shape: tuple[int, int]) -> bool:
    told = run.store.meta(SHAPE)
    if told is None or run.weak:
        return True
    *known, at = json.loads(told)
    since = Condition("indexed_at", Op.GE, datetime.fromisoformat(at))
    return tuple(known) != shape or bool(run.store.sweep(Kind.ENGRAM, (), (*LIVE, since), limit=1))


def _weights(run: Run, nodes: Mapping[str, int]) -> dict[tuple[str, str], float]:
    weights: dict[tuple[str, str], float] = {}
    for ids in _chunks(list(nodes)):
        # In an order that is always the same, piece by piece: sorting all at once would keep other threads waiting.
        for edge in sorted(run.store.edges(ids, [LinkKind.ASSOCIATED_WITH], "out", MAX_LINKS)):
            if edge.src != edge.dst and edge.dst in nodes:
                pair = (edge.src, edge.dst) if edge.src < edge.dst else (edge.dst, edge.src)
                weight = edge.strength if edge.strength > 0 else LEAST_WEIGHT
                weights[pair] = max(weight, weights.get(pair, 0.0))
        run.pause()
    return weights


def _known_resolution(store: GraphStore, size: int) -> tuple[float | None, int]:
    """Return the resolution to use, ``None`` if one must be chosen, and the size of the memory it is chosen for."""
    told = json.loads(store.meta(RESOLUTION) or "null")
    if told is None or needs_tuning(told["memories"], size):
        return None, size
    return float(told["resolution"]), int(told["memories"])


def _found(
    run: Run, before: Mapping[str, int], weights: Mapping[tuple[str, str], float], resolution: float | None
) -> tuple[dict[str, int], int, float]:
    """Return the cluster of each memory that is in one, the next id that is free, and the resolution."""
    numbers = {id: str(number) for number, id in enumerate(before)}
    edges = [(numbers[one], numbers[other], weight) for (one, other), weight in weights.items()]
    start = {numbers[id]: cluster for id, cluster in before.items() if cluster > NONE}
    found = partition(edges, resolution, start if resolution is not None else None, run.pause)
    sizes = Counter(found.communities.values())
    ids = list(before)
    communities = {
        ids[int(number)]: community for number, community in found.communities.items() if sizes[community] > 1
    }
    kept, next_id = keep_ids(communities, before, int(run.store.meta(NEXT_ID) or 0))
    return {id: kept[communities[id]] for id in before if id in communities}, next_id, found.resolution


def _named(run: Run, members: Mapping[int, Sequence[str]]) -> dict[int, tuple[str, ...]]:
    """Return the cues that tell each cluster from others."""
    cluster_of = {member: id for id, those in members.items() for member in those}
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    for ids in _chunks(list(cluster_of)):
        for edge in run.store.edges(ids, [LinkKind.ENCODED_BY], "out", MAX_CUES):
            counts[cluster_of[edge.src]][edge.dst] += 1
        run.pause()
    telling = telling_names(counts, CONSIDERED)
    wanted = sorted({id for ids in telling.values() for id in ids})
    cues: dict[str, Cue] = {}
    for ids in _chunks(wanted):
        cues.update((id, cast(Cue, record)) for id, record in run.store.get(Kind.CUE, ids).items())
        run.pause()
    return {id: _distinct([cues[cue] for cue in ids if cue in cues]) for id, ids in telling.items()}


def _distinct(cues: Sequence[Cue]) -> tuple[str, ...]:
    """Return names, those that say where something was told last, without any that another one holds."""
    chosen: list[str] = []
    for cue in sorted(cues, key=lambda cue: cue.cue_type is CueType.CONTEXT):
        words = set(cue.name.split())
        if not any(words <= set(other.split()) for other in chosen):
            chosen.append(cue.name)
    return tuple(chosen[:LISTED_CUES])


def _chunks(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for at in range(0, len(ids), AT_ONCE):
        yield ids[at : at + AT_ONCE]
