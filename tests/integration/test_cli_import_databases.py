# SPDX-License-Identifier: Apache-2.0
"""Graphs of polyg-mcp and smriti-mcp, as those keep them in their databases, brought in on the command line."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

import neo4j_server
from commandline import CommandLine
from falkor_server import FalkorServer


@pytest.fixture(scope="module")
def falkor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FalkorServer]:
    with FalkorServer(tmp_path_factory.mktemp("falkordb")) as server:
        yield server


@pytest.fixture
def becausal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "storage"
    folder.mkdir()
    return CommandLine(folder)


def imported(becausal: CommandLine, *args: str, refused: int = 0) -> Any:
    ran = becausal("import", *args, "--json")
    assert ran.code == (1 if refused else 0), ran.err + ran.out
    assert ran.json["refused"] == refused, ran.out
    return ran.json


def exported(becausal: CommandLine) -> dict[str, list[Any]]:
    """Return the records and links of the memory, by kind."""
    held: dict[str, list[Any]] = {}
    for line in becausal("export").out.splitlines()[1:-1]:
        (data,) = json.loads(line).values()
        held.setdefault(data["kind"], []).append(data)
    return held


def joined(held: Mapping[str, list[Any]], kind: str) -> set[tuple[str, str]]:
    """Return the texts or names at both ends of the links of a kind."""
    names = {
        each["id"]: each.get("content") or each.get("description") or each.get("subject") or each.get("name")
        for records in held.values()
        for each in records
        if "src" not in each
    }
    return {(names[each["src"]], names[each["dst"]]) for each in held.get(kind, ())}


def written(server: FalkorServer, graph: str, *queries: str, **values: Any) -> str:
    """Write a graph; return its address."""
    import falkordb

    client = falkordb.FalkorDB(port=server.port)
    if graph in client.list_graphs():
        client.select_graph(graph).delete()
    for query in queries:
        client.select_graph(graph).query(query, values)
    client.connection.close()
    return f"falkordb://127.0.0.1:{server.port}/{graph}"


AT = "2025-03-01T10:00:00.000Z"
POLYG = (
    f"""CREATE (v:E_Entity {{uuid: 'e1', name: 'Valve 7', entity_type: 'part', properties: '{{"maker": "Acme"}}',
            created_at: '{AT}'}}),
        (p:E_Entity {{uuid: 'e2', name: 'Pump 3', entity_type: 'machine', properties: '{{}}', created_at: '{AT}'}}),
        (:T_Event {{uuid: 't0', description: 'Somebody told us that the basement smells of oil',
            occurred_at: '2025-02-01T08:00:00.000Z'}}),
        (t:T_Event {{uuid: 't1', description: 'Pump 3 stopped', occurred_at: '2025-02-02T09:30:00.000Z',
            duration: '2 hours'}}),
        (f:T_Fact {{uuid: 'f1', subject: 'Pump 3', predicate: 'stands in', object: 'hall B',
            valid_from: '2024-01-01T00:00:00.000Z', valid_to: '2025-01-01T00:00:00.000Z'}}),
        (s:S_Concept {{uuid: 's1', name: 'pumping', description: 'moving liquids', embedding: '[0.1, 0.2]',
            created_at: '{AT}'}}),
        (c:C_Node {{uuid: 'c1', description: 'the valve was blocked', node_type: 'cause', created_at: '{AT}'}}),
        (d:C_Node {{uuid: 'c2', description: 'pressure rose', node_type: 'effect', created_at: '{AT}'}}),
        (g:C_Node {{uuid: 'c3', description: 'Pressure rose', node_type: 'cause', created_at: '{AT}'}}),
        (h:C_Node {{uuid: 'c4', description: 'the pump tripped', node_type: 'effect', created_at: '{AT}'}}),
        (v)-[:E_RELATES {{relationship_type: 'belongs to', created_at: '{AT}'}}]->(p),
        (c)-[:C_CAUSES {{confidence: 0.8, evidence: 'seen', created_at: '{AT}'}}]->(d),
        (g)-[:C_CAUSES {{confidence: 0.5, created_at: '{AT}'}}]->(h),
        (s)-[:X_REPRESENTS {{created_at: '{AT}'}}]->(p), (t)-[:X_INVOLVES {{created_at: '{AT}'}}]->(p),
        (f)-[:X_INVOLVES {{created_at: '{AT}'}}]->(p), (c)-[:X_AFFECTS {{created_at: '{AT}'}}]->(v),
        (h)-[:X_REFERS_TO {{created_at: '{AT}'}}]->(t), (c)-[:SOMETHING]->(v)""",
)


def test_polygs_graph_comes_in_with_its_times_confidences_and_intervals(
    becausal: CommandLine, falkor: FalkorServer
) -> None:
    address = written(falkor, "polyg", *POLYG)
    answer = imported(becausal, address, refused=1)
    assert answer["format"] == "polyg"
    assert answer["skipped"][0]["why"] == "a relationship of this kind is not known"
    assert answer["passed"] == {"vectors of another model, which are made anew": 1}
    held = exported(becausal)
    (told,) = held["engram"]
    assert (told["content"][:20], told["occurred_at"]) == ("Somebody told us that"[:20], "2025-02-01T08:00:00+00:00")
    assert {(each["name"], each["entity_type"], each["created_at"]) for each in held["entity"]} == {
        ("Valve 7", "part", "2025-03-01T10:00:00+00:00"),
        ("Pump 3", "machine", "2025-03-01T10:00:00+00:00"),
    }
    assert {each["name"]: each["properties"] for each in held["entity"]}["Valve 7"] == {"maker": "Acme"}
    (event,) = held["event"]
    assert (event["description"], event["duration"]) == ("Pump 3 stopped", "2 hours")
    assert event["occurred_at"] == "2025-02-02T09:30:00+00:00"
    (fact,) = held["fact"]
    assert (fact["valid_from"], fact["valid_to"]) == ("2024-01-01T00:00:00+00:00", "2025-01-01T00:00:00+00:00")
    (concept,) = [each for each in held["cue"] if each["asserted"] and each["cue_type"] == "concept"]
    assert (concept["name"], concept["description"]) == ("pumping", "moving liquids")
    # Both nodes that say that the pressure rose are one here, so the chain holds together.
    assert len(held["cause"]) == 3
    assert {(each["confidence"], each["evidence"]) for each in held["C_CAUSES"]} == {(0.8, "seen"), (0.5, None)}
    assert joined(held, "C_CAUSES") == {
        ("the valve was blocked", "pressure rose"),
        ("pressure rose", "the pump tripped"),
    }
    assert {each["relation_type"] for each in held["E_RELATES"]} == {"belongs to"}
    assert ("moving liquids", "Pump 3") in joined(held, "X_REPRESENTS")
    assert joined(held, "X_INVOLVES") == {("Pump 3 stopped", "Pump 3"), ("Pump 3", "Pump 3")}
    assert joined(held, "X_AFFECTS") == {("the valve was blocked", "Valve 7")}
    assert joined(held, "X_REFERS_TO") == {("Pump 3 stopped", "the pump tripped")}
    assert "the valve was blocked" in becausal("why", "Why did the pump trip?").out


def test_polygs_graph_is_not_written_to_and_comes_in_once(becausal: CommandLine, falkor: FalkorServer) -> None:
    import falkordb

    address = written(falkor, "polyg", *POLYG)
    graph = falkordb.FalkorDB(port=falkor.port).select_graph("polyg")
    query = "MATCH (n) OPTIONAL MATCH (n)-[r]->() RETURN properties(n), type(r), properties(r) ORDER BY ID(n), ID(r)"
    before = graph.query(query).result_set
    would = imported(becausal, address, "--dry-run", refused=1)
    assert exported(becausal) == {}
    first = imported(becausal, address, refused=1)
    assert would["added"] == first["added"]
    held = exported(becausal)
    again = imported(becausal, address, refused=1)
    assert (again["added"], again["links"]) == ({}, 0)
    assert exported(becausal) == held
    assert graph.query(query).result_set == before


def test_what_polygs_ingestion_wrote_is_a_chain_of_memories_that_record_what_they_are_about(
    becausal: CommandLine, falkor: FalkorServer
) -> None:
    long = "It rained. " * 800
    address = written(
        falkor,
        "ingested",
        """CREATE (a:T_Event {description: 'First the roof leaked', occurred_at: '2025-01-01T00:00:00Z'}),
        (b:T_Event {description: 'Then the cellar flooded', occurred_at: '2025-01-01T00:01:00Z'}),
        (c:T_Event {description: $long, occurred_at: '2025-01-01T00:02:00Z'}),
        (e:E_Entity {name: 'Roof', entity_type: 'part'}), (a)-[:FOLLOWS]->(b), (c)-[:FOLLOWS]->(b),
        (c)-[:X_INVOLVES]->(e), (n:C_Node {description: 'the rain', node_type: 'cause'}), (n)-[:X_REFERS_TO]->(c)""",
        long=long,
    )
    imported(becausal, address)
    held = exported(becausal)
    assert joined(held, "FOLLOWS") >= {
        ("Then the cellar flooded", "First the roof leaked"),
        (long, "Then the cellar flooded"),
    }
    assert joined(held, "X_RECORDS") >= {(long, "Roof"), (long, "the rain")}


def test_what_polygs_graph_has_of_no_use_is_refused_with_the_reason(
    becausal: CommandLine, falkor: FalkorServer
) -> None:
    address = written(
        falkor,
        "broken",
        """CREATE (a:E_Entity {uuid: 'x', name: '  ', entity_type: 'part'}), (b:E_Entity {name: 'B', entity_type: 'p'}),
        (:T_Fact {uuid: 'f', subject: 'a', predicate: 'is', object: 'b', valid_from: '2025-02-01', valid_to: '2024'}),
        (e:T_Event {uuid: 'e', description: 'No time'}), (e)-[:X_INVOLVES]->(b),
        (:T_Fact {uuid: 'g', subject: 'a', predicate: 'is', valid_from: '2025-02-01'}),
        (c:C_Node {description: 'smoke'}), (c)-[:C_CAUSES {confidence: 7.0}]->(:C_Node {description: 'fire'}),
        (c)-[:C_CAUSES]->(:C_Node {description: 'Smoke'}), (a)-[:E_RELATES {relationship_type: 'r'}]->(b)""",
    )
    answer = imported(becausal, address, refused=8)
    told = "\n".join(f"{item['where']}: {item['why']}" for item in answer["skipped"])
    for words in ("no name", "valid_to", "occurred_at: is missing", "lacks its subject", "confidence", "itself"):
        assert words in told, told


# --- smriti-mcp ---

SMRITI = """CREATE (a:Engram {id: 'm1', content: 'The deployment failed because the disk was full',
        summary: 'A failure', memory_type: 'episodic', importance: 0.9, access_count: 7,
        created_at: '2025-05-01T10:00:00+02:00', last_accessed_at: '2025-06-01T10:00:00', decay_factor: 0.75,
        embedding: vecf32([0.1, 0.2]), source: 'ops', tags: 'disk, deploy', cluster_id: 3, user: $mine}),
    (b:Engram {id: 'm2', content: 'Disks are watched now', memory_type: 'semantic', importance: 1.5,
        created_at: 1746086400, tags: '', source: '', user: $mine}),
    (x:Engram {id: 'm3', content: 'The secret of somebody else', importance: 0.5, user: $theirs}),
    (c:Cue {id: 'cue-entity-disk', name: 'Disk', cue_type: 'entity', user: $mine}),
    (d:Cue {id: 'cue-keyword-full', name: 'full', cue_type: 'keyword', user: $mine}),
    (o:Cue {id: 'cue-keyword-lost', name: 'lost', cue_type: 'keyword', user: $mine}),
    (a)-[:EncodedBy {strength: 0.6, created_at: '2025-05-01T10:00:00Z'}]->(c),
    (a)-[:EncodedBy {strength: 1.0}]->(d), (x)-[:EncodedBy {strength: 1.0}]->(c), (c)-[:CoOccurs {weight: 4.0}]->(d),
    (b)-[:AssociatedWith {relation_type: 'semantic', strength: 0.83, created_at: '2025-05-02T10:00:00Z'}]->(a),
    (b)-[:AssociatedWith {relation_type: 'semantic', strength: 0.9}]->(x)"""


def check_smriti(answer: Any, held: dict[str, list[Any]]) -> None:
    assert answer["format"] == "smriti"
    assert answer["passed"] == {
        "vectors of another model, which are made anew": 1,
        "importances beyond 0 … 1, which were taken as the nearest of those": 1,
        "cues that lead to no memory": 1,
    }
    first, second = sorted(held["engram"], key=lambda each: each["importance"])
    assert (first["content"], first["summary"]) == ("The deployment failed because the disk was full", "A failure")
    assert (first["memory_type"], first["importance"], first["source"]) == ("episodic", 0.9, "ops")
    assert (first["tags"], first["access_count"], first["decay_factor"]) == (["disk", "deploy"], 7, 0.75)
    assert first["created_at"] == first["at"] == "2025-05-01T08:00:00+00:00"
    assert first["last_accessed_at"] == "2025-06-01T08:00:00+00:00"  # without a zone: local time
    assert (second["importance"], second["created_at"]) == (1.0, "2025-05-01T08:00:00+00:00")
    (tie,) = [each for each in held["ASSOCIATED_WITH"] if each["relation_type"] == "semantic"]
    assert (tie["src"], tie["dst"], tie["strength"]) == (second["id"], first["id"], 0.83)
    cues = {each["id"]: (each["name"], each["cue_type"]) for each in held["cue"]}
    encoded = {cues[each["dst"]]: each["strength"] for each in held["ENCODED_BY"] if each["src"] == first["id"]}
    assert encoded["disk", "entity"] == 0.6
    assert encoded["full", "keyword"] == 1.0
    both = {("disk", "entity"), ("full", "keyword")}
    assert [each["strength"] for each in held["CO_OCCURS"] if {cues[each["src"]], cues[each["dst"]]} == both] == [4.0]


ZONE = ("--timezone", "Europe/Berlin")


def test_smritis_memory_on_falkordb_comes_in_with_its_history_and_only_the_users_own(
    becausal: CommandLine, falkor: FalkorServer
) -> None:
    address = written(falkor, "smriti", SMRITI, mine="alice", theirs="bob")
    answer = imported(becausal, address, *ZONE)
    check_smriti(answer, exported(becausal))
    assert "secret" not in becausal("export").out
    held = exported(becausal)
    assert imported(becausal, address, *ZONE)["added"] == {}
    assert exported(becausal) == held


def test_another_name_can_be_given_for_the_owner_of_a_part(becausal: CommandLine, falkor: FalkorServer) -> None:
    address = written(falkor, "smriti", SMRITI, mine="a' OR 1=1", theirs="alice")
    check_smriti(imported(becausal, f"{address}?user=a'%20OR%201=1", *ZONE), exported(becausal))
    assert imported(becausal, f"{address}?user=nobody")["added"] == {}


def test_a_graph_that_becausal_keeps_is_not_taken_for_smritis(becausal: CommandLine, falkor: FalkorServer) -> None:
    address = written(falkor, "own", "CREATE (:Engram {_owner: 'alice', content: 'mine', content_hash: 'x'})")
    assert imported(becausal, address)["added"] == {}


def smriti_file(path: Path) -> Path:
    """Write a memory as smriti-mcp keeps it in LadybugDB."""
    import ladybug

    database = ladybug.Database(str(path), max_db_size=1 << 30, buffer_pool_size=1 << 26)
    connection = ladybug.Connection(database)
    for statement in (
        "CREATE NODE TABLE Engram(id STRING PRIMARY KEY, content STRING, summary STRING, memory_type STRING, "
        "importance DOUBLE, access_count INT64, created_at TIMESTAMP, last_accessed_at TIMESTAMP, decay_factor DOUBLE, "
        "embedding FLOAT[2], source STRING, tags STRING, cluster_id INT64)",
        "CREATE NODE TABLE Cue(id STRING PRIMARY KEY, name STRING, cue_type STRING, embedding FLOAT[2])",
        "CREATE REL TABLE EncodedBy(FROM Engram TO Cue, strength DOUBLE, created_at TIMESTAMP)",
        "CREATE REL TABLE AssociatedWith(FROM Engram TO Engram, relation_type STRING, strength DOUBLE, "
        "created_at TIMESTAMP)",
        "CREATE REL TABLE CoOccurs(FROM Cue TO Cue, weight DOUBLE)",
        """CREATE (a:Engram {id: 'm1', content: 'The deployment failed because the disk was full',
            summary: 'A failure', memory_type: 'episodic', importance: 0.9, access_count: 7,
            created_at: timestamp('2025-05-01 10:00:00'), last_accessed_at: timestamp('2025-06-01 10:00:00'),
            decay_factor: 0.75, embedding: [0.1, 0.2], source: 'ops', tags: 'disk, deploy', cluster_id: 3}),
        (b:Engram {id: 'm2', content: 'Disks are watched now', memory_type: 'semantic', importance: 1.5,
            created_at: timestamp('2025-05-01 10:00:00')}),
        (c:Cue {id: 'cue-entity-disk', name: 'Disk', cue_type: 'entity'}),
        (d:Cue {id: 'cue-keyword-full', name: 'full', cue_type: 'keyword'}),
        (o:Cue {id: 'cue-keyword-lost', name: 'lost', cue_type: 'keyword'}),
        (a)-[:EncodedBy {strength: 0.6}]->(c), (a)-[:EncodedBy {strength: 1.0}]->(d),
        (c)-[:CoOccurs {weight: 4.0}]->(d),
        (b)-[:AssociatedWith {relation_type: 'semantic', strength: 0.83}]->(a)""",
    ):
        connection.execute(statement).close()
    connection.close()
    database.close()
    return path


def test_smritis_file_is_found_comes_in_and_is_not_touched(becausal: CommandLine) -> None:
    place = becausal.folder / "alice"
    place.mkdir()
    file = smriti_file(place / "memory.lbug")
    before = {each.name: (each.read_bytes(), each.stat().st_mtime_ns) for each in place.glob("memory.lbug*")}
    (found,) = becausal("status", "--json").json["foreign"]
    assert found["advice"].endswith(f"becausal import {file}")
    answer = imported(becausal, str(file), *ZONE)
    check_smriti(answer, exported(becausal))
    assert {each.name: (each.read_bytes(), each.stat().st_mtime_ns) for each in place.glob("memory.lbug*")} == before


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"KUZU" + bytes(4092), "written by Kuzu"), (b"LBUG" + bytes(4092), "cannot be read as a LadybugDB file")],
)
def test_a_file_of_an_older_program_or_a_damaged_one_is_refused(
    becausal: CommandLine, content: bytes, words: str
) -> None:
    Path("memory.lbug").write_bytes(content)
    ran = becausal("import", "memory.lbug")
    assert ran.code != 0
    assert words in ran.err


def test_another_programs_ladybug_file_is_refused(becausal: CommandLine) -> None:
    import ladybug

    database = ladybug.Database("other.lbug", max_db_size=1 << 30, buffer_pool_size=1 << 26)
    connection = ladybug.Connection(database)
    connection.execute("CREATE NODE TABLE Thing(id STRING PRIMARY KEY)").close()
    connection.close()
    database.close()
    assert "none of smriti-mcp" in becausal("import", "other.lbug").err


# --- addresses ---


def test_a_server_that_is_away_is_a_clear_error(becausal: CommandLine) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for address in (f"falkordb://127.0.0.1:{port}/polyg", f"bolt://127.0.0.1:{port}/neo4j"):
        ran = becausal("import", address)
        assert ran.code != 0
        assert "cannot be reached" in ran.err
        assert f"127.0.0.1:{port}" in ran.err


def test_a_graph_that_is_not_there_is_said_and_not_made(becausal: CommandLine, falkor: FalkorServer) -> None:
    import falkordb

    ran = becausal("import", f"falkordb://127.0.0.1:{falkor.port}/nowhere")
    assert "names a graph that is not there: 'nowhere'" in ran.err
    assert "nowhere" not in falkordb.FalkorDB(port=falkor.port).list_graphs()
    other = written(falkor, "other", "CREATE (:Thing)")
    assert "holds no data of smriti or polyg-mcp" in becausal("import", other).err
    assert (
        "holds no data of smriti-mcp" in becausal("import", written(falkor, "polyg", *POLYG), "--format", "smriti").err
    )


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("mysql://localhost/x", "cannot be read by 'mysql'"),
        ("falkordb://localhost", "must name the graph"),
        ("falkordb://u:hush@localhost/x", "must not have a name or password"),
        ("falkordb://localhost:99999999/x", "must be an address"),
        ("falkordb://localhost/x?owner=y", "must be an address"),
        ("falkordb:///x", "must be an address"),
    ],
)
def test_an_address_that_says_too_little_or_too_much_is_refused(
    becausal: CommandLine, address: str, words: str
) -> None:
    ran = becausal("import", address)
    assert ran.code != 0
    assert words in ran.err
    assert "hush" not in ran.err + ran.out


def test_a_format_that_no_server_has_is_refused(becausal: CommandLine) -> None:
    assert "must be one of smriti, polyg" in becausal("import", "falkordb://localhost/x", "--format", "text").err


# --- Neo4j ---


class RecordingDriver:
    """Answers as a Neo4j driver does, from rows by label, and notes how it was asked."""

    def __init__(self, rows: Mapping[str, Any]) -> None:
        self.rows = rows
        self.opened: list[Any] = []
        self.asked: list[tuple[str, Mapping[str, Any]]] = []

    def driver(self, *args: Any, **options: Any) -> RecordingDriver:
        self.opened.append((args, options))
        return self

    session = driver

    def __enter__(self) -> RecordingDriver:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, query: str, values: Mapping[str, Any]) -> list[Any]:
        self.asked.append((query, values))
        if "DISTINCT label" in query:
            return [{"label": "Engram"}, {"label": "Cue"}]
        answer: list[Any] = self.rows[values.get("label", "links")]
        return answer


def test_smritis_memory_on_neo4j_is_read_through_a_driver_that_may_only_read(
    becausal: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    import neo4j

    when = neo4j.time.DateTime(2025, 5, 1, 10, 0, 0)
    fields = {
        "content": "The deployment failed because the disk was full",
        "summary": "A failure",
        "memory_type": "episodic",
        "importance": 0.9,
        "access_count": 7,
        "created_at": when,
        "last_accessed_at": "2025-06-01T10:00:00",
        "decay_factor": 0.75,
        "embedding": [0.1],
        "source": "ops",
        "tags": "disk, deploy",
    }
    other = {"content": "Disks are watched now", "importance": 1.5, "created_at": when}
    names = [("c", "Disk", "entity"), ("d", "full", "keyword"), ("o", "lost", "keyword")]
    links = [
        ("a", "EncodedBy", "c", {"strength": 0.6}),
        ("a", "EncodedBy", "d", {"strength": 1.0}),
        ("c", "CoOccurs", "d", {"weight": 4.0}),
        ("b", "AssociatedWith", "a", {"relation_type": "semantic", "strength": 0.83}),
    ]
    fake = RecordingDriver(
        {
            "Engram": [
                {"key": key, "labels": ["Engram"], "fields": each} for key, each in (("a", fields), ("b", other))
            ],
            "Cue": [
                {"key": key, "labels": ["Cue"], "fields": {"name": name, "cue_type": kind}} for key, name, kind in names
            ],
            "links": [
                {"key": str(at), "kind": kind, "source": source, "target": target, "fields": told}
                for at, (source, kind, target, told) in enumerate(links)
            ],
        }
    )
    monkeypatch.setattr(neo4j.GraphDatabase, "driver", fake.driver)
    ran = becausal(
        "import", "neo4j://graph.test:7777/own", "--json", *ZONE, env={"NEO4J_PASSWORD": "hush", "NEO4J_USERNAME": "me"}
    )
    assert ran.code == 0, ran.err
    check_smriti(ran.json, exported(becausal))
    (address,), options = fake.opened[0]
    assert (address, options["auth"]) == ("neo4j://graph.test:7777", ("me", "hush"))
    assert fake.opened[1][1]["default_access_mode"] == neo4j.READ_ACCESS
    assert fake.opened[1][1]["database"] == "own"
    assert all(values["owner"] == "alice" for query, values in fake.asked if "$owner" in query)
    assert not any(word in query.upper() for query, _ in fake.asked for word in ("CREATE", "MERGE", "SET ", "DELETE"))


def test_smritis_memory_on_a_real_neo4j_comes_in(becausal: CommandLine) -> None:
    import neo4j

    given = neo4j_server.options()
    uri, password = given["uri"], given["password"]
    mine, theirs = f"m-{uuid4()}", f"t-{uuid4()}"
    with neo4j.GraphDatabase.driver(uri, auth=("neo4j", password) if password else None) as driver:
        try:
            driver.execute_query(SMRITI.replace("vecf32([0.1, 0.2])", "[0.1, 0.2]"), mine=mine, theirs=theirs)
            env = {"NEO4J_PASSWORD": password} if password else {}
            ran = becausal("import", f"{uri}?user={mine}", "--json", *ZONE, env=env)
            assert ran.code == 0, ran.err
            check_smriti(ran.json, exported(becausal))
        finally:
            driver.execute_query("MATCH (n) WHERE n.user IN $users DETACH DELETE n", users=[mine, theirs])
