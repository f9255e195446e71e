# SPDX-License-Identifier: Apache-2.0
"""A question, what was found for it, and what is said in answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...domain.designators import Designators, is_designator, names_one, names_others
from ...domain.records import Engram, Link
from ...domain.sentences import sentences
from ...domain.text import query_terms
from ...magma.evidence import LOOSE, confidence, coverage
from ...magma.intent import Intent, focus
from ...magma.matching import Timing
from ...magma.tracing import Trace
from ...recall.candidates import Pool
from ..graph.stated import Named, Statement
from ..requests import Request
from ..results import ChainStep, Result
from .citing import Citations
from .timing import Times

UNDATED, ELSEWHEN = 0.85, 0.6
"""What confidence keeps where a time is asked for and of what answers nobody said when it was, or it was at another."""

CIRCUMSTANCE = 0.5
"""Weight of a word that tells only when or after what the event asked about happened, where that is explained."""

ANOTHER_TIME = 0.5
"""What it keeps where a chain is known to be of another time."""

SOUGHT = 80
"""Characters by which a sentence is found again in its memory."""

NAMED_ONLY = 0.5
"""Share of confidence that is lost where one of several things is named in what was found, and nothing else asked."""


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
    with their weights, ``topic`` those that are not only about a time, ``names`` those that name something, ``which``
    what tells the things it asks about from others of their kind.
    ``in_time`` are the memories told of a time asked for; ``times`` tells of others whether they are.
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
    which: Designators
    in_time: frozenset[str]
    times: Times | None

    @property
    def engrams(self) -> dict[str, Engram]:
        return {result.engram.id: result.engram for result in self.results}

    def is_of_another(self, text: str) -> bool:
        """Whether a text is about another of several things of one kind: machine 4, where machine 9 is asked about."""
        return names_others(self.which, text)

    def tells_of_another(self, text: str, content: str) -> bool:
        """Whether a sentence of a memory is about another: by what it names, else by what the last one before does."""
        if not self.which or names_one(self.which, text):
            return False
        before = content[: max(0, content.find(text[:SOUGHT]))]
        said = [text, *(before[start:end] for start, end in reversed(sentences(before)))]
        named = next((each for each in said if self.is_of_another(each) or names_one(self.which, each)), "")
        return self.is_of_another(named)

    def said_of_it(self, text: str) -> str:
        """Return a text without its sentences about others of the kind that is asked about."""
        if not self.which:
            return text
        said = (text[start:end] for start, end in sentences(text))
        return " ".join(each for each in said if not self.is_of_another(each))

    @property
    def about_it(self) -> tuple[Result, ...]:
        """The results but for those about others of the kind that is asked about."""
        return tuple(result for result in self.results if not self.is_of_another(result.text))

    def cosine(self, engrams: Sequence[str]) -> float | None:
        """Return how near the nearest of some memories is to the question; ``None`` where no vector tells."""
        if self.pool.vector is None:
            return None
        # One that has no vector yet has no cosine either, and is neither near nor far.
        found = (self.pool.by_id[id].cosine for id in engrams if id in self.pool.by_id)
        return max((cosine for cosine in found if cosine), default=None)

    def sure(
        self,
        texts: Sequence[str],
        engrams: Sequence[str],
        cosine: float | None = None,
        timing: Timing | None = None,
        *,
        focused: bool = False,
    ) -> float:
        """Return how sure it is that some texts, told in some memories, answer the question, 0 … 1.

        ``cosine`` is the nearness of something else that they say, ``timing`` where they lie, if it is known, beside
        the time asked for; otherwise that goes by the memories. Where what is asked about is told, its circumstances
        need not be told again with it: then ``focused`` lets them count for less.
        """
        return self._sure(texts, engrams, cosine, timing, focused) * self._told_of_it(texts, focused)

    def _told_of_it(self, texts: Sequence[str], explained: bool) -> float:
        """Return what confidence keeps where more is asked of one of several things than that it is named.

        What is ``explained`` may be told in other words than those that ask about it in general terms.
        """
        asked = {
            word: weight
            for word, weight in self.topic.items()
            if not is_designator(word, self.which) and not (explained and word in LOOSE)
        }
        own = [text for text in texts if names_one(self.which, text)]
        if not own or not asked or self.intent is Intent.EXPLORE:
            return 1.0
        return 1.0 - NAMED_ONLY * (1.0 - coverage(asked, own))

    def _sure(
        self,
        texts: Sequence[str],
        engrams: Sequence[str],
        cosine: float | None,
        timing: Timing | None,
        focused: bool,
    ) -> float:
        near = max((each for each in (self.cosine(engrams), cosine) if each is not None), default=None)
        if not self.pool.plan.windows:
            return confidence(self._of(self.weights, focused), texts, near, self.names)
        if timing is None:
            timing = Timing.ELSEWHERE if self.in_time.isdisjoint(engrams) else Timing.INSIDE
            elsewhen = ELSEWHEN
        else:
            elsewhen = ANOTHER_TIME
        if timing is Timing.ELSEWHERE:
            return elsewhen * confidence(self._of(self.weights, focused), texts, near, self.names)
        # What lies in the time asked for need not name it; and where nothing but a time is asked for, it answers.
        sure = confidence(self._of(self.topic, focused), texts, near if self.topic else None, self.names)
        return sure * (UNDATED if timing is Timing.UNKNOWN else 1.0)

    def _of(self, weights: Mapping[str, float], focused: bool) -> Mapping[str, float]:
        if not focused:
            return weights
        meant = set(query_terms(focus(self.question.text)))
        return {word: weight * (1.0 if word in meant else CIRCUMSTANCE) for word, weight in weights.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """An answer in words, how sure it is, and what it cites. ``remarks`` are what it says behind a chain, or that
    it leaves out.
    """

    text: str
    sure: float
    cited: Citations
    chain: tuple[ChainStep, ...] = ()
    traced: Trace | None = None
    remarks: tuple[str, ...] = ()
