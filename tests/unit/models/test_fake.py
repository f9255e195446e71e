# SPDX-License-Identifier: Apache-2.0
"""The test double behaves as its documentation says."""

from __future__ import annotations

import doctest
import threading

import pytest

from becausal.errors import InvalidInput, ModelUnavailable
from becausal.models import fake
from becausal.models.fake import FakeEmbedder


def test_the_example_in_its_documentation_is_right() -> None:
    failed, attempted = doctest.testmod(fake)
    assert (failed, attempted > 0) == (0, True)


def test_it_counts_what_it_was_asked_to_do() -> None:
    embedder = FakeEmbedder()
    embedder.embed(["one", "two"])
    embedder.embed(["three"])
    assert (embedder.loads, embedder.embeds, embedder.texts) == (1, 2, 3)


def test_it_fails_for_the_given_reason_until_it_is_healed() -> None:
    embedder = FakeEmbedder()
    embedder.embed(["before"])
    embedder.fail("no disk")
    for call in (embedder.load, lambda: embedder.embed(["during"])):
        with pytest.raises(ModelUnavailable, match="no disk"):
            call()
    embedder.heal()
    assert embedder.embed(["after"]).any()
    assert (embedder.loads, embedder.texts) == (4, 2)


@pytest.mark.parametrize("gate", ["load_gate", "embed_gate"])
def test_it_waits_at_a_gate_until_it_is_opened(gate: str) -> None:
    embedder, opened = FakeEmbedder(), threading.Event()
    setattr(embedder, gate, opened)
    worker = threading.Thread(target=embedder.embed, args=(["text"],))
    worker.start()
    assert (worker.is_alive(), embedder.texts) == (True, 0)
    opened.set()
    worker.join()
    assert embedder.texts == 1


def test_what_it_says_about_itself_can_be_chosen() -> None:
    embedder = FakeEmbedder(dimension=8, name="other", degraded="it is a toy")
    assert (embedder.name, embedder.dimension) == ("other", 8)
    assert embedder.degraded == "it is a toy"
    assert embedder.embed(["text"]).shape == (1, 8)


@pytest.mark.parametrize("dimension", [0, 513])
def test_a_dimension_out_of_range_is_refused(dimension: int) -> None:
    with pytest.raises(InvalidInput, match="dimension: must be from 1 to 512"):
        FakeEmbedder(dimension=dimension)
