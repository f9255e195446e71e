# SPDX-License-Identifier: Apache-2.0
"""The tools as plain functions on the memory in use, under the names of pmll-memory-mcp's Python package."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from . import rendering
from .current import sessions, silos
from .promises import Promise, State
from .q_promise_bridge import QPromiseRegistry
from .silo import DEFAULT_SIZE

if TYPE_CHECKING:
    from .sessions import Peeked

__all__ = [
    "add_interlinked_memory",
    "create_memory_relation",
    "flush",
    "init",
    "memory_status",
    "peek",
    "promote_memory_to_long_term",
    "prune_memory_links",
    "resolve",
    "resolve_memory_context",
    "retrieve_memory_traversal",
    "search_memory_graph",
    "set",
    "upsert_memory_node",
]


_active_sessions = silos
"""The sessions that have values in this process."""

_promise_registry = QPromiseRegistry()
"""Promises that a program registers by hand, for all sessions of this process: ``peek`` and ``resolve`` know them."""


def init(session_id: str, silo_size: int = DEFAULT_SIZE) -> dict[str, Any]:
    """Give a session a new, empty silo."""
    return rendering.initialized(session_id, sessions().init(session_id, silo_size).silo_size)


def peek(
    session_id: str,
    key: str,
    claim: bool = False,
    ttl_ms: int | None = None,
    wait_ms: int = 0,
    claim_token: str | None = None,
) -> dict[str, Any]:
    """Look a key up; with ``claim`` take the work on if nobody has it, and wait up to ``wait_ms`` if somebody has.

    A miss that says ``claimed`` comes with a ``claim_token``. A peek with ``claim`` and that token renews the claim.
    """
    found = sessions()
    end = time.monotonic() + wait_ms / 1000
    ttl = None if ttl_ms is None else ttl_ms / 1000

    def look(claim: bool = claim) -> Peeked:
        return found.peek(session_id, key, claim=claim, ttl=ttl, token=claim_token if claim else None)

    if _promise_registry.peek_promise(key)[1] == State.PENDING:
        known = look(claim=False)
        waited = _promise_registry.wait(key, wait_ms / 1000) if known.value is None else None
        if waited is not None and waited[1] == State.PENDING:
            return rendering.peeked(key, replace(known, promise=Promise(state=State.PENDING)))

    known = look()
    while known.pending and time.monotonic() < end:
        with found.ticket(session_id, key) as ticket:
            known = look()
            if known.pending:
                ticket.wait(max(0.0, end - time.monotonic()))
                known = look()
    return rendering.peeked(key, known)


def set(session_id: str, key: str, value: str, claim_token: str | None = None) -> dict[str, Any]:
    """Put a value under a key, which fulfils the promise of it.

    Raises:
        Conflict: the claim ran out, and another caller has taken the work over. Nothing is kept.
    """
    return {"status": "stored", "index": sessions().set(session_id, key, value, claim_token)}


def resolve(
    session_id: str, promise_id: str, reject: str | None = None, claim_token: str | None = None
) -> dict[str, Any]:
    """Return how a promise stands; with ``reject``, a reason, give the work up first.

    Raises:
        Conflict: it is to be given up, but another caller has taken the work over.
    """
    found = sessions()
    if reject is not None:
        found.reject(session_id, promise_id, reject, claim_token)
    promise = found.resolve(session_id, promise_id)
    if promise.state is State.UNKNOWN:
        _, status, payload = _promise_registry.peek_promise(promise_id)
        promise = promise if status is None else Promise(state=State(status), payload=payload)
    return rendering.resolved(promise)


def flush(session_id: str) -> dict[str, Any]:
    """Drop a session's silo."""
    return rendering.flushed(sessions().flush(session_id))


def upsert_memory_node(
    session_id: str, type: str, label: str, content: str, metadata: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Make or renew a node."""
    found = sessions()
    node = found.nodes.upsert(session_id, type, label, content, metadata)
    return rendering.upserted(node, found.mover.count(session_id))


def create_memory_relation(
    session_id: str, source_id: str, target_id: str, relation: str, weight: float = 1.0
) -> dict[str, Any]:
    """State a relation."""
    return rendering.related(sessions().linker.relate(session_id, source_id, target_id, relation, weight))


def search_memory_graph(session_id: str, query: str, max_depth: int = 1, top_k: int = 5) -> dict[str, Any]:
    """Find nodes by likeness, and their neighbours."""
    return rendering.searched(query, sessions().walker.search(session_id, query, max_depth, top_k))


def prune_memory_links(session_id: str, threshold: float | None = None) -> dict[str, Any]:
    """Take faded relations away."""
    return rendering.pruned(sessions().pruner.prune(session_id, threshold))


def add_interlinked_memory(
    session_id: str, items: Sequence[Mapping[str, Any]], auto_link: bool = True
) -> dict[str, Any]:
    """Make several nodes and relate those that are alike."""
    return rendering.interlinked(sessions().linker.interlink(session_id, items, auto_link))


def retrieve_memory_traversal(session_id: str, start_node_id: str, max_depth: int = 2) -> dict[str, Any]:
    """Return what surrounds a node."""
    found = sessions().walker.traverse(session_id, start_node_id, max_depth)
    return rendering.failed(f"Node not found: {start_node_id}") if found is None else rendering.traversed(found)


def resolve_memory_context(session_id: str, key: str) -> dict[str, Any]:
    """Return the value of a key from the silo, or from the node that fits it."""
    return rendering.context(sessions().resolve_context(session_id, key))


def promote_memory_to_long_term(session_id: str, key: str, value: str, node_type: str = "concept") -> dict[str, Any]:
    """Make a node of a key and its value."""
    return rendering.promoted(sessions().nodes.upsert(session_id, node_type, key, value))


def memory_status(session_id: str) -> dict[str, Any]:
    """Return what a session holds."""
    return rendering.status(sessions().status(session_id))
