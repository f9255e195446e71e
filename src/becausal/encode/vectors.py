# SPDX-License-Identifier: Apache-2.0
"""The vectors of many records in few calls of the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from ..domain.records import Cause, Cue, CueType, Engram, Kind, Passage
from ..graphs.concepts import embedded_text as embedded_concept
from ..ports.batch import PutVector
from ..ports.models import Embedder, TokenEmbedder

if TYPE_CHECKING:
    from ..ports.models import Tokens, Vector, Vectors

EMBEDDED_CUES = (CueType.ENTITY, CueType.CONCEPT)

SLICE = 64
"""Passages of one memory embedded at a time; the vector of the whole is the middle of the first so many."""

Told: TypeAlias = tuple[Engram, Sequence[Passage]]
"""An engram and its passages, in text order."""


def takes_vector(record: object) -> bool:
    """Whether a derived record is found by meaning, so that it has a vector."""
    return isinstance(record, Cause) or (isinstance(record, Cue) and record.cue_type in EMBEDDED_CUES)


def embedded_text(engram: Engram) -> str:
    """Return what an engram's vector stands for."""
    return f"{engram.label}: {engram.content}" if engram.label else engram.content


def vectors_of(embedder: Embedder, told: Sequence[Told], others: Sequence[Cue | Cause] = ()) -> list[PutVector]:
    """Return the vectors of engrams, their passages, and of cues and causes.

    Raises:
        ModelUnavailable: see ``Embedder.embed``.
    """
    texts = [text for engram, passages in told for text in _texts(engram, passages) or [embedded_text(engram)]]
    texts += [each.description if isinstance(each, Cause) else embedded_concept(each) for each in others]
    if not texts:
        return []
    vectors, tokens = _encoded(embedder, texts)
    made: list[PutVector] = []
    at = 0
    for engram, passages in told:
        own = vectors[at : at + max(1, len(passages))]
        rows = tokens[at : at + len(own)]
        at += len(own)
        vector = own[0] if len(own) == 1 else _mean(own[:SLICE])
        # A long memory is compared token by token with its passages alone.
        made.append(PutVector(Kind.ENGRAM, engram.id, vector, tokens=None if passages else rows[0]))
        made += _of_passages(passages, own, rows)
    for each, vector in zip(others, vectors[at:], strict=True):
        made.append(PutVector(Kind.CAUSE if isinstance(each, Cause) else Kind.CUE, each.id, vector))
    return made


def vectors_of_passages(embedder: Embedder, engram: Engram, passages: Sequence[Passage]) -> list[PutVector]:
    """Return the vectors of some of an engram's passages.

    Raises:
        ModelUnavailable: see ``Embedder.embed``.
    """
    return _of_passages(passages, *_encoded(embedder, _texts(engram, passages)))


def _of_passages(passages: Sequence[Passage], vectors: Vectors, tokens: Sequence[Tokens | None]) -> list[PutVector]:
    return [
        PutVector(Kind.PASSAGE, each.id, vector, tokens=rows)
        for each, vector, rows in zip(passages, vectors, tokens, strict=False)
    ]


def _texts(engram: Engram, passages: Sequence[Passage]) -> list[str]:
    return [engram.content[each.start : each.end] for each in passages]


def _encoded(embedder: Embedder, texts: Sequence[str]) -> tuple[Vectors, Sequence[Tokens | None]]:
    """Return the vectors of texts, and their token vectors if there are any."""
    encoded = embedder.encode(texts) if isinstance(embedder, TokenEmbedder) else None
    if encoded is None:
        return embedder.embed(texts), [None] * len(texts)
    return encoded.vectors, encoded.tokens


def _mean(vectors: Vectors) -> Vector:
    """Return the unit vector in the middle of some unit vectors."""
    import numpy as np

    middle = vectors.mean(axis=0)
    length = float(np.linalg.norm(middle))
    return np.asarray(middle / length if length > 0 else middle, dtype=np.float32)
