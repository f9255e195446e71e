# SPDX-License-Identifier: Apache-2.0
"""Folders for unfinished copies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from becausal.errors import StoreUnavailable
from becausal.stores.scratch import ABANDONED, scratch, sweep


def test_a_folder_that_is_in_use_stays_and_goes_with_its_lock_when_its_owner_is_done(tmp_path: Path) -> None:
    with scratch(tmp_path) as one, scratch(tmp_path) as other:
        (one / "memory.jsonl").write_text("kept")
        assert sweep(tmp_path) == tuple(sorted((one, other)))
        assert (one / "memory.jsonl").read_text() == "kept"
        assert one.stat().st_mode & 0o077 == 0
    assert list(tmp_path.iterdir()) == []


def test_a_folder_whose_lock_nobody_holds_is_taken_away(tmp_path: Path) -> None:
    (tmp_path / ".backup-dead").mkdir()
    (tmp_path / ".backup-dead" / "memory.jsonl").write_text("old")
    (tmp_path / ".backup-dead.lock").touch()
    (tmp_path / ".backup-alone.lock").touch()
    with scratch(tmp_path) as folder:
        assert {path.stem for path in tmp_path.iterdir()} == {folder.name}
    assert list(tmp_path.iterdir()) == []


def test_a_folder_without_a_lock_is_named_for_a_day_and_then_taken_away(tmp_path: Path) -> None:
    folder = tmp_path / ".backup-earlier"
    folder.mkdir()
    assert sweep(tmp_path) == (folder,)
    long_ago = folder.stat().st_mtime - ABANDONED - 1
    os.utime(folder, (long_ago, long_ago))
    assert sweep(tmp_path) == ()
    assert not folder.exists()


def test_without_a_parent_there_is_nothing_to_sweep_and_no_room(tmp_path: Path) -> None:
    assert sweep(tmp_path / "absent") == ()
    with pytest.raises(StoreUnavailable, match="no room for a copy"), scratch(tmp_path / "absent"):
        pass
