# SPDX-License-Identifier: Apache-2.0
"""A process that dies in the middle of a consolidation leaves a whole memory, and the next one goes on."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from becausal.domain.records import Cue, CueType, Engram, Kind
from becausal.engine.memory import Memory
from becausal.ports.batch import Batch, Patch, Put
from becausal.ports.store import Order
from memory_tools import NOON, TurnableClock, open_test_memory

DAYS = 400
STEPS = ("decay", "prune", "strengthen", "drop_orphans", "cluster", "tend_indexes")

CHILD = """
import os, signal, sys
from datetime import timedelta
from pathlib import Path

sys.path.insert(0, sys.argv[2])
import becausal.consolidate.communities as communities
import becausal.consolidate.fading as fading
import becausal.consolidate.run as run
import becausal.consolidate.tidying as tidying
import becausal.engine.upkeep.consolidating as consolidating
from memory_tools import NOON, TurnableClock, open_test_memory

for module in (communities, fading, tidying):
    module.PIECE = 3
run.PAGE = communities.AT_ONCE = 5
step, pauses = sys.argv[3], int(sys.argv[4])
inside = False
real, pace = getattr(consolidating, step), consolidating.Consolidator._pace

def entered(*args):
    global inside
    inside = True
    real(*args)
    os.kill(os.getpid(), signal.SIGKILL)  # the step has fewer pauses: die between it and the next

def paced(self, *args, **options):
    pause = pace(self, *args, **options)
    def counted():
        global pauses
        if inside:
            pauses -= 1
            if pauses < 0:
                os.kill(os.getpid(), signal.SIGKILL)
        pause()
    return counted

setattr(consolidating, step, entered)
consolidating.Consolidator._pace = paced
clock = TurnableClock(NOON + timedelta(days=int(sys.argv[5])))
with open_test_memory(Path(sys.argv[1]), clock=clock) as memory:
    memory.upkeep.consolidate()
"""


def fill(memory: Memory) -> None:
    """Tell things for every step to do: weak and strong memories, used ones, topics, cues that lead nowhere."""
    topics = ("sourdough bakery oven flour morning loaf", "harbour crane container ship tide pilot")
    for number in range(8):
        for topic in topics:
            memory.store(f"{topic} number{number}", source=topic[:7])
        memory.store(f"Trifle {number} of no weight.", importance=0.1)
        memory._store.write(
            Batch(puts=(Put(Cue(id=f"loose{number}", name="x", cue_type=CueType.KEYWORD, created_at=NOON)),))
        )
    memory.settle()
    used = [record for record in engrams(memory) if "number" in record.content]
    fields: dict[str, Any] = {"access_count": 9, "decay_factor": 0.5, "last_accessed_at": NOON + timedelta(days=390)}
    memory._store.write(Batch(patches=tuple(Patch(Kind.ENGRAM, each.id, set=fields) for each in used)))


def engrams(memory: Memory) -> list[Engram]:
    records = memory._store.find(Kind.ENGRAM, (), Order("id"), 1000).records
    return [record for record in records if isinstance(record, Engram)]


def state(memory: Memory) -> dict[str, Any]:
    """Return what consolidation has a say in, by content."""
    return {
        "engrams": {
            each.content: (each.archived_at is not None, round(each.decay_factor, 9), each.cluster_id)
            for each in engrams(memory)
        },
        "cues": memory.status().counts["cue"],
        "clusters": memory.upkeep.clusters(),
    }


@pytest.mark.parametrize("pauses", [0, 1, 3])
@pytest.mark.parametrize("step", STEPS)
def test_after_a_kill_in_any_step_the_next_consolidation_goes_on_at_once_and_ends_as_if_nothing_had_happened(
    tmp_path: Path, step: str, pauses: int
) -> None:
    clock = TurnableClock()
    for folder in ("killed", "whole"):
        clock.moment = NOON
        with open_test_memory(tmp_path / folder, clock=clock) as memory:
            fill(memory)
    tests = str(Path(__file__).parents[1])
    child = [sys.executable, "-c", CHILD, str(tmp_path / "killed"), tests, step, str(pauses), str(DAYS)]
    died = subprocess.run(child, capture_output=True, text=True, timeout=60)
    assert died.returncode == -9, died.stderr
    later = TurnableClock(NOON + timedelta(days=DAYS))
    with (
        open_test_memory(tmp_path / "killed", clock=later) as killed,
        open_test_memory(tmp_path / "whole", clock=later) as whole,
    ):
        assert killed._store.check() == ()
        done, expected = killed.upkeep.consolidate(), whole.upkeep.consolidate()
        assert done.resumed
        assert state(killed) == state(whole)
        assert expected.steps["prune"] == {"archived": 8}
        assert expected.steps["strengthen"] == {"strengthened": 16}
        for name in ("prune", "strengthen", "orphans"):
            assert done.steps[name] == expected.steps[name]
        assert killed._store.check() == ()
        assert len(killed.undo(done.undo).ids) == 8


def test_two_processes_that_consolidate_at_once_do_it_once(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        fill(memory)
    program = f"""
import sys
from datetime import timedelta
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from memory_tools import NOON, TurnableClock, open_test_memory
with open_test_memory(Path({str(tmp_path)!r}), clock=TurnableClock(NOON + timedelta(days={DAYS}))) as memory:
    print("ready", flush=True)
    sys.stdin.readline()
    memory.upkeep.consolidate_when_due(lambda: False)
"""
    children = [
        subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    for child in children:
        child.communicate("go\n", timeout=60)
        assert child.returncode == 0
    with open_test_memory(tmp_path, clock=TurnableClock(NOON + timedelta(days=DAYS))) as memory:
        (change,) = memory.changes()
        assert len(memory.upkeep.archived(100).memories) == 8
        used = [each for each in engrams(memory) if each.access_count == 9]
        assert {round(each.decay_factor, 9) for each in used} == {0.59}
        assert len(memory.undo(change.id).ids) == 8
