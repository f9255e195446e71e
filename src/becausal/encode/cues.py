# SPDX-License-Identifier: Apache-2.0
"""Retrieval cues: under which names a memory is found again, and which names a question may mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ..domain.causal_verbs import BASE, GERUND, NOUN_LIKE, PRESENT, VERB_FORMS
from ..domain.records import CueType
from ..domain.text import is_stop_word, normalize_name
from . import vocabulary as words
from .entities import ExtractedEntity, find_entities
from .reading import Reading, Token, read
from .shapes import Shape

MAX_CUES = 10
MIN_CUES = 3
"""A memory has so many cues, if its text has so many words worth it."""

MAX_QUERY_CUES = 48
MAX_QUERY = 2000
"""Characters of a question that are read for cues."""

_MAX_ENTITY_CUES = 5
_MAX_PHRASES = 3
_MAX_KEYWORDS = 4
_MAX_CONTEXT = 3
_MAX_NAME = 64
_WORDS = (Shape.LOWER, Shape.CAPITAL, Shape.UPPER, Shape.IDENTIFIER)
_LATE = ("url", "version", "email")  # kinds of entity that are seldom asked for
_KANA = re.compile("[\u3041-\u309f\u30a1-\u30fa\u30fc]")
_JAPANESE = re.compile("[\u3005\u3400-\u4dbf\u4e00-\u9fff]{2,8}|[\u30a1-\u30fa\u30fc]{2,12}")
_CHINESE = re.compile(
    "[^的了在是和与及或不也就都而但被把让对从到我你您他她它们这那个有没会能可要为以于之其很太吗呢吧啊去来说着过]{2,8}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedCue:
    """A cue by its normalised name."""

    name: str
    cue_type: CueType


@dataclass(slots=True)
class _Terms:
    """What a text has for cues: words and phrases by name, each with how often and in the order first met."""

    words: dict[str, int] = field(default_factory=dict)
    phrases: dict[tuple[str, ...], int] = field(default_factory=dict)
    weak: dict[str, None] = field(default_factory=dict)
    runs: dict[str, int] = field(default_factory=dict)  # pieces of scripts without spaces


def choose_cues(
    reading: Reading, entities: Sequence[ExtractedEntity], tags: Iterable[str] = (), source: str | None = None
) -> tuple[ExtractedCue, ...]:
    """Return the cues of a text: entities, key phrases, keywords, then its context, at most ``MAX_CUES``."""
    context = _context(tags, source)
    names = [entity.key for entity in sorted(entities, key=lambda entity: entity.entity_type in _LATE)]
    chosen = dict.fromkeys(names[:_MAX_ENTITY_CUES], CueType.ENTITY)
    context = [name for name in context if name not in chosen]
    room = MAX_CUES - len(context)
    found = _terms(reading)
    covered = {word for entity in entities for word in entity.key.split()}
    for name in _key_phrases(found, covered):
        if len(chosen) < room - 1:
            chosen.setdefault(name, CueType.CONCEPT)
    keywords = _keywords(found, covered, {word for name in chosen for word in name.split()})
    for name in keywords[:_MAX_KEYWORDS]:
        if len(chosen) < room:
            chosen.setdefault(name, CueType.KEYWORD)
    for name in found.weak:
        if len(chosen) + len(context) < MIN_CUES:
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
    found = _terms(reading)
    names = dict.fromkeys(entity.key for entity in find_entities(reading))
    names.update(dict.fromkeys(_key_phrases(found, set())))
    grams: tuple[list[str], list[str], list[str]] = ([], [], [])
    for sentence in reading.sentences:
        for stretch in _stretches(sentence.tokens):
            for size, kept in enumerate(grams, start=1):
                for at in range(len(stretch) - size + 1):
                    part = stretch[at : at + size]
                    if not (is_stop_word(part[0].text) or is_stop_word(part[-1].text)):
                        kept.append(" ".join(token.lower for token in part))
    for name in (*found.runs, *grams[0], *grams[1], *grams[2]):
        if key := normalize_name(name):
            names.setdefault(key)
            head, _, last = key.rpartition(" ")
            names.setdefault(f"{head} {singular}".strip() if (singular := words.singular(last)) != last else key)
    for run in found.runs:
        names.update(dict.fromkeys(run[i : i + size] for size in (2, 3, 4) for i in range(len(run) - size + 1)))
    return tuple(name for name in names if len(name) <= _MAX_NAME)[:MAX_QUERY_CUES]


def _stretches(tokens: Sequence[Token]) -> list[list[Token]]:
    """Return the runs of words between marks."""
    found: list[list[Token]] = [[]]
    for token in tokens:
        if token.shape in _WORDS or token.shape is Shape.NUMBER:
            found[-1].append(token)
        elif found[-1]:
            found.append([])
    return found


def _context(tags: Iterable[str], source: str | None) -> list[str]:
    given = [name for tag in tags if (name := normalize_name(tag)) and len(name) <= _MAX_NAME]
    origin = normalize_name(source) if source else ""
    if origin and len(origin) <= _MAX_NAME:
        return list(dict.fromkeys((*given[: _MAX_CONTEXT - 1], origin)))
    return list(dict.fromkeys(given[:_MAX_CONTEXT]))


def _terms(reading: Reading) -> _Terms:
    found = _Terms()
    for sentence in reading.sentences:
        if sentence.start < reading.body:
            continue
        run: list[str] = []
        end = -1
        for token in sentence.tokens:
            if token.shape is Shape.RUN:
                for piece in _pieces(token.text):
                    found.runs[piece] = found.runs.get(piece, 0) + 1
            strength = _strength(token)
            if run and (strength < 2 or token.start > end + 1):
                _add_run(found, run)
                run = []
            if strength == 2:
                run.append(token.lower)
                end = token.end
                if not token.whole:  # a possessive ends a phrase
                    _add_run(found, run)
                    run = []
            elif strength == 1 and len(found.weak) < MAX_CUES:
                found.weak.setdefault(normalize_name(token.lower))
        if run:
            _add_run(found, run)
    return found


def _strength(token: Token) -> int:
    """Return 2 for a word that names something, 1 for one that at least says something, else 0."""
    if token.shape not in _WORDS or len(token.lower) < 2 or len(token.lower) > _MAX_NAME:
        return 0
    lower = token.lower
    if token.shape is Shape.IDENTIFIER:
        return 2 if "/" not in lower and "@" not in lower else 0
    if lower in words.CALENDAR or is_stop_word(token.text) or lower in words.NOT_NAMES or not lower[0].isalpha():
        return 0
    if lower in words.VAGUE:
        return 0
    form = VERB_FORMS.get(lower)
    if form is not None:
        kind = form[1]
        return 2 if kind == GERUND or (kind in (BASE, PRESENT) and lower in NOUN_LIKE) else 1
    if lower.endswith("ly") and len(lower) > 4:
        return 1
    if lower.endswith("ed") and len(lower) > 4 and lower not in words.NAME_PARTS and token.shape is Shape.LOWER:
        return 1
    return 0 if words.is_interjection(lower) else 2


def _add_run(found: _Terms, run: list[str]) -> None:
    for word in run:
        name = normalize_name(words.singular(word))
        if name:
            found.words[name] = found.words.get(name, 0) + 1
    while len(run) > 1:
        phrase = run[-3:]
        phrase[-1] = words.singular(phrase[-1])
        key = tuple(phrase)
        found.phrases[key] = found.phrases.get(key, 0) + 1
        run = run[:-3]


def _key_phrases(found: _Terms, covered: set[str]) -> list[str]:
    """Return the best phrases: those whose words the text keeps coming back to, and that recur themselves."""
    scored: list[tuple[float, str]] = []
    for phrase, count in found.phrases.items():
        name = normalize_name(" ".join(phrase))
        if len(name) > _MAX_NAME or covered.issuperset(name.split()):
            continue
        weight = sum(min(found.words.get(normalize_name(words.singular(word)), 1), 5) for word in phrase)
        scored.append((weight / len(phrase) + 0.3 * len(phrase) + 2.0 * (count - 1), name))
    scored.sort(key=lambda item: -item[0])
    chosen: list[str] = []
    used: set[str] = set()
    for _, name in scored:
        parts = set(name.split())
        if len(parts & used) < len(parts) - 1 or not used:  # says something new
            chosen.append(name)
            used |= parts
            if len(chosen) == _MAX_PHRASES:
                break
    return chosen


def _keywords(found: _Terms, covered: set[str], taken: set[str]) -> list[str]:
    """Return the words by how informative they are; those that a chosen name holds already come last."""
    candidates = {name: count for name, count in found.words.items() if name not in covered}
    weights = {
        name: count + (0.6 if name not in words.COMMON else 0.0) - (0.5 if name in words.ADJECTIVES else 0.0)
        for name, count in candidates.items()
    }
    for run, count in found.runs.items():
        weights[run] = count + 0.1 * len(run)
    return sorted(weights, key=lambda name: (name in taken, -weights[name]))


def _pieces(run: str) -> list[str]:
    """Return what may be words in a run of a script without spaces."""
    if _KANA.search(run):
        return _JAPANESE.findall(run)
    if "\u3400" <= run[0] <= "\u9fff":
        return _CHINESE.findall(run)
    return [run] if 2 <= len(run) <= 12 else []
