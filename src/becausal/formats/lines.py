# SPDX-License-Identifier: Apache-2.0
"""JSON lines with contents: each line a text, or an object with the parameters of ``Memory.store``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .decoding import from_seconds, read_json_lines
from .items import Item, Refused, Text

CONTENT = ("content", "text")
OWN = ("label", "source", "session", "tags", "occurred_at", "metadata")
GIVEN = ("importance", "memory_type", "node_type", "timezone", "pinned", "entities", "causes", "facts")


def read_contents(path: Path, name: str) -> Iterator[Item]:
    """Read a file of JSON lines."""
    for where, data in read_json_lines(path, name):
        yield data if isinstance(data, Refused) else _text(data, where, name)


def _text(data: object, where: str, name: str) -> Item:
    if isinstance(data, str):
        return Text(where=where, content=data, source=name)
    if not isinstance(data, dict):
        return Refused(where=where, why="it is neither a text nor an object")
    content = next((data[key] for key in CONTENT if key in data), None)
    if content is None:
        return Refused(where=where, why="it has no content")
    known = {*CONTENT, *OWN, *GIVEN}
    if stray := sorted(key for key in data if key not in known):
        return Refused(where=where, why=f"it has fields that mean nothing here: {', '.join(stray)[:200]}")
    given: dict[str, Any] = {key: data[key] for key in GIVEN if data.get(key) is not None}
    own: dict[str, Any] = {key: data[key] for key in OWN if data.get(key) is not None}
    if isinstance(own.get("occurred_at"), int | float):
        own["occurred_at"] = from_seconds(own["occurred_at"])
    return Text(where=where, content=content, **{"source": name, **own}, given=given)
