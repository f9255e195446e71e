# SPDX-License-Identifier: Apache-2.0
"""Which tokens have a vector, and what making it small leaves of it."""

from __future__ import annotations

import numpy as np
import pytest

from becausal.models.minilm.tokens import WIDTH, TokenReducer
from becausal.models.minilm.wordpiece import WordPiece, load_vocabulary
from becausal.ports.models import TOKEN_SCALE

VOCABULARY = load_vocabulary()


@pytest.fixture(scope="module")
def reducer() -> TokenReducer:
    return TokenReducer(VOCABULARY, 384)


def words(reducer: TokenReducer, text: str) -> list[str]:
    ids = WordPiece(VOCABULARY).encode(text)
    return list(reducer.words(ids, reducer.telling(ids)))


def test_stop_words_and_punctuation_have_none(reducer: TokenReducer) -> None:
    assert words(reducer, "What did the cat, and she, do on Tuesday?") == ["cat", "tuesday"]
    assert words(reducer, "Oh! Is it so … or not?") == []
    assert words(reducer, "") == []


def test_what_stands_behind_an_apostrophe_has_none(reducer: TokenReducer) -> None:
    assert words(reducer, "Mel's dog won't bark, they'll say") == ["mel", "dog", "won", "bark", "say"]


def test_every_piece_of_a_longer_word_has_one_and_knows_its_word(reducer: TokenReducer) -> None:
    assert words(reducer, "the kubectl rollout") == ["kubectl"] * 4 + ["rollout"] * 2


def test_lengths_and_likenesses_survive(reducer: TokenReducer) -> None:
    draw = np.random.default_rng(3)
    middle = draw.normal(size=384)
    hidden = (middle + draw.normal(size=(200, 384)) * draw.uniform(0.2, 2, size=(200, 1))).astype(np.float32)
    unit = hidden / np.linalg.norm(hidden, axis=1, keepdims=True)
    small = reducer.reduce(hidden).astype(np.float32) / TOKEN_SCALE

    assert small.shape == (200, WIDTH)
    np.testing.assert_allclose(np.linalg.norm(small, axis=1), 1, atol=0.02)
    # A cosine's error is (1 − cos²) / √64 in the mean square.
    exact, kept = unit @ unit.T, small @ small.T
    assert np.sqrt(((kept - exact) ** 2).mean()) < 1 / 8


def test_a_state_of_zeros_stays_one(reducer: TokenReducer) -> None:
    assert not reducer.reduce(np.zeros((2, 384), np.float32)).any()
