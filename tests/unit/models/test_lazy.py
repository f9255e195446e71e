# SPDX-License-Identifier: Apache-2.0
"""Nobody waits for the embedder who need not, and one that failed comes back."""

from __future__ import annotations

import gc
import logging
import threading
import weakref
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from becausal.errors import ModelUnavailable
from becausal.models.fake import FakeEmbedder
from becausal.models.lazy import LazyEmbedder

if TYPE_CHECKING:
    from becausal.ports.models import Vectors


class Watch:
    """A clock that is turned by hand, in seconds."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


class Counting(FakeEmbedder):
    """Counts how often it was told to load, and waits there until ``load_gate`` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = self.load_gate = threading.Event()
        self.calls = 0

    def load(self) -> None:
        self.calls += 1
        super().load()


def failing(reason: str = "no disk") -> FakeEmbedder:
    inner = FakeEmbedder()
    inner.fail(reason)
    return inner


def gated() -> tuple[FakeEmbedder, threading.Event]:
    inner, gate = FakeEmbedder(), threading.Event()
    inner.load_gate = gate
    return inner, gate


def test_it_says_of_itself_what_the_inner_one_says() -> None:
    lazy = LazyEmbedder(FakeEmbedder(dimension=8, name="inner"))
    assert (lazy.name, lazy.dimension) == ("inner", 8)


def test_it_is_idle_until_somebody_needs_it() -> None:
    inner = FakeEmbedder()
    lazy = LazyEmbedder(inner)
    assert (lazy.state, lazy.reason, inner.loads) == ("idle", None, 0)
    assert lazy.degraded == "the embedder is still loading"


def test_start_does_not_wait_for_the_model() -> None:
    inner, gate = gated()
    lazy = LazyEmbedder(inner)
    lazy.start()
    assert (lazy.state, lazy.degraded) == ("loading", "the embedder is still loading")
    assert not lazy.wait(0)
    gate.set()
    assert lazy.wait()
    assert (lazy.state, lazy.degraded, inner.loads) == ("ready", None, 1)


def test_waiting_begins_to_load() -> None:
    assert LazyEmbedder(FakeEmbedder()).wait()


def test_starting_again_loads_nothing_twice() -> None:
    inner = Counting()
    lazy = LazyEmbedder(inner)
    before = threading.active_count()
    for _ in range(10):
        lazy.start()
    assert threading.active_count() == before + 1
    inner.gate.set()
    assert lazy.wait()
    lazy.start()
    lazy.load()
    assert inner.calls == 1


def test_embedding_loads_when_nobody_has() -> None:
    inner = FakeEmbedder()
    lazy = LazyEmbedder(inner)
    assert (lazy.embed(["a kettle"]) == inner.embed(["a kettle"])).all()
    assert (lazy.state, inner.loads) == ("ready", 1)


def test_embedding_waits_for_what_is_being_loaded() -> None:
    inner, gate = gated()
    lazy = LazyEmbedder(inner)
    lazy.start()
    with ThreadPoolExecutor(3) as threads:
        waiting = [threads.submit(lazy.embed, ["text"]) for _ in range(3)]
        assert not any(each.done() for each in waiting)
        gate.set()
        assert all(each.result().any() for each in waiting)
    assert inner.loads == 1


def test_threads_that_need_it_at_once_load_it_once() -> None:
    inner = Counting()
    lazy = LazyEmbedder(inner)
    with ThreadPoolExecutor(4) as threads:
        waiting = [threads.submit(lazy.load) for _ in range(4)]
        inner.gate.set()
        for each in waiting:
            each.result()
    assert inner.calls == 1


def test_what_makes_the_inner_one_second_rate_is_passed_on_when_it_is_ready() -> None:
    lazy = LazyEmbedder(FakeEmbedder(degraded="only words"))
    lazy.load()
    assert lazy.degraded == "only words"


def test_a_failure_says_why_and_what_still_works() -> None:
    lazy = LazyEmbedder(failing())
    assert not lazy.wait()
    assert (lazy.state, lazy.reason) == ("failed", "no disk")
    assert lazy.degraded == "no embedder: no disk; answers come from words and cues alone"


def test_a_failure_is_not_tried_again_before_its_time() -> None:
    inner, watch = failing(), Watch()
    lazy = LazyEmbedder(inner, retry_after=5, monotonic=watch)
    for _ in range(3):
        with pytest.raises(ModelUnavailable, match="no disk"):
            lazy.embed(["text"])
        assert not lazy.wait()
    watch.seconds += 4.9
    inner.heal()
    with pytest.raises(ModelUnavailable, match="no disk"):
        lazy.load()
    assert inner.loads == 1


def test_a_failed_one_comes_back_with_the_next_start_after_a_while() -> None:
    inner, watch = failing(), Watch()
    lazy = LazyEmbedder(inner, retry_after=5, monotonic=watch)
    lazy.wait()
    inner.heal()
    watch.seconds += 5
    lazy.start()
    assert lazy.wait()
    assert (lazy.state, lazy.reason, lazy.degraded) == ("ready", None, None)


def test_a_failed_one_comes_back_with_the_next_text_after_a_while() -> None:
    inner, watch = failing(), Watch()
    lazy = LazyEmbedder(inner, retry_after=5, monotonic=watch)
    lazy.wait()
    inner.heal()
    watch.seconds += 5
    assert lazy.embed(["text"]).any()
    assert lazy.state == "ready"


def test_a_second_failure_has_its_own_reason_and_its_own_time() -> None:
    inner, watch = failing("first"), Watch()
    lazy = LazyEmbedder(inner, retry_after=5, monotonic=watch)
    lazy.wait()
    inner.fail("second")
    watch.seconds += 5
    assert not lazy.wait()
    assert lazy.reason == "second"
    watch.seconds += 4
    lazy.wait()
    assert inner.loads == 2


def test_a_failure_while_embedding_is_a_failure() -> None:
    inner, watch = FakeEmbedder(), Watch()
    lazy = LazyEmbedder(inner, retry_after=5, monotonic=watch)
    lazy.load()
    inner.fail("out of memory")
    with pytest.raises(ModelUnavailable, match="out of memory"):
        lazy.embed(["text"])
    assert (lazy.state, lazy.reason) == ("failed", "out of memory")
    inner.heal()
    watch.seconds += 5
    assert lazy.embed(["text"]).any()


class Buggy(FakeEmbedder):
    def load(self) -> None:
        raise ZeroDivisionError("a bug")


def test_a_bug_in_loading_is_a_failure_too_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    lazy = LazyEmbedder(Buggy())
    assert not lazy.wait()
    assert (lazy.state, lazy.reason) == ("failed", "a bug")
    lazy.close()
    assert any(record.exc_info and record.levelno == logging.ERROR for record in caplog.records)


def test_a_bug_in_loading_reaches_the_caller_who_had_it_loaded() -> None:
    lazy = LazyEmbedder(Buggy())
    with pytest.raises(ZeroDivisionError):
        lazy.load()
    assert lazy.state == "failed"


def test_a_thread_that_cannot_be_started_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_thread(_self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    lazy = LazyEmbedder(FakeEmbedder())
    with monkeypatch.context() as exhausted:
        exhausted.setattr(threading.Thread, "start", no_thread)
        lazy.start()
    assert (lazy.state, lazy.reason) == (
        "failed",
        "it cannot be loaded in the background (can't start new thread)",
    )


def test_closing_waits_for_the_loading_thread() -> None:
    inner, gate = gated()
    lazy = LazyEmbedder(inner)
    afterwards: list[str] = []

    def close() -> None:
        lazy.close()
        afterwards.append(lazy.state)

    before = threading.active_count()
    lazy.start()
    closing = threading.Thread(target=close)
    closing.start()
    gate.set()
    closing.join()
    assert afterwards == ["ready"]
    assert threading.active_count() == before


def test_a_closed_one_loads_nothing_any_more() -> None:
    inner = FakeEmbedder()
    lazy = LazyEmbedder(inner)
    lazy.close()
    lazy.start()
    assert not lazy.wait()
    with pytest.raises(ModelUnavailable, match="the memory has been closed"):
        lazy.embed(["text"])
    assert (lazy.state, inner.loads) == ("idle", 0)


def test_a_closed_one_lets_go_of_the_model_without_the_garbage_collector() -> None:
    model = FakeEmbedder()
    lazy = LazyEmbedder(model)
    lazy.load()
    known = weakref.ref(model)
    del model
    gc.disable()
    try:
        lazy.close()
        assert known() is None
    finally:
        gc.enable()
    assert (lazy.name, lazy.dimension, lazy.host) == (FakeEmbedder().name, FakeEmbedder().dimension, None)
    with pytest.raises(ModelUnavailable, match="the memory has been closed"):
        lazy.encode(["word"])


def test_a_closed_one_embeds_nothing_any_more_and_leaves_the_model_to_others() -> None:
    inner = FakeEmbedder()
    lazy, other = LazyEmbedder(inner), LazyEmbedder(inner)
    lazy.load()
    lazy.close()
    lazy.close()
    with pytest.raises(ModelUnavailable, match="the memory has been closed"):
        lazy.embed(["text"])
    assert other.embed(["text"]).any()


def test_many_texts_are_embedded_slice_by_slice_with_the_same_vectors() -> None:
    inner = FakeEmbedder(tokens=True)
    lazy = LazyEmbedder(inner)
    texts = [f"text {number} " + "of a kettle " * 60 for number in range(20)]
    assert (lazy.embed(texts) == FakeEmbedder().embed(texts)).all()
    assert inner.embeds == 2
    encoded, whole = lazy.encode(texts), FakeEmbedder(tokens=True).encode(texts)
    assert encoded is not None
    assert whole is not None
    assert (encoded.vectors == whole.vectors).all()
    assert encoded.words == whole.words
    assert [tokens.tolist() for tokens in encoded.tokens] == [tokens.tolist() for tokens in whole.tokens]


def test_no_texts_have_no_vectors() -> None:
    assert LazyEmbedder(FakeEmbedder(dimension=8)).embed([]).shape == (0, 8)


def test_closing_breaks_off_what_is_being_embedded_after_the_slice_at_hand() -> None:
    began, gate = threading.Event(), threading.Event()

    class Slow(FakeEmbedder):
        def embed(self, texts: Sequence[str]) -> Vectors:
            began.set()
            assert gate.wait(30)
            return super().embed(texts)

    inner = Slow()
    lazy = LazyEmbedder(inner)
    texts = ["of a kettle " * 100] * 100
    with ThreadPoolExecutor(1) as threads:
        embedding = threads.submit(lazy.embed, texts)
        assert began.wait(30)
        lazy.close()
        gate.set()
        with pytest.raises(ModelUnavailable, match="the memory has been closed"):
            embedding.result()
    assert inner.embeds == 1
    assert inner.texts <= 8
    assert lazy.state == "ready"
