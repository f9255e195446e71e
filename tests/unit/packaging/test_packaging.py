# SPDX-License-Identifier: Apache-2.0
"""What is released says the same everywhere, and the same sources make the same bundle."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from becausal import __version__
from becausal.server.tools.engram import ENGRAM
from becausal.settings_table import to_markdown

ROOT = Path(__file__).parents[3]
SERVER: dict[str, Any] = json.loads((ROOT / "packaging/server.json").read_text(encoding="utf-8"))
MANIFEST: dict[str, Any] = json.loads((ROOT / "packaging/mcpb/manifest.json").read_text(encoding="utf-8"))
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_every_version_is_the_packages() -> None:
    (package,) = SERVER["packages"]
    assert {SERVER["version"], package["version"], MANIFEST["version"]} == {__version__}


def test_the_registrys_entry_is_as_the_registry_wants_it() -> None:
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", SERVER["name"])
    assert 1 <= len(SERVER["description"]) <= 100
    (package,) = SERVER["packages"]
    assert {"registryType", "identifier", "version", "transport"} <= set(package)
    assert package["transport"] == {"type": "stdio"}
    # How the registry makes sure that the package on PyPI is of whoever names it.
    assert f"mcp-name: {SERVER['name']} " in (ROOT / "README.md").read_text(encoding="utf-8")


def test_settings_that_are_named_exist() -> None:
    names = {each["name"] for package in SERVER["packages"] for each in package["environmentVariables"]}
    names |= set(MANIFEST["server"]["mcp_config"]["env"])
    names |= {name for name in re.findall(r"(\w+)=", DOCKERFILE) if name in ("STORAGE_LOCATION", "ACCESSING_USER")}
    assert len(names) == 3
    assert all(f"| `{name}` |" in to_markdown() for name in names)


def test_the_bundle_names_the_tools_it_starts_with_and_asks_for_nothing_without_a_default() -> None:
    assert [tool["name"] for tool in MANIFEST["tools"]] == [tool.name for tool in ENGRAM]
    assert all("default" in asked for asked in MANIFEST["user_config"].values())


def test_the_same_sources_make_the_same_bundle_with_all_that_it_starts(tmp_path: Path) -> None:
    bundles = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        subprocess.run(
            [sys.executable, str(ROOT / "tools/build_mcpb.py"), str(folder)],
            env={**os.environ, "SOURCE_DATE_EPOCH": "1770000000"},
            check=True,
            capture_output=True,
            timeout=60,
        )
        bundles.append(folder / f"becausal-{__version__}.mcpb")
    assert bundles[0].read_bytes() == bundles[1].read_bytes()
    with zipfile.ZipFile(bundles[0]) as bundle:
        names = bundle.namelist()
        assert json.loads(bundle.read("manifest.json")) == MANIFEST
    assert {"pyproject.toml", "README.md", "LICENSE", "NOTICE", MANIFEST["server"]["entry_point"]} <= set(names)
    assert not [name for name in names if "__pycache__" in name]


def test_the_image_runs_as_nobody_in_particular_and_is_asked_how_it_is() -> None:
    final = DOCKERFILE.rpartition("FROM ")[2]
    assert "USER becausal" in final
    assert "--uid 10001" in final
    assert "/health" in final.partition("HEALTHCHECK")[2]
    for source in re.findall(r"^COPY ([^-].*) \S+$", DOCKERFILE, re.MULTILINE):
        assert all((ROOT / name).exists() for name in source.split())


@pytest.mark.skipif(os.name == "nt", reason="the scripts are for a POSIX shell")
@pytest.mark.parametrize("script", ["release.sh", "check_wheel.sh"])
def test_the_scripts_can_be_run(script: str) -> None:
    path = ROOT / "tools" / script
    assert path.stat().st_mode & stat.S_IXUSR
    assert subprocess.run(["bash", "-n", str(path)], check=False, timeout=60).returncode == 0


def test_the_workflow_calls_the_scripts_with_actions_of_one_version() -> None:
    workflow = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    assert "tools/release.sh dist" in workflow
    assert "tools/check_wheel.sh dist/*.whl python3.11 python3.12 python3.13" in workflow
    uses = re.findall(r"uses: (\S+)", workflow)
    assert uses
    assert all(re.fullmatch(r"[\w/-]+@v\d+\.\d+\.\d+", each) for each in uses)
