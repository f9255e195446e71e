# SPDX-License-Identifier: Apache-2.0
"""Copies of a memory: made when something has changed, fetched, examined; one process at a time."""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from time import monotonic

from ...domain.records import Kind
from ...errors import BackupCorrupt, BackupError, NotFound
from ...ports.backup import BackupPlace, Fetched, Manifest, Version
from ...ports.batch import Batch
from ...ports.clock import Clock
from ...ports.store import GraphStore
from ...stores.scratch import scratch
from .. import validate
from ..background import Closing
from ..holders import new_holder, take, until
from ..results import Progress
from ..transfer.lines import End, Unread, read_lines, read_manifest
from ..transfer.transfer import Transfer
from .caretaker import DELAY
from .results import BackedUp, BackupStatus, Verified

log = logging.getLogger("becausal.backup")

CLAIM = ("backup", "memory")
LEASE = 30.0
"""Seconds for which the work is taken; another process takes it over after a crash (at once on the same machine)."""

LAST = "backup_last"
"""Key of when the memory was last backed up, as which version, and where to."""

FILLING = "backup_filling"
"""Key of the version that an empty memory is being filled with and of its place, until it holds all of it."""

TROUBLE = "backup_trouble"
"""Key of what kept the last backup from being made, until one is."""

LARGEST = 1 << 36
"""Bytes that a copy may have."""

REST = 20.0
"""How many times as long as a backup took is waited until the next one, if that is longer than the interval."""

PIECE = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupPlan:
    """Where copies are kept, every how many seconds (0: only on demand), and a folder of the user's for scratch."""

    place: BackupPlace
    folder: Path
    interval: float = 0.0

    @property
    def elsewhere(self) -> tuple[str, ...]:
        """What keeps what is purged here, for a person to read."""
        return (self.place.remembers,)


class Backups:
    """Copies of one memory in one place."""

    def __init__(self, store: GraphStore, transfer: Transfer, clock: Clock, plan: BackupPlan, closing: Closing) -> None:
        self._store = store
        self._transfer = transfer
        self._clock = clock
        self._closing = closing
        self._place = plan.place
        self._folder = plan.folder
        self._interval = interval = plan.interval
        self._holder = new_holder()
        self._here = threading.Lock()
        self._due = monotonic() + DELAY if interval > 0 else float("inf")
        self._looked = threading.Event()
        self.unfilled: str | None = None
        """Why an empty memory could not be filled from there when it was opened; ``None`` if nothing went wrong."""
        # Asked now, and not when filling begins: something may be told in between.
        self._was_empty = self._is_empty()

    # --- making ---

    def run(self, *, overwrite: bool = False) -> BackedUp:
        """Keep a copy of the memory as it is now, unless that is what was kept last.

        A memory whose filling from there was interrupted is filled to its end first.

        Raises:
            BackupDiverged: another machine has put a copy there that this one does not know.
            BackupError: the copy could not be made; the memory is as it was.
            StoreUnavailable: the memory is being closed.
        """
        with self._alone() as mine:
            if not mine:
                note = f"another process is backing up at the moment; {until(self._store, *CLAIM)}"
                return BackedUp(ran=False, place=self._place.name, note=note)
            try:
                if self._begun() is not None:
                    self._fill()
                with scratch(self._folder) as folder:
                    done = self._put(folder / "memory.jsonl", overwrite)
            except BackupError as error:
                self._store.write(Batch(meta={TROUBLE: str(error)}))
                raise
            return done

    def _put(self, file: Path, overwrite: bool) -> BackedUp:
        manifest = self._exported(file)
        kept = self._place.put(file, manifest, self._clock.now(), known=self._last().get("on"), overwrite=overwrite)
        self.remember(kept.version, self._clock.now())
        return BackedUp(
            ran=True,
            place=self._place.name,
            version=kept.version,
            changed=kept.changed,
            memories=manifest.memories,
            size=manifest.size,
        )

    def _exported(self, file: Path) -> Manifest:
        exported = self._transfer.export(file, progress=self._goes_on)
        if exported.damaged:
            what = exported.damaged[0]
            raise BackupCorrupt(
                f"the memory itself is damaged ({what.where}: {what.why}): a copy would lack that, so none was made"
            )
        size, digest = measured(file)
        return Manifest(
            user=self._store.user,
            memories=exported.records.get(Kind.ENGRAM.value, 0),
            schema=int(self._store.meta("schema_version") or 0),
            embedder=self._store.meta("embedder_name"),
            sha256=digest,
            size=size,
        )

    def remember(self, version: str, at: datetime, newest: str | None = None) -> None:
        """Note that the memory is what was kept ``at`` a time as ``version``.

        The next copy goes on top of ``newest``, if that is another one.
        """
        told = {"at": at.isoformat(), "version": version, "on": newest or version, "place": self._place.name}
        self._store.write(Batch(meta={LAST: json.dumps(told), TROUBLE: None, FILLING: None}))

    def _last(self) -> dict[str, str]:
        """Return which version of the place the memory goes on from, of when, and which one the next comes after."""
        told: dict[str, str] = json.loads(self._store.meta(LAST) or "{}")
        if told:  # an earlier version did not note on top of what
            told.setdefault("on", told["version"])
        return told if told.get("place") == self._place.name else {}

    # --- by itself ---

    def look_after(self, stopping: Callable[[], bool]) -> float:
        """Fill a memory that was empty when it was opened, and back up when it is time.

        Returns the seconds until the next look.
        """
        if not self._looked.is_set():
            try:
                self.fill_if_empty(was_empty=self._was_empty)
            finally:
                self._looked.set()
        if monotonic() >= self._due and not stopping():
            began = monotonic()
            try:
                self.run()
            except BackupError as error:
                log.warning("no backup: %s", error)
            self._due = monotonic() + max(self._interval, REST * (monotonic() - began))
        return max(0.1, self._due - monotonic())

    def wait_until_filled(self, seconds: float | None = None) -> bool:
        """Wait until a memory that was empty when it was opened has been filled, as ``look_after`` does at first.

        Returns false if that takes longer, true at once where there is nothing to wait for.
        """
        due = self._was_empty or self._begun() is not None
        return self._store.read_only or not due or self._looked.wait(seconds)

    def fill_if_empty(self, *, was_empty: bool = False) -> bool:
        """Bring the newest copy into a memory that holds nothing and never did; return whether that was done.

        A memory that holds anything is left alone, unless a filling was interrupted, which is then gone on with,
        or it is known that it ``was_empty`` when it was opened.
        """
        if self._begun() is None and not (was_empty or self._is_empty()):
            return False
        try:
            with self._alone() as mine:
                filled = mine and self._store.meta(LAST) is None and self._fill()
        except BackupError as error:
            self._store.write(Batch(meta={TROUBLE: str(error)}))
            self.unfilled = str(error)
            log.warning("the empty memory was not filled from its backup: %s", error)
            return False
        if filled:
            log.info("the empty memory was filled from %s", self._place.name)
        return filled

    def _is_empty(self) -> bool:
        counts = self._store.count()
        kinds = (Kind.ENGRAM, Kind.CHANGE, Kind.FACT, Kind.CAUSE, Kind.CUE)
        return self._store.meta(LAST) is None and not any(counts[kind.value] for kind in kinds)

    def _begun(self) -> str | None:
        """Return the version that the memory was being filled with when that was interrupted."""
        told = json.loads(self._store.meta(FILLING) or "{}")
        return told["version"] if told.get("place") == self._place.name else None

    def _fill(self) -> bool:
        """Bring in the version of an interrupted filling, or else the newest; false if there is none at all."""
        with scratch(self._folder) as folder:
            file = folder / "memory.jsonl"
            try:
                fetched = fetch(self._place, file, self._begun())
            except NotFound:  # it is kept there no more
                fetched = fetch(self._place, file)
            if fetched is None:
                return False
            examine(file, self._closing.check)
            self._store.write(
                Batch(meta={FILLING: json.dumps({"version": fetched.version, "place": self._place.name})})
            )
            self._transfer.restore(file, progress=self._goes_on)
            self._place.accept(fetched.version)
            self.remember(fetched.version, fetched.at)
            return True

    # --- fetching ---

    def verify(self, version: str | None = None) -> Verified:
        """Fetch a copy and make sure that every record in it can be brought back.

        Raises:
            BackupCorrupt: it cannot.
            NotFound: there is no copy, or no such version.
        """
        with scratch(self._folder) as folder:
            file = folder / "memory.jsonl"
            fetched = fetch(self._place, file, version, afresh=True)
            if fetched is None:
                raise NotFound("backup", self._place.name)
            records, links = examine(file, self._closing.check)
            return Verified(
                place=self._place.name,
                version=fetched.version,
                memories=fetched.manifest.memories,
                records=records,
                links=links,
                size=fetched.manifest.size,
            )

    def versions(self, limit: int = 20) -> tuple[Version, ...]:
        """Return the newest copies that are kept (1 … 100), the newest first."""
        return self._place.versions(validate.limit(limit))

    # --- telling ---

    @property
    def place(self) -> BackupPlace:
        return self._place

    def status(self) -> BackupStatus:
        """Say where copies are kept, when the last one was made, and what is wrong."""
        told = self._last()
        return BackupStatus(
            place=self._place.name,
            last=datetime.fromisoformat(told["at"]) if told else None,
            version=told.get("version"),
            trouble=self._store.meta(TROUBLE),
            note=None if told else self._unfilled(),
            remembers=self._place.remembers,
        )

    def _unfilled(self) -> str | None:
        """Say why a memory that was never kept in the place, nor taken from it, is as it is."""
        if self._begun() is not None:
            return "it is being filled from there, or that was interrupted and will be gone on with"
        if self._is_empty():
            return None
        return "nothing was taken from there, since this memory was not empty, and nothing of it is kept there yet"

    # --- alone ---

    def _goes_on(self, progress: Progress) -> None:
        self._closing.check()

    @contextmanager
    def _alone(self) -> Iterator[bool]:
        """Hold the lease as long as the block takes; false if another process has it."""
        with self._here:
            if not take(self._store, CLAIM[0], CLAIM[1:], self._holder, LEASE):
                yield False
                return
            done = threading.Event()

            def renew() -> None:
                while not done.wait(LEASE / 3):
                    self._store.claim(CLAIM[0], CLAIM[1:], self._holder, LEASE)

            keeper = threading.Thread(target=renew, name="becausal-backup-lease", daemon=True)
            keeper.start()
            try:
                yield True
            finally:
                done.set()
                keeper.join()
                if self._store.claim(CLAIM[0], CLAIM[1:], self._holder, LEASE):
                    self._store.write(Batch(release=(CLAIM,)))


def fetch(place: BackupPlace, into: Path, version: str | None = None, *, afresh: bool = False) -> Fetched | None:
    """Fetch a copy, the newest or a certain one, and make sure that it is whole; ``None`` if there is none.

    ``afresh``: see ``BackupPlace.get``.

    Raises:
        BackupCorrupt: it is not, or is larger than half of what is free on the disk.
        NotFound: there is no such version.
    """
    limit = min(LARGEST, shutil.disk_usage(into.parent).free // 2)
    fetched = place.get(into, limit=limit, version=version, afresh=afresh)
    if fetched is not None and measured(into) != (fetched.manifest.size, fetched.manifest.sha256):
        raise BackupCorrupt(f"the copy in the {place.name} is damaged: its checksum is not the one it was kept under")
    return fetched


def measured(file: Path) -> tuple[int, str]:
    """Return the size of a file in bytes, and its SHA-256."""
    digest, size = hashlib.sha256(), 0
    with file.open("rb") as source:
        while piece := source.read(PIECE):
            digest.update(piece)
            size += len(piece)
    return size, digest.hexdigest()


def examine(file: Path, pause: Callable[[], object] = lambda: None) -> tuple[int, int]:
    """Return how many records and links a copy holds, all of which can be read.

    ``pause`` is called for each; what it raises ends that.

    Raises:
        BackupCorrupt: one cannot, or some are missing.
        InvalidInput: it is no export, or one in a newer format.
    """
    records = links = 0
    whole = False
    with file.open("rb") as source:
        read_manifest(source)
        for line in read_lines(source):
            pause()
            if isinstance(line, Unread):
                raise BackupCorrupt(f"line {line.number} of the copy cannot be read: {line.why}")
            if isinstance(line, End):
                whole = (records + links) == (line.records + line.links)
            elif hasattr(line.item, "src"):
                links += 1
            else:
                records += 1
    if not whole:
        raise BackupCorrupt("the copy is not whole: it does not hold what its last line says")
    return records, links
