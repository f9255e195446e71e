# SPDX-License-Identifier: Apache-2.0
"""Mending a file that nobody has open: what can be read stays or is copied over, what cannot is set aside.

Nothing is thrown away. A row that cannot be read goes to the table ``quarantine`` as it was; a file whose
pages are damaged is kept under another name, and what could be read of it is copied to a new one.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from heapq import heappop, heappush
from pathlib import Path
from typing import Any

from ...domain.records import Kind
from ...errors import StoreBusy, StoreUnavailable
from ...ports.batch import Ref
from ...ports.store import Mended
from ..migrations import migrate
from ..paths import private_file
from . import schema
from .connections import Connections
from .damage import LINK, TABLES, shown_id, unreadable
from .errors import is_busy
from .listed import list_items, wrong_list_items
from .sql import quoted, quoted_list
from .transaction import Transaction
from .vectors import start_epoch

COPIED = (*(kind.value for kind in Kind), LINK, "doc", "vector", "token")
"""Tables with row ids, whose rows are copied one by one where a file is damaged."""

_QUARANTINE = (
    "CREATE TABLE IF NOT EXISTS quarantine (kind TEXT NOT NULL, id TEXT NOT NULL, problem TEXT NOT NULL, "
    "columns TEXT NOT NULL, row BLOB NOT NULL, at TEXT NOT NULL) STRICT"
)
READ_FROM_TEXTS = frozenset((*(kind.value for kind in Kind if kind not in (Kind.ENGRAM, Kind.CHANGE)), LINK))
"""Those of them that are read from what is told."""

_ROWS = 200
_LAST = 1 << 62  # more than any row id
_IN_VAIN = 4096
PARTS = ("", "-wal", "-shm")
"""What the name of a memory's file ends in, and of the files beside it."""


def mend_file(path: Path, timeout: float) -> Mended:
    """Mend the memory in a file.

    Raises:
        StoreError: it is open elsewhere, or the disk does not allow it.
    """
    done: list[str] = []
    torn = False
    if not _is_whole(path):
        told, torn = _rescue(path, timeout)
        done.append(told)
    connections = Connections(path, timeout)
    try:
        migrate(schema.Versions(connections), schema.STEPS, f"the memory at {path}")
        with connections.writing() as db:
            done += _set_aside(db)
            done += _drop_leftovers(db)
            _count_again(db)
        with connections.reading() as db:
            return Mended(tuple(done), _without(db, "doc"), _without_vector(db), torn)
    finally:
        connections.close()


# --- the file ---


def _is_whole(path: Path) -> bool:
    """Tell whether all pages of a file can be read and its indexes agree with its tables."""
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            found = [text for (text,) in db.execute("PRAGMA integrity_check(100)")]
            if found != ["ok"] and all("index" in text for text in found):
                db.execute("REINDEX")
                found = [text for (text,) in db.execute("PRAGMA integrity_check(1)")]
            return found == ["ok"]
    except sqlite3.DatabaseError:
        return False


def _rescue(path: Path, timeout: float) -> tuple[str, bool]:
    """Copy what can be read to a new file, and keep the damaged one under another name.

    Returns what was done, and whether anything was lost that had been read from texts.
    """
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    kept = path.with_name(f"{path.name}.damaged-{stamp}")
    fresh = path.with_name(f"{path.name}.rescued")
    _remove(fresh)
    private_file(fresh)
    connections = Connections(fresh, timeout)
    try:
        migrate(schema.Versions(connections), schema.STEPS, f"the memory at {fresh}")
        with closing(sqlite3.connect(path, timeout=timeout, isolation_level=None)) as old:
            _keep_others_out(old, path)
            copied = 0
            damaged: list[str] = []
            with suppress(sqlite3.DatabaseError):
                old.execute("PRAGMA writable_schema = ON")  # a damaged schema is read as far as it goes
            with connections.writing() as db:
                for table in COPIED:
                    more, whole = _copy(old, db, table)
                    copied += more
                    damaged += [] if whole else [table]
                _copy_meta(old, db)
                _index_again(db)
    except BaseException:
        connections.close()
        _remove(fresh)
        raise
    connections.close()
    try:
        for suffix in PARTS:
            if (part := _beside(path, suffix)).exists():
                os.replace(part, _beside(kept, suffix))
        os.replace(fresh, path)
    except OSError as error:
        raise StoreUnavailable(f"the mended file cannot be put in the place of {path}: {error.strerror}") from error
    lost = f"; what is lost is of {', '.join(damaged)}" if damaged else ""
    told = f"the file was damaged: {copied:,} rows were read from it and copied{lost}; it is kept as {kept}"
    return told, not READ_FROM_TEXTS.isdisjoint(damaged)


def _keep_others_out(db: sqlite3.Connection, path: Path) -> None:
    """Take a file for this program alone, as far as what is left of it lets that be found out."""
    try:
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
        db.execute("BEGIN EXCLUSIVE")
        db.execute("COMMIT")
    except sqlite3.DatabaseError as error:
        if is_busy(error):
            raise StoreBusy(f"the memory at {path} is open elsewhere: end the other programs, then mend it") from None


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _remove(path: Path) -> None:
    for suffix in PARTS:
        _beside(path, suffix).unlink(missing_ok=True)


def _copy(old: sqlite3.Connection, db: sqlite3.Connection, table: str) -> tuple[int, bool]:
    """Copy the rows of a table that can be read; return how many those are, and whether it could be read throughout."""
    columns = [name for _, name, *_ in db.execute(f"PRAGMA table_info({quoted(table)})")]
    there: set[str] = set()
    with suppress(sqlite3.DatabaseError):
        there = {name for _, name, *_ in old.execute(f"PRAGMA table_info({quoted(table)})")}
    shared = [name for name in columns if name in there]
    if not shared:
        return 0, False
    insert = f"INSERT OR IGNORE INTO {quoted(table)} ({quoted_list(shared)}) VALUES ({', '.join('?' * len(shared))})"
    copied = 0
    gaps: list[tuple[int, int]] = []
    for rows in _readable_rows(old, table, shared, gaps):
        for row in rows:
            with suppress(sqlite3.IntegrityError):  # what a damaged page holds may be anything
                copied += db.execute(insert, row).rowcount
    return copied, not gaps


def _readable_rows(
    old: sqlite3.Connection, table: str, columns: Sequence[str], unread: list[tuple[int, int]]
) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the rows of a table around its damaged pages, and add the gaps that are left to ``unread``.

    A gap is halved, the widest first, until nothing was found in so many that it is not worth it.
    """
    old.text_factory = lambda data: data.decode("utf-8", "replace")
    select = f"SELECT rowid, {quoted_list(columns)} FROM {quoted(table)} WHERE rowid > ? AND rowid <= ?"
    gaps = [(-_LAST, -1, _LAST)]
    in_vain = 0
    while gaps:
        _, low, high = heappop(gaps)
        while True:
            try:
                rows = old.execute(f"{select} ORDER BY rowid LIMIT {_ROWS}", (low, high)).fetchall()
            except sqlite3.DatabaseError:
                in_vain += 1
                break
            in_vain = 0
            if not rows:
                low = high
                break
            yield [row[1:] for row in rows]
            low = rows[-1][0]
        if low >= high:
            continue
        if high == _LAST:
            high = max(low + 1, _last_rowid(old, table, low))
        if high - low <= 1 or in_vain > _IN_VAIN:
            unread.append((low, high))
            continue
        middle = low + (high - low) // 2
        for one, other in ((low, middle), (middle, high)):
            heappush(gaps, (one - other, one, other))


def _last_rowid(old: sqlite3.Connection, table: str, low: int) -> int:
    """Return the greatest row id that there may be."""
    try:
        (last,) = old.execute(f"SELECT max(rowid) FROM {quoted(table)}").fetchone()
        return max(low, last or low)
    except sqlite3.DatabaseError:
        return low + 1_000_000


def _copy_meta(old: sqlite3.Connection, db: sqlite3.Connection) -> None:
    with suppress(sqlite3.DatabaseError):
        for key, value in old.execute("SELECT key, value FROM meta"):
            if key != "schema_version":
                db.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, value))


def _index_again(db: sqlite3.Connection) -> None:
    """Fill what is made from the rows: the text index, and the table of list items."""
    db.execute("INSERT INTO fulltext (fulltext) VALUES ('delete-all')")
    db.execute("INSERT INTO fulltext (rowid, terms) SELECT number, terms FROM doc ORDER BY number")
    db.execute("DELETE FROM member")
    for table, field, items in list_items():
        db.execute(
            f"INSERT OR IGNORE INTO member (kind, field, value, id) SELECT ?, ?, value, id FROM ({items})",
            (table, field),
        )


# --- its rows ---


def _set_aside(db: sqlite3.Connection) -> list[str]:
    """Move rows that cannot be read to the quarantine; return what was moved."""
    done = []
    for table, codec in TABLES.items():
        found = list(unreadable(db, table))
        if not found:
            continue
        db.execute(_QUARANTINE)
        for id, problem, raw in found:
            text = b"\x1f".join(value if isinstance(value, bytes) else str(value).encode() for value in raw)
            db.execute(
                "INSERT INTO quarantine (kind, id, problem, columns, row, at) VALUES (?, ?, ?, ?, ?, ?)",
                (table, id, problem, ",".join(codec.names), text, datetime.now(UTC).isoformat()),
            )
            db.execute(f"DELETE FROM {quoted(table)} WHERE id = ? OR id = CAST(? AS TEXT)", (id, raw[0]))
            done.append(f"{table} '{shown_id(raw[0])}' cannot be read and was set aside: {problem}")
    return done


def _drop_leftovers(db: sqlite3.Connection) -> list[str]:
    """Delete what belongs to records that are not there, and index again if anything was."""
    done = []
    anywhere = " UNION ALL ".join(f"SELECT id FROM {kind.value}" for kind in Kind)

    def drop(what: str, sql: str, *params: object) -> None:
        if gone := db.execute(f"DELETE FROM {sql}", params).rowcount:
            done.append(f"{gone:,} {what} were dropped")

    drop("passages without their memory", "passage WHERE engram_id NOT IN (SELECT id FROM engram)")
    drop("links to what is not there", f"link WHERE src NOT IN ({anywhere}) OR dst NOT IN ({anywhere})")
    told = "EXISTS (SELECT 1 FROM json_each(sources) WHERE value IN (SELECT id FROM engram))"
    drop("links that no memory tells any more", f"link WHERE sources <> '[]' AND NOT asserted AND NOT {told}")
    for kind in Kind:
        absent = f"id NOT IN (SELECT id FROM {kind.value})"
        drop(f"texts of no {kind.value}", f"doc WHERE kind = ? AND {absent}", kind.value)
        drop(f"token vectors of no {kind.value}", f"token WHERE kind = ? AND {absent}", kind.value)
        drop(f"list items of no {kind.value}", f"member WHERE kind = ? AND {absent}", kind.value)
        named = "(kind = ? OR kind LIKE ? || '@%')"
        drop(f"vectors of no {kind.value}", f"vector WHERE {named} AND {absent}", kind.value, kind.value)
    listed = [problem for kind in Kind for problem in wrong_list_items(db, kind)]
    if done or listed or not _text_index_agrees(db):
        _index_again(db)
        start_epoch(Transaction(db))
        done += ["the table of list items was made again"] if listed else []
        done.append("the text index was made again")
    return done


def _text_index_agrees(db: sqlite3.Connection) -> bool:
    try:
        indexed = db.execute("SELECT (SELECT count(*) FROM fulltext_docsize), (SELECT sum(cnt) FROM vocabulary)")
        kept = db.execute("SELECT count(*), sum(length) FROM doc")
        if indexed.fetchone() != kept.fetchone():
            return False
        db.execute("INSERT INTO fulltext (fulltext) VALUES ('integrity-check')")
    except sqlite3.DatabaseError:
        return False
    return True


def _count_again(db: sqlite3.Connection) -> None:
    db.execute("DELETE FROM tally")
    for kind in Kind:
        db.execute(f"INSERT INTO tally (name, n) SELECT ?, count(*) FROM {kind.value}", (kind.value,))
    db.execute("INSERT INTO tally (name, n) SELECT 'link:' || kind, count(*) FROM link GROUP BY kind")
    db.execute("INSERT INTO tally (name, n) SELECT 'documents:' || kind, count(*) FROM doc GROUP BY kind")
    db.execute("INSERT INTO tally (name, n) SELECT 'length:' || kind, sum(length) FROM doc GROUP BY kind")


def _without(db: sqlite3.Connection, table: str) -> tuple[Ref, ...]:
    """Return the records that have no row in a table of what is made from them."""
    return tuple(
        Ref(kind, id)
        for kind in Kind
        if kind is not Kind.CHANGE
        for (id,) in db.execute(
            f"SELECT id FROM {kind.value} WHERE id NOT IN (SELECT id FROM {table} WHERE kind = ?)", (kind.value,)
        )
    )


def _without_vector(db: sqlite3.Connection) -> tuple[str, ...]:
    """Return the indexed engrams that have no vector."""
    rows = db.execute(
        "SELECT id FROM engram WHERE indexed_at IS NOT NULL "
        "AND id NOT IN (SELECT id FROM vector WHERE kind = 'engram' AND data IS NOT NULL)"
    )
    return tuple(id for (id,) in rows)
