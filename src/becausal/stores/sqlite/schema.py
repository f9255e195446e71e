# SPDX-License-Identifier: Apache-2.0
"""The tables. One per kind of record with a column per field, and what is shared by all kinds.

``doc`` holds what the text index holds, since the index keeps no text of its own and must be told exactly
what to forget. ``vector`` keeps a row for what was taken away as well, so that the sequence numbers tell a
reader everything that has changed since it last looked. ``tally`` holds counts, kept in step by each write.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing

from ...domain.records import Kind
from ...errors import SchemaTooNew, StoreUnavailable
from ..codec import CODECS, LINK_CODEC
from ..columns import Column, Form
from ..migrations import Step
from .connections import Connections
from .sql import quoted
from .tokens import add_tokens

_TYPES = {Form.TEXT: "TEXT", Form.CHOICE: "TEXT", Form.TUPLE: "TEXT", Form.MAPPING: "TEXT", Form.REAL: "REAL"}
_LONG = ("summary", "description", "evidence", "sources", "properties", "told", "metadata", "inverse", "content")

_PUNCTUATION = "".join(chr(code) for code in range(0x21, 0x7F) if not chr(code).isalnum())

_INDEXES = {
    "engram": (
        "(source, created_at, id)",
        "(session, created_at, id) WHERE session IS NOT NULL",
        "(label) WHERE label IS NOT NULL",
        "(memory_type, created_at, id)",
        # What a time line is read from: whether a row fits is seen without the row.
        '("at", id, occurred_at, occurred_end, archived_at)',
        "(last_accessed_at, id)",
        "(created_at, id)",
        "(created_at, id) WHERE indexed_at IS NULL",
        "(id) WHERE indexed_at IS NULL",
        '(memory_type, "at", id) WHERE occurred_at IS NULL',
        "(cluster_id, importance, id)",
        "(archived_at) WHERE archived_at IS NOT NULL",
    ),
    "passage": ("(engram_id, position)",),
    "cue": ("(name)", "(created_at, id)"),
    "entity": ('("key")', "(created_at, id)"),
    "event": ("(occurred_at, id)", "(occurred_end, id)"),
    "fact": ("(subject, predicate)", "(valid_from, id)"),
    "cause": ('("key")', "(created_at, id)"),
    "change": ("(created_at, id)", "(expires_at, id)"),
    "link": ("(src, kind, strength)", "(dst, kind, strength)"),
}


def _column(column: Column) -> str:
    null = "" if column.nullable else " NOT NULL"
    key = " PRIMARY KEY" if column.name == "id" else ""
    return f"{quoted(column.name)} {_TYPES.get(column.form, 'INTEGER')}{null}{key}"


def _table(name: str, columns: tuple[Column, ...]) -> str:
    # Long values go last: SQLite follows a long row page by page to reach what stands behind them.
    ordered = sorted(columns, key=lambda column: _LONG.index(column.name) if column.name in _LONG else -1)
    return f"CREATE TABLE {quoted(name)} ({', '.join(map(_column, ordered))}) STRICT"


def _indexes() -> list[str]:
    return [
        f"CREATE INDEX IF NOT EXISTS {quoted(f'{table}_{number}')} ON {quoted(table)} {index}"
        for table, indexes in _INDEXES.items()
        for number, index in enumerate(indexes, 1)
    ]


def _first(db: sqlite3.Connection) -> None:
    # This makes the columns that the records have today, so a later step that adds one must first look for it.
    tokenizer = f"ascii tokenchars '{_PUNCTUATION.replace(chr(39), chr(39) * 2)}'".replace('"', '""')
    statements = [
        *(_table(kind.value, CODECS[kind].columns) for kind in Kind),
        _table("link", LINK_CODEC.columns),
        *_indexes(),
        "CREATE UNIQUE INDEX engram_content_hash ON engram (content_hash) WHERE content_hash IS NOT NULL",
        # one row per item of a tuple field of a record
        "CREATE TABLE member (kind TEXT NOT NULL, field TEXT NOT NULL, value TEXT NOT NULL, id TEXT NOT NULL, "
        "PRIMARY KEY (kind, field, value, id)) STRICT, WITHOUT ROWID",
        "CREATE INDEX member_id ON member (id)",
        "CREATE TABLE doc (number INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, "
        "length INTEGER NOT NULL, terms TEXT NOT NULL, UNIQUE (kind, id)) STRICT",
        f"CREATE VIRTUAL TABLE fulltext USING fts5(terms, content='', tokenize=\"{tokenizer}\")",
        "CREATE VIRTUAL TABLE vocabulary USING fts5vocab(fulltext, row)",
        "CREATE TABLE vector (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, data BLOB, "
        "UNIQUE (kind, id)) STRICT",
        "CREATE TABLE claim (kind TEXT NOT NULL, id TEXT NOT NULL, holder TEXT NOT NULL, expires REAL NOT NULL, "
        "PRIMARY KEY (kind, id)) STRICT, WITHOUT ROWID",
        "CREATE INDEX claim_expires ON claim (expires)",
        "CREATE TABLE tally (name TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT, WITHOUT ROWID",
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
    ]
    for statement in statements:
        db.execute(statement)


def _index_for_pages(db: sqlite3.Connection) -> None:
    # Pages of records by time, and clusters, used to be chosen from all that there is.
    db.execute("DROP INDEX IF EXISTS engram_5")
    _add_indexes(db)


def _add_indexes(db: sqlite3.Connection) -> None:
    for statement in _indexes():
        db.execute(statement)


STEPS: tuple[Step[sqlite3.Connection], ...] = (
    Step(1, "records, links, text index, vectors, claims", _first),
    Step(2, "token vectors", add_tokens),
    Step(3, "indexes for pages", _index_for_pages),
    Step(4, "an index of what is archived", _add_indexes),
)


def schema_version(db: sqlite3.Connection) -> int:
    """Return the schema version of a file, 0 if it holds nothing yet."""
    with closing(db.execute("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'meta'")) as found:
        if found.fetchone() is None:
            return 0
    row = db.execute("SELECT value FROM meta WHERE key = 'schema_version'").fetchone()
    return int(row[0]) if row else 0


def must_be_current(db: sqlite3.Connection, where: str) -> None:
    """Refuse to write to a file that a newer program has changed since it was opened.

    Raises:
        SchemaTooNew: it has.
    """
    row = db.execute("SELECT value FROM meta WHERE key = 'schema_version'").fetchone()
    if row is not None and int(row[0]) > len(STEPS):
        raise SchemaTooNew(f"{where} was taken over by a newer becausal while it was open: start that one instead")


def advance(db: sqlite3.Connection, step: Step[sqlite3.Connection]) -> None:
    """Take one step inside an open transaction, unless somebody else has taken it."""
    if schema_version(db) < step.version:
        step.apply(db)
        db.execute(
            "INSERT INTO meta (key, value) VALUES ('schema_version', ?) "
            "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (str(step.version),),
        )


class Versions:
    """The schema version of an open file, for ``migrate``."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def schema_version(self) -> int:
        connections = self._connections
        with connections.reading() if connections.read_only else connections.exclusive() as db:
            return schema_version(db)

    def advance(self, step: Step[sqlite3.Connection]) -> None:
        if self._connections.read_only:
            raise StoreUnavailable(
                f"the memory at {self._connections.path} is of an older version and read-only here: "
                "open it once where it can be written to"
            )
        with self._connections.writing() as db:
            advance(db, step)
