# SPDX-License-Identifier: Apache-2.0
"""No test depends on the machine it runs on, and none touches the memories of the person who runs it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import databases
from becausal.settings_table import BY_VARIABLE

# A busy machine is no failure. What decides about a change tries the same examples each time; the machines of
# developers try others.
settings.register_profile("becausal", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("becausal")


@pytest.fixture(scope="session")
def empty_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(autouse=True)
def _nothing_configured(empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Start in an empty home folder, with none of the settings in the environment and no ``.env``."""
    monkeypatch.chdir(empty_home)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(empty_home))
    for name in list(os.environ):
        if name in BY_VARIABLE or name.upper().startswith(("BECAUSAL_", "XDG_")):
            monkeypatch.delenv(name)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say which databases were not tested, and how they would be."""
    databases.tell(terminalreporter)
