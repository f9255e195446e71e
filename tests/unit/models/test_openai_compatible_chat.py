# SPDX-License-Identifier: Apache-2.0
"""A chat service may say anything, or nothing: each way of failing has its error, and none gives a key away."""

from __future__ import annotations

import json
import logging
import math
import socket
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from becausal.errors import (
    AccessDenied,
    ContentFiltered,
    ContextTooLong,
    KeyRefused,
    ModelUnavailable,
    RateLimited,
    ReplyUnusable,
    RequestRefused,
    ServerFailed,
    ServiceError,
    ServiceTimeout,
    ServiceUnreachable,
    UnknownModel,
    Used,
)
from becausal.models.openai_compatible.chat import OpenAICompatibleChat, _form
from becausal.models.openai_compatible.failures import retry_after
from becausal.models.openai_compatible.service import Service, host_of, is_local
from becausal.ports.models import ChatRequest
from model_server import KEY, ModelServer, Raw, completion, error, model_server, says

SCHEMA = {
    "type": "object",
    "properties": {"kind": {"type": "string"}, "sure": {"type": "number"}},
    "required": ["kind"],
}


OPENED: list[OpenAICompatibleChat] = []


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as server:
        yield server
        while OPENED:
            OPENED.pop().close()


def chat(server: ModelServer, **more: Any) -> OpenAICompatibleChat:
    more = {"retries": 2, "first_wait": 0.001, "key": KEY, **more}
    OPENED.append(OpenAICompatibleChat(Service(server.url, what="the chat service", **more), "tiny"))
    return OPENED[-1]


def request(**more: Any) -> ChatRequest:
    given: dict[str, Any] = {
        "system": "You sort.",
        "user": "A question?",
        "schema": SCHEMA,
        "max_tokens": 50,
        "seconds": 10.0,
    }
    return ChatRequest(purpose="sort", version="1", **{**given, **more})


def failure(server: ModelServer, answer: Raw, **more: Any) -> ServiceError:
    """Ask a server that always answers the same, and return the error."""
    server.script = [answer]
    model = chat(server)
    try:
        with pytest.raises(ServiceError) as caught:
            model.complete(request(**more))
    finally:
        model.close()
    assert KEY not in str(caught.value) + repr(caught.value)
    assert caught.value.__cause__ is None
    return caught.value


# --- what a failed call took ---------------------------------------------------------------------

ASKED = math.ceil(len("You sort.\n\n" + _form(SCHEMA) + "A question?") / 4)


@pytest.mark.parametrize(
    ("answer", "tokens", "estimated"),
    [
        (completion("no JSON"), 120, 0),  # the service says what it took
        (completion("", finish="content_filter"), 120, 0),
        (Raw(b'{"usage": {"prompt_tokens": 30, "completion_tokens": 5}}'), 35, 0),
        (Raw(b'{"usage": {"prompt_tokens": 30}, "choices": []}'), 30 + 12, 12),
        (Raw(b'{"choices": [{"message": {"content": "no JSON!"}}]}'), ASKED + 2, ASKED + 2),
        (Raw(b""), ASKED, ASKED),
        (Raw(b"\xff" * 40), ASKED + 10, ASKED + 10),
        (Raw(b"{" + b" " * 9_000_000), ASKED + 50, ASKED + 50),  # more cannot have been written
    ],
)
def test_an_unusable_answer_took_what_the_service_says_else_an_estimate(
    server: ModelServer, answer: Raw, tokens: int, estimated: int
) -> None:
    assert failure(server, answer).used == Used(calls=1, tokens=tokens, estimated=estimated)


def test_both_calls_of_a_repair_that_failed_are_counted(server: ModelServer) -> None:
    assert failure(server, completion("no JSON"), repair=True).used == Used(calls=2, tokens=240)


@pytest.mark.parametrize("answer", [Raw(hang=True), Raw(b"{" * 999, drip=True), Raw(drop=True)])
def test_a_request_that_was_sent_and_not_answered_may_have_been_read_and_answered_in_full(
    server: ModelServer, answer: Raw
) -> None:
    assert failure(server, answer, seconds=2.0).used == Used(calls=1, tokens=ASKED + 50, estimated=ASKED + 50)


@pytest.mark.parametrize(
    ("status", "used"), [(401, Used()), (404, Used()), (429, Used()), (400, Used()), (500, Used(calls=1))]
)
def test_what_the_service_refused_or_broke_at_took_no_tokens(server: ModelServer, status: int, used: Used) -> None:
    assert failure(server, error(status)).used == used


def test_what_never_reached_the_service_took_nothing() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    nobody = OpenAICompatibleChat(Service(url, None, what="the chat service", retries=0), "tiny")
    with pytest.raises(ServiceError) as caught:
        nobody.complete(request())
    nobody.close()

    assert caught.value.used == Used()


# --- what is sent -------------------------------------------------------------------------------


def test_a_request_names_the_model_its_bound_and_the_schema_and_carries_the_key(server: ModelServer) -> None:
    server.script = [says({"kind": "why"})]
    chat(server).complete(request())

    (sent,) = server.requests
    assert sent.path == "/v1/chat/completions"
    assert sent.headers["Authorization"] == f"Bearer {KEY}"
    assert (sent.body["model"], sent.body["max_tokens"], sent.body["temperature"]) == ("tiny", 50, 0)
    assert sent.body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert [each["role"] for each in sent.body["messages"]] == ["system", "user"]


def test_without_a_key_no_authorization_is_sent(server: ModelServer) -> None:
    server.script = [says({"kind": "why"})]
    chat(server, key=None).complete(request())

    assert "Authorization" not in server.requests[0].headers


def test_halves_of_surrogate_pairs_do_not_stop_a_request(server: ModelServer) -> None:
    server.script = [says({"kind": "why"})]

    assert chat(server).complete(request(user="broken \ud800 text")).data == {"kind": "why"}


# --- good answers -------------------------------------------------------------------------------


def test_a_valid_answer_comes_with_what_it_took(server: ModelServer) -> None:
    server.script = [says({"kind": "why", "sure": 0.5})]
    reply = chat(server).complete(request())

    assert reply.data == {"kind": "why", "sure": 0.5}
    assert (reply.tokens_in, reply.tokens_out, reply.calls, reply.cut) == (100, 20, 1, False)


@pytest.mark.parametrize(
    "content",
    [
        'Sure! Here it is:\n```json\n{"kind": "why"}\n```\nAnything else?',
        '```\n{"kind": "why"}```',
        'I think {"kind": "why"} fits.',
        '<think>{"kind": "when"}? No.</think>{"kind": "why"}',
        '{"kind": "why",}',
        '```json\n{"kind": "why"',
    ],
)
def test_json_is_found_in_fences_talk_and_thoughts(server: ModelServer, content: str) -> None:
    server.script = [completion(content)]

    assert chat(server).complete(request()).data == {"kind": "why"}


def test_an_answer_in_parts_is_put_together(server: ModelServer) -> None:
    server.script = [completion([{"type": "text", "text": '{"kind":'}, {"type": "text", "text": '"why"}'}])]  # type: ignore[arg-type]

    assert chat(server).complete(request()).data == {"kind": "why"}


def test_a_truncated_answer_keeps_its_whole_members_and_says_that_it_is_cut(server: ModelServer) -> None:
    server.script = [completion('{"kind": "why", "list": [{"a": 1}, {"a": 2, "b": "unfin', finish="length")]
    reply = chat(server).complete(request())

    assert reply.data == {"kind": "why", "list": [{"a": 1}, {"a": 2}]}
    assert reply.cut


def test_an_answer_without_usage_is_estimated(server: ModelServer) -> None:
    body = {"choices": [{"message": {"content": '{"kind": "why"}'}}]}
    server.script = [Raw(json.dumps(body).encode())]
    reply = chat(server).complete(request())

    assert reply.tokens_out == 4  # 15 characters at four to a token
    assert reply.tokens_in > 10


# --- unusable answers ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (says({"sort": "why"}), "without 'kind'"),
        (says({"kind": 7}), "'kind' is no string"),
        (says({"kind": "why", "sure": True}), "'sure' is no number"),
        (says(["why"]), "no JSON object"),
        (completion("I would rather not."), "no JSON object"),
        (completion('{"kin'), "without 'kind'"),
        (completion("{" * 5000), "JSON that cannot be read"),
        (completion(""), "no text"),
        (completion(None), "no text"),
        (Raw(b""), "nothing"),
        (Raw(b"   "), "nothing"),
        (Raw(b"<html>hello</html>"), "not JSON"),
        (Raw(b'{"choices": [{"message": {"content": "\xff\xfe"}}]}'), "no UTF-8"),
        (Raw(b"[" * 100_000), "not JSON"),
        (Raw(b'{"choices": NaN}'), "not JSON"),
        (Raw(b'{"choices": []}'), "no chat completion"),
        (Raw(b'{"choices": [{"message": "why"}]}'), "no chat completion"),
        (Raw(b"[]"), "no chat completion"),
        (Raw(b'{"choices": "' + b"x" * 10_000_000 + b'"}'), "more than 8,388,608 bytes"),
    ],
)
def test_an_answer_that_is_not_what_was_asked_for_is_refused_with_the_reason(
    server: ModelServer, answer: Raw, reason: str
) -> None:
    found = failure(server, answer)

    assert isinstance(found, ReplyUnusable)
    assert reason in str(found)
    assert server.host in str(found)
    assert len(server.requests) == 1


def test_an_unusable_answer_is_sent_back_once_where_repair_is_wanted(server: ModelServer) -> None:
    server.script = [says({"sort": "why"}), says({"kind": "why"})]
    reply = chat(server).complete(request(repair=True))

    assert reply.data == {"kind": "why"}
    assert (reply.calls, reply.tokens_in) == (2, 200)
    assert "without 'kind'" in server.requests[1].body["messages"][-1]["content"]


def test_there_is_no_second_repair(server: ModelServer) -> None:
    assert isinstance(failure(server, says({"sort": "why"}), repair=True), ReplyUnusable)
    assert len(server.requests) == 2


# --- statuses -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "kind", "attempts"),
    [
        (error(401, f"Incorrect API key provided: {KEY}"), KeyRefused, 1),
        (error(403, "not for you"), AccessDenied, 1),
        (error(404, "model 'tiny' not found"), UnknownModel, 1),
        (error(429, "slow down"), RateLimited, 3),
        (error(429, "slow down", Retry_After="0"), RateLimited, 3),
        (error(429, "slow down", Retry_After="3600"), RateLimited, 1),
        (error(500, "oops"), ServerFailed, 3),
        (error(503), ServerFailed, 3),
        (error(400, "too long", "context_length_exceeded"), ContextTooLong, 1),
        (error(400, "This model's maximum context length is 4096 tokens"), ContextTooLong, 1),
        (error(400, "flagged", "content_filter"), ContentFiltered, 1),
        (error(413, "no"), RequestRefused, 3),  # schema, JSON, words
        (Raw(b"moved", 302, {"Location": "http://127.0.0.1:1/"}), RequestRefused, 3),
        (Raw(b"\xff", 418), RequestRefused, 3),
    ],
)
def test_each_status_has_its_error_and_only_what_may_pass_is_tried_again(
    server: ModelServer, answer: Raw, kind: type[ServiceError], attempts: int
) -> None:
    assert type(failure(server, answer)) is kind
    assert len(server.requests) == attempts


def test_a_declined_answer_is_a_filtered_one(server: ModelServer) -> None:
    assert isinstance(failure(server, completion("", finish="content_filter")), ContentFiltered)
    assert isinstance(failure(server, completion(None, refusal="I cannot help with that.")), ContentFiltered)


def test_a_service_that_recovers_is_asked_again(server: ModelServer) -> None:
    server.script = [error(429, Retry_After="0"), error(500), says({"kind": "why"})]

    assert chat(server).complete(request()).data == {"kind": "why"}


def test_a_wait_that_the_service_asks_for_is_kept(server: ModelServer) -> None:
    server.script = [error(429, Retry_After="0.3"), says({"kind": "why"})]
    began = time.monotonic()
    chat(server).complete(request())

    assert time.monotonic() - began >= 0.3


def test_a_wait_is_told_as_a_number_or_as_a_date() -> None:
    now = datetime(2026, 6, 10, 12, tzinfo=UTC)

    assert retry_after({"retry-after": "7.5"}) == 7.5
    assert retry_after({"retry-after": "Wed, 10 Jun 2026 12:00:30 GMT"}, now) == 30.0
    assert retry_after({"retry-after": "Wed, 10 Jun 2020 12:00:30 GMT"}, now) == 0.0
    assert retry_after({"retry-after": "-1"}) == 0.0
    assert retry_after({"retry-after": "1e99"}) == 86_400.0
    assert retry_after({"retry-after": "soon"}) is None
    assert retry_after({"retry-after": "nan"}) is None
    assert retry_after({}) is None


# --- services that take less --------------------------------------------------------------------


def test_a_service_without_schemas_is_asked_for_json_and_then_for_words_and_that_is_remembered(
    server: ModelServer,
) -> None:
    def answer(body: dict[str, Any]) -> Raw:
        form = body.get("response_format", {}).get("type")
        return error(400, f"response_format {form} is not supported") if form else completion('{"kind": "why"}')

    server.script = [answer]
    model = chat(server)

    assert model.complete(request()).data == {"kind": "why"}
    forms = [each.body.get("response_format", {}).get("type") for each in server.requests]
    assert forms == ["json_schema", "json_object", None]
    model.complete(request())
    assert "response_format" not in server.requests[3].body
    assert len(server.requests) == 4


def test_parameters_that_a_service_does_not_take_are_left_out(server: ModelServer) -> None:
    def answer(body: dict[str, Any]) -> Raw:
        if "max_tokens" in body:
            return error(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
        if "temperature" in body:
            return error(400, "'temperature' does not support 0 with this model.")
        return says({"kind": "why"})

    server.script = [answer]

    assert chat(server).complete(request()).data == {"kind": "why"}
    assert server.requests[-1].body["max_completion_tokens"] == 50
    assert "response_format" in server.requests[-1].body


# --- time and connections -----------------------------------------------------------------------


@pytest.mark.parametrize("answer", [Raw(hang=True), Raw(b'{"choices": [' * 400, drip=True)])
def test_a_service_that_hangs_or_drips_is_given_up_in_time(server: ModelServer, answer: Raw) -> None:
    began = time.monotonic()

    assert isinstance(failure(server, answer, seconds=0.4), ServiceTimeout)
    assert time.monotonic() - began < 3


def test_a_connection_that_is_dropped_or_refused_is_unreachable(server: ModelServer) -> None:
    assert isinstance(failure(server, Raw(drop=True)), ServiceUnreachable)
    assert len(server.requests) == 3
    with model_server() as gone:
        pass
    model = chat(gone)
    with pytest.raises(ServiceUnreachable, match="cannot be reached"):
        model.complete(request())
    model.close()


def test_a_closed_service_is_not_called(server: ModelServer) -> None:
    server.script = [says({"kind": "why"})]
    model = chat(server)
    model.close()
    model.close()

    with pytest.raises(ModelUnavailable, match="closed"):
        model.complete(request())
    assert server.requests == []


def test_a_key_is_never_logged(server: ModelServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    failure(server, error(500, f"bad key {KEY} and Bearer {KEY}"))

    assert caplog.records
    assert all(KEY not in record.getMessage() + repr(vars(record)) for record in caplog.records)


def test_hosts_are_named_without_users_and_this_machine_is_known() -> None:
    assert host_of("http://user:pw@example.org:8080/v1") == "example.org:8080"
    assert host_of("http://[::1]:8080/v1") == "[::1]:8080"
    assert [is_local(each) for each in ("localhost:1", "127.0.0.1", "[::1]:80", "example.org", "10.0.0.1:80")] == [
        True,
        True,
        True,
        False,
        False,
    ]
