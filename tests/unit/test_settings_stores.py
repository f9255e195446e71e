# SPDX-License-Identifier: Apache-2.0
"""Where a database server is, how it is reached, and what is said of settings that change nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from becausal.errors import SettingsError
from becausal.settings import Settings


@pytest.fixture(autouse=True)
def _own_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def options(backend: str, **given: object) -> dict[str, object]:
    return dict(Settings.load(db_type=backend, **given).store_options(backend))


@pytest.mark.parametrize("backend", ["sqlite", "ladybug"])
def test_a_file_needs_no_options(backend: str) -> None:
    assert options(backend) == {}


def test_neo4j_is_reached_at_its_address_in_the_database_neo4j() -> None:
    assert options("neo4j", neo4j_uri="bolt://db:7687") == {
        "uri": "bolt://db:7687",
        "username": None,
        "password": None,
        "database": "neo4j",
        "isolation": "tenant",
        "query_timeout": 30.0,
    }


def test_a_password_alone_belongs_to_the_user_that_neo4j_begins_with() -> None:
    found = options("neo4j", neo4j_uri="neo4j+s://db", neo4j_password="hunter2", NEO4J_ISOLATION="Database")

    assert (found["username"], found["password"], found["isolation"]) == ("neo4j", "hunter2", "database")


def test_neo4j_needs_an_address() -> None:
    with pytest.raises(SettingsError, match=r"NEO4J_URI: is needed with DB_TYPE=neo4j"):
        Settings.load(db_type="neo4j")


def test_a_user_name_needs_a_password() -> None:
    with pytest.raises(SettingsError, match=r"NEO4J_PASSWORD: is needed with NEO4J_USERNAME"):
        Settings.load(db_type="neo4j", neo4j_uri="bolt://db", neo4j_username="writer")


@pytest.mark.parametrize(
    "uri",
    ["http://db:7687", "db:7687", "bolt://", "bolt://writer:hunter2@db", "bolt://db:0", "bolt://db/x", "bolt://d\nb"],
)
def test_an_address_that_is_none_or_holds_a_secret_is_refused_without_being_shown(uri: str) -> None:
    with pytest.raises(
        SettingsError, match=r"NEO4J_URI: it must be an address such as bolt://localhost:7687"
    ) as caught:
        Settings.load(db_type="neo4j", NEO4J_URI=uri)

    assert "hunter2" not in str(caught.value)


def test_falkordb_is_looked_for_on_this_machine() -> None:
    assert options("falkordb") == {
        "host": "localhost",
        "port": 6379,
        "password": None,
        "graph": "becausal",
        "isolation": "tenant",
        "query_timeout": 30.0,
    }


def test_falkordb_is_reached_by_the_variables_of_polyg() -> None:
    given = {"FALKORDB_HOST": "db", "FALKORDB_PORT": "7000", "FALKORDB_PASSWORD": "p", "FALKORDB_GRAPH": "polyg"}

    found = options("falkordb", **given, FALKORDB_QUERY_TIMEOUT="1500")

    assert (found["host"], found["port"], found["password"], found["graph"]) == ("db", 7000, "p", "polyg")
    assert found["query_timeout"] == 1.5


def test_the_variables_of_smriti_go_before_those_of_polyg_and_it_is_said() -> None:
    settings = Settings.load(
        db_type="falkordb",
        falkor_addr="[::1]:7001",
        falkor_password="mine",
        falkor_graph="one",
        falkordb_host="db",
        falkordb_password="other",
        falkordb_graph="two",
    )

    found = settings.store_options("falkordb")
    assert (found["host"], found["port"], found["password"], found["graph"]) == ("::1", 7001, "mine", "one")
    assert settings.notes == (
        "FALKORDB_HOST is set and not used: FALKOR_ADDR goes before it.",
        "FALKORDB_PASSWORD is set and not used: FALKOR_PASSWORD goes before it.",
        "FALKORDB_GRAPH is set and not used: FALKOR_GRAPH goes before it.",
    )


def test_settings_of_another_database_are_named_as_unused() -> None:
    assert Settings.load(neo4j_uri="bolt://db", falkor_graph="g").notes == (
        "NEO4J_URI is set and not used: DB_TYPE is sqlite.",
        "FALKOR_GRAPH is set and not used: DB_TYPE is sqlite.",
    )
    assert Settings.load(db_type="neo4j", neo4j_uri="bolt://db", falkor_graph="g").notes == (
        "FALKOR_GRAPH is set and not used: DB_TYPE is neo4j.",
    )


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("NEO4J_ISOLATION", "graph"),
        ("NEO4J_DATABASE", "a b"),
        ("NEO4J_QUERY_TIMEOUT", "0"),
        ("FALKOR_ADDR", "localhost"),
        ("FALKOR_ADDR", "localhost:70000"),
        ("FALKOR_ISOLATION", "database"),
        ("FALKOR_GRAPH", "x" * 201),
        ("FALKORDB_HOST", "a b"),
        ("FALKORDB_PORT", "0"),
        ("FALKORDB_QUERY_TIMEOUT", "soon"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_by_name(variable: str, value: str) -> None:
    with pytest.raises(SettingsError, match=rf"^{variable}: ") as caught:
        Settings.load(**{variable: value})

    assert "must be" in str(caught.value) or "; use " in str(caught.value)


def test_a_password_is_in_no_text_of_the_settings() -> None:
    settings = Settings.load(neo4j_password="hunter2", falkor_password="hunter2", falkordb_password="hunter2")

    assert "hunter2" not in f"{settings!r} {settings} {settings.notes}"
