# SPDX-License-Identifier: Apache-2.0
"""The read path: from a question and filters to explained results."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import logging
import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from enum import StrEnum
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, assert_never, cast

from ..domain.records import Engram, Kind, MemoryType, Passage
from ..domain.scoring import decay
from ..domain.text import clip
from ..errors import InvalidInput, ModelUnavailable
from ..models.lazy import WITHOUT, LazyEmbedder
from ..models.patience import within
from ..ports.batch import Batch, Patch
from ..ports.clock import Clock
from ..ports.store import Condition, Cursor, GraphStore, Op, Order, Where
from ..recall import smriti
from ..recall.candidates import Candidate, Pool
from ..recall.late import Asked
from ..recall.plan import Plan, plan
from ..recall.rank import Weights, rank, rest
from . import validate
from .results import Explanation, Recalled, Result
from .worker import Worker

if TYPE_CHECKING:
    from ..ports.models import Vector

log = logging.getLogger("becausal.recall")

STRENGTHENING = 0.05
"""What a recall gives back to a memory's decay factor (smriti's)."""

DEPTH = 200
"""Results a question has in all, over all its pages."""

MAX_EMBEDDING = 4
"""Questions that are embedded at a time."""

FINISHED = 30
"""Best candidates whose scores are finished together, so that the first pages of an answer agree."""

EXCERPT = 4_000
"""Characters shown of one memory when the answer is held to a number of tokens."""

CHARS_PER_TOKEN = 4
RESULT_TOKENS = 60
"""Allowance for everything about a result that is not its text."""


class Mode(StrEnum):
    RECALL = "recall"
    SEARCH = "search"
    FTS = "fts"
    HYBRID = "hybrid"
    LIST = "list"


class Scoring(StrEnum):
    DEFAULT = "default"
    SMRITI = "smriti"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A validated question."""

    query: str | None
    mode: Mode
    limit: int
    where: Where
    cursor: str | None
    max_tokens: int | None
    strengthen: bool
    zone: tzinfo
    patience: float = math.inf  # seconds that an embedding service may keep it waiting, counted from ``at``
    at: float = field(default_factory=monotonic)
    cues: tuple[str, ...] = ()  # normalised names to look for beside those in the question

    @property
    def seconds_left(self) -> float:
        return self.at + self.patience - monotonic()


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
        offset = _offset(request)
        embed = self._embedding(request)
        pending = self._worker.settle(self._read_wait) if self._worker.pending() else 0
        now = self._clock.now()
        read = plan(request.query, now=now, zone=request.zone, cues=request.cues)
        pool = Pool(self._store, read, embed, request.where)
        wanted = min(DEPTH, offset + request.limit + 1)
        with self._store.snapshot():
            ranked = self._rank(pool, request.mode, now, wanted)
            results, used = self._results(pool, ranked[offset : offset + request.limit], request)
        if request.strengthen and request.mode in (Mode.RECALL, Mode.HYBRID):
            self._strengthen([result.engram for result in results], now)
        more = offset + used < min(len(ranked), DEPTH)
        recalled = Recalled(
            results=results,
            mode=request.mode.value,
            degraded=self._degraded(pool, request.mode),
            next=_encode({"q": _digest(request), "o": offset + used}) if more and used else None,
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
        after = _list_cursor(request)
        order = Order("last_accessed_at", descending=True)
        page = self._store.find(Kind.ENGRAM, request.where, order, request.limit, after)
        found = [(engram, Candidate(engram.id, score=engram.importance)) for engram in map(_engram, page.records)]
        results = tuple(self._result(engram, each, None, None, request, "list", ()) for engram, each in found)
        shown = _within_budget(results, request.max_tokens)
        next_ = (
            page.next if len(shown) == len(results) else Cursor(shown[-1].engram.last_accessed_at, shown[-1].engram.id)
        )
        value = cast(datetime, next_.value).isoformat() if next_ else None
        return Recalled(
            results=shown,
            mode=request.mode.value,
            degraded=self._embedder.degraded,
            next=_encode({"q": _digest(request), "t": value, "i": next_.id}) if next_ else None,
        )

    # --- results ---

    def _results(self, pool: Pool, ranked: Sequence[Candidate], request: Request) -> tuple[tuple[Result, ...], int]:
        """Return what fits of some candidates, and how many of them that uses up."""
        engrams = pool.engrams([each.id for each in ranked])
        wanted = [each.passage for each in ranked if each.passage]
        passages = self._store.get(Kind.PASSAGE, wanted) if wanted else {}
        linked = [each.via for each in ranked if each.via and each.via not in engrams]
        known = engrams | (pool.engrams(linked) if linked else {})
        results = []
        for each in ranked:
            if (engram := engrams.get(each.id)) is None:
                continue
            passage = cast(Passage | None, passages.get(each.passage or ""))
            via = known.get(each.via or "")
            path = _path(each, pool.plan, request.mode, via)
            results.append(self._result(engram, each, passage, pool.vector, request, _match(each, request.mode), path))
        shown = _within_budget(results, request.max_tokens)
        missing = len(ranked) - len(results)
        return shown, len(shown) + missing if len(shown) == len(results) else len(shown)

    def _result(
        self,
        engram: Engram,
        each: Candidate,
        passage: Passage | None,
        vector: Vector | None,
        request: Request,
        match: str,
        path: tuple[str, ...],
    ) -> Result:
        parts = {
            "text": each.text,
            "vector": each.cosine if vector is not None else 0.0,
            "cue": each.cue,
            "time": each.time,
            "neighbours": each.lent,
            "tokens": each.late,
            "names": each.named,
        }
        span = (passage.start, passage.end) if passage else (0, 0)
        text, truncated = _excerpt(engram.content, span, request.max_tokens)
        return Result(
            engram=engram,
            score=each.score,
            text=text,
            truncated=truncated,
            passage=engram.content[span[0] : span[1]] if passage else None,
            start=span[0] if passage else None,
            end=span[1] if passage else None,
            how=Explanation(
                match_type=match,
                path=path,
                parts={name: round(value, 4) for name, value in parts.items() if abs(value) > 1e-9},
            ),
        )

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


def mode_of(name: str | None, asked: str | None) -> Mode:
    """Return the mode of a name; without one, what suits a question, or the lack of one."""
    if not name:
        return Mode.LIST if asked is None else Mode.RECALL
    try:
        mode = Mode(name)
    except ValueError:
        allowed = ", ".join(Mode)
        raise InvalidInput("mode", f"unknown mode: {name} (it must be one of {allowed})") from None
    if asked is None and mode is not Mode.LIST:
        raise InvalidInput("query", f"query is required for {mode} mode")
    return mode


def filters(
    *,
    memory_type: MemoryType | None,
    tags: tuple[str, ...],
    source: str | None,
    session: str | None,
    since: datetime | None,
    until: datetime | None,
) -> Where:
    """Return the conditions of a caller's filters; archived memories never match."""
    where = [Condition("archived_at", Op.NULL, True)]
    if memory_type is not None:
        where.append(Condition("memory_type", Op.EQ, memory_type))
    if tags:
        where.append(Condition("tags", Op.HAS, tags))
    if source is not None:
        where.append(Condition("source", Op.EQ, source))
    if session is not None:
        where.append(Condition("session", Op.EQ, session))
    if since is not None:
        where.append(Condition("at", Op.GE, since))
    if until is not None:
        where.append(Condition("at", Op.LT, until))
    if since is not None and until is not None and since >= until:
        raise InvalidInput("until", "must be later than since")
    return tuple(where)


def _match(each: Candidate, mode: Mode) -> str:
    """Name the evidence that did most for a candidate."""
    match mode:
        case Mode.SEARCH:
            return "search"
        case Mode.FTS | Mode.HYBRID:
            return mode.value
        case _:
            if each.hop:
                return "association"
            if each.lent > each.base and each.via:
                return "neighbour"
            if each.named > each.base + each.lent:
                return "name"
            if each.cue > 0:
                return "cue"
            if each.time and not each.text:
                return "time"
            return "text" if each.text >= each.cosine else "vector"


def _path(each: Candidate, read: Plan, mode: Mode, via: Engram | None) -> tuple[str, ...]:
    """Say, step by step, how a candidate was found."""
    steps = []
    if each.cues:
        steps.append("cue: " + ", ".join(each.cues[:4]))
    if each.words:
        steps.append("words: " + ", ".join(dict.fromkeys(read.words.get(term, term) for term in each.words[:8])))
    if each.cosine > 0 and mode is not Mode.FTS:
        steps.append(f"similar meaning ({each.cosine:.2f})")
    if each.time:
        steps.append("in the time asked for")
    steps.extend(each.path)
    if via is not None and each.path:
        steps.append(f"from: {clip(via.summary, 80)}")
    return tuple(steps)


def _excerpt(content: str, span: tuple[int, int], max_tokens: int | None) -> tuple[str, bool]:
    """Return the content, or what surrounds its best passage when it is too long to show."""
    room = EXCERPT if max_tokens is None else min(EXCERPT, (max_tokens - RESULT_TOKENS) * CHARS_PER_TOKEN)
    if max_tokens is None or len(content) <= room:
        return content, False
    start, end = span
    spare = max(0, room - (end - start))
    low = max(0, start - spare // 2)
    high = min(len(content), low + room)
    low = max(0, high - room)
    return ("… " if low else "") + content[low:high].strip() + (" …" if high < len(content) else ""), True


def _within_budget(results: Sequence[Result], max_tokens: int | None) -> tuple[Result, ...]:
    """Return the first results that fit; the very first always does, its text having been cut to size."""
    if max_tokens is None:
        return tuple(results)
    kept: list[Result] = []
    left = max_tokens
    for result in results:
        left -= len(result.text) // CHARS_PER_TOKEN + RESULT_TOKENS
        if left < 0 and kept:
            break
        kept.append(result)
    return tuple(kept)


def _sorted(pool: Pool, score: Callable[[Candidate], float], wanted: int) -> list[Candidate]:
    for each in pool.by_id.values():
        each.score = score(each)
    return sorted(pool.by_id.values(), key=lambda each: (-each.score, each.id))[:wanted]


# --- cursors: opaque, bound to the question they continue ---


def _digest(request: Request) -> str:
    asked = json.dumps([request.query, request.mode, [str(each) for each in request.where]])
    return hashlib.sha256(asked.encode("utf-8", "replace")).hexdigest()[:12]


def _encode(state: dict[str, object]) -> str:
    return base64.urlsafe_b64encode(json.dumps(state).encode()).decode().rstrip("=")


def _decode(request: Request) -> dict[str, object]:
    cursor = request.cursor or ""
    try:
        state = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, binascii.Error):
        state = None
    if not isinstance(state, dict) or state.get("q") != _digest(request):
        raise InvalidInput("cursor", "must be the 'next' of an earlier answer to the same question and filters")
    return state


def _offset(request: Request) -> int:
    if request.cursor is None:
        return 0
    return validate.integer(_decode(request).get("o"), "cursor", 0, DEPTH)


def _list_cursor(request: Request) -> Cursor | None:
    if request.cursor is None:
        return None
    state = _decode(request)
    return Cursor(datetime.fromisoformat(str(state["t"])), str(state["i"]))


def _engram(record: object) -> Engram:
    return cast(Engram, record)
