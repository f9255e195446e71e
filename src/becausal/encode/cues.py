# SPDX-License-Identifier: Apache-2.0
"""Retrieval cues: under which names a memory is found again, and which names a question may mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..domain.records import CueType
from ..domain.text import is_stop_word, normalize_name
from . import vocabulary as words
from .entities import ExtractedEntity, find_entities
from .phrases import MAX_NAME, WORD_SHAPES, find_terms, key_phrases, keywords
from .reading import Reading, Token, read
from .shapes import Shape

MAX_CUES = 10
MIN_CUES = 3
"""A memory has so many cues, if its text has so many words worth it."""

MAX_QUERY_CUES = 48
MAX_QUERY = 2000
"""Characters of a question that are read for cues."""

_MAX_ENTITIES = 5
_MAX_PHRASES = 3
_MAX_KEYWORDS = 4
_MAX_CONTEXT = 3
_LATE = ("url", "version", "email")  # kinds of entity that are seldom asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedCue:
    """A cue by its normalised name."""

    name: str
    cue_type: CueType


def choose_cues(
    reading: Reading, entities: Sequence[ExtractedEntity], tags: Iterable[str] = (), source: str | None = None
) -> tuple[ExtractedCue, ...]:
    """Return the cues of a text: entities, key phrases, keywords, then its context, at most ``MAX_CUES``.

    Context is the first two tags and the source, or three tags. Keywords and the last words of phrases stand
    in the singular. No name comes twice.
    """
    names = [entity.key for entity in sorted(entities, key=lambda entity: entity.entity_type in _LATE)]
    chosen = dict.fromkeys(names[:_MAX_ENTITIES], CueType.ENTITY)
    context = [name for name in _context(tags, source) if name not in chosen]
    room = MAX_CUES - len(context)
    found = find_terms(reading)
    covered = {word for entity in entities for word in (entity.key, *entity.key.split())}
    for name in key_phrases(found, covered, _MAX_PHRASES):
        if len(chosen) < room - 1:
            chosen.setdefault(name, CueType.CONCEPT)
    taken = {word for name in chosen for word in name.split()}
    for name in keywords(found, covered, taken)[:_MAX_KEYWORDS]:
        if len(chosen) < room:
            chosen.setdefault(name, CueType.KEYWORD)
    for name in found.weak:
        if len(chosen) < MIN_CUES and name:
            chosen.setdefault(name, CueType.KEYWORD)
    for name in context:
        chosen.setdefault(name, CueType.CONTEXT)
    return tuple(ExtractedCue(name=name, cue_type=cue_type) for name, cue_type in chosen.items())


def query_cues(text: str) -> tuple[str, ...]:
    """Return the normalised names a question may mean, the likeliest first, at most ``MAX_QUERY_CUES``.

    Its entities and key phrases, then its words, and pairs and triples of them that neither begin nor end with
    a stop word; the last word of each also in the singular, as keywords are kept.
    """
    reading = read(text[:MAX_QUERY])
    found = find_terms(reading)
    names = dict.fromkeys(entity.key for entity in find_entities(reading))
    names.update(dict.fromkeys(key_phrases(found, set(), _MAX_PHRASES)))
    stretches = [stretch for sentence in reading.sentences for stretch in _stretches(sentence.tokens)]
    for name in (*found.runs, *(gram for size in (1, 2, 3) for gram in _grams(stretches, size))):
        if key := normalize_name(name):
            names.setdefault(key)
            *head, last = key.split()
            names.setdefault(" ".join((*head, words.singular(last))))
    for run in found.runs:
        names.update(dict.fromkeys(run[i : i + size] for size in (2, 3, 4) for i in range(len(run) - size + 1)))
    return tuple(name for name in names if len(name) <= MAX_NAME)[:MAX_QUERY_CUES]


def _stretches(tokens: Sequence[Token]) -> list[list[Token]]:
    """Return the runs of words between marks."""
    found: list[list[Token]] = [[]]
    for token in tokens:
        if token.shape in WORD_SHAPES or token.shape is Shape.NUMBER:
            found[-1].append(token)
        elif found[-1]:
            found.append([])
    return found


def _grams(stretches: Iterable[list[Token]], size: int) -> Iterator[str]:
    for stretch in stretches:
        for at in range(len(stretch) - size + 1):
            part = stretch[at : at + size]
            if not (is_stop_word(part[0].text) or is_stop_word(part[-1].text)):
                yield " ".join(token.lower for token in part)


def _context(tags: Iterable[str], source: str | None) -> list[str]:
    given = [name for tag in tags if 0 < len(name := normalize_name(tag)) <= MAX_NAME]
    origin = normalize_name(source or "")
    if 0 < len(origin) <= MAX_NAME:
        return list(dict.fromkeys((*given[: _MAX_CONTEXT - 1], origin)))
    return list(dict.fromkeys(given[:_MAX_CONTEXT]))
