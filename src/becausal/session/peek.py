# SPDX-License-Identifier: Apache-2.0
"""The peek guard: a look at the silo, then at the promises, before anything is computed."""

from __future__ import annotations

from typing import Any

from .promises import State
from .q_promise_bridge import QPromiseRegistry
from .silo import Silo

__all__ = ["peek_context"]


def peek_context(key: str, session_id: str, store: Silo, promise_registry: QPromiseRegistry) -> dict[str, Any]:
    """Return what is known of a key: its value and slot, that it is pending, or that there is nothing.

    A value in the silo goes before a promise. A promise that was fulfilled, but whose value is not in the
    silo, is a miss. ``session_id`` says whose silo it is.
    """
    hit, value, index = store.peek(key)
    if hit:
        return {"hit": True, "value": value, "index": index}
    found, status, _ = promise_registry.peek_promise(key)
    if found and status == State.PENDING:
        return {"hit": True, "status": State.PENDING.value, "promise_id": key}
    return {"hit": False}
