# SPDX-License-Identifier: Apache-2.0
"""A real store for the graphs to be kept in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from becausal.ports.store import GraphStore
from becausal.stores.registry import open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[GraphStore]:
    opened = open_store("sqlite", location=tmp_path, user="alice")
    yield opened
    opened.close()
