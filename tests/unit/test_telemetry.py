# SPDX-License-Identifier: Apache-2.0
"""The log goes to standard error, from the chosen level on."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from becausal.telemetry import configure_logging

OURS = logging.getLogger("becausal.worker")
THEIRS = logging.getLogger("some.library")


@pytest.fixture(autouse=True)
def _logging_as_before() -> Iterator[None]:
    root, ours = logging.getLogger(), logging.getLogger("becausal")
    before = (root.handlers[:], root.level, ours.level)
    yield
    root.handlers[:], level, ours_level = before
    root.setLevel(level)
    ours.setLevel(ours_level)


def test_the_log_goes_to_standard_error_only(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("info")
    OURS.info("indexed 3")

    captured = capsys.readouterr()

    assert captured.out == ""
    assert captured.err.endswith(" INFO becausal.worker: indexed 3\n")


@pytest.mark.parametrize(
    ("level", "shown"),
    [
        ("debug", ["debug", "info", "warning", "error"]),
        ("info", ["info", "warning", "error"]),
        ("warn", ["warning", "error"]),
        ("warning", ["warning", "error"]),
        ("error", ["error"]),
    ],
)
def test_the_level_decides_what_of_ours_is_logged(
    capsys: pytest.CaptureFixture[str], level: str, shown: list[str]
) -> None:
    configure_logging(level)
    for name in ("debug", "info", "warning", "error"):
        OURS.log(logging.getLevelNamesMapping()[name.upper()], name)

    assert [line.rsplit(" ", 1)[-1] for line in capsys.readouterr().err.splitlines()] == shown


def test_other_libraries_are_heard_from_warning_on_whatever_the_level(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("debug")
    THEIRS.info("chatter")
    THEIRS.warning("trouble")

    assert capsys.readouterr().err.endswith(" WARNING some.library: trouble\n")


def test_configuring_again_changes_the_level_and_says_nothing_twice(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("error")
    configure_logging("warning")
    OURS.warning("once")

    assert capsys.readouterr().err.count("once") == 1
