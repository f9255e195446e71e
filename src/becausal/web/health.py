# SPDX-License-Identifier: Apache-2.0
"""How the service is doing: one word for everybody, more for whoever has a token."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anyio import CapacityLimiter, to_thread

from .._version import __version__
from ..errors import BecausalError, StoreBusy

if TYPE_CHECKING:
    from .mcp import McpEndpoint
    from .pool import Pool

logger = logging.getLogger(__name__)

FRESH = 2.0
"""Seconds for which a look at the store counts: strangers may ask, and must not keep it busy."""

DISCONNECTED = "disconnected"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    status: str  # ok, degraded or error
    store: str
    embedder: str = ""
    problem: str | None = None


class Health:
    """Looks at a memory that is open, or at the server's own user's."""

    def __init__(
        self, pool: Pool, endpoint: McpEndpoint, user: str, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._pool = pool
        self._endpoint = endpoint
        self._user = user
        self._monotonic = monotonic
        self._begun = monotonic()
        self._one = CapacityLimiter(1)
        self._last: tuple[float, _Look] | None = None

    async def look(self, *, known: bool) -> tuple[int, dict[str, Any]]:
        """Return the HTTP status and what is told: 503 only when the store is out of reach."""
        seen = await to_thread.run_sync(self._look, limiter=self._one)
        document: dict[str, Any] = {"status": seen.status}
        if known:
            document |= {
                "version": __version__,
                "store": seen.store,
                "embedder": seen.embedder,
                "uptime": int(self._monotonic() - self._begun),
                "sessions": {"active": self._endpoint.active, "max": self._endpoint.most},
            }
            if seen.problem is not None:
                document["problem"] = seen.problem
        return (503 if seen.store == DISCONNECTED else 200), document

    def _look(self) -> _Look:
        now = self._monotonic()
        if self._last is None or now - self._last[0] > FRESH:
            self._last = (now, self._fresh())
        return self._last[1]

    def _fresh(self) -> _Look:
        try:
            with self._pool.some(self._user) as memory:
                status = memory.status()
        except StoreBusy as error:
            return _Look(status="degraded", store="connected", problem=str(error))
        except BecausalError as error:
            logger.warning("the store is out of reach: %s", error)
            return _Look(status="error", store=DISCONNECTED, problem=str(error))
        settled = status.embedder_state in ("ready", "failed")
        problem = status.degraded if settled else None
        return _Look(
            status="ok" if problem is None else "degraded",
            store="connected",
            embedder=f"{status.embedder} ({status.embedder_state})",
            problem=problem,
        )
