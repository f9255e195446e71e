# SPDX-License-Identifier: Apache-2.0
"""What a chat model does for a question: it may read the question and write the answer, in two calls at most.

Whatever it cannot or must not do is done without it, and the answer says which was used.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..domain.text import clip, normalize_name, query_terms, sentences, terms
from ..domain.time import iso
from ..errors import BecausalError, BudgetSpent, ReplyUnusable, RequestRefused, ServiceError
from ..magma.intent import Intent
from ..models import prompts
from ..models.guarded import GuardedChat
from ..models.patience import within
from ..ports.clock import Clock
from ..ports.models import ChatReply, ChatRequest
from .results import LOCAL, Answer, Result, Source

CALLS = 2
"""Calls of the model for one question, at most."""

PLAN_SHARE = 0.4
"""Share of a question's time that reading it may take."""

SURE_INTENT = 0.5
UNSURE = 0.6
"""Confidence of an answer whose model gave none, and at most where the memory itself would have declined."""

MOST_SURE = 0.95
INVENTED = 0.7
"""What confidence keeps where a source was cited that is none."""

OWN_WORDS = 0.5
"""Share of an answer's words, but for the question's, that its sources must hold."""

ALIVE = (ReplyUnusable, RequestRefused, BudgetSpent)
"""Failures that say nothing against asking the service something else."""

MAX_CUES = 6
LONGEST = 4_000
_CITED = re.compile(r"\[\s*(?:sources?\s*)?(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)\s*\]", re.I)
_BEHIND = re.compile(r"([.!?])((?:\s*\[[\d\s,;]+\])+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatOptions:
    """How a memory uses a chat model. Times are in seconds; ``enrich`` says whether it reads memories unasked."""

    chat: GuardedChat
    plan_tokens: int = 1000
    answer_tokens: int = 2000
    tokens_per_memory: int = 6000
    question_seconds: float = 20.0
    call_seconds: float = 60.0
    enrich: bool = True


@dataclass(slots=True)
class Help:
    """The help that one question gets. ``made_by`` says, by step, what made it.

    ``patience`` are the seconds it may take where that is less than ``options`` allow. A service that has failed is not
    asked once more for the same question.
    """

    question: str
    options: ChatOptions
    clock: Clock
    monotonic: Callable[[], float] = time.monotonic
    made_by: dict[str, str] = field(default_factory=dict)
    cues: tuple[str, ...] = ()
    patience: float = math.inf
    _calls: int = 0
    _end: float = field(init=False)
    _dead: str | None = None  # why the service is not asked again for this question

    def __post_init__(self) -> None:
        self._end = self.monotonic() + min(self.options.question_seconds, self.patience)

    # --- reading the question ---

    def read(self, local: Intent) -> Intent:
        """Return what kind of question it is, and keep the ``cues`` to search with.

        What the wording says outright is not left to a model: it decides where that says nothing.
        """
        seconds = self.options.question_seconds * PLAN_SHARE
        reply = self._ask("intent", prompts.plan(self.question, max_tokens=self.options.plan_tokens, seconds=seconds))
        if reply is None:
            return local
        given = reply.data.get("cues")
        names = [
            normalize_name(each)[:60] for each in (given if isinstance(given, list) else []) if isinstance(each, str)
        ]
        self.cues = tuple(dict.fromkeys(name for name in names if len(name) > 1))[:MAX_CUES]
        sure = reply.data.get("confidence", SURE_INTENT)
        meant = reply.data.get("intent")
        if local not in (Intent.WHAT, Intent.EXPLORE):
            self.made_by["intent"] = LOCAL
        elif meant not in tuple(Intent):
            self._not("intent", "the model names no kind of question")
        elif _number(sure) < SURE_INTENT:
            self._not("intent", "the model is not sure what is asked")
        else:
            return Intent(meant)
        return local

    # --- writing the answer ---

    def write(self, answer: Answer, results: Sequence[Result], limit: int) -> Answer:
        """Return an answer in the model's words where its sources bear it out, else the one given."""
        written = self._write(answer, _sources(answer, results, limit))
        return replace(written or answer, made_by=dict(self.made_by))

    def _write(self, answer: Answer, sources: Sequence[Source]) -> Answer | None:
        if not sources:
            self.made_by["answer"] = f"{LOCAL}: nothing was found to answer from"
            return None
        request = prompts.answer(
            self.question,
            [_shown(each) for each in sources],
            [f"{step.cause} → {step.effect}" for step in answer.chain],
            today=self.clock.now(),
            max_tokens=self.options.answer_tokens,
            seconds=self.options.question_seconds,
            repair=self._calls + 2 <= CALLS,
        )
        reply = self._ask("answer", request)
        if reply is None:
            return None
        text = " ".join(str(reply.data["answer"]).split())
        if reply.cut or len(text) > LONGEST:
            self._not("answer", "the model's answer broke off")
            return None
        if reply.data["answerable"] is not True or not text:
            self._not("answer", "the model finds no answer in the sources")
            return None
        return self._checked(answer, sources, text, reply.data)

    def _checked(self, answer: Answer, sources: Sequence[Source], text: str, data: Mapping[str, Any]) -> Answer | None:
        known = {each.number: each for each in sources}
        text, cited, invented = citations(text, known)
        if not cited:
            self._not("answer", "the model's answer names no source")
            return None
        chain = " ".join(f"{step.cause} {step.effect}" for step in answer.chain)
        told = set(terms(" ".join([known[number].text for number in cited] + [chain])))
        own = [word for word in query_terms(_CITED.sub(" ", text)) if word not in set(query_terms(self.question))]
        if own and sum(word in told for word in own) < OWN_WORDS * len(own):
            self._not("answer", "the model's answer says what its sources do not")
            return None
        sure = min(_number(data.get("confidence", UNSURE)), MOST_SURE)
        sure *= 0.5 + 0.5 * _cited_share(text)
        sure *= INVENTED if invented else 1.0
        if answer.abstained:
            sure = min(sure, UNSURE)
        used = {*cited, *(step.source for step in answer.chain)}
        return replace(
            answer,
            answer=text,
            confidence=round(max(0.0, sure), 4),
            abstained=False,
            sources=tuple(each for each in sources if each.number in used),
        )

    # --- calling ---

    def _ask(self, step: str, request: ChatRequest) -> ChatReply | None:
        chat = self.options.chat
        left = self._end - self.monotonic()
        if self._dead is not None:
            self._not(step, self._dead)
            return None
        if left <= 0:
            self._not(step, "the time for the model was over")
            return None
        try:
            with within(left):
                reply = chat.complete(replace(request, seconds=min(request.seconds, left)))
        except BecausalError as error:
            self._calls += 1
            self._not(step, str(error))
            if isinstance(error, ServiceError) and not isinstance(error, ALIVE):
                self._dead = str(error)
            return None
        self._calls += reply.calls
        self.made_by[step] = chat.name
        return reply

    def _not(self, step: str, reason: str) -> None:
        """Note why a step was done without the model."""
        self.made_by[step] = f"{LOCAL}: {reason}"


def citations(text: str, known: Mapping[int, object]) -> tuple[str, tuple[int, ...], bool]:
    """Return a text without citations of sources that are not known, the numbers left, and whether any was taken out.

    >>> citations("It froze [1, 7]. Then [9] it burst [2].", {1: "", 2: ""})
    ('It froze [1]. Then it burst [2].', (1, 2), True)
    """
    cited: dict[int, None] = {}
    invented = False

    def kept(match: re.Match[str]) -> str:
        nonlocal invented
        numbers = [int(each) for each in re.findall(r"\d+", match[1])]
        right = [number for number in numbers if number in known]
        invented |= len(right) < len(numbers)
        cited.update(dict.fromkeys(right))
        return "".join(f"[{number}]" for number in dict.fromkeys(right))

    text = _CITED.sub(kept, text)
    return re.sub(r"\s+([.,;!?])", r"\1", " ".join(text.split())), tuple(cited), invented


def _cited_share(text: str) -> float:
    """Return the share of a text's sentences that name a source."""
    text = _BEHIND.sub(lambda match: f" {match[2].strip()}{match[1]}", text)
    parts = [text[start:end] for start, end in sentences(text)]
    parts = [each for each in parts if any(letter.isalpha() for letter in each)]
    return sum(bool(_CITED.search(each)) for each in parts) / len(parts) if parts else 0.0


def _sources(answer: Answer, results: Sequence[Result], limit: int) -> tuple[Source, ...]:
    """Return what an answer rests on, and then the other memories found, up to ``limit``."""
    sources = list(answer.sources)
    known = {each.engram for each in sources}
    number = max((each.number for each in sources), default=0)
    for result in results:
        if len(sources) >= limit:
            break
        if result.engram.id not in known:
            number += 1
            sources.append(_source(number, result))
    return tuple(sources)


def _source(number: int, result: Result) -> Source:
    engram = result.engram
    return Source(
        number=number,
        engram=engram.id,
        text=clip(result.passage or engram.content, prompts.MAX_SOURCE),
        source=engram.source,
        at=engram.at,
        occurred_end=engram.occurred_end,
        precision=engram.precision,
    )


def _shown(each: Source) -> Mapping[str, Any]:
    return {"number": each.number, "at": iso(each.at), "text": clip(each.text, prompts.MAX_SOURCE)}


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return UNSURE
    return float(value)


def helper(options: ChatOptions | None, question: str, clock: Clock, patience: float) -> Help | None:
    """Return the help for a question, if there is a chat model."""
    return None if options is None else Help(question, options, clock, patience=patience)
