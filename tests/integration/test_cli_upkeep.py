# SPDX-License-Identifier: Apache-2.0
"""What a memory does for itself, on the command line."""

from __future__ import annotations

import re
import shlex
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from becausal.domain.records import Kind
from becausal.ports.batch import Batch, Patch
from commandline import CommandLine

HARBOUR = "harbour crane container ship tide pilot quay anchor"


@pytest.fixture
def run(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path)


def test_consolidate_says_what_each_step_did_and_what_it_would_do(run: CommandLine) -> None:
    for number in range(4):
        run.store(f"{HARBOUR} number{number}")
    preview = run("consolidate", "--dry-run", "--json").json
    assert preview["dry_run"]
    assert preview["steps"]["cluster"]["clusters"] == 1
    assert run("clusters").out.startswith("No clusters yet")
    done = run("consolidate", "--json").json
    assert set(done["steps"]) == {"decay", "prune", "strengthen", "orphans", "cluster", "indexes"}
    assert done["steps"]["decay"] == {"memories": 4, "faded": 0}
    assert "Consolidated in" in run("consolidate").out
    assert run("status", "--json").json["consolidated_at"] is not None


def test_clusters_are_listed_by_name_and_shown_with_their_memories(run: CommandLine) -> None:
    ids = [run.store(f"{HARBOUR} number{number}") for number in range(4)]
    run("consolidate")
    (cluster,) = run("clusters", "--json").json["clusters"]
    assert cluster["size"] == 4
    assert any(word in cluster["name"] for word in HARBOUR.split())
    assert cluster["name"] in run("clusters").out
    topic = run("clusters", str(cluster["id"]), "--json").json
    assert {memory["id"] for memory in topic["memories"]} == set(ids)
    assert "number3" in run("clusters", str(cluster["id"])).out
    missing = run("clusters", "99")
    assert (missing.code, missing.err) == (3, "Error: cluster '99' not found\n")


def test_memories_are_archived_listed_and_brought_back(run: CommandLine) -> None:
    one, two = run.store("The kettle is descaled in May."), run.store("Umbrellas dry in the hall.")
    assert run("archive").out == "The archive is empty.\n"
    undo = run("archive", one, two, "--json").json["undo"]
    assert run.ids("list") == []
    assert {memory["id"] for memory in run("archive", "--json").json["memories"]} == {one, two}
    page = run("archive", "--limit", "1")
    assert "Umbrellas" in page.out or "kettle" in page.out
    rest = run("archive", "--limit", "1", "--cursor", page.out.split()[-1], "--json").json
    assert len(rest["memories"]) == 1
    assert run("unarchive", one).out == "1 memory brought back\n"
    assert run.ids("list") == [one]
    assert run("undo", undo, "--json").json["ids"] == [two]
    assert run("unarchive", "nope").code == 3


def test_the_way_into_the_archive_and_out_of_it_is_history_and_each_step_can_be_undone(run: CommandLine) -> None:
    id = run.store("The kettle is descaled in May.")
    run("archive", id)
    since = run("archive", "--json").json["memories"][0]["archived_at"]
    run("unarchive", id)
    archived, back = [each for each in run("history", id, "--json").json["history"] if "archive" in each["action"]]
    assert (archived["action"], archived["change"]) == ("archive", None)  # it is out: there is nothing to take back
    assert back["note"] == "brought back from the archive: The kettle is descaled in May."
    assert run("unarchive", id).out == "Not in the archive.\n"
    assert run("undo", "--json").json["ids"] == [id]
    assert run("archive", "--json").json["memories"][0]["archived_at"] == since
    assert run("undo", "--json").json["ids"] == [id]
    assert run("archive", "--json").json["memories"] == []


def test_the_archive_is_emptied_only_when_told_so_twice(run: CommandLine) -> None:
    id = run.store("The kettle is descaled in May.")
    run("archive", id)
    would = run("archive", "--empty")
    assert "would be forgotten" in would.out
    assert "Add --yes" in would.err
    assert run("archive", "--json").json["memories"]
    assert "forgotten" in run("archive", "--empty", "--yes").out
    assert run("archive", "--json").json["memories"] == []
    assert run("archive", id, "--empty").code == 2


def test_the_history_of_a_memory_names_what_can_be_undone(run: CommandLine) -> None:
    id = run.store("The kettle is descaled in May.")
    run("edit", id, "--content", "The kettle is descaled in June.")
    told = run("history", id, "--json").json
    assert [each["action"] for each in told["history"]] == ["store", "update"]
    change = told["history"][1]
    assert change["before"] == "The kettle is descaled in May."
    shown = run("history", id).out
    assert f"becausal undo {change['change']}" in shown
    assert "before: The kettle is descaled in May." in shown
    run("forget", id)
    assert run("history", id).out.startswith("forgotten")
    assert run("history", "nope").code == 3


@pytest.mark.parametrize("command", ["consolidate", "backup"])
def test_what_another_process_is_at_is_not_reported_as_done(run: CommandLine, command: str) -> None:
    place = {"BACKUP_TYPE": "git", "GIT_BASE_URL": str(run.folder), "BACKUP_SYNC_INTERVAL": "0"}
    run.store("The kettle is descaled in May.")
    with run.memory() as memory:
        memory._store.claim(command, ["memory"], "a process of another machine", 25)
    ran, told = run(command, env=place), run(command, "--json", env=place)
    assert (ran.code, told.code) == (4, 4)
    assert "Nothing done: another process is" in ran.out
    assert re.search("try again in 2[0-5] s", ran.out)
    assert not told.json["ran"]


def test_an_archived_memory_says_so_wherever_it_is_shown_or_changed(run: CommandLine) -> None:
    id = run.store("The kettle is descaled in May.")
    assert run("show", id, "--json").json["memory"]["archived_at"] is None
    assert "archived" not in run("show", id).out
    run("archive", id)
    assert re.search(r"archived +\d{4}-", run("show", id).out)
    assert run("show", id, "--json").json["memory"]["archived_at"] is not None
    edited = run("edit", id, "--importance", "0.9")
    assert "in the archive" in edited.out
    assert run("edit", id, "--pin", "--json").json["memory"]["archived_at"] is not None
    run("unarchive", id)
    assert "in the archive" not in run("edit", id, "--importance", "0.8").out


def test_a_command_that_is_named_to_be_pasted_works_on_the_same_memory(tmp_path: Path) -> None:
    run = CommandLine(tmp_path / "default")
    where = ("--path", str(tmp_path / "my memories"), "--user", "bob")
    ids = [run.store(f"The kettle is descaled in month {number}.", *where) for number in range(3)]

    def pasted(out: str, word: str) -> list[str]:
        return shlex.split(next(line for line in out.splitlines() if word in line).partition("becausal ")[2])

    assert run(*pasted(run("archive", *ids, *where).out, "undo")).out.startswith("Undone")
    run("archive", *ids, *where)
    page = run("archive", "--limit", "1", *where)
    assert "descaled" in run(*(again := pasted(page.out, "More:"))).out
    assert ids[2] not in run(*again).out
    assert "--limit 1" in shlex.join(again)
    run("unarchive", *ids, *where)
    listed = run("list", "--limit", "1", *where)
    assert "descaled" in run(*pasted(listed.out, "More:")).out
    assert run(*pasted(run("forget", ids[0], *where).out, "undo")).out.startswith("Undone")
    assert run(*pasted(run("archive", ids[0], *where).out, "undo"), "--json").code == 0
    made = run("token", "create", *where)
    assert run(*pasted(made.out, "revoke")).code == 0


def test_a_preview_of_a_consolidation_says_what_would_be_archived(run: CommandLine) -> None:
    id = run.store("A trifle of no weight.", "--importance", "0.1")
    with run.memory() as memory:
        long_ago = datetime.now(UTC) - timedelta(days=400)
        memory._store.write(
            Batch(patches=(Patch(Kind.ENGRAM, id, set={"last_accessed_at": long_ago, "created_at": long_ago}),))
        )
    preview = run("consolidate", "--dry-run").out
    assert "would be archived: A trifle of no weight." in preview
    assert id in preview
