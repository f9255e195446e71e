# SPDX-License-Identifier: Apache-2.0
"""A LadybugDB file, read without being written: where a log stands beside it, a copy of both is read."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..errors import InvalidInput, StoreUnavailable
from .databases import Database, Edge, Node, missing

MAGIC = b"LBUG"
OLD_MAGIC = b"KUZU"
POOL = 256 << 20
"""Bytes of the file that are held in memory."""


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """Lend the graph in a file.

    Raises:
        InvalidInput: it is no such file, an older program's, or the package is missing.
        StoreUnavailable: it cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(len(MAGIC))
    if head == OLD_MAGIC:
        raise InvalidInput("file", "was written by Kuzu: open it once with a smriti-mcp that has LadybugDB")
    if head != MAGIC:
        raise InvalidInput("file", "is no LadybugDB file")
    try:
        import ladybug
    except ImportError:
        raise missing("ladybug") from None

    with _undisturbed(path) as place:
        try:
            size = 1 << max(30, (4 * place.stat().st_size).bit_length())
            database = ladybug.Database(str(place), read_only=True, buffer_pool_size=POOL, max_db_size=size)
            try:
                connection = ladybug.Connection(database)
                try:
                    yield _Graph(connection)
                finally:
                    connection.close()
            finally:
                database.close()
        except RuntimeError as error:
            raise StoreUnavailable(f"{path} cannot be read as a LadybugDB file ({error})") from None


@contextmanager
def _undisturbed(path: Path) -> Iterator[Path]:
    """Lend a copy of a file and its log: opening the file itself might write the log into it, or take its lock."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "memory.lbug"
        log = path.with_name(f"{path.name}.wal")
        shutil.copyfile(path, copy)
        if log.is_file():
            shutil.copyfile(log, copy.with_name(f"{copy.name}.wal"))
        yield copy


class _Graph:
    """A file that is open."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._tables = {row[0]: row[1] for row in self._ask("CALL show_tables() RETURN name, type")}

    def labels(self) -> frozenset[str]:
        return frozenset(name for name, kind in self._tables.items() if kind == "NODE")

    def nodes(self, labels: Sequence[str]) -> Iterator[Node]:
        for label in sorted(self.labels().intersection(labels), key=list(labels).index):
            for (fields,) in self._ask(f"MATCH (n:{_quoted(label)}) RETURN n"):
                yield Node(key=_key(fields["_ID"]), labels=(label,), fields=_own(fields))

    def edges(self, labels: Sequence[str]) -> Iterator[Edge]:
        wanted = set(labels)
        for kind in (name for name, table in self._tables.items() if table == "REL"):
            for fields, source, target in self._ask(f"MATCH (n)-[r:{_quoted(kind)}]->(m) RETURN r, label(n), label(m)"):
                if not {source, target} <= wanted:
                    continue
                yield Edge(
                    key=_key(fields["_ID"]),
                    kind=kind,
                    source=_key(fields["_SRC"]),
                    target=_key(fields["_DST"]),
                    fields=_own(fields),
                )

    def _ask(self, query: str) -> Iterator[Any]:
        answer = self._connection.execute(query)
        try:
            while answer.has_next():
                yield answer.get_next()
        finally:
            answer.close()


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"


def _key(id: Any) -> str:
    return f"{id['table']}:{id['offset']}"


def _own(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if not name.startswith("_") and value is not None}
