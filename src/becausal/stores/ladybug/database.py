# SPDX-License-Identifier: Apache-2.0
"""A database that is open in this process: one for each path, shared by all handles on it.

LadybugDB takes one writing transaction at a time and refuses a second: here it waits. What is kept in memory
beside the file changes in the same moment in which a transaction is committed, and readers begin theirs outside
of that moment, so that both always show the same state.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...domain.records import Kind, LinkKind
from ...errors import StoreBusy, StoreError, StoreUnavailable
from ...ports.batch import Space
from ...ports.store import Edge
from ..graphdb.tally import PENDING
from ..matrix import Matrix
from .adjacency import Adjacency, Change, Entry
from .connection import LARGEST, POOL, Connection, open_database
from .files import FileLock, beside
from .postings import Postings
from .schema import CLAIM, LINK, META, NUMBER, TERMS, bring_up, returned

if TYPE_CHECKING:
    from ...ports.models import Vector

log = logging.getLogger("becausal.store")

CHECKPOINT_AT = 16 << 20
"""Bytes of the log from which on it is brought into the file after a write."""

_PAUSE = 0.02  # seconds between looks for a moment in which nobody reads
_LOGGED = 4096  # changes of vectors that are remembered for the matrices
_LINK_FIELDS = (NUMBER, "id", "src", "dst", "kind", "relation_type", "strength", "asserted", "src_kind", "dst_kind")


@dataclass(frozen=True, slots=True)
class State:
    """What a transaction sees, as far as it is kept in memory. ``seq`` and ``epoch`` are those of the vectors."""

    revision: int = 0
    seq: int = 0
    epoch: int = 0
    meta: Mapping[str, str] = field(default_factory=dict)
    tally: Mapping[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Applied:
    """What a transaction has changed, to be known in memory once it is committed."""

    tally: Mapping[str, int] = field(default_factory=dict)
    meta: Mapping[str, str | None] = field(default_factory=dict)
    links: Sequence[Change] = ()
    terms: Mapping[Kind, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    vectors: Sequence[tuple[Kind, Space, str, Vector | None]] = ()
    claims: Mapping[tuple[str, str], tuple[str, float] | None] = field(default_factory=dict)
    hashes: Mapping[str, str | None] = field(default_factory=dict)  # None: nobody's any more
    new_dimension: bool = False


def count_pending(db: Connection) -> int:
    """Return how many engrams are not indexed yet, by looking at each."""
    return int(db.run("MATCH (t:engram) WHERE t.indexed_at IS NULL RETURN count(*)")[0][0])


class Memory:
    """What is kept in memory beside a file. Everything but ``state`` is only touched under the gate."""

    def __init__(self, db: Connection) -> None:
        meta = dict(map(tuple, db.run(f"MATCH (m:{META}) RETURN m.key, m.value")))
        tally = {kind.value: db.run(f"MATCH (t:{kind.value}) RETURN count(*)")[0][0] for kind in Kind}
        tally |= {f"link:{kind}": n for kind, n in db.run(f"MATCH (l:{LINK}) RETURN l.kind, count(*)")}
        tally[PENDING] = count_pending(db)
        self.state = State(meta=meta, tally=tally)
        self.claims = {
            (kind, id): (holder, expires)
            for kind, id, holder, expires in db.run(f"MATCH (c:{CLAIM}) RETURN c.kind, c.id, c.holder, c.expires")
        }
        self.links: Adjacency | None = None
        self.texts: dict[Kind, Postings] = {}
        self.hashes: dict[str, str] | None = None
        self.matrices: dict[tuple[Kind, Space], Matrix] = defaultdict(Matrix)
        self.vectors: list[tuple[int, Kind, Space, str, Vector | None]] = []

    def apply(self, done: Applied, oldest: int) -> None:
        """Follow a transaction that is being committed; no reader's began before the revision ``oldest``."""
        revision = self.state.revision + 1
        tally = Counter(self.state.tally)
        tally.update(done.tally)
        meta = {key: value for key, value in {**self.state.meta, **done.meta}.items() if value is not None}
        epoch = self.state.epoch + done.new_dimension
        if self.links is not None:
            self.links.apply(done.links, revision, oldest)
        for kind, terms in done.terms.items():
            if kind in self.texts:
                self.texts[kind].apply(terms.items(), revision, oldest)
        if self.hashes is not None:
            for hash, id in done.hashes.items():
                if id is None:
                    self.hashes.pop(hash, None)
                else:
                    self.hashes[hash] = id
        for key, claim in done.claims.items():
            if claim is None:
                self.claims.pop(key, None)
            else:
                self.claims[key] = claim
        if len(self.vectors) + len(done.vectors) > _LOGGED:
            self.vectors = []  # a matrix that reads the old one goes on doing so
            epoch += 1
        else:
            self.vectors += [(revision, *change) for change in done.vectors]
        seq = revision if done.vectors else self.state.seq
        self.state = State(revision, seq, epoch, meta, dict(tally))


class Database:
    """An open file. ``acquire`` and ``release`` count who uses it."""

    def __init__(self, path: Path, wait: float, read_only: bool, pool: int, largest: int) -> None:
        self.path = path
        self.read_only = read_only
        self.users = 0
        self._options = {"read_only": read_only, "pool": pool, "largest": largest}
        self._lock = None if read_only else FileLock(path, wait)
        self._writing = threading.Lock()
        self.gate = threading.RLock()
        self._wait = wait
        self.process = os.getpid()
        self._idle: list[Connection] = []
        self._readers: Counter[int] = Counter()  # by the revision at which they began
        self._open()

    def _open(self) -> None:
        try:
            self._database = open_database(self.path, **self._options)  # type: ignore[arg-type]
            try:
                self._writer = Connection(self._database, self.path)
                self.version = self._prepare()
                self.memory = Memory(self._writer)
            except BaseException:
                self._database.close()
                raise
        except BaseException:
            if self._lock is not None:
                self._lock.release()
            raise

    def _prepare(self) -> int:
        version = bring_up(self._writer, self.path)
        if not self.read_only:
            # What a crash has left in the log, or a step has changed, is in the file from here on.
            self._writer.run("CHECKPOINT")
            fresh = self._fresh()
            for left in (fresh, *beside(fresh)):
                left.unlink(missing_ok=True)
            with suppress(OSError):
                self.path.chmod(self.path.stat().st_mode & 0o700)
        return version

    # --- reading --------------------------------------------------------------------------------

    def begin(self) -> tuple[Connection, State]:
        """Begin a transaction for reading."""
        self.must_be_usable()
        with self.gate:
            db = self._idle.pop() if self._idle else Connection(self._database, self.path)
            db.run("BEGIN TRANSACTION READ ONLY")
            state = self.memory.state
            self._readers[state.revision] += 1
            return db, state

    def end(self, db: Connection, state: State) -> None:
        """End a transaction for reading."""
        with self.gate:
            db.roll_back()
            self._readers[state.revision] -= 1
            if not self._readers[state.revision]:
                del self._readers[state.revision]
            self._idle.append(db)

    def _oldest(self) -> int:
        return min(self._readers, default=self.memory.state.revision + 1)

    def links(self) -> Adjacency:
        """Return the links, read if they were not yet. To be called under the gate, before a transaction begins."""
        if self.memory.links is None:
            db, state = self.begin()
            try:
                self.memory.links = Adjacency(map(_entry, db.run(f"MATCH (t:{LINK}) RETURN {returned(_LINK_FIELDS)}")))
            finally:
                self.end(db, state)
        return self.memory.links

    def texts(self, kind: Kind) -> Postings:
        """Return the text index of a kind in the same way."""
        if kind not in self.memory.texts:
            db, state = self.begin()
            try:
                terms = f"t.`{TERMS}`"
                rows = db.run(f"MATCH (t:{kind.value}) WHERE {terms} IS NOT NULL RETURN t.id, {terms}")
                self.memory.texts[kind] = Postings((id, text) for id, text in rows)
            finally:
                self.end(db, state)
        return self.memory.texts[kind]

    def hashes(self) -> dict[str, str]:
        """Return which engram has which content hash, in the same way."""
        if self.memory.hashes is None:
            db, state = self.begin()
            try:
                rows = db.run("MATCH (t:engram) WHERE t.content_hash IS NOT NULL RETURN t.content_hash, t.id")
                self.memory.hashes = dict(map(tuple, rows))
            finally:
                self.end(db, state)
        return self.memory.hashes

    # --- writing --------------------------------------------------------------------------------

    @contextmanager
    def writing(self) -> Iterator[Writing]:
        """Lend the writer inside a transaction: kept when the block ends, undone when it raises.

        Raises:
            StoreBusy: somebody else wrote for longer than the time-out.
            StoreError: nothing was written.
        """
        with self.exclusive():
            writing = Writing(self._writer, self.memory)
            self._writer.run("BEGIN TRANSACTION")
            try:
                yield writing
                with self.gate:
                    self._writer.run("COMMIT")
                    self.memory.apply(writing.done, self._oldest())
            except BaseException:
                self._writer.roll_back()
                raise
            self._checkpoint_if_due()

    @contextmanager
    def exclusive(self) -> Iterator[Connection]:
        """Lend the writer outside any transaction."""
        self.must_be_usable()
        if self.read_only:
            raise StoreUnavailable(
                f"the memory at {self.path} is read-only here: it answers, "
                "but nothing can be told, changed or forgotten"
            )
        if not self._writing.acquire(timeout=30.0):
            raise StoreBusy(f"the memory at {self.path} is being written by another thread; try again when it is done")
        try:
            self.must_be_usable()
            yield self._writer
        finally:
            self._writing.release()

    def _checkpoint_if_due(self) -> None:
        log_file = self.path.with_name(f"{self.path.name}.wal")
        with suppress(OSError):
            if log_file.stat().st_size > CHECKPOINT_AT:
                self.checkpoint()

    def checkpoint(self) -> bool:
        """Bring the log into the file unless somebody is reading; return whether that was done."""
        with self.gate:
            if self._readers:
                return False
            self._writer.run("CHECKPOINT")
            return True

    def rewrite(self, make: Callable[[Path], None], patience: float) -> bool:
        """Put a file that ``make`` makes in the place of this one, in a moment in which nobody reads.

        It is read while the new one is made; nobody writes. Returns whether there was such a moment within
        ``patience`` seconds.

        Raises:
            StoreError: it cannot be made; nothing was changed.
        """
        fresh = self._fresh()
        with self.exclusive():
            try:
                fresh.unlink(missing_ok=True)
                make(fresh)
                deadline = time.monotonic() + patience
                while not (done := self._swap(fresh)) and time.monotonic() < deadline:
                    time.sleep(_PAUSE)
                return done
            finally:
                fresh.unlink(missing_ok=True)

    def _fresh(self) -> Path:
        """Return where a new file is made; a crash may leave one there."""
        return self.path.with_name(f"{self.path.name}.fresh")

    def _swap(self, fresh: Path) -> bool:
        with self.gate:
            if self._readers:
                return False
            self._writer.run("CHECKPOINT")
            self._close_database()
            try:
                os.replace(fresh, self.path)
            finally:
                self._database = open_database(self.path, **self._options)  # type: ignore[arg-type]
                self._writer = Connection(self._database, self.path)
            return True

    def must_be_usable(self) -> None:
        if not self.users:
            raise StoreUnavailable(f"the memory at {self.path} has been closed")
        if os.getpid() != self.process:
            raise StoreUnavailable(f"the memory at {self.path} was opened before this process was forked: open it anew")

    def _close_database(self) -> None:
        for db in self._idle:
            db.close()
        self._idle.clear()
        self._writer.close()
        self._database.close()

    def close(self) -> None:
        """Close the file, with everything in it and nothing beside it. Nobody uses it any more."""
        with self._writing, self.gate:
            try:
                if not self.read_only:
                    self._writer.run("CHECKPOINT")
            except StoreError as error:  # all is in the log, and is read from there
                log.warning("%s", error)
            finally:
                self._close_database()
                if self._lock is not None:
                    self._lock.release()


@dataclass(slots=True)
class Writing:
    """An open transaction for writing, and what it changes."""

    db: Connection
    memory: Memory
    done: Applied = field(default_factory=Applied)


def _entry(row: Sequence[Any]) -> Entry:
    number, id, src, dst, kind, relation_type, strength, asserted, src_kind, dst_kind = row
    edge = Edge(src, dst, LinkKind(kind), relation_type, strength, bool(asserted))
    return Entry(number, id, edge, (src_kind, dst_kind))


_open: dict[tuple[int, str], Database] = {}
_opening = threading.Lock()


def acquire(path: Path, *, wait: float, read_only: bool = False, pool: int = POOL, largest: int = LARGEST) -> Database:
    """Return the open database of a path, opened if it is not yet.

    Raises:
        StoreBusy: another process has it open.
        StoreError: it cannot be opened.
    """
    key = (os.getpid(), os.path.realpath(path))
    with _opening:
        database = _open.get(key)
        if database is None:
            database = _open[key] = Database(path, wait, read_only, pool, largest)
        database.users += 1
        return database


def release(database: Database) -> None:
    """Say that one user fewer needs it; the last one closes it."""
    with _opening:
        database.users -= 1
        if database.users or database.process != os.getpid():  # a fork's parent still has it open
            return
        _open.pop((os.getpid(), os.path.realpath(database.path)), None)
        database.close()
