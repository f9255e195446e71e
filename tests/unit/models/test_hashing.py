# SPDX-License-Identifier: Apache-2.0
"""Word hashing gives the vectors that pmll-memory-mcp's Python package gives."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest

from becausal.models.hashing import HashingEmbedder
from becausal.models.words import DIMENSION, bucket, embed_text, tokenize


def nonzero(text: str) -> dict[int, float]:
    return {place: value for place, value in enumerate(embed_text(text)) if value}


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("login", (34, 1)),
        ("user", (47, 1)),
        ("token", (63, 1)),
        ("the", (94, 1)),
        ("client", (98, 1)),
        ("api", (65, 1)),
        ("http", (65, 1)),
        ("requests", (16, 1)),
        ("memory", (58, -1)),
        ("graph", (123, -1)),
        ("wraps", (83, -1)),
    ],
)
def test_a_token_has_its_bucket_and_its_sign(token: str, expected: tuple[int, int]) -> None:
    assert bucket(token) == expected


def test_a_token_weighs_by_how_often_it_occurs() -> None:
    # login twice: .5 + .5 · 2/2 = 1; user and token once: .5 + .5 · 1/2 = .75; length √(1 + 2 · .75²) = 1.457738
    assert nonzero("User login login token") == pytest.approx({34: 0.685994, 47: 0.514496, 63: 0.514496}, abs=1e-6)


def test_tokens_of_one_bucket_add_up() -> None:
    # api and http share bucket 65: (2, 1) of length √5
    assert nonzero("api http client") == pytest.approx({65: 2 / math.sqrt(5), 98: 1 / math.sqrt(5)})


def test_a_sign_may_be_negative() -> None:
    assert nonzero("memory") == {58: -1.0}


def test_the_cosine_of_two_texts_is_what_the_original_gives() -> None:
    # shared: client; lengths √2 and, with api and http in one bucket, √(2² + 3) = √7: 1/√14
    first, second = embed_text("login client"), embed_text("API client Wraps HTTP requests")
    assert sum(a * b for a, b in zip(first, second, strict=True)) == pytest.approx(0.267261, abs=1e-6)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("User-login_token v2, a B c3!", ["user-login_token", "v2", "c3"]),
        ("über naïve", ["ber", "na", "ve"]),
        ("path/to.file\ttab\nline\u00a0space", ["path", "to", "file", "tab", "line", "space"]),
        ("日本語 x", []),
        ("", []),
        ("--- __", ["---", "__"]),
    ],
)
def test_tokens_are_runs_of_ascii_word_characters(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


@pytest.mark.parametrize("text", ["", " ", "a b c", "日本語", "!?"])
def test_text_without_tokens_is_the_zero_vector(text: str) -> None:
    assert embed_text(text) == [0.0] * DIMENSION


def test_a_token_of_any_length_is_hashed() -> None:
    assert len(nonzero("x" * 100_000)) == 1


def test_it_says_that_its_results_are_second_rate() -> None:
    assert "same words, not the same meaning" in HashingEmbedder().degraded


def test_it_has_a_name_of_its_own_and_a_fixed_dimension() -> None:
    assert (HashingEmbedder().name, HashingEmbedder().dimension) == ("hashing-blake2b-128", 128)


def test_a_vector_needs_no_third_party_library() -> None:
    program = (
        "import sys; from becausal.models.hashing import embed_text; embed_text('x y'); print('numpy' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"
