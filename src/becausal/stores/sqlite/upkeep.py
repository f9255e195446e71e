# SPDX-License-Identifier: Apache-2.0
"""Scrubbing what was deleted out of the files, and verifying that all parts of a memory agree."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator

from ...domain.records import Kind
from ...errors import StoreCorrupt
from ...ports.batch import Space
from ..paths import copies_beside
from .connections import Connections
from .damage import TABLES, survey
from .listed import wrong_list_items
from .transaction import Transaction
from .vectors import space_name, start_epoch

_MOST_PROBLEMS = 20
_PAGES = 64  # of the text index, merged at a time: a few milliseconds


def erase_traces(connections: Connections) -> tuple[str, ...]:
    """See ``GraphStore.erase_traces``."""
    with connections.writing() as db:
        tx = Transaction(db)
        # The text index marks what it deletes and drops it when parts are merged, which may be never.
        db.execute("INSERT INTO fulltext (fulltext) VALUES ('delete-all')")
        db.execute("INSERT INTO fulltext (rowid, terms) SELECT number, terms FROM doc ORDER BY number")
        if db.execute("DELETE FROM vector WHERE data IS NULL").rowcount:
            start_epoch(tx)
        db.execute("DELETE FROM tally WHERE n = 0")
        db.execute("DELETE FROM claim WHERE expires <= ?", (time.time(),))
    with connections.exclusive() as db:
        db.execute("VACUUM")
        busy, _, _ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        aside = _set_aside(db)
    path = connections.path
    remains = [f"{path}-wal: another process is reading the memory; erase again when it is done"] if busy else []
    remains += (
        [f"{path}: {aside:,} of its rows, which could not be read, are kept in its table 'quarantine'"] if aside else []
    )
    return (*remains, *copies_beside(path))


def _set_aside(db: sqlite3.Connection) -> int:
    if not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'quarantine'").fetchone():
        return 0
    return int(db.execute("SELECT count(*) FROM quarantine").fetchone()[0])


def tend_indexes(connections: Connections) -> bool:
    """See ``GraphStore.tend``: parts of the text index are merged, some pages at a time.

    There is no other index to look after: an exact scan of the vectors is faster than an index up to the sizes
    that fit into one file.
    """
    with connections.writing() as db:
        before = db.total_changes
        db.execute("INSERT INTO fulltext (fulltext, rank) VALUES ('merge', ?)", (_PAGES,))
        return db.total_changes - before >= 2  # SQLite's own sign that there was anything to merge


def find_problems(connections: Connections) -> tuple[str, ...]:
    """See ``GraphStore.check``."""
    problems: list[str] = []
    try:
        with connections.reading() as db:
            problems += (text for (text,) in db.execute(f"PRAGMA integrity_check({_MOST_PROBLEMS})") if text != "ok")
            if not problems:
                for table in TABLES:
                    problems += (f"{table} '{id}' cannot be read: {why}" for id, why in survey(db, table).items())
                problems += _disagreements(db)
        if not connections.read_only:
            with connections.writing() as db:
                db.execute("INSERT INTO fulltext (fulltext) VALUES ('integrity-check')")
    except StoreCorrupt as error:
        problems.append(str(error))
    return tuple(problems[:_MOST_PROBLEMS])


def _disagreements(db: sqlite3.Connection) -> Iterator[str]:
    def count(sql: str) -> int:
        return int(db.execute(f"SELECT count(*) FROM {sql}").fetchone()[0])

    anywhere = " UNION ALL ".join(f"SELECT id FROM {kind.value}" for kind in Kind)
    checks = [("passages without their engram", "passage WHERE engram_id NOT IN (SELECT id FROM engram)")]
    checks += [(f"links whose {end} does not exist", f"link WHERE {end} NOT IN ({anywhere})") for end in ("src", "dst")]
    for kind in Kind:
        orphan = f"WHERE kind = '{kind.value}' AND id NOT IN (SELECT id FROM {kind.value})"
        checks.append((f"texts of no {kind.value}", f"doc {orphan}"))
        for space in Space:
            lost = f"kind = '{space_name(kind, space)}' AND id NOT IN (SELECT id FROM {kind.value})"
            checks.append((f"vectors of no {kind.value}", f"vector WHERE {lost} AND data IS NOT NULL"))
        checks.append((f"token vectors of no {kind.value}", f"token {orphan}"))
        checks.append((f"list items of no {kind.value}", f"member {orphan}"))
    yield from (f"{n} {what}" for what, sql in checks if (n := count(sql)))
    for kind in Kind:
        yield from wrong_list_items(db, kind)
    indexed = db.execute("SELECT (SELECT count(*) FROM fulltext_docsize), (SELECT sum(cnt) FROM vocabulary)").fetchone()
    kept = db.execute("SELECT count(*), sum(length) FROM doc").fetchone()
    if indexed != kept:
        yield f"text index: holds {indexed[0]} records with {indexed[1]} terms, should be {kept[0]} with {kept[1]}"
    tally = {name: n for name, n in db.execute("SELECT name, n FROM tally") if n}
    actual = {kind.value: n for kind in Kind if (n := count(kind.value))}
    for kind, n in db.execute("SELECT kind, count(*) FROM link GROUP BY kind"):
        actual[f"link:{kind}"] = n
    for kind, n, length in db.execute("SELECT kind, count(*), sum(length) FROM doc GROUP BY kind"):
        actual |= {f"documents:{kind}": n, f"length:{kind}": length}
    for name in sorted(tally.keys() | actual.keys()):
        if tally.get(name, 0) != actual.get(name, 0):
            yield f"count of {name}: is remembered as {tally.get(name, 0)}, should be {actual.get(name, 0)}"
