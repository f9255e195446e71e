# SPDX-License-Identifier: Apache-2.0
"""Work in flight: who does it, and what came of it, for every process on one memory.

Everything is a lease in the store. ``PENDING`` is held by who does the work, under a token that only its holder
knows; ``RESULT`` by what came of it, written in the transaction that ends the work; ``TRACE`` outlives both, under the
token of who had the work last: it tells work that was never finished from work that nobody began, and who is late
from who is not. ``EPOCH`` is a session's, and what came of work in an earlier one counts no more. Whoever looks for a
value looks at ``PENDING`` first and at ``RESULT`` second, and whoever gets ``PENDING`` looks at ``RESULT`` after that,
so no result is overlooked.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ..domain.leases import RESULT
from ..domain.leases import promise_id as _id
from ..domain.redaction import Redact, nothing
from ..errors import Conflict
from ..ports.batch import Batch, Grant
from ..ports.store import GraphStore, Lease
from .waiting import Ticket, Watch

PENDING, TRACE, EPOCH = "promise", "promise-trace", "promise-epoch"

EPOCH_TTL = 86_400.0
"""Seconds: the longest that a result can be kept, so that none of an earlier epoch is left when an epoch ends."""

ENDING = 30.0
"""Seconds for which who ends some work holds it, so that nobody takes it over while the result is written."""


class State(StrEnum):
    UNKNOWN = "unknown"  # nobody promised it
    PENDING = "pending"
    RESOLVED = "resolved"
    REJECTED = "rejected"  # it was given up; ``payload`` says why
    EXPIRED = "expired"  # it was promised, and the time for it ran out


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """What is known of a promise. ``left``: seconds until a pending one expires."""

    state: State
    payload: str | None = None
    left: float | None = None


UNKNOWN = Promise(state=State.UNKNOWN)


class Promises:
    """The promises of one user's sessions. Names of promises mean something within their session only."""

    def __init__(self, store: GraphStore, *, claim_ttl: float, result_ttl: float, redact: Redact = nothing) -> None:
        """Keep promises in a store. Times are in seconds; ``redact`` is what results are freed of before that."""
        self._store = store
        self._claim_ttl = claim_ttl
        self._result_ttl = result_ttl
        self._redact = redact
        self._watch = Watch(lambda ids: set(store.leases(PENDING, ids)))

    def close(self) -> None:
        self._watch.close()

    def claim(self, session: str, name: str, ttl: float | None = None, token: str | None = None) -> str | None:
        """Take on some work for ``ttl`` seconds from now; return the token of its holder, ``None`` if another has it.

        With the ``token`` of an earlier claim whoever holds that goes on with the work, or takes it up again.
        """
        id = _id(session, name)
        ttl = self._claim_ttl if ttl is None else ttl
        if token is None:
            # Looking first spares all but a few of those who come at once the transaction.
            if self._lease(PENDING, id) is not None:
                return None
            token = uuid.uuid4().hex
        if not self._hold(id, token, ttl):
            return None
        if self._done(session, id):
            self._store.write(Batch(release=((PENDING, id),)))
            return None
        self._store.write(Batch(grants=(Grant(TRACE, id, token, ttl + self._result_ttl),)))
        # Who was held up for longer than the claim lasts may have left a trace over that of the next.
        pending = self._lease(PENDING, id)
        lost = self._done(session, id) if pending is None else pending.holder != token
        return None if lost else token

    def register(self, session: str, name: str, ttl: float | None = None) -> None:
        """Make a promise pending, whatever became of an earlier one of this name."""
        id = _id(session, name)
        ttl = self._claim_ttl if ttl is None else ttl
        token = uuid.uuid4().hex
        pending, trace = Grant(PENDING, id, token, ttl), Grant(TRACE, id, token, ttl + self._result_ttl)
        self._store.write(Batch(release=((RESULT, id),), grants=(pending, trace)))

    def release(self, session: str, name: str) -> None:
        """Give work back as if it had never been taken on."""
        id = _id(session, name)
        self._store.write(Batch(release=((PENDING, id), (TRACE, id))))
        self._watch.news(id)

    def void(self, session: str) -> None:
        """Have what came of a session's work so far count for nobody any more. Work in progress goes on."""
        self._store.write(Batch(grants=(Grant(EPOCH, session, uuid.uuid4().hex, EPOCH_TTL),)))

    def look(self, session: str, name: str) -> Promise:
        """Return what is known of a promise."""
        id = _id(session, name)
        pending = self._lease(PENDING, id)
        told = self._result(session, id)
        if told and (pending is None or "value" in told):
            state = State.RESOLVED if "value" in told else State.REJECTED
            return Promise(state=state, payload=told.get("value", told.get("reason")))
        if pending is not None:
            return Promise(state=State.PENDING, left=pending.left)
        unfinished = told is None and self._lease(TRACE, id) is not None
        return Promise(state=State.EXPIRED if unfinished else State.UNKNOWN)

    def fulfil(self, session: str, name: str, value: str, token: str | None = None) -> bool:
        """Say what came of some work; return false if nobody promised it, which needs no telling.

        Without a ``token`` it counts for whoever has the work.

        Raises:
            Conflict: the claim with this token ran out, and another has taken the work over or has done it.
        """
        return self._end(session, name, {"value": value}, token)

    def reject(self, session: str, name: str, reason: str, token: str | None = None) -> bool:
        """Give some work up, for somebody else to take; false too if it is done, which it stays. Else as ``fulfil``."""
        return self._end(session, name, {"reason": reason}, token)

    def _end(self, session: str, name: str, told: dict[str, str], token: str | None) -> bool:
        id = _id(session, name)
        pending = self._lease(PENDING, id)
        if token is None:
            # A process that died between the two writes of a claim left no trace of it.
            known = self._lease(TRACE, id) or pending
            if known is None:
                return False
            holder = known.holder
        else:
            left = pending.left if pending is not None and pending.holder == token else 0.0
            if not self._hold(id, token, max(ENDING, left)):
                raise _late(name)
            # From here on nobody takes it over. Whoever did, and finished, has left the last trace.
            trace = self._lease(TRACE, id)
            if trace is not None and trace.holder != token and self._done(session, id):
                self._store.write(Batch(release=((PENDING, id),)))
                raise _late(name)
            holder = token
        if "reason" in told and self._done(session, id):
            if token is not None:
                self._store.write(Batch(release=((PENDING, id),)))
            return False
        told = {field: self._redact(text) for field, text in told.items()}
        result = json.dumps({**told, "epoch": self._epoch(session)}, ensure_ascii=False)
        self._store.write(
            Batch(
                release=((PENDING, id),),
                grants=(
                    Grant(RESULT, id, result, self._result_ttl),
                    Grant(TRACE, id, holder, self._result_ttl),
                ),
            )
        )
        self._watch.news(id)
        return True

    def _hold(self, id: str, token: str, ttl: float) -> bool:
        return id in self._store.claim(PENDING, [id], token, ttl)

    def _lease(self, kind: str, id: str) -> Lease | None:
        return self._store.leases(kind, [id]).get(id)

    def _epoch(self, session: str) -> str | None:
        epoch = self._lease(EPOCH, session)
        return None if epoch is None else epoch.holder

    def _result(self, session: str, id: str) -> dict[str, Any] | None:
        """Return what came of some work: nothing of it if that is of an earlier epoch, ``None`` if nothing came."""
        result = self._lease(RESULT, id)
        if result is None:
            return None
        told: dict[str, Any] = json.loads(result.holder)
        return told if self._epoch(session) in (None, told.get("epoch")) else {}

    def _done(self, session: str, id: str) -> bool:
        return "value" in (self._result(session, id) or {})

    def ticket(self, session: str, name: str) -> Ticket:
        """Return a ticket that fires when the promise is no longer pending."""
        return self._watch.join(_id(session, name))


def _late(name: str) -> Conflict:
    return Conflict(
        f"another caller has the work on '{name:.100}', or has done it: a claim that ran out and was taken over counts "
        "no more, nor one that was never given. Nothing was kept; peek at the key for what comes of it"
    )
