# SPDX-License-Identifier: Apache-2.0
"""Scrubbing what was deleted out of the file, verifying that all parts of a memory agree, and mending it.

LadybugDB leaves what is deleted where it was in the file. So the file is written anew, without it, and the new one
takes the place of the old.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ...domain.records import Kind
from ...errors import StoreBusy, StoreCorrupt, StoreError, StoreUnavailable
from ...ports.batch import Ref, Space
from ...ports.store import Mended
from ..graphdb.tally import PENDING
from ..paths import copies_beside, private_file, private_folder
from .connection import Connection, open_database
from .database import Database, acquire, count_pending, release
from .files import FileLock, beside, file_of
from .reading import rows_of
from .scan import TABLES, survey
from .schema import CLAIM, LINK, LINK_COLUMNS, META, TERMS, bring_up, record_columns, vector_column
from .writing import create

_ROWS = 500
_MOST_PROBLEMS = 20
_PATIENCE = 10.0
"""Seconds to wait for a moment in which nobody reads."""


def erase_traces(database: Database) -> tuple[str, ...]:
    """See ``GraphStore.erase_traces``."""
    done = database.rewrite(lambda path: _copy(database, path), _PATIENCE)
    path = database.path
    remains = [] if done else [f"{path}: it is being read all the time; erase again when that has ended"]
    return (*remains, *copies_beside(path))


def _copy(database: Database, path: Path) -> None:
    """Make a new file that holds what this one does, and no claims that have run out."""
    private_file(path)
    fresh = open_database(path)
    try:
        to = Connection(fresh, path)
        bring_up(to, path)
        db, state = database.begin()
        try:
            tables = {**{kind.value: record_columns(kind) for kind in Kind}, LINK: LINK_COLUMNS}
            for table, columns in tables.items():
                ids = [id for (id,) in db.run(f"MATCH (t:{table}) RETURN t.id")]
                for start in range(0, len(ids), _ROWS):
                    _put(to, table, columns, rows_of(db, table, ids[start : start + _ROWS], columns))
            _put(to, META, ("key", "value"), db.run(f"MATCH (t:{META}) RETURN t.key, t.value"))
            claims = ("key", "kind", "id", "holder", "expires")
            live = f"MATCH (t:{CLAIM}) WHERE t.expires > $now RETURN t.key, t.kind, t.id, t.holder, t.expires"
            _put(to, CLAIM, claims, db.run(live, now=time.time()))
        finally:
            database.end(db, state)
        to.run("CHECKPOINT")
        to.close()
    finally:
        fresh.close()
    for left in beside(path):
        left.unlink(missing_ok=True)


def _put(to: Connection, table: str, columns: tuple[str, ...], rows: list[list[Any]]) -> None:
    create(to, table, columns, [dict(zip(columns, row, strict=True)) for row in rows])


# --- looking it over ----------------------------------------------------------------------------


def find_problems(database: Database) -> tuple[str, ...]:
    """See ``GraphStore.check``."""
    with database.gate:
        links = len(list(database.links()))
        db, state = database.begin()
    try:
        problems = [
            f"{table} '{id}' cannot be read: {why}" for table in TABLES for id, why in survey(db, table).items()
        ]
        problems += _disagreements(db)
        stored = {kind.value: db.run(f"MATCH (t:{kind.value}) RETURN count(*)")[0][0] for kind in Kind}
        stored |= {f"link:{kind}": n for kind, n in db.run(f"MATCH (t:{LINK}) RETURN t.kind, count(*)")}
        stored[PENDING] = count_pending(db)
        known = {name: n for name, n in state.tally.items() if (n and ":" not in name) or name.startswith("link:")}
        for name in sorted(stored.keys() | known.keys()):
            if stored.get(name, 0) != known.get(name, 0):
                problems.append(f"count of {name}: is known as {known.get(name, 0)}, should be {stored.get(name, 0)}")
        if (n := sum(n for name, n in stored.items() if name.startswith("link:"))) != links:
            problems.append(f"links: {links} are known, should be {n}")
    except StoreCorrupt as error:
        problems = [str(error)]
    finally:
        database.end(db, state)
    return tuple(problems[:_MOST_PROBLEMS])


def _disagreements(db: Connection) -> Iterator[str]:
    lost = _lost_passages(db)
    if lost:
        yield f"{len(lost)} passages without their engram"
    if loose := _loose_links(db):
        yield f"{len(loose)} links to what does not exist"
    for kind in Kind:
        for space in Space:
            column = f"t.`{vector_column(space)}`"
            sizes = db.run(f"MATCH (t:{kind.value}) WHERE octet_length({column}) % 4 <> 0 RETURN count(*)")
            if sizes[0][0]:
                yield f"{sizes[0][0]} vectors of a {kind.value} that are no whole numbers of floats"


def _lost_passages(db: Connection) -> list[str]:
    engrams = {id for (id,) in db.run("MATCH (t:engram) RETURN t.id")}
    return [id for id, of in db.run("MATCH (t:passage) RETURN t.id, t.engram_id") if of not in engrams]


def _loose_links(db: Connection) -> list[str]:
    there = {kind.value: {id for (id,) in db.run(f"MATCH (t:{kind.value}) RETURN t.id")} for kind in Kind}
    rows = db.run(f"MATCH (t:{LINK}) RETURN t.id, t.src, t.src_kind, t.dst, t.dst_kind")
    return [id for id, src, of, dst, to in rows if src not in there.get(of, ()) or dst not in there.get(to, ())]


# --- mending it ---------------------------------------------------------------------------------


def mend_file(location: Path, user: str, wait: float) -> Mended:
    """Mend the memory of a user: what cannot be read is set aside and kept, what belongs to nothing goes.

    Raises:
        StoreBusy: it is open somewhere.
        StoreError: it cannot be mended, or there is none.
    """
    path = file_of(private_folder(location, user))
    if not path.is_file():
        raise StoreUnavailable(f"there is no memory at {path}")
    done: list[str] = []
    try:
        database = acquire(path, wait=wait)
    except StoreBusy:
        raise
    except StoreCorrupt as error:
        done += _without_log(path, wait, error)
        database = acquire(path, wait=wait)
    try:
        if database.users > 1:
            raise StoreBusy(f"the memory at {path} is open in this process: close it, then mend it")
        with database.exclusive() as db:
            for table in TABLES:
                done += _set_aside(db, path, table)
            for table, ids, what in (
                (Kind.PASSAGE.value, _lost_passages(db), "passages without their memory"),
                (LINK, _loose_links(db), "links to what is not there"),
            ):
                if ids:
                    db.run(f"UNWIND $ids AS i MATCH (t:{table} {{id: i}}) DELETE t", ids=ids)
                    done.append(f"{len(ids):,} {what} were dropped")
            unlisted = tuple(
                Ref(kind, id)
                for kind in Kind
                if kind is not Kind.CHANGE
                for (id,) in db.run(f"MATCH (t:{kind.value}) WHERE t.`{TERMS}` IS NULL RETURN t.id")
            )
            vector = f"t.`{vector_column(Space.MODEL)}`"
            rows = db.run(f"MATCH (t:engram) WHERE t.indexed_at IS NOT NULL AND {vector} IS NULL RETURN t.id")
            return Mended(tuple(done), unlisted, tuple(id for (id,) in rows))
    except StoreCorrupt as error:
        raise _beyond_mending(path) from error
    finally:
        release(database)


def _beyond_mending(path: Path) -> StoreCorrupt:
    return StoreCorrupt(
        f"the file {path} is damaged where LadybugDB cannot read past it, so it is left as it is: restore the memory "
        "from a backup ('becausal restore'), or move the file away and import an export"
    )


def _without_log(path: Path, wait: float, error: StoreError) -> list[str]:
    """Open a file whose log is damaged with as much of the log as can be read.

    Raises:
        StoreCorrupt: it is the file itself that is damaged.
    """
    log_file = path.with_name(f"{path.name}.wal")
    if not log_file.exists():
        raise _beyond_mending(path) from error
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    lock = FileLock(path, wait)
    try:
        kept = [part.with_name(f"{part.name}.damaged-{stamp}") for part in (path, log_file)]
        for part, copy in zip((path, log_file), kept, strict=True):
            private_file(copy)
            copy.write_bytes(part.read_bytes())
        database = open_database(path, whole_log=False)
        try:
            db = Connection(database, path)
            db.run("CHECKPOINT")
            db.close()
        finally:
            database.close()
    finally:
        lock.release()
    return [f"the log was damaged: it was read as far as it goes, and is kept as {kept[1]}, with the file beside it"]


def _set_aside(db: Connection, path: Path, table: str) -> list[str]:
    """Move nodes that cannot be read to a file beside the database."""
    found = survey(db, table)
    if not found:
        return []
    codec = TABLES[table]
    kept = path.with_name(f"{path.name}.quarantine.jsonl")
    private_file(kept)
    with kept.open("a", encoding="utf-8") as stream:
        for row in rows_of(db, table, found, codec.names):
            fields = dict(zip(codec.names, row, strict=True))
            stream.write(json.dumps({"kind": table, "problem": found[row[0]], "row": fields}) + "\n")
        stream.flush()
        os.fsync(stream.fileno())
    db.run(f"UNWIND $ids AS i MATCH (t:{table} {{id: i}}) DELETE t", ids=list(found))
    return [f"{table} '{id}' cannot be read and was set aside in {kept.name}: {why}" for id, why in found.items()]


# --- one in the place of another ----------------------------------------------------------------


def swap_file(*, location: Path, user: str, side: Path) -> Path | None:
    """Put the memory of ``user`` below ``side`` in the place of the one below ``location``.

    Returns where the old one is kept now, ``None`` if there was none. Both lie on one file system.

    Raises:
        StoreBusy: a program has the old one open; nothing was changed.
        StoreUnavailable: the file system refuses; nothing was changed.
    """
    old, new = (file_of(private_folder(place, user)) for place in (location, side))
    release(acquire(new, wait=0.0))  # opening and closing it leaves nothing beside it
    lock = FileLock(old, wait=2.0)
    try:
        if not old.exists():
            os.replace(new, old)
            return None
        if any(part.exists() for part in beside(old)):
            lock.release()
            release(acquire(old, wait=2.0))
            lock = FileLock(old, wait=2.0)
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
        kept = old.with_name(f"{old.name}.before-{stamp}")
        os.link(old, kept)
        os.replace(new, old)
    except OSError as error:
        raise StoreUnavailable(f"{old} cannot be replaced: {error.strerror}") from error
    finally:
        lock.release()
    return kept
