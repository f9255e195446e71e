# SPDX-License-Identifier: Apache-2.0
"""What callers of the graphs may ask for, and how much: without the graphs, so that a server can declare it early."""

from __future__ import annotations

from enum import StrEnum

MAX_DESCRIPTION = 8_000
"""Characters of the description of an event, a cause or a concept."""

MAX_LINKED = 100
"""Entities, events or aliases named in one call."""

MAX_REFERENCES = 100
"""Ids, names and descriptions that one question may start from."""

MAX_DEPTH = 5
MIN_TOKENS = 100
"""The least budget of a context."""


class GraphName(StrEnum):
    """The graphs that can be cleared."""

    SEMANTIC = "semantic"
    TEMPORAL = "temporal"
    CAUSAL = "causal"
    ENTITY = "entity"
    ALL = "all"
