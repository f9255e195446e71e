# SPDX-License-Identifier: Apache-2.0
"""The vectors of nodes, against pmll-memory-mcp's numbers."""

from __future__ import annotations

import math

import pytest

from becausal.session import embeddings as e


def test_hashed_vectors_are_those_of_the_python_package() -> None:
    vector = e.embed("User login login token")
    assert len(vector) == e.EMBED_DIM == 128
    assert {at: round(value, 6) for at, value in enumerate(vector) if value} == {
        34: 0.685994,
        47: 0.514496,
        63: 0.514496,
    }
    assert round(e.cosine_similarity(e.embed("login client"), e.embed("API client Wraps HTTP requests")), 6) == 0.267261
    assert e.get_hasher().vectorize("login") == e.embed("login")


def test_a_token_is_what_is_left_of_a_word_in_lower_case() -> None:
    assert e.tokenize("A Über-login, user_id; I") == ["ber-login", "user_id"]
    assert e.embed("!? a") == [0.0] * 128


def test_cosines_pad_the_shorter_vector_and_may_be_negative() -> None:
    assert e.cosine_similarity([1.0, 0.0], [1.0]) == 1
    assert e.cosine_similarity([1.0], [-2.0]) == -1
    assert e.cosine_similarity([], [1.0]) == 0
    assert e.cosine_similarity([0.0], [1.0]) == 0


def test_a_vector_is_scaled_to_length_one_unless_it_is_as_good_as_zero() -> None:
    assert e.l2_normalize([3.0, 4.0]) == [0.6, 0.8]
    assert e.l2_normalize([0.0, 0.0]) == [0.0, 0.0]


def test_the_older_vectors_grow_with_their_vocabulary() -> None:
    e.reset_vectorizer()
    vectorizer = e.get_vectorizer()
    assert vectorizer.vectorize("login") == []
    vectorizer.add_document("login user")
    vectorizer.add_document("login token")
    # N = 2; df login 2, user 1: ln(1 + 2/3), ln(1 + 2/2); in one text each word has the greatest frequency.
    login, user = math.log(1 + 2 / 3), math.log(2)
    length = math.hypot(login, user)
    assert vectorizer.vectorize("login user") == pytest.approx([login / length, user / length, 0.0])
    assert vectorizer.vocab_size == 3
    e.reset_vectorizer()
    assert e.get_vectorizer().vocab_size == 0
