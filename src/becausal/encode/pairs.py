# SPDX-License-Identifier: Apache-2.0
"""Which cues stand together: the co-occurrence strength that an indexed memory gives them."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import cast

from ..domain.ids import link_id
from ..domain.records import Cue, CueType, Engram, Kind, LinkKind
from ..graphs.linking import Draft, Node
from ..ports.batch import PutLink, WeakenLink
from ..ports.store import GraphStore

MAX_PAIRED_CUES = 4
"""Cues of one memory that gain co-occurrence strength with each other: 6 pairs at most."""

MAX_CUES = 100
"""Cues read of each memory."""

_TELLING = {cue_type: rank for rank, cue_type in enumerate(CueType)}


def cues_of(store: GraphStore, engrams: Sequence[str]) -> dict[str, list[Cue]]:
    """Return the cues of some memories, by memory."""
    edges = store.edges(engrams, [LinkKind.ENCODED_BY], "out", MAX_CUES) if engrams else ()
    cues = store.get(Kind.CUE, sorted({edge.dst for edge in edges}))
    found: dict[str, list[Cue]] = defaultdict(list)
    for edge in edges:
        if edge.dst in cues:
            found[edge.src].append(cast(Cue, cues[edge.dst]))
    return found


def _pairs(cues: Sequence[Cue]) -> list[tuple[str, str]]:
    """Return the pairs that count: of the most telling cues, the smaller id first."""
    chosen = sorted(cues, key=lambda cue: (_TELLING[cue.cue_type], cue.name))[:MAX_PAIRED_CUES]
    return list(itertools.combinations(sorted(cue.id for cue in chosen), 2))


def stronger_pairs(user: str, cues: Sequence[Cue], now: datetime) -> tuple[PutLink, ...]:
    """Return what one memory adds to the pairs of its cues. It is to be written as the memory becomes indexed."""
    draft = Draft(user, now)
    for one, other in _pairs(cues):
        draft.link(LinkKind.CO_OCCURS, Node(Kind.CUE, one), Node(Kind.CUE, other), asserted=False, merge="add")
    return tuple(draft.links)


def weaker_pairs(store: GraphStore, engrams: Sequence[Engram]) -> tuple[WeakenLink, ...]:
    """Return what takes back the strength that some memories gave. Those not indexed yet have given none."""
    given: Mapping[str, Sequence[Cue]] = cues_of(
        store, [engram.id for engram in engrams if engram.indexed_at is not None]
    )
    return tuple(
        WeakenLink(link_id(store.user, LinkKind.CO_OCCURS, one, other), by=1.0)
        for cues in given.values()
        for one, other in _pairs(cues)
    )
