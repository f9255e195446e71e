# SPDX-License-Identifier: Apache-2.0
"""An embedding service as embedder: batches, lengths found out and kept to, and whatever it may answer."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from becausal.errors import ModelUnavailable
from becausal.models.openai_compatible.embedder import OpenAICompatibleEmbedder
from becausal.models.openai_compatible.service import Service
from model_server import DIMENSION, KEY, ModelServer, Raw, embedding, embeddings, error, model_server

OPENED: list[OpenAICompatibleEmbedder] = []


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as server:
        yield server
        while OPENED:
            OPENED.pop().close()


def embedder(server: ModelServer, **more: Any) -> OpenAICompatibleEmbedder:
    service = Service(server.url, KEY, what="the embedding service", retries=0, first_wait=0.001)
    OPENED.append(OpenAICompatibleEmbedder(service, "tiny", **more))
    return OPENED[-1]


def sent(server: ModelServer) -> list[list[str]]:
    return [request.body["input"] for request in server.requests]


def test_the_length_of_vectors_is_found_out_once(server: ModelServer) -> None:
    made = embedder(server)
    assert (made.name, made.dimension) == ("remote:tiny", 0)
    made.load()
    made.load()

    assert made.dimension == DIMENSION
    assert sent(server) == [["dimension"]]


def test_texts_become_unit_vectors_in_their_order_and_blank_ones_are_not_sent(server: ModelServer) -> None:
    vectors = embedder(server).embed(["the blue kettle", " ", "", "tax"])

    assert vectors.shape == (4, DIMENSION)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), [1, 0, 0, 1], atol=1e-5)
    expected = np.array(embedding("the blue kettle"))
    np.testing.assert_allclose(vectors[0], expected / np.linalg.norm(expected), atol=1e-6)
    assert sent(server)[1:] == [["the blue kettle", "tax"]]


def test_many_texts_go_in_batches_and_none_twice(server: ModelServer) -> None:
    made = embedder(server)
    texts = [f"text {number}" for number in range(130)]
    made.embed([*texts, *texts])
    made.embed(texts[:3])

    assert [len(each) for each in sent(server)[1:]] == [64, 64, 2]


def test_vectors_may_come_in_any_order_and_as_base64(server: ModelServer) -> None:
    def answer(body: dict[str, Any]) -> Raw:
        data = [
            {"index": at, "embedding": base64.b64encode(np.array(embedding(text), "<f4").tobytes()).decode()}
            for at, text in enumerate(body["input"])
        ]
        return Raw(json.dumps({"data": data[::-1]}).encode())

    plain = embedder(server).embed(["a kettle", "tax returns"])
    server.by["embeddings"] = answer

    np.testing.assert_allclose(embedder(server).embed(["a kettle", "tax returns"]), plain, atol=1e-6)


BAD: list[Any] = [
    {"data": []},
    {"data": [{"index": 5, "embedding": [1.0]}]},
    {"data": [{"embedding": []}]},
    {"data": [{"embedding": ["a"]}]},
    {"data": [{"embedding": "!!"}]},
    {"data": [{"embedding": [[1.0]]}]},
    {"data": [{"embedding": [1e400]}]},
    {"data": [{"embedding": [0.0] * DIMENSION}]},
    {"data": [{}]},
    {"data": {"a": 1}},
    [],
    "vectors",
]


@pytest.mark.parametrize("answer", BAD)
def test_an_answer_that_holds_no_vectors_is_refused(server: ModelServer, answer: Any) -> None:
    server.by["embeddings"] = Raw(json.dumps(answer).replace("Infinity", "1e999").encode())

    with pytest.raises(ModelUnavailable, match="answered with"):
        embedder(server).load()


def test_zeros_for_every_text_are_refused_and_zeros_for_one_leave_it_without_a_vector(
    server: ModelServer, caplog: pytest.LogCaptureFixture
) -> None:
    made = embedder(server)
    made.load()
    zeros = [0.0] * DIMENSION

    def answer(dead: frozenset[str]) -> Any:
        def told(body: dict[str, Any]) -> Raw:
            return Raw(
                json.dumps(
                    {
                        "data": [
                            {"index": at, "embedding": zeros if text in dead else embedding(text)}
                            for at, text in enumerate(body["input"])
                        ]
                    }
                ).encode()
            )

        return told

    server.by["embeddings"] = answer(frozenset(("a kettle", "tax")))
    with pytest.raises(ModelUnavailable, match="nothing but zeros"):
        made.embed(["a kettle", "tax"])
    server.by["embeddings"] = answer(frozenset(("a kettle",)))
    assert made.embed(["a kettle", "tax"]).any(axis=1).tolist() == [False, True]
    assert "1 of 2 texts have no vector" in caplog.text


@pytest.mark.parametrize("answer", [error(401), error(404), error(429), error(500), Raw(drop=True), Raw(b"")])
def test_a_service_that_fails_is_unavailable_without_showing_the_key(server: ModelServer, answer: Raw) -> None:
    server.by["embeddings"] = answer
    with pytest.raises(ModelUnavailable) as caught:
        embedder(server).load()

    assert KEY not in str(caught.value)


def test_vectors_of_another_length_than_is_known_are_refused_with_the_reason(server: ModelServer) -> None:
    made = embedder(server, expected=lambda: (1536, "EMBEDDING_DIMS"))
    assert made.dimension == 1536
    with pytest.raises(ModelUnavailable, match=f"gives vectors of {DIMENSION} numbers, but EMBEDDING_DIMS says 1536"):
        made.load()


def test_vectors_whose_length_changes_are_refused(server: ModelServer) -> None:
    made = embedder(server)
    made.load()
    server.by["embeddings"] = lambda body: embeddings(body["input"], 8)

    with pytest.raises(ModelUnavailable, match="another length"):
        made.embed(["kettle"])


def test_a_text_that_is_too_long_for_the_service_is_cut_and_others_are_not(server: ModelServer) -> None:
    def answer(body: dict[str, Any]) -> Raw:
        if any(len(text) > 1000 for text in body["input"]):
            return error(400, "maximum context length exceeded")
        return embeddings(body["input"])

    server.by["embeddings"] = answer
    vectors = embedder(server).embed(["kettle " * 900, "the blue kettle"])

    assert vectors.any(axis=1).all()
    assert ["the blue kettle"] in sent(server)


def test_one_text_that_the_service_declines_does_not_keep_back_the_others(server: ModelServer) -> None:
    def answer(body: dict[str, Any]) -> Raw:
        return error(400, "flagged", "content_filter") if "bad" in str(body["input"]) else embeddings(body["input"])

    server.by["embeddings"] = answer
    vectors = embedder(server).embed(["something bad", "the blue kettle"])

    assert vectors.any(axis=1).tolist() == [False, True]


def test_a_connection_that_the_service_has_closed_since_the_last_call_is_made_anew(server: ModelServer) -> None:
    made = Service(server.url, None, what="the embedding service", retries=0)
    bodies = [{"input": [f"text {number}"]} for number in range(20)]
    answers = [made.post("embeddings", body, 10.0) for body in bodies]  # each is answered and its connection closed
    made.close()
    assert len(answers) == len(server.requests) == 20
