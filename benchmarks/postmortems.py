# SPDX-License-Identifier: Apache-2.0
"""Ten questions, in other words, about 75 real incident reports told to one memory.

    python benchmarks/postmortems.py --data DIR [--json FILE]

``DIR`` holds ``postmortems``. Each report is one memory. The questions were written after reading the
reports' titles and openings, and were not changed to suit the ranking.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from becausal import Memory

QUESTIONS = (
    ("Which update of a game removed a file that Windows needs to start up?", "Trinity installer deletes boot.ini"),
    ("a ship that capsized the first time it ever left the harbour", "Swedish warship Vasa"),
    ("What raised the alarms in the guidance computer while the astronauts were going down?", "Apollo 11"),
    ("two different files with one fingerprint broke a source code repository", "Subversion SHA1 Collision"),
    ("When did our cluster run out of network addresses for workloads?", "IP starvation"),
    ("a node could not send its logs since too many files were being observed", "Inotify file watches exhaustion"),
    ("the flaw that made expensive Unix machines crash because bits flipped in their processors", "Sun Microsystems"),
    ("how damaged status messages paralysed an early computer network", "ARPANET"),
    ("customers who did not pay could see databases of others, and lost some of their own", "Turso free tier"),
    ("a package manager's credentials could be read from its build server", "Homebrew GitHub token leak"),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    files = sorted((options.data / "postmortems").glob("*/*.md"))
    if not files:
        print(f"skipped: no reports under {options.data / 'postmortems'}", file=sys.stderr)
        return 0
    right = 0
    rows = []
    with tempfile.TemporaryDirectory() as folder, Memory.open(folder, user="bench") as memory:
        for file in files:
            memory.store(file.read_text(encoding="utf-8"), source=file.parent.name, metadata={"file": file.name})
        memory.settle()
        for question, expected in QUESTIONS:
            found = memory.recall(question, limit=10, strengthen=False).results
            heads = [result.engram.content[:600].replace("\\", "") + str(result.engram.metadata) for result in found]
            place = next((at for at, head in enumerate(heads, 1) if _same(expected, head)), None)
            right += place is not None and place <= 3
            rows.append({"question": question, "expected": expected, "place": place})
            print(f"{place or '–':>3}  {question}")
    print(f"\n{right} of {len(QUESTIONS)} have the right report in the first three")
    if options.json:
        options.json.write_text(json.dumps({"right": right, "questions": rows}, indent=2))
    return 0


def _same(expected: str, head: str) -> bool:
    return expected.lower() in head.lower().replace("_", " ")


if __name__ == "__main__":
    sys.exit(main())
