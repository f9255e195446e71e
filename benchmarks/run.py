# SPDX-License-Identifier: Apache-2.0
"""All benchmarks, one after the other, into one file of results and one page made from it.

    python benchmarks/run.py --data DIR [--only locomo,scale …] [--sizes 1000,10000]
    python benchmarks/run.py --page

Results are added to ``docs/benchmarks.json`` as each benchmark ends, those of the others stay, and
``docs/benchmarks.md`` is written anew. ``--page`` does the last alone. What finds no data is skipped, and so is a
database server that no setting names.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from page import page

ROOT = Path(__file__).parents[1]
RESULTS, PAGE = ROOT / "docs" / "benchmarks.json", ROOT / "docs" / "benchmarks.md"
ON_DATA = {
    "locomo": ("locomo.py", "--ablate"),
    "clusters": ("locomo.py", "--try", "graph,clusters"),
    "multihop": ("multihop.py",),
    "messages": ("messages.py",),
    "postmortems": ("postmortems.py",),
    "causal": ("causal.py",),
    "reports": ("reports.py",),
    "declining": ("declining.py",),
}


def commands(data: Path, sizes: list[int]) -> dict[str, list[str]]:
    """Return the command of every benchmark, without the file for its results."""
    found = {name: [script, "--data", str(data), *rest] for name, (script, *rest) in ON_DATA.items()}
    found |= {f"scale {size}": ["scale.py", "--size", str(size)] for size in sizes}
    found[f"bulk {max(sizes)}"] = ["scale.py", "--size", str(max(sizes)), "--bulk"]
    servers = {"falkordb": ("FALKOR_ADDR", "FALKORDB_HOST"), "neo4j": ("NEO4J_URI",)}
    there = [name for name, settings in servers.items() if any(map(os.environ.get, settings))]
    found["databases"] = ["scale.py", "--backend", ",".join(("ladybug", *there))]
    found["lifetime"] = ["lifetime.py"]
    found["beside"] = ["beside.py"]
    found["session"] = ["session.py"]
    found["startup"] = ["startup.py"]
    found["views"] = ["views.py"]
    found["service"] = ["service.py"]
    return found


def measured(command: list[str], file: Path) -> dict[str, Any] | None:
    """Run one benchmark; return its results, ``None`` if it found no data."""
    script, *rest = command
    json_to = ["--json"] if script == "startup.py" else ["--json", str(file)]
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / script), *rest, *json_to],
        check=True,
        stdout=subprocess.PIPE if script == "startup.py" else None,
    )
    text = done.stdout.decode() if script == "startup.py" else file.read_text("utf-8") if file.exists() else ""
    return only_figures(json.loads(text)) if text else None


def only_figures(result: dict[str, Any]) -> dict[str, Any]:
    """Leave out what was asked and answered: it is the data's, and no part of this project."""
    found: dict[str, Any] = result.get("figures", result)
    return {
        name: value for name, value in found.items() if not (value and isinstance(value, list) and is_row(value[0]))
    }


def is_row(value: object) -> bool:
    return isinstance(value, dict | list)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--only", default="", help="benchmarks to run, comma-separated")
    parser.add_argument("--sizes", default="1000,10000", help="numbers of memories for scale.py")
    parser.add_argument("--page", action="store_true", help="only write the page from the results there are")
    options = parser.parse_args()
    wanted = set(filter(None, options.only.split(",")))
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    if not options.page:
        for name, command in commands(options.data, [int(size) for size in options.sizes.split(",")]).items():
            if wanted and name.split()[0] not in wanted:
                continue
            print(f"== {name}", file=sys.stderr)
            with tempfile.TemporaryDirectory() as folder:
                if (figures := measured(command, Path(folder, "results.json"))) is None:
                    continue
            results[name] = {"python": platform.python_version(), "processors": os.cpu_count(), "figures": figures}
            RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(results), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
