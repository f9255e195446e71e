# SPDX-License-Identifier: Apache-2.0
"""The silos of this process, by session."""

from __future__ import annotations

from .current import silos
from .silo import DEFAULT_SIZE
from .silo import Silo as PMMemoryStore
from .silo import Slot as MemorySlot

__all__ = ["MemorySlot", "PMMemoryStore", "drop_store", "get_store", "reset_store"]

_session_stores = silos
"""Silos by session: a mutable mapping. Clearing it drops them all."""


def get_store(session_id: str, silo_size: int = DEFAULT_SIZE) -> PMMemoryStore:
    """Return the silo of a session; it is made with this size if there is none."""
    return _session_stores.of(session_id, silo_size)


def reset_store(session_id: str, silo_size: int = DEFAULT_SIZE) -> PMMemoryStore:
    """Give a session a new, empty silo, and return it."""
    return _session_stores.reset(session_id, silo_size)[0]


def drop_store(session_id: str) -> int:
    """Drop the silo of a session; return how many values it held."""
    return _session_stores.drop(session_id)
