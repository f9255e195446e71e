# SPDX-License-Identifier: Apache-2.0
"""Build the ``.mcpb`` bundle: ``python tools/build_mcpb.py FOLDER`` writes ``becausal-VERSION.mcpb`` there.

A bundle of the type ``uv`` holds the sources; whoever opens it has uv install what they need. The same
sources make the same bundle, byte for byte: entries are sorted and dated by SOURCE_DATE_EPOCH.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
ALONE = ("pyproject.toml", "README.md", "LICENSE", "NOTICE")
FIRST_DAY = 315532800  # 1980-01-01: a zip file knows no earlier one


def version() -> str:
    told = re.search(r'__version__ = "([^"]+)"', (ROOT / "src/becausal/_version.py").read_text(encoding="utf-8"))
    if told is None:
        raise SystemExit("src/becausal/_version.py has no version")
    return told[1]


def contents() -> Iterator[tuple[str, Path]]:
    """Yield name and file of everything in the bundle."""
    yield "manifest.json", ROOT / "packaging" / "mcpb" / "manifest.json"
    for name in ALONE:
        yield name, ROOT / name
    for path in sorted((ROOT / "src" / "becausal").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(ROOT).as_posix(), path


def build(folder: Path) -> Path:
    """Write the bundle; return where it is."""
    manifest = json.loads((ROOT / "packaging" / "mcpb" / "manifest.json").read_text(encoding="utf-8"))
    if manifest["version"] != version():
        raise SystemExit(f"the manifest says {manifest['version']}, the package {version()}")
    day = time.gmtime(max(FIRST_DAY, int(os.environ.get("SOURCE_DATE_EPOCH", FIRST_DAY))))[:6]
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"becausal-{version()}.mcpb"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as bundle:
        for name, path in sorted(contents()):
            entry = zipfile.ZipInfo(name, day)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = 0o644 << 16
            bundle.writestr(entry, path.read_bytes())
    return target


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python tools/build_mcpb.py FOLDER")
    sys.stdout.write(f"{build(Path(sys.argv[1]))}\n")
