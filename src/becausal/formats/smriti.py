# SPDX-License-Identifier: Apache-2.0
"""smriti-mcp's memory: engrams, the cues that encode them and their associations, in any of its databases.

An engram becomes a memory with its history of use, a cue a name under which it is found, an association one of
two memories with its strength. Times without a zone are local ones, as smriti-mcp keeps them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from ..domain.records import CueType, LinkKind, MemoryType
from ..errors import InvalidInput
from .databases import Database, Edge, Node
from .decoding import from_seconds
from .items import Bond, History, Item, Moment, Name, Passed, Refused, Text, Tie

LABELS = ("Engram", "Cue")
SOURCE = "smriti-mcp"

ENCODED, ASSOCIATED, OCCURS = "encodedby", "associatedwith", "cooccurs"


def read_graph(database: Database, name: str) -> Iterator[Item]:
    """Read engrams, then the cues that lead to one, then what links them."""
    engrams: set[str] = set()
    for node in database.nodes(LABELS[:1]):
        if "content_hash" in node.fields:
            raise InvalidInput("source", "holds a memory of becausal, not of smriti-mcp: export it, and import that")
        engrams.add(node.key)
        yield from _engram(node, name)
    # The ends of a link may be of either kind: cues that lead to nothing are of no use.
    used = {
        key
        for edge in database.edges(LABELS)
        if _kind(edge) == ENCODED and engrams & {edge.source, edge.target}
        for key in (edge.source, edge.target)
    }
    for node in database.nodes(LABELS[1:]):
        yield _cue(node, name) if node.key in used else Passed(why="cues that lead to no memory")
    for edge in database.edges(LABELS):
        yield _link(edge, name, engrams)


def _engram(node: Node, name: str) -> Iterator[Item]:
    fields = node.fields
    where = f"{name}, engram '{fields.get('id', node.key)}'"
    given: dict[str, Any] = {}
    if (importance := _number(fields.get("importance"))) is not None:
        if not 0 <= importance <= 1:
            yield Passed(why="importances beyond 0 … 1, which were taken as the nearest of those")
        given["importance"] = min(1.0, max(0.0, importance))
    if fields.get("memory_type") in set(MemoryType):
        given["memory_type"] = fields["memory_type"]
    elif fields.get("memory_type"):
        yield Passed(why="types of memory that are not known")
    if fields.get("embedding") is not None:
        yield Passed(why="vectors of another model, which are made anew")
    count, decay = _number(fields.get("access_count")), _number(fields.get("decay_factor"))
    yield Text(
        where=where,
        content=fields.get("content"),
        source=_text(fields.get("source")) or SOURCE,
        tags=_tags(fields.get("tags")),
        given=given,
        key=node.key,
        history=History(
            created_at=time_of(fields.get("created_at")),
            last_accessed_at=time_of(fields.get("last_accessed_at")),
            access_count=max(0, int(count or 0)),
            decay_factor=min(1.0, max(0.0, 1.0 if decay is None else decay)),
            summary=_text(fields.get("summary")),
        ),
    )


def _cue(node: Node, name: str) -> Item:
    fields = node.fields
    where = f"{name}, cue '{fields.get('id', node.key)}'"
    called, kind = _text(fields.get("name")), fields.get("cue_type")
    if called is None:
        return Refused(where=where, why="the cue has no name")
    return Name(
        where=where,
        key=node.key,
        name=called,
        cue_type=CueType(kind) if kind in set(CueType) else CueType.KEYWORD,
    )


def _link(edge: Edge, name: str, engrams: set[str]) -> Item:
    where = f"{name}, {edge.kind} '{edge.key}'"
    kind, strength = _kind(edge), _number(edge.fields.get("strength"))
    made = time_of(edge.fields.get("created_at"))
    strength = 1.0 if strength is None else strength
    if kind == ASSOCIATED:
        return Bond(
            where=where,
            source=edge.source,
            target=edge.target,
            relation=_text(edge.fields.get("relation_type")) or "semantic",
            strength=strength,
            created_at=made,
        )
    if kind == ENCODED:
        ends = (edge.source, edge.target) if edge.source in engrams else (edge.target, edge.source)
        return Tie(
            where=where,
            kind=LinkKind.ENCODED_BY,
            source=ends[0],
            target=ends[1],
            strength=strength,
            created_at=made,
        )
    if kind == OCCURS:
        weight = _number(edge.fields.get("weight"))
        return Tie(
            where=where,
            kind=LinkKind.CO_OCCURS,
            source=edge.source,
            target=edge.target,
            strength=1.0 if weight is None else weight,
            created_at=made,
        )
    return Refused(where=where, why="a relationship of this kind is not known")


def _kind(edge: Edge) -> str:
    return edge.kind.replace("_", "").lower()


def time_of(value: object) -> Moment:
    """Return a time however a database has it: its own type, text, or a number since 1970."""
    if isinstance(value, datetime) or (isinstance(value, str) and value.strip()):
        return value
    number = _number(value)
    if number is None:
        return None
    while abs(number) > 1e14:  # micro- or nanoseconds
        number /= 1000
    return from_seconds(number)


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _tags(value: object) -> tuple[str, ...]:
    parts = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else ()
    return tuple(part.strip() for part in map(str, parts) if part.strip())


def is_graph(labels: frozenset[str] | Mapping[str, object]) -> bool:
    """Tell whether a database with these labels is such a memory."""
    return LABELS[0] in labels
