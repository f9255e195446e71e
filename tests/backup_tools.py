# SPDX-License-Identifier: Apache-2.0
"""Copies of memories in tests."""

from __future__ import annotations

import io
import os
import subprocess
from pathlib import Path
from typing import Any

from becausal.engine.memory import Memory
from becausal.engine.upkeep.backups import BackupPlan
from becausal.ports.backup import BackupPlace
from memory_tools import TurnableClock, open_test_memory


def git(*arguments: str, cwd: Path, input: bytes | None = None) -> bytes:
    """Run Git as somebody who has nothing configured."""
    env = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_{what}": "x@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }
    return subprocess.run(["git", *arguments], cwd=cwd, input=input, env=env, check=True, capture_output=True).stdout


def open_with(folder: Path, place: BackupPlace, clock: TurnableClock | None = None, **more: Any) -> Memory:
    """Open a memory that keeps its copies in a place."""
    plan = BackupPlan(place=place, folder=folder / "alice")
    (folder / "alice").mkdir(mode=0o700, parents=True, exist_ok=True)
    return open_test_memory(folder, clock=clock, backup=plan, **more)


def exported(memory: Memory) -> bytes:
    """Return the export of a memory."""
    file = io.BytesIO()
    memory.transfer.export(file)
    return file.getvalue()


def fill(memory: Memory, count: int = 12) -> None:
    """Tell things of all kinds, and change some."""
    for number in range(count):
        memory.store(f"Ana restarted the ledger service on 3 March 2026 because disk {number} failed.", source="log")
    id = memory.store("The password manager is Keeperino.", tags="security").engram.id
    memory.settle()
    memory.update(id, content="The password manager is Vaultello.")
    memory.forget(memory.store("A trifle.").engram.id)
    memory.settle()
