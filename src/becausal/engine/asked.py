# SPDX-License-Identifier: Apache-2.0
"""A question, what was found for it, and what is said in answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..domain.records import Engram, Link
from ..magma.evidence import confidence
from ..magma.intent import Intent
from ..magma.tracing import Trace
from ..recall.candidates import Pool
from .citing import Citations
from .recalling import Request
from .results import ChainStep, Result
from .stated import Named, Statement

ELSEWHEN = 0.6
"""What confidence keeps where a time is asked for and nothing that answers was told of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A validated question."""

    text: str
    limit: int
    max_tokens: int
    request: Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a question's answer is made from.

    ``asked`` is the question without the words that only say how to answer it, ``forward`` whether it asks what
    came of something. ``records`` are the ``X_RECORDS`` links of the results. ``weights`` are the question's words
    with their weights, ``topic`` those that are not only about a time, ``names`` those that name something.
    """

    question: Question
    asked: str
    intent: Intent
    forward: bool
    results: tuple[Result, ...]
    pool: Pool
    records: tuple[Link, ...]
    named: Named
    statements: tuple[Statement, ...]
    weights: Mapping[str, float]
    topic: Mapping[str, float]
    names: frozenset[str]

    @property
    def in_time(self) -> frozenset[str]:
        """The memories that were told of a time asked for."""
        return frozenset(id for id, each in self.pool.by_id.items() if each.time)

    @property
    def engrams(self) -> dict[str, Engram]:
        return {result.engram.id: result.engram for result in self.results}

    def cosine(self, engrams: Sequence[str]) -> float | None:
        """Return how near the nearest of some memories is to the question; ``None`` where no vector tells."""
        if self.pool.vector is None:
            return None
        return max((self.pool.by_id[id].cosine for id in engrams if id in self.pool.by_id), default=None)

    def sure(
        self, texts: Sequence[str], engrams: Sequence[str], cosine: float | None = None, now: bool = False
    ) -> float:
        """Return how sure it is that some texts, told in some memories, answer the question, 0 … 1.

        ``cosine`` is the nearness of something else that they say; ``now`` that what they say is known to lie in
        the time asked for.
        """
        windows = self.pool.plan.windows
        near = max((each for each in (self.cosine(engrams), cosine) if each is not None), default=None)
        if windows and (now or not self.in_time.isdisjoint(engrams)):
            # What lies in the time asked for need not name it; and where nothing but a time is asked for, it answers.
            return confidence(self.topic, texts, near if self.topic else None, self.names)
        sure = confidence(self.weights, texts, near, self.names)
        return sure * ELSEWHEN if windows else sure


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """An answer in words, how sure it is, and what it cites."""

    text: str
    sure: float
    cited: Citations
    chain: tuple[ChainStep, ...] = ()
    traced: Trace | None = None
