# SPDX-License-Identifier: Apache-2.0
"""What stands around a chat model: answers kept, calls and tokens counted, and a service that fails left alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from becausal.errors import BudgetSpent, KeyRefused, RateLimited, ReplyUnusable, ServerFailed, ServicePaused, Used
from becausal.models.breaker import BreakingChat
from becausal.models.budget import USAGE, BudgetedChat, Limits
from becausal.models.caching import CachingChat, clear_answers
from becausal.models.fake import FakeChat
from becausal.ports.batch import Batch
from becausal.ports.models import ChatRequest
from becausal.ports.store import GraphStore
from becausal.stores.registry import open_store
from memory_tools import TurnableClock


@pytest.fixture
def store(tmp_path: Path) -> Iterator[GraphStore]:
    store = open_store("sqlite", location=tmp_path, user="alice")
    yield store
    store.close()


def request(user: str = "why?", purpose: str = "plan") -> ChatRequest:
    return ChatRequest(purpose=purpose, version="1", system="", user=user, schema={}, max_tokens=9, seconds=1.0)


class Time:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_service_is_left_alone_after_three_failures_in_a_row_and_longer_each_time() -> None:
    time, inner = Time(), FakeChat(ServerFailed("broken"))
    chat = BreakingChat(inner, monotonic=time)
    for _ in range(3):
        with pytest.raises(ServerFailed):
            chat.complete(request())
    with pytest.raises(ServicePaused, match="left alone for 30 s more, since broken"):
        chat.complete(request())
    time.now = 31
    with pytest.raises(ServerFailed):
        chat.complete(request())
    assert chat.paused() == (60.0, "broken")
    assert len(inner.requests) == 4
    time.now = 92
    inner.answer = {"kind": "why"}
    assert chat.complete(request()).data == {"kind": "why"}
    assert chat.paused() is None


def test_what_trying_again_cannot_heal_pauses_at_once_and_as_long_as_the_service_asks() -> None:
    time = Time()
    limited = BreakingChat(FakeChat(RateLimited("slow down", retry_after=7.0)), monotonic=time)
    refused = BreakingChat(FakeChat(KeyRefused("no")), monotonic=time)
    for chat in (limited, refused):
        with pytest.raises((RateLimited, KeyRefused)):
            chat.complete(request())

    assert (limited.paused(), refused.paused()) == ((7.0, "slow down"), (30.0, "no"))


def test_nonsense_is_no_failure_of_the_service() -> None:
    chat = BreakingChat(FakeChat(ReplyUnusable("nonsense")))
    for _ in range(5):
        with pytest.raises(ReplyUnusable):
            chat.complete(request())

    assert chat.paused() is None


def test_calls_and_tokens_are_counted_in_the_store_for_all_who_use_it(store: GraphStore) -> None:
    clock, model = TurnableClock(), FakeChat({})
    first, second = (BudgetedChat(model, store, clock, Limits(calls=3)) for _ in range(2))
    for chat in (first, second, first):
        chat.complete(request())
    with pytest.raises(BudgetSpent, match="3 calls an hour is used up until 13:00 UTC") as caught:
        second.complete(request())

    assert caught.value.retry_after == 3600
    assert (second.usage().calls, second.usage().tokens) == (3, 120)
    clock.turn(hours=1)
    assert (second.usage().calls, second.usage().all_calls) == (0, 3)
    second.complete(request())


def test_a_call_that_never_reached_the_model_is_not_counted(store: GraphStore) -> None:
    chat = BudgetedChat(FakeChat(KeyRefused("no")), store, TurnableClock(), Limits(tokens=1000))
    with pytest.raises(KeyRefused):
        chat.complete(request())

    assert (chat.usage().calls, chat.usage().tokens) == (0, 0)
    assert store.meta(USAGE) is not None


def test_what_a_failed_call_took_is_counted_and_what_of_it_is_an_estimate(store: GraphStore) -> None:
    error = ReplyUnusable("nonsense")
    error.used = Used(calls=2, tokens=140, estimated=40)
    chat = BudgetedChat(FakeChat(error), store, TurnableClock(), Limits())
    with pytest.raises(ReplyUnusable):
        chat.complete(request())
    usage = chat.usage()

    assert (usage.calls, usage.tokens, usage.estimated) == (2, 140, 40)
    assert (usage.all_calls, usage.all_tokens, usage.all_estimated) == (2, 140, 40)


def test_a_call_under_way_counts_with_an_estimate(store: GraphStore) -> None:
    seen = []

    def look(_: ChatRequest) -> dict[str, str]:
        seen.append(chat.usage())
        return {}

    chat = BudgetedChat(FakeChat(look), store, TurnableClock(), Limits())
    chat.complete(request())

    assert seen[0].tokens == seen[0].estimated > 0
    assert (chat.usage().tokens, chat.usage().estimated) == (40, 0)


def test_what_another_version_has_counted_is_read(store: GraphStore) -> None:
    clock = TurnableClock()
    told = {"hour": f"{clock.now():%Y-%m-%dT%H}", "calls": 3, "tokens": 5, "all_calls": 9, "all_tokens": 70, "later": 1}
    store.write(Batch(meta={USAGE: json.dumps(told)}))
    usage = BudgetedChat(FakeChat({}), store, clock, Limits()).usage()

    assert (usage.calls, usage.all_tokens, usage.estimated) == (3, 70, 0)


def test_tokens_have_a_limit_of_their_own(store: GraphStore) -> None:
    chat = BudgetedChat(FakeChat({}), store, TurnableClock(), Limits(tokens=50))
    chat.complete(request())

    with pytest.raises(BudgetSpent, match="50 tokens an hour"):
        chat.complete(request())


def test_an_answer_is_kept_for_some_purposes_and_for_a_week(store: GraphStore) -> None:
    clock, model = TurnableClock(), FakeChat({"kind": "why"})
    chat = CachingChat(model, store, clock, ("plan",))
    for _ in range(2):
        assert chat.complete(request()).data == {"kind": "why"}
        chat.complete(request(purpose="enrich"))
    assert len(model.requests) == 3
    assert chat.complete(request()).calls == 0
    chat.complete(request("another?"))
    clock.turn(days=8)
    chat.complete(request())

    assert len(model.requests) == 5


def test_answers_that_are_kept_can_be_taken_away(store: GraphStore) -> None:
    model = FakeChat({"kind": "why"})
    chat = CachingChat(model, store, TurnableClock(), ("plan",))
    chat.complete(request())
    clear_answers(store)
    chat.complete(request())

    assert len(model.requests) == 2
