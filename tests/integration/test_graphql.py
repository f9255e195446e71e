# SPDX-License-Identifier: Apache-2.0
"""GraphQL over a real memory: every query and mutation, paging, limits, and the tool that runs it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from graphql import GraphQLInterfaceType, GraphQLObjectType

from backup_tools import git, open_with
from becausal.backup.registry import make_place
from becausal.engine.memory import Memory
from becausal.errors import InvalidInput
from becausal.graphql import limits
from becausal.graphql.schema import run, schema, to_text
from becausal.models.hashing import HashingEmbedder
from becausal.session.sessions import sessions_of
from memory_tools import open_test_memory
from toolclient import client, done, ready, refused

DOCUMENT = Path(__file__).parents[2] / "docs" / "schema.graphql"
TEXT = "Card payments failed because the signing key had been rotated too early."
DATED = "The release of 3 March 2026 went well."


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with open_test_memory(tmp_path) as opened:
        yield opened


@pytest.fixture
def told(memory: Memory) -> str:
    """The id of a memory that has something in every graph."""
    engram = memory.store(TEXT, source="on-call", tags=["payments"], importance=0.8).engram
    memory.store(DATED, source="releases", occurred_at="2026-03-03")
    memory.graphs.add_fact("ledger", "runs on", "PostgreSQL 15", "2026-01-01")
    memory.graphs.add_entity("Alice", "person", {"role": "lead"}, ["Al"])
    memory.settle()
    return engram.id


def ask(memory: Memory, operation: str, **variables: Any) -> Any:
    """Run a request that must succeed; return its data."""
    ran = run(memory, operation, variables)
    assert ran.errors == ()
    return ran.data


def errors(memory: Memory, operation: str, **variables: Any) -> list[str]:
    """Return what a request that fails says."""
    return [str(error["message"]) for error in run(memory, operation, variables).errors]


# --- the schema ---


def test_the_document_is_printed_from_the_schema() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == to_text()


def test_every_query_and_mutation_is_run_by_a_test() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    fields = [*schema().get_type_by_name("Query").fields, *schema().get_type_by_name("Mutation").fields]  # type: ignore[union-attr]
    names = {field.graphql_name or schema().config.name_converter.get_graphql_name(field) for field in fields}
    assert len(names) == 39
    assert [name for name in sorted(names) if f"{{ {name}" not in text] == []


# --- queries ---


def test_a_memory_is_read_with_all_that_surrounds_it(memory: Memory, told: str) -> None:
    data = ask(
        memory,
        """query ($id: ID!) { engram(id: $id) {
            id summary content(length: 13) contentLength importance tags origin session nodeType memoryType pinned
            occurredAt createdAt accessCount metadata cues(first: 3) { name cueType }
            links(kinds: ["X_RECORDS"], first: 5) { kind target { __typename ... on Cause { description } } }
        } }""",
        id=told,
    )["engram"]
    assert (data["id"], data["content"], data["contentLength"]) == (told, "Card payments", len(TEXT))
    assert (data["importance"], data["tags"], data["origin"], data["nodeType"]) == (
        0.8,
        ["payments"],
        "on-call",
        "memory",
    )
    assert len(data["cues"]) == 3
    assert {link["kind"] for link in data["links"]} == {"X_RECORDS"}
    assert "Cause" in {link["target"]["__typename"] for link in data["links"]}
    assert ask(memory, '{ engram(id: "never") { id } }') == {"engram": None}


def test_memories_of_a_time_come_the_latest_first_whenever_they_were_told(memory: Memory) -> None:
    for day in ("2024-05-02", "2024-05-04", "2024-05-03", "2023-01-01"):
        memory.store(f"something happened, number {day}", occurred_at=day)
    query = """query ($after: String, $first: Int!, $until: String) {
        engrams(first: $first, after: $after, since: "2024", until: $until) {
            nodes { occurredAt } pageInfo { endCursor } } }"""
    pages, after = [], None
    for _ in range(2):
        page = ask(memory, query, after=after, first=2, until="2024")["engrams"]
        pages.append([each["occurredAt"][:10] for each in page["nodes"]])
        after = page["pageInfo"]["endCursor"]
    assert pages == [["2024-05-04", "2024-05-03"], ["2024-05-02"]]
    assert after is None


def test_each_graph_is_listed(memory: Memory, told: str) -> None:
    assert ask(memory, '{ engrams(source: "on-call", tag: "payments") { nodes { id } } }') == {
        "engrams": {"nodes": [{"id": told}]}
    }
    (dated,) = ask(memory, '{ engrams(since: "2026-03-01", until: "2026-03-31") { nodes { content } } }')["engrams"][
        "nodes"
    ]
    assert dated["content"] == DATED
    assert errors(memory, '{ engrams(until: "blue") { nodes { id } } }')[0].startswith("until: ")
    for narrower in ('session: "x"', 'label: "x"', 'memoryType: "procedural"', 'nodeType: "concept"', 'tag: "x"'):
        assert ask(memory, f"{{ engrams({narrower}) {{ nodes {{ id }} }} }}") == {"engrams": {"nodes": []}}
    assert ask(memory, '{ cues(name: "Payments") { nodes { name links { source { id } } } } }')["cues"]["nodes"]
    (alice,) = ask(memory, '{ entities(name: "alice") { nodes { name entityType aliases properties } } }')["entities"][
        "nodes"
    ]
    assert alice == {"name": "Alice", "entityType": "person", "aliases": ["al"], "properties": {"role": "lead"}}
    (event,) = ask(
        memory,
        '{ events(since: "2026-03-01", until: "2026-03-31T12:00:00+02:00") { nodes { description precision } } }',
    )["events"]["nodes"]
    assert event == {"description": DATED, "precision": "day"}
    assert ask(memory, '{ events(until: "2020-01-01") { nodes { id } } }') == {"events": {"nodes": []}}
    assert errors(memory, '{ events(since: "blue") { nodes { id } } }')[0].startswith("since: ")
    (fact,) = ask(memory, '{ facts(subject: "ledger") { nodes { predicate object validTo supersededBy } } }')["facts"][
        "nodes"
    ]
    assert fact == {"predicate": "runs on", "object": "PostgreSQL 15", "validTo": None, "supersededBy": None}
    causes = ask(memory, "{ causes { nodes { id description nodeType } } }")["causes"]["nodes"]
    effect = next(each for each in causes if "payments" in each["description"])
    (link,) = ask(
        memory,
        """query ($of: ID!) { links(of: $of, kinds: ["C_CAUSES"]) {
            confidence evidence source { ... on Cause { description } } } }""",
        of=effect["id"],
    )["links"]
    assert "signing key" in link["source"]["description"]
    assert (link["evidence"], 0 < link["confidence"] < 1) == (TEXT, True)


def test_pages_follow_each_other_without_gap_or_repetition(memory: Memory) -> None:
    ids = [memory.store(f"entry {number}").engram.id for number in range(7)]
    found: list[str] = []
    after = None
    while True:
        page = ask(
            memory,
            """query ($after: String) { engrams(first: 3, after: $after) {
                nodes { id } pageInfo { hasNextPage endCursor } } }""",
            after=after,
        )["engrams"]
        found += [node["id"] for node in page["nodes"]]
        after = page["pageInfo"]["endCursor"]
        assert page["pageInfo"]["hasNextPage"] == (after is not None)
        if after is None:
            break
    assert found == ids[::-1]
    assert errors(memory, '{ engrams(after: "nonsense") { nodes { id } } }') == [
        "after: must be the endCursor of an earlier page"
    ]


def test_questions_are_answered_as_everywhere_else(memory: Memory, told: str) -> None:
    fields = (
        "results { score text matchType path parts passage truncated engram { id } } confidence degraded next pending"
    )
    assert ask(memory, f'{{ search(query: "signing key", limit: 3) {{ {fields} }} }}')["search"]["results"]
    recalled = ask(memory, f'{{ recall(query: "signing key", limit: 3) {{ {fields} }} }}')["recall"]
    assert recalled["results"][0]["engram"]["id"] == told
    assert recalled["results"][0]["parts"]
    assert 0 <= recalled["confidence"] <= 1
    answer = ask(
        memory,
        """{ ask(question: "Why did card payments fail?") {
            answer intent confidence abstained rootCause degraded
            chain { cause causeId effect effectId confidence cumulative evidence source stated } chainConfidence remarks
            sources { number kind engramId recordId text origin at } facts { object } timeline { description }
            entities { name } views missing madeBy pending } }""",
    )["ask"]
    assert (answer["abstained"], answer["sources"][0]["engramId"]) == (False, told)
    assert "signing key" in answer["rootCause"]
    (step,) = answer["chain"]
    assert (step["evidence"], step["source"], step["stated"]) == (TEXT, 1, False)
    assert answer["chainConfidence"] == step["cumulative"]
    (card,) = ask(memory, "query ($of: String!) { causality(of: $of) { starts } }", of=step["causeId"])["causality"][
        "starts"
    ]
    assert card == step["causeId"]
    status = ask(
        memory,
        """{ status { user backend counts embedder embedderState pending sendsTextTo notes schema oldestUndo
            consolidatedAt backupPlace backupAt backupTrouble foreign chat unread } }""",
    )["status"]
    assert (status["backupPlace"], status["chat"], status["oldestUndo"]) == (None, None, None)
    assert (status["user"], status["counts"]["engram"], status["sendsTextTo"]) == ("alice", 2, [])


def test_a_recall_is_narrowed_before_it_is_cut(memory: Memory) -> None:
    for number in range(5):
        memory.store(
            f"The gateway was restarted, run {number}.", source="deploys", occurred_at=f"2026-0{number + 1}-01"
        )
    kept = memory.store("The gateway was restarted by Alice.", source="on-call", tags=["gateway"]).engram
    narrowed = """query ($source: String, $tags: [String!], $since: String, $until: String, $type: String,
            $mode: String!) {
        recall(query: "gateway restarted", limit: 1, source: $source, tags: $tags, since: $since, until: $until,
            memoryType: $type, mode: $mode) { results { engram { id occurredAt origin } } } }"""

    def found(**given: Any) -> Any:
        results = ask(memory, narrowed, **{"mode": "recall", **given})["recall"]["results"]
        return results[0]["engram"] if results else None

    assert found(source="on-call")["id"] == kept.id
    assert found(tags=["gateway"], mode="fts")["id"] == kept.id
    assert found(since="2026-02-01", until="2026-02-28")["occurredAt"].startswith("2026-02-01")
    assert found(type="procedural") is None
    assert errors(memory, narrowed, mode="guess")[0].startswith("mode: unknown mode: guess")


# --- the graph, the time line, and what happened ---


def test_what_lies_around_a_record_is_drawn_by_id_or_name_and_within_bounds(memory: Memory, told: str) -> None:
    memory.graphs.add_entity("Acme", "company")
    memory.graphs.link_entities("Alice", "works at", "Acme")
    for number in range(30):
        memory.graphs.add_entity(f"Site {number}", "place")
        memory.graphs.link_entities(f"Site {number}", "belongs to", "Acme")
    drawn = """query ($of: String!, $kinds: [String!], $depth: Int!, $limit: Int!)
        { neighbourhood(of: $of, kinds: $kinds, depth: $depth, limit: $limit) {
            nodes { id kind label sort distance } edges { sourceId targetId kind relation weight asserted }
            truncated } }"""
    near = ask(memory, drawn, of="alice", depth=1, limit=60)["neighbourhood"]
    assert [(node["label"], node["kind"], node["sort"], node["distance"]) for node in near["nodes"]] == [
        ("Alice", "entity", "person", 0),
        ("Acme", "entity", "company", 1),
    ]
    (edge,) = near["edges"]
    assert (edge["sourceId"], edge["targetId"]) == (near["nodes"][0]["id"], near["nodes"][1]["id"])
    assert (edge["kind"], edge["relation"], edge["asserted"]) == ("E_RELATES", "works at", True)
    assert not near["truncated"]

    wide = ask(memory, drawn, of="Alice", depth=2, limit=10)["neighbourhood"]
    assert (len(wide["nodes"]), wide["truncated"]) == (10, True)
    assert {edge["sourceId"] for edge in wide["edges"]} | {edge["targetId"] for edge in wide["edges"]} <= {
        node["id"] for node in wide["nodes"]
    }
    around = ask(memory, drawn, of=told, kinds=["X_RECORDS", "C_CAUSES"], depth=2, limit=60)["neighbourhood"]
    causes = [edge for edge in around["edges"] if edge["kind"] == "C_CAUSES"]
    assert [0 < edge["weight"] < 1 for edge in causes] == [True]

    memory.upkeep.archive([told])
    assert told not in [
        node["id"] for node in ask(memory, drawn, of=causes[0]["sourceId"], depth=1, limit=60)["neighbourhood"]["nodes"]
    ]
    assert errors(memory, drawn, of="nobody", depth=1, limit=60) == ["Record 'nobody' not found"]
    assert errors(memory, drawn, of="Alice", depth=9, limit=60)[0].startswith("depth: must be a whole number from 1")
    assert errors(memory, drawn, of="Alice", depth=1, limit=900)[0].startswith("limit: must be a whole number from 1")
    assert errors(memory, drawn, of="Alice", kinds=["LIKES"], depth=1, limit=9)[0].startswith("kinds: must be one of")


def test_entities_are_found_by_words_of_their_names(memory: Memory) -> None:
    for name in ("Ledger", "Ledger export job", "Search index"):
        memory.graphs.add_entity(name, "system")
    found = ask(memory, '{ findEntities(words: "the ledger", limit: 5) { name entityType } }')["findEntities"]
    assert [each["name"] for each in found] == ["Ledger", "Ledger export job"]
    assert ask(memory, '{ findEntities(words: "pancakes") { id } }') == {"findEntities": []}
    assert errors(memory, '{ findEntities(words: " ") { id } }')[0].startswith("query: ")


def test_clusters_are_listed_opened_and_drawn(tmp_path: Path) -> None:
    with open_test_memory(tmp_path, embedder=HashingEmbedder()) as memory:
        for number in range(4):
            memory.store(f"The billing service retried payment batch {number} tonight.")
            memory.store(f"Grandmother baked a lemon cake for birthday number {number}.")
        memory.settle()
        memory.upkeep.consolidate()
        clusters = ask(memory, "{ clusters(limit: 5) { id name size cues } }")["clusters"]
        assert sorted(each["size"] for each in clusters) == [4, 4]
        id = clusters[0]["id"]
        opened = ask(
            memory, f"{{ cluster(id: {id}, limit: 3) {{ cluster {{ id size }} memories {{ id clusterId }} }} }}"
        )
        assert (opened["cluster"]["cluster"], len(opened["cluster"]["memories"])) == ({"id": id, "size": 4}, 3)
        drawn = ask(
            memory,
            f"{{ clusterGraph(id: {id}, limit: 3) {{ nodes {{ id kind }} edges {{ kind weight }} truncated }} }}",
        )["clusterGraph"]
        assert ({node["kind"] for node in drawn["nodes"]}, drawn["truncated"]) == ({"engram"}, True)
        assert {edge["kind"] for edge in drawn["edges"]} == {"ASSOCIATED_WITH"}
        assert errors(memory, "{ clusterGraph(id: 999) { truncated } }") == ["cluster '999' not found"]
        assert errors(memory, "{ cluster(id: 999) { memories { id } } }") == ["cluster '999' not found"]


def test_a_time_line_is_read_page_by_page_without_gap_or_repetition(memory: Memory) -> None:
    for number in range(5):
        memory.graphs.add_event(f"Alice met Bela, time {number}", "2026-01-05")  # five at one moment
        memory.graphs.add_fact(f"desk {number}", "belongs to", "Alice", f"2026-02-0{number + 1}")
        memory.store(f"The pump was replaced on {number + 1} March 2026.", memory_type="episodic")  # told as an event
        memory.store(f"A walk with the dog, round {number}.", occurred_at=f"2026-01-0{number + 1}")
    pages: list[list[str]] = []
    cursor: str | None = None
    for _ in range(20):
        page = ask(
            memory,
            """query ($cursor: String) { timeline(limit: 3, cursor: $cursor) {
                entries { id kind text at until precision ended } about earlier } }""",
            cursor=cursor,
        )["timeline"]
        pages.insert(0, [entry["id"] for entry in page["entries"]])
        cursor = page["earlier"]
        if cursor is None:
            break
    read = [id for page in pages for id in page]
    whole = ask(memory, "{ timeline(limit: 100) { entries { id kind at } earlier } }")["timeline"]
    assert read == [entry["id"] for entry in whole["entries"]]
    assert len(set(read)) == 20
    assert [entry["at"] for entry in whole["entries"]] == sorted(entry["at"] for entry in whole["entries"])
    assert whole["earlier"] is None
    march = ask(memory, '{ timeline(since: "2026-03-02", until: "2026-03-03") { entries { kind text } } }')["timeline"]
    assert [entry["text"] for entry in march["entries"] if entry["kind"] == "event"] == [
        "The pump was replaced on 2 March 2026.",
        "The pump was replaced on 3 March 2026.",
    ]
    assert errors(memory, '{ timeline(cursor: "nonsense") { earlier } }')[0].startswith("cursor: must be the 'next'")
    assert errors(memory, "{ timeline(limit: 101) { earlier } }")[0].startswith("limit: ")


def test_what_led_to_an_event_and_what_came_of_it(memory: Memory, told: str) -> None:
    memory.store("The signing key had been rotated too early because the calendar was wrong.")
    asked = """query ($of: String!, $direction: String!) { causality(of: $of, direction: $direction, limit: 10) {
        starts links { cause effect confidence evidence asserted } same { sourceId targetId score } told { summary }
        truncated } }"""
    rotated = "the signing key had been rotated too early"
    both = ask(memory, asked, of=rotated, direction="both")["causality"]
    assert (len(both["links"]), len(both["told"]), both["truncated"]) == (2, 2, False)
    (up,) = ask(memory, asked, of="the signing key had been rotated too early", direction="upstream")["causality"][
        "links"
    ]
    assert "calendar" in up["cause"]
    assert errors(memory, asked, of="pancakes", direction="both") == ["Event 'pancakes' not found"]
    assert errors(memory, asked, of="x", direction="sideways")[0].startswith("direction: must be one of")


def test_what_was_read_out_of_a_memory(memory: Memory, told: str) -> None:
    asked = """query ($id: ID!, $total: Int!) { reading(id: $id, total: $total) {
        entities { name } events { description } facts { subject } causes { cause effect evidence } more } }"""
    read = ask(memory, asked, id=told, total=20)["reading"]
    ((cause),) = read["causes"]
    assert "signing key" in cause["cause"]
    assert "payments failed" in cause["effect"]
    assert not read["more"]
    assert ask(memory, asked, id=told, total=1)["reading"]["more"]
    assert errors(memory, asked, id=told, total=101)[0].startswith("total: must be a whole number from 1 to 100")


def test_a_memory_is_changed_forgotten_and_brought_back_with_its_history(memory: Memory) -> None:
    id = memory.store("The ledger runs on PostgreSQL 14.").engram.id
    update = """mutation ($id: ID!, $content: String, $pinned: Boolean, $tags: [String!], $importance: Float)
        { update(id: $id, content: $content, pinned: $pinned, tags: $tags, importance: $importance) { id created } }"""
    assert ask(memory, update, id=id, content="The ledger runs on PostgreSQL 15.")["update"]["id"] == id
    ask(memory, update, id=id, pinned=True, tags=["ledger"], importance=0.9)
    assert ask(memory, f'{{ engram(id: "{id}") {{ content pinned tags importance indexedAt archivedAt }} }}') == {
        "engram": {
            "content": "The ledger runs on PostgreSQL 15.",
            "pinned": True,
            "tags": ["ledger"],
            "importance": 0.9,
            "indexedAt": None,
            "archivedAt": None,
        }
    }
    assert errors(memory, update, id=id) == ["update: needs at least one field to change"]
    assert errors(memory, update, id=id, importance=2.0)[0].startswith("importance: ")
    assert errors(memory, update, id="never", pinned=True) == ["memory 'never' not found"]

    history = "query ($id: ID!) { history(id: $id) { at action note undo until before } }"
    happened = ask(memory, history, id=id)["history"]
    assert [each["action"] for each in happened] == ["store", "update", "update"]
    assert happened[1]["before"] == "The ledger runs on PostgreSQL 14."

    ask(memory, f'mutation {{ forget(id: "{id}") {{ undo }} }}')
    forgotten = ask(memory, history, id=id)["history"][-1]
    assert forgotten["action"] == "forget"
    changes = ask(memory, "{ changes(limit: 5) { id action note targets createdAt expiresAt } }")["changes"]
    assert [(each["action"], each["targets"]) for each in changes] == [
        ("forget", [id]),
        ("update", [id]),
        ("update", [id]),
    ]
    undo = "mutation ($id: ID) { undo(id: $id) { action note ids } }"
    assert ask(memory, undo, id=forgotten["undo"])["undo"]["ids"] == [id]
    assert ask(memory, undo)["undo"]["action"] == "update"
    assert not memory.get(id).engram.pinned
    assert errors(memory, undo, id="never")[0].endswith("'never' not found")
    assert errors(memory, history, id="never") == ["memory 'never' not found"]

    archived = ask(memory, f'mutation {{ archive(id: "{id}") {{ ids undo }} }}')["archive"]
    assert (archived["ids"], bool(archived["undo"])) == ([id], True)
    assert ask(memory, f'mutation {{ restore(id: "{id}") {{ ids undo }} }}') == {"restore": {"ids": [id], "undo": None}}


def test_copies_are_made_and_listed_where_there_is_a_place_for_them(tmp_path: Path) -> None:
    asked = "{ backups(limit: 5) { place last version trouble remembers versions { id at memories } } }"
    made = "mutation { backUp { ran place version changed memories note } }"
    with open_test_memory(tmp_path / "none") as memory:
        assert ask(memory, asked) == {"backups": None}
        assert errors(memory, made) == ["backup: no place for copies is set"]
    base = tmp_path / "shared"
    base.mkdir()
    git("init", "--bare", "-q", "alice_smriti.git", cwd=base)
    place = make_place("git", folder=tmp_path / "alice", user="alice", options={"GIT_BASE_URL": str(base)})
    with open_with(tmp_path, place) as memory:
        memory.store("The one memory.")
        assert ask(memory, asked)["backups"]["versions"] == []
        done = ask(memory, made)["backUp"]
        assert (done["ran"], done["changed"], done["memories"]) == (True, True, 1)
        kept = ask(memory, asked)["backups"]
        assert ([each["id"] for each in kept["versions"]], kept["trouble"]) == ([done["version"]], None)
        status = ask(memory, "{ status { backupPlace backupAt backupTrouble } }")["status"]
        assert (status["backupPlace"], status["backupAt"]) == (kept["place"], kept["last"])


# --- mutations, and what sessions hold ---


def test_a_session_is_filled_and_read(memory: Memory) -> None:
    assert ask(memory, 'mutation { set(session: "s", key: "k", value: "v") }') == {"set": 0}
    assert ask(memory, '{ slots(session: "s") { index key value uses } }') == {
        "slots": [{"index": 0, "key": "k", "value": "v", "uses": 0}]
    }
    assert ask(memory, '{ slots(session: "never") { key } }') == {"slots": []}
    api = ask(
        memory,
        """mutation { upsertNode(session: "s", type: "concept", label: "API client", content: "Wraps HTTP requests",
            metadata: {lang: "python"}) { id label type content accessCount } }""",
    )["upsertNode"]
    assert (api["label"], api["type"], api["accessCount"]) == ("API client", "concept", 1)
    auth = ask(
        memory,
        'mutation { promote(session: "s", key: "Authentication", value: "Handles login tokens") { id } }',
    )["promote"]
    relation = ask(
        memory,
        """mutation ($a: ID!, $b: ID!) { relate(session: "s", sourceId: $a, targetId: $b, relation: "depends_on") {
            id sourceId targetId relation weight } }""",
        a=api["id"],
        b=auth["id"],
    )["relate"]
    assert (relation["sourceId"], relation["targetId"], relation["weight"]) == (api["id"], auth["id"], 1.0)
    found = ask(
        memory,
        """{ searchGraph(session: "s", query: "http requests", topK: 1) {
            direct { label content score } neighbors { label score depth path } totalNodes totalEdges } }""",
    )["searchGraph"]
    assert found["neighbors"] == [
        {
            "label": "Authentication",
            "score": 40.0,
            "depth": 1,
            "path": ["API client", "--[depends_on]-->", "Authentication"],
        }
    ]
    assert (found["direct"][0]["label"], found["totalNodes"], found["totalEdges"]) == ("API client", 2, 1)
    context = '{ resolveContext(session: "s", key: "%s") { source value score nodeId } }'
    assert ask(memory, context % "k")["resolveContext"]["source"] == "short_term"
    assert ask(memory, context % "login tokens")["resolveContext"]["nodeId"] == auth["id"]
    assert ask(memory, context % "pancakes")["resolveContext"]["source"] == "miss"
    assert ask(memory, '{ sessionStatus(session: "s") { slots siloSize nodes edges types promotionThreshold } }') == {
        "sessionStatus": {
            "slots": 1,
            "siloSize": 256,
            "nodes": 2,
            "edges": 1,
            "types": {"concept": 2},
            "promotionThreshold": 3,
        }
    }
    assert ask(memory, 'mutation { flush(session: "s") }') == {"flush": 1}


def test_a_memory_is_stored_and_forgotten(memory: Memory) -> None:
    stored = ask(
        memory,
        """mutation { store(content: "The ledger stays on PostgreSQL 15", tags: ["ledger"], source: "decisions",
            importance: 0.9, occurredAt: "2026-03-01", metadata: {ticket: 7}) { id summary created cues } }""",
    )["store"]
    assert (stored["created"], memory.get(stored["id"]).engram.metadata) == (True, {"ticket": 7})
    forget = "mutation ($id: ID!, $purge: Boolean!) { forget(id: $id, purge: $purge) { ids purged undo } }"
    forgotten = ask(memory, forget, id=stored["id"], purge=False)["forget"]
    assert (forgotten["ids"], forgotten["purged"]) == ([stored["id"]], False)
    assert ask(memory, "{ engrams { nodes { id } } }") == {"engrams": {"nodes": []}}
    memory.undo(forgotten["undo"])
    assert ask(memory, forget, id=stored["id"], purge=True)["forget"] == {
        "ids": [stored["id"]],
        "purged": True,
        "undo": None,
    }


def test_what_is_refused_says_why_and_leaves_what_worked(memory: Memory) -> None:
    ran = run(memory, '{ status { user } engrams(memoryType: "poem") { nodes { id } } }')
    assert [error["message"] for error in ran.errors] == [
        "memoryType: must be one of episodic, semantic, procedural, got 'poem'"
    ]
    assert errors(memory, 'mutation { forget(id: "never") { ids } }') == ["memory 'never' not found"]
    assert errors(memory, 'mutation { store(content: " ") { id } }') == [
        "content: content is required and must not be blank"
    ]
    relate = 'mutation { relate(session: "s", sourceId: "a", targetId: "b", relation: "r") { id } }'
    assert errors(memory, relate) == ["node 'a' or 'b' not found"]
    assert errors(memory, '{ links(of: "x", kinds: ["LIKES"]) { id } }')[0].startswith("kinds: must be one of")
    assert errors(memory, "{ nonsense }") == ["Cannot query field 'nonsense' on type 'Query'."]
    assert errors(memory, "{ status {")[0].startswith("Syntax Error")
    assert errors(memory, "query ($id: ID!) { engram(id: $id) { id } }")[0].startswith(
        "Variable '$id' has invalid value"
    )


def test_of_several_changes_the_answer_tells_which_stand_when_one_fails(memory: Memory) -> None:
    several = """mutation {
        first: store(content: "One stands.") { created }
        second: forget(id: "never") { ids }
        third: relate(session: "s", sourceId: "a", targetId: "b", relation: "r") { id }
        fourth: set(session: "s", key: "k", value: "v")
    }"""
    ran = run(memory, several)
    assert ran.data == {"first": {"created": True}, "second": None, "third": None, "fourth": 0}
    assert [(error["path"], error["message"]) for error in ran.errors] == [
        (["second"], "memory 'never' not found"),
        (["third"], "node 'a' or 'b' not found"),
    ]
    assert memory.status().counts["engram"] == 1
    assert sessions_of(memory).peek("s", "k").value == "v"


def test_a_question_that_fails_takes_none_of_the_others_along(memory: Memory) -> None:
    ran = run(memory, '{ status { user } engrams(memoryType: "poem") { nodes { id } } changes { id } }')
    assert ran.data == {"status": {"user": "alice"}, "engrams": None, "changes": []}
    assert [error["path"] for error in ran.errors] == [["engrams"]]


def test_no_field_takes_others_along_when_it_fails() -> None:
    for name in ("Query", "Mutation"):
        kind = schema()._schema.get_type(name)
        assert [field for field, of in kind.fields.items() if str(of.type).endswith("!")] == []  # type: ignore[union-attr]


def test_a_change_whose_answer_is_too_long_is_told_to_stand(memory: Memory) -> None:
    node = """mutation ($content: String!) {
        upsertNode(session: "s", type: "note", label: "long", content: $content) { content } }"""
    ran = run(memory, node, {"content": "x" * 1_010_000})
    assert ran.data is None
    (error,) = ran.errors
    assert error["message"].startswith("operation: its answer must be at most 1,000,000 bytes, and is 1,010,0")
    assert error["message"].endswith("ask for less. What it changed stands")
    assert sessions_of(memory).mover.count("s")["nodes"] == 1


def test_an_error_nobody_foresaw_is_logged_and_not_shown(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def break_down(*arguments: object, **more: object) -> None:
        raise RuntimeError("a secret of the machine")

    monkeypatch.setattr(memory, "status", break_down)
    (message,) = errors(memory, "{ status { user } }")
    assert message.startswith("internal error (ref ")
    assert "secret" not in message
    assert "a secret of the machine" in caplog.text


# --- limits ---


def too_much(memory: Memory, operation: str, **variables: Any) -> str:
    with pytest.raises(InvalidInput) as refused:
        run(memory, operation, variables)
    return str(refused.value)


def test_a_request_that_nests_too_deep_is_refused(memory: Memory, told: str) -> None:
    bomb = "id"
    for _ in range(6):
        bomb = f"links(first: 1) {{ target {{ ... on Engram {{ {bomb} }} ... on Cue {{ {bomb} }} }} }}"
    message = too_much(memory, f"{{ engrams {{ nodes {{ {bomb} }} }} }}")
    assert message == "operation: its depth must be at most 10, and is 15"
    assert errors(memory, "{ a " * 1500 + "}" * 1500)[0].startswith("Syntax Error: Document is nested too deeply")


def test_a_request_with_too_many_aliases_is_refused(memory: Memory) -> None:
    many = " ".join(f'a{number}: recall(query: "x") {{ pending }}' for number in range(100))
    assert too_much(memory, f"{{ {many} }}") == "operation: its aliases must be at most 30, and is 100"


def test_a_request_that_asks_for_a_million_is_refused_by_the_name_of_the_field(memory: Memory) -> None:
    assert errors(memory, "{ engrams(first: 1000000) { nodes { id } } }") == [
        "first: must be a whole number from 1 to 100, got 1,000,000"
    ]
    assert errors(memory, "query ($n: Int!) { engrams(first: $n) { nodes { id } } }", n=1_000_000) == [
        "first: must be a whole number from 1 to 100, got 1,000,000"
    ]
    assert errors(memory, '{ recall(query: "x", limit: 1000000) { pending } }') == [
        "limit: must be a whole number from 1 to 100, got 1,000,000"
    ]
    assert errors(memory, "{ engrams(first: 99999999999999) { nodes { id } } }")[0].startswith("Int cannot represent")


def test_lists_within_lists_are_counted_as_often_as_they_may_come(memory: Memory) -> None:
    inner = "links(first: 100) { target { ... on Engram { links(first: 100) { id } } } }"
    wide = f"{{ engrams(first: 100) {{ nodes {{ {inner} }} }} }}"
    assert too_much(memory, wide).startswith("operation: its complexity must be at most 20,000, and is 1,0")
    assert too_much(
        memory, "query ($n: Int) { engrams(first: $n) { nodes { links(first: $n) { id kind evidence } } } }", n=100
    ).startswith("operation: its complexity must be")


def test_fragments_that_multiply_are_measured_and_not_unfolded(memory: Memory) -> None:
    fragments = [f"fragment f{n} on Query {{ {' '.join(f'...f{n + 1}' for _ in range(10))} }}" for n in range(30)]
    bomb = "{ ...f0 } " + " ".join(fragments) + " fragment f30 on Query { a: status { user } }"
    assert too_much(memory, bomb) == "operation: its aliases must be at most 30, and is far more"
    circle = "{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }"
    assert "Cannot spread fragment" in errors(memory, circle)[0]


def test_an_answer_that_is_too_long_is_refused(memory: Memory) -> None:
    for number in range(12):
        memory.store(f"{number} " + "x" * 100_000)
    message = too_much(memory, "{ engrams { nodes { content(length: 100000) } } }")
    assert message.startswith("operation: its answer must be at most 1,000,000 bytes, and is 1,20")
    assert too_much(memory, "#" * (limits.MAX_TEXT + 1)).startswith("operation: must be at most 100,000 characters")
    assert errors(memory, "{ status { " + "user " * 6000 + "} }")[0].startswith("Syntax Error")


def test_the_limits_are_told_where_clients_read_them() -> None:
    text = to_text()
    for limit in (
        "at most 10 fields deep",
        "30 aliases",
        "a complexity of 20,000",
        "100,000 characters",
        "5,000 tokens",
    ):
        assert limit in text
    assert "1,000,000 bytes" in text
    sized = {"first", "limit", "total", "topK", "maxDepth", "depth", "length"}
    bounded = {"content", "value", "query", "question", "key", "label", "tags", "metadata", "importance", "weight"}
    for name, kind in schema()._schema.type_map.items():
        if name.startswith("__") or not isinstance(kind, GraphQLObjectType | GraphQLInterfaceType):
            continue
        for field, of in kind.fields.items():
            for argument, taken in of.args.items():
                if argument in sized | bounded:
                    assert taken.description, f"{name}.{field}({argument}) has a limit that is told nowhere"


def test_the_schema_can_be_asked_about_itself(memory: Memory) -> None:
    kinds = "kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } }"
    data = ask(memory, f"{{ __schema {{ types {{ fields {{ args {{ type {{ {kinds} }} }} }} }} }} }}")
    assert data["__schema"]["types"]


# --- the tool ---


@pytest.mark.anyio
async def test_of_several_operations_none_is_run_and_a_change_is_never_taken_from_what_was_kept(memory: Memory) -> None:
    several = 'query A { status { version } } mutation B { store(content: "hidden") { created } }'
    store = 'mutation { store(content: "one") { created } }'
    async with client(ready(memory), "session") as agent:
        for flag in (False, True):
            told = (await done(agent, "graphql", session_id="s", operation=several, use_mutation=flag)).json
            assert told["error"] == "operation: must hold a single operation, where none is named"
        assert "cache_key: must be left out for a mutation" in await refused(
            agent, "graphql", session_id="s", operation=store, cache_key="m"
        )
    assert memory.status().counts["engram"] == 0
    assert run(memory, several, operation_name="A").errors == ()


@pytest.mark.anyio
async def test_the_tool_runs_requests_and_keeps_their_data_under_a_key(memory: Memory) -> None:
    operation = "query ($n: Int!) { engrams(first: $n) { nodes { content } } }"
    arguments: dict[str, Any] = {"session_id": "s", "operation": operation, "variables": {"n": 3}, "cache_key": "list"}
    memory.store("first")
    async with client(ready(memory), "session") as agent:
        first = {"engrams": {"nodes": [{"content": "first"}]}}
        assert (await done(agent, "graphql", **arguments)).json == {"cached": False, "data": first}
        memory.store("second")
        assert (await done(agent, "graphql", **arguments)).json == {"cached": True, "data": first}
        assert (await done(agent, "peek", session_id="s", key="list")).json["hit"]
        await done(agent, "flush", session_id="s")
        assert len((await done(agent, "graphql", **arguments)).json["data"]["engrams"]["nodes"]) == 2
        failed = await done(agent, "graphql", session_id="s", operation="{ nonsense }", cache_key="other")
        assert failed.json["error"] == "Cannot query field 'nonsense' on type 'Query'."
        assert (await done(agent, "peek", session_id="s", key="other")).json == {"hit": False}
        made = await done(
            agent,
            "graphql",
            session_id="s",
            operation='mutation { store(content: "third") { created } }',
            use_mutation=True,
            endpoint="memory",
            headers={},
        )
        assert made.json == {"cached": False, "data": {"store": {"created": True}}}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("operation", "error"),
    [
        ("{ status {", "Syntax Error: "),
        ("{ nonsense }", "Cannot query field 'nonsense' on type 'Query'."),
        ("query ($id: ID!) { engram(id: $id) { id } }", "Variable '$id' has invalid value"),
        (
            "{ a { b { c { d { e { f { g { h { i { j { k } } } } } } } } } } }",
            "operation: its depth must be at most 10",
        ),
        ("#" * 100_001, "operation: must be at most 100,000 characters, got 100,001"),
        ("fragment f on Query { status { user } }", "operation: must hold a query or a mutation"),
        ("{ engrams(first: 1000000) { nodes { id } } }", "engrams: first: must be a whole number from 1 to 100"),
        ('mutation { forget(id: "never") { ids } }', "forget: memory 'never' not found"),
    ],
)
async def test_whatever_is_wrong_with_a_request_is_told_in_the_result_and_is_no_error_of_the_tool(
    memory: Memory, operation: str, error: str
) -> None:
    async with client(ready(memory), "session") as agent:
        told = (await done(agent, "graphql", session_id="s", operation=operation)).json
    assert told["error"].startswith(error)
    assert [each["message"] for each in told["errors"]]
    assert set(told) <= {"error", "errors", "data"}


@pytest.mark.anyio
async def test_the_result_of_changes_that_failed_half_way_tells_what_stands(memory: Memory) -> None:
    several = 'mutation { a: store(content: "One stands.") { created } b: forget(id: "never") { ids } }'
    async with client(ready(memory), "session") as agent:
        told = (await done(agent, "graphql", session_id="s", operation=several)).json
    assert told["error"] == "b: memory 'never' not found"
    assert told["data"] == {"a": {"created": True}, "b": None}


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"endpoint": "https://example.org/graphql"}, "endpoint: must be memory, or left out: requests are never sent"),
        ({"headers": {"Authorization": "x"}}, "headers: must be empty: requests are never sent elsewhere"),
        ({"use_mutation": True}, "use_mutation: the operation is no mutation"),
        ({"variables": "n"}, "variables: must be an object with text keys"),
        ({"cache_key": "plain"}, "cache_key: the value under this key is not the data of a request"),
    ],
)
async def test_the_tool_refuses_what_would_leave_the_memory_and_what_it_cannot_run(
    memory: Memory, arguments: dict[str, Any], problem: str
) -> None:
    sessions_of(memory).set("s", "plain", "no JSON")
    async with client(ready(memory), "session") as agent:
        message = await refused(
            agent, "graphql", **{"session_id": "s", "operation": "{ status { user } }", **arguments}
        )
    assert problem in message
