# SPDX-License-Identifier: Apache-2.0
"""What every store refuses, and how long a claim can last: the same in every backend."""

from __future__ import annotations

import math

from ..errors import InvalidInput

LONGEST_CLAIM = 172_800.0
"""Seconds from now after which no claim can run out: the longest that may be asked for is one day."""


def check_ttl(ttl: float) -> None:
    """Refuse a time to live that has no end."""
    if not math.isfinite(ttl):
        raise InvalidInput("ttl", "must be a finite number of seconds")


def must_be_positive(name: str, value: int) -> None:
    """Refuse a number of things that is none."""
    if value < 1:
        raise InvalidInput(name, "must be 1 or more")
