# SPDX-License-Identifier: Apache-2.0
"""The sessions of one user: silos, promises, and the graph they leave behind in the memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..engine import validate
from ..engine.core import Core
from ..errors import InvalidInput
from .graph.edges import Edges
from .graph.linking import Linker
from .graph.moving import Mover
from .graph.nodes import Nodes, session_name
from .graph.pruning import Pruner
from .graph.walking import Walker
from .promises import UNKNOWN, Promise, Promises, State
from .silo import DEFAULT_SIZE, Silo, Silos, size_of
from .solutions import Resolved, Solutions
from .waiting import Ticket

if TYPE_CHECKING:
    from ..engine.memory import Memory

MAX_SIZE = 100_000

TOKEN = "claim_token"

MAX_CLAIMS = 10_000
"""Claims that a process remembers as its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peeked:
    """What is known of a key.

    With a ``value`` it is there, in slot ``index``. Else ``promise`` says how the work on it stands, and a
    ``token`` that the caller is the one to do it, within ``ttl`` seconds.
    """

    value: str | None = None
    index: int | None = None
    promise: Promise = UNKNOWN
    token: str | None = None
    ttl: float | None = None

    @property
    def pending(self) -> bool:
        return self.value is None and self.token is None and self.promise.state is State.PENDING


class Sessions:
    """The short-term layer of one memory, and the way from it to the long-term one. Thread-safe."""

    def __init__(self, core: Core, silos: Silos | None = None) -> None:
        self.core = core
        options = core.session
        self.options = options
        self.silos = Silos(options.max_sessions, options.slot_ttl) if silos is None else silos
        self.promises = Promises(
            core.store,
            claim_ttl=options.claim_ttl,
            result_ttl=options.result_ttl,
            redact=core.writer.redact,
        )
        self.nodes = Nodes(core)
        self.edges = Edges(core)
        self.linker = Linker(core, self.nodes, self.edges)
        self.walker = Walker(core, self.nodes, self.edges)
        self.pruner = Pruner(core, self.nodes, self.edges)
        self.mover = Mover(core, self.nodes, self.edges)
        self.solutions = Solutions(options, self.nodes, self.walker)
        self.location = core.store.location
        self._lock = threading.Lock()
        self._claims: OrderedDict[tuple[str, str], str] = OrderedDict()  # tokens, by session and key

    def close(self) -> None:
        self.promises.close()

    # --- the short-term layer ---

    def init(self, session: str, silo_size: int = DEFAULT_SIZE) -> Silo:
        """Give a session a new, empty silo. If values were in the old one, that is a flush; else it only joins in."""
        session = session_name(session)
        silo, before = self.silos.reset(session, min(size_of(silo_size), MAX_SIZE))
        if before:
            self._void(session)
        return silo

    def flush(self, session: str) -> int:
        """Drop a session's silo, and what came of its claimed work for every process; return how many values it held.

        Silos of other processes stay as they are, and so do work in progress and the graph.
        """
        session = session_name(session)
        gone = self.silos.drop(session)
        self._void(session)
        return gone

    def _void(self, session: str) -> None:
        if not self.core.store.read_only:  # where nothing can be claimed from here
            self.promises.void(session)

    def peek(
        self, session: str, key: str, *, claim: bool = False, ttl: float | None = None, token: str | None = None
    ) -> Peeked:
        """Look a key up without computing anything; with ``claim``, take the work on if nobody has it.

        Of all who claim at once, here and in other processes, one gets the work, for ``ttl`` seconds. With the
        ``token`` of its claim whoever has it gets that time anew.
        """
        session, key = session_name(session), key_name(key)
        token = claim_token(token)
        if token is not None and not claim:
            raise InvalidInput(TOKEN, "goes with claim: true, which renews the claim")
        silo = self.silos.of(session)
        if (found := self._use(session, key, silo)) is not None:
            return found
        promise = self.promises.look(session, key)
        if promise.state is State.RESOLVED:
            return self._adopt(session, key, silo, promise)
        if not claim or (promise.state is State.PENDING and token is None):
            return Peeked(promise=promise)
        held = self.promises.claim(session, key, ttl, token)
        # Somebody may have come first, or have finished the work between the look and the claim.
        if (found := self._use(session, key, silo)) is not None:
            if held is not None:
                self.promises.release(session, key)
            return found
        if held is None:
            promise = self.promises.look(session, key)
            resolved = promise.state is State.RESOLVED
            return self._adopt(session, key, silo, promise) if resolved else Peeked(promise=promise)
        with self._lock:
            self._claims.pop((session, key), None)
            self._claims[session, key] = held
            while len(self._claims) > MAX_CLAIMS:
                self._claims.popitem(last=False)
        return Peeked(token=held, ttl=self.options.claim_ttl if ttl is None else ttl)

    def _use(self, session: str, key: str, silo: Silo) -> Peeked | None:
        hit = silo.use(key, self.options.promote_after)
        if hit is None:
            return None
        value, index, due = hit
        if due and not self.solutions.keep(session, key, value):
            silo.keep_later(key)
        return Peeked(value=value, index=index)

    def _adopt(self, session: str, key: str, silo: Silo, promise: Promise) -> Peeked:
        self._let_go(session, key)
        value = promise.payload or ""
        index = silo.set(key, value)
        return self._use(session, key, silo) or Peeked(value=value, index=index)

    def _let_go(self, session: str, key: str) -> None:
        with self._lock:
            self._claims.pop((session, key), None)

    def set(self, session: str, key: str, value: str, token: str | None = None) -> int:
        """Put a value under a key, which fulfils the promise of it if there is one; return its slot.

        Without the ``token`` of a claim it is taken to come from whoever last claimed the work in this process.

        Raises:
            Conflict: that claim ran out, and another has taken the work over or has done it. Nothing is kept.
        """
        session, key = session_name(session), key_name(key)
        value = value_text(value)
        self.promises.fulfil(session, key, value, self._token(session, key, token))
        self._let_go(session, key)
        return self.silos.of(session).set(key, value)

    def _token(self, session: str, key: str, token: str | None) -> str | None:
        with self._lock:
            return claim_token(token) or self._claims.get((session, key))

    def resolve(self, session: str, promise_id: str) -> Promise:
        """Return how a promise stands. A value under its name is its payload."""
        session, promise_id = session_name(session), key_name(promise_id, "promise_id")
        promise = self.promises.look(session, promise_id)
        if promise.state is State.PENDING or promise.state is State.RESOLVED:
            return promise
        found, value, _ = self.silos.of(session).peek(promise_id)
        return Promise(state=State.RESOLVED, payload=value) if found else promise

    def reject(self, session: str, promise_id: str, reason: str, token: str | None = None) -> bool:
        """Give promised work up, so that whoever waits is told and another may take it on. Otherwise as ``set``."""
        session, promise_id = session_name(session), key_name(promise_id, "promise_id")
        reason = validate.text(reason, "reason", longest=validate.MAX_QUERY)
        done = self.promises.reject(session, promise_id, reason, self._token(session, promise_id, token))
        self._let_go(session, promise_id)
        return done

    def ticket(self, session: str, key: str) -> Ticket:
        """Return a ticket that fires when the work on a key is no longer pending."""
        return self.promises.ticket(session_name(session), key_name(key))

    # --- from the one layer to the other ---

    def resolve_context(self, session: str, key: str, silo: Silo | None = None) -> Resolved:
        """Return the value of a key: from the silo, else from the node that fits it, else nothing."""
        session, key = session_name(session), key_name(key)
        found = self.peek(session, key) if silo is None else self._use(session, key, silo)
        if found is not None and found.value is not None:
            return Resolved(source="short_term", value=found.value, score=1.0)
        return self.solutions.recall(session, key)

    def status(self, session: str, silo: Silo | None = None) -> dict[str, Any]:
        """Return what a session holds in both layers."""
        session = session_name(session)
        counts = self.mover.count(session)
        own = self.silos.get(session) if silo is None else silo
        return {
            "short_term": {
                "slots": 0 if own is None else len(own),
                "silo_size": DEFAULT_SIZE if own is None else own.silo_size,
            },
            "long_term": {"nodes": counts["nodes"], "edges": counts["edges"], "types": counts["types"]},
            "promotion_threshold": self.options.promote_after,
        }


def sessions_of(memory: Memory) -> Sessions:
    """Return the sessions of a memory, the same for all who ask."""
    return memory.companions.of(Sessions)


def key_name(value: object, field: str = "key") -> str:
    return validate.text(value, field, longest=validate.MAX_NAME)


def claim_token(value: object) -> str | None:
    return None if value is None else validate.text(value, TOKEN, longest=validate.MAX_NAME)


def value_text(value: object) -> str:
    """Return a value that can be kept: text, which may be empty, of at most 1 MiB."""
    if value == "":
        return ""
    if isinstance(value, str) and not value.strip():
        return value
    return validate.text(value, "value", longest=validate.MAX_CONTENT, what="bytes")
