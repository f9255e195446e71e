# SPDX-License-Identifier: Apache-2.0
"""What machines do to files: each time a clear message, and nothing that was acknowledged is lost."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from becausal import Memory
from becausal.errors import SchemaTooNew, StoreUnavailable
from becausal.models.hashing import HashingEmbedder
from becausal.models.lazy import LazyEmbedder
from becausal.stores import places
from becausal.stores.places import Place, file_system, place_of
from becausal.stores.registry import open_store
from commandline import CommandLine

POSIX = pytest.mark.skipif(os.name == "nt", reason="limits of this kind are POSIX")


@pytest.fixture
def becausal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "storage"
    folder.mkdir()
    return CommandLine(folder)


def opened(folder: Path) -> Memory:
    return Memory.open(folder, user="alice", embedder="hashing", consolidation_interval=0)


# --- full and unwritable disks ---


@POSIX
def test_a_disk_that_fills_up_refuses_in_words_and_keeps_what_it_acknowledged(becausal: CommandLine) -> None:
    """The limit on the size of a file stands for the disk: writing fails the same way, half-way through."""
    script = (
        "import resource, signal, sys\n"
        "from becausal import Memory\n"
        "from becausal.errors import StoreError\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "memory = Memory.open(sys.argv[1], user='alice', embedder='hashing', consolidation_interval=0)\n"
        "memory.store('Kept before the disk was full')\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, resource.RLIM_INFINITY))\n"
        "for number in range(1000):\n"
        "    try:\n"
        "        memory.store(f'Note {number} ' + 'of the harbour ' * 300)\n"
        "    except StoreError as error:\n"
        "        print('REFUSED', type(error).__name__, error)\n"
        "        break\n"
        "    print('KEPT', number, flush=True)\n"
        "assert memory.recall('note').results\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))\n"
        "memory.store('Kept after there was room again')\n"
        "memory.close()\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, str(becausal.folder)], capture_output=True, text=True, timeout=100, check=False
    )
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    kept = [int(line.split()[1]) for line in lines if line.startswith("KEPT")]
    (refused,) = [line for line in lines if line.startswith("REFUSED")]
    assert "StoreUnavailable" in refused
    assert "becausal.db" in refused
    assert "disk" in refused
    with becausal.memory() as memory:
        assert memory.status().counts["engram"] == len(kept) + 2
        assert memory._store.check() == ()
        assert memory.recall("after there was room").results[0].text == "Kept after there was room again"


@POSIX
def test_an_export_to_a_full_disk_leaves_no_half_of_one(becausal: CommandLine) -> None:
    with becausal.memory() as memory:
        for number in range(20):
            memory.store(f"Note {number} " + "of the harbour " * 400)
    script = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from becausal.__main__ import main\n"
        "sys.argv = ['becausal', 'export', 'all.jsonl']\n"
        "import becausal.engine.transfer.exporting as exporting\n"
        "lines = exporting.Export.lines\n"
        "def limited(self):\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))\n"
        "    yield from lines(self)\n"
        "exporting.Export.lines = limited\n"
        "main()\n"
    )
    env = {**os.environ, **becausal.env, "STORAGE_LOCATION": str(becausal.folder)}
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, env=env, check=False
    )
    assert ran.returncode == 1
    assert "all.jsonl cannot be written" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert [path.name for path in Path().iterdir()] == ["storage"]


@POSIX
def test_a_folder_that_may_not_be_written_to_is_named(becausal: CommandLine) -> None:
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("root may write everywhere, and there is no setpriv here to change that")
    under = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    becausal.folder.chmod(0o500)
    try:
        ran = becausal.program("store", "One thing", under=under)
    finally:
        becausal.folder.chmod(0o700)
    assert ran.code == 1
    assert str(becausal.folder / "alice") in ran.err
    assert "Permission denied" in ran.err
    assert "Traceback" not in ran.err


# --- places ---

MOUNTS = r"""22 27 0:20 / /proc rw,nosuid shared:12 - proc proc rw
27 0 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
41 27 0:35 / /mnt/nas rw,relatime shared:20 - nfs4 nas:/export rw,vers=4.2
42 27 0:36 / /mnt/win\040share rw,relatime - cifs //server/share rw
43 41 8:2 / /mnt/nas/local rw,relatime - xfs /dev/sdb1 rw
44 27 0:40 / /home/a/remote rw - fuse.sshfs host:/ rw
broken line
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/", "ext4"),
        ("/home/a", "ext4"),
        ("/mnt/nas", "nfs4"),
        ("/mnt/nas/memory/alice", "nfs4"),
        ("/mnt/nasty", "ext4"),
        ("/mnt/nas/local/x", "xfs"),
        ("/mnt/win share/x", "cifs"),
        ("/home/a/remote/x", "fuse.sshfs"),
    ],
)
def test_the_file_system_of_a_folder_is_that_of_the_innermost_mount(folder: str, kind: str) -> None:
    assert file_system(Path(folder), MOUNTS) == kind


@pytest.mark.parametrize(
    ("folder", "place"),
    [
        ("Dropbox/notes", Place.SYNCED),
        ("OneDrive - Mill Ltd/notes", Place.SYNCED),
        ("Library/CloudStorage/GoogleDrive-a@b.c", Place.SYNCED),
        ("Library/Mobile Documents/x", Place.SYNCED),
        ("Dropbox-less/notes", Place.SYNCED),
        ("notes/drop/box", Place.LOCAL),
        ("my notes", Place.LOCAL),
    ],
)
def test_folders_that_are_synchronised_are_known_by_their_names(tmp_path: Path, folder: str, place: Place) -> None:
    (tmp_path / folder).mkdir(parents=True)
    assert place_of(tmp_path / folder) is place


def test_a_folder_that_syncthing_looks_after_is_known_by_its_mark(tmp_path: Path) -> None:
    (tmp_path / "shared" / ".stfolder").mkdir(parents=True)
    (tmp_path / "shared" / "memory").mkdir()
    assert place_of(tmp_path / "shared" / "memory") is Place.SYNCED


def journal_of(path: Path) -> str:
    with closing(sqlite3.connect(path)) as db:
        return str(db.execute("PRAGMA journal_mode").fetchone()[0])


def test_in_a_synchronised_folder_there_is_no_log_beside_the_file_and_a_warning(tmp_path: Path) -> None:
    folder = tmp_path / "Dropbox" / "memory"
    with opened(folder) as memory:
        memory.store("One thing")
        memory.settle()
        assert [file.name for file in (folder / "alice").iterdir()] == ["becausal.db"]
        (note,) = [note for note in memory.status().notes if "synchronised" in note]
        assert "local disk" in note
        assert memory.recall("thing").results
    assert journal_of(folder / "alice" / "becausal.db") == "delete"


def test_a_memory_moved_to_a_network_drive_loses_its_log_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path) as memory:
        memory.store("Told on a local disk")
    path = tmp_path / "alice" / "becausal.db"
    assert journal_of(path) == "wal"
    monkeypatch.setattr(places, "_is_network", lambda folder: True)
    with opened(tmp_path) as memory:
        memory.store("Told over the network")
        assert len(memory.recall("told").results) == 2
        assert any("network file system" in note for note in memory.status().notes)
    assert journal_of(path) == "delete"
    monkeypatch.undo()
    with opened(tmp_path) as memory:
        assert len(memory.recall("told").results) == 2
    assert journal_of(path) == "wal"


def test_without_a_log_two_programs_still_lose_nothing(tmp_path: Path) -> None:
    becausal = CommandLine(tmp_path / "Dropbox")
    becausal.folder.mkdir()
    script = (
        "import sys\n"
        "from becausal import Memory\n"
        "with Memory.open(sys.argv[1], user='alice', embedder='hashing') as memory:\n"
        "    for number in range(20):\n"
        "        memory.store(f'{sys.argv[2]} {number}')\n"
        "        memory.recall('number')\n"
    )
    command = [sys.executable, "-c", script, str(becausal.folder)]
    running = [subprocess.Popen([*command, name], stderr=subprocess.PIPE) for name in ("left", "right")]
    for each in running:
        _, err = each.communicate(timeout=100)
        assert each.returncode == 0, err.decode()
    with becausal.memory() as memory:
        assert memory.status().counts["engram"] == 40
        assert memory._store.check() == ()


# --- the file changes hands ---


def test_a_file_replaced_while_it_is_open_is_not_written_to(tmp_path: Path) -> None:
    with opened(tmp_path / "other") as memory:
        memory.store("In the other file")
    path = tmp_path / "alice" / "becausal.db"
    with opened(tmp_path) as memory:
        memory.store("In the first file")
        os.replace(tmp_path / "other" / "alice" / "becausal.db", path)
        for call in (lambda: memory.store("Lost?"), lambda: memory.recall("file"), memory.status):
            with pytest.raises(StoreUnavailable, match="replaced"):
                call()
    log = Path(f"{path}-wal")
    assert not log.exists() or log.stat().st_size == 0  # it would be read as the other file's
    with opened(tmp_path) as memory:
        assert [result.text for result in memory.recall("file").results] == ["In the other file"]


def test_a_file_taken_away_while_it_is_open_is_told(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.store("One thing")
        (tmp_path / "alice" / "becausal.db").unlink()
        with pytest.raises(StoreUnavailable, match="taken away"):
            memory.store("Another thing")


def test_a_memory_of_a_newer_version_is_refused_in_a_line(becausal: CommandLine) -> None:
    becausal.store("One thing")
    path = becausal.folder / "alice" / "becausal.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE meta SET value = '99' WHERE key = 'schema_version'")
    before = path.read_bytes()
    for args in (["store", "x"], ["recall", "x"], ["doctor"], ["doctor", "--fix"], ["export", "x.jsonl"]):
        ran = becausal(*args)
        assert ran.code == 1
        told = " ".join((ran.err + ran.out).split())  # however the lines are broken
        assert "schema version 99" in told
        assert "use a newer becausal" in told
    assert path.read_bytes() == before


def test_a_program_whose_memory_a_newer_one_took_over_writes_no_more(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.store("One thing")
        with closing(sqlite3.connect(tmp_path / "alice" / "becausal.db")) as db, db:
            db.execute("UPDATE meta SET value = '99' WHERE key = 'schema_version'")
        with pytest.raises(SchemaTooNew, match="newer becausal"):
            memory.store("Another thing")
        assert memory.status().counts["engram"] == 1


# --- the clock ---


@dataclass
class Clock:
    """A clock that can be set."""

    at: datetime = field(default_factory=lambda: datetime(2026, 6, 1, 12, tzinfo=UTC))

    def now(self) -> datetime:
        return self.at


def test_a_clock_set_back_loses_no_memory_and_no_order(tmp_path: Path) -> None:
    clock = Clock()
    store = open_store("sqlite", location=tmp_path, user="alice")
    with Memory(store, LazyEmbedder(HashingEmbedder()), clock=clock) as memory:
        first = memory.store("The first thing at the mill", source="log")
        clock.at -= timedelta(days=400)
        second = memory.store("The second thing at the mill", source="log")
        again = memory.store("The first thing at the mill", source="log")
        assert (again.created, again.engram.id) == (False, first.engram.id)
        assert 0 <= again.engram.decay_factor <= 1
        assert again.engram.last_accessed_at >= first.engram.last_accessed_at
        assert memory.settle(30) == 0
        scores = [result.score for result in memory.recall("thing at the mill", limit=10).results]
        assert len(scores) == 2
        assert all(0 <= score <= 1 for score in scores)
        assert second.engram.id > first.engram.id
        forgotten = memory.forget(second.engram.id)
        assert memory.undo(forgotten.undo).ids == (second.engram.id,)
        memory.upkeep.consolidate()
        clock.at += timedelta(days=800)
        memory.upkeep.consolidate()
        assert len(memory.recall("thing at the mill", limit=10).results) == 2


def test_a_lease_from_before_the_clock_was_set_back_does_not_hold_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import time

    store = open_store("sqlite", location=tmp_path, user="alice")
    now = time.time()
    assert store.claim("index", ["a"], "crashed", 10.0) == {"a"}
    monkeypatch.setattr(time, "time", lambda: now - 3 * 86_400)
    assert store.claim("index", ["a"], "other", 10.0) == {"a"}
    store.close()


# --- other people's machines ---


@pytest.mark.parametrize(
    "name", ["C:\\Users\\Ana\\Memory", "Speicher für Füße", "記憶の 場所", "a?b#c%20d", "-dash", "." * 3]
)
def test_any_name_of_a_folder_will_do(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    becausal = CommandLine(tmp_path / name)
    becausal.folder.mkdir()
    becausal.store("One thing")
    assert "One thing" in becausal("recall", "thing").out
    assert becausal("export", str(becausal.folder / "all.jsonl")).code == 0
    assert becausal("import", str(becausal.folder / "all.jsonl")).code == 0
    assert str(becausal.folder) in becausal("status").out


@pytest.mark.parametrize("user", ["Ana María", "домовой", "..", "con", "a/b\\c:d", "x" * 128])
def test_any_name_of_a_user_will_do(tmp_path: Path, user: str) -> None:
    with Memory.open(tmp_path, user=user, embedder="hashing") as memory:
        memory.store("One thing")
    with Memory.open(tmp_path, user=user, embedder="hashing") as memory:
        assert [result.text for result in memory.recall("thing").results] == ["One thing"]
    (folder,) = tmp_path.iterdir()
    assert folder.is_dir()


def test_no_code_page_of_a_console_changes_a_text(becausal: CommandLine) -> None:
    text = "記憶 — Füße — Größe — 🐘"
    env = {"PYTHONIOENCODING": "cp950", "PYTHONUTF8": "0"}
    ran = becausal.program("store", "-", "--json", input=text.encode(), env=env)
    assert ran.code == 0, ran.err
    assert ran.json["memory"]["content"] == text
    assert text in becausal.program("recall", "記憶", env=env).out


def test_the_server_speaks_utf8_whatever_the_code_page_is(becausal: CommandLine) -> None:
    text = "記憶 — Füße"
    calls: Sequence[dict[str, object]] = (
        {
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "t", "version": "1"},
            },
        },
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "smriti_store", "arguments": {"content": text}}},
        {"id": 3, "method": "tools/call", "params": {"name": "smriti_recall", "arguments": {"query": "記憶"}}},
    )
    env = {"PYTHONIOENCODING": "cp950", "PYTHONUTF8": "0", "LC_ALL": "C"}
    answers: dict[object, str] = {}
    with becausal.start("mcp", env=env) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for call in calls:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **call}, ensure_ascii=False).encode() + b"\n")
            process.stdin.flush()
            while "id" in call and call["id"] not in answers:
                line = process.stdout.readline()
                assert line
                answers[json.loads(line).get("id")] = line.decode()
        process.stdin.close()
        process.wait(timeout=30)
    assert text in json.dumps(json.loads(answers[3]), ensure_ascii=False)


# --- size ---


def test_a_memory_of_one_mebibyte_is_kept_found_exported_and_forgotten(tmp_path: Path) -> None:
    words = " ".join(f"word{number}" for number in range(95_000))
    text = (words + " The needle is under the third stone. " + "filler " * 50_000)[: 1024 * 1024 - 1]
    with opened(tmp_path) as memory:
        kept = memory.store(text, label="Big").engram
        memory.store("Something small about a haystack")
        assert memory.settle(60) == 0
        result = memory.recall("where is the needle", max_tokens=500).results[0]
        assert result.engram.id == kept.id
        assert result.truncated
        assert "under the third stone" in result.text
        with (tmp_path / "all.jsonl").open("wb") as file:
            memory.transfer.export(file)
        with opened(tmp_path / "again") as other:
            with (tmp_path / "all.jsonl").open("rb") as file:
                assert other.transfer.restore(file).refused == 0
            assert other.get(kept.id).engram.content == text
        assert memory.forget(kept.id, purge=True).ids == (kept.id,)
        assert "small" in memory.recall("needle haystack").results[0].text


def test_a_hundred_thousand_tags_are_told_apart(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        lines = (
            json.dumps({"content": f"Note {number}", "tags": [f"tag-{number * 250 + each}" for each in range(250)]})
            for number in range(400)
        )
        (tmp_path / "tagged.jsonl").write_text("\n".join(lines))
        answer = memory.transfer.import_file(tmp_path / "tagged.jsonl")
        assert (answer.added["engram"], answer.refused) == (400, 0)
        (only,) = memory.recall(tags=["tag-77777"], limit=10).results
        assert only.text == f"Note {77777 // 250}"
        assert len(memory.recall(tags=[f"tag-{number * 250}" for number in range(100)], limit=100).results) == 100
        assert len(memory.forget_matching(tags=["tag-5"]).ids) == 1


def test_many_threads_at_once_lose_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        threads = [
            threading.Thread(target=lambda name=name: [memory.store(f"{name} {n}") for n in range(10)])  # type: ignore[misc]
            for name in range(10)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert memory.status().counts["engram"] == 100
        assert memory._store.check() == ()
