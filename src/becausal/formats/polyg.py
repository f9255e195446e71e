# SPDX-License-Identifier: Apache-2.0
"""polyg-mcp's graph in FalkorDB: entities, events, facts, concepts and causes, and the links between them.

An event that involves no entity is what ``remember`` or the reading of a document has left: it becomes a memory, at
the time that it has. Everything else becomes what it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..domain.records import Json, LinkKind
from .databases import Database, Edge, Node
from .items import Assertion, Concept, Happening, History, Item, Passed, Reason, Refused, Text, Thing, Tie
from .smriti import time_of

SOURCE = "polyg-mcp"
LONGEST = 8_000
"""Characters that an event may have."""

_LINKS: Mapping[str, LinkKind] = {
    "E_RELATES": LinkKind.E_RELATES,
    "C_CAUSES": LinkKind.C_CAUSES,
    "X_REPRESENTS": LinkKind.X_REPRESENTS,
    "X_INVOLVES": LinkKind.X_INVOLVES,
    "X_AFFECTS": LinkKind.X_AFFECTS,
    "X_REFERS_TO": LinkKind.X_REFERS_TO,
    "FOLLOWS": LinkKind.FOLLOWS,
}


def read_graph(database: Database, name: str) -> Iterator[Item]:
    """Read the nodes, each label's, then the links."""
    involving = {edge.source for edge in database.edges(LABELS) if edge.kind == "X_INVOLVES"}
    times: dict[str, str] = {}
    for node in database.nodes(LABELS):
        label = next(each for each in _NODES if each in node.labels)
        if label == "T_Event":
            times[node.key] = str(node.fields.get("occurred_at") or "")
            plain = node.key not in involving or len(str(node.fields.get("description"))) > LONGEST
            yield (_remembered if plain else _event)(node, _where(node, name, "event"))
        else:
            what, read = _NODES[label]
            if label == "S_Concept" and node.fields.get("embedding") is not None:
                yield Passed(why="vectors of another model, which are made anew")
            yield read(node, _where(node, name, what))
    causing: list[Tie] = []
    for edge in database.edges(LABELS):
        item = _link(edge, name, times)
        if isinstance(item, Tie) and item.kind is LinkKind.C_CAUSES:
            causing.append(item)
        else:
            yield item
    # Of several that join what turns out to be the same two, the surest is the one that is kept.
    yield from sorted(causing, key=lambda tie: -tie.confidence)


def _where(node: Node, name: str, what: str) -> str:
    return f"{name}, {what} '{node.fields.get('uuid', node.key)}'"


def _entity(node: Node, where: str) -> Item:
    called, kind = _text(node, "name"), _text(node, "entity_type")
    if called is None:
        return Refused(where=where, why="the entity has no name")
    return Thing(
        where=where,
        name=called,
        entity_type=kind or "thing",
        properties=_properties(node.fields.get("properties")),
        created_at=time_of(node.fields.get("created_at")),
        key=node.key,
    )


def _remembered(node: Node, where: str) -> Item:
    when = time_of(node.fields.get("occurred_at"))
    duration = node.fields.get("duration")
    return Text(
        where=where,
        content=node.fields.get("description"),
        source=SOURCE,
        occurred_at=when,
        metadata={} if duration is None else {"duration": str(duration)},
        key=node.key,
        history=History(created_at=time_of(node.fields.get("created_at")) or when),
    )


def _event(node: Node, where: str) -> Item:
    duration = node.fields.get("duration")
    return Happening(
        where=where,
        key=node.key,
        description=node.fields.get("description") or "",
        occurred_at=time_of(node.fields.get("occurred_at")),
        duration=None if duration is None else str(duration),
        created_at=time_of(node.fields.get("created_at")),
    )


def _fact(node: Node, where: str) -> Item:
    parts = [_text(node, part) for part in ("subject", "predicate", "object")]
    if None in parts:
        return Refused(where=where, why="the fact lacks its subject, predicate or object")
    subject, predicate, object = map(str, parts)
    return Assertion(
        where=where,
        key=node.key,
        subject=subject,
        predicate=predicate,
        object=object,
        valid_from=time_of(node.fields.get("valid_from")),
        valid_to=time_of(node.fields.get("valid_to")),
        created_at=time_of(node.fields.get("created_at")),
    )


def _concept(node: Node, where: str) -> Item:
    called = _text(node, "name")
    if called is None:
        return Refused(where=where, why="the concept has no name")
    return Concept(
        where=where,
        key=node.key,
        name=called,
        description=_text(node, "description"),
        created_at=time_of(node.fields.get("created_at")),
    )


def _cause(node: Node, where: str) -> Item:
    told = _text(node, "description")
    if told is None:
        return Refused(where=where, why="the cause has no description")
    return Reason(
        where=where,
        key=node.key,
        description=told,
        node_type=_text(node, "node_type") or "event",
        created_at=time_of(node.fields.get("created_at")),
    )


_NODES: Mapping[str, tuple[str, Callable[[Node, str], Item]]] = {
    "E_Entity": ("entity", _entity),
    "T_Event": ("event", _event),
    "T_Fact": ("fact", _fact),
    "S_Concept": ("concept", _concept),
    "C_Node": ("cause", _cause),
}
LABELS = tuple(_NODES)


def _link(edge: Edge, name: str, times: Mapping[str, str]) -> Item:
    where = f"{name}, {edge.kind} '{edge.key}'"
    kind = _LINKS.get(edge.kind)
    if kind is None:
        return Refused(where=where, why="a relationship of this kind is not known")
    source, target = edge.source, edge.target
    if kind is LinkKind.X_REFERS_TO and target in times:  # here it leads from the event to the cause
        source, target = target, source
    if kind is LinkKind.FOLLOWS and times.get(source, "") < times.get(target, ""):  # from the later to the earlier
        source, target = target, source
    sure = edge.fields.get("confidence")
    told = edge.fields.get("evidence")
    return Tie(
        where=where,
        kind=kind,
        source=source,
        target=target,
        relation=str(edge.fields.get("relationship_type") or "related to") if kind is LinkKind.E_RELATES else "",
        confidence=float(sure) if isinstance(sure, int | float) and not isinstance(sure, bool) else 1.0,
        evidence=told if isinstance(told, str) and told.strip() else None,
        created_at=time_of(edge.fields.get("created_at")),
    )


def _text(node: Node, name: str) -> str | None:
    value: Any = node.fields.get(name)
    return value if isinstance(value, str) and value.strip() else None


def _properties(value: object) -> dict[str, Json]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {"properties": str(value)}
    return {str(key): each for key, each in value.items()} if isinstance(value, dict) else {}


def is_graph(labels: frozenset[str]) -> bool:
    """Tell whether a graph with these labels is polyg-mcp's."""
    return not labels.isdisjoint(LABELS)
