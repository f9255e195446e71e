# SPDX-License-Identifier: Apache-2.0
"""What a chat model read out of a memory: checked against the text, and kept with it as JSON.

Nothing is taken on trust. A name must stand in the text, a quote too, and a summary, a fact or a cause must mostly
consist of the text's own words, a fact of those of its quote, and deny what that denies; a cause must not be what its
quote tells the other way round. What does not is dropped and counted. Whether a sentence was understood is not known.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from datetime import datetime, tzinfo
from typing import Any, cast

from ..domain.causal.text import find_causes
from ..domain.interval import Interval
from ..domain.records import Engram, Json, MemoryType, Precision
from ..domain.temporal.text import find_times
from ..domain.text import clip, normalize_name, query_terms, terms
from ..domain.time import parse_when
from ..errors import InvalidInput

MODEL = "model"
"""Key in ``Engram.told`` of what a model read."""

FAILED = "failed"
"""Key in that of why nothing could be read."""

MOST_SURE = 0.8
"""Confidence of a causal link that a model read, at most: below what the text's own connectives give."""

USUAL = 0.6
"""Confidence where the model gave none."""

LEAST_SURE = 0.05
OWN_WORDS = 0.5
"""Share of the words of a description that must stand in the text."""

LONGEST_QUOTE = 600
LONGEST_NAME = 120
LONGEST = 400
MOST = 16
"""Items of each list that are looked at."""

MAX_CUES = 8

_NOT = re.compile(r"\b(?:not|never|no|none|nobody|nothing|neither|nor|without|cannot|hardly)\b|n['’]t\b", re.IGNORECASE)


def read_part(told: Mapping[str, Json]) -> Mapping[str, Any] | None:
    """Return what a model read out of a memory, if one did and could."""
    part = told.get(MODEL)
    return cast("Mapping[str, Any]", part) if isinstance(part, dict) and FAILED not in part else None


def check(data: Mapping[str, Json], engram: Engram, zone: tzinfo) -> dict[str, Json]:
    """Return what stands the comparison with the text of what a model gave, and how much was ``dropped``."""
    return _Check(data, engram, zone).result()


class _Check:
    """Compares what a model gave with the text."""

    def __init__(self, data: Mapping[str, Json], engram: Engram, zone: tzinfo) -> None:
        self._data = data
        self._engram = engram
        self._zone = zone
        self._content = f"{engram.label}\n{engram.content}" if engram.label else engram.content
        self._folded = " ".join(self._content.casefold().split())
        self._words = set(terms(self._content))
        self._dropped = 0

    def result(self) -> dict[str, Json]:
        entities = list(self._entities())
        names = {normalize_name(str(each["name"])) for each in entities}
        found: dict[str, Json] = {
            "cues": cast(Json, list(self._cues())),
            "entities": cast(Json, entities),
            "relations": cast(Json, list(self._relations(names))),
            "events": cast(Json, list(self._events())),
            "facts": cast(Json, list(self._facts())),
            "causes": cast(Json, list(self._causes())),
        }
        kept: dict[str, Json] = {name: items for name, items in found.items() if items}
        if summary := self._summary():
            kept["summary"] = summary
        if (kind := self._data.get("memory_type")) in tuple(MemoryType):
            kept["memory_type"] = kind
        if self._dropped:
            kept["dropped"] = self._dropped
        return kept

    # --- what is read ---

    def _summary(self) -> str | None:
        text = _line(self._data.get("summary"), LONGEST)
        return text if text and self._is_told(text) else None

    def _cues(self) -> Iterator[str]:
        given = self._data.get("cues")
        names = [normalize_name(_line(each, 60)) for each in (given if isinstance(given, list) else [])[:MOST]]
        yield from list(dict.fromkeys(name for name in names if len(name) > 1))[:MAX_CUES]

    def _entities(self) -> Iterator[dict[str, Json]]:
        seen = set()
        for item in self._items("entities"):
            name = _line(item.get("name"), LONGEST_NAME)
            if not (name and self._stands(name) and any(letter.isalnum() for letter in name)):
                self._dropped += 1
            elif (key := normalize_name(name)) not in seen:
                seen.add(key)
                yield {"name": name, "type": _line(item.get("type"), 40).lower() or "thing"}

    def _relations(self, names: set[str]) -> Iterator[dict[str, Json]]:
        for item in self._items("relations"):
            source, target = (_line(item.get(end), LONGEST_NAME) for end in ("source", "target"))
            relation = _line(item.get("relation"), 60)
            known = normalize_name(source) in names and normalize_name(target) in names
            if known and relation and normalize_name(source) != normalize_name(target):
                yield {"source": source, "relation": relation, "target": target}
            else:
                self._dropped += 1

    def _events(self) -> Iterator[dict[str, Json]]:
        anchor = self._engram.occurred_at or self._engram.at
        known = [each.start for each in find_times(self._engram.content, anchor=anchor, zone=self._zone)]
        for item in self._items("events"):
            span = self._span(item.get("quote"))
            when = re.fullmatch(r"\d{4}(-\d\d){0,2}", _line(item.get("date"), 40))
            if span is None or when is None or any(span[0] <= start < span[1] for start in known):
                self._dropped += 1  # a time that the text tells in so many words is read without a model
                continue
            try:
                interval = parse_when(when[0], field="date", zone=self._zone)
            except InvalidInput:
                self._dropped += 1
                continue
            yield {
                "description": self._engram.content[slice(*span)],
                "start": interval.start.isoformat(),
                "end": interval.end.isoformat(),
                "precision": interval.precision.value,
            }

    def _facts(self) -> Iterator[dict[str, Json]]:
        for item in self._items("facts"):
            parts = {name: _line(item.get(name), LONGEST) for name in ("subject", "predicate", "object")}
            span = self._span(item.get("quote"))
            if span is not None and all(parts.values()) and self._says(span, parts):
                yield cast("dict[str, Json]", parts)
            else:
                self._dropped += 1

    def _causes(self) -> Iterator[dict[str, Json]]:
        for item in self._items("causes"):
            cause, effect = (_line(item.get(side), LONGEST) for side in ("cause", "effect"))
            span = self._span(item.get("quote"))
            told = span is not None and cause and effect and self._is_told(cause) and self._is_told(effect)
            if span is None or not told or self._is_reversed(span, cause, effect):
                self._dropped += 1
                continue
            yield {
                "cause": cause,
                "effect": effect,
                "confidence": _sure(item.get("confidence")),
                "quote": " ".join(self._engram.content[slice(*span)].split()),
            }

    # --- against the text ---

    def _items(self, name: str) -> Iterator[Mapping[str, Any]]:
        given = self._data.get(name)
        for item in (given if isinstance(given, list) else [])[:MOST]:
            if isinstance(item, dict):
                yield item
            else:
                self._dropped += 1

    def _stands(self, text: str) -> bool:
        return " ".join(text.casefold().split()) in self._folded

    def _is_told(self, text: str) -> bool:
        words = query_terms(text) or terms(text)
        return bool(words) and sum(word in self._words for word in words) >= OWN_WORDS * len(words)

    def _says(self, span: tuple[int, int], fact: Mapping[str, str]) -> bool:
        """Whether a sentence speaks of both ends of a fact, and denies as much as the fact does."""
        quote = self._engram.content[slice(*span)]
        words = set(terms(quote))
        ends = all(
            sum(word in words for word in own) >= OWN_WORDS * len(own)
            for own in (query_terms(fact[end]) or terms(fact[end]) for end in ("subject", "object"))
        )
        return ends and bool(_NOT.search(quote)) is any(map(_NOT.search, fact.values()))

    def _is_reversed(self, span: tuple[int, int], cause: str, effect: str) -> bool:
        """Whether a sentence, by its own connective, tells the opposite: that the effect led to the cause."""
        one, other = set(terms(cause)), set(terms(effect))
        for link in find_causes(self._engram.content[slice(*span)]):
            first, last = set(terms(link.cause.text if link.cause else "")), set(terms(link.effect.text))
            if len(first & other) + len(last & one) > len(first & one) + len(last & other):
                return True
        return False

    def _span(self, quote: object) -> tuple[int, int] | None:
        """Return where a quote stands in the text; white space, capitals and what surrounds it may differ."""
        if not isinstance(quote, str):
            return None
        words = quote.strip(" \t\r\n\"'“”„‘’«»….").split()
        if len(" ".join(words)) > LONGEST_QUOTE or sum(map(len, words)) < 4:
            return None
        found = re.search(r"\s+".join(map(re.escape, words)), self._engram.content, re.IGNORECASE)
        return found.span() if found else None


def _line(value: object, longest: int) -> str:
    """Return a text as one line without control characters; "" for what is no text."""
    if not isinstance(value, str):
        return ""
    plain = "".join(letter if letter.isprintable() else " " for letter in value)
    return clip(" ".join(plain.split()), longest)


def _sure(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return USUAL
    return round(max(LEAST_SURE, min(float(value), 1.0)) * MOST_SURE, 4)


_MEMBERS: Mapping[str, tuple[str, ...]] = {
    "entities": ("name", "type"),
    "relations": ("source", "relation", "target"),
    "events": ("description", "start", "end", "precision"),
    "facts": ("subject", "predicate", "object"),
    "causes": ("cause", "effect", "quote"),
}


def sound(part: object) -> None:
    """Make sure that what a file gives as read by a model is something that ``check`` could have let pass.

    Raises:
        InvalidInput: naming what is not.
    """
    if not isinstance(part, dict):
        raise InvalidInput("told.model", "must be an object")
    for name in ("by", "version", "at", "summary", "memory_type", FAILED):
        if not isinstance(part.get(name, ""), str):
            raise InvalidInput(f"told.model.{name}", "must be text")
    if part.get("memory_type") not in (None, *MemoryType):
        raise InvalidInput("told.model.memory_type", f"must be one of {', '.join(MemoryType)}")
    for name in ("cues", *_MEMBERS):
        if not isinstance(items := part.get(name, []), list) or len(items) > MOST:
            raise InvalidInput(f"told.model.{name}", f"must be a list of at most {MOST}")
        for item in items:
            _sound_item(name, item)


def _sound_item(name: str, item: object) -> None:
    place = f"told.model.{name}"
    if name == "cues":
        if not isinstance(item, str) or not 0 < len(item) <= LONGEST_NAME:
            raise InvalidInput(place, "must hold short texts")
        return
    texts = [item.get(member) for member in _MEMBERS[name]] if isinstance(item, dict) else [None]
    if not all(isinstance(text, str) and 0 < len(text) <= 2 * LONGEST_QUOTE for text in texts):
        raise InvalidInput(place, f"must hold objects with {', '.join(_MEMBERS[name])}")
    assert isinstance(item, dict)
    if name == "events":
        try:
            start, end = (datetime.fromisoformat(item[name]) for name in ("start", "end"))
            Interval(start, end, Precision(item["precision"]))
        except (ValueError, TypeError):
            raise InvalidInput(place, "must begin before they end, in UTC, with a precision") from None
    sure = item.get("confidence", USUAL)
    if isinstance(sure, bool) or not isinstance(sure, int | float) or not 0 < sure <= MOST_SURE:
        raise InvalidInput(place, f"must have a confidence above 0, up to {MOST_SURE}")
