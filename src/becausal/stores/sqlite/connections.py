# SPDX-License-Identifier: Apache-2.0
"""Connections to one file: one for writing, guarded, and as many for reading as there are readers at once.

Readers are lent for the length of one question and kept for the next, whichever thread asks it, so none
outlives its thread and ``close`` finds them all.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import TypeVar, cast

from ...errors import BecausalError, InvalidInput, StoreBusy, StoreUnavailable
from ..places import Place, place_of
from .errors import is_busy, translate
from .read_only import ReadOnlyFile

T = TypeVar("T")

OLDEST_SQLITE = (3, 40, 0)
_PAUSE = 0.02  # seconds between tries to switch a new file to write-ahead logging
_TURN = 0.002  # seconds between looks whether another process still writes
_READ_CACHE_KIB, _WRITE_CACHE_KIB = 4096, 16_384  # pages held by each connection
_LOG_PAGES = 4000  # written before the log is copied into the file: a pause for whoever writes just then
_SLOWER = "a rollback journal is used, and readers and writers wait for one another"
_ONE_MACHINE = "it should be open on one machine at a time; a local disk is the better place"


class Connections:
    """Opens, lends and closes. Transactions are the only way to reach a connection."""

    def __init__(self, path: Path, timeout: float, *, read_only: bool = False) -> None:
        """Open ``path``; wait up to ``timeout`` seconds for others' locks, now and later.

        ``read_only``: the file or its folder cannot be written to; whatever would write is an error.

        Raises:
            StoreError: it cannot be opened.
        """
        if sqlite3.sqlite_version_info < OLDEST_SQLITE:
            raise StoreUnavailable(f"SQLite {sqlite3.sqlite_version} is too old: 3.40 or newer is needed")
        self.path = path
        self.read_only = read_only
        self._timeout = timeout
        self._process = os.getpid()
        self._closed = False
        self._idle: list[sqlite3.Connection] = []
        self._lending = threading.Lock()
        self._writing = threading.Lock()
        self.pinned = Pinned()
        self._reader = ReadOnlyFile(path) if read_only else None
        self.notes: tuple[str, ...] = ()  # what a person should know about the place of the file
        self.check: Callable[[sqlite3.Connection], None] = lambda _: None  # at the beginning of every write
        self._place = place_of(path.parent)
        self._identity: tuple[int, int] | None = None
        try:
            self._main = self._connect()
            self._main.execute(f"PRAGMA cache_size = -{_WRITE_CACHE_KIB}")
        except sqlite3.Error as error:
            raise translate(error, path) from error
        # The numbers of files on other machines may change by themselves.
        self._identity = None if read_only or self._place is Place.NETWORK else _identity(path)

    def _connect(self) -> sqlite3.Connection:
        if self._reader is not None:
            return self._reader.connect(self._open)
        db = self._open(str(self.path))
        try:
            if self._place is Place.LOCAL:
                self._use_write_ahead_log(db)
            else:
                self._use_rollback_journal(db)
            db.execute("PRAGMA synchronous = FULL")
            db.execute("PRAGMA secure_delete = ON")
            db.execute(f"PRAGMA wal_autocheckpoint = {_LOG_PAGES}")
        except BaseException:
            db.close()
            raise
        return db

    def _open(self, name: str) -> sqlite3.Connection:
        """Open a file by its path, or by its URI."""
        db = sqlite3.connect(
            name,
            timeout=self._timeout,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=512,
            uri=name.startswith("file:"),
        )
        try:
            db.execute(f"PRAGMA cache_size = -{_READ_CACHE_KIB}")
        except BaseException:
            db.close()  # it would hold the file until the garbage collector comes by
            raise
        return db

    def _use_write_ahead_log(self, db: sqlite3.Connection) -> None:
        if self._switched(db, "WAL") != "wal":
            self.notes = (f"{self.path} is where write-ahead logging does not work: {_SLOWER}.",)

    def _use_rollback_journal(self, db: sqlite3.Connection) -> None:
        """Do without the log, whose shared memory no other machine sees and whose files are copied one by one."""
        self.notes = (f"{self.path.parent} is in {self._place.value}: {_SLOWER}, and {_ONE_MACHINE}.",)
        if db.execute("PRAGMA journal_mode").fetchone() != ("wal",):
            return
        # So the log of a file that has one is read without shared memory.
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
        try:
            self._switched(db, "DELETE")
        finally:
            db.execute("PRAGMA locking_mode = NORMAL")
            db.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()  # lets go of the exclusive lock

    def _switched(self, db: sqlite3.Connection, mode: str) -> str:
        """Return the journal mode after an attempt to switch to one."""
        # The switch needs the file for itself, and SQLite does not always wait for that on its own.
        deadline = time.monotonic() + self._timeout
        while True:
            try:
                (now,) = db.execute(f"PRAGMA journal_mode = {mode}").fetchone()
                return str(now)
            except sqlite3.OperationalError as error:
                if not is_busy(error) or time.monotonic() > deadline:
                    raise
                time.sleep(_PAUSE)

    def reading(self) -> Reading:
        """Lend a connection that sees one state of the memory throughout.

        Raises:
            StoreError: reading fails.
        """
        return Reading(self)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Have everything this thread reads in the block come from one connection, in one transaction.

        Raises:
            StoreError: see ``reading``.
        """
        if self.pinned.db is not None:
            yield
            return
        with Reading(self) as db:
            self.pinned.db = db
            try:
                yield
            finally:
                self.pinned.db = None
                self.pinned.seen.clear()

    def once(self, name: object, read: Callable[[], T]) -> T:
        """Return what ``read`` finds: in a snapshot, where it cannot change, found once under its name."""
        if self.pinned.db is None:
            return read()
        if name not in self.pinned.seen:
            self.pinned.seen[name] = read()
        return cast(T, self.pinned.seen[name])

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Lend the writer inside a transaction: kept when the block ends, undone when it raises.

        Raises:
            StoreBusy: somebody else wrote for longer than the time-out.
            StoreError: nothing was written.
        """
        with self.exclusive() as db:
            self._begin(db)
            try:
                self.check(db)
                yield db
                db.execute("COMMIT")
                self._must_be_there(writing=True)
            except BaseException:
                if db.in_transaction:
                    with suppress(sqlite3.Error):
                        db.execute("ROLLBACK")
                raise

    def _begin(self, db: sqlite3.Connection) -> None:
        """Wait for the writer's lock.

        SQLite itself would sleep longer each time, up to a tenth of a second, and so miss the gaps between the many
        short writes of another process.
        """
        deadline = time.monotonic() + self._timeout
        db.execute("PRAGMA busy_timeout = 0")
        try:
            while True:
                try:
                    db.execute("BEGIN IMMEDIATE")
                    return
                except sqlite3.OperationalError as error:
                    if not is_busy(error) or time.monotonic() > deadline:
                        raise
                    time.sleep(_TURN)
        finally:
            db.execute(f"PRAGMA busy_timeout = {round(self._timeout * 1000)}")

    @contextmanager
    def exclusive(self) -> Iterator[sqlite3.Connection]:
        """Lend the writer outside any transaction, for what SQLite runs in none.

        Raises:
            StoreError: see ``writing``.
        """
        if self.read_only:
            raise StoreUnavailable(
                f"the memory at {self.path} is read-only here: it answers, "
                "but nothing can be told, changed or forgotten"
            )
        if not self._writing.acquire(timeout=self._timeout):
            raise StoreBusy(f"the memory at {self.path} is being written by another thread; try again when it is done")
        try:
            self._must_be_usable(writing=True)
            with self._errors():
                yield self._main
        finally:
            self._writing.release()

    def close(self) -> None:
        """Close everything; what is lent is closed when it comes back."""
        with self._writing, self._lending:
            if self._closed:
                return
            self._closed = True
            if self._identity is not None and _identity(self.path) != self._identity:
                self._empty_log(writing=True)
            for db in self._idle:
                db.close()
            self._idle.clear()
            self._main.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeEncodeError) as error:
            raise self.translated(error) from error

    def translated(self, error: sqlite3.Error | UnicodeEncodeError) -> BecausalError:
        """Return the error of the tree for one that SQLite's module raised."""
        if isinstance(error, UnicodeEncodeError):
            return InvalidInput("text", "holds half of a surrogate pair, which is not valid Unicode")
        return translate(error, self.path)

    def _must_be_usable(self, *, writing: bool = False) -> None:
        if self._closed:
            raise StoreUnavailable(f"the memory at {self.path} has been closed")
        if os.getpid() != self._process:
            raise StoreUnavailable(f"the memory at {self.path} was opened before this process was forked: open it anew")
        self._must_be_there(writing=writing)

    def _must_be_there(self, *, writing: bool = False) -> None:
        """Refuse to go on with a file that has been replaced: what is written to it now nobody would find."""
        if self._identity is None or _identity(self.path) == self._identity:
            return
        self._empty_log(writing=writing)
        raise StoreUnavailable(
            f"the file {self.path} was replaced or taken away while it was open; start the program again, "
            "and it opens what is there now"
        )

    def _empty_log(self, *, writing: bool) -> None:
        """Bring what is in the log into the file that it belongs to: its name now stands beside another one."""
        if writing or self._writing.acquire(blocking=False):
            try:
                with suppress(sqlite3.Error):
                    self._main.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                if not writing:
                    self._writing.release()

    def borrow(self) -> sqlite3.Connection:
        """Return a connection for reading that nobody else has."""
        with self._lending:
            self._must_be_usable()
            if self._reader is not None and self._reader.has_changed():
                while self._idle:
                    self._idle.pop().close()
            if self._idle:
                return self._idle.pop()
        with self._errors():
            return self._connect()

    def give_back(self, db: sqlite3.Connection) -> None:
        """Keep a borrowed connection for the next reader."""
        with self._lending:
            if not self._closed:
                self._idle.append(db)
                return
        db.close()


def _identity(path: Path) -> tuple[int, int] | None:
    """Return what tells a file from another one that takes its name."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


class Pinned(threading.local):
    """The connection that a thread's snapshot reads from, if it has one open, and what was ``seen`` there once."""

    db: sqlite3.Connection | None = None

    def __init__(self) -> None:
        self.seen: dict[object, object] = {}


class Reading:
    """A transaction for reading, as a context manager; in a snapshot, that of the snapshot.

    Written out, since a question takes some twenty of them and a generator costs as much as a small query.
    """

    __slots__ = ("_connections", "_own")

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._own: sqlite3.Connection | None = None

    def __enter__(self) -> sqlite3.Connection:
        if (pinned := self._connections.pinned.db) is not None:
            self._own = None
            return pinned
        self._own = db = self._connections.borrow()
        try:
            db.execute("BEGIN")
        except sqlite3.Error as error:
            self._connections.give_back(db)
            raise self._connections.translated(error) from error
        return db

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if (db := self._own) is not None:
            try:
                if db.in_transaction:
                    db.execute("ROLLBACK")
            except sqlite3.Error as failure:
                raise self._connections.translated(failure) from failure
            finally:
                self._connections.give_back(db)
        if isinstance(error, sqlite3.Error | UnicodeEncodeError):
            raise self._connections.translated(error) from error
