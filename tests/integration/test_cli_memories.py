# SPDX-License-Identifier: Apache-2.0
"""Memories from the command line: told, asked for, changed, forgotten."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from commandline import CommandLine


@pytest.fixture
def becausal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "storage"
    folder.mkdir()
    return CommandLine(folder)


def test_what_is_stored_is_recalled_by_the_next_command(becausal: CommandLine) -> None:
    id = becausal.store("The gateway keeps its sessions in Redis", "--source", "decisions", "--tags", "infra, redis")
    becausal.store("Lunch is at noon")
    ran = becausal("recall", "gateway sessions", "--limit", "1")
    assert ran.code == 0
    for shown in ("The gateway keeps its sessions in Redis", "decisions", "#infra", "#redis", id, "why: "):
        assert shown in ran.out


def test_words_without_quotes_are_one_text(becausal: CommandLine) -> None:
    id = becausal.store("the", "build", "is", "red")
    assert becausal("show", id, "--json").json["memory"]["content"] == "the build is red"


def test_a_dash_or_nothing_reads_standard_input(becausal: CommandLine) -> None:
    for args in (["-"], []):
        ran = becausal("store", "--json", *args, input="from a pipe, in\ntwo lines\n")
        assert ran.json["memory"]["content"] == "from a pipe, in\ntwo lines"
    assert ran.json["created"] is False


def test_a_byte_order_mark_is_not_part_of_the_text(becausal: CommandLine) -> None:
    ran = becausal("store", "--json", "-", input="\ufeffnaïve café".encode())
    assert ran.json["memory"]["content"] == "naïve café"


def test_input_that_is_not_utf8_is_refused(becausal: CommandLine) -> None:
    ran = becausal("store", "-", input=b"caf\xe9 au lait")
    assert (ran.code, ran.out) == (2, "")
    assert "UTF-8" in ran.err
    assert "byte 3" in ran.err


def test_the_same_told_twice_is_one_memory(becausal: CommandLine) -> None:
    first = becausal.store("Backups run at three")
    ran = becausal("store", "Backups run at three")
    assert "Known already" in ran.out
    assert becausal.ids("list") == [first]


def test_filters_narrow_down_what_is_listed(becausal: CommandLine) -> None:
    old = becausal.store("The pump was replaced", "--occurred-at", "2021-05-01", "--tag", "house", "--source", "log")
    new = becausal.store("The pump leaks", "--occurred-at", "2024-05-01", "--tag", "house", "--session", "s1")
    becausal.store("How to bleed a pump: open the valve, wait, close it", "--type", "procedural")
    assert becausal.ids("list", "--source", "log") == [old]
    assert becausal.ids("list", "--session", "s1") == [new]
    assert set(becausal.ids("list", "--tag", "house")) == {old, new}
    assert becausal.ids("list", "--tag", "house", "--since", "2023-01-01") == [new]
    assert becausal.ids("list", "--tag", "house", "--until", "2023-01-01") == [old]
    assert len(becausal.ids("list", "--type", "procedural")) == 1
    assert set(becausal.ids("recall", "pump", "--tag", "house")) == {old, new}


def test_a_cursor_goes_on_where_the_page_ended(becausal: CommandLine) -> None:
    ids = {becausal.store(f"Shelf {number} holds jars") for number in range(5)}
    first = becausal("list", "--limit", "3", "--json").json
    second = becausal("list", "--limit", "3", "--cursor", first["next"], "--json").json
    assert {item["id"] for item in first["results"] + second["results"]} == ids
    assert second["next"] is None


def test_the_command_that_shows_more_is_printed_and_works(becausal: CommandLine) -> None:
    for number in range(5):
        becausal.store(f"Shelf {number} holds jars", "--tag", "cellar")
    out = becausal("recall", "which shelf holds jars", "--limit", "2", "--tag", "cellar").out
    words = shlex.split(out.splitlines()[-1].removeprefix("More: becausal "))
    ran = becausal(*words, "--json")
    assert len(ran.json["results"]) == 2


def test_nothing_found_is_said_and_is_no_error(becausal: CommandLine) -> None:
    ran = becausal("recall", "anything at all")
    assert (ran.code, ran.out) == (0, "Nothing found.\n")


def test_show_tells_everything_about_a_memory(becausal: CommandLine) -> None:
    id = becausal.store("Release 2.7 went out yesterday", "--occurred-at", "2025-03-12", "--label", "Release", "--pin")
    out = becausal("show", id).out
    for shown in ("Release 2.7 went out yesterday", id, "pinned", "cues", "told"):
        assert shown in out


def test_a_long_text_is_shown_whole_by_show_and_shortened_by_recall(becausal: CommandLine) -> None:
    id = becausal.store(" ".join(f"Paragraph {number} is about gravel." for number in range(120)) + " The end.")
    ran = becausal("recall", "gravel")
    assert "The end." not in ran.out
    assert f"becausal show {id}" in ran.out or "…" in ran.out
    assert "The end." in becausal("show", id).out


def test_an_edited_memory_is_found_by_its_new_words(becausal: CommandLine) -> None:
    id = becausal.store("The printer is on the second floor", "--tags", "office")
    ran = becausal("edit", id, "--content", "The printer is in the basement", "--importance", "0.9", "--tags", "")
    assert (ran.code, "Changed" in ran.out) == (0, True)
    memory = becausal("show", id, "--json").json["memory"]
    assert (memory["content"], memory["importance"], memory["tags"]) == ("The printer is in the basement", 0.9, [])
    assert becausal.ids("recall", "basement", "--mode", "fts") == [id]
    assert becausal.ids("recall", "floor", "--mode", "fts") == []


def test_an_edit_can_be_undone(becausal: CommandLine) -> None:
    id = becausal.store("The printer is on the second floor")
    becausal("edit", id, "--content", "The printer is in the basement")
    assert becausal("undo").code == 0
    assert becausal("show", id, "--json").json["memory"]["content"] == "The printer is on the second floor"


def test_without_options_edit_opens_the_text_in_an_editor(
    becausal: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = becausal.store("The key is under the mat")
    script = tmp_path / "editor.py"
    script.write_text("import sys; p = sys.argv[1]; t = open(p).read(); open(p, 'w').write(t.replace('mat', 'pot'))")
    monkeypatch.setattr("becausal.cli.writing.is_terminal", lambda stream: True)
    ran = becausal("edit", id, env={"EDITOR": shlex.join([sys.executable, str(script)]), "VISUAL": ""})
    assert ran.code == 0
    assert becausal("show", id, "--json").json["memory"]["content"] == "The key is under the pot"


def test_an_editor_that_changes_nothing_changes_nothing(becausal: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    id = becausal.store("The key is under the mat")
    monkeypatch.setattr("becausal.cli.writing.is_terminal", lambda stream: True)
    ran = becausal("edit", id, env={"EDITOR": shlex.join([sys.executable, "-c", "pass"]), "VISUAL": ""})
    assert (ran.code, ran.out, ran.err) == (0, "", "Nothing changed.\n")
    assert becausal("changes", "--json").json == {"changes": []}


def test_edit_without_options_and_terminal_is_wrong_usage(becausal: CommandLine) -> None:
    id = becausal.store("The key is under the mat")
    ran = becausal("edit", id)
    assert ran.code == 2
    assert "--content" in ran.err


def test_a_forgotten_memory_is_hidden_until_it_is_undone(becausal: CommandLine) -> None:
    id = becausal.store("The safe's code is on the fridge")
    ran = becausal("forget", id)
    assert ran.code == 0
    assert "becausal undo " in ran.out
    assert becausal.ids("recall", "safe code fridge") == []
    assert becausal("show", id).code == 3
    command = next(line for line in ran.out.splitlines() if "becausal undo " in line)
    assert becausal(*shlex.split(command)[1:]).code == 0
    assert becausal.ids("recall", "safe code fridge") == [id]


def test_forgetting_goes_on_after_an_unknown_id_and_says_so(becausal: CommandLine) -> None:
    id = becausal.store("The safe's code is on the fridge")
    ran = becausal("forget", "no-such-memory", id, "--json")
    assert ran.code == 3
    assert "no-such-memory" in ran.err
    assert ran.json["ids"] == [id]
    assert ran.json["not_found"] == ["no-such-memory"]
    assert becausal.ids("list") == []


def test_forgetting_by_filter_only_says_what_it_would_do(becausal: CommandLine) -> None:
    chosen = {becausal.store(f"Chat line {number}", "--source", "chat") for number in range(3)}
    kept = becausal.store("A decision", "--source", "minutes")
    ran = becausal("forget", "--source", "chat", "--json")
    assert (ran.code, set(ran.json["ids"]), ran.json["dry_run"]) == (0, chosen, True)
    assert "--yes" in becausal("forget", "--source", "chat").err
    assert set(becausal.ids("list")) == {*chosen, kept}


def test_forgetting_by_filter_with_yes_forgets_what_matches(becausal: CommandLine) -> None:
    chosen = {becausal.store(f"Chat line {number}", "--source", "chat") for number in range(3)}
    kept = becausal.store("A decision", "--source", "minutes")
    ran = becausal("forget", "--source", "chat", "--yes", "--json")
    assert (set(ran.json["ids"]), ran.json["dry_run"]) == (chosen, False)
    assert becausal.ids("list") == [kept]
    assert becausal("undo").code == 0
    assert set(becausal.ids("list")) == {*chosen, kept}


@pytest.mark.parametrize("args", [[], ["some-id", "--tag", "x"]])
def test_forget_wants_either_ids_or_a_filter(becausal: CommandLine, args: list[str]) -> None:
    assert becausal("forget", *args).code == 2


def test_a_purged_text_is_in_no_byte_of_the_folder(becausal: CommandLine) -> None:
    secret = "xylophone-quartz-91"
    id = becausal.store(f"The passphrase is {secret}", "--tags", "secret")
    becausal.store("Something else")
    assert any(secret.encode() in file.read_bytes() for file in becausal.folder.rglob("*") if file.is_file())
    ran = becausal("forget", id, "--purge", "--json")
    assert (ran.code, ran.json["purged"], ran.json["undo"]) == (0, True, [])
    traces = [file for file in becausal.folder.rglob("*") if file.is_file() and secret.encode() in file.read_bytes()]
    assert traces == []
    assert len(becausal.ids("list")) == 1


def test_purging_asks_first_on_a_terminal(becausal: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    id = becausal.store("Not to be lost")
    monkeypatch.setattr("becausal.cli.forgetting.is_terminal", lambda stream: True)
    assert becausal("forget", id, "--purge", input="n\n").code == 130
    assert becausal.ids("list") == [id]
    assert becausal("forget", id, "--purge", input="y\n").code == 0
    assert becausal.ids("list") == []


def test_changes_are_listed_newest_first_and_undone_by_id(becausal: CommandLine) -> None:
    first, second = becausal.store("First thing"), becausal.store("Second thing")
    becausal("forget", first)
    becausal("forget", second)
    changes = becausal("changes", "--json").json["changes"]
    assert second in changes[0]["targets"]
    assert first in changes[1]["targets"]
    assert changes[1]["id"] in becausal("changes").out
    assert becausal("undo", changes[1]["id"], "--json").json["ids"] == [first]
    assert becausal.ids("list") == [first]


def test_with_nothing_to_undo_undo_says_so(becausal: CommandLine) -> None:
    ran = becausal("undo")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.startswith("Error: ")


def test_status_says_where_the_memory_is_and_that_nothing_is_sent(becausal: CommandLine) -> None:
    becausal.store("One thing")
    ran = becausal("status")
    assert ran.code == 0
    for shown in ("alice", str(becausal.folder), "hashing", "nowhere", "degraded: "):
        assert shown in ran.out
    assert becausal("status", "--json").json["counts"]["engram"] == 1


def test_reindex_says_how_much_it_did(becausal: CommandLine) -> None:
    becausal.store("One thing")
    becausal.store("Another thing")
    assert becausal("reindex").out == "2 memories reindexed.\n"
    assert becausal("reindex", "--json").json == {"reindexed": 2}


def test_options_may_stand_before_or_after_the_command(becausal: CommandLine, tmp_path: Path) -> None:
    other = str(tmp_path / "other")
    assert becausal("--path", other, "--user", "bob", "--json", "store", "Before").json["created"]
    assert becausal("store", "After", "--path", other, "--user", "bob", "--json").json["created"]
    assert len(becausal.ids("list", "--path", other, "--user", "bob")) == 2
    assert becausal.ids("list", "--path", other) == []
    assert becausal.ids("list") == []
