# SPDX-License-Identifier: Apache-2.0
"""Copies of memories in tests."""

from __future__ import annotations

import io
import os
import signal
import subprocess
from collections.abc import Callable
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


def stated(export: bytes) -> list[bytes]:
    """Return the lines of an export that do not depend on an embedder."""
    return [line for line in export.splitlines()[1:] if b'"similar_to"' not in line and b'"SAME_AS"' not in line]


def die_in(place: type, fatal: str) -> None:
    """Have this process killed in a certain moment of a backup or a restore, by its name.

    That is when a method of the place of that name is called, or one of those below.
    """
    import becausal.engine.upkeep.backups as backups
    import becausal.stores.sqlite.swap as swap
    from becausal.engine.transfer.restoring import Restorer

    def die(*given: Any, **options: Any) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def dying_after(real: Callable[..., Any], times: int = 1) -> Callable[..., Any]:
        left = [times]

        def wrapped(*given: Any, **options: Any) -> Any:
            done = real(*given, **options)
            left[0] -= 1
            if not left[0]:
                die()
            return done

        return wrapped

    match fatal:
        case "unpacked":
            backups.measured = dying_after(backups.measured)
        case "restore":
            Restorer.restore = die  # type: ignore[method-assign]
        case "half":
            Restorer._finish = dying_after(Restorer._finish, 2)  # type: ignore[method-assign]
        case "linked":
            swap.os.link = dying_after(os.link)
        case "replace":
            swap.os.replace = die  # type: ignore[assignment]
        case _:
            setattr(place, fatal, die)


def fill(memory: Memory, count: int = 12) -> None:
    """Tell things of all kinds, and change some."""
    for number in range(count):
        memory.store(f"Ana restarted the ledger service on 3 March 2026 because disk {number} failed.", source="log")
    id = memory.store("The password manager is Keeperino.", tags="security").engram.id
    memory.settle()
    memory.update(id, content="The password manager is Vaultello.")
    memory.forget(memory.store("A trifle.").engram.id)
    memory.settle()
