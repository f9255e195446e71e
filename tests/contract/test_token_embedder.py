# SPDX-License-Identifier: Apache-2.0
"""What every embedder does that also gives token vectors."""

from __future__ import annotations

import numpy as np
import pytest

from becausal.models.fake import FakeEmbedder
from becausal.models.hashing import HashingEmbedder
from becausal.models.lazy import LazyEmbedder
from becausal.models.minilm.embedder import MiniLM
from becausal.ports.models import TOKEN_SCALE, Encoded, TokenEmbedder

TEXTS = ["The kettle is blue.", "", "Tax returns, and a KETTLE!", "Who boils water?", "blue"]


@pytest.fixture(scope="module", params=["minilm", "fake", "lazy fake"])
def embedder(request: pytest.FixtureRequest) -> MiniLM | FakeEmbedder | LazyEmbedder:
    match request.param:
        case "minilm":
            return MiniLM()
        case "fake":
            return FakeEmbedder(tokens=True)
        case _:
            return LazyEmbedder(FakeEmbedder(tokens=True))


def encoded(embedder: TokenEmbedder, texts: list[str]) -> Encoded:
    found = embedder.encode(texts)
    assert found is not None
    return found


def test_the_vectors_are_those_of_embed(embedder: MiniLM) -> None:
    np.testing.assert_allclose(encoded(embedder, TEXTS).vectors, embedder.embed(TEXTS), atol=1e-5)


def test_every_telling_token_has_a_row_of_bytes_and_a_word(embedder: MiniLM) -> None:
    found = encoded(embedder, TEXTS)
    widths = {rows.shape[1] for rows in found.tokens}
    assert len(widths) == 1
    for rows, words in zip(found.tokens, found.words, strict=True):
        assert rows.dtype == np.int8
        assert len(rows) == len(words)
    assert found.words[1] == ()
    assert {"kettle", "tax", "returns"} <= set(found.words[2])


def test_token_vectors_have_length_one_at_their_scale(embedder: MiniLM) -> None:
    for rows in encoded(embedder, TEXTS).tokens:
        np.testing.assert_allclose(np.linalg.norm(rows.astype(np.float32) / TOKEN_SCALE, axis=1), 1, atol=0.05)


def test_a_word_is_most_like_itself_in_another_text(embedder: MiniLM) -> None:
    found = encoded(embedder, TEXTS)
    one, other = (found.tokens[at].astype(np.float32) / TOKEN_SCALE for at in (0, 2))
    likeness = one[found.words[0].index("kettle")] @ other.T
    assert found.words[2][int(likeness.argmax())] == "kettle"


def test_a_text_has_the_same_tokens_alone_and_among_others(embedder: MiniLM) -> None:
    together = encoded(embedder, TEXTS * 9)
    for at, text in enumerate(TEXTS):
        alone = encoded(embedder, [text]).tokens[0].astype(int)
        assert np.abs(together.tokens[at].astype(int) - alone).max(initial=0) <= 1
        assert np.abs(together.tokens[at + 8 * len(TEXTS)].astype(int) - alone).max(initial=0) <= 1


def test_no_texts_give_nothing(embedder: MiniLM) -> None:
    found = encoded(embedder, [])
    assert (len(found.vectors), found.tokens, found.words) == (0, (), ())


def test_an_embedder_without_tokens_says_so() -> None:
    assert not isinstance(HashingEmbedder(), TokenEmbedder)
    assert LazyEmbedder(HashingEmbedder()).encode(["kettle"]) is None
    assert FakeEmbedder().encode(["kettle"]) is None
