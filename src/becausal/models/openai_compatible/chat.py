# SPDX-License-Identifier: Apache-2.0
"""Chat completions as a model that answers in JSON, whatever of that the service can be made to promise."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ...errors import ContentFiltered, ContextTooLong, RequestRefused
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
        end = time.monotonic() + request.seconds
        messages = [
            {"role": "system", "content": f"{request.system}\n\n{_form(request.schema)}"},
            {"role": "user", "content": request.user},
        ]
        first = self._ask(request, messages, end)
        try:
            return self._reply(request, first)
        except Unreadable as error:
            if not request.repair or end - time.monotonic() < LEAST_SECONDS:
                raise self._service.unusable(str(error)) from None
            problem = str(error)
        messages += [
            {"role": "assistant", "content": first.text[:SHOWN_BACK] or "(nothing)"},
            {"role": "user", "content": f"That was {problem}. Answer again, with nothing but the JSON object."},
        ]
        second = self._ask(request, messages, end)
        try:
            reply = self._reply(request, second)
        except Unreadable as error:
            raise self._service.unusable(str(error)) from None
        return replace(
            reply,
            tokens_in=reply.tokens_in + first.tokens_in,
            tokens_out=reply.tokens_out + first.tokens_out,
            calls=2,
        )

    def close(self) -> None:
        """Let go of all connections."""
        self._service.close()

    # --- asking ---

    def _ask(self, request: ChatRequest, messages: Sequence[Mapping[str, str]], end: float) -> _Written:
        for _ in range(MOST_CHANGES):
            manner = self._manner
            body = self._body(request, messages, manner)
            try:
                return self._written(messages, self._service.post("chat/completions", body, end - time.monotonic()))
            except (ContextTooLong, ContentFiltered):
                raise
            except RequestRefused as error:
                other = _changed(manner, str(error))
                if other is None:
                    raise
                with self._lock:
                    if self._manner == manner:
                        self._manner = other
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

    def _written(self, messages: Sequence[Mapping[str, str]], answer: Any) -> _Written:
        """Return what the model wrote, out of the service's answer."""
        try:
            choice = answer["choices"][0]
            message = choice["message"]
            content = message.get("content")
        except (KeyError, IndexError, TypeError, AttributeError):
            raise self._service.unusable("JSON that is no chat completion") from None
        reason = choice.get("finish_reason")
        if reason == "content_filter" or (content is None and message.get("refusal")):
            raise self._service.described(ContentFiltered, "declines to answer that")
        if isinstance(content, list):
            content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
        text = content if isinstance(content, str) else ""
        usage = answer.get("usage") if isinstance(answer.get("usage"), dict) else {}
        asked = sum(len(each["content"]) for each in messages)
        return _Written(
            text=text,
            cut=reason == "length",
            tokens_in=_tokens(usage.get("prompt_tokens"), asked),
            tokens_out=_tokens(usage.get("completion_tokens"), len(text)),
        )

    def _reply(self, request: ChatRequest, written: _Written) -> ChatReply:
        data, closed = read_object(written.text, request.schema)
        return ChatReply(
            data=data, tokens_in=written.tokens_in, tokens_out=written.tokens_out, cut=closed or written.cut
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    text: str
    cut: bool
    tokens_in: int
    tokens_out: int


def _tokens(told: object, characters: int) -> int:
    """Return a number of tokens as it was told, or an estimate."""
    if isinstance(told, int) and not isinstance(told, bool) and 0 <= told < 10**9:
        return told
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
