# SPDX-License-Identifier: Apache-2.0
"""What the files of the page may hold: nothing that parses stored text, nothing from elsewhere."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "src" / "becausal" / "web" / "page"
OWN = sorted(file for file in PAGE.iterdir() if file.suffix in (".js", ".css", ".html", ".svg"))
PARSING = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|\beval\("
)


@pytest.mark.parametrize("file", OWN, ids=lambda file: file.name)
def test_nothing_parses_text_as_markup_or_code(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert PARSING.findall(text) == []
    assert re.findall(r"new Function|setTimeout\(['\"`]|srcdoc|javascript:", text) == []


@pytest.mark.parametrize("file", OWN, ids=lambda file: file.name)
def test_nothing_comes_from_elsewhere(file: Path) -> None:
    addresses = re.findall(r"(?:https?:)?//[\w.-]+\.\w+[^\s\"')]*", file.read_text(encoding="utf-8"))
    assert [each for each in addresses if "www.w3.org/2000/svg" not in each] == []
    assert "@import" not in file.read_text(encoding="utf-8")


@pytest.mark.parametrize("file", [file for file in OWN if file.suffix == ".js"], ids=lambda file: file.name)
def test_a_module_imports_only_what_is_there(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.startswith("// SPDX-License-Identifier: Apache-2.0\n")
    named = re.findall(r"(?:from|import\()\s*\"(\./[^\"]+)\"", text)
    assert [name for name in named if not (PAGE / name).is_file()] == []


def test_the_graph_library_is_the_one_that_the_notice_names() -> None:
    file = PAGE / "vendor" / "cytoscape.esm.min.js"
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    assert f"SHA-256 {hashlib.sha256(file.read_bytes()).hexdigest()}" in notice
    assert f'version="{re.findall(r"Cytoscape.js ([0-9.]+),", notice)[0]}"' in file.read_text(encoding="utf-8")
    assert "Permission is hereby granted" in (PAGE / "vendor" / "cytoscape.LICENSE.txt").read_text(encoding="utf-8")
