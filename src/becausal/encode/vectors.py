# SPDX-License-Identifier: Apache-2.0
"""The vectors of many records in few calls of the model, as they are indexed one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from ..domain.records import Cause, Cue, Engram, Kind, Passage
from ..graphs.concepts import embedded_text as embedded_concept
from ..ports.models import Embedder
from ..ports.store import PutVector
from .index import EMBEDDED_CUES, embedded_text, encoded, mean

Told: TypeAlias = tuple[Engram, Sequence[Passage]]
"""An engram and its passages, in text order."""


def takes_vector(record: object) -> bool:
    """Whether a derived record is found by meaning, so that it has a vector."""
    return isinstance(record, Cause) or (isinstance(record, Cue) and record.cue_type in EMBEDDED_CUES)


def vectors_of(embedder: Embedder, told: Sequence[Told], others: Sequence[Cue | Cause] = ()) -> list[PutVector]:
    """Return the vectors of engrams, their passages, and of cues and causes.

    Raises:
        ModelUnavailable: see ``Embedder.embed``.
    """
    texts = [
        text
        for engram, passages in told
        for text in ([engram.content[each.start : each.end] for each in passages] or [embedded_text(engram)])
    ]
    texts += [each.description if isinstance(each, Cause) else embedded_concept(each) for each in others]
    if not texts:
        return []
    vectors, tokens = encoded(embedder, texts)
    made: list[PutVector] = []
    at = 0
    for engram, passages in told:
        own = vectors[at : at + max(1, len(passages))]
        rows = tokens[at : at + len(own)]
        at += len(own)
        vector = own[0] if len(own) == 1 else mean(own)
        made.append(PutVector(Kind.ENGRAM, engram.id, vector, tokens=None if passages else rows[0]))
        made += [
            PutVector(Kind.PASSAGE, each.id, one, tokens=some)
            for each, one, some in zip(passages, own, rows, strict=False)
        ]
    for each, vector in zip(others, vectors[at:], strict=True):
        made.append(PutVector(Kind.CAUSE if isinstance(each, Cause) else Kind.CUE, each.id, vector))
    return made
