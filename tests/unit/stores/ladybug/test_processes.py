# SPDX-License-Identifier: Apache-2.0
"""A LadybugDB file is open in one process at a time, and what that process has acknowledged is in it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from becausal.domain.records import Kind
from becausal.errors import StoreBusy, StoreUnavailable
from becausal.stores.ladybug.store import LadybugStore
from becausal.stores.registry import swap_store
from contract.samples import engram, put

PREAMBLE = """
import sys, pathlib
from datetime import datetime, UTC
from becausal.domain.ids import link_id
from becausal.domain.records import *
from becausal.ports.batch import *
from becausal.stores.ladybug.store import LadybugStore

NOW = datetime.now(UTC)

def engram(id):
    return Engram(id=id, content=id, summary=id, at=NOW, created_at=NOW, last_accessed_at=NOW)

store = LadybugStore.open(location=pathlib.Path(sys.argv[1]), user="alice")
print("open", flush=True)
"""

HOLD = "sys.stdin.readline()"

WRITE_UNTIL_KILLED = """
for i in range(1_000_000):
    ids = f"a{i}", f"b{i}"
    link = Link(id=f"l{i}", kind=LinkKind.ASSOCIATED_WITH, src=ids[0], dst=ids[1], src_kind=Kind.ENGRAM,
                dst_kind=Kind.ENGRAM, created_at=NOW)
    store.write(Batch(puts=tuple(Put(engram(id), ("word", id)) for id in ids), links=(PutLink(link),)))
    print(i, flush=True)
"""


@contextmanager
def running(script: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", PREAMBLE + script, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        try:
            yield process
        finally:
            process.kill()


def opened(folder: Path, wait: float = 0.0) -> LadybugStore:
    return LadybugStore.open(location=folder, user="alice", wait=wait)


def test_a_second_process_is_told_which_one_has_the_memory_open(tmp_path: Path) -> None:
    with running(HOLD, tmp_path) as process:
        with pytest.raises(StoreBusy, match=rf"open in process {process.pid}\b"):
            opened(tmp_path)
        with pytest.raises(StoreBusy, match=rf"{process.pid}"):
            LadybugStore.mend(location=tmp_path, user="alice")
        LadybugStore.open(location=tmp_path / "side", user="alice").close()
        with pytest.raises(StoreBusy):
            swap_store("ladybug", location=tmp_path, user="alice", side=tmp_path / "side")
    opened(tmp_path).close()


def test_a_second_process_waits_for_one_that_is_about_to_end(tmp_path: Path) -> None:
    with running(HOLD, tmp_path) as process:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
        opened(tmp_path, wait=30.0).close()


def test_handles_of_one_process_do_not_let_another_in_when_one_of_them_is_closed(tmp_path: Path) -> None:
    first, second = opened(tmp_path), opened(tmp_path)
    second.close()
    command = [sys.executable, "-c", PREAMBLE, str(tmp_path)]
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert f"open in process {os.getpid()}" in refused.stderr
    put(first, engram("a"))
    first.close()


@pytest.mark.parametrize("after", [3, 40])
def test_what_was_acknowledged_before_a_kill_is_there_and_whole(tmp_path: Path, after: int) -> None:
    acknowledged = -1
    with running(WRITE_UNTIL_KILLED, tmp_path) as process:
        assert process.stdout is not None
        while acknowledged < after:
            acknowledged = int(process.stdout.readline())
        process.send_signal(signal.SIGKILL)
        acknowledged = max([acknowledged, *(int(line) for line in process.stdout.read().split("\n")[:-1])])
    store = opened(tmp_path, wait=5.0)
    try:
        ids = [f"{letter}{i}" for i in range(acknowledged + 1) for letter in "ab"]
        assert store.get(Kind.ENGRAM, ids).keys() == set(ids)
        assert store.count()["ASSOCIATED_WITH"] * 2 == store.count()["engram"]
        assert store.count()["engram"] <= 2 * (acknowledged + 2)
        assert len(store.text_search(Kind.ENGRAM, ["word"], 10_000).hits) == store.count()["engram"]
        assert store.check() == ()
    finally:
        store.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_must_open_the_memory_anew(tmp_path: Path) -> None:
    store = opened(tmp_path)
    child = os.fork()
    if child == 0:
        try:
            store.count()
        except StoreUnavailable as refused:
            os._exit(0 if "forked" in str(refused) else 1)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    put(store, engram("a"))
    store.close()
