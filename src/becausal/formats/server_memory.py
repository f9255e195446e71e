# SPDX-License-Identifier: Apache-2.0
"""The knowledge graph of the MCP reference server "memory": JSON lines of entities, observations and relations.

Each observation becomes a memory under the entity's name; entities and relations are stated as such.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .decoding import from_seconds, read_json_lines
from .items import Item, Refused, Relation, Text, Thing

UNTYPED = "thing"
_PARTS = frozenset(("entities", "relations"))
_TIMES = ("timestamp", "createdAt")


def read_graph(path: Path, name: str) -> Iterator[Item]:
    """Read ``memory.json`` (or ``memory.jsonl``), from any version of the server."""
    for where, data in read_json_lines(path, name):
        if isinstance(data, Refused):
            yield data
        elif isinstance(data, dict) and data.get("type") == "relation":
            yield _relation(data, where)
        elif isinstance(data, dict) and data.get("type") == "entity":
            yield from _entity(data, where, name)
        elif isinstance(data, dict) and _PARTS & data.keys():  # the whole graph as one object
            for part in sorted(_PARTS & data.keys()):
                if not isinstance(data[part], list | None):
                    yield Refused(where=where, why=f"{part}: must be a list")
                    continue
                for number, each in enumerate(data[part] or (), 1):
                    at = f"{where}, {part} {number}"
                    if part == "entities":
                        yield from _entity(each, at, name)
                    else:
                        yield _relation(each, at)
        else:
            yield Refused(where=where, why="it is neither an entity nor a relation")


def _entity(data: Any, where: str, name: str) -> Iterator[Item]:
    called = data.get("name") if isinstance(data, dict) else None
    if not isinstance(called, str) or not called.strip():
        yield Refused(where=where, why="the entity has no name")
        return
    at = f"{where}, '{called}'"
    kind = data.get("entityType")
    observations = data.get("observations")
    if not isinstance(kind, str | None):
        yield Refused(where=at, why="entityType: must be text")
        return
    if not isinstance(observations, list | None):
        yield Refused(where=at, why="observations: must be a list")
        return
    kind = kind if kind and kind.strip() else UNTYPED
    yield Thing(where=where, name=called, entity_type=kind)
    for observation in observations or ():
        # Some versions keep an observation with its time.
        told = observation if isinstance(observation, dict) else {"content": observation}
        when = next((told[key] for key in _TIMES if told.get(key) not in (None, "")), None)
        time = when if isinstance(when, str) else from_seconds(when)
        if when is not None and time is None:
            yield Refused(where=at, why="the time of an observation must be text, or seconds since 1970")
            continue
        yield Text(
            where=at,
            content=told.get("content"),
            label=called,
            source=name,
            occurred_at=time,
            given={"entities": [{"name": called, "type": kind}]},
        )


def _relation(data: Any, where: str) -> Item:
    ends = [data.get(key) if isinstance(data, dict) else None for key in ("from", "relationType", "to")]
    if not all(isinstance(each, str) and each.strip() for each in ends):
        return Refused(where=where, why="the relation lacks from, to or relationType")
    source, relation, target = map(str, ends)
    return Relation(where=where, source=source, relation=relation, target=target, entity_type=UNTYPED)
