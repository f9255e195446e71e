# SPDX-License-Identifier: Apache-2.0
"""The graphs of sessions over a real memory: identity, decay, search, traversal, pruning, linking, moving."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from becausal.engine.core import SessionOptions
from becausal.engine.memory import Memory
from becausal.errors import InvalidInput, StoreBusy
from becausal.models.hashing import HashingEmbedder
from becausal.session.graph.model import edge_of, node_of, weight_of
from becausal.session.sessions import Sessions, sessions_of
from memory_tools import NOON, TurnableClock, contents, open_test_memory

S = "graph-demo"


@pytest.fixture
def clock() -> TurnableClock:
    return TurnableClock()


@pytest.fixture
def memory(tmp_path: Path, clock: TurnableClock) -> Iterator[Memory]:
    with open_test_memory(tmp_path, clock=clock) as opened:
        yield opened


@pytest.fixture
def sessions(memory: Memory) -> Sessions:
    return sessions_of(memory)


def node(sessions: Sessions, label: str, content: str = "", type: str = "concept", session: str = S) -> str:
    return sessions.nodes.upsert(session, type, label, content or f"about {label}").id


def relate(sessions: Sessions, source: str, target: str, relation: str = "relates_to", **more: Any) -> str:
    link = sessions.linker.relate(S, source, target, relation, **more)
    assert link is not None
    return link.id


# --- identity ---


def test_a_node_is_one_by_session_type_and_label(sessions: Sessions) -> None:
    first = sessions.nodes.upsert(S, "concept", "Auth", "old", {"a": "1"})
    again = sessions.nodes.upsert(S, "concept", "Auth", "new", {"b": "2"})
    assert (again.id, again.content, again.metadata) == (first.id, "new", {"a": "1", "b": "2"})
    assert (first.access_count, again.access_count) == (1, 2)
    others = {
        sessions.nodes.upsert(S, "file", "Auth", "new").id,
        sessions.nodes.upsert(S, "concept", "auth", "new").id,
        sessions.nodes.upsert("other", "concept", "Auth", "new").id,
    }
    assert len(others | {first.id}) == 4


def test_the_same_content_told_again_counts_as_use_and_changes_nothing_else(memory: Memory, sessions: Sessions) -> None:
    first = sessions.nodes.upsert(S, "note", "Auth", "text")
    again = sessions.nodes.upsert(S, "note", "Auth", "text")
    assert (again.id, again.access_count, again.created_at) == (first.id, 2, first.created_at)
    assert again.last_accessed_at > first.last_accessed_at
    assert memory.changes() == ()


def test_a_change_of_content_can_be_undone_and_is_found_by_its_words_either_way(
    memory: Memory, sessions: Sessions
) -> None:
    sessions.nodes.upsert(S, "note", "Auth", "handles login tokens")
    sessions.nodes.upsert(S, "note", "Auth", "serves pancakes")
    assert sessions.walker.search(S, "pancakes").direct[0].relevance_score > 0
    memory.undo()
    (hit,) = sessions.walker.search(S, "login tokens").direct
    assert (hit.node.content, hit.relevance_score > 50) == ("handles login tokens", True)


@pytest.mark.parametrize(
    ("field", "arguments"),
    [
        ("session_id", ("", "concept", "a", "b")),
        ("type", (S, "memory", "a", "b")),
        ("type", (S, "thing", "a", "b")),
        ("label", (S, "concept", " ", "b")),
        ("label", (S, "concept", "a" * 513, "b")),
        ("content", (S, "concept", "a", "")),
        ("metadata", (S, "concept", "a", "b", {"x": float("nan")})),
    ],
)
def test_a_node_that_cannot_be_is_refused_by_its_field(
    sessions: Sessions, field: str, arguments: tuple[Any, ...]
) -> None:
    with pytest.raises(InvalidInput) as refused:
        sessions.nodes.upsert(*arguments)
    assert refused.value.field == field
    assert sessions.mover.count(S)["nodes"] == 0


def test_a_relation_is_one_by_its_ends_its_direction_and_its_name(sessions: Sessions) -> None:
    a, b = node(sessions, "a"), node(sessions, "b")
    first = relate(sessions, a, b, "depends_on", weight=0.5, metadata={"x": "1"})
    again = sessions.linker.relate(S, a, b, "depends_on", None, {"y": "2"})
    assert again is not None
    assert (again.id, weight_of(again), edge_of(again).metadata) == (first, 0.5, {"x": "1", "y": "2"})
    assert len({first, relate(sessions, b, a, "depends_on"), relate(sessions, a, b, "references")}) == 3
    assert relate(sessions, a, a, "contains")
    assert sessions.mover.count(S) == {
        "nodes": 2,
        "edges": 4,
        "types": {"concept": 2},
        "relations": {"depends_on": 2, "references": 1, "contains": 1},
    }


def test_a_relation_to_what_is_not_in_the_graph_is_not_made(memory: Memory, sessions: Sessions) -> None:
    a = node(sessions, "a")
    told = memory.store("Told, and no node", session=S).engram.id
    for other in ("never", node(sessions, "b", session="other"), told):
        assert sessions.linker.relate(S, a, other, "relates_to") is None
        assert sessions.linker.relate(S, other, a, "relates_to") is None


@pytest.mark.parametrize("weight", [-0.1, 1000.1, float("nan"), True, "1"])
def test_a_weight_out_of_range_is_refused(sessions: Sessions, weight: Any) -> None:
    a = node(sessions, "a")
    with pytest.raises(InvalidInput, match="weight: must be a number from 0 to 1,000"):
        sessions.linker.relate(S, a, a, "relates_to", weight)


# --- searching ---


def test_every_node_has_a_score_and_the_best_come_first(sessions: Sessions) -> None:
    api = node(sessions, "API client", "Wraps HTTP requests")
    auth = node(sessions, "Authentication", "Handles login tokens")
    relate(sessions, api, auth, "depends_on")
    found = sessions.walker.search(S, "login client")
    # "login" of four words with "login client": 1 / (√2 · √4) = .354; "client" of five, of which two share a place.
    assert [(hit.node.id, hit.relevance_score, hit.depth, hit.path_relations) for hit in found.direct] == [
        (auth, 35.4, 0, ["Authentication"]),
        (api, 26.7, 0, ["API client"]),
    ]
    assert (found.neighbors, found.total_nodes, found.total_edges) == ([], 2, 1)


@pytest.mark.parametrize("query", ["!!!", "???", "-- //", "…", "pancake", "the"])
def test_a_query_that_has_nothing_in_common_with_any_node_finds_nothing(sessions: Sessions, query: str) -> None:
    api = node(sessions, "API client", "Wraps HTTP requests")
    relate(sessions, api, node(sessions, "Authentication", "Handles login tokens"))
    found = sessions.walker.search(S, query)
    assert (found.direct, found.neighbors, found.total_nodes, found.total_edges) == ([], [], 2, 1)


def test_a_word_that_falls_on_the_place_of_another_is_no_hit_against_it_and_one_told_is_found_at_any_score(
    sessions: Sessions,
) -> None:
    # In 128 places "user" and "cluster" share one, with opposite signs: the cosine of the two is -1.
    node(sessions, "cluster", "cluster")
    assert sessions.walker.search(S, "user").direct == []
    both = node(sessions, "user cluster", "user cluster")
    assert [(hit.node.id, hit.relevance_score) for hit in sessions.walker.search(S, "user").direct] == [(both, 0.0)]


def test_words_that_hashing_does_not_read_are_found_as_words(sessions: Sessions) -> None:
    for number in range(8):
        node(sessions, f"node {number}", "unlike")
    guide = node(sessions, "部署指南", "构建镜像")
    greek = node(sessions, "οδηγός", "εγκατάσταση")
    assert [hit.node.id for hit in sessions.walker.search(S, "部署").direct] == [guide]
    assert [hit.node.id for hit in sessions.walker.search(S, "εγκατάσταση").direct] == [greek]
    assert sessions.walker.search(S, "烹饪").direct == []


def test_neighbours_come_both_ways_at_their_true_distance_and_are_no_direct_hits(
    sessions: Sessions, clock: TurnableClock
) -> None:
    hit = node(sessions, "alpha beta", "gamma")
    one, two, far = (node(sessions, name, "unlike") for name in ("one", "two", "far"))
    relate(sessions, hit, one, "contains")
    relate(sessions, two, hit, "references", weight=0.2)
    relate(sessions, one, two)  # the long way to two
    relate(sessions, two, far)
    found = sessions.walker.search(S, "alpha beta gamma", max_depth=2, top_k=1)
    assert [each.node.id for each in found.direct] == [hit]
    reached = {each.node.label: each for each in found.neighbors}
    assert {label: each.depth for label, each in reached.items()} == {"one": 1, "two": 1}  # cut to 2 · top_k
    assert reached["two"].path_relations == ["alpha beta", "--[references]-->", "two"]
    assert reached["two"].relevance_score == 40.0  # .6 · 0 + .4 · .2/.2
    clock.turn(days=13.862943611)
    later = sessions.walker.search(S, "alpha beta gamma", max_depth=1, top_k=1)
    assert [each.relevance_score for each in later.neighbors] == [20.0, 20.0]
    relate(sessions, two, hit, "references", weight=0.2)  # asserted again, it is fresh
    fresh = sessions.walker.search(S, "alpha beta gamma", max_depth=1, top_k=1)
    assert [(each.node.label, each.relevance_score) for each in fresh.neighbors] == [("two", 40.0), ("one", 20.0)]
    only = sessions.walker.search(S, "alpha beta gamma", max_depth=2, top_k=3, edge_filter=["contains"])
    assert [each.node.label for each in only.neighbors] == ["one"]


def test_an_empty_graph_is_searched_without_complaint(sessions: Sessions) -> None:
    found = sessions.walker.search("never", "anything")
    assert (found.direct, found.neighbors, found.total_nodes, found.total_edges) == ([], [], 0, 0)


def test_searching_touches_what_is_hit_and_does_not_count_it(sessions: Sessions, clock: TurnableClock) -> None:
    a = node(sessions, "alpha", "beta")
    clock.turn(days=3)
    sessions.walker.search(S, "alpha")
    engram = sessions.nodes.read([a])[a]
    assert engram.access_count == 1
    assert (engram.last_accessed_at - NOON).days == 3


def test_what_the_memory_itself_finds_alike_is_no_relation_of_the_session(memory: Memory, sessions: Sessions) -> None:
    a, b = node(sessions, "a", "the same words here"), node(sessions, "b", "the same words here")
    made = sessions.linker.interlink(S, [{"type": "note", "label": "c", "content": "the same words here"}])
    before = {edge_of(link).id: edge_of(link) for link in made.edges}
    memory.settle()
    assert {edge.id: edge for edge in map(edge_of, sessions.mover.links(S))} == before
    assert {edge.target for edge in before.values()} == {a, b}


def test_traversal_goes_by_true_distance_and_counts_the_start_as_used(sessions: Sessions) -> None:
    a, b, c, d = (node(sessions, name) for name in "abcd")
    relate(sessions, a, b)
    relate(sessions, b, c)
    relate(sessions, c, d)
    relate(sessions, d, a, "references", weight=0.5)  # d is one hop away, though three along the chain
    found = sessions.walker.traverse(S, a, 2)
    assert found is not None
    assert [(hit.node.label, hit.depth, hit.relevance_score) for hit in found] == [
        ("a", 0, 100.0),
        ("b", 1, 76.9),
        ("d", 1, 38.5),
        ("c", 2, 62.5),
    ]
    assert found[-1].path_relations == ["a", "--[relates_to]-->", "b", "--[relates_to]-->", "c"]
    assert found[0].node.access_count == 2
    assert sessions.walker.traverse(S, "never", 2) is None
    only = sessions.walker.traverse(S, a, 5, ["references"])
    assert only is not None
    assert [hit.node.label for hit in only] == ["a", "d"]


# --- sessions apart, or not ---


def test_a_search_stays_in_its_session_unless_a_setting_lets_it_across(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        node(sessions_of(memory), "API client", "Wraps HTTP requests", session="one")
        assert sessions_of(memory).walker.search("two", "http").total_nodes == 0
        assert sessions_of(memory).resolve_context("two", "http requests").source == "miss"
    with open_test_memory(tmp_path, session=SessionOptions(across=True)) as memory:
        across = sessions_of(memory)
        found = across.walker.search("two", "http")
        assert [hit.node.label for hit in found.direct] == ["API client"]
        assert across.resolve_context("two", "http requests").source == "long_term"
        there = node(across, "Authentication", session="two")
        assert across.linker.relate("two", there, found.direct[0].node.id, "depends_on") is not None


def test_nodes_of_other_users_are_never_seen(tmp_path: Path) -> None:
    with open_test_memory(tmp_path, user="alice") as alice, open_test_memory(tmp_path, user="bob") as bob:
        node(sessions_of(alice), "secret", "alice's own")
        assert sessions_of(bob).mover.count(S)["nodes"] == 0
        assert sessions_of(bob).peek(S, "secret").value is None
        assert sessions_of(alice).promises.claim(S, "key")
        assert sessions_of(bob).promises.claim(S, "key")


# --- pruning ---


def test_pruning_takes_faded_relations_and_idle_nodes_and_can_be_undone(
    memory: Memory, sessions: Sessions, clock: TurnableClock
) -> None:
    a, b, used = node(sessions, "a"), node(sessions, "b"), node(sessions, "used")
    node(sessions, "used")  # told twice: no longer an unused node
    relate(sessions, a, b)
    clock.turn(days=37)
    assert sessions.pruner.prune(S).edges == 0
    clock.turn(days=1)  # .1496 of the weight is left
    late = node(sessions, "late")
    done = sessions.pruner.prune(S)
    assert (done.edges, done.nodes, done.remaining) == (1, 2, 0)
    assert {known.id for known in sessions.nodes.known(S)} == {used, late}
    assert contents(memory.recall("about a", mode="fts")) == []
    assert sessions.walker.search(S, "a").total_nodes == 2
    memory.undo(done.change)
    assert {known.id for known in sessions.nodes.known(S)} == {a, b, used, late}
    (link,) = sessions.mover.links(S)
    assert (link.src, link.dst, weight_of(link), link.created_at < clock.now()) == (a, b, 1.0, True)
    assert sessions.pruner.prune(S, 0).edges == 0


def test_a_pruned_node_that_is_told_again_is_back(sessions: Sessions, clock: TurnableClock) -> None:
    a = node(sessions, "a", "text")
    clock.turn(days=8)
    assert sessions.pruner.prune(S).nodes == 1
    assert sessions.nodes.known(S) == []
    assert node(sessions, "a", "text") == a
    assert [known.id for known in sessions.nodes.known(S)] == [a]


def test_pruning_nothing_leaves_nothing_to_undo(memory: Memory, sessions: Sessions) -> None:
    relate(sessions, node(sessions, "a"), node(sessions, "b"))
    done = sessions.pruner.prune(S)
    assert (done.edges, done.nodes, done.remaining, done.change) == (0, 0, 1, None)
    assert memory.changes() == ()


# --- linking what is alike ---


def test_nodes_told_together_are_related_from_a_cosine_of_seventy_two_hundredths(sessions: Sessions) -> None:
    old = node(sessions, "alpha beta", "gamma delta")
    made = sessions.linker.interlink(
        S,
        [
            {"type": "file", "label": "alpha beta", "content": "gamma delta"},
            {"type": "note", "label": "alpha beta", "content": "gamma epsilon"},  # three words of four: .75
            {"type": "symbol", "label": "alpha beta", "content": "zeta eta"},  # two of four: .5
        ],
    )
    file, note, symbol = (each.id for each in made.nodes)
    edges = {(link.src, link.dst): (link.relation_type, round(weight_of(link), 6)) for link in made.edges}
    assert edges == {
        (file, note): ("similar_to", 0.75),
        (file, old): ("similar_to", 1.0),
        (note, old): ("similar_to", 0.75),
    }
    assert symbol not in {end for pair in edges for end in pair}
    again = sessions.linker.interlink(S, [{"type": "file", "label": "alpha beta", "content": "gamma delta"}])
    assert len(again.edges) == 2  # renewing counts too
    assert sessions.mover.count(S)["edges"] == 3


def test_linking_can_be_left_out_and_its_bounds_set(tmp_path: Path) -> None:
    options = SessionOptions(link_threshold=0.4, link_cap=1)
    with open_test_memory(tmp_path, session=options) as memory:
        sessions = sessions_of(memory)
        items = [{"type": "note", "label": "alpha beta", "content": "zeta eta"}]
        first, second = (node(sessions, "alpha beta", "gamma delta", type) for type in ("file", "concept"))
        assert sessions.linker.interlink(S, items, auto_link=False).edges == []
        (link,) = sessions.linker.interlink(S, items).edges
        assert (link.dst, round(weight_of(link), 6)) == (first, 0.5)  # the oldest alone was compared
        assert second != first


@pytest.mark.parametrize(
    ("field", "items"),
    [
        ("items", []),
        ("items", "text"),
        ("items", [{"type": "note", "label": "a", "content": "b"}] * 101),
        ("items.0", ["text"]),
        ("items.1.label", [{"type": "note", "label": "a", "content": "b"}, {"type": "note", "content": "b"}]),
        ("items.0.colour", [{"type": "note", "label": "a", "content": "b", "colour": "red"}]),
        ("items.type", [{"type": "thing", "label": "a", "content": "b"}]),
    ],
)
def test_items_that_cannot_be_nodes_are_refused_by_their_place(sessions: Sessions, field: str, items: Any) -> None:
    with pytest.raises(InvalidInput) as refused:
        sessions.linker.interlink(S, items)
    assert refused.value.field == field


# --- moving ---


def test_a_graph_that_is_written_out_and_read_in_is_the_same(sessions: Sessions, clock: TurnableClock) -> None:
    a, b = node(sessions, "a"), node(sessions, "b", type="file")
    relate(sessions, a, b, "depends_on", weight=0.7, metadata={"why": "because"})
    other = node(sessions, "kept", session="other")
    clock.turn(days=5)
    told = sessions.mover.export(S)
    assert told["nodes"][a]["label"] == "a"
    assert len(told["nodes"][a]["embedding"]) == 128
    sessions.nodes.upsert(S, "note", "later", "is not in it")
    assert sessions.mover.bring_in(S, told) == {"nodes": 2, "edges": 1}
    assert sessions.mover.export(S) == told
    assert [known.id for known in sessions.nodes.known("other")] == [other]
    assert sessions.mover.bring_in("copy", told) == {"nodes": 2, "edges": 1}
    copy = sessions.mover.export("copy")
    assert {each["label"] for each in copy["nodes"].values()} == {"a", "b"}
    assert not set(copy["nodes"]) & set(told["nodes"])  # taken by the first session


def test_a_graph_of_the_other_package_keeps_its_ids_and_times(sessions: Sessions) -> None:
    told = {
        "nodes": {
            "mn-1700000000000-abc123": {
                "type": "concept",
                "label": "Auth",
                "content": "Handles login tokens",
                "created_at": 1_700_000_000_000,
                "access_count": 4,
            }
        },
        "edges": {},
    }
    sessions.mover.bring_in(S, told)
    (hit,) = sessions.walker.search(S, "login").direct
    assert (hit.node.id, hit.node.created_at, hit.node.access_count) == ("mn-1700000000000-abc123", 1.7e9, 4)
    assert node(sessions, "Auth", "renewed") == "mn-1700000000000-abc123"


@pytest.mark.parametrize(
    ("field", "data"),
    [
        ("data", []),
        ("nodes", {"nodes": []}),
        ("nodes.x.type", {"nodes": {"x": {"type": "thing", "label": "a", "content": "b"}}}),
        ("nodes.x.content", {"nodes": {"x": {"type": "note", "label": "a"}}}),
        ("nodes.x.created_at", {"nodes": {"x": {"type": "note", "label": "a", "content": "b", "created_at": "x"}}}),
        ("edges.e.source", {"nodes": {}, "edges": {"e": {"source": "x", "target": "y", "relation": "r"}}}),
    ],
)
def test_a_graph_that_cannot_be_read_in_leaves_what_is_there(sessions: Sessions, field: str, data: Any) -> None:
    a = node(sessions, "a")
    with pytest.raises(InvalidInput) as refused:
        sessions.mover.bring_in(S, data)
    assert refused.value.field == field
    assert [known.id for known in sessions.nodes.known(S)] == [a]


def test_clearing_forgets_one_session_and_can_be_undone(memory: Memory, sessions: Sessions) -> None:
    a = node(sessions, "a")
    relate(sessions, a, node(sessions, "b"))
    other = node(sessions, "kept", session="other")
    assert sessions.mover.clear(S) == 3
    assert sessions.mover.clear(S) == 0
    assert (sessions.nodes.known(S), [known.id for known in sessions.nodes.known("other")]) == ([], [other])
    memory.undo()
    assert sessions.mover.count(S) == {
        "nodes": 2,
        "edges": 1,
        "types": {"concept": 2},
        "relations": {"relates_to": 1},
    }
    assert sessions.walker.search(S, "about").direct[0].relevance_score == 100


def test_a_memory_that_is_told_as_a_node_is_one_and_an_exported_one_is_found_where_it_is_imported(
    tmp_path: Path, memory: Memory
) -> None:
    told = memory.store("Handles login tokens", session=S, label="Auth", node_type="concept").engram
    assert node_of(sessions_of(memory).nodes.read([told.id])[told.id]).access_count == 1
    memory.transfer.export(tmp_path / "all.jsonl")
    with open_test_memory(tmp_path / "elsewhere", user="bob") as other:
        other.transfer.restore(tmp_path / "all.jsonl")
        (hit,) = sessions_of(other).walker.search(S, "login tokens").direct
        assert hit.relevance_score == 70.7


def test_an_imported_graph_of_the_other_package_is_searched_and_walked_in_its_session(
    tmp_path: Path, memory: Memory, sessions: Sessions
) -> None:
    file = tmp_path / "graph.json"
    nodes = {
        "mn-1": {"type": "concept", "label": "API client", "content": "Wraps HTTP requests"},
        "mn-2": {"type": "concept", "label": "Authentication", "content": "Handles login tokens"},
    }
    edges = {"me-1": {"source": "mn-1", "target": "mn-2", "relation": "depends_on", "weight": 2.5}}
    file.write_text(json.dumps({S: {"nodes": nodes, "edges": edges}}), encoding="utf-8")
    memory.transfer.import_file(file)
    found = sessions.walker.search(S, "http requests", top_k=1)
    assert [(hit.node.label, hit.relevance_score) for hit in found.neighbors] == [("Authentication", 40.0)]
    assert (found.total_nodes, found.total_edges) == (2, 1)
    (link,) = sessions.mover.links(S)
    assert weight_of(link) == 2.5
    again = sessions.linker.relate(S, link.src, link.dst, "depends_on")
    assert again is not None
    assert (again.id, sessions.mover.count(S)["edges"]) == (link.id, 1)


def test_the_vectors_of_nodes_outlive_a_change_of_embedder(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        node(sessions_of(memory), "Auth", "Handles login tokens")
        memory.settle()
    with open_test_memory(tmp_path, embedder=HashingEmbedder(), reindexing=True) as memory:
        memory.reindex()
        (hit,) = sessions_of(memory).walker.search(S, "login tokens").direct
        assert hit.relevance_score == 70.7
        memory.forget(hit.node.id, purge=True)
        assert sessions_of(memory).walker.search(S, "login tokens").total_nodes == 0


def test_a_value_that_could_not_be_promoted_when_it_was_due_is_promoted_at_its_next_use(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*arguments: object) -> None:
        raise StoreBusy("another process keeps it locked")

    sessions.set(S, "k", "v")
    with monkeypatch.context() as locked:
        locked.setattr(sessions.nodes, "upsert", refuse)
        assert [sessions.peek(S, "k").value for _ in range(4)] == ["v"] * 4
    assert "could not be promoted" in caplog.text
    assert sessions.mover.count(S)["nodes"] == 0
    sessions.peek(S, "k")
    sessions.peek(S, "k")
    (known,) = sessions.nodes.known(S)
    assert known.access_count == 1
