# SPDX-License-Identifier: Apache-2.0
"""The read path: from a question and filters to explained results."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial
from typing import assert_never, cast

from ..domain.records import Engram, Kind, Passage
from ..domain.scoring import decay
from ..errors import ModelUnavailable
from ..models.lazy import WITHOUT, LazyEmbedder
from ..models.patience import within
from ..ports.batch import Batch, Patch
from ..ports.clock import Clock
from ..ports.store import Cursor, GraphStore, Order
from ..recall import smriti
from ..recall.candidates import Candidate, Pool
from ..recall.late import Asked
from ..recall.plan import plan
from ..recall.rank import Weights, rank, rest
from .requests import DEPTH, Mode, Request, Scoring, continuation, list_cursor, offset
from .results import Recalled, Result
from .showing import as_result, match_type, path, within_budget
from .worker import Worker

log = logging.getLogger("becausal.recall")

STRENGTHENING = 0.05
"""What a recall gives back to a memory's decay factor (smriti's)."""

MAX_EMBEDDING = 4
"""Questions that are embedded at a time."""

FINISHED = 30
"""Best candidates whose scores are finished together, so that the first pages of an answer agree."""


class Recaller:
    """Answers questions about one memory."""

    def __init__(
        self,
        store: GraphStore,
        embedder: LazyEmbedder,
        worker: Worker,
        clock: Clock,
        *,
        scoring: Scoring,
        weights: Weights,
        model_wait: float,
        read_wait: float,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._worker = worker
        self._clock = clock
        self._scoring = scoring
        self._weights = weights
        self._model_wait = model_wait
        self._read_wait = read_wait
        # Threads come when they are needed, and go with the recaller.
        self._helpers = ThreadPoolExecutor(MAX_EMBEDDING, thread_name_prefix="becausal-question")

    def recall(self, request: Request) -> Recalled:
        """Answer a request; see ``Memory.recall``."""
        return self._list(request) if request.mode is Mode.LIST else self.explore(request)[0]

    def explore(self, request: Request) -> tuple[Recalled, Pool]:
        """Answer a question together with the pool of candidates it was answered from."""
        assert request.query is not None
        shown = offset(request)
        embed = self._embedding(request)
        pending = self._worker.settle(self._read_wait) if self._worker.pending() else 0
        now = self._clock.now()
        read = plan(request.query, now=now, zone=request.zone, cues=request.cues)
        pool = Pool(self._store, read, embed, request.where)
        wanted = min(DEPTH, shown + request.limit + 1)
        with self._store.snapshot():
            ranked = self._rank(pool, request.mode, now, wanted)
            results, used = self._results(pool, ranked[shown : shown + request.limit], request)
        if request.strengthen and request.mode in (Mode.RECALL, Mode.HYBRID):
            self._strengthen([result.engram for result in results], now)
        more = shown + used < min(len(ranked), DEPTH)
        recalled = Recalled(
            results=results,
            mode=request.mode.value,
            degraded=self._degraded(pool, request.mode),
            next=continuation(request, o=shown + used) if more and used else None,
            pending=pending,
            confidence=None if pool.confidence is None else round(pool.confidence, 3),
        )
        return recalled, pool

    def _embedding(self, request: Request) -> Callable[[], Asked | None]:
        """Return what gives the question's vector; where there is something to do meanwhile, begin to make it."""
        match request.mode:
            case Mode.FTS | Mode.LIST:
                return lambda: None
            case Mode.SEARCH:
                return partial(self._vector, request)
            case Mode.RECALL | Mode.HYBRID:
                return self._helpers.submit(self._vector, request).result
            case _:
                assert_never(request.mode)

    def _vector(self, request: Request) -> Asked | None:
        """Embed a question, waiting a bounded time for a model that is still loading, or a service."""
        assert request.query is not None
        self._embedder.start()
        # A model of this machine is no service: it is waited for as long as it takes to load.
        left = math.inf if self._embedder.host is None else request.seconds_left
        if left <= 0 or not self._embedder.wait(min(self._model_wait, left)):
            return None
        try:
            with within(left):
                encoded = self._embedder.encode([request.query])
                if encoded is None:
                    return Asked(self._embedder.embed([request.query])[0])
            return Asked(encoded.vectors[0], encoded.tokens[0], encoded.words[0])
        except ModelUnavailable as error:
            log.debug("answering without vectors: %s", error)
            return None

    def _degraded(self, pool: Pool, mode: Mode) -> str | None:
        """Return what the answer had to do without."""
        without = self._embedder.degraded
        if without is None and mode is not Mode.FTS and pool.vector is None:
            without = f"the time for the embedding service was over; {WITHOUT}"
        return without

    def _rank(self, pool: Pool, mode: Mode, now: datetime, wanted: int) -> list[Candidate]:
        match mode:
            case Mode.RECALL if self._scoring is Scoring.SMRITI:
                return smriti.rank(pool, now, wanted)
            case Mode.RECALL:
                best = rank(pool, self._weights, now, max(wanted, FINISHED))
                # Always the same rest, so that the pages of an answer fit together.
                return (best if len(best) >= wanted else [*best, *rest(pool, best, DEPTH)])[:wanted]
            case Mode.SEARCH:
                pool.find_by_vector(wanted)
                return _sorted(pool, lambda each: each.cosine, wanted)
            case Mode.FTS:
                pool.find_by_text(wanted)
                return _sorted(pool, lambda each: each.text, wanted)
            case Mode.HYBRID:
                pool.find_by_text(2 * wanted)
                pool.find_by_vector(2 * wanted)
                pool.complete(list(pool.by_id))
                both = pool.vector is not None
                return _sorted(pool, lambda each: (each.text + each.cosine) / 2 if both else each.text, wanted)
            case Mode.LIST:
                raise AssertionError("listing ranks nothing")
            case _:
                assert_never(mode)

    def _list(self, request: Request) -> Recalled:
        after = list_cursor(request)
        order = Order("last_accessed_at", descending=True)
        page = self._store.find(Kind.ENGRAM, request.where, order, request.limit, after)
        found = [(engram, Candidate(engram.id, score=engram.importance)) for engram in map(_engram, page.records)]
        results = tuple(as_result(engram, each, None, None, request, "list", ()) for engram, each in found)
        shown = within_budget(results, request.max_tokens)
        next_ = (
            page.next if len(shown) == len(results) else Cursor(shown[-1].engram.last_accessed_at, shown[-1].engram.id)
        )
        value = cast(datetime, next_.value).isoformat() if next_ else None
        return Recalled(
            results=shown,
            mode=request.mode.value,
            degraded=self._embedder.degraded,
            next=continuation(request, t=value, i=next_.id) if next_ else None,
        )

    # --- results ---

    def _results(self, pool: Pool, ranked: Sequence[Candidate], request: Request) -> tuple[tuple[Result, ...], int]:
        """Return what fits of some candidates, and how many of them that uses up."""
        known = pool.engrams(list(dict.fromkeys(id for each in ranked for id in (each.id, each.via) if id)))
        wanted = [each.passage for each in ranked if each.passage]
        passages = self._store.get(Kind.PASSAGE, wanted) if wanted else {}
        results = []
        for each in ranked:
            if (engram := known.get(each.id)) is None:
                continue
            passage = cast(Passage | None, passages.get(each.passage or ""))
            via = known.get(each.via or "")
            how = path(each, pool.plan, request.mode, via)
            results.append(as_result(engram, each, passage, pool.vector, request, match_type(each, request.mode), how))
        shown = within_budget(results, request.max_tokens)
        missing = len(ranked) - len(results)
        return shown, len(shown) + missing if len(shown) == len(results) else len(shown)

    def _strengthen(self, engrams: Sequence[Engram], now: datetime) -> None:
        """Note that memories were used. It is done in the background and can never fail a read."""
        if not engrams:
            return
        patches = []
        for engram in engrams:
            hours = (now - engram.last_accessed_at).total_seconds() / 3600
            left = min(1.0, engram.decay_factor * decay(hours) + STRENGTHENING)
            patches.append(
                Patch(
                    Kind.ENGRAM,
                    engram.id,
                    set={"last_accessed_at": max(now, engram.last_accessed_at), "decay_factor": left},
                    increment={"access_count": 1},
                )
            )
        self._worker.defer(Batch(patches=tuple(patches)))


def _sorted(pool: Pool, score: Callable[[Candidate], float], wanted: int) -> list[Candidate]:
    for each in pool.by_id.values():
        each.score = score(each)
    return sorted(pool.by_id.values(), key=lambda each: (-each.score, each.id))[:wanted]


def _engram(record: object) -> Engram:
    return cast(Engram, record)
