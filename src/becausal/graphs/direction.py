# SPDX-License-Identifier: Apache-2.0
"""Which way causes are followed."""

from __future__ import annotations

from enum import StrEnum


class Direction(StrEnum):
    UPSTREAM = "upstream"
    DOWNSTREAM = "downstream"
    BOTH = "both"
