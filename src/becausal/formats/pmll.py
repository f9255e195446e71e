# SPDX-License-Identifier: Apache-2.0
"""pmll-memory-mcp's graph: nodes and edges of sessions, in its SQLite file or as its JSON export.

A node becomes a memory of its type, under its label and in its session; an edge an association of two.
Nothing is written to the database or beside it: where a log stands next to it, a copy of both is read.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from .decoding import from_iso, from_seconds, read_text
from .items import Bond, History, Item, Refused, Text

TYPES = ("concept", "file", "symbol", "note")
TABLES = ("nodes", "edges")
_NAMES: Mapping[str, tuple[str, ...]] = {  # what the fields have been called
    "source": ("source", "source_id", "from"),
    "target": ("target", "target_id", "to"),
    "type": ("type", "node_type"),
    "last_accessed": ("last_accessed", "lastAccessed", "last_accessed_at"),
    "access_count": ("access_count", "accessCount"),
    "created_at": ("created_at", "createdAt"),
}


def is_graph(path: Path) -> bool:
    """Tell whether a SQLite file has the tables of such a graph.

    Raises:
        sqlite3.Error: it cannot be read.
    """
    with _opened(path) as db:
        keys = [
            [name for (name,) in db.execute("SELECT name FROM pragma_table_info(?) WHERE pk ORDER BY pk", (table,))]
            for table in TABLES
        ]
    return keys == [["session_id", "id"]] * 2


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    log = path.with_name(f"{path.name}-wal")
    if not log.is_file() or not log.stat().st_size:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as db:
            yield db
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "graph.db"
        shutil.copyfile(path, copy)
        shutil.copyfile(log, copy.with_name(f"{copy.name}-wal"))
        with closing(sqlite3.connect(copy)) as db:
            yield db


def read_database(path: Path, name: str) -> Iterator[Item]:
    """Read the SQLite file."""
    try:
        with _opened(path) as db:
            db.row_factory = sqlite3.Row
            for table, read in (("nodes", _node), ("edges", _edge)):
                for row in db.execute(f"SELECT * FROM {table} ORDER BY rowid"):
                    yield read(dict(zip(row.keys(), row, strict=True)), name)
    except sqlite3.Error as error:
        yield Refused(where=name, why=f"the database cannot be read any further ({error})")


def read_export(path: Path, name: str) -> Iterator[Item]:
    """Read the JSON export: nodes and edges by id, of one session or by session."""
    try:
        data = json.loads(read_text(path))
    except InvalidInput as error:
        yield Refused(where=name, why=error.problem)
        return
    except (ValueError, RecursionError) as error:
        yield Refused(where=name, why=f"it is not JSON ({error})")
        return
    graphs: dict[str, Any] = {"": data} if isinstance(data, dict) and "nodes" in data else data
    if not isinstance(graphs, dict) or not all(isinstance(each, dict) and "nodes" in each for each in graphs.values()):
        yield Refused(where=name, why="it holds no nodes")
        return
    for session, graph in graphs.items():
        for part, read in (("nodes", _node), ("edges", _edge)):
            if not isinstance(graph.get(part), dict | list | None):
                within = f"{name}, session '{session}'" if session else name
                yield Refused(where=within, why=f"{part}: must be an object or a list")
            for id, fields in _items(graph.get(part)):
                if isinstance(fields, dict):
                    yield read({"session_id": session or graph.get("session_id"), "id": id, **fields}, name)
                else:
                    yield Refused(where=f"{name}, {part} '{id}'", why="it is not an object")


def _items(value: object) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [(str(id), each) for id, each in value.items()]
    if isinstance(value, list):
        return [(str(each.get("id", at)) if isinstance(each, dict) else str(at), each) for at, each in enumerate(value)]
    return []


def _node(fields: Mapping[str, Any], name: str) -> Item:
    where = f"{name}, node '{fields.get('id')}'"
    kind = _first(fields, "type")
    about = _json(fields.get("metadata"))
    if kind not in TYPES:
        about = {**about, "type": str(kind)}
    session = _text(fields.get("session_id"))
    count = _first(fields, "access_count")
    return Text(
        where=where,
        content=fields.get("content") or fields.get("label"),
        label=_text(fields.get("label")),
        source="pmll-memory-mcp",
        session=session,
        metadata={str(key): value for key, value in about.items()},
        given={"node_type": kind if kind in TYPES else "concept"},
        key=f"{session}/{fields.get('id')}",
        history=History(
            created_at=_time(_first(fields, "created_at")),
            last_accessed_at=_time(_first(fields, "last_accessed")),
            access_count=count if isinstance(count, int) and count > 0 else 0,
        ),
    )


def _edge(fields: Mapping[str, Any], name: str) -> Item:
    where = f"{name}, edge '{fields.get('id')}'"
    source, target, relation = _first(fields, "source"), _first(fields, "target"), _text(fields.get("relation"))
    if source is None or target is None or relation is None:
        return Refused(where=where, why="the edge lacks its source, its target or its relation")
    session = _text(fields.get("session_id"))
    weight = fields.get("weight")
    return Bond(
        where=where,
        source=f"{session}/{source}",
        target=f"{session}/{target}",
        relation=relation,
        strength=float(weight) if isinstance(weight, int | float) and not isinstance(weight, bool) else 1.0,
        created_at=_time(_first(fields, "created_at")),
        metadata=_json(fields.get("metadata")),
    )


def _first(fields: Mapping[str, Any], name: str) -> Any:
    return next((fields[key] for key in _NAMES[name] if fields.get(key) is not None), None)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _time(value: object) -> Any:
    return from_iso(value) or from_seconds(value)


def _json(value: object) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {"metadata": value}
    return value if isinstance(value, dict) else {}
