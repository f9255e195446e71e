# SPDX-License-Identifier: Apache-2.0
"""Which causal nodes are the same thing in other words: linked, never merged."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from ..domain.causal_identity import may_refer_to, same_event_allowed
from ..domain.records import Cause, Kind
from ..domain.text import terms
from ..ports.store import GraphStore

if TYPE_CHECKING:
    from ..ports.models import Vector

ALIKE = 0.8
"""Cosine similarity from which two descriptions may be the same event."""

REFERENCE = (0.82, 0.13)
"""Score of a node that refers back to another: the first for saying so, up to the second for how fully."""

NEAREST = 6
WORDED = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Same:
    """Another node that means the same, and how sure that is, 0 … 1."""

    other: Cause
    score: float


def same_as(store: GraphStore, cause: Cause, vector: Vector | None) -> tuple[Same, ...]:
    """Return the nodes that ``cause`` is the same as.

    Two ways lead there. A similar meaning, where numbers, names, negation and polarity agree: embeddings
    alone cannot tell "increased" from "decreased". And a shorter description all of whose words the longer
    one has: what has been told is taken up again by a part of its words.
    """
    found: dict[str, Same] = {}
    if vector is not None:
        hits = [hit for hit in store.vector_search(Kind.CAUSE, vector, NEAREST + 1) if hit.score >= ALIKE]
        for other in _causes(store, [hit.id for hit in hits], cause):
            if same_event_allowed(cause.description, other.description):
                score = next(hit.score for hit in hits if hit.id == other.id)
                found[other.id] = Same(other=other, score=min(1.0, score))
    words = tuple(dict.fromkeys(terms(cause.description)))
    if words:
        matches = store.text_search(Kind.CAUSE, words, WORDED)
        weights = {
            word: math.log(1 + (matches.documents - min(df, matches.documents) + 0.5) / (df + 0.5))
            for word, df in zip(words, matches.document_frequencies, strict=True)
        }
        for other in _causes(store, [hit.id for hit in matches.hits], cause):
            one, two = cause.description, other.description
            if other.id not in found and (may_refer_to(one, two) or may_refer_to(two, one)):
                found[other.id] = Same(other=other, score=_fullness(words, terms(two), weights))
    return tuple(sorted(found.values(), key=lambda same: (-same.score, same.other.id)))


def _causes(store: GraphStore, ids: Sequence[str], but: Cause) -> list[Cause]:
    return [cast(Cause, record) for id, record in store.get(Kind.CAUSE, ids).items() if id != but.id]


def _fullness(mine: Sequence[str], other: Sequence[str], weights: dict[str, float]) -> float:
    """Return a reference's score: higher the more of the weight of both descriptions they share."""
    rare = max(weights.values(), default=1.0)
    ours, theirs = set(mine), set(other)
    shared = sum(weights.get(word, rare) for word in ours & theirs)
    everything = sum(weights.get(word, rare) for word in ours | theirs)
    base, more = REFERENCE
    return base + more * (shared / everything if everything else 0.0)
