# SPDX-License-Identifier: Apache-2.0
"""What a question asks for, before the store is asked anything."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo

from ..domain.temporal.text import find_times
from ..domain.text import is_stop_word, normalize_name, query_terms
from ..domain.time import Interval
from ..encode.extract import query_cues

MAX_WINDOWS = 4

MAX_SPAN = 9
"""Words of a name."""

MAX_WORDS = 40
"""Words of a question in which names are looked for."""

MAX_SPANS = 96
"""Stretches that may be names, the shortest ones."""

_WORD = re.compile(r"[^\W_]+(?:[-_.'’](?!s\b)[^\W_]+)*")

_JOINTS = frozenset(("a", "an", "the", "and", "or", "of"))
"""Words that are within names at most: what a memory is about is kept without its article."""

_WHEN = re.compile(
    r"\W*(?:when|since when|how long ago|(?:(?:on|in|at) )?(?:what|which) (?:date|day|month|year|time))\b",
    re.IGNORECASE,
)

_PLURAL = r"(?!(?:i|wa|doe|ha|hi|it|thi)s\b)[\w+-]*[a-z](?<![siu])s(?:'|\b(?!'))"

_SEVERAL = re.compile(
    r"\W*(?:(?:[aio]n|at|from|to|for|with|by|of) )?(?:"
    r"(?:what|which) (?:kind|type|sort)s? of\b"
    rf"|(?:what|which) +(?:(?!\w*s\b)[\w'+-]+ +){{0,2}}{_PLURAL}"
    r"|(?:what|where|who|whom|(?:what|which) \w+) (?:has|have)\b"
    r"|how many\b|list\b|name\b"
    r"|.*\bboth\b)",
    re.IGNORECASE,
)

GENERIC = frozenset(
    query_terms("happen happened occur occurred do did go went anything something everything event news")
)
"""Words that ask for whatever there was, not for a topic."""

_COMING = frozenset(query_terms("plan planned scheduled booked arranged due coming upcoming come up ahead expected"))
"""Words that beside a time ask for whatever is to be then."""


@dataclass(frozen=True, slots=True)
class Span:
    """Words of a question that may be a name: from where to where, and normalised."""

    start: int
    end: int
    key: str

    def covers(self, other: Span) -> bool:
        """Say whether another lies within this one and is shorter."""
        inside = self.start <= other.start and other.end <= self.end
        return inside and self.end - self.start > other.end - other.start


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A question, read: its search terms (with the words they stand for), possible names and times.

    ``hints`` are cue names that somebody else has read out of it. ``topical`` is false when it asks for nothing
    but a time ("what happened yesterday?"); ``asks_when`` is true when a time is what it asks for,
    ``asks_several`` when it is things that may be told in several places.
    """

    query: str
    terms: tuple[str, ...]
    words: Mapping[str, str]
    hints: tuple[str, ...]
    spans: tuple[Span, ...]
    windows: tuple[Interval, ...]
    topical: bool
    asks_when: bool
    asks_several: bool

    @property
    def cues(self) -> tuple[str, ...]:
        """The cue names it may mean, read when asked for: most questions are answered without."""
        return tuple(dict.fromkeys((*query_cues(self.query), *self.hints)))

    def names(self, speaker: str) -> bool:
        """Say whether the question names somebody, by the whole name or one word of it."""
        name = normalize_name(speaker)
        asked = {span.key for span in self.spans}
        return name in asked or not asked.isdisjoint(name.split())


def plan(query: str, *, now: datetime, zone: tzinfo, cues: tuple[str, ...] = ()) -> Plan:
    """Read a question. ``cues`` are names that somebody else has read out of it."""
    mentions = find_times(query, anchor=now, zone=zone)
    words: dict[str, str] = {}
    for word in query.split():
        for term in query_terms(word):
            words.setdefault(term, word.strip(".,;:!?\"'()[]"))
    rest = query
    for mention in reversed(mentions):
        rest = f"{rest[: mention.start]} {rest[mention.end :]}"
    return Plan(
        query=query,
        terms=query_terms(query),
        words=words,
        hints=cues,
        spans=name_spans(query),
        windows=tuple(mention.interval for mention in mentions[:MAX_WINDOWS]),
        topical=not mentions or bool(set(query_terms(rest)) - GENERIC - _COMING),
        asks_when=_WHEN.match(query) is not None,
        asks_several=_SEVERAL.match(query) is not None,
    )


def name_spans(query: str) -> tuple[Span, ...]:
    """Return the stretches of up to ``MAX_SPAN`` words that may be a name, the longest first.

    A name begins and ends with a word that is no stop word and that begins, if any such word of the question
    does, with a capital or a digit. Then a stop word with a capital will do too, unless it opens the question:
    "Once a Gentleman" is a name, though neither "Once" nor "Who" is one.
    """
    found = list(_WORD.finditer(query))[:MAX_WORDS]
    telling = [not is_stop_word(word[0]) for word in found]
    raised = [word[0][0].isupper() or word[0][0].isdigit() for word in found]
    if any(up and tells for up, tells in zip(raised, telling, strict=True)):
        edges = [
            up and (tells or (at > 0 and word[0].lower() not in _JOINTS))
            for at, (word, up, tells) in enumerate(zip(found, raised, telling, strict=True))
        ]
    else:
        edges = telling
    spans = []
    for size in range(MAX_SPAN, 0, -1):
        for at in range(len(found) - size + 1):
            last = at + size - 1
            if edges[at] and edges[last] and any(telling[at : last + 1]):
                start, end = found[at].start(), found[last].end()
                spans.append(Span(start, end, normalize_name(query[start:end])))
    return tuple(spans[-MAX_SPANS:])
