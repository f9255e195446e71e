# SPDX-License-Identifier: Apache-2.0
"""Running the command line in tests: in this process where that is enough, as a program where it matters."""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from becausal.cli.main import program
from becausal.composition import open_memory
from becausal.engine.memory import Memory


@dataclass(frozen=True, slots=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def under_permissions() -> list[str]:
    """Return what starts a program so that it is held to the permissions of files, which root's are not."""
    if not hasattr(os, "geteuid"):
        pytest.skip("modes of files are POSIX")
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root may do everything, and there is no setpriv here to change that")
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


@contextmanager
def _logging_as_it_was() -> Iterator[None]:
    """A program configures logging for its whole process, which here is the test run."""
    root, own = logging.getLogger(), logging.getLogger("becausal")
    handlers, levels = root.handlers[:], (root.level, own.level)
    root.handlers.clear()
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(levels[0])
        own.setLevel(levels[1])


@dataclass(frozen=True, slots=True)
class CommandLine:
    """The command line over one storage folder."""

    folder: Path
    env: Mapping[str, str] = field(default_factory=lambda: {"BECAUSAL_EMBEDDER": "hashing", "ACCESSING_USER": "alice"})

    def __call__(self, *args: str, input: str | bytes | None = None, env: Mapping[str, str] | None = None) -> Ran:
        """Run a command in this process."""
        settings = {**self.env, "STORAGE_LOCATION": str(self.folder), **(env or {})}
        with _logging_as_it_was():
            answer = CliRunner().invoke(program, list(args), input=input, env=settings)
        if answer.exception is not None and not isinstance(answer.exception, SystemExit):
            raise answer.exception
        return Ran(answer.exit_code, answer.stdout, answer.stderr)

    def start(
        self, *args: str, env: Mapping[str, str] | None = None, under: Sequence[str] = (), **streams: Any
    ) -> subprocess.Popen[bytes]:
        """Start it as a program of its own, with pipes unless ``streams`` say otherwise.

        ``under`` is the program that starts it, if that is another.
        """
        pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        return subprocess.Popen(
            [*under, sys.executable, "-m", "becausal", *args],
            env={**os.environ, **self.env, "STORAGE_LOCATION": str(self.folder), **(env or {})},
            cwd=self.folder,
            **(pipes | streams),
        )

    def program(
        self, *args: str, input: bytes = b"", env: Mapping[str, str] | None = None, under: Sequence[str] = ()
    ) -> Ran:
        """Run it as a program of its own, to its end."""
        with self.start(*args, env=env, under=under) as process:
            out, err = process.communicate(input, timeout=60)
        return Ran(process.returncode, out.decode(), err.decode())

    def store(self, *args: str) -> str:
        """Store something; return its id."""
        ran = self("store", "--json", *args)
        assert ran.code == 0, ran.err
        return str(ran.json["memory"]["id"])

    def memory(self) -> Memory:
        """Open the same memory in Python, to tell it what commands cannot; the caller closes it."""
        return open_memory(self.folder, user="alice", embedder="hashing")

    def ids(self, *args: str) -> list[str]:
        """Return the ids that a command which lists memories answers with."""
        ran = self(*args, "--json")
        assert ran.code == 0, ran.err
        return [item["id"] for item in ran.json["results"]]
