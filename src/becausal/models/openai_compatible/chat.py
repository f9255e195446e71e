# SPDX-License-Identifier: Apache-2.0
"""Chat completions as a model that answers in JSON, whatever of that the service can be made to promise."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from ...errors import ContentFiltered, ContextTooLong, RequestRefused, ServerFailed, ServiceError, Used
from ...ports.models import ChatReply, ChatRequest
from .replies import Unreadable, read_object
from .service import Service

CHARS_PER_TOKEN = 4
SHOWN_BACK = 4_000
"""Characters of an unusable answer that the model is shown again."""

LEAST_SECONDS = 1.0
"""Time that must be left for an answer to be asked for again."""

MOST_CHANGES = 4
"""Ways of asking that are tried until the service takes one."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a service is asked: how JSON is demanded, what the bound of an answer is called, with what temperature."""

    json: Literal["schema", "object", "words"] = "schema"
    bound: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True


class OpenAICompatibleChat:
    """A chat model behind an interface like OpenAI's.

    What the service does not take (a schema, a temperature, the name of a bound) is left out from then on.
    """

    def __init__(self, service: Service, model: str) -> None:
        self._service = service
        self._model = model
        self._manner = Manner()
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        return self._model

    @property
    def host(self) -> str:
        return self._service.host

    @property
    def manner(self) -> Manner:
        """How the service is asked, after what it has refused so far."""
        return self._manner

    def complete(self, request: ChatRequest) -> ChatReply:
        """Answer a request; see ``ChatModel.complete``."""
        spent = _Spent()
        try:
            return self._complete(request, spent)
        except ServiceError as error:
            error.used = spent.used
            raise

    def _complete(self, request: ChatRequest, spent: _Spent) -> ChatReply:
        end = time.monotonic() + request.seconds
        messages = [
            {"role": "system", "content": f"{request.system}\n\n{_form(request.schema)}"},
            {"role": "user", "content": request.user},
        ]
        first = self._ask(request, messages, end, spent)
        try:
            return self._reply(request, first, spent)
        except Unreadable as error:
            if not request.repair or end - time.monotonic() < LEAST_SECONDS:
                raise self._service.unusable(str(error)) from None
            problem = str(error)
        messages += [
            {"role": "assistant", "content": first.text[:SHOWN_BACK] or "(nothing)"},
            {"role": "user", "content": f"That was {problem}. Answer again, with nothing but the JSON object."},
        ]
        second = self._ask(request, messages, end, spent)
        try:
            return self._reply(request, second, spent)
        except Unreadable as error:
            raise self._service.unusable(str(error)) from None

    def close(self) -> None:
        """Let go of all connections."""
        self._service.close()

    # --- asking ---

    def _ask(self, request: ChatRequest, messages: Sequence[Mapping[str, str]], end: float, spent: _Spent) -> _Written:
        asked = sum(len(each["content"]) for each in messages)
        for _ in range(MOST_CHANGES):
            manner = self._manner
            body = self._body(request, messages, manner)
            try:
                answer = self._service.post("chat/completions", body, end - time.monotonic())
            except (ContextTooLong, ContentFiltered):
                raise
            except RequestRefused as error:
                other = _changed(manner, str(error))
                if other is None:
                    raise
                with self._lock:
                    if self._manner == manner:
                        self._manner = other
            except ServiceError as error:
                spent.failed(asked, request.max_tokens, error)
                raise
            else:
                return self._written(asked, answer, spent)
        raise self._service.described(RequestRefused, "takes none of the ways of asking that are known")

    def _body(self, request: ChatRequest, messages: Sequence[Mapping[str, str]], manner: Manner) -> Mapping[str, Any]:
        body: dict[str, Any] = {
            "model": self._model,
            "messages": messages,
            manner.bound: request.max_tokens,
            "stream": False,
        }
        if manner.temperature:
            body["temperature"] = 0
        if manner.json == "schema":
            form = {"name": request.purpose, "schema": request.schema, "strict": False}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        elif manner.json == "object":
            body["response_format"] = {"type": "json_object"}
        return body

    def _written(self, asked: int, answer: Any, spent: _Spent) -> _Written:
        """Return what the model wrote, out of the service's answer to so many characters."""
        message: Any = {}
        reason = None
        try:
            choice = answer["choices"][0]
            message, reason = choice["message"], choice.get("finish_reason")
            content = message.get("content")
        except (KeyError, IndexError, TypeError, AttributeError):
            spent.answered(answer, asked, len(json.dumps(answer)))
            raise self._service.unusable("JSON that is no chat completion") from None
        if isinstance(content, list):
            content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
        text = content if isinstance(content, str) else ""
        spent.answered(answer, asked, len(text))
        if reason == "content_filter" or (not text and message.get("refusal")):
            raise self._service.described(ContentFiltered, "declines to answer that")
        return _Written(text=text, cut=reason == "length")

    def _reply(self, request: ChatRequest, written: _Written, spent: _Spent) -> ChatReply:
        data, closed = read_object(written.text, request.schema)
        return ChatReply(
            data=data,
            tokens_in=spent.tokens_in,
            tokens_out=spent.tokens_out,
            estimated=spent.estimated,
            calls=spent.calls,
            cut=closed or written.cut,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    text: str
    cut: bool


@dataclass(slots=True)
class _Spent:
    """What a request has taken so far, in all its calls: as the service says, else an estimate."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    estimated: int = 0

    @property
    def used(self) -> Used:
        return Used(calls=self.calls, tokens=self.tokens_in + self.tokens_out, estimated=self.estimated)

    def answered(self, answer: Any, asked: int, written: int) -> None:
        """Count a call that was answered, to so many characters with so many."""
        usage = answer.get("usage") if isinstance(answer, dict) else None
        usage = usage if isinstance(usage, dict) else {}
        self._count(usage.get("prompt_tokens"), usage.get("completion_tokens"), _in_tokens(asked), _in_tokens(written))

    def failed(self, asked: int, max_tokens: int, error: ServiceError) -> None:
        """Count a call that was not answered, or with something that is no answer.

        A model may have read the request, and have written as much as has come back, or, where nobody knows, as it may.
        """
        if error.reached:
            most = max_tokens if error.received is None else min(max_tokens, _in_tokens(error.received))
            self._count(None, None, _in_tokens(asked), most)
        elif isinstance(error, ServerFailed):
            self.calls += 1

    def _count(self, told_in: object, told_out: object, estimate_in: int, estimate_out: int) -> None:
        self.calls += 1
        told_in, told_out = _told(told_in), _told(told_out)
        self.tokens_in += estimate_in if told_in is None else told_in
        self.tokens_out += estimate_out if told_out is None else told_out
        self.estimated += (estimate_in if told_in is None else 0) + (estimate_out if told_out is None else 0)


def _told(number: object) -> int | None:
    """Return a number of tokens as it was told, if it can be one."""
    right = isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 10**9
    return cast(int, number) if right else None


def _in_tokens(characters: int) -> int:
    return math.ceil(characters / CHARS_PER_TOKEN)


def _form(schema: Mapping[str, Any]) -> str:
    return "Answer with one JSON object of this schema and nothing else:\n" + json.dumps(schema, ensure_ascii=False)


def _changed(manner: Manner, problem: str) -> Manner | None:
    """Return another way of asking after a refusal, ``None`` when there is none left to try."""
    told = problem.casefold()
    changes: list[tuple[bool, Callable[[], Manner | None]]] = [
        ("max_completion_tokens" in told, lambda: _bounded(manner)),
        ("temperature" in told, lambda: replace(manner, temperature=False) if manner.temperature else None),
    ]
    for named, change in changes:
        if named and (other := change()) is not None:
            return other
    match manner.json:
        case "schema":
            return replace(manner, json="object")
        case "object":
            return replace(manner, json="words")
        case "words":
            return None


def _bounded(manner: Manner) -> Manner | None:
    return replace(manner, bound="max_completion_tokens") if manner.bound == "max_tokens" else None
