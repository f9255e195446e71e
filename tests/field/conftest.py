# SPDX-License-Identifier: Apache-2.0
"""What the tests of known complaints share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from becausal import Memory


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory of alice's, with an embedder that is quick to load; nothing happens in it unasked."""
    with Memory.open(tmp_path, user="alice", embedder="hashing", consolidation_interval=0) as opened:
        yield opened
