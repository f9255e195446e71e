# SPDX-License-Identifier: Apache-2.0
"""Choosing a backend by name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from becausal.errors import SettingsError, StoreError
from becausal.stores.registry import open_store, swap_store


def test_a_store_is_opened_by_the_name_of_its_backend(tmp_path: Path) -> None:
    store = open_store("sqlite", location=tmp_path, user="alice", busy_timeout=1.0)
    try:
        assert store.user == "alice"
        assert Path(store.location).is_relative_to(tmp_path)
    finally:
        store.close()


def test_an_unknown_backend_is_a_wrong_setting_and_the_known_ones_are_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"DB_TYPE.*'mongodb'.*sqlite"):
        open_store("mongodb", location=tmp_path, user="alice")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("backend", ["falkordb", "neo4j"])
def test_what_a_server_keeps_cannot_be_exchanged_like_a_file(tmp_path: Path, backend: str) -> None:
    with pytest.raises(StoreError, match=f"DB_TYPE={backend} a server keeps the memory"):
        swap_store(backend, location=tmp_path, user="alice", side=tmp_path / "side")
    with pytest.raises(SettingsError, match="'mongodb' is not a known store"):
        swap_store("mongodb", location=tmp_path, user="alice", side=tmp_path / "side")
    assert list(tmp_path.iterdir()) == []


def test_no_backend_and_no_numpy_is_loaded_before_it_is_needed(tmp_path: Path) -> None:
    script = """
import sys, pathlib
from becausal.stores.registry import open_store
assert "sqlite3" not in sys.modules, "registry loads a backend"
store = open_store("sqlite", location=pathlib.Path(sys.argv[1]), user="alice")
store.count()
store.close()
assert "numpy" not in sys.modules, "opening loads numpy"
"""
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True)
