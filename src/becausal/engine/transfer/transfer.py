# SPDX-License-Identifier: Apache-2.0
"""A memory out of its store and into it, as ``memory.transfer``."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import tzinfo
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ...domain.time import zone as zone_of
from ...errors import InvalidInput, StoreUnavailable
from ...models.lazy import LazyEmbedder
from ...ports.clock import Clock
from ...ports.store import GraphStore
from .. import validate
from ..graph.graphs import Graphs
from ..results import Progress
from ..worker import Worker
from ..writing import Writer
from .exporting import Export
from .lines import is_export
from .results import Exported, Imported

if TYPE_CHECKING:
    from .restoring import Restorer

HEAD = 4096
"""Bytes of a file that say what it is."""


class Transfer:
    """Export and import of one user's memory. Thread-safe; other work on the memory may go on meanwhile.

    ``progress`` is called now and then with how far it is.
    """

    def __init__(
        self,
        store: GraphStore,
        embedder: LazyEmbedder,
        worker: Worker,
        writer: Writer,
        graphs: Graphs,
        clock: Clock,
        zone: tzinfo,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._worker = worker
        self._writer = writer
        self._graphs = graphs
        self._clock = clock
        self._zone = zone

    def export(
        self,
        target: str | os.PathLike[str] | IO[bytes],
        *,
        vectors: bool = False,
        changes: bool = True,
        progress: Callable[[Progress], None] | None = None,
    ) -> Exported:
        """Write everything, as it stands at one moment, as JSON lines in UTF-8.

        A file named by its path appears under that name when it is complete, readable by its owner alone; one
        that is there is replaced if it is an export too. Without ``vectors`` an import makes them anew. What
        was forgotten and can be brought back is part of the ``changes``.

        Raises:
            InvalidInput: the path names something else than an export.
            StoreUnavailable: the file cannot be written.
        """
        export = Export(self._store, vectors=vectors, changes=changes, tell=progress or (lambda _: None))
        if not isinstance(target, str | os.PathLike):
            _write(export, target)
            return export.done
        path = Path(target)
        try:
            if path.exists() and not _is_replaceable(path):
                raise InvalidInput("file", f"{path} exists and is no export: give another name")
            handle, name = tempfile.mkstemp(prefix=f".{path.name[:64]}.", dir=path.parent)
            try:
                with os.fdopen(handle, "wb") as file:
                    _write(export, file)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(name, path)
            except BaseException:
                with suppress(OSError):
                    os.unlink(name)
                raise
        except OSError as error:
            raise StoreUnavailable(f"the export {path} cannot be written: {error.strerror or error}") from error
        return export.done

    def restore(
        self,
        source: str | os.PathLike[str] | IO[bytes],
        *,
        dry_run: bool = False,
        progress: Callable[[Progress], None] | None = None,
    ) -> Imported:
        """Bring back an export: into an empty memory as it was, into another one beside what is there.

        What is there already is left as it is, so that an import that was interrupted can be started again.
        ``dry_run`` says what it would do. A stream must be seekable.

        Raises:
            InvalidInput: it is no export, or one in a newer format than this version knows.
            StoreUnavailable: the file cannot be read.
        """
        from .restoring import Restorer

        restorer = Restorer(self._store, self._embedder, self._zone, progress or (lambda _: None))
        if not isinstance(source, str | os.PathLike):
            return self._restored(restorer, source, dry_run)
        try:
            with Path(source).open("rb") as file:
                return self._restored(restorer, file, dry_run)
        except OSError as error:
            raise StoreUnavailable(f"{source} cannot be read: {error.strerror or error}") from error

    def import_file(
        self,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,
        source: str | None = None,
        session: str | None = None,
        tags: Sequence[str] | str = (),
        timezone: str | None = None,
        username: str | None = None,
        passwords: Mapping[str, str] | None = None,
        dry_run: bool = False,
        progress: Callable[[Progress], None] | None = None,
    ) -> Imported:
        """Bring in a file or folder of another program, or an export as ``restore`` does.

        A text that is an address, such as ``falkordb://localhost:6379/polyg?user=NAME``, is that of a server, which
        ``username`` and ``passwords`` (by ``falkordb`` and ``neo4j``) open; of a graph that users share only what is
        the named user's comes in, by default this memory's.

        ``format`` is one of ``formats.registry.FORMATS``, worked out from the file by default. ``source`` and
        ``session`` replace what the file says, ``tags`` join it; ``timezone`` is the one of times without any.
        What is known already is left as it is, so an import that was interrupted can be started again: what it
        had brought in is kept. Returns when everything is indexed, or indexing gets no further.

        Raises:
            InvalidInput: the file is in no format that is known, or an argument is wrong.
            StoreUnavailable: the file cannot be read.
        """
        # What reads other programs' files is of no use to most who open a memory.
        from ...formats.databases import is_address, parse_address
        from ...formats.registry import OWN, is_own_export, read, read_server
        from .bulk import Bulk
        from .importing import Defaults, Importer
        from .report import Report
        from .stating import Stating, Then

        place = Path(path)
        tell = progress or (lambda _: None)
        zone = self._zone if timezone is None else zone_of(timezone, field="timezone")
        defaults = Defaults(
            source=validate.name(source, "source"),
            session=validate.name(session, "session"),
            tags=validate.tags(tags),
        )
        try:
            if is_address(path):
                address = parse_address(str(path), owner=self._store.user, username=username, passwords=passwords)
                name, items = read_server(address, format)
            elif format == OWN or (format is None and place.is_file() and is_own_export(place)):
                if defaults != Defaults():
                    raise InvalidInput("source", "cannot be given for an export: it holds the memories as they were")
                return self.restore(place, dry_run=dry_run, progress=progress)
            else:
                name, items = read(place, format)
            report = Report(name)
            then = Then(self._clock)
            past = Graphs(
                self._store, self._embedder, then, zone, self._worker, model_wait=0.0, redact=self._writer.redact
            )
            importer = Importer(
                self._store,
                self._graphs,
                Stating(self._store, past, then, zone, report),
                Bulk(self._store, self._clock, self._writer),
                self._worker,
                self._clock,
                zone,
                report=report,
                tell=tell,
                defaults=defaults,
            )
            return importer.run(items, dry_run=dry_run)
        except OSError as error:
            raise StoreUnavailable(f"{place} cannot be read: {error.strerror or error}") from error

    def _restored(self, restorer: Restorer, file: IO[bytes], dry_run: bool) -> Imported:
        imported = restorer.restore(file, dry_run=dry_run)
        self._worker.wake()
        return imported


def _write(export: Export, file: IO[bytes]) -> None:
    for line in export.lines():
        file.write(line.encode() + b"\n")


def _is_replaceable(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(HEAD)
    return not head or is_export(head)
