# SPDX-License-Identifier: Apache-2.0
"""The Neo4j server that tests may use: one that is running already, told of by the environment."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from databases import not_there

URI, PASSWORD, JARS = (f"TEST_NEO4J_{name}" for name in ("URI", "PASSWORD", "JARS"))
USER = "neo4j"


def options() -> dict[str, Any]:
    """Return how ``open_store`` reaches the server; the test is skipped where there is none."""
    if not os.environ.get(URI):
        not_there("Neo4j")
    return {"uri": os.environ[URI], "username": USER, "password": os.environ.get(PASSWORD, "")}


@contextmanager
def apart(monkeypatch: pytest.MonkeyPatch, realm: str) -> Iterator[None]:
    """Let the users of a test have memories of their own on the server all tests share, and delete them at its end."""
    from neo4j import GraphDatabase

    from becausal.stores.neo4j import names

    marks: set[str] = set()
    mark_of: Callable[[str], str] = names.owner

    def owner(user: str) -> str:
        mark = f"{realm[-40:]}-{mark_of(user)}"
        marks.add(mark)
        return mark

    given = options()
    monkeypatch.setattr(names, "owner", owner)
    try:
        yield
    finally:
        with GraphDatabase.driver(given["uri"], auth=(USER, given["password"])) as driver:
            for label in (names.RECORD, names.ROOT, *names.OTHER_LABELS):
                query = f"MATCH (n:{label}) WHERE n.mark IN $marks DETACH DELETE n"
                driver.execute_query(query, marks=sorted(marks), database_="neo4j")
