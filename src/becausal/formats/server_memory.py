# SPDX-License-Identifier: Apache-2.0
"""The knowledge graph of the MCP reference server "memory": JSON lines of entities, observations and relations.

Each observation becomes a memory under the entity's name; entities and relations are stated as such.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .decoding import read_json_lines
from .items import Item, Refused, Relation, Text, Thing

UNTYPED = "thing"


def read_graph(path: Path, name: str) -> Iterator[Item]:
    """Read ``memory.json`` (or ``memory.jsonl``), from any version of the server."""
    for where, data in read_json_lines(path, name):
        if isinstance(data, Refused):
            yield data
        elif isinstance(data, dict) and isinstance(data.get("entities"), list):  # the whole graph as one object
            for each in data["entities"]:
                yield from _entity(each, where, name)
            for each in data.get("relations") or ():
                yield _relation(each, where)
        elif isinstance(data, dict) and data.get("type") == "relation":
            yield _relation(data, where)
        elif isinstance(data, dict) and data.get("type") == "entity":
            yield from _entity(data, where, name)
        else:
            yield Refused(where=where, why="it is neither an entity nor a relation")


def _entity(data: Any, where: str, name: str) -> Iterator[Item]:
    called = data.get("name") if isinstance(data, dict) else None
    if not isinstance(called, str) or not called.strip():
        yield Refused(where=where, why="the entity has no name")
        return
    kind = data.get("entityType")
    kind = kind if isinstance(kind, str) and kind.strip() else UNTYPED
    yield Thing(where=where, name=called, entity_type=kind)
    observations = data.get("observations")
    for observation in observations if isinstance(observations, list) else ():
        # Some versions keep an observation with its time.
        told = observation if isinstance(observation, dict) else {"content": observation}
        when = told.get("timestamp") or told.get("createdAt")
        yield Text(
            where=f"{where}, '{called}'",
            content=told.get("content"),
            label=called,
            source=name,
            occurred_at=when if isinstance(when, str) else None,
            given={"entities": [{"name": called, "type": kind}]},
        )


def _relation(data: Any, where: str) -> Item:
    ends = [data.get(key) if isinstance(data, dict) else None for key in ("from", "relationType", "to")]
    if not all(isinstance(each, str) and each.strip() for each in ends):
        return Refused(where=where, why="the relation lacks from, to or relationType")
    source, relation, target = map(str, ends)
    return Relation(where=where, source=source, relation=relation, target=target, entity_type=UNTYPED)
