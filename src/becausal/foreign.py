# SPDX-License-Identifier: Apache-2.0
"""Recognises the data of other memory systems on this machine, without touching it.

smriti-mcp keeps a LadybugDB file (before that: Kuzu) named ``memory.lbug`` for each user. pmll-memory-mcp
keeps one SQLite file with the tables ``nodes`` and ``edges``, both keyed by ``session_id`` and ``id``.
The first is judged by its bytes, among which is the name of a table if it is a memory of becausal's own, and
the second is opened as immutable, so that neither is changed nor gets a lock or a journal beside it.
"""

from __future__ import annotations

import os
import shlex
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from .engine.results import Foreign
from .stores.ladybug.files import is_foreign

_LEFT_ALONE = "It is left untouched."
_SESSION_GRAPH = "A memory graph of pmll-memory-mcp, in SQLite"
_KUZU = "A memory of smriti-mcp, in Kuzu"
_GRAPH_DATABASES = {  # by the first four bytes
    b"LBUG": "A memory of smriti-mcp, in LadybugDB",
    b"KUZU": _KUZU,
}
_SQLITE_MAGIC = b"SQLite format 3\0"


def find_foreign(
    *,
    storage: Path,
    user: str,
    home: Path,
    data_home: Path | None = None,
    pmll_graph: Path | None = None,
) -> tuple[Foreign, ...]:
    """Return what is found in the places where the other systems keep their data, each file once.

    ``data_home`` is where ``XDG_DATA_HOME`` points, ``pmll_graph`` a further place for a pmll-memory-mcp
    graph. A file that cannot be read is reported with the reason; one that is something else is not.
    """
    shared = [data_home] if data_home is not None else []
    pmll_files = [folder / "memory_graph.sqlite3" for folder in (*shared, home / ".local" / "share" / "pmll")]
    smriti_files = [folder / user / "memory.lbug" for folder in (storage, home / ".smriti")] if _is_name(user) else []
    return (
        *_recognised("smriti-mcp", smriti_files, _graph_database),
        *_recognised("pmll-memory-mcp", [pmll_graph, *pmll_files] if pmll_graph else pmll_files, _session_graph),
    )


def _is_name(user: str) -> bool:
    """Whether the user's name stays inside the folder that it is appended to."""
    return user not in {"", ".", ".."} and not set(user) & set("/\\:\0")


def _recognised(system: str, files: list[Path], look: Callable[[Path], str | None]) -> Iterator[Foreign]:
    seen: set[Path] = set()
    for file in files:
        real = Path(os.path.realpath(file))
        if real in seen or not os.path.isfile(real):
            continue
        seen.add(real)
        try:
            what = look(real)
        except (OSError, sqlite3.Error) as error:
            what = f"A file named like {system}'s, which cannot be read ({error})"
        if what is not None:
            yield Foreign(system=system, path=str(file), advice=f"{what}. {_LEFT_ALONE} {_next(what, file)}".strip())


def _next(what: str, file: Path) -> str:
    if what == _KUZU:
        return "Open it once with a smriti-mcp that keeps LadybugDB files; then it can be imported."
    return "" if "cannot be read" in what else f"To bring it in: becausal import {shlex.quote(str(file))}"


def _graph_database(file: Path) -> str | None:
    with file.open("rb") as stream:
        found = _GRAPH_DATABASES.get(stream.read(4))
    return found if is_foreign(file) else None


def _session_graph(file: Path) -> str | None:
    with file.open("rb") as stream:
        if stream.read(len(_SQLITE_MAGIC)) != _SQLITE_MAGIC:
            return None
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        for table in ("nodes", "edges"):
            key = connection.execute("SELECT name FROM pragma_table_info(?) WHERE pk ORDER BY pk", (table,)).fetchall()
            if key != [("session_id",), ("id",)]:
                return None
    return _SESSION_GRAPH
