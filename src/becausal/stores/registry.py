# SPDX-License-Identifier: Apache-2.0
"""The backends by name. Each is imported when it is asked for, and not before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from ..errors import SettingsError, StoreError
from ..ports.store import GraphStore, Mended


class Backend(NamedTuple):
    """What a backend is asked for by name."""

    open: Callable[..., GraphStore]
    mend: Callable[..., Mended]


def _sqlite() -> Backend:
    from .sqlite.store import SqliteStore

    return Backend(SqliteStore.open, SqliteStore.mend)


def _falkordb() -> Backend:
    from .falkordb.store import FalkorStore

    return Backend(FalkorStore.open, FalkorStore.mend)


def _ladybug() -> Backend:
    from .ladybug.store import LadybugStore

    return Backend(LadybugStore.open, LadybugStore.mend)


def _neo4j() -> Backend:
    from .neo4j.store import Neo4jStore

    return Backend(Neo4jStore.open, Neo4jStore.mend)


BACKENDS: Mapping[str, Callable[[], Backend]] = {
    "falkordb": _falkordb,
    "ladybug": _ladybug,
    "neo4j": _neo4j,
    "sqlite": _sqlite,
}


def _swap_sqlite() -> Callable[..., Path | None]:
    from .sqlite.swap import swap_file

    return swap_file


def _swap_ladybug() -> Callable[..., Path | None]:
    from .ladybug.upkeep import swap_file

    return swap_file


SWAPS: Mapping[str, Callable[[], Callable[..., Path | None]]] = {"ladybug": _swap_ladybug, "sqlite": _swap_sqlite}


def swap_store(backend: str, *, location: Path, user: str, side: Path) -> Path | None:
    """Put the memory of ``user`` below the folder ``side`` in the place of the one below ``location``, at once.

    Returns where the old one is kept now, ``None`` if there was none.

    Raises:
        SettingsError: there is no such backend.
        StoreBusy: a program has the old one open; nothing was changed.
        StoreError: it cannot be done, or the backend keeps no files here; nothing was changed.
    """
    load = SWAPS.get(backend)
    if load is None:
        _named(backend)
        raise StoreError(f"with DB_TYPE={backend} a server keeps the memory: it has no file that could be exchanged")
    return load()(location=location, user=user, side=side)


def open_store(backend: str, *, location: Path, user: str, **options: object) -> GraphStore:
    """Open the memory of ``user`` in ``backend``, making it if there is none.

    ``location`` is the folder that holds all users' memories. The options are the backend's own.

    Raises:
        SettingsError: there is no such backend.
        InvalidInput: the user name cannot be used.
        StoreError: the memory cannot be opened.
    """
    return _named(backend).open(location=location, user=user, **options)


def mend_store(backend: str, *, location: Path, user: str, **options: object) -> Mended:
    """Mend the memory of ``user``, which must not be open anywhere. The options are those of ``open_store``.

    Raises:
        SettingsError: there is no such backend.
        StoreError: it cannot be mended.
    """
    return _named(backend).mend(location=location, user=user, **options)


def _named(backend: str) -> Backend:
    load = BACKENDS.get(backend)
    if load is None:
        raise SettingsError("DB_TYPE", f"'{backend}' is not a known store; choose one of {', '.join(sorted(BACKENDS))}")
    return load()
