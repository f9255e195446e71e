# SPDX-License-Identifier: Apache-2.0
"""What a text is about, as far as its beginning says so: its title, or the name it opens with."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..domain.stopwords import STOP_WORDS
from ..domain.text import is_stop_word, normalize_name
from . import vocabulary as words
from .entities import MAX_NAME, ExtractedEntity

ABOUT = "about"
"""What a link from a memory to an entity is called when the memory is about it, not merely naming it."""

ABOUT_STRENGTH = 2.0
"""Strength of such a link, above that of a mention: the memories about a name are found among the many naming it."""

MAX_WORDS = 12
"""Words of a title."""

_READ = 2_000
_MARKER = re.compile(r"\s*(?:#{1,6}\s+|\*{1,2}|(?:title|subject|topic|name)\s*:\s*)", re.IGNORECASE)
_NUMBER = re.compile(r"\s*(?:\d{1,3}[.)]|[-*•])\s+|\s+")
_ARTICLE = re.compile(r"(?:the|an?)\s+", re.IGNORECASE)
_ASIDE = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
_OPENING = re.compile(r"([^\n.;:!?(]{2,120}?)(?:\s*\(|,\s|\s+(?:is|was|are|were)\s)")
_SPEAKER = re.compile(r"[^\n:]{1,40}:\s")


def heading(content: str, entities: Sequence[ExtractedEntity], label: str | None = None) -> tuple[str, ...]:
    """Return the names that a text is about, the fullest first; none if neither label nor beginning says.

    A label that is one of the entities comes first: so the text was said to be about it. A first line that is
    written like a title, or marked as one, gives itself. Otherwise the text may open with a name: "Blind Shaft
    is …", "Ada fixed …". The name is also given without what follows a comma and without a form of address,
    where the text names it so. A speaker ("Ada: …") is not what a turn is about.
    """
    known = {entity.key: entity.name for entity in entities}
    given = (label,) if label is not None and normalize_name(label) in known else ()
    return _distinct(*given, *_opened(content[:_READ], known))


def _opened(content: str, known: Mapping[str, str]) -> Sequence[str]:
    title = _title(content)
    if title is not None:
        return (title, *(name for name in _shorter(title) if normalize_name(name) in known))
    body = _unnumbered(content)
    if _SPEAKER.match(body):
        return ()
    start = _ARTICLE.match(body)
    body = body[start.end() :] if start else body
    if (opening := _OPENING.match(body)) and _is_title(opening[1]) and not is_stop_word(opening[1].split()[0]):
        name = opening[1].strip(" ,\"'")
        if normalize_name(name) in known or (" " in name and len(name) <= MAX_NAME):
            return (name, *(each for each in _shorter(name) if normalize_name(each) in known))
    opens = (name for name in known.values() if body.startswith(name) and not body[len(name) :][:1].isalnum())
    first = max(opens, key=len, default=None)
    return () if first is None else (first,)


def _title(content: str) -> str | None:
    """Return the title in the first line, without its marker, its article and a closing aside in brackets."""
    marker = _MARKER.match(content)
    line, _, rest = content[marker.end() if marker else 0 :].lstrip().partition("\n")
    line = line.strip().strip("*").strip()
    body = _unnumbered(rest)
    if not body or not 0 < len(line.split()) <= MAX_WORDS or len(line) > 2 * MAX_NAME:
        return None
    title = _ASIDE.sub("", line) or line
    marked = marker is not None or body.startswith(title)
    if line[-1] in ".!?:;," and not (marked and line[-1] == "."):
        return None
    if not marked and not _is_title(title):
        return None
    bare = " ".join((title[start.end() :] if (start := _ARTICLE.match(title)) else title).split())
    return bare if len(bare) <= MAX_NAME and bare.isprintable() else None


def _unnumbered(text: str) -> str:
    number = _NUMBER.match(text)
    return text[number.end() :] if number else text


def _is_title(text: str) -> bool:
    parts = re.findall(r"[^\W_][^\s,]*", text)
    if not parts or not (parts[0][0].isupper() or parts[0][0].isdigit()) or len(parts) > MAX_WORDS:
        return False
    small = STOP_WORDS | words.CONNECTORS
    if not all(part[0].isupper() or part[0].isdigit() or part.casefold() in small for part in parts):
        return False
    return not all(part.casefold() in STOP_WORDS for part in parts)


def _distinct(*names: str) -> tuple[str, ...]:
    keys = {normalize_name(name): name for name in reversed(names)}
    return tuple(name for key, name in reversed(keys.items()) if len(key) > 1 or not key.isascii())


def _shorter(name: str) -> list[str]:
    """Return a name without what follows a comma, and both without a form of address."""
    found = []
    for each in (name, name.partition(",")[0].strip()):
        found.append(each)
        address, _, rest = each.partition(" ")
        if rest and address.casefold().rstrip(".") in words.TITLES:
            found.append(rest)
    return found
