# SPDX-License-Identifier: Apache-2.0
"""A memory whose folder cannot be written to answers, and says of everything else that it cannot."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.commandline import CommandLine, Ran, under_permissions

READING = [
    ("recall", "pump"),
    ("list",),
    ("ask", "why did the pump fail"),
    ("why", "the pump failed"),
    ("timeline",),
    ("causes",),
    ("changes",),
    ("status",),
    ("export",),
    ("doctor",),
    ("forget", "--source", "log"),
]
WRITING = [
    ("store", "The valve is open."),
    ("forget", "--source", "log", "--yes"),
    ("relate", "--causes", "the valve broke", "the pump failed"),
    ("reindex",),
]


@pytest.fixture
def under() -> list[str]:
    return under_permissions()


@pytest.fixture
def cli(tmp_path: Path) -> Iterator[CommandLine]:
    cli = CommandLine(tmp_path)
    cli.store("The pump failed because the filter was blocked.", "--source", "log")
    yield cli
    _set_modes(tmp_path, 0o700, 0o600)


def _set_modes(folder: Path, folders: int, files: int) -> None:
    for path in [*folder.rglob("*"), folder]:
        path.chmod(folders if path.is_dir() else files)


def frozen(cli: CommandLine) -> CommandLine:
    _set_modes(cli.folder, 0o500, 0o400)
    return cli


def test_what_reads_works_in_a_folder_that_cannot_be_written_to(cli: CommandLine, under: list[str]) -> None:
    frozen(cli)
    answers = {command: cli.program(*command, under=under) for command in READING}
    assert {command: ran.err for command, ran in answers.items() if ran.code != 0} == {}
    assert "The pump failed because the filter was blocked." in answers["recall", "pump"].out
    assert "the filter was blocked" in answers["ask", "why did the pump fail"].out
    assert "read-only here" in answers["status",].out


def test_what_writes_says_that_it_cannot(cli: CommandLine, under: list[str]) -> None:
    frozen(cli)
    answers = {command: cli.program(*command, under=under) for command in WRITING}
    wrong = {
        command: ran
        for command, ran in answers.items()
        if ran.code != 1 or "is read-only here: it answers" not in ran.err
    }
    assert wrong == {}
    assert [ran.err.count("\n") for ran in answers.values()] == [1] * len(WRITING)


def test_a_file_that_cannot_be_written_to_is_read_in_a_folder_that_can(cli: CommandLine, under: list[str]) -> None:
    (file,) = cli.folder.rglob("becausal.db")
    file.chmod(0o400)
    assert "The pump failed" in cli.program("list", under=under).out
    assert "is read-only here" in cli.program("store", "x", under=under).err


def test_where_nothing_is_yet_the_folder_is_named(tmp_path: Path, under: list[str]) -> None:
    tmp_path.chmod(0o500)
    ran = CommandLine(tmp_path).program("list", under=under)
    tmp_path.chmod(0o700)
    assert (ran.code, ran.err) == (
        1,
        f"Error: the folder {tmp_path / 'alice'} cannot be made or used: Permission denied\n",
    )


KILLED = """
import os, signal, sys
from becausal.composition import open_memory
memory = open_memory(sys.argv[1], user="alice", embedder="hashing")
memory.store("The valve was left open.")
os.kill(os.getpid(), signal.SIGKILL)
"""


def _killed_after_telling(cli: CommandLine) -> Path:
    done = subprocess.run([sys.executable, "-c", KILLED, str(cli.folder)], timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    (log,) = cli.folder.rglob("becausal.db-wal")
    assert log.stat().st_size
    return log


def test_what_a_killed_writer_told_last_is_read_too(cli: CommandLine, under: list[str]) -> None:
    _killed_after_telling(cli)
    frozen(cli)
    assert "The valve was left open." in cli.program("list", under=under).out


def test_a_log_that_cannot_be_read_is_told_and_not_passed_over(cli: CommandLine, under: list[str]) -> None:
    log = _killed_after_telling(cli)
    log.with_name("becausal.db-shm").unlink()
    frozen(cli)
    ran: Ran = cli.program("list", under=under)
    assert ran.code == 1
    assert "becausal.db-wal" in ran.err
    assert "open it once where the folder can be written to" in ran.err
