# SPDX-License-Identifier: Apache-2.0
"""Names and identifiers in a text, by rules."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..domain.stopwords import STOP_WORDS
from ..domain.text import normalize_name
from . import vocabulary as words
from .names import MAX_WORDS, NAME_SHAPES, names_in, run_end
from .numbered import numbered_thing
from .reading import Reading, Sentence, Token
from .shapes import Shape

MAX_ENTITIES = 32
"""Entities of one memory, the most often named ones."""

MAX_NAME = 64
_LABEL_WORDS = 8
_FIRST = 1_000_000  # outweighs any number of mentions
_QUOTED = re.compile(r"\"([^\"\n]{2,60})\"|“([^”\n]{2,60})”|«([^»\n]{2,60})»|《([^》\n]{1,40})》")
_BOOK = 4  # the group in 《》, which hold nothing but titles
_UNPRINTABLE = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff]")
_CODE = re.compile(r"`([A-Za-z_][\w.:-]{1,60}(?:\(\))?)`")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedEntity:
    """A name as the text spells it, what kind of thing it seems to be, and its normalised key.

    Types: person, organization, place, product, service, host, artifact (a file), code, version, reference
    (a ticket or pull request), url, email, work (a title), thing (unknown).
    """

    name: str
    entity_type: str
    key: str


class _Found:
    """Gathers mentions by key."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.types: dict[str, str] = {}
        self.counts: dict[str, int] = {}

    def add(self, name: str, entity_type: str, weight: int = 1) -> None:
        name = " ".join(_UNPRINTABLE.sub("\ufffd", name).split())
        if len(name) > MAX_NAME:
            return
        key = normalize_name(name)
        if not key or (len(key) == 1 and key.isascii()):
            return
        self.names.setdefault(key, name)
        self.counts[key] = self.counts.get(key, 0) + weight
        if self.types.get(key, "thing") == "thing":
            self.types[key] = entity_type

    def ranked(self) -> tuple[ExtractedEntity, ...]:
        parts = {word for key, kind in self.types.items() if kind == "person" for word in key.split()}
        order = sorted(self.names, key=lambda key: -self.counts[key])[:MAX_ENTITIES]
        return tuple(
            ExtractedEntity(
                name=self.names[key],
                entity_type="person" if self.types[key] == "thing" and key in parts else self.types[key],
                key=key,
            )
            for key in order
        )


def find_entities(reading: Reading, label: str | None = None) -> tuple[ExtractedEntity, ...]:
    """Return the entities a text names, those named most often first, else in text order.

    A label of up to eight words is the title of the text: an entity of type ``work``, and the first.
    """
    found = _Found()
    if label and len(label.split()) <= _LABEL_WORDS:
        found.add(label, "work", _FIRST)
    text = reading.text
    titles = _titles(text)
    for start, end in titles:
        found.add(text[start:end], "work")
    for sentence in reading.sentences:
        for name, entity_type in _in_sentence(reading, sentence, titles):
            found.add(name, entity_type)
    if "`" in text:
        for match in _CODE.finditer(text):
            name = match[1].removesuffix("()")
            if name.casefold() not in words.COMMON:
                found.add(name, "thing" if match[1] == name and name.isalpha() else "code")
    return found.ranked()


def _titles(text: str) -> list[tuple[int, int]]:
    """Return where something stands in quotation marks that is written like a title."""
    if not any(mark in text for mark in '"“«《'):
        return []
    found: list[tuple[int, int]] = []
    for match in itertools.islice(_QUOTED.finditer(text), 10 * MAX_ENTITIES):
        start, end = match.span(match.lastindex or 0)
        end -= text[end - 1] in ".,"
        if match.lastindex == _BOOK or _is_title(text[start:end]):
            found.append((start, end))
    return found[:MAX_ENTITIES]


def _is_title(title: str) -> bool:
    parts = title.split()
    if not parts or len(parts) > MAX_WORDS or title[-1] in ".,!?;:" or title != title.strip():
        return False
    if not all(part[0].isupper() or part[0].isdigit() or part.casefold() in STOP_WORDS for part in parts):
        return False
    return parts[0][0].isupper() and (len(parts) > 1 or not words.is_common(title.casefold()))


def _in_sentence(reading: Reading, sentence: Sentence, titles: list[tuple[int, int]]) -> Iterator[tuple[str, str]]:
    text, tokens = reading.text, sentence.tokens
    at = _speaker(tokens)
    if at:
        yield text[tokens[0].start : tokens[at - 1].end], "person"
    elif sentence.start < reading.body and len(tokens) > 1 and tokens[1].text == ":":
        at = 1  # a key of the front matter
    while at < len(tokens):
        token = tokens[at]
        end = at + 1
        if titles and any(start <= token.start < stop for start, stop in titles):
            pass
        elif token.shape is Shape.IDENTIFIER:
            yield token.text.removeprefix("@"), token.entity_type or "product"
        elif token.lower in words.REFERENCES and (number := _numbered(tokens, at)):
            end = number + 1
            yield text[token.start : tokens[number].end], "reference"
        elif (place := numbered_thing(tokens, at)) is not None:
            end = place + 1
            yield text[token.start : tokens[place].end], "thing"
        elif token.shape in NAME_SHAPES:
            end = run_end(text, tokens, at)
            yield from names_in(reading, sentence, at, end)
        at = end


def _speaker(tokens: Sequence[Token]) -> int:
    """Return how many tokens name the speaker in front of a colon, as in ``Ada: hello``."""
    for count in (1, 2):
        if len(tokens) > count + 1 and tokens[count].text == ":" and tokens[count].end < tokens[count + 1].start:
            named = all(token.shape in NAME_SHAPES and not _is_role(token.lower) for token in tokens[:count])
            return count if named else 0
    return 0


def _is_role(lower: str) -> bool:
    return lower in words.ROLES or (words.is_common(lower) and lower not in words.GIVEN_NAMES)


def _numbered(tokens: Sequence[Token], at: int) -> int:
    """Return the place of the number after a word such as "PR", or 0."""
    for ahead in range(at + 1, min(at + 3, len(tokens))):
        token = tokens[ahead]
        if token.text in ("#", "-", ":"):
            continue
        number = token.text.removeprefix("#")
        named = tokens[at].shape is not Shape.LOWER or token.text[0] == "#" or len(number) > 2
        return ahead if number.isdigit() and named else 0
    return 0
