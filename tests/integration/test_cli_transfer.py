# SPDX-License-Identifier: Apache-2.0
"""``export`` and ``import`` on the command line."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from commandline import CommandLine


@pytest.fixture
def becausal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "storage"
    folder.mkdir()
    return CommandLine(folder)


def test_an_export_is_imported_elsewhere(becausal: CommandLine, tmp_path: Path) -> None:
    becausal.store("The ledger stays on PostgreSQL 15 because the upgrade failed", "--tags", "db")
    ran = becausal("export", "all.jsonl")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("Exported  1 memory, ")
    other = CommandLine(tmp_path / "other")
    assert other("import", "all.jsonl", "--dry-run").out.startswith("Would import  1 memory, ")
    ran = other("import", "all.jsonl", "--json")
    assert ran.code == 0, ran.err
    assert (ran.json["added"]["engram"], ran.json["refused"], ran.json["format"]) == (1, 0, "becausal")
    other("export", "again.jsonl")
    assert Path("again.jsonl").read_bytes() == Path("all.jsonl").read_bytes()
    assert "PostgreSQL 15" in other("recall", "ledger").out


def test_an_export_goes_through_a_pipe(becausal: CommandLine, tmp_path: Path) -> None:
    becausal.store("記憶 — Füße")
    sent = becausal.program("export")
    assert sent.code == 0
    assert "Exported" in sent.err
    other = CommandLine(tmp_path)
    received = other("import", "-", input=sent.out)
    assert received.code == 0, received.err
    assert "記憶" in other("list").out


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX")
def test_an_export_is_readable_by_its_owner_alone(becausal: CommandLine) -> None:
    becausal.store("One thing")
    becausal("export", "all.jsonl")
    assert stat.S_IMODE(Path("all.jsonl").stat().st_mode) == 0o600


def test_an_export_replaces_an_older_one_and_nothing_else(becausal: CommandLine) -> None:
    becausal.store("One thing")
    assert becausal("export", "all.jsonl").code == 0
    assert becausal("export", "all.jsonl").code == 0
    Path("letter.txt").write_text("Dear all")
    ran = becausal("export", "letter.txt")
    assert ran.code == 2
    assert "letter.txt exists and is no export" in ran.err
    assert Path("letter.txt").read_text() == "Dear all"


def test_what_cannot_be_written_or_read_is_told_in_a_line(becausal: CommandLine) -> None:
    for args in (["export", "no/such/folder/all.jsonl"], ["import", "nowhere.jsonl"]):
        ran = becausal(*args)
        assert ran.code in (1, 2)
        assert ran.err.strip()
        assert "Traceback" not in ran.err
    assert list(Path().glob(".*")) == []


def test_an_import_that_left_something_out_says_what_and_fails(becausal: CommandLine, tmp_path: Path) -> None:
    becausal.store("The ledger stays on PostgreSQL")
    becausal("export", "all.jsonl")
    Path("all.jsonl").write_text(Path("all.jsonl").read_text().replace('"link":', '"lnk":', 1))
    ran = CommandLine(tmp_path)("import", "all.jsonl")
    assert ran.code == 1
    assert "Imported  1 memory" in ran.out
    assert "it holds neither a record nor a link" in ran.out
