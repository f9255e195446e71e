# SPDX-License-Identifier: Apache-2.0
"""What every embedder does, whichever it is."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from becausal.models.fake import FakeEmbedder
from becausal.models.lazy import LazyEmbedder
from becausal.models.registry import make_embedder
from becausal.ports.models import Embedder

TEXTS = [
    "The kettle is blue.",
    "Authentication failed because the token cache had expired at 03:14 UTC.",
    "kettle",
    "Crème brûlée für Ωmega, привет мир, 東京タワー, deploy 🚀 done",
    "One rule of the on-call rota: whoever breaks the build brings the cake, and whoever mends it eats first. " * 4,
    "[SEP] ##ing \u200b\x00 <script>alert(1)</script> ' OR 1=1; --",
    "42 is the answer",
    "INC-4711: db-primary-2 out of disk, /var/log/postgresql grew by 80 GB in an hour",
]


@pytest.fixture(scope="module", params=["minilm", "hashing", "fake", "lazy fake"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    match request.param:
        case "fake":
            return FakeEmbedder()
        case "lazy fake":
            return LazyEmbedder(FakeEmbedder())
        case name:
            return make_embedder(name)


def test_it_has_a_name_a_dimension_and_a_reading_length(embedder: Embedder) -> None:
    assert embedder.name == embedder.name.strip() != ""
    assert embedder.dimension > 0


def test_loading_twice_does_nothing(embedder: Embedder) -> None:
    embedder.load()
    before = embedder.embed(TEXTS)
    embedder.load()
    assert (embedder.embed(TEXTS) == before).all()


def test_there_is_one_float32_vector_per_text(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimension)
    assert vectors.dtype == np.float32
    assert np.isfinite(vectors).all()


def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    vectors = embedder.embed([])
    assert vectors.shape == (0, embedder.dimension)
    assert vectors.dtype == np.float32


def test_any_sequence_of_texts_will_do(embedder: Embedder) -> None:
    assert (embedder.embed(tuple(TEXTS)) == embedder.embed(TEXTS)).all()


def test_vectors_have_length_one(embedder: Embedder) -> None:
    np.testing.assert_allclose(np.linalg.norm(embedder.embed(TEXTS), axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("blank", ["", " ", "\n\t\r ", "\u00a0\u3000"])
def test_blank_text_is_the_zero_vector_and_disturbs_no_other(embedder: Embedder, blank: str) -> None:
    vectors = embedder.embed([TEXTS[0], blank, TEXTS[1]])
    assert not vectors[1].any()
    np.testing.assert_allclose(vectors[[0, 2]], embedder.embed(TEXTS[:2]), atol=1e-5)


def test_vectors_come_in_the_order_of_the_texts(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)
    order = random.Random(5).sample(range(len(TEXTS)), len(TEXTS))
    np.testing.assert_allclose(embedder.embed([TEXTS[place] for place in order]), vectors[order], atol=1e-5)


def test_a_text_has_the_same_vector_alone_and_among_others(embedder: Embedder) -> None:
    together = embedder.embed(TEXTS * 9)
    for place, text in enumerate(TEXTS):
        alone = embedder.embed([text])[0]
        assert (together[place :: len(TEXTS)] @ alone).min() > 0.99999


def test_the_same_text_has_the_same_vector_each_time(embedder: Embedder) -> None:
    assert (embedder.embed([TEXTS[1]]) == embedder.embed([TEXTS[1]])).all()


def test_different_texts_have_different_vectors(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)
    similarity = vectors @ vectors.T
    assert (similarity[~np.eye(len(TEXTS), dtype=bool)] < 0.9).all()


def test_shared_words_bring_texts_together(embedder: Embedder) -> None:
    blue, also_blue, tax = embedder.embed(["the blue kettle", "a kettle, blue", "income tax returns for last year"])
    assert blue @ also_blue > 0.5 > blue @ tax


@pytest.mark.parametrize(
    "text", ["word " * 100_000, "x" * 500_000, "中" * 100_000, "é" * 100_000, " " * 500_000 + "end"]
)
def test_a_very_long_text_is_embedded_too(embedder: Embedder, text: str) -> None:
    vector = embedder.embed([text])[0]
    assert np.isfinite(vector).all()
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5) or not vector.any()


@pytest.mark.parametrize(
    "text", ["\ud800 lone surrogate", "\x00", "\U0010ffff", "e\u0301" * 50, "🙂" * 50, "\u202eright to left"]
)
def test_any_characters_are_accepted(embedder: Embedder, text: str) -> None:
    assert np.isfinite(embedder.embed([text])).all()


def test_threads_may_use_it_at_once(embedder: Embedder) -> None:
    expected = embedder.embed(TEXTS)
    with ThreadPoolExecutor(4) as threads:
        for vectors in threads.map(lambda _: embedder.embed(TEXTS), range(8)):
            np.testing.assert_allclose(vectors, expected, atol=1e-5)


PARAPHRASES = [
    (
        "The database ran out of disk space.",
        "There was no storage left for Postgres.",
        "The picnic is on Sunday.",
    ),
    ("She is afraid of dogs.", "Dogs frighten her.", "He repaired the bicycle in the garage."),
    ("Why did sign-in break?", "Login failed because the certificate had expired.", "Lunch is at noon on Fridays."),
    (
        "Maria moved to Lisbon for her new job.",
        "Maria now works in Portugal.",
        "The kettle boils in four minutes.",
    ),
    ("The rollout was reverted.", "We undid the deployment.", "Her favourite colour is green."),
]


@pytest.mark.parametrize(("text", "paraphrase", "unrelated"), PARAPHRASES)
@pytest.mark.parametrize("embedder", ["minilm"], indirect=True)
def test_the_model_knows_what_means_the_same(embedder: Embedder, text: str, paraphrase: str, unrelated: str) -> None:
    told, again, other = embedder.embed([text, paraphrase, unrelated])
    assert told @ again > told @ other + 0.15
