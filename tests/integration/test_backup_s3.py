# SPDX-License-Identifier: Apache-2.0
"""Copies of a memory in a bucket, made and brought back; against moto, and against rclone, which checks keys."""

from __future__ import annotations

import gzip
import json
import os
import secrets
import shutil
import socket
import socketserver
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from backup_tools import exported, fill, open_with, stated
from becausal import Memory
from becausal.backup.s3 import HEAD, S3Place, S3Settings, default_bucket
from becausal.composition import build_memory, restore_backup
from becausal.engine.upkeep.backups import Backups
from becausal.errors import BackupCorrupt, BackupDiverged, BackupUnavailable, NotFound
from becausal.settings import Settings
from commandline import CommandLine
from memory_tools import TurnableClock
from s3_servers import make_bucket, moto, rclone

KEY = "correct horse battery staple"
OpenAt = Callable[..., Memory]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with moto(tmp_path_factory.mktemp("moto")) as address:
        yield address


@pytest.fixture
def bucket(service: str, tmp_path: Path) -> str:
    name = f"bucket-{abs(hash(str(tmp_path))) % 10**9}"
    make_bucket(service, name)
    return name


@pytest.fixture
def place_at(service: str, bucket: str) -> Callable[..., S3Place]:
    def make(home: Path, **more: Any) -> S3Place:
        given = {"region": "us-east-1", "access_key": "AKIAEXAMPLE", "secret_key": "hunter2hunter2"}
        settings = S3Settings(**{**given, "endpoint": service, "bucket": bucket, **more})
        return S3Place(folder=home / "alice", user="alice", settings=settings)

    return make


@pytest.fixture
def open_at(place_at: Callable[..., S3Place]) -> OpenAt:
    def open_one(home: Path, clock: TurnableClock | None = None, **more: Any) -> Memory:
        return open_with(home, place_at(home, **more), clock)

    return open_one


def backups(memory: Memory) -> Backups:
    assert memory.backups is not None
    return memory.backups


def stored(place: S3Place) -> dict[str, bytes]:
    """Return the objects of a place by name."""
    import obstore

    store = place._store()
    return {
        each["path"]: bytes(obstore.get(store, each["path"]).bytes()) for page in obstore.list(store) for each in page
    }


def put(place: S3Place, name: str, data: bytes) -> None:
    import obstore

    obstore.put(place._store(), name, data)


# --- there and back -----------------------------------------------------------------------------


@pytest.fixture(params=["moto", "rclone"])
def any_service(request: pytest.FixtureRequest, service: str, bucket: str, tmp_path: Path) -> Iterator[str]:
    """Return the address of a service that has the bucket: of one that runs in Python, and of one that checks keys."""
    if request.param == "moto":
        yield service
        return
    (tmp_path / "served" / bucket).mkdir(parents=True)
    with rclone(tmp_path / "served", "AKIAEXAMPLE", "hunter2hunter2") as address:
        yield address


@pytest.mark.parametrize("key", [None, KEY])
def test_a_lost_memory_comes_back_on_an_empty_home_exactly_as_it_was(
    tmp_path: Path, any_service: str, bucket: str, key: str | None
) -> None:
    env = {"BECAUSAL_EMBEDDER": "hashing", "ACCESSING_USER": "alice", "BACKUP_TYPE": "s3", "BACKUP_SYNC_INTERVAL": "0"}
    env |= {"S3_ENDPOINT": any_service, "S3_REGION": "us-east-1", "S3_BUCKET": bucket}
    env |= {"S3_ACCESS_KEY": "AKIAEXAMPLE", "S3_SECRET_KEY": "hunter2hunter2"} | ({"BACKUP_KEY": key} if key else {})
    run = CommandLine(tmp_path / "home", env)
    for number in range(5):
        run.store(f"Ana restarted the ledger on 3 March 2026 because disk {number} failed.", "--source", "log")
    before = run("export", "-").out
    made = run("backup", "--json")
    assert made.code == 0, made.err
    assert made.json["changed"]
    assert not run("backup", "--json").json["changed"]
    assert run("status", "--json").json["sends_text_to"] == ["127.0.0.1"]
    shutil.rmtree(tmp_path / "home")
    restored = run("restore", "--yes", "--json")
    assert restored.code == 0, restored.err
    assert run("export", "-").out == before
    run.store("Something new.")
    assert run("backup", "--json").json["changed"]
    assert [each["memories"] for each in run("backup", "--list", "--json").json["versions"]] == [6, 5]
    assert run("verify", made.json["version"], "--json").json["memories"] == 5
    older = run("restore", made.json["version"][:-2], "--yes", "--json")
    assert older.json["version"] == made.json["version"]
    run.store("Told after an older version was restored.")
    assert run("backup", "--json").json["changed"]
    assert [each["memories"] for each in run("backup", "--list", "--json").json["versions"]] == [6, 6, 5]


def test_an_empty_memory_is_filled_from_the_bucket(tmp_path: Path, open_at: OpenAt) -> None:
    with open_at(tmp_path / "one") as one:
        fill(one)
        before = exported(one)
        backups(one).run()
    with open_at(tmp_path / "two") as two:
        assert backups(two).fill_if_empty()
        assert exported(two) == before
        two.store("Something new.")
        assert backups(two).run().changed


def test_nothing_readable_leaves_the_machine_when_there_is_a_key(
    tmp_path: Path, open_at: OpenAt, place_at: Callable[..., S3Place]
) -> None:
    with open_at(tmp_path / "home", key=KEY) as memory:
        fill(memory)
        backups(memory).run()
    objects = stored(place_at(tmp_path / "home"))
    assert len(objects) == 2
    assert not any(b"ledger" in data or b"Keeperino" in data for data in objects.values())
    for wrong, told in ((None, "set BACKUP_KEY"), (KEY + "!", "BACKUP_KEY is another key")):
        with open_at(tmp_path / f"other{wrong}", key=wrong) as memory, pytest.raises(BackupCorrupt, match=told):
            backups(memory).verify()


def test_a_key_that_is_set_later_and_a_copy_asked_for_anew_are_no_unchanged_memory(
    tmp_path: Path, open_at: OpenAt
) -> None:
    with open_at(tmp_path / "home") as memory:
        fill(memory)
        assert backups(memory).run().changed
    with open_at(tmp_path / "home", key=KEY) as memory:
        assert backups(memory).run().changed
        assert not backups(memory).run().changed
        backups(memory).verify()
    with open_at(tmp_path / "home", key=KEY + "!") as memory:
        assert backups(memory).run(overwrite=True).changed
        backups(memory).verify()


def test_who_cannot_fill_an_empty_memory_is_told_with_every_command(tmp_path: Path, service: str, bucket: str) -> None:
    env = {"BECAUSAL_EMBEDDER": "hashing", "ACCESSING_USER": "alice", "BACKUP_TYPE": "s3", "BACKUP_SYNC_INTERVAL": "0"}
    env |= {"S3_ENDPOINT": service, "S3_REGION": "us-east-1", "S3_BUCKET": bucket, "BACKUP_KEY": KEY}
    env |= {"S3_ACCESS_KEY": "AKIAEXAMPLE", "S3_SECRET_KEY": "hunter2hunter2"}
    one = CommandLine(tmp_path / "one", env)
    one.store("The code word is heron.")
    assert one("backup").code == 0
    other = CommandLine(tmp_path / "other", env | {"BACKUP_KEY": KEY + "!"})
    for command in (("recall", "code word"), ("store", "Something else.")):
        told = " ".join(other(*command).err.split())
        assert "nothing could be brought in" in told
        assert "BACKUP_KEY is another key" in told


def test_only_the_newest_copies_are_kept(
    tmp_path: Path, open_at: OpenAt, place_at: Callable[..., S3Place], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("becausal.backup.s3.STRAY", timedelta(0))
    clock = TurnableClock()
    with open_at(tmp_path / "home", clock, keep=3) as memory:
        put(place_at(tmp_path / "home"), "20200101T000000Z-0123456789ab.jsonl.gz", b"left by a process that died")
        put(place_at(tmp_path / "home"), "of-somebody-else.txt", b"stays")
        for number in range(5):
            memory.store(f"Note {number}.")
            clock.turn(minutes=1)
            backups(memory).run()
        assert [each.memories for each in backups(memory).versions()] == [5, 4, 3]
        kept = {f"{each.id}.jsonl.gz" for each in backups(memory).versions()}
        assert stored(place_at(tmp_path / "home")).keys() == {*kept, HEAD, "of-somebody-else.txt"}
        with pytest.raises(NotFound, match="version"):
            backups(memory).verify("20200101T000000Z-0123456789ab")


def test_a_bucket_that_nobody_named_has_a_name_that_a_bucket_may_have() -> None:
    assert default_bucket("alice") == "alice-smriti"
    names = {default_bucket(user) for user in ("Alice", "a_b", "a-b", "a b", "漢字", "x" * 120, "é")}
    assert len(names) == 7
    for name in names:
        assert 3 <= len(name) <= 63
        assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
        assert name[0] != "-"


# --- what goes wrong ----------------------------------------------------------------------------


def test_two_machines_do_not_overwrite_each_other_unasked(tmp_path: Path, open_at: OpenAt) -> None:
    with open_at(tmp_path / "one") as one, open_at(tmp_path / "two") as two:
        one.store("Told on one machine.")
        backups(one).run()
        two.store("Told on the other.")
        before = exported(two)
        with pytest.raises(BackupDiverged, match="another machine"):
            backups(two).run()
        assert exported(two) == before
        backups(two).run(overwrite=True)
        assert len(backups(two).versions()) == 2
        one.store("And one more.")
        with pytest.raises(BackupDiverged):
            backups(one).run()


def test_of_two_that_put_at_the_same_moment_one_is_told(
    tmp_path: Path, open_at: OpenAt, place_at: Callable[..., S3Place], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_at(tmp_path / "one") as one:
        one.store("First.")
        backups(one).run()
        shutil.copytree(tmp_path / "one", tmp_path / "two")
        with open_at(tmp_path / "two") as two:
            two.store("Told on the other.")
            one.store("Told here.")
            upload = S3Place._upload

            def meanwhile(self: S3Place, *given: Any) -> Any:
                monkeypatch.setattr(S3Place, "_upload", upload)
                backups(two).run()
                return upload(self, *given)

            monkeypatch.setattr(S3Place, "_upload", meanwhile)
            with pytest.raises(BackupDiverged, match="has just written"):
                backups(one).run()
            assert [each.memories for each in backups(two).versions()] == [2, 1]
            assert len(stored(place_at(tmp_path / "one"))) == 3


def test_a_service_that_cannot_be_reached_or_lacks_the_bucket_is_named_without_a_secret(
    tmp_path: Path, open_at: OpenAt
) -> None:
    for more, told in (
        ({"endpoint": "http://127.0.0.1:9"}, "at 127.0.0.1 cannot be used"),
        ({"bucket": "there-is-none"}, "there is no bucket there-is-none"),
    ):
        with open_at(tmp_path / told[:9], **more) as memory:
            memory.store("Something.")
            before = exported(memory)
            with pytest.raises(BackupUnavailable, match=told) as caught:
                backups(memory).run()
            assert exported(memory) == before
            shown = f"{caught.value} {memory.status()}"
            assert "hunter2" not in shown
            assert "AKIAEXAMPLE" not in shown
            assert told in (backups(memory).status().trouble or "")


@contextmanager
def cut_off(address: str, after: int) -> Iterator[str]:
    """Stand between a service and its callers, and let no more pass after some bytes."""
    host, _, port = address.removeprefix("http://").partition(":")
    left = [after]

    def pass_on(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while left[0] > 0 and (piece := source.recv(1024)):
                target.sendall(piece)
                left[0] -= len(piece)
        for each in (source, target):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    class Between(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with socket.create_connection((host, int(port))) as beyond:
                back = threading.Thread(target=pass_on, args=(beyond, self.request))
                back.start()
                pass_on(self.request, beyond)
                back.join()

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Between) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()


def test_a_connection_that_breaks_off_in_the_middle_is_a_clear_error_and_nothing_is_changed(
    tmp_path: Path, service: str, open_at: OpenAt
) -> None:
    home = tmp_path / "home"
    with open_at(home) as memory:
        for number in range(40):
            memory.store(f"{secrets.token_hex(200)} {number}")
        whole = backups(memory).run().version
        memory.store("Something new.")
        before = exported(memory)
    for what in ("run", "verify"):
        with cut_off(service, 7000) as address, open_at(home, endpoint=address) as memory:
            with pytest.raises(BackupUnavailable, match=r"at 127\.0\.0\.1 cannot be used"):
                getattr(backups(memory), what)()
            assert exported(memory) == before
            assert memory.upkeep.check() == ()
    with cut_off(service, 7000) as address, open_at(tmp_path / "empty", endpoint=address) as memory:
        assert not backups(memory).fill_if_empty()
        assert memory.status().counts["engram"] == 0
        assert "cannot be used" in (backups(memory).status().trouble or "")
    with open_at(home) as memory:
        assert [each.id for each in backups(memory).versions()] == [whole]
        assert backups(memory).run().changed


def test_a_damaged_copy_or_list_is_refused_and_nothing_is_changed(
    tmp_path: Path, bucket: str, open_at: OpenAt, place_at: Callable[..., S3Place]
) -> None:
    home = tmp_path / "home"
    with open_at(home) as memory:
        fill(memory)
        before = exported(memory)
        backups(memory).run()
    place = place_at(home)
    whole = stored(place)
    name = next(name for name in whole if name != HEAD)
    middle = len(whole[name]) // 2
    flipped = whole[name][:middle] + bytes([whole[name][middle] ^ 8]) + whole[name][middle + 1 :]
    foreign = whole[HEAD].replace(name.encode(), b"../../other.jsonl.gz")
    cases = [(name, flipped), (name, whole[name][:-9]), (name, b""), (HEAD, foreign), (HEAD, b"[]"), (HEAD, b"{}")]
    cases.append((HEAD, whole[HEAD].replace(b'"format": 1,\n "versions"', b'"format": 9,\n "versions"')))
    with open_at(home) as memory:
        for damaged, data in cases:
            put(place, damaged, data)
            with pytest.raises(BackupCorrupt, match=bucket):
                backups(memory).verify()
            put(place, damaged, whole[damaged])
        assert backups(memory).verify().memories == 13
        assert exported(memory) == before


def test_a_copy_that_unpacks_to_more_than_it_says_is_refused(
    tmp_path: Path, open_at: OpenAt, place_at: Callable[..., S3Place]
) -> None:
    home = tmp_path / "home"
    with open_at(home) as memory:
        fill(memory)
        backups(memory).run()
        place = place_at(home)
        objects = stored(place)
        name = next(name for name in objects if name != HEAD)
        bomb = gzip.compress(b"\0" * 50_000_000, mtime=0)
        head = json.loads(objects[HEAD])
        head["versions"][0]["stored"] = len(bomb)
        put(place, name, bomb)
        put(place, HEAD, json.dumps(head).encode())
        with pytest.raises(BackupCorrupt, match="longer than it should be"):
            backups(memory).verify()


def test_a_wrong_key_and_a_full_bucket_are_clear_errors_and_the_memory_is_untouched(tmp_path: Path) -> None:
    (tmp_path / "served" / "becausal-test").mkdir(parents=True)
    given: dict[str, Any] = {"region": "us-east-1", "bucket": "becausal-test"}
    with rclone(tmp_path / "served", "AKIAEXAMPLE", "hunter2hunter2") as address:

        def opened(home: Path, secret: str) -> Memory:
            settings = S3Settings(**given, endpoint=address, access_key="AKIAEXAMPLE", secret_key=secret)
            return open_with(home, S3Place(folder=home / "alice", user="alice", settings=settings))

        with opened(tmp_path / "one", "hunter2hunter2") as memory:
            fill(memory)
            before = exported(memory)
            assert backups(memory).run().changed
            assert backups(memory).verify().memories == 13
        with opened(tmp_path / "two", "wrong-wrong-wrong") as memory:
            memory.store("Something.")
            mine = exported(memory)
            with pytest.raises(BackupUnavailable, match=r"cannot be used: (SignatureDoesNotMatch|AccessDenied)"):
                backups(memory).run()
            assert exported(memory) == mine
        with opened(tmp_path / "three", "hunter2hunter2") as memory:
            assert backups(memory).fill_if_empty()
            assert exported(memory) == before
        if os.geteuid() == 0:  # whom no folder refuses: what takes the place of the bucket does
            shutil.rmtree(tmp_path / "served" / "becausal-test")
            (tmp_path / "served" / "becausal-test").write_text("no room")
        else:
            (tmp_path / "served" / "becausal-test").chmod(0o500)
        with opened(tmp_path / "one", "hunter2hunter2") as memory:
            memory.store("One more.")
            before = exported(memory)
            with pytest.raises(BackupUnavailable):
                backups(memory).run()
            assert exported(memory) == before


# --- after crashes ------------------------------------------------------------------------------

KILLED = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from backup_tools import die_in, open_with
import becausal.backup.s3 as s3

home, given, what, fatal = Path(sys.argv[2]), json.loads(sys.argv[3]), sys.argv[4], sys.argv[5]
die_in(s3.S3Place, fatal)
if what == "restore":
    from becausal.composition import restore_backup
    from becausal.settings import Settings
    restore_backup(Settings.load(**given))
else:
    options = {name.removeprefix("s3_"): value for name, value in given.items() if name.startswith("s3_")}
    place = s3.S3Place(folder=home / "alice", user="alice", settings=s3.S3Settings(**options))
    with open_with(home, place) as memory:
        if what == "backup":
            memory.backups.run()
        else:
            memory.backups.fill_if_empty()
"""

Given = Callable[[Path], dict[str, Any]]
Killed = Callable[[Path, str, str], None]


@pytest.fixture
def given(service: str, bucket: str) -> Given:
    """Return what gives the settings of a memory in a folder."""

    def settings(home: Path) -> dict[str, Any]:
        keys = {"s3_region": "us-east-1", "s3_access_key": "AKIAEXAMPLE", "s3_secret_key": "hunter2hunter2"}
        place = {"backup_type": "s3", "backup_sync_interval": 0, "s3_endpoint": service, "s3_bucket": bucket}
        return {"storage_location": str(home), "user": "alice", "embedder": "hashing", **place, **keys}

    return settings


@pytest.fixture
def killed(given: Given) -> Killed:
    """Return what does something in a process that dies in a certain moment."""

    def run(home: Path, what: str, fatal: str) -> None:
        tests = str(Path(__file__).parents[1])
        child = [sys.executable, "-c", KILLED, tests, str(home), json.dumps(given(home)), what, fatal]
        died = subprocess.run(child, capture_output=True, text=True, timeout=60)
        assert died.returncode == -9, died.stderr

    return run


@pytest.mark.parametrize("fatal", ["_upload", "_put_head", "accept", "_delete", "_sweep"])
def test_after_a_kill_in_the_middle_of_a_backup_the_next_one_is_whole(
    tmp_path: Path, killed: Killed, open_at: OpenAt, fatal: str
) -> None:
    home = tmp_path / "home"
    with open_at(home) as memory:
        fill(memory)
        backups(memory).run()
        memory.store("Something new.")
        memory.settle()
        before = exported(memory)
    killed(home, "backup", fatal)
    with open_at(home) as memory:
        assert memory.upkeep.check() == ()
        assert exported(memory) == before
        memory.store("Told after the crash.")
        memory.settle()
        before = exported(memory)
        assert backups(memory).run().ran
        assert backups(memory).verify().memories == 15
    with open_at(tmp_path / "other") as other:
        assert backups(other).fill_if_empty()
        assert exported(other) == before


@pytest.mark.parametrize("fatal", ["_download", "unpacked", "restore", "half", "linked", "replace", "accept"])
def test_after_a_kill_in_the_middle_of_a_restore_the_memory_is_whole_and_is_restored_the_next_time(
    tmp_path: Path, killed: Killed, given: Given, open_at: OpenAt, fatal: str
) -> None:
    home = tmp_path / "home"
    settings = Settings.load(**given(home))
    with build_memory(settings, start_worker=False) as memory:
        memory.store("Told on this machine.")
        memory.settle()
        before = exported(memory)
    with open_at(tmp_path / "other") as other:
        fill(other)
        backups(other).run()
        copied = exported(other)
    killed(home, "restore", fatal)
    with build_memory(settings, start_worker=False) as memory:
        assert memory.upkeep.check() == ()
        assert stated(exported(memory)) == stated(copied if fatal == "accept" else before)
        if fatal == "accept":  # it is the copy, and goes on from it
            assert not backups(memory).fill_if_empty()
            memory.store("Told after the crash.")
            assert backups(memory).run().changed
    assert restore_backup(settings).memories == (14 if fatal == "accept" else 13)
    with build_memory(settings, start_worker=False) as memory:
        assert memory.upkeep.check() == ()
        assert backups(memory).status().trouble is None


@pytest.mark.parametrize("fatal", ["_download", "restore", "half", "accept"])
def test_a_memory_that_was_being_filled_when_its_process_was_killed_is_filled_to_the_end(
    tmp_path: Path, killed: Killed, open_at: OpenAt, fatal: str
) -> None:
    home = tmp_path / "home"
    with open_at(tmp_path / "other") as other:
        fill(other, 70)
        backups(other).run()
        copied = exported(other)
    home.mkdir()
    killed(home, "fill", fatal)
    with open_at(home) as memory:
        assert memory.upkeep.check() == ()
        assert backups(memory).fill_if_empty()
        assert exported(memory) == copied
        assert not backups(memory).run().changed
