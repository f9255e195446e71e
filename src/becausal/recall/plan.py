# SPDX-License-Identifier: Apache-2.0
"""What a question asks for, before the store is asked anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo

from ..domain.temporal_text import find_times
from ..domain.text import query_terms
from ..domain.time import Interval
from ..encode.extract import query_cues

MAX_WINDOWS = 4

GENERIC = frozenset(
    query_terms("happen happened occur occurred do did go went anything something everything event news")
)
"""Words that ask for whatever there was, not for a topic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A question, read: its search terms (with the words they stand for), cue names and times.

    ``topical`` is false when it asks for nothing but a time ("what happened yesterday?").
    """

    query: str
    terms: tuple[str, ...]
    words: Mapping[str, str]
    cues: tuple[str, ...]
    windows: tuple[Interval, ...]
    topical: bool


def plan(query: str, *, now: datetime, zone: tzinfo) -> Plan:
    """Read a question."""
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
        cues=query_cues(query),
        windows=tuple(mention.interval for mention in mentions[:MAX_WINDOWS]),
        topical=not mentions or bool(set(query_terms(rest)) - GENERIC),
    )
