# SPDX-License-Identifier: Apache-2.0
"""Copies of a memory in a Git repository, made and brought back."""

from __future__ import annotations

import shutil
import stat
import subprocess
import sys
import threading
from base64 import b64encode
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from backup_tools import exported, fill, git, open_with, stated
from becausal import Memory
from becausal.backup.git import GitPlace
from becausal.backup.git_program import masked
from becausal.composition import build_memory, restore_backup
from becausal.errors import BackupCorrupt, BackupDiverged, BackupUnavailable, NotFound, SettingsError, StoreBusy
from becausal.ports.backup import HISTORY
from becausal.server.opening import LazyMemory
from becausal.settings import Settings
from becausal.stores.scratch import scratch
from commandline import CommandLine
from memory_tools import TurnableClock, contents, open_test_memory
from toolclient import client, done, ready, refused


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    git("init", "--quiet", "--bare", "--initial-branch=main", "alice_smriti.git", cwd=tmp_path)
    return tmp_path / "alice_smriti.git"


def place(remote: Path, home: Path) -> GitPlace:
    return GitPlace(folder=home / "alice", base=str(remote.parent), user="alice")


def open_at(home: Path, remote: Path) -> Memory:
    return open_with(home, place(remote, home))


def commits(remote: Path) -> int:
    return int(git("rev-list", "--count", "main", cwd=remote))


def backups(memory: Memory):  # type: ignore[no-untyped-def]
    assert memory.backups is not None
    return memory.backups


def settings(home: Path, remote: Path) -> Settings:
    return Settings.load(
        storage_location=home,
        user="alice",
        embedder="hashing",
        backup_type="git",
        backup_sync_interval=0,
        git_base_url=str(remote.parent),
    )


# --- there and back -----------------------------------------------------------------------------


def test_a_lost_memory_comes_back_on_an_empty_home_exactly_as_it_was(tmp_path: Path, remote: Path) -> None:
    run = CommandLine(
        tmp_path / "home",
        {"BECAUSAL_EMBEDDER": "hashing", "ACCESSING_USER": "alice", "BACKUP_TYPE": "git", "BACKUP_SYNC_INTERVAL": "0"}
        | {"GIT_BASE_URL": str(remote.parent)},
    )
    for number in range(5):
        run.store(f"Ana restarted the ledger on 3 March 2026 because disk {number} failed.", "--source", "log")
    run("forget", run.store("A trifle."))
    before = run("export", "-").out
    made = run("backup", "--json")
    assert made.code == 0, made.err
    assert made.json["changed"]
    shutil.rmtree(tmp_path / "home")
    restored = run("restore", "--yes", "--json")
    assert restored.code == 0, restored.err
    assert restored.json["memories"] == 5
    assert run("export", "-").out == before
    assert run("undo", "--json").json["ids"]
    assert run("status", "--json").json["backup"]["version"] == made.json["version"]


def test_an_empty_memory_is_filled_when_it_is_opened_and_one_that_holds_something_is_left_alone(
    tmp_path: Path, remote: Path
) -> None:
    with open_at(tmp_path / "one", remote) as one:
        fill(one)
        before = exported(one)
        backups(one).run()
    with open_at(tmp_path / "two", remote) as two:
        assert backups(two).fill_if_empty()
        assert exported(two) == before
        assert not backups(two).fill_if_empty()
        two.store("Something new.")
        assert backups(two).run().changed  # it goes on from what it was filled with
    with open_at(tmp_path / "three", remote) as three:
        three.store("Something of my own.")
        before = exported(three)
        assert not backups(three).fill_if_empty()
        assert exported(three) == before


def test_the_first_command_on_a_new_machine_finds_what_was_kept(tmp_path: Path, remote: Path) -> None:
    env = {"BECAUSAL_EMBEDDER": "hashing", "ACCESSING_USER": "alice", "BACKUP_TYPE": "git"}
    env |= {"GIT_BASE_URL": str(remote.parent), "BACKUP_SYNC_INTERVAL": "0"}
    old, new = CommandLine(tmp_path / "old", env), CommandLine(tmp_path / "new", env)
    told = old.store("The ledger stays on PostgreSQL 15.")
    assert "nothing of it is kept there yet" in old("status").out
    old("backup")
    assert "kept there yet" not in old("status").out
    assert new.ids("recall", "ledger PostgreSQL") == [told]
    shutil.rmtree(tmp_path / "new")
    added = new.store("Told first on the new machine.")
    assert set(new.ids("list")) == {told, added}
    third = CommandLine(tmp_path / "third", env)
    with open_test_memory(tmp_path / "third") as memory:
        memory.store("Told before there was a place for copies.")
    answer = third("status", "--json").json["backup"]
    assert "not empty" in answer["note"]
    assert answer["last"] is None


def test_the_first_tool_call_on_a_new_machine_finds_what_was_kept(tmp_path: Path, remote: Path) -> None:
    with build_memory(settings(tmp_path / "old", remote), start_worker=False) as memory:
        told = memory.store("The ledger stays on PostgreSQL 15.").engram.id
        backups(memory).run()
    source = LazyMemory(lambda: build_memory(settings(tmp_path / "new", remote)))
    try:
        assert [result.engram.id for result in source.get().recall("ledger PostgreSQL").results] == [told]
    finally:
        source.close()


def test_a_commit_is_made_only_when_something_has_changed_and_touches_few_files(tmp_path: Path, remote: Path) -> None:
    with open_at(tmp_path / "home", remote) as memory:
        for number in range(900):
            memory.store(f"Note {number} about the ledger.")
        memory.settle()
        assert backups(memory).run().changed
        assert not backups(memory).run().changed
        assert commits(remote) == 1
        memory.store("One more about the harbour.")
        assert backups(memory).run().changed
    assert commits(remote) == 2
    files = git("ls-tree", "-r", "--name-only", "main", cwd=remote).split()
    touched = git("diff", "--name-only", "main~1", "main", cwd=remote).split()
    assert len(files) > 8
    assert len(touched) < len(files) / 2


def stated_lines(export: bytes) -> int:
    """Return how many lines an export has that do not depend on an embedder."""
    return sum(b'"similar_to"' not in line and b'"SAME_AS"' not in line for line in export.splitlines())


def test_any_version_that_is_kept_can_be_verified_and_brought_back(tmp_path: Path, remote: Path) -> None:
    home = tmp_path / "home"
    with open_at(home, remote) as memory:
        fill(memory)
        before = exported(memory)
        first = backups(memory).run().version
        memory.store("Something new.")
        second = backups(memory).run().version
        assert [each.id for each in backups(memory).versions()] == [second, first]
        assert [each.memories for each in backups(memory).versions()] == [14, 13]
        verified = backups(memory).verify(first)
        assert (verified.version, verified.memories) == (first, 13)
        for wrong in ("nonsense", "0" * 40):
            with pytest.raises(NotFound, match="version"):
                backups(memory).verify(wrong)
    done = restore_backup(settings(home, remote), first)
    assert done.version == first
    assert done.kept_as is not None
    assert Path(done.kept_as).exists()
    with build_memory(settings(home, remote), start_worker=False) as memory:  # which would erase what has expired
        # made by another embedder there than here, so that others are alike; all else is the same
        assert contents(memory.recall("Something new", mode="fts")) == []
        assert stated_lines(exported(memory)) == stated_lines(before)


def test_verify_reads_the_repository_itself_and_not_what_this_machine_has_of_it(tmp_path: Path, remote: Path) -> None:
    with open_at(tmp_path / "home", remote) as memory:
        fill(memory)
        backups(memory).run()
        assert backups(memory).verify().memories
        for file in (remote / "objects").rglob("*"):
            if file.is_file():
                file.chmod(0o600)
                file.write_bytes(b"")
        with pytest.raises((BackupUnavailable, BackupCorrupt), match=r"git|damaged"):
            backups(memory).verify()


def test_nothing_is_there_to_bring_back_before_the_first_copy(tmp_path: Path, remote: Path) -> None:
    with pytest.raises(NotFound, match="backup 'git repository"):
        restore_backup(settings(tmp_path / "home", remote))
    with open_at(tmp_path / "home", remote) as memory:
        assert backups(memory).versions() == ()
        with pytest.raises(NotFound):
            backups(memory).verify()


@pytest.mark.anyio
async def test_the_tool_backs_up_when_told_to_synchronise(tmp_path: Path, remote: Path) -> None:
    with open_at(tmp_path / "home", remote) as memory:
        memory.store("Something.")
        async with client(ready(memory)) as agent:
            answer = (await done(agent, "smriti_manage", action="sync")).json
            assert (answer["status"], answer["action"], answer["changed"]) == ("ok", "sync", True)
            status = (await done(agent, "smriti_manage", action="status")).json
            assert status["backup"]["last"] is not None
            shutil.rmtree(remote)
            told = await refused(agent, "smriti_manage", action="sync")
            assert "there is no git repository" in told


# --- what goes wrong ----------------------------------------------------------------------------


def test_two_machines_do_not_overwrite_each_other_unasked(tmp_path: Path, remote: Path) -> None:
    with open_at(tmp_path / "one", remote) as one, open_at(tmp_path / "two", remote) as two:
        one.store("Told on one machine.")
        backups(one).run()
        two.store("Told on the other.")
        before = exported(two)
        with pytest.raises(BackupDiverged, match="another machine"):
            backups(two).run()
        assert exported(two) == before
        assert "another machine" in (backups(two).status().trouble or "")
        backups(two).run(overwrite=True)
        assert backups(two).status().trouble is None
        assert [each.memories for each in backups(two).versions()] == [1, 1]
        assert commits(remote) == 2
        with pytest.raises(BackupDiverged):
            backups(one).run()


def test_a_place_that_cannot_be_reached_is_named_without_its_secret(tmp_path: Path) -> None:
    home = tmp_path / "home"
    base = "http://alice:sesame@127.0.0.1:9/repositories"
    unreachable = GitPlace(folder=home / "alice", base=base, user="alice")
    assert unreachable.hosts == ("127.0.0.1",)
    with open_with(home, unreachable) as memory:
        memory.store("Something.")
        before = exported(memory)
        with pytest.raises(BackupUnavailable) as caught:
            backups(memory).run()
        assert exported(memory) == before
        told = f"{caught.value} {memory.status()} {backups(memory).status()}"
        assert "127.0.0.1" in told
        assert "sesame" not in told
        assert not backups(memory).fill_if_empty()
    files = [file for file in (home / "alice" / HISTORY).rglob("*") if file.is_file()]
    assert files
    assert not any(b"sesame" in file.read_bytes() for file in files)


@pytest.mark.parametrize("cut", [True, False])
def test_a_password_goes_to_the_server_that_asks_for_it_and_nobody_on_the_machine_sees_it(
    tmp_path: Path, cut: bool
) -> None:
    told, seen = [], []

    class Server(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            told.append(self.headers.get("Authorization"))
            commands = [file for file in Path("/proc").glob("[0-9]*/cmdline") if file.exists()]
            for file in commands:
                with suppress(OSError):
                    seen.append(file.read_bytes())
            if cut and told[-1]:
                self.close_connection = True
                return
            self.send_response(403 if told[-1] else 401)
            self.send_header("WWW-Authenticate", 'Basic realm="here"')
            self.end_headers()

        def log_message(self, *given: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        base = f"http://alice:s%40sa%2Fme@127.0.0.1:{server.server_address[1]}/repositories"
        try:
            with open_with(tmp_path, GitPlace(folder=tmp_path / "alice", base=base, user="alice")) as memory:
                memory.store("Something.")
                before = exported(memory)
                with pytest.raises(BackupUnavailable, match=r"Empty reply|403") as caught:
                    backups(memory).run()
                assert exported(memory) == before
        finally:
            server.shutdown()
    assert told == [None, "Basic " + b64encode(b"alice:s@sa/me").decode()]
    assert not any(b"sa%2Fme" in each or b"sa/me" in each for each in seen)
    assert "sa" not in str(caught.value).partition("127.0.0.1")[0]


@pytest.mark.parametrize(
    ("shown", "told"),
    [
        ("https://alice:p@ss@host/a", "https://***@host/a"),
        ("fatal: 'https://token@host/a b' and http://x:y@z", "fatal: 'https://***@host/a b' and http://***@z"),
        ("git@github.com:alice/a.git", "git@github.com:alice/a.git"),
    ],
)
def test_what_stands_before_the_host_is_masked_wherever_an_address_is_shown(shown: str, told: str) -> None:
    assert masked(shown) == told


@pytest.mark.parametrize("address", ["https://a:se/same@host/x", "ssh://a:sesame@host/x", "http://a:se%0Asame@host/x"])
def test_an_address_whose_password_could_not_be_kept_secret_is_refused_without_it(address: str) -> None:
    with pytest.raises(SettingsError, match="git_base_url") as caught:
        Settings.load(git_base_url=address)
    assert "same" not in str(caught.value)


def test_a_repository_that_is_missing_or_takes_nothing_is_a_clear_error(tmp_path: Path, remote: Path) -> None:
    missing = GitPlace(folder=tmp_path / "a" / "alice", base=str(tmp_path / "nowhere"), user="alice")
    with open_with(tmp_path / "a", missing) as memory:
        memory.store("Something.")
        with pytest.raises(BackupUnavailable, match=r"there is no git repository .* make an empty one there"):
            backups(memory).run()
    hook = remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'the disk is full' >&2\nexit 1\n")
    hook.chmod(0o755)
    with open_at(tmp_path / "b", remote) as memory:
        memory.store("Something.")
        with pytest.raises(BackupUnavailable, match="the disk is full"):
            backups(memory).run()
        hook.unlink()
        assert backups(memory).run().ran
    assert commits(remote) == 1


def tampered(remote: Path, tree: bytes) -> None:
    """Put a commit on top that holds this tree, as ``git mktree`` takes it."""
    object = git("mktree", "-z", cwd=remote, input=tree).strip().decode()
    commit = git("commit-tree", object, "-p", "main", "-m", "x", cwd=remote).strip().decode()
    git("update-ref", "refs/heads/main", commit, cwd=remote)


def test_a_damaged_or_foreign_repository_is_refused_and_nothing_is_changed(tmp_path: Path, remote: Path) -> None:
    home = tmp_path / "home"
    with open_at(home, remote) as memory:
        fill(memory)
        before = exported(memory)
        whole = backups(memory).run().version
    whole_tree = git("ls-tree", "-z", "main", cwd=remote)
    parts = dict(reversed(line.split(b"\t")) for line in whole_tree.split(b"\0") if line)
    shards = git("ls-tree", "-z", "main:memory", cwd=remote)
    texts = {
        blob: git("cat-file", "blob", blob, cwd=remote)
        for blob in (each.split()[2].decode() for each in shards.split(b"\0") if each)
    }
    blob = next(blob for blob, text in texts.items() if b"Ana" in text)
    changed = texts[blob].replace(b"Ana", b"Eve")
    other = git("hash-object", "-w", "--stdin", cwd=remote, input=changed).strip()
    link = git("hash-object", "-w", "--stdin", cwd=remote, input=b"/etc/passwd").strip()
    folder = git("mktree", "-z", cwd=remote, input=shards.replace(blob.encode(), other)).strip()
    fewer = git("mktree", "-z", cwd=remote, input=b"\0".join(shards.split(b"\0")[1:])).strip()
    linked = git("mktree", "-z", cwd=remote, input=b"120000 blob " + link + b"\tpasswd.jsonl\0").strip()
    manifest = parts[b"manifest.json"] + b"\tmanifest.json\0"
    cases = {
        "checksum": manifest + b"040000 tree " + folder + b"\tmemory\0",
        "is not as it says": manifest + b"040000 tree " + fewer + b"\tmemory\0",
        "which no backup of becausal has": manifest + b"040000 tree " + linked + b"\tmemory\0",
        "'evil.sh'": whole_tree + b"100755 blob " + other + b"\tevil.sh\0",
        "holds no backup": b"040000 tree " + folder + b"\tmemory\0",
    }
    for told, tree in cases.items():
        git("update-ref", "refs/heads/main", whole or "", cwd=remote)
        tampered(remote, tree)
        with pytest.raises(BackupCorrupt, match=told):
            restore_backup(settings(home, remote))
    with open_at(home, remote) as memory:
        assert exported(memory) == before
        assert backups(memory).verify(whole).memories == 13
    assert [each.name for each in (home / "alice").iterdir() if each.name.startswith(".")] == []


def commit_on(remote: Path, files: dict[str, bytes], message: str = "Initial commit") -> str:
    """Put a commit on top as a person does on a web page: with some files more, or with other contents."""
    tree = b""
    with suppress(subprocess.CalledProcessError):
        tree = git("ls-tree", "-z", "main", cwd=remote)
    lines = [line for line in tree.split(b"\0") if line and line.split(b"\t")[1].decode() not in files]
    for name, text in files.items():
        blob = git("hash-object", "-w", "--stdin", cwd=remote, input=text).strip()
        lines.append(b"100644 blob " + blob + b"\t" + name.encode())
    object = git("mktree", "-z", cwd=remote, input=b"".join(line + b"\0" for line in lines)).strip().decode()
    parents = ["-p", "main"] if tree else []
    commit = git("commit-tree", object, *parents, "-m", message, cwd=remote).strip().decode()
    git("update-ref", "refs/heads/main", commit, cwd=remote)
    return commit


def test_a_repository_that_begins_with_what_its_host_puts_there_is_as_good_as_an_empty_one(
    tmp_path: Path, remote: Path
) -> None:
    furniture = {"README.md": b"# mine", "LICENSE": b"free", ".gitignore": b"*~"}
    commit_on(remote, furniture)
    with build_memory(settings(tmp_path / "home", remote)) as memory:
        assert backups(memory).versions() == ()
        with pytest.raises(NotFound, match="backup"):
            backups(memory).verify()
        memory.store("The kettle is descaled in May.")
        version = backups(memory).run().version
        assert [(each.id, each.memories) for each in backups(memory).versions()] == [(version, 1)]
        edited = commit_on(remote, {"README.md": b"# ours", "SECURITY.md": b"tell us"}, "Update README.md")
        assert [each.id for each in backups(memory).versions()] == [version]
        memory.store("Told after that.")
        assert backups(memory).run().changed
        assert [each.memories for each in backups(memory).versions()] == [2, 1]
        assert backups(memory).verify().memories == 2
        assert backups(memory).verify(edited).memories == 1
        for name, text in (furniture | {"README.md": b"# ours", "SECURITY.md": b"tell us"}).items():
            assert git("show", f"main:{name}", cwd=remote) == text
        assert git("rev-parse", "main~1", cwd=remote).strip().decode() == edited
    with build_memory(settings(tmp_path / "other", remote)) as other:
        assert backups(other).wait_until_filled()
        assert contents(other.recall("descaled kettle", mode="fts")) == ["The kettle is descaled in May."]


def test_a_repository_with_anything_else_in_it_is_refused_with_advice_that_works(tmp_path: Path, remote: Path) -> None:
    commit_on(remote, {"README.md": b"# mine", "main.c": b"int main;"})
    with open_at(tmp_path / "home", remote) as memory:
        memory.store("The kettle is descaled in May.")
        with pytest.raises(BackupCorrupt, match=r"'main\.c', which no backup .* take it out of there"):
            backups(memory).run()
        readme = next(line for line in git("ls-tree", "-z", "main", cwd=remote).split(b"\0") if b"README" in line)
        tampered(remote, readme + b"\0")
        assert backups(memory).run().changed


def test_what_somebody_else_has_written_over_a_copy_is_listed_as_no_copy(tmp_path: Path, remote: Path) -> None:
    with open_at(tmp_path / "home", remote) as memory:
        memory.store("The kettle is descaled in May.")
        version = backups(memory).run().version
        for text in (b"{}", b"nonsense"):
            commit_on(remote, {"manifest.json": text}, "becausal: 7 memories")
            assert [each.id for each in backups(memory).versions()] == [version]
            with pytest.raises(BackupCorrupt):
                backups(memory).verify()


def test_after_an_older_version_was_restored_the_next_copy_goes_on_top_of_the_newer_ones(
    tmp_path: Path, remote: Path
) -> None:
    home = tmp_path / "home"
    with build_memory(settings(home, remote)) as memory:
        memory.store("The kettle is descaled in May.")
        old = backups(memory).run().version
        memory.store("Told later.")
        newest = backups(memory).run().version
    assert old is not None
    assert restore_backup(settings(home, remote), old[:8]).version == old
    with build_memory(settings(home, remote)) as memory:
        status = backups(memory).status()
        made = {each.id: each.at for each in backups(memory).versions()}
        assert (status.version, status.last) == (old, made[old])
        memory.store("Told after the restore.")
        backups(memory).run()
        assert [each.memories for each in backups(memory).versions()] == [2, 2, 1]
    assert git("rev-parse", "main~1", cwd=remote).strip().decode() == newest


def test_what_another_machine_puts_there_after_an_older_version_was_restored_is_not_overwritten(
    tmp_path: Path, remote: Path
) -> None:
    home, other = tmp_path / "home", tmp_path / "other"
    with build_memory(settings(home, remote)) as memory:
        memory.store("The kettle is descaled in May.")
        old = backups(memory).run().version
        memory.store("Told later.")
        backups(memory).run()
    restore_backup(settings(other, remote))
    restore_backup(settings(home, remote), old)
    with build_memory(settings(other, remote)) as there:
        there.store("Told elsewhere.")
        backups(there).run()
    with build_memory(settings(home, remote)) as memory, pytest.raises(BackupDiverged):
        backups(memory).run()


def test_a_copy_larger_than_there_is_room_for_is_refused(
    tmp_path: Path, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_at(tmp_path / "home", remote) as memory:
        fill(memory)
        backups(memory).run()
        monkeypatch.setattr("becausal.engine.upkeep.backups.LARGEST", 1000)
        with pytest.raises(BackupCorrupt, match="larger than the 1,000 bytes allowed"):
            backups(memory).verify()


def test_nothing_in_the_local_repository_is_run(tmp_path: Path, remote: Path) -> None:
    home = tmp_path / "home"
    with open_at(home, remote) as memory:
        memory.store("Something.")
        backups(memory).run()
        hooks = home / "alice" / HISTORY / "hooks"
        hooks.mkdir(exist_ok=True)
        for name in ("pre-push", "reference-transaction", "post-update", "pre-commit"):
            (hooks / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
            (hooks / name).chmod(0o755)
        memory.store("Something else.")
        assert backups(memory).run().changed
    assert not (tmp_path / "ran").exists()
    assert stat.S_IMODE((home / "alice" / HISTORY).stat().st_mode) == 0o700


def test_a_memory_that_is_open_elsewhere_is_not_replaced(tmp_path: Path, remote: Path) -> None:
    home = tmp_path / "home"
    with open_at(home, remote) as memory:
        fill(memory)
        backups(memory).run()
        before = exported(memory)
        with pytest.raises(StoreBusy, match="another program has the memory"):
            restore_backup(settings(home, remote))
        assert exported(memory) == before
        memory.store("And it can be written to.")
    assert restore_backup(settings(home, remote)).memories == 13


def test_a_purge_names_what_still_remembers(tmp_path: Path, remote: Path) -> None:
    home = tmp_path / "home"
    with open_at(home, remote) as memory:
        id = memory.store("The codeword is Xylophonist.").engram.id
        backups(memory).run()
    restore_backup(settings(home, remote))
    with build_memory(settings(home, remote)) as memory:
        stated = memory.graphs.add_fact("Nora", "lives in", "Turku", "2026-01-01").fact.id
        for purged in (stated, id):
            remains = memory.forget(purged, purge=True).remains
            assert any("the history of the git repository" in each for each in remains)
    assert any(".before-" in each for each in remains)


def test_a_repository_that_was_emptied_begins_a_new_history_and_the_old_one_is_on_no_disk(
    tmp_path: Path, remote: Path
) -> None:
    def holds(repository: Path, text: bytes) -> bool:
        return text in git("cat-file", "--batch", "--batch-all-objects", cwd=repository)

    with open_at(tmp_path / "home", remote) as memory:
        memory.store("The kettle is descaled in May.")
        id = memory.store("The codeword is Xylophonist.").engram.id
        backups(memory).run()
        memory.forget(id, purge=True)
        backups(memory).run()
        assert holds(remote, b"Xylophonist")
        assert str(tmp_path / "home" / "alice" / HISTORY) in backups(memory).status().remembers
        shutil.rmtree(remote)
        git("init", "--quiet", "--bare", "--initial-branch=main", remote.name, cwd=tmp_path)
        assert backups(memory).run().changed
        assert commits(remote) == 1
        for repository in (remote, tmp_path / "home" / "alice" / HISTORY):
            assert holds(repository, b"kettle")
            assert not holds(repository, b"Xylophonist")


# --- by itself, and after crashes ---------------------------------------------------------------


def test_two_processes_do_not_back_up_at_once(tmp_path: Path, remote: Path) -> None:
    with open_at(tmp_path / "home", remote) as one, open_at(tmp_path / "home", remote) as other:
        one.store("Something.")
        with backups(one)._alone() as mine:
            assert mine
            assert not backups(other).run().ran
        assert backups(other).run().ran


def test_a_memory_backs_itself_up_while_it_is_open(tmp_path: Path, remote: Path) -> None:
    clock = TurnableClock()
    with open_with(tmp_path / "home", place(remote, tmp_path / "home"), clock) as memory:
        memory.store("Something.")
        backups(memory)._due = 0.0
        backups(memory)._interval = 60.0
        assert backups(memory).look_after(lambda: False) > 59
        assert commits(remote) == 1


KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from backup_tools import die_in, open_with
import becausal.backup.git as git
import becausal.composition as composition
from becausal.ports.backup import HISTORY
from becausal.settings import Settings

home, base, what, fatal = Path(sys.argv[2]), sys.argv[3], sys.argv[4], sys.argv[5]
die_in(git.GitPlace, fatal)
real = git.Git.run

def run(self, *arguments, **options):
    if arguments[0] == fatal:
        if fatal == "update-ref":
            real(self, *arguments, **options)
        os.kill(os.getpid(), signal.SIGKILL)
    return real(self, *arguments, **options)

git.Git.run = run
if what != "restore":
    with open_with(home, git.GitPlace(folder=home / "alice", base=base, user="alice")) as memory:
        if what == "backup":
            memory.backups.run()
        else:
            memory.backups.fill_if_empty()
else:
    composition.restore_backup(
        Settings.load(storage_location=home, user="alice", embedder="hashing", backup_type="git", git_base_url=base)
    )
"""


def killed(home: Path, remote: Path, what: str, fatal: str) -> None:
    child = [sys.executable, "-c", KILLED, str(Path(__file__).parents[1]), str(home), str(remote.parent), what, fatal]
    died = subprocess.run(child, capture_output=True, text=True, timeout=60)
    assert died.returncode == -9, died.stderr


def left(home: Path) -> list[Path]:
    """Return what is there of copies that are not finished."""
    return list((home / "alice").glob(".backup-*"))


def test_what_a_killed_restore_has_left_goes_with_the_next_command_whatever_it_is(tmp_path: Path, remote: Path) -> None:
    home = tmp_path / "home"
    becausal = CommandLine(home)
    with build_memory(settings(home, remote)) as memory:
        fill(memory)
        backups(memory).run()
    for command in (["list"], ["doctor", "--fix"], ["erase", "--yes"]):
        killed(home, remote, "restore", "half")
        assert any(path.is_dir() for path in left(home))
        assert becausal(*command).code == 0
        assert left(home) == []


def test_a_purge_takes_away_what_a_killed_backup_has_left_and_names_a_copy_that_is_being_made(
    tmp_path: Path, remote: Path
) -> None:
    home = tmp_path / "home"
    with open_at(home, remote) as memory:
        first, second = (memory.store(f"The codeword is {word}.").engram.id for word in ("Xylophonist", "Quokka"))
        killed(home, remote, "backup", "fast-import")
        with scratch(home / "alice") as folder:
            (unfinished,) = [line for line in memory.forget(first, purge=True).remains if "another process" in line]
            assert unfinished.startswith(str(folder))
            assert [path for path in left(home) if path.is_dir()] == [folder]
        assert not any("another process" in line for line in memory.forget(second, purge=True).remains)
    assert left(home) == []


@pytest.mark.parametrize("command", ["forget", "erase"])
def test_the_history_of_backups_is_named_where_it_lies_though_no_setting_names_a_backup_now(
    tmp_path: Path, remote: Path, command: str
) -> None:
    home = tmp_path / "home"
    with build_memory(settings(home, remote)) as memory:
        id = memory.store("The codeword is Xylophonist.").engram.id
        backups(memory).run()
    asked = ["forget", "--purge", id] if command == "forget" else ["erase", "--yes"]
    remains = CommandLine(home)(*asked, "--json").json["remains"]
    assert [line for line in remains if str(home / "alice" / HISTORY) in line] != []


def test_a_backup_place_and_the_folder_of_the_memory_do_not_name_the_same_history_twice(
    tmp_path: Path, remote: Path
) -> None:
    home = tmp_path / "home"
    with open_at(home, remote) as memory:
        id = memory.store("The codeword is Xylophonist.").engram.id
        backups(memory).run()
        assert sum(str(home / "alice" / HISTORY) in line for line in memory.forget(id, purge=True).remains) == 1


@pytest.mark.parametrize("fatal", ["init", "ls-remote", "fast-import", "update-ref", "push", "gc"])
def test_after_a_kill_in_the_middle_of_a_backup_the_next_one_is_whole(tmp_path: Path, remote: Path, fatal: str) -> None:
    home = tmp_path / "home"
    with open_at(home, remote) as memory:
        fill(memory)
        before = exported(memory)
        if fatal != "init":
            backups(memory).run()
            memory.store("Something new.")
            before = exported(memory)
    killed(home, remote, "backup", fatal)
    assert left(home) or fatal == "gc"
    with open_at(home, remote) as memory:
        assert memory.upkeep.check() == ()
        assert exported(memory) == before
        memory.store("Told after the crash.")
        memory.settle()
        before = exported(memory)
        assert backups(memory).run().ran
        assert backups(memory).verify().memories == (14 if fatal == "init" else 15)
    assert left(home) == []
    with open_at(tmp_path / "other", remote) as other:
        assert backups(other).fill_if_empty()
        assert exported(other) == before


@pytest.mark.parametrize("fatal", ["fetch", "cat-file", "unpacked", "restore", "half", "linked", "replace"])
def test_after_a_kill_in_the_middle_of_a_restore_the_old_memory_is_whole(
    tmp_path: Path, remote: Path, fatal: str
) -> None:
    home = tmp_path / "home"
    with build_memory(settings(home, remote)) as memory:
        fill(memory)
        backups(memory).run()
        memory.store("Something new.")
        memory.settle()
        before = exported(memory)
    killed(home, remote, "restore", fatal)
    assert left(home)
    with Memory.open(home, user="alice", embedder="hashing") as memory:
        assert left(home) == []
        assert memory.upkeep.check() == ()
        assert exported(memory) == before
    assert restore_backup(settings(home, remote)).memories == 13
    with Memory.open(home, user="alice", embedder="hashing") as memory:
        assert memory.upkeep.check() == ()
        assert contents(memory.recall("Something new", mode="fts")) == []


@pytest.mark.parametrize("newest", [True, False])
def test_a_memory_that_was_restored_by_a_process_that_died_just_then_goes_on_from_the_copy(
    tmp_path: Path, remote: Path, newest: bool
) -> None:
    home = tmp_path / "home"
    if newest:
        with build_memory(settings(home, remote), start_worker=False) as memory:
            memory.store("Told on this machine.")
    with open_at(tmp_path / "other" if newest else home, remote) as memory:
        fill(memory)
        backups(memory).run()
        copied = exported(memory)
    killed(home, remote, "restore", "accept")
    with build_memory(settings(home, remote), start_worker=False) as memory:
        assert memory.upkeep.check() == ()
        assert {*stated(copied)} >= {line for line in stated(exported(memory)) if b'"engram"' in line}
        memory.store("Told after the crash.")
        assert backups(memory).run().changed
    assert commits(remote) == 2


@pytest.mark.parametrize("fatal", ["fetch", "cat-file", "restore", "half", "accept"])
def test_a_memory_that_was_being_filled_when_its_process_was_killed_is_filled_to_the_end(
    tmp_path: Path, remote: Path, fatal: str
) -> None:
    home = tmp_path / "home"
    with open_at(tmp_path / "other", remote) as other:
        fill(other, 70)
        backups(other).run()
        copied = exported(other)
    home.mkdir()
    killed(home, remote, "fill", fatal)
    with open_at(home, remote) as memory:
        assert memory.upkeep.check() == ()
        if fatal == "half":  # what it holds so far is never kept as if it were all
            assert 0 < len(exported(memory)) < len(copied)
            assert backups(memory).run().ran
        else:
            assert backups(memory).fill_if_empty()
        assert exported(memory) == copied
        assert not backups(memory).run().changed
    assert commits(remote) == 1
