# SPDX-License-Identifier: Apache-2.0
"""Work in flight: who does it, and what came of it, for every process on one memory.

Everything is a lease in the store. ``PENDING`` is held by who does the work; ``RESULT`` by what came of it,
written in the transaction that ends the work; ``TRACE`` outlives both, so that work that was never finished
is told apart from work that nobody began. Whoever looks for a value looks at ``PENDING`` first and at
``RESULT`` second, and whoever gets ``PENDING`` looks at ``RESULT`` after that, so no result is overlooked.
"""

from __future__ import annotations

import json
import os
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from ..domain.leases import RESULT
from ..domain.leases import promise_id as _id
from ..domain.redaction import Redact, nothing
from ..ports.batch import Batch, Grant
from ..ports.store import GraphStore
from .waiting import Ticket, Watch

PENDING, TRACE = "promise", "promise-trace"


class State(StrEnum):
    UNKNOWN = "unknown"  # nobody promised it
    PENDING = "pending"
    RESOLVED = "resolved"
    REJECTED = "rejected"  # it was given up; ``payload`` says why
    EXPIRED = "expired"  # it was promised, and the time for it ran out


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """What is known of a promise. ``left``: seconds until a pending one expires; ``at``: when a result came."""

    state: State
    payload: str | None = None
    left: float | None = None
    at: float | None = None  # seconds since 1970


UNKNOWN = Promise(state=State.UNKNOWN)


class Promises:
    """The promises of one user's sessions. Names of promises mean something within their session only."""

    def __init__(
        self,
        store: GraphStore,
        *,
        claim_ttl: float,
        result_ttl: float,
        now: Callable[[], float] = time.time,
        redact: Redact = nothing,
    ) -> None:
        """Keep promises in a store. Times are in seconds; ``redact`` is what results are freed of before that."""
        self._store = store
        self._claim_ttl = claim_ttl
        self._result_ttl = result_ttl
        self._now = now
        self._redact = redact
        self._watch = Watch(lambda ids: set(store.leases(PENDING, ids)))

    def close(self) -> None:
        self._watch.close()

    def claim(self, session: str, name: str, ttl: float | None = None) -> bool:
        """Take on some work for ``ttl`` seconds; return false if somebody else has it."""
        id = _id(session, name)
        ttl = self._claim_ttl if ttl is None else ttl
        token = f"{os.getpid()}-{uuid.uuid4().hex}"
        # Looking first spares all but a few of those who come at once the transaction.
        if self._store.leases(PENDING, [id]) or not self._store.claim(PENDING, [id], token, ttl):
            return False
        self._store.write(Batch(grants=(Grant(TRACE, id, token, ttl + self._result_ttl),)))
        return True

    def register(self, session: str, name: str, ttl: float | None = None) -> None:
        """Make a promise pending, whatever became of an earlier one of this name."""
        id = _id(session, name)
        ttl = self._claim_ttl if ttl is None else ttl
        token = f"{os.getpid()}-{uuid.uuid4().hex}"
        pending, trace = Grant(PENDING, id, token, ttl), Grant(TRACE, id, token, ttl + self._result_ttl)
        self._store.write(Batch(release=((RESULT, id),), grants=(pending, trace)))

    def release(self, session: str, name: str) -> None:
        """Give work back as if it had never been taken on."""
        id = _id(session, name)
        self._store.write(Batch(release=((PENDING, id),)))
        self._watch.news(id)

    def look(self, session: str, name: str) -> Promise:
        """Return what is known of a promise."""
        id = _id(session, name)
        pending = self._store.leases(PENDING, [id]).get(id)
        result = self._store.leases(RESULT, [id]).get(id)
        if result is not None:
            told = json.loads(result.holder)
            state = State.RESOLVED if "value" in told else State.REJECTED
            if pending is None or state is State.RESOLVED:
                return Promise(state=state, payload=told.get("value", told.get("reason")), at=told["at"])
        if pending is not None:
            return Promise(state=State.PENDING, left=pending.left)
        return Promise(state=State.EXPIRED if self._store.leases(TRACE, [id]) else State.UNKNOWN)

    def fulfil(self, session: str, name: str, value: str) -> bool:
        """Say what came of some work; return false if nobody promised it, which needs no telling."""
        return self._end(session, name, {"value": value})

    def reject(self, session: str, name: str, reason: str) -> bool:
        """Give some work up, for somebody else to take; return false if nobody promised it."""
        return self._end(session, name, {"reason": reason})

    def _end(self, session: str, name: str, told: dict[str, str]) -> bool:
        id = _id(session, name)
        # A process that died between the two writes of a claim left no trace of it.
        known = self._store.leases(TRACE, [id]).get(id) or self._store.leases(PENDING, [id]).get(id)
        if known is None:
            return False
        told = {name: self._redact(text) for name, text in told.items()}
        result = json.dumps({**told, "at": self._now()}, ensure_ascii=False)
        self._store.write(
            Batch(
                release=((PENDING, id),),
                grants=(
                    Grant(RESULT, id, result, self._result_ttl),
                    Grant(TRACE, id, known.holder, self._result_ttl),
                ),
            )
        )
        self._watch.news(id)
        return True

    def ticket(self, session: str, name: str) -> Ticket:
        """Return a ticket that fires when the promise is no longer pending."""
        return self._watch.join(_id(session, name))
