# SPDX-License-Identifier: Apache-2.0
"""``enrich``, and what ``status`` and ``ask`` say where there is a chat model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from commandline import CommandLine
from model_server import KEY, Answer, ModelServer, Raw, completion, error, model_server, says

TEXT = "The login page was slow because the cache was empty."
READ = {"summary": "An empty cache made the login page slow.", "cues": ["performance"]}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as server:
        server.script = [error(500)]
        server.by = {"enrich": says(READ), "plan": says({"intent": "WHY"})}
        server.by["answer"] = says({"answerable": True, "answer": "The cache was empty [1].", "confidence": 0.9})
        yield server


@pytest.fixture
def becausal(server: ModelServer, tmp_path: Path) -> CommandLine:
    given = {"LLM_BASE_URL": server.url, "LLM_API_KEY": KEY, "LLM_MODEL": "tiny", "POLYG_MAX_RETRIES": "0"}
    return CommandLine(tmp_path, {"BECAUSAL_EMBEDDER": "hashing", "ACCESSING_USER": "alice", **given})


def test_memories_are_read_when_asked_for_with_what_it_takes_said_before(
    becausal: CommandLine, server: ModelServer
) -> None:
    becausal.store(TEXT)
    becausal.store("The kettle is blue.")
    would = becausal("enrich", "--dry-run")
    assert would.out.startswith("2 memories to read: 2 calls of the model, about ")
    assert server.requests == []  # a command that ends soon begins nothing in the background

    done = becausal("enrich", "--limit", "1")
    assert (done.code, done.out) == (0, "1 memory read, 120 tokens used.\n")
    assert becausal("enrich", "--json").json == {
        "read": 1,
        "failed": {},
        "left": 0,
        "stopped": None,
        "unnamed": None,
        "tokens": 120,
        "estimated": 0,
    }
    assert becausal("enrich").out == "0 memories read, 0 tokens used.\n"
    assert becausal("enrich", "--all", "--json").json["read"] == 2
    assert len(server.asked("enrich")) == 4


def test_status_names_the_model_its_host_and_what_was_used_and_never_the_key(
    becausal: CommandLine, server: ModelServer
) -> None:
    becausal.store(TEXT)
    status = becausal("status", "--json")

    assert status.json["sends_text_to"] == [server.host]
    assert status.json["chat"]["model"] == "tiny"
    assert status.json["chat"]["unread"] == 1
    shown = becausal("status")
    assert "tiny" in shown.out
    assert "1,000 calls" in shown.out
    assert KEY not in shown.out + shown.err + status.out


def test_an_answer_says_what_made_it(becausal: CommandLine, server: ModelServer) -> None:
    becausal.store(TEXT)
    answer = becausal("ask", "--json", "Why was the login page slow?").json

    assert answer["answer"] == "The cache was empty [1]."
    assert answer["made_by"] == {"intent": "local", "answer": "tiny"}
    server.by["answer"] = error(401, f"bad key {KEY}")
    shown = becausal("ask", "Why was the login page slow?").out.splitlines()
    assert {"question read by rules", "answer written by tiny"} <= set(shown)
    failed = becausal("ask", "Why was the login page slow, again?")
    assert "answer written by rules, since the chat service" in failed.out
    assert "refuses the key" in " ".join(failed.out.split())
    assert KEY not in failed.out + failed.err


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (completion("no"), "could not be read: the chat service at {host} answered with no JSON object"),
        (error(401), "Stopped, with 2 memories left: the chat service at {host} refuses the key (401)"),
        (error(500), "Stopped, with 2 memories left: the chat service at {host} failed (500)"),
        (error(422), "Stopped, with 2 memories left: the chat service at {host} refuses the request (422)"),
    ],
)
def test_where_nothing_could_be_read_it_fails_and_says_why(
    becausal: CommandLine, server: ModelServer, answer: Answer, told: str
) -> None:
    becausal.store(TEXT)
    becausal.store("The kettle is blue.")
    server.by["enrich"] = answer
    server.script = [answer]  # asked without a schema, it says the same
    ran = becausal("enrich")

    assert ran.code == 1
    assert told.format(host=server.host) in " ".join(ran.out.split())
    assert becausal("enrich", "--json").code == 1


def test_where_some_could_be_read_it_names_the_others_and_so_does_status(
    becausal: CommandLine, server: ModelServer
) -> None:
    becausal.store(TEXT)
    becausal.store("The kettle is blue.")
    server.by["enrich"] = lambda body: completion("no") if "kettle" in str(body) else says(READ)
    ran = becausal("enrich")

    assert (ran.code, ran.out.splitlines()[0]) == (0, "1 memory read, 360 tokens used.")
    assert "1 memory could not be read" in ran.out
    chat = becausal("status", "--json").json["chat"]
    assert (chat["unread"], sum(chat["unreadable"].values())) == (0, 1)
    shown = " ".join(becausal("status").out.split())
    assert "1 memory could not be read by the model ('becausal enrich' tries again)" in shown


def test_tokens_that_the_service_does_not_count_are_called_estimated(
    becausal: CommandLine, server: ModelServer
) -> None:
    becausal.store(TEXT)
    server.by["enrich"] = Raw(b"")
    ran = becausal("enrich")

    assert "of them estimated" in ran.out
    chat = becausal("status", "--json").json["chat"]
    assert chat["tokens_this_hour"] == chat["tokens_estimated_this_hour"] > 0
    assert "of them estimated" in becausal("status").out


def test_without_a_model_it_says_how_to_name_one(tmp_path: Path) -> None:
    ran = CommandLine(tmp_path)("enrich")

    assert ran.code == 1
    assert "LLM_BASE_URL" in ran.err
