# SPDX-License-Identifier: Apache-2.0
"""What the tests of recall ask with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from becausal.recall.candidates import Pool

OpenPool: TypeAlias = Callable[..., Pool]
