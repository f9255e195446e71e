# SPDX-License-Identifier: Apache-2.0
"""The demo: a first look for a person, and a check that the whole works."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from becausal.cli import demo
from commandline import CommandLine


@pytest.fixture
def becausal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "storage"
    folder.mkdir()
    return CommandLine(folder)


def test_the_demo_answers_all_its_questions_with_the_model(becausal: CommandLine) -> None:
    ran = becausal.program("demo", env={"BECAUSAL_EMBEDDER": "minilm"})
    assert ran.code == 0, ran.out + ran.err
    _, asked, traced = demo.history()
    questions = [item.question for item in (*asked, *traced)]
    assert f"{len(questions)} of {len(questions)} questions answered." in ran.out
    for question in questions:
        assert question in ran.out
    assert '"mcpServers"' in ran.out
    assert "degraded" not in ran.out
    assert list(becausal.folder.iterdir()) == []


def test_the_demo_fits_into_eighty_columns(becausal: CommandLine) -> None:
    ran = becausal("demo", env={"COLUMNS": "80"})
    wide = [line for line in ran.out.splitlines() if len(line) > 80 and str(Path.home()) not in line]
    assert [line for line in wide if '"command"' not in line and "fresh memory in" not in line] == []


def test_the_demo_fails_when_it_does_not_find_what_it_should(
    becausal: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, asked, _ = demo.history()
    wrong = replace(asked[3], expect=frozenset({"cake"}))
    monkeypatch.setattr(demo, "history", lambda: (told, (wrong,), ()))
    ran = becausal("demo")
    assert ran.code == 1
    assert "not among the first 3" in ran.out
    assert "0 of 1 questions answered." in ran.out


def test_the_demo_says_when_it_runs_on_the_fallback_embedder(becausal: CommandLine) -> None:
    assert "degraded: " in becausal("demo").out


def test_a_kept_demo_can_be_asked_on(becausal: CommandLine, tmp_path: Path) -> None:
    kept = tmp_path / "kept memory"
    ran = becausal("demo", "--keep", str(kept), "--json")
    told, asked, traced = demo.history()
    assert ran.json["folder"] == str(kept)
    assert [item["question"] for item in ran.json["questions"]] == [item.question for item in asked]
    assert [item["question"] for item in ran.json["traced"]] == [item.question for item in traced]
    assert len(becausal.ids("list", "--path", str(kept), "--user", "demo", "--limit", "100")) == len(told)


def test_the_demo_never_touches_a_folder_with_something_in_it(becausal: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_text("precious")
    ran = becausal("demo", "--keep", str(tmp_path / "mine"))
    assert ran.code == 2
    assert "not empty" in ran.err
    assert [file.name for file in (tmp_path / "mine").iterdir()] == ["file"]


def test_the_demo_is_not_run_on_the_users_own_memory(becausal: CommandLine, tmp_path: Path) -> None:
    assert becausal("demo", "--path", str(tmp_path)).code == 2


def test_the_history_is_in_order_and_its_keys_fit_together() -> None:
    told, asked, traced = demo.history()
    keys = [item.key for item in told]
    assert len(set(keys)) == len(keys)
    assert [item.at for item in told] == sorted(item.at for item in told)
    assert all(item.expect and item.expect <= set(keys) for item in asked)
    everything = " ".join(item.text for item in told)
    assert traced
    for item in traced:
        assert len(item.chain) >= 4
        assert all(part in everything or part.split()[-1] in everything for part in item.chain)


def test_the_demo_ends_with_a_chain_of_causes_told_over_several_days_drawn_as_a_tree(becausal: CommandLine) -> None:
    ran = becausal("demo", env={"BECAUSAL_EMBEDDER": "minilm"})
    _, _, (traced,) = demo.history()
    tree = ran.out[ran.out.index(traced.question) :]
    assert [tree.index(line) for line in ("root cause: ", "└─ ", "   └─ ", "      └─ ")] == sorted(
        tree.index(line) for line in ("root cause: ", "└─ ", "   └─ ", "      └─ ")
    )
    assert traced.chain[0] in tree
    days = {line.split()[1] for line in tree.splitlines() if line.startswith("[")}
    assert len(days) >= 3


def test_the_demo_fails_when_a_chain_is_not_the_one_that_was_told(
    becausal: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, _, (traced,) = demo.history()
    wrong = replace(traced, chain=("a comet", *traced.chain[1:]))
    monkeypatch.setattr(demo, "history", lambda: (told, (), (wrong,)))
    ran = becausal("demo", env={"BECAUSAL_EMBEDDER": "minilm"})
    assert ran.code == 1
    assert "not the chain that was told: a comet → " in " ".join(ran.out.split())
    assert "0 of 1 questions answered." in ran.out
