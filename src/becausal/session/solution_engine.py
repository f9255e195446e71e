# SPDX-License-Identifier: Apache-2.0
"""Short-term first, long-term second, as functions on the memory in use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import rendering
from .current import sessions
from .memory_graph import _graph_stores
from .silo import Silo

__all__ = ["get_memory_status", "promote_to_long_term", "resolve_context"]


def resolve_context(session_id: str, key: str, store: Silo) -> dict[str, Any]:
    """Return ``source`` (short_term, long_term or miss), ``value`` and ``score`` for a key.

    A value that is resolved for the third time becomes a node of the session's graph.
    """
    return rendering.context(sessions().resolve_context(session_id, key, store))


def promote_to_long_term(
    session_id: str, key: str, value: str, node_type: str = "concept", metadata: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Make a node of a key and its value; return its id."""
    node = sessions().nodes.upsert(session_id, node_type, key, value, metadata)
    _graph_stores.note(session_id)
    return rendering.promoted(node)


def get_memory_status(session_id: str, store: Silo) -> dict[str, Any]:
    """Return what a session holds in both layers."""
    return rendering.status(sessions().status(session_id, store))
