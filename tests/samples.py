# SPDX-License-Identifier: Apache-2.0
"""The console samples of the README, played as they are printed: commands, answers, errors and all.

Time stands still at ``NOW`` and goes on a minute with each command, and ids are made from it, so that a sample
comes out the same each time. ``python tests/samples.py`` puts what comes out into the README.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

from becausal.domain import ids
from becausal.ports.clock import SystemClock
from commandline import CommandLine

README = Path(__file__).parents[1] / "README.md"
NOW = datetime(2026, 3, 12, 9, 30, tzinfo=UTC)
FOLDER = "/home/alice/.local/share/becausal"
"""Stands for the folder that the samples are played in."""

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_FIGURE = re.compile(r"(\d+)(?=%)|(?<![\d.])(\d\.\d\d)(?!\d)")
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")


def samples(text: str) -> list[str]:
    """Return the console blocks of a document."""
    return _BLOCK.findall(text)


def play(sample: str, folder: Path) -> str:
    """Run the commands of a sample, one after the other; return what they and their answers look like.

    Where a sample shows nothing of what a command answers, it is left out. Ids that a sample mentions in a
    command are replaced by those that the answers before it have in their place.
    """
    becausal = CommandLine(folder, {"ACCESSING_USER": "alice", "COLUMNS": "80"})
    played, meant = "", dict[str, str]()
    for number, (line, shown) in enumerate(_commands(sample)):
        line = _ID.sub(lambda match: meant.get(match[0], match[0]), line)
        with _at(NOW + timedelta(minutes=number)):
            said = _run(becausal, line).replace(str(folder), FOLDER)
        meant.update(zip(_ID.findall(shown), _ID.findall(said), strict=False))
        played += f"$ {line}\n{said if shown else ''}"
    return played


def alike(one: str, other: str) -> bool:
    """Say whether two samples are the same, but for a point more or less in a share.

    The encoder's whole numbers are not rounded alike by all processors.
    """
    if _FIGURE.sub("N", one) != _FIGURE.sub("N", other):
        return False
    pairs = zip(_FIGURE.finditer(one), _FIGURE.finditer(other), strict=True)
    return all(abs(_hundredths(a[0]) - _hundredths(b[0])) <= 1 for a, b in pairs)


def _hundredths(figure: str) -> int:
    return int(figure.replace(".", ""))


def _commands(sample: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a sample with what it shows of the answer."""
    for part in re.split(r"^\$ ", sample, flags=re.MULTILINE)[1:]:
        line, _, shown = part.partition("\n")
        yield line, shown


def _run(becausal: CommandLine, line: str) -> str:
    command, _, pipe = line.partition(" | ")
    name, *words = shlex.split(command)
    assert name == "becausal", line
    ran = becausal(*words)
    if pipe:
        jq, option, path = shlex.split(pipe)
        assert (jq, option) == ("jq", "-r"), line
        return f"{_picked(ran.json, path)}\n"
    return ran.out + ran.err


def _picked(document: object, path: str) -> object:
    """Return what ``jq`` picks by a path of names and numbers."""
    assert _STEP.sub("", path) == "", path
    for name, number in _STEP.findall(path):
        document = document[name] if name else document[int(number)]  # type: ignore[index]
    return document


@contextmanager
def _at(now: datetime) -> Iterator[None]:
    """Stop the clock, and make ids from it alone."""
    made = 0

    def random(size: int) -> bytes:
        nonlocal made
        made += 1
        return sha256(f"{now} {made}".encode()).digest()[:size]

    before = os.environ.get("TZ")
    os.environ["TZ"] = "UTC"
    if hasattr(time, "tzset"):
        time.tzset()
    try:
        with (
            patch.object(SystemClock, "now", lambda self: now),
            patch.object(ids, "time", SimpleNamespace(time_ns=lambda: int(now.timestamp()) * 10**9)),
            patch.object(ids, "os", SimpleNamespace(urandom=random)),
            patch.object(ids, "_last", 0),
        ):
            yield
    finally:
        if before is None:
            del os.environ["TZ"]
        else:
            os.environ["TZ"] = before
        if hasattr(time, "tzset"):
            time.tzset()


def renewed(text: str) -> str:
    """Return a document whose samples show what comes out."""

    def block(match: re.Match[str]) -> str:
        with tempfile.TemporaryDirectory() as folder:
            return f"```console\n{play(match[1], Path(folder))}```"

    return _BLOCK.sub(block, text)


if __name__ == "__main__":
    sys.exit(README.write_text(renewed(README.read_text(encoding="utf-8")), encoding="utf-8") and None)
