# SPDX-License-Identifier: Apache-2.0
"""Questions from the command line: answers in prose, chains as trees, and nothing invented."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from commandline import CommandLine

STORY = (
    ("2026-03-02", "The cooling of the data centre broke down on Sunday, so we moved the backup to eight."),
    ("2026-03-03", "Because we moved the backup to eight, the ledger's disk is overloaded when the shops open."),
    ("2026-03-03", "The overloaded disk made card payments slow all morning."),
    ("2026-03-05", "The meeting room on the third floor gets new chairs."),
)


@pytest.fixture
def becausal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "storage"
    folder.mkdir()
    return CommandLine(folder)


@pytest.fixture
def told(becausal: CommandLine) -> CommandLine:
    for at, text in STORY:
        becausal.store(text, "--occurred-at", at, "--source", "on-call")
    return becausal


def flat(text: str) -> str:
    return " ".join(text.split())


def test_ask_answers_in_prose_with_numbered_sources(told: CommandLine) -> None:
    ran = told("ask", "why", "were", "card", "payments", "slow")
    assert ran.code == 0
    assert flat(ran.out).startswith("Root cause: “The cooling of the data centre broke down on Sunday”. It led to")
    assert re.search(r"^confidence \d+% that this answers it · \d+% that the whole chain holds$", ran.out, re.M)
    lines = ran.out.splitlines()
    first = next(line for line in lines if line.startswith("[1]"))
    assert "2026-03-02 · on-call" in first
    assert STORY[0][1] in flat(ran.out)


def test_why_draws_the_chain_as_a_tree_with_both_confidences_and_the_quoted_sentence(told: CommandLine) -> None:
    ran = told("why", "were card payments slow?")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == "root cause: The cooling of the data centre broke down on Sunday"
    hops = [line for line in lines if "└─" in line]
    assert [line.index("└─") for line in hops] == [0, 3, 6]
    assert all("% → " in line for line in hops)
    shown = flat(ran.out)
    for _, sentence in STORY[:3]:
        assert f"“{sentence}”" in shown
    assert "% so far · [2] “Because" in shown
    assert "% in all · [3] “The overloaded" in shown


@pytest.mark.parametrize(
    "words",
    ["why were card payments slow", "were card payments slow", "card payments were slow", "Slow card payments!"],
)
def test_why_takes_a_question_a_question_without_its_why_or_the_event_itself(told: CommandLine, words: str) -> None:
    ran = told("why", *words.split(), "--json")
    assert ran.json["question"].lower().startswith("why ")
    assert ran.json["intent"] == "WHY"
    assert ran.json["root_cause"] == "The cooling of the data centre broke down on Sunday"


def test_what_was_never_told_is_declined_in_plain_words(told: CommandLine) -> None:
    for command in ("ask", "why"):
        ran = told(command, "Why did the mayor of Porto resign?")
        assert ran.code == 0
        assert flat(ran.out).startswith("Nothing that was told to this memory answers that.")
        assert "root cause" not in ran.out.lower()
        assert "confidence" not in ran.out  # of what?
        assert told(command, "Why did the mayor of Porto resign?", "--json").json["abstained"] is True


def test_an_empty_memory_has_no_answer_and_no_sources(becausal: CommandLine) -> None:
    ran = becausal("ask", "why?")
    assert ran.code == 0
    assert ran.out.splitlines() == ["Nothing that was told to this memory answers that."]


def test_for_machines_there_is_one_document_with_all_that_the_answer_rests_on(told: CommandLine) -> None:
    document = told("ask", "why were card payments slow", "--json").json
    assert [step["effect"] for step in document["chain"][:-1]] == [step["cause"] for step in document["chain"][1:]]
    assert [source["number"] for source in document["sources"]] == [1, 2, 3]
    assert document["sources"][0]["at"] == "2026-03-02T00:00:00Z"
    assert set(document["views"]) == {"semantic", "entity", "temporal", "causal"}
    assert STORY[2][1].rstrip(".") in document["context"]


def test_since_and_until_narrow_down_what_is_asked(told: CommandLine) -> None:
    document = told("ask", "what happened to the disk", "--since", "2026-03-03", "--until", "2026-03-03", "--json").json
    assert document["sources"]
    assert {source["at"][:10] for source in document["sources"]} == {"2026-03-03"}


@pytest.mark.parametrize(
    ("args", "named"),
    [
        (["ask", "why", "--limit", "0"], "--limit"),
        (["ask", "why", "--limit", "many"], "--limit"),
        (["why", "x", "--since", "the day the sun stood still"], "--since"),
        (["why", "x", "--timezone", "Mars/Olympus"], "--timezone"),
        (["ask", " "], "question"),
        (["ask", "x" * 8_001], "question"),
    ],
)
def test_bad_input_is_named_and_is_wrong_usage(becausal: CommandLine, args: list[str], named: str) -> None:
    ran = becausal(*args)
    assert (ran.code, ran.out) == (2, "")
    assert named in ran.err


def test_a_question_is_required(becausal: CommandLine) -> None:
    for command in ("ask", "why"):
        assert becausal(command).code == 2


def test_hostile_text_is_shown_and_not_obeyed(becausal: CommandLine) -> None:
    becausal.store("The pump\x1b[2J stopped because of \x1b]0;owned\x07rust\u202e.", "--source", "a\x1b[31mb")
    for command in ("ask", "why"):
        ran = becausal(command, "Why did the pump stop?")
        assert ran.code == 0
        assert "rust" in ran.out
        assert not [char for char in ran.out if char in "\x1b\x07\u202e"]
        ran = becausal(command, "Why did the pump stop?", "--json")
        assert not [char for char in ran.out if char in "\x1b\x07\u202e"]


def test_a_chain_fits_into_narrow_windows(told: CommandLine) -> None:
    for width in (40, 60, 80):
        ran = told("why", "were card payments slow", env={"COLUMNS": str(width)})
        assert max(len(line) for line in ran.out.splitlines()) <= width
