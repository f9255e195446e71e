# SPDX-License-Identifier: Apache-2.0
"""Which causal nodes are the same thing in other words: linked, never merged."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from ..domain.causal.identity import content_of, is_purpose, may_refer_to, same_event_allowed, shares_a_name, taken_up
from ..domain.records import Cause, Kind
from ..domain.text import terms
from ..ports.store import GraphStore
from .strangers import strangers

if TYPE_CHECKING:
    from ..ports.models import Vector

ALIKE = 0.8
"""Cosine similarity from which two descriptions may be the same event."""

ALIKE_APART = 0.92
"""The same, for descriptions that different documents tell."""

REFERENCE = (0.5, 0.72, 0.82)
"""Score of a node that refers back to another with one word of its own, with two, with more."""

FULLER = 0.13
"""What is added to that for how fully it tells the other again."""

TAKEN_UP = 0.75
"""Score of a node whose subject alone names what another tells."""

NEAREST = 6
WORDED = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Same:
    """Another node that means the same, and how sure that is, 0 … 1."""

    other: Cause
    score: float


def same_as(store: GraphStore, cause: Cause, vector: Vector | None) -> tuple[Same, ...]:
    """Return the nodes that ``cause`` is the same as.

    Three ways lead there. A similar meaning, where numbers, names, negation and polarity agree: embeddings
    alone cannot tell "increased" from "decreased". A shorter description all of whose words the longer one
    has: what has been told is taken up again by a part of its words. And a subject that names what was told:
    "the leaked key gave them access" after "the key leaked". Between long texts that tell different stories
    only nearly the same words, or a name they share, will do.
    """
    found: dict[str, Same] = {}
    cosines: dict[str, float] = {}
    if vector is not None:
        hits = [hit for hit in store.vector_search(Kind.CAUSE, vector, NEAREST + 1) if hit.score >= ALIKE]
        cosines = {hit.id: hit.score for hit in hits}
        for other in _causes(store, list(cosines), cause):
            if same_event_allowed(cause.description, other.description):
                found[other.id] = Same(other=other, score=min(1.0, cosines[other.id]))
    words = tuple(dict.fromkeys(terms(cause.description)))
    if words:
        matches = store.text_search(Kind.CAUSE, words, WORDED)
        weights = {
            word: math.log(1 + (matches.documents - min(df, matches.documents) + 0.5) / (df + 0.5))
            for word, df in zip(words, matches.document_frequencies, strict=True)
        }
        for other in _causes(store, [hit.id for hit in matches.hits], cause):
            score = _reference(cause.description, other.description, words, weights)
            if score > (found[other.id].score if other.id in found else 0.0):
                found[other.id] = Same(other=other, score=score)
    apart = strangers(store, cause.id, list(found))
    kept = [
        same
        for same in found.values()
        if same.other.id not in apart
        or cosines.get(same.other.id, 0.0) >= ALIKE_APART
        or shares_a_name(cause.description, same.other.description)
    ]
    return tuple(sorted(kept, key=lambda same: (-same.score, same.other.id)))


def _causes(store: GraphStore, ids: Sequence[str], but: Cause) -> list[Cause]:
    """Return the nodes with some ids that may be the same as another: no purpose is an event."""
    purpose = is_purpose(but.description)
    found = [cast(Cause, record) for id, record in store.get(Kind.CAUSE, ids).items() if id != but.id]
    return [cause for cause in found if is_purpose(cause.description) is purpose]


def _reference(one: str, two: str, words: Sequence[str], weights: Mapping[str, float]) -> float:
    """Return how surely one of two descriptions refers to the other, whichever it is; 0 if neither does."""
    scores = [0.0]
    for short, full in ((one, two), (two, one)):
        if may_refer_to(short, full):
            kind = REFERENCE[min(len(content_of(short)), len(REFERENCE)) - 1]
            scores.append(kind + FULLER * _fullness(words, terms(two), weights))
        elif taken_up(full, short):
            scores.append(TAKEN_UP)
    return max(scores)


def _fullness(mine: Sequence[str], other: Sequence[str], weights: Mapping[str, float]) -> float:
    """Return the share of the weight of both descriptions that they have in common, 0 … 1."""
    rare = max(weights.values(), default=1.0)
    ours, theirs = set(mine), set(other)
    shared = sum(weights.get(word, rare) for word in ours & theirs)
    everything = sum(weights.get(word, rare) for word in ours | theirs)
    return shared / everything if everything else 0.0
