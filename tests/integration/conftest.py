# SPDX-License-Identifier: Apache-2.0
"""What tests of the outer seams share."""

from __future__ import annotations

import pytest


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
