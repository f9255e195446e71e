# SPDX-License-Identifier: Apache-2.0
"""Everything that is read out of a text without a model, in one pass."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..domain.records import MemoryType
from .cues import ExtractedCue, choose_cues, query_cues
from .entities import ExtractedEntity, find_entities
from .memory_type import memory_type
from .reading import Reading, read
from .summary import summarize

__all__ = ["ExtractedCue", "ExtractedEntity", "Extraction", "extract", "query_cues"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What a text says about itself: a line of summary, its kind, up to 10 cues and up to 32 entities.

    ``reading`` is the text taken apart, for whoever reads on.
    """

    reading: Reading
    summary: str
    memory_type: MemoryType
    cues: tuple[ExtractedCue, ...]
    entities: tuple[ExtractedEntity, ...]


def extract(
    content: str, *, label: str | None = None, tags: Iterable[str] = (), source: str | None = None
) -> Extraction:
    """Read a text by rules: names, key phrases, kind and summary.

    Takes any ``str`` and linear time; of a text beyond 50,000 characters the rest is not read. The rules are
    made for English; in other languages with capitals and spaces they find names and keywords, and in Chinese
    and Japanese keywords.
    """
    reading = read(content)
    entities = find_entities(reading, label)
    return Extraction(
        reading=reading,
        summary=summarize(content, reading),
        memory_type=memory_type(reading),
        cues=choose_cues(reading, entities, tags, source),
        entities=entities,
    )
