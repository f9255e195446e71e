# SPDX-License-Identifier: Apache-2.0
"""What other programs wrote, brought in on the command line."""

from __future__ import annotations

import json
import os
import sqlite3
import zipfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from commandline import CommandLine, under_permissions


@pytest.fixture
def becausal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "storage"
    folder.mkdir()
    return CommandLine(folder)


def imported(becausal: CommandLine, *args: str, refused: int = 0) -> Any:
    """Import something, of which a dry run has told what will come of it; return the answer."""
    foreseen = becausal("import", *args, "--dry-run", "--json").json
    ran = becausal("import", *args, "--json")
    assert ran.code == (1 if refused else 0), ran.err + ran.out
    assert ran.json["refused"] == refused, ran.out
    for name in ("added", "links", "known", "refused", "skipped", "passed"):
        assert foreseen[name] == ran.json[name], name
    return ran.json


def memories(becausal: CommandLine) -> dict[str, Mapping[str, Any]]:
    """Return everything in the memory by its text."""
    ran = becausal("list", "--limit", "100", "--json")
    return {item["content"]: item for item in ran.json["results"]}


# --- documents ---

MARKDOWN = """---
title: Coffee
tags: [brewing, notes]
date: 2025-03-01
---
Notes of a morning.

# Pouring
Pour over is clear.

```
# no heading
```

## Water
Boil it.

Grinding
--------
Finer for espresso.
"""


def test_markdown_becomes_a_memory_for_each_section(becausal: CommandLine) -> None:
    Path("coffee.md").write_text(MARKDOWN)
    answer = imported(becausal, "coffee.md")
    assert (answer["format"], answer["added"]["engram"]) == ("markdown", 4)
    found = memories(becausal)
    assert {text: item["label"] for text, item in found.items()} == {
        "Notes of a morning.": "Coffee",
        "Pour over is clear.\n\n```\n# no heading\n```": "Coffee › Pouring",
        "Boil it.": "Coffee › Pouring › Water",
        "Finer for espresso.": "Coffee › Pouring › Grinding",
    }
    for item in found.values():
        assert item["tags"] == ["brewing", "notes"]
        assert item["source"] == "coffee.md"
        assert item["occurred_at"].startswith("2025-0")


def test_text_is_one_memory_and_a_long_one_is_cut_between_paragraphs(becausal: CommandLine) -> None:
    Path("short.txt").write_bytes("One.\r\n\r\nTwo — café.\r\n".encode())
    long = "\n\n".join(f"Paragraph {number}. " + "word " * 200 for number in range(40))
    Path("long.txt").write_text(long)
    imported(becausal, "short.txt")
    assert list(memories(becausal)) == ["One.\n\nTwo — café."]
    assert imported(becausal, "long.txt", "--tags", "long")["added"]["engram"] > 4
    pieces = [text for text, item in memories(becausal).items() if "long" in item["tags"]]
    assert max(map(len, pieces)) <= 8_000
    assert all(piece.startswith("Paragraph ") for piece in pieces)
    assert sorted("\n\n".join(pieces).split()) == sorted(long.split())


def test_text_in_utf16_is_read_and_in_an_old_code_page_refused_with_advice(becausal: CommandLine) -> None:
    Path("wide.txt").write_bytes("記憶と理由".encode("utf-16"))
    Path("old.txt").write_bytes("Füße".encode("cp1252"))
    imported(becausal, "wide.txt")
    assert "記憶と理由" in memories(becausal)
    answer = imported(becausal, "old.txt", refused=1)
    assert "save it as UTF-8" in answer["skipped"][0]["why"]


@pytest.mark.parametrize(
    "text",
    [
        "plain words\n",
        "一天",
        "戀愛",
        "今日は\r\n",
        "नमस्ते दुनिया",
        "ⵜⴰⵎⴰⵣⵉⵖⵜ",
        "Это память — ☎",
        "기억과 이유",
        "𠮷野家 😀",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_of_any_script_is_read(becausal: CommandLine, text: str, encoding: str) -> None:
    Path("wide.txt").write_bytes(f"\ufeff{text}".encode(encoding))
    imported(becausal, "wide.txt")
    assert list(memories(becausal)) == [text.strip()]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_json_lines_in_utf16_are_told_by_their_content_and_read(becausal: CommandLine, encoding: str) -> None:
    lines = '\ufeff"The pump failed."\r\n\r\n{"content": "記憶と理由", "tags": ["ⵜⴰⵎ"]}\r\n{oh\r\n"The valve stuck."'
    Path("notes.jsonl").write_bytes(lines.encode(encoding))
    answer = imported(becausal, "notes.jsonl", refused=1)
    assert answer["skipped"][0]["where"] == "notes.jsonl, line 4"
    assert set(memories(becausal)) == {"The pump failed.", "記憶と理由", "The valve stuck."}


def test_json_lines_that_stop_being_utf16_are_read_as_far_as_they_are(becausal: CommandLine) -> None:
    Path("notes.jsonl").write_bytes('\ufeff"The pump failed."\n"The valve'.encode("utf-16-le")[:-1])
    answer = imported(becausal, "notes.jsonl", refused=1)
    assert answer["skipped"][0]["where"] == "notes.jsonl, line 2"
    assert "UTF-16" in answer["skipped"][0]["why"]
    assert set(memories(becausal)) == {"The pump failed."}


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfe\x00bad",
        b"\xfe\xffThe pump failed because the valve stuck.\nIt was new.\n",
        b"\xff\xfe" + "cut".encode("utf-16-le")[:-1],
        b"\xff\xfe" + b"\x00\xd8a\x00",
        b"\xff\xfea\x00\xff\xff",
        b"\xff\xfe\x00\x00a\x00\x00\x00",
        b"\xef\xbb\xbfbad \xff",
        b"bad \xc3",
    ],
    ids=["NUL and letters", "words", "half a character", "half a pair", "no character", "UTF-32", "marked", "cut"],
)
def test_bytes_that_are_no_text_in_their_encoding_are_refused_by_name(becausal: CommandLine, data: bytes) -> None:
    Path("vault").mkdir()
    Path("vault/bad.md").write_bytes(data)
    Path("vault/good.md").write_text("First.")
    assert imported(becausal, "vault", refused=1)["skipped"][0]["where"] == "bad.md"
    assert imported(becausal, "vault/bad.md", refused=1)["skipped"][0]["where"] == "bad.md"
    assert set(memories(becausal)) == {"First."}


@pytest.mark.parametrize(
    ("given", "tags", "odd"),
    [
        ("[brewing, 2026, 2026-03-04]", ["brewing", "2026", "2026-03-04"], 0),
        ("'#brewing, notes'", ["brewing", "notes"], 0),
        ("2026", ["2026"], 0),
        ("[yes, no, 007, 12:30, 1e3]", ["yes", "no", "007", "12:30", "1e3"], 0),
        ("", [], 0),
        ("null", [], 0),
        ("[brewing, {kind: notes}, [a, b]]", ["brewing"], 2),
        ("{kind: notes}", [], 1),
    ],
)
def test_tags_of_front_matter_are_kept_or_said_to_be_none(
    becausal: CommandLine, given: str, tags: list[str], odd: int
) -> None:
    Path("note.md").write_text(f"---\ntags: {given}\n---\nCoffee is ground fresh.\n")
    answer = imported(becausal, "note.md")
    assert memories(becausal)["Coffee is ground fresh."]["tags"] == tags
    assert sum(number for why, number in answer["passed"].items() if "tags" in why) == odd


@pytest.mark.parametrize("front", ["tags: [unclosed", "title: broken: yaml: ["])
def test_front_matter_that_cannot_be_read_is_said_to_be_kept_as_text(becausal: CommandLine, front: str) -> None:
    Path("note.md").write_text(f"---\n{front}\n---\nCoffee is ground fresh.\n")
    answer = imported(becausal, "note.md")
    assert any("front matter" in why for why in answer["passed"])
    assert any(front in text for text in memories(becausal))


def test_a_day_in_front_matter_that_does_not_exist_is_refused_by_name(becausal: CommandLine) -> None:
    Path("note.md").write_text("---\ndate: 2026-02-30\n---\nCoffee is ground fresh.\n")
    assert "occurred_at" in imported(becausal, "note.md", refused=1)["skipped"][0]["why"]
    assert memories(becausal) == {}


def test_what_front_matter_gives_as_null_is_not_given(becausal: CommandLine) -> None:
    Path("note.md").write_text("---\ntitle: ~\ndate: null\ntags: ~\n---\nCoffee is ground fresh.\n")
    imported(becausal, "note.md")
    kept = memories(becausal)["Coffee is ground fresh."]
    assert (kept["label"], kept["tags"], kept["occurred_at"]) == (None, [], None)


@pytest.mark.parametrize("name", ["empty.jsonl", "empty.json", "empty.txt"])
def test_a_file_without_anything_in_it_is_passed_over(becausal: CommandLine, name: str) -> None:
    Path(name).write_text("")
    assert any("empty" in why for why in imported(becausal, name)["passed"])


def test_a_folder_is_read_file_by_file_and_what_is_no_text_is_passed_over(becausal: CommandLine) -> None:
    (Path("vault") / "deep" / "er").mkdir(parents=True)
    (Path("vault") / ".git").mkdir()
    Path("vault/a.md").write_text("First.")
    Path("vault/deep/b.txt").write_text("Second.")
    Path("vault/deep/er/c.md").write_text("# Third\nThird.")
    Path("vault/.git/d.md").write_text("Not this.")
    Path("vault/photo.jpg").write_bytes(b"\xff\xd8\xff\x00")
    answer = imported(becausal, "vault")
    assert (answer["format"], answer["passed"]) == (
        "folder",
        {"files of another kind": 1, "hidden folders, whose names begin with a dot": 1},
    )
    assert {text: item["source"] for text, item in memories(becausal).items()} == {
        "First.": "a.md",
        "Second.": "deep/b.txt",
        "Third.": "deep/er/c.md",
    }


def test_a_link_that_leads_out_of_a_folder_is_passed_over_and_told(becausal: CommandLine) -> None:
    Path("elsewhere").mkdir()
    Path("elsewhere/private.md").write_text("Of no one's business.")
    Path("elsewhere/conversations.json").write_text(json.dumps(CHATGPT))
    Path("vault/deep").mkdir(parents=True)
    Path("vault/own.md").write_text("First.")
    Path("vault/deep/way_out.md").symlink_to(Path("elsewhere/private.md").absolute())
    Path("vault/up.txt").symlink_to("../elsewhere/private.md")
    Path("vault/whole").symlink_to(Path("elsewhere").absolute(), target_is_directory=True)
    Path("vault/conversations.json").symlink_to("../elsewhere/conversations.json")
    Path("vault/inside.txt").symlink_to("own.md")
    Path("vault/round.md").symlink_to("round.md")
    answer = imported(becausal, "vault", refused=1)
    assert (answer["format"], answer["passed"]) == ("folder", {"links that lead out of the folder": 4})
    assert answer["skipped"][0]["where"] == "round.md"
    assert set(memories(becausal)) == {"First."}
    assert "links that lead out of the folder (4)" in becausal("import", "vault", "--dry-run").out


def test_an_export_beside_a_link_that_leads_out_is_read_without_it(becausal: CommandLine) -> None:
    Path("elsewhere.json").write_text(json.dumps(CLAUDE[:1]))
    Path("export").mkdir()
    Path("export/conversations-001.json").symlink_to("../elsewhere.json")
    Path("export/conversations-002.json").write_text(json.dumps(CHATGPT))
    answer = imported(becausal, "export")
    assert (answer["format"], answer["added"]["engram"]) == ("chatgpt", 2)
    assert answer["passed"]["links that lead out of the folder"] == 1


def test_a_link_that_is_named_itself_is_followed(becausal: CommandLine) -> None:
    Path("real").mkdir()
    Path("real/a.md").write_text("First.")
    Path("real/same.md").symlink_to("a.md")
    Path("folder").symlink_to("real", target_is_directory=True)
    Path("file.md").symlink_to("real/a.md")
    answer = imported(becausal, "folder")
    assert (answer["added"], answer["passed"]) == ({"engram": 2}, {})
    assert imported(becausal, "file.md")["added"] == {"engram": 1}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_in_a_folder_is_passed_over(becausal: CommandLine) -> None:
    Path("vault").mkdir()
    Path("vault/a.md").write_text("First.")
    os.mkfifo("vault/pipe.md")
    assert imported(becausal, "vault")["passed"] == {"pipes, sockets and devices": 1}


def test_all_that_is_left_out_of_a_folder_is_counted_with_its_reason(becausal: CommandLine) -> None:
    for folder in ("vault/deep", "vault/node_modules", "vault/.obsidian"):
        Path(folder).mkdir(parents=True)
    Path("vault/a.md").write_text("First.")
    Path("vault/.hidden.md").write_text("Not this.")
    Path("vault/deep/.also.txt").write_text("Nor this.")
    Path("vault/node_modules/readme.md").write_text("Of a program.")
    Path("vault/.obsidian/app.md").write_text("Of another one.")
    Path("vault/again").symlink_to("deep", target_is_directory=True)
    Path("vault/empty.md").write_text("")
    Path("vault/blank.txt").write_text(" \n\n")
    Path("vault/none.jsonl").write_text("")
    Path("vault/deep/headings.md").write_text("---\ntitle: Alone\n---\n# Nothing under it\n")
    answer = imported(becausal, "vault")
    assert answer["passed"] == {
        "hidden files, whose names begin with a dot": 2,
        "hidden folders, whose names begin with a dot": 1,
        "folders of programs (__MACOSX, __pycache__, node_modules)": 1,
        "links to folders: what is in one is read at its own place": 1,
        "files that are empty, or have nothing to remember in them": 4,
    }
    assert set(memories(becausal)) == {"First."}


def test_an_empty_file_is_said_to_be_empty(becausal: CommandLine) -> None:
    Path("empty.md").write_text("")
    assert "empty" in becausal("import", "empty.md", "--dry-run").out
    assert imported(becausal, "empty.md")["passed"] == {"files that are empty, or have nothing to remember in them": 1}


def test_what_lies_beside_an_exports_conversations_is_counted(becausal: CommandLine) -> None:
    Path("export/pictures").mkdir(parents=True)
    Path("export/conversations.json").write_text(json.dumps(CHATGPT))
    Path("export/user.json").write_text("{}")
    Path("export/pictures/one.png").write_bytes(b"\x89PNG\x00")
    answer = imported(becausal, "export")
    assert (answer["added"]["engram"], answer["passed"]["files beside the conversations"]) == (2, 2)


def test_a_folder_of_an_export_can_be_read_as_markdown(becausal: CommandLine) -> None:
    Path("export").mkdir()
    Path("export/conversations.json").write_text(json.dumps(CHATGPT))
    Path("export/a.md").write_text("First.")
    answer = imported(becausal, "export", "--format", "markdown")
    assert (answer["format"], answer["passed"]) == ("markdown", {"files of another kind": 1})
    assert set(memories(becausal)) == {"First."}


def test_a_folder_that_cannot_be_listed_is_named(becausal: CommandLine, tmp_path: Path) -> None:
    Path("vault/closed").mkdir(parents=True)
    Path("vault/a.md").write_text("First.")
    Path("vault/closed").chmod(0)
    try:
        ran = becausal.program("import", str(tmp_path / "vault"), "--json", under=under_permissions())
    finally:
        Path("vault/closed").chmod(0o700)
    assert (ran.code, ran.json["refused"], ran.json["added"]) == (1, 1, {"engram": 1}), ran.err
    assert ran.json["skipped"][0]["where"] == "closed"


def test_json_lines_take_what_store_takes(becausal: CommandLine) -> None:
    lines = [
        '"Just a text"',
        json.dumps(
            {
                "content": "The pump failed because the valve stuck",
                "tags": ["x"],
                "occurred_at": "2026-01-02",
                "importance": 0.9,
                "source": "log",
                "metadata": {"n": 1},
                "facts": [{"subject": "pump", "predicate": "state", "object": "broken"}],
            }
        ),
        '{"content": "   "}',
        '{"text": "x", "colour": "red"}',
        '{"content": "x", "importance": 7}',
        "nonsense",
        "[" * 100_000,
        "17",
    ]
    Path("contents.jsonl").write_text("\n".join(lines))
    answer = imported(becausal, "contents.jsonl", refused=6)
    assert [item["where"] for item in answer["skipped"]] == [f"contents.jsonl, line {n}" for n in range(3, 9)]
    assert "colour" in answer["skipped"][1]["why"]
    assert "importance" in answer["skipped"][2]["why"]
    found = memories(becausal)
    pump = found["The pump failed because the valve stuck"]
    assert (pump["tags"], pump["source"], pump["importance"], pump["metadata"]) == (["x"], "log", 0.9, {"n": 1})
    assert found["Just a text"]["source"] == "contents.jsonl"
    assert "the valve stuck" in becausal("why", "did the pump fail").out


# --- conversations ---


def turn(id: str, parent: str | None, children: list[str], role: str, *parts: Any, **more: Any) -> dict[str, Any]:
    content = {"content_type": "text", "parts": list(parts)}
    message = {"id": id, "author": {"role": role}, "create_time": 1706745600.5, "content": content, **more}
    return {"id": id, "parent": parent, "children": children, "message": message}


CHATGPT = [
    {
        "title": "Harbour trip",
        "conversation_id": "c-1",
        "current_node": "m5",
        "mapping": {
            "root": {"id": "root", "parent": None, "children": ["m0"], "message": None},
            "m0": turn("m0", "root", ["m1"], "system", "You are helpful"),
            "m1": turn("m1", "m0", ["m2", "old"], "user", "Where does the ferry leave?"),
            "old": turn("old", "m1", [], "assistant", "I do not know."),
            "m2": turn("m2", "m1", ["m3"], "tool", "raw output"),
            "m3": turn("m3", "m2", ["m4"], "assistant", "From pier nine.", {"image": 1}, metadata={"model_slug": "g"}),
            "m4": turn("m4", "m3", ["m5"], "user", "Hidden", metadata={"is_visually_hidden_from_conversation": True}),
            "m5": turn("m5", "m4", [], "assistant", ""),
        },
    }
]

CLAUDE = [
    {
        "uuid": "u-1",
        "name": "Garden",
        "chat_messages": [
            {
                "uuid": "a",
                "sender": "human",
                "text": "Plan the beds",
                "created_at": "2025-01-01T10:00:00.123Z",
                "content": [{"type": "text", "text": "Plan the beds"}, {"type": "tool_use", "name": "x"}],
                "attachments": [{"file_name": "list.txt", "extracted_content": "Tomatoes first"}],
            },
            {"uuid": "b", "sender": "assistant", "text": "Beans by the wall.", "created_at": "2025-01-01T10:01:00Z"},
            {"uuid": "c", "sender": "assistant", "text": "", "content": []},
        ],
    },
    "nothing",
]


def test_a_chatgpt_export_keeps_speaker_time_and_conversation(becausal: CommandLine) -> None:
    Path("conversations.json").write_text(json.dumps(CHATGPT))
    answer = imported(becausal, "conversations.json")
    assert answer["format"] == "chatgpt"
    assert sum(answer["passed"].values()) == 5
    found = memories(becausal)
    assert set(found) == {"User: Where does the ferry leave?", "Assistant: From pier nine."}
    said = found["Assistant: From pier nine."]
    assert (said["source"], said["session"], said["tags"]) == ("Harbour trip", "c-1", ["chatgpt"])
    assert said["occurred_at"] == "2024-02-01T00:00:00.500000Z"
    assert said["metadata"] == {"speaker": "Assistant", "message_id": "m3", "model": "g"}


def test_an_export_in_an_archive_is_read_where_it_is(becausal: CommandLine) -> None:
    with zipfile.ZipFile("export.zip", "w") as archive:
        archive.writestr("data/conversations.json", json.dumps(CHATGPT))
        archive.writestr("data/user.json", "{}")
    assert imported(becausal, "export.zip")["added"]["engram"] == 2


def test_a_claude_export_keeps_attachments_and_says_what_is_wrong(becausal: CommandLine) -> None:
    Path("claude").mkdir()
    Path("claude/conversations.json").write_text(json.dumps(CLAUDE))
    answer = imported(becausal, "claude", refused=1)
    assert (answer["format"], answer["added"]["engram"]) == ("claude", 3)
    found = memories(becausal)
    assert set(found) == {"User: Plan the beds", "Tomatoes first", "Assistant: Beans by the wall."}
    assert found["Tomatoes first"]["label"] == "list.txt"
    assert found["User: Plan the beds"]["occurred_at"] == "2025-01-01T10:00:00.123000Z"
    assert {item["session"] for item in found.values()} == {"u-1"}


def test_an_export_that_breaks_off_is_taken_up_to_there(becausal: CommandLine) -> None:
    Path("conversations.json").write_text(json.dumps(CHATGPT)[:-1] + ', {"title": "cut')
    answer = imported(becausal, "conversations.json", refused=1)
    assert answer["added"]["engram"] == 2
    assert "after conversation 1" in answer["skipped"][0]["where"]


# --- other memories ---


def test_the_reference_servers_graph_becomes_memories_things_and_relations(becausal: CommandLine) -> None:
    lines = [
        {"type": "relation", "from": "John_Smith", "to": "Anthropic", "relationType": "works_at"},
        {"type": "entity", "name": "John_Smith", "entityType": "person", "observations": ["Speaks Spanish", "Sails"]},
        {"type": "entity", "name": "Anthropic", "entityType": "company", "observations": []},
        {"type": "relation", "from": "John_Smith", "to": "Nobody yet", "relationType": "looks_for"},
        {"type": "entity", "observations": ["no name"]},
    ]
    Path("memory.json").write_text("\n".join(map(json.dumps, lines)) + "\n{broken")
    answer = imported(becausal, "memory.json", refused=2)
    assert (answer["format"], answer["links"]) == ("server-memory", 2)
    found = memories(becausal)
    assert {text: item["label"] for text, item in found.items()} == {
        "Speaks Spanish": "John_Smith",
        "Sails": "John_Smith",
    }
    drawn = becausal("graph", "john smith").out
    assert "works_at" in drawn
    assert "Anthropic" in drawn
    assert imported(becausal, "memory.json", refused=2)["links"] == 0


@pytest.mark.parametrize(
    ("part", "why"),
    [
        ({"observations": "Speaks Spanish"}, "observations: must be a list"),
        ({"observations": {"content": "Speaks Spanish"}}, "observations: must be a list"),
        ({"observations": 0}, "observations: must be a list"),
        ({"entityType": 7}, "entityType: must be text"),
        ({"entityType": ["person"]}, "entityType: must be text"),
        ({"entityType": False}, "entityType: must be text"),
        ({"observations": [{"content": "Sails", "timestamp": ["2026"]}]}, "the time of an observation"),
        ({"observations": [{"content": "Sails", "createdAt": True}]}, "the time of an observation"),
        ({"observations": [["Sails"]]}, "content"),
        ({"observations": [None]}, "content"),
    ],
)
def test_a_part_of_an_entity_that_is_of_the_wrong_kind_is_refused_with_line_and_field(
    becausal: CommandLine, part: dict[str, Any], why: str
) -> None:
    good = {"type": "entity", "name": "Anthropic", "entityType": "company", "observations": ["Is in San Francisco"]}
    bad = {"type": "entity", "name": "John", "entityType": "person", "observations": ["Sails"], **part}
    Path("memory.json").write_text("\n".join(map(json.dumps, (good, bad))))
    (told,) = imported(becausal, "memory.json", refused=1)["skipped"]
    assert told["where"] == "memory.json, line 2, 'John'"
    assert why in told["why"]
    assert set(memories(becausal)) == {"Is in San Francisco"}


def test_an_entity_may_lack_type_and_observations_and_an_observation_may_have_its_time(becausal: CommandLine) -> None:
    lines = [
        {"type": "entity", "name": "Bare"},
        {"entities": [{"name": "Nested", "observations": [{"content": "Swims", "timestamp": ""}]}], "relations": None},
        {"type": "entity", "name": "Null", "entityType": None, "observations": None},
        {"type": "entity", "name": "John", "observations": [{"content": "Sails", "timestamp": 1706745600}]},
        {"type": "entity", "name": "Ann", "observations": [{"content": "Rows", "createdAt": "2024-02-01T00:00:00Z"}]},
    ]
    Path("memory.json").write_text("\n".join(map(json.dumps, lines)))
    assert imported(becausal, "memory.json")["added"] == {"engram": 3, "entity": 5}
    assert {text: item.get("occurred_at") for text, item in memories(becausal).items()} == {
        "Sails": "2024-02-01T00:00:00Z",
        "Rows": "2024-02-01T00:00:00Z",
        "Swims": None,
    }


def test_the_whole_graph_in_one_object_is_read_and_what_is_wrong_in_it_named(becausal: CommandLine) -> None:
    entities = [
        {"name": "John", "entityType": "person", "observations": ["Sails"]},
        {"name": "Ann", "observations": "x"},
    ]
    Path("graph.json").write_text(json.dumps({"entities": entities, "relations": 5}))
    answer = imported(becausal, "graph.json", refused=2)
    assert [each["where"] for each in answer["skipped"]] == [
        "graph.json, line 1, entities 2, 'Ann'",
        "graph.json, line 1",
    ]
    assert answer["skipped"][1]["why"] == "relations: must be a list"
    relations = [{"from": "John", "to": "Ann", "relationType": "knows"}, "nothing"]
    Path("relations.json").write_text(json.dumps({"relations": relations}))
    answer = imported(becausal, "relations.json", refused=1)
    assert (answer["links"], answer["skipped"][0]["where"]) == (1, "relations.json, line 1, relations 2")


def test_basic_memorys_folder_becomes_memories_things_and_relations(becausal: CommandLine) -> None:
    Path("vault").mkdir()
    Path("vault/coffee.md").write_text(
        "---\ntitle: Coffee Methods\ntype: note\ntags: [coffee]\npermalink: coffee-methods\nstatus: active\n---\n"
        "# Coffee Methods\n\nSome words about it.\n\n## Observations\n"
        "- [method] Pour over gives clarity #brewing\n- [ ] a task\n\n## Relations\n"
        "- requires [[Grinding|grind it]] (always)\n- [[Bare Link]]\n"
    )
    Path("vault/grinding.md").write_text(
        "---\ntitle: Grinding\ntype: technique\npermalink: g\n---\n- [tip] Use a burr mill\n"
    )
    answer = imported(becausal, "vault")
    assert (answer["format"], answer["links"], answer["added"]["entity"]) == ("basic-memory", 2, 3)
    found = memories(becausal)
    assert set(found) == {"Some words about it.", "- [ ] a task", "Pour over gives clarity #brewing", "Use a burr mill"}
    clear = found["Pour over gives clarity #brewing"]
    assert (clear["label"], clear["source"]) == ("Coffee Methods", "coffee.md")
    assert clear["tags"] == ["coffee", "method", "brewing"]
    assert clear["metadata"] == {"permalink": "coffee-methods", "status": "active", "category": "method"}
    assert "requires" in becausal("graph", "Coffee Methods").out
    assert imported(becausal, "vault")["added"] == {}


@pytest.mark.parametrize("empty", ["- [fact] ", "- [fact]", "* [two words]\t", "  - [fact]  "])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_an_observation_ends_at_its_line_and_one_without_text_is_passed_over(
    becausal: CommandLine, empty: str, line_end: str
) -> None:
    lines = [
        "---", "title: Coffee", "permalink: c", "---", "- [tip] Use a burr mill", empty, "- not an observation", "- [ ]"
    ]  # fmt: skip
    Path("vault").mkdir()
    Path("vault/coffee.md").write_bytes(line_end.join(lines).encode())
    answer = imported(becausal, "vault")
    assert (answer["format"], answer["passed"]) == ("basic-memory", {"observations without text": 1})
    assert set(memories(becausal)) == {"Use a burr mill", "- not an observation\n- [ ]"}


NODES = "session_id TEXT, id TEXT, type TEXT, label TEXT, content TEXT, embedding TEXT, created_at REAL, last_accessed REAL, access_count INTEGER, metadata TEXT, PRIMARY KEY (session_id, id)"  # fmt: skip  # noqa: E501
EDGES = "session_id TEXT, id TEXT, source TEXT, target TEXT, relation TEXT, weight REAL, created_at REAL, metadata TEXT, PRIMARY KEY (session_id, id)"  # fmt: skip  # noqa: E501


@pytest.mark.parametrize("journal", ["DELETE", "WAL"])
def test_pmlls_database_becomes_memories_and_associations_and_is_not_touched(
    becausal: CommandLine, journal: str
) -> None:
    path = Path("memory_graph.sqlite3")
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(f"PRAGMA journal_mode = {journal}")
        db.execute(f"CREATE TABLE nodes ({NODES})")
        db.execute(f"CREATE TABLE edges ({EDGES})")
        for id, label in (("n1", "Login"), ("n2", "Token")):
            values = ("s1", id, "concept", label, f"{label} is explained", "[]", 1.7e9, 1.71e9, 6, '{"k": "v"}')
            db.execute(f"INSERT INTO nodes VALUES ({', '.join('?' * 10)})", values)
        for id, target in (("e1", "n2"), ("e2", "gone")):
            values = ("s1", id, "n1", target, "depends_on", 0.8, 1.0, "{}")
            db.execute(f"INSERT INTO edges VALUES ({', '.join('?' * 8)})", values)
        before = {file.name: file.read_bytes() for file in Path().glob("memory_graph*")}
        answer = imported(becausal, str(path), refused=1)
        assert {file.name: file.read_bytes() for file in Path().glob("memory_graph*")} == before
    assert (answer["format"], answer["added"]["engram"], answer["links"]) == ("pmll", 2, 1)
    login = memories(becausal)["Login is explained"]
    assert (login["label"], login["session"], login["node_type"]) == ("Login", "s1", "concept")
    assert login["metadata"] == {"k": "v"}
    assert (login["created_at"][:10], login["access_count"]) == ("2023-11-14", 6)
    assert imported(becausal, str(path), refused=1)["links"] == 0
    links = becausal("show", login["id"], "--json").json["links"]
    assert [link["strength"] for link in links if link["relation"] == "depends_on"] == [0.8]


def test_pmlls_json_export_is_the_same_graph(becausal: CommandLine) -> None:
    node = {"type": "file", "label": "api.py", "content": "Wraps HTTP", "metadata": {}, "created_at": 1.0}
    other = {**node, "label": "db.py", "content": "Talks to the database"}
    edge = {"id": "e", "source": "a", "target": "b", "relation": "imports", "weight": 1.0, "created_at": 1.0}
    Path("graph.json").write_text(json.dumps({"nodes": {"a": node, "b": other}, "edges": {"e": edge}}, indent=1))
    answer = imported(becausal, "graph.json")
    assert (answer["format"], answer["added"]["engram"], answer["links"]) == ("pmll-json", 2, 1)
    assert memories(becausal)["Wraps HTTP"]["node_type"] == "file"


def test_nodes_and_edges_of_the_wrong_kind_are_refused_with_session_and_field(becausal: CommandLine) -> None:
    good = {"a": {"type": "file", "label": "api.py", "content": "Wraps HTTP"}}
    Path("graph.json").write_text(json.dumps({"nodes": good, "edges": "none"}))
    answer = imported(becausal, "graph.json", refused=1)
    assert answer["skipped"] == [{"where": "graph.json", "why": "edges: must be an object or a list"}]
    Path("sessions.json").write_text(json.dumps({"s1": {"nodes": 5}, "s2": {"nodes": good, "edges": None}}))
    answer = imported(becausal, "sessions.json", refused=1)
    assert answer["skipped"] == [{"where": "sessions.json, session 's1'", "why": "nodes: must be an object or a list"}]
    assert "Wraps HTTP" in memories(becausal)


# --- all of them ---


def test_an_import_that_is_repeated_adds_nothing_and_strengthens_nothing(becausal: CommandLine) -> None:
    Path("coffee.md").write_text(MARKDOWN)
    imported(becausal, "coffee.md")
    before = becausal("export").out
    again = imported(becausal, "coffee.md")
    assert (again["added"], again["known"]) == ({}, 4)
    assert becausal("export").out == before


def test_a_dry_run_says_what_would_be_new_and_keeps_nothing(becausal: CommandLine) -> None:
    Path("coffee.md").write_text(MARKDOWN)
    ran = becausal("import", "coffee.md", "--dry-run")
    assert ran.out.startswith("Would import  4 memories")
    assert memories(becausal) == {}


def test_an_import_that_broke_off_goes_on(becausal: CommandLine) -> None:
    Path("many.jsonl").write_text("\n".join(json.dumps(f"Note {number} on the cranes") for number in range(300)))

    class Broken(Exception):
        pass

    def stop(progress: Any) -> None:
        if progress.done >= 128:
            raise Broken

    with becausal.memory() as memory:
        with pytest.raises(Broken):
            memory.transfer.import_file("many.jsonl", progress=stop)
        kept = memory.status().counts["engram"]
        assert 128 <= kept < 300
        answer = memory.transfer.import_file("many.jsonl")
        assert (answer.added["engram"], answer.known, answer.unindexed) == (300 - kept, kept, 0)


def test_an_import_that_is_interrupted_says_that_it_can_go_on(
    becausal: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("many.jsonl").write_text("\n".join(json.dumps(f"Note {number} on the cranes") for number in range(300)))

    def interrupted(progress: Any) -> None:
        if progress.done >= 128:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("becausal.cli.transferring._telling", lambda line: interrupted)
        assert becausal("import", "many.jsonl", "--dry-run").err.strip() == ""
        ran = becausal("import", "many.jsonl")
        assert (ran.code, ran.out) == (130, "")
        assert ran.err.strip().endswith("the same command goes on with the rest.")
    assert 128 <= imported(becausal, "many.jsonl")["known"] < 300


def test_what_is_told_together_is_joined_as_if_told_one_by_one(becausal: CommandLine, tmp_path: Path) -> None:
    told = [
        "Maria lives in Lisbon.",
        "Maria lives in Porto.",
        "Maria no longer lives in Porto.",
        "Maria lives in Faro.",
    ]
    lines = [{"content": text, "occurred_at": f"2026-0{month}-01"} for month, text in enumerate(told, 1)]
    Path("moves.jsonl").write_text("\n".join(map(json.dumps, lines)))
    imported(becausal, "moves.jsonl", "--source", "letters")
    other = CommandLine(tmp_path / "other")
    for line in lines:
        other.store(line["content"], "--occurred-at", line["occurred_at"], "--source", "letters")

    def facts(where: CommandLine) -> list[Any]:
        entries = where("timeline", "maria", "--json").json["entries"]
        return [(each["object"], each["valid_from"], each["valid_to"]) for each in entries if each["kind"] == "fact"]

    assert facts(becausal) == facts(other)
    assert len(facts(becausal)) >= 3
    assert becausal("status", "--json").json["counts"]["FOLLOWS"] == 3


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("image.png", b"\x89PNG\x00", "in no format that can be told"),
        ("odd.json", b'{"some": "thing"}', "JSON of a kind that is not known"),
        ("odd.zip", b"PK\x05\x06" + b"\0" * 18, "no conversations"),
        ("list.json", b"[1, 2]", "no conversations"),
        ("other.db", None, "is a database, but none of"),
    ],
)
def test_what_is_not_known_is_refused_in_a_line(
    becausal: CommandLine, name: str, data: bytes | None, said: str
) -> None:
    if data is None:
        with closing(sqlite3.connect(name)) as db:
            db.execute("CREATE TABLE t (x)")
    else:
        Path(name).write_bytes(data)
    ran = becausal("import", name)
    assert ran.code == 2, ran.out + ran.err
    assert said in ran.err
    assert becausal("import", name, "--format", "telepathy").code == 2


def test_the_format_can_be_named(becausal: CommandLine) -> None:
    Path("notes.dat").write_text("# A title\nIts text.")
    assert imported(becausal, "notes.dat", "--format", "markdown")["added"]["engram"] == 1
    assert memories(becausal)["Its text."]["label"] == "A title"


def test_help_names_every_format(becausal: CommandLine) -> None:
    from becausal.formats.registry import FORMATS

    said = "".join(becausal("import", "--help").out.split())
    assert [name for name in FORMATS if name not in said] == []
