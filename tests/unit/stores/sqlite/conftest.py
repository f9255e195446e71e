# SPDX-License-Identifier: Apache-2.0
"""One SQLite store in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from becausal.stores.sqlite.store import SqliteStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """A store whose locks are waited for only shortly."""
    store = SqliteStore.open(location=tmp_path, user="alice", busy_timeout=0.05)
    yield store
    store.close()


@pytest.fixture
def path(store: SqliteStore) -> Path:
    return Path(store.location)
