# SPDX-License-Identifier: Apache-2.0
"""The vectors of many records in few calls of the model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from ..domain.records import Cause, Cue, CueType, Engram, Kind, Passage
from ..graphs.concepts import embedded_text as embedded_concept
from ..ports.batch import PutVector
from ..ports.models import Embedder, TokenEmbedder

if TYPE_CHECKING:
    from ..ports.models import Tokens, Vector, Vectors

EMBEDDED_CUES = (CueType.ENTITY, CueType.CONCEPT)

_SERIAL = re.compile(r"(?<!\d)(?!(?:19|20)\d\d(?!\d))\d{4,}", re.ASCII)
"""A number that is one of very many, unlike that of a year."""

SLICE = 64
"""Passages of one memory embedded at a time; the vector of the whole is the middle of the first so many."""

Told: TypeAlias = tuple[Engram, Sequence[Passage]]
"""An engram and its passages, in text order."""


def takes_vector(record: object) -> bool:
    """Whether a record is found by meaning, so that it has a vector.

    A name that was read from a text and is one of very many, such as "ticket 48213", is found by its words: by meaning
    it would be as near to a question about tickets as each of the others.
    """
    if isinstance(record, Cause):
        return True
    if not isinstance(record, Cue) or record.cue_type not in EMBEDDED_CUES:
        return False
    return record.asserted or record.description is not None or _SERIAL.search(record.name) is None


def embedded_text(engram: Engram) -> str:
    """Return what an engram's vector stands for."""
    return f"{engram.label}: {engram.content}" if engram.label else engram.content


def vectors_of(embedder: Embedder, told: Sequence[Told], others: Sequence[Cue | Cause] = ()) -> list[PutVector]:
    """Return the vectors of engrams, their passages, and of cues and causes.

    Raises:
        ModelUnavailable: see ``Embedder.embed``.
    """
    texts = [text for engram, passages in told for text in _texts(engram, passages) or [embedded_text(engram)]]
    names = [each.description if isinstance(each, Cause) else embedded_concept(each) for each in others]
    if not texts and not names:
        return []
    vectors, tokens, of_names = _encoded(embedder, texts, names)
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
    for each, vector in zip(others, of_names, strict=True):
        made.append(PutVector(Kind.CAUSE if isinstance(each, Cause) else Kind.CUE, each.id, vector))
    return made


def vectors_of_passages(embedder: Embedder, engram: Engram, passages: Sequence[Passage]) -> list[PutVector]:
    """Return the vectors of some of an engram's passages.

    Raises:
        ModelUnavailable: see ``Embedder.embed``.
    """
    vectors, tokens, _ = _encoded(embedder, _texts(engram, passages))
    return _of_passages(passages, vectors, tokens)


def _of_passages(passages: Sequence[Passage], vectors: Vectors, tokens: Sequence[Tokens | None]) -> list[PutVector]:
    return [
        PutVector(Kind.PASSAGE, each.id, vector, tokens=rows)
        for each, vector, rows in zip(passages, vectors, tokens, strict=False)
    ]


def _texts(engram: Engram, passages: Sequence[Passage]) -> list[str]:
    return [engram.content[each.start : each.end] for each in passages]


def _encoded(
    embedder: Embedder, texts: Sequence[str], names: Sequence[str] = ()
) -> tuple[Vectors, Sequence[Tokens | None], Vectors]:
    """Return the vectors of texts, their token vectors if there are any, and the vectors of names, which need none."""
    encoded = embedder.encode(texts) if texts and isinstance(embedder, TokenEmbedder) else None
    if encoded is None:
        vectors = embedder.embed([*texts, *names])
        return vectors[: len(texts)], [None] * len(texts), vectors[len(texts) :]
    return encoded.vectors, encoded.tokens, embedder.embed(names) if names else encoded.vectors[:0]


def _mean(vectors: Vectors) -> Vector:
    """Return the unit vector in the middle of some unit vectors."""
    import numpy as np

    middle = vectors.mean(axis=0)
    length = float(np.linalg.norm(middle))
    return np.asarray(middle / length if length > 0 else middle, dtype=np.float32)
