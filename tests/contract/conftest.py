# SPDX-License-Identifier: Apache-2.0
"""Every store the contract suite is run over. A new adapter needs one entry here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from becausal.ports.store import GraphStore
from becausal.stores.registry import open_store as open_backend
from contract.samples import OpenStore


def _sqlite(folder: Path, user: str) -> GraphStore:
    return open_backend("sqlite", location=folder, user=user)


def _ladybug(folder: Path, user: str) -> GraphStore:
    return open_backend("ladybug", location=folder, user=user)


STORES: Mapping[str, Callable[[Path, str], GraphStore]] = {"ladybug": _ladybug, "sqlite": _sqlite}


@pytest.fixture(params=sorted(STORES))
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenStore]:
    """Opens handles, as many as asked for, on the memories of any users in one place; closes them all."""
    handles: list[GraphStore] = []

    def open_one(user: str = "alice") -> GraphStore:
        handles.append(STORES[request.param](tmp_path, user))
        return handles[-1]

    yield open_one
    for handle in handles:
        handle.close()


@pytest.fixture
def store(open_store: OpenStore) -> GraphStore:
    return open_store()
