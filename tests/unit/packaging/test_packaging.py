# SPDX-License-Identifier: Apache-2.0
"""What is released says the same everywhere, and the same sources make the same bundle."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from becausal import __version__
from becausal.cli.main import program as commands
from becausal.server.tools.engram import ENGRAM
from becausal.settings_table import to_markdown
from becausal.web.app import PATHS

ROOT = Path(__file__).parents[3]
SERVER: dict[str, Any] = json.loads((ROOT / "packaging/server.json").read_text(encoding="utf-8"))
MANIFEST: dict[str, Any] = json.loads((ROOT / "packaging/mcpb/manifest.json").read_text(encoding="utf-8"))
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
LABELS = dict(re.findall(r"(?:image|modelcontextprotocol)\.([\w.]+)=\"([^\"]+)\"", DOCKERFILE))
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))


def test_every_version_is_the_packages() -> None:
    (package,) = SERVER["packages"]
    assert {SERVER["version"], package["version"], MANIFEST["version"], LABELS["version"]} == {__version__}
    assert yaml.safe_load((ROOT / "docs/openapi.yaml").read_text(encoding="utf-8"))["info"]["version"] == __version__


def test_the_registrys_entry_is_as_the_registry_wants_it() -> None:
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", SERVER["name"])
    assert 1 <= len(SERVER["description"]) <= 100
    (package,) = SERVER["packages"]
    assert {"registryType", "identifier", "version", "transport"} <= set(package)
    assert package["transport"] == {"type": "stdio"}
    # How the registry makes sure that the package on PyPI, and the image, is of whoever names it.
    assert f"mcp-name: {SERVER['name']} " in (ROOT / "README.md").read_text(encoding="utf-8")
    assert LABELS["server.name"] == SERVER["name"]
    assert (
        package["identifier"] == tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["name"]
    )


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


def exec_form(instruction: str) -> list[str]:
    """Return the words of the last instruction of a kind, as Docker reads them."""
    found: list[str] = json.loads(re.findall(rf"^{instruction} (\[.*\])$", DOCKERFILE, re.MULTILINE)[-1])
    return found


def test_the_image_is_made_of_files_that_are_there_and_that_the_build_needs() -> None:
    copied = [name for names in re.findall(r"^COPY ([^-].*) \S+$", DOCKERFILE, re.MULTILINE) for name in names.split()]
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert all((ROOT / name).exists() and name not in ignored for name in copied)
    assert {"pyproject.toml", "src", project["readme"], *project["license-files"]} <= set(copied)
    (python,) = set(re.findall(r"^FROM python:([\d.]+)-slim", DOCKERFILE, re.MULTILINE))
    assert f"Programming Language :: Python :: {python}" in project["classifiers"]


def test_the_image_starts_a_command_that_exists_and_asks_at_the_port_it_serves() -> None:
    (exposed,) = re.findall(r"^EXPOSE (\d+)$", DOCKERFILE, re.MULTILINE)
    program, *rest = (*exec_form("ENTRYPOINT"), *exec_form("CMD"))
    assert program in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    context = commands.commands[rest[0]].make_context(rest[0], rest[1:])
    assert (context.params["host"], str(context.params["port"])) == ("0.0.0.0", exposed)
    python, option, asked = json.loads(re.findall(r"HEALTHCHECK.*\\\n\s+CMD (\[.*\])", DOCKERFILE)[0])
    assert (python, option) == ("python", "-c")
    compile(asked, "HEALTHCHECK", "exec")
    (port, path) = re.findall(r"http://127\.0\.0\.1:(\d+)(/\w+)", asked)[0]
    assert (port, path in PATHS) == (exposed, True)


def test_the_compose_file_keeps_the_memory_where_the_image_has_it_and_opens_its_port_to_this_machine_alone() -> None:
    service = COMPOSE["services"]["becausal"]
    assert (ROOT / service["build"] / "Dockerfile").exists()
    (exposed,) = re.findall(r"^EXPOSE (\d+)$", DOCKERFILE, re.MULTILINE)
    assert service["ports"] == [f"127.0.0.1:{exposed}:{exposed}"]
    (mount,) = service["volumes"]
    volume, folder = mount.split(":")
    assert volume in COMPOSE["volumes"]
    assert f"STORAGE_LOCATION={folder} " in DOCKERFILE
    assert f"VOLUME {folder}\n" in DOCKERFILE
    assert all(f"| `{name}` |" in to_markdown() for name in service["environment"])


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
