# SPDX-License-Identifier: Apache-2.0
"""What a layer above the engine builds on: the parts of an open memory, and what such a layer is told by settings."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import tzinfo
from typing import Protocol, TypeVar, cast

from ..ports.clock import Clock
from ..ports.store import GraphStore
from .change_log import ChangeLog
from .forgetting import Forgetter
from .worker import Worker
from .writing import Writer


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOptions:
    """How sessions behave. Times are in seconds; the defaults are those of pmll-memory-mcp where it has them."""

    max_sessions: int = 1000
    slot_ttl: float | None = None
    claim_ttl: float = 120.0
    result_ttl: float = 600.0
    promote_after: int = 3  # uses of a value; 0: never
    relevance: float = 0.1  # cosine from which a node answers for a key
    link_threshold: float = 0.72  # cosine from which new nodes are linked
    link_cap: int = 200  # older nodes that a new one is compared with
    prune_threshold: float = 0.15
    decay_rate: float = 0.05  # per day
    hop_penalty: float = 0.3
    across: bool = False  # whether long-term search looks into all sessions


@dataclass(frozen=True, slots=True)
class Core:
    """The parts of an open memory."""

    store: GraphStore
    clock: Clock
    zone: tzinfo
    log: ChangeLog
    writer: Writer
    forgetter: Forgetter
    worker: Worker
    session: SessionOptions


class Companion(Protocol):
    """Something that lives as long as its memory."""

    def close(self) -> None:
        """Stop working; the memory is closed next."""
        ...


C = TypeVar("C", bound=Companion)


class Companions:
    """What has been built on one memory, each by its maker; closed with it."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._lock = threading.Lock()
        self._made: dict[object, Companion] = {}

    def of(self, make: Callable[[Core], C]) -> C:
        """Return what ``make`` builds, the same for all who ask."""
        with self._lock:
            if make not in self._made:
                self._made[make] = make(self._core)
            return cast(C, self._made[make])

    def close(self) -> None:
        with self._lock:
            made, self._made = list(self._made.values()), {}
        for companion in made:
            companion.close()
