# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from becausal.ports.store import Condition, GraphStore, Op
from becausal.recall.candidates import Pool
from becausal.recall.late import Asked
from becausal.recall.plan import plan
from becausal.stores.registry import open_store
from contract.samples import T0
from recall_tools import OpenPool


@pytest.fixture
def store(tmp_path: Path) -> Iterator[GraphStore]:
    opened = open_store("sqlite", location=tmp_path, user="alice")
    yield opened
    opened.close()


@pytest.fixture
def ask(store: GraphStore) -> OpenPool:
    """Opens the pool of a question, of which only live engrams can be part."""

    def open_pool(
        question: str = "", vector: tuple[float, ...] | None = None, tokens: dict[str, tuple[int, ...]] | None = None
    ) -> Pool:
        read = plan(question, now=T0, zone=UTC)
        rows: Any = None if tokens is None else np.array(list(tokens.values()), np.int8)
        made = None if vector is None else Asked(np.array(vector, np.float32), rows, tuple(tokens or ()))
        return Pool(store, read, lambda: made, (Condition("archived_at", Op.NULL, True),))

    return open_pool
