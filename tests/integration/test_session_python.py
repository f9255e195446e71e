# SPDX-License-Identifier: Apache-2.0
"""The Python names of pmll-memory-mcp: a program that used them runs with only its imports changed."""

from __future__ import annotations

import inspect
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import becausal.session
from becausal import Memory
from becausal.errors import InvalidInput
from becausal.session import (
    EMBED_DIM,
    HashingVectorizer,
    PMMemoryStore,
    QPromiseRegistry,
    TfIdfVectorizer,
    add_interlinked_context,
    clear_graph,
    configure_db,
    cosine_similarity,
    create_relation,
    embed,
    embeddings,
    export_graph,
    get_graph_stats,
    get_memory_status,
    import_graph,
    kv_store,
    memory_graph,
    peek_context,
    promote_to_long_term,
    prune_stale_links,
    reload_session_from_db,
    resolve_context,
    retrieve_with_traversal,
    search_graph,
    server,
    upsert_node,
)
from becausal.session.current import close
from becausal.session.memory_graph import GraphSearchResult, MemoryEdge, MemoryNode, TraversalResult

SEARCHING = """
from becausal.session import upsert_node, create_relation, search_graph

session_id = "graph-demo"
api = upsert_node(session_id, "concept", "API client", "Wraps HTTP requests")
auth = upsert_node(session_id, "concept", "Authentication", "Handles login tokens")
create_relation(session_id, api.id, auth.id, "depends_on")

result = search_graph(session_id, "login client")
print(result.direct[0].node.label)
print(result.total_nodes, result.total_edges)
"""

INTERLINKING = """
from becausal.session import add_interlinked_context, retrieve_with_traversal

session_id = "graph-advanced"
bulk = add_interlinked_context(
    session_id,
    [
        {"type": "file", "label": "server.py", "content": "Registers MCP tools"},
        {"type": "symbol", "label": "resolve_context", "content": "Falls back from cache to graph"},
        {"type": "note", "label": "deployment", "content": "Run over stdio transport"},
    ],
    auto_link=True,
)

start_id = bulk["nodes"][0].id
for item in retrieve_with_traversal(session_id, start_id, max_depth=2):
    print(item.depth, item.node.label, item.relevance_score)
"""


@pytest.fixture(autouse=True)
def _kept_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let each test have a memory of its own, closed at its end, and fresh module state."""
    monkeypatch.setenv("STORAGE_LOCATION", str(tmp_path / "memories"))
    monkeypatch.setenv("ACCESSING_USER", "alice")
    monkeypatch.setenv("BECAUSAL_EMBEDDER", "hashing")
    configure_db(None)
    kv_store._session_stores.clear()
    yield
    configure_db(None)
    close()


# --- programs ---


@pytest.mark.parametrize(
    ("program", "output"),
    [(SEARCHING, "Authentication\n2 1\n"), (INTERLINKING, "0 server.py 100.0\n")],
    ids=["searching", "interlinking"],
)
def test_a_program_runs_with_only_its_imports_changed(program: str, output: str, tmp_path: Path) -> None:
    for _ in range(2):  # what the first run left is there in the second, and makes no difference
        ran = subprocess.run(
            [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, cwd=tmp_path
        )
        assert (ran.stdout, ran.stderr, ran.returncode) == (output, "", 0)


def test_a_workflow_goes_from_a_peek_to_the_long_term_and_back() -> None:
    store, promises = PMMemoryStore(silo_size=4), QPromiseRegistry()
    assert peek_context("page", "s", store, promises) == {"hit": False}
    promises.register("page")
    assert peek_context("page", "s", store, promises) == {"hit": True, "status": "pending", "promise_id": "page"}
    promises.resolve("page", "done")
    assert peek_context("page", "s", store, promises) == {"hit": False}  # its value is not in the store
    store.set("page", "contents")
    assert peek_context("page", "s", store, promises) == {"hit": True, "value": "contents", "index": 0}
    assert resolve_context("s", "page", store) == {"source": "short_term", "value": "contents", "score": 1.0}
    assert get_memory_status("s", store)["short_term"] == {"slots": 1, "silo_size": 4}
    promoted = promote_to_long_term("s", "page", "contents", metadata={"from": "web"})
    assert promoted["node_id"] == promoted["nodeId"]
    store.flush()
    found = resolve_context("s", "page", store)
    assert (found["source"], found["value"]) == ("long_term", "contents")
    assert resolve_context("s", "unrelated", store) == {"source": "miss", "value": None, "score": 0.0}
    assert resolve_context("never", "page", store)["source"] == "miss"


def test_a_value_that_is_resolved_three_times_is_kept_for_good() -> None:
    store = PMMemoryStore()
    store.set("k", "v")
    for _ in range(3):
        assert get_graph_stats("s")["nodes"] == 0
        resolve_context("s", "k", store)
    assert get_graph_stats("s")["types"] == {"concept": 1}


# --- names and shapes ---


def test_every_name_is_there_and_is_what_it_says() -> None:
    assert sorted(becausal.session.__all__) == sorted(set(becausal.session.__all__))
    assert all(hasattr(becausal.session, name) for name in becausal.session.__all__)
    assert (EMBED_DIM, len(embed("login"))) == (128, 128)
    assert cosine_similarity(embed("login"), embed("login")) == pytest.approx(1)
    assert embeddings.get_hasher().vectorize("a bc") == HashingVectorizer().vectorize("a bc") == embed("a bc")
    assert TfIdfVectorizer().vectorize("anything") == []


SIGNATURES = {
    upsert_node: "session_id, node_type, label, content, metadata=None",
    create_relation: "session_id, source_id, target_id, relation, weight=None, metadata=None",
    search_graph: "session_id, query, max_depth=1, top_k=5, edge_filter=None",
    prune_stale_links: "session_id, threshold=None",
    add_interlinked_context: "session_id, items, auto_link=True",
    retrieve_with_traversal: "session_id, start_node_id, max_depth=2, edge_filter=None",
    resolve_context: "session_id, key, store",
    promote_to_long_term: "session_id, key, value, node_type='concept', metadata=None",
    get_memory_status: "session_id, store",
}


@pytest.mark.parametrize("function", SIGNATURES, ids=lambda function: function.__name__)
def test_a_function_takes_what_programs_give_it(function: Any) -> None:
    taken = inspect.signature(function).parameters.values()
    assert ", ".join(str(each.replace(annotation=inspect.Parameter.empty)) for each in taken) == SIGNATURES[function]


def test_results_are_the_dataclasses_that_programs_know() -> None:
    a = upsert_node("s", "file", "a.py", "Registers tools", {"lang": "python"})
    b = upsert_node("s", "symbol", "main", "Starts the server")
    assert isinstance(a, MemoryNode)
    assert (a.type, a.label, a.content, a.access_count, a.metadata) == (
        "file",
        "a.py",
        "Registers tools",
        1,
        {"lang": "python"},
    )
    assert a.embedding == embed("a.py Registers tools")
    assert a.created_at == a.last_accessed
    edge = create_relation("s", a.id, b.id, "contains", metadata={"line": "3"})
    assert isinstance(edge, MemoryEdge)
    assert (edge.source, edge.target, edge.relation, edge.weight, edge.metadata) == (
        a.id,
        b.id,
        "contains",
        1.0,
        {"line": "3"},
    )
    assert create_relation("s", a.id, "never", "contains") is None
    assert create_relation("s", a.id, b.id, "any word", 0.4) is not None
    found = search_graph("s", "tools", max_depth=1, top_k=1, edge_filter=["contains"])
    assert isinstance(found, GraphSearchResult)
    assert [hit.node.id for hit in found.neighbors] == [b.id]
    reached = retrieve_with_traversal("s", a.id)
    assert all(isinstance(each, TraversalResult) for each in reached)
    assert reached[1].path_relations == ["a.py", "--[contains]-->", "main"]
    assert retrieve_with_traversal("s", "never") == []
    assert prune_stale_links("s") == {"removed": 0, "remaining": 2, "remaining_edges": 2}
    made = add_interlinked_context("s", [{"type": "note", "label": "a.py", "content": "Registers tools"}])
    assert [type(each) for each in (*made["nodes"], *made["edges"])] == [MemoryNode, MemoryEdge]
    stats = get_graph_stats("s")
    assert (stats["nodes"], stats["edges"]) == (3, 3)
    assert Path(stats["db_path"]).is_file()
    assert reload_session_from_db("s") == stats


def test_the_server_s_functions_answer_as_its_tools_do() -> None:
    assert server.init("s", 0) == {"status": "initialized", "session_id": "s", "silo_size": 1, "cleared": True}
    assert server.peek("s", "k") == {"hit": False}
    assert server.peek("s", "k", claim=True)["claimed"]
    assert server.peek("s", "k", wait_ms=1) == {"hit": True, "status": "pending", "promise_id": "k"}
    waiter = threading.Thread(target=server.set, args=("s", "k", "v"))
    waiter.start()
    assert server.peek("s", "k", claim=True, wait_ms=30_000) == {"hit": True, "value": "v", "index": 0}
    waiter.join()
    assert server.resolve("s", "k") == {"status": "resolved", "payload": "v"}
    assert server.resolve("s", "never") == {"status": "unknown", "payload": None}
    assert server.resolve_memory_context("s", "k")["source"] == "short_term"
    assert kv_store.get_store("s").peek("k") == (True, "v", 0)
    a = server.upsert_memory_node("s", "concept", "a", "text of a")["node_id"]
    assert server.create_memory_relation("s", a, a, "references")["weight"] == 1.0
    assert server.create_memory_relation("s", a, "never", "references")["status"] == "error"
    assert server.search_memory_graph("s", "text")["direct"][0]["node_id"] == a
    assert server.retrieve_memory_traversal("s", a)["start_node"] == "a"
    assert server.retrieve_memory_traversal("s", "never") == {"status": "error", "message": "Node not found: never"}
    items = [{"type": "note", "label": "n", "content": "c"}]
    assert server.add_interlinked_memory("s", items)["nodes_created"] == 1
    assert server.prune_memory_links("s")["status"] == "pruned"
    assert server.promote_memory_to_long_term("s", "p", "q")["promoted"]
    assert server.memory_status("s")["longTerm"]["nodes"] == 3
    assert server.flush("s") == {"status": "flushed", "cleared_count": 1}


def test_promises_registered_by_hand_are_known_to_the_server_s_functions() -> None:
    registry = server._promise_registry
    registry.register("page")
    assert server.peek("s", "page") == {"hit": True, "status": "pending", "promise_id": "page"}
    assert server.peek("s", "page", claim=True, wait_ms=1)["status"] == "pending"
    assert server.resolve("s", "page") == {"status": "pending", "payload": None}
    registry.resolve("page", "contents")
    assert server.resolve("s", "page") == {"status": "resolved", "payload": "contents"}
    assert server.peek("s", "page") == {"hit": False}  # its value is in no store
    registry.register("broken")
    registry.reject("broken", "no")
    assert server.resolve("s", "broken") == {"status": "rejected", "payload": None, "reason": "no"}
    registry._promises.clear()
    assert server.resolve("s", "page") == {"status": "unknown", "payload": None}


def test_sessions_with_values_are_listed_and_cleared() -> None:
    server.init("s")
    assert "s" in server._active_sessions
    server.flush("s")
    assert "s" not in server._active_sessions
    server.set("s", "k", "v")
    server._active_sessions.clear()
    assert server.peek("s", "k") == {"hit": False}


def test_what_is_no_text_or_no_number_is_refused_by_name() -> None:
    assert [PMMemoryStore(size).silo_size for size in (0, -3, 2.9, "7", True)] == [1, 1, 2, 7, 1]  # type: ignore[arg-type]
    for size in ("many", None, [], float("inf"), float("nan")):
        with pytest.raises(InvalidInput, match="silo_size: must be a whole number"):
            PMMemoryStore(size)  # type: ignore[arg-type]
        with pytest.raises(InvalidInput, match="silo_size: must be a whole number"):
            server.init("s", size)  # type: ignore[arg-type]
    store = PMMemoryStore()
    for value, kind in ((5, "int"), (None, "NoneType"), (b"x", "bytes"), (["a"], "list")):
        with pytest.raises(InvalidInput, match=f"value: must be text, not {kind}"):
            store.set("k", value)  # type: ignore[arg-type]
        with pytest.raises(InvalidInput, match=f"key: must be text, not {kind}"):
            store.set(value, "v")  # type: ignore[arg-type]
        assert store.peek(value) == (False, None, None)  # type: ignore[arg-type]
    assert len(store) == 0
    assert store.set("", "") == 0
    with pytest.raises(InvalidInput, match="dim: must be a whole number from 1"):
        HashingVectorizer(0)


def test_vectors_of_other_lengths_and_a_vocabulary_of_one_s_own() -> None:
    hasher = HashingVectorizer(64)
    assert (hasher.vocab_size, len(hasher.vectorize("hello world"))) == (64, 64)
    own = TfIdfVectorizer()
    own.add_document("hello world")
    assert (own.vocab_size, len(own.vectorize("hello world"))) == (2, 2)


# --- where it is kept ---


def test_a_graph_is_part_of_the_user_s_memory_unless_a_program_sets_its_own_file(tmp_path: Path) -> None:
    upsert_node("s", "concept", "Auth", "Handles login tokens")
    configure_db(tmp_path / "graph.sqlite3")
    assert get_graph_stats("s")["nodes"] == 0
    upsert_node("s", "concept", "Other", "Wraps HTTP requests")
    place = Path(get_graph_stats("s")["db_path"])
    assert place.is_relative_to(tmp_path / "graph.sqlite3.becausal")
    assert not (tmp_path / "graph.sqlite3").exists()
    configure_db(None)
    assert [node["label"] for node in export_graph("s")["nodes"].values()] == ["Auth"]
    close()
    with Memory.open() as memory:
        assert [result.text for result in memory.recall("login tokens").results] == ["Handles login tokens"]
    configure_db(tmp_path / "graph.sqlite3")
    assert [node["label"] for node in export_graph("s")["nodes"].values()] == ["Other"]


def test_the_variable_for_the_file_means_the_same_and_a_graph_of_the_other_package_there_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "graph.sqlite3"
    file.write_bytes(b"somebody else's")
    monkeypatch.setenv("PMLL_GRAPH_DB", str(file))
    upsert_node("s", "concept", "Auth", "Handles login tokens")
    assert Path(get_graph_stats("s")["db_path"]).is_relative_to(tmp_path / "graph.sqlite3.becausal")
    monkeypatch.delenv("PMLL_GRAPH_DB")
    assert get_graph_stats("s")["nodes"] == 0
    assert file.read_bytes() == b"somebody else's"


def test_clearing_and_reading_in_touch_one_session_only() -> None:
    upsert_node("other", "note", "kept", "stays")
    a = upsert_node("s", "note", "a", "text")
    told = export_graph("s")
    assert clear_graph("s") == 1
    assert get_graph_stats("s")["nodes"] == 0
    assert import_graph("s", told) == {"nodes": 1, "edges": 0}
    assert export_graph("s") == told
    assert list(told["nodes"]) == [a.id]
    assert get_graph_stats("other")["nodes"] == 1


def test_clearing_the_module_s_state_is_a_fresh_start() -> None:
    with Memory.open() as memory:
        memory.store("Told elsewhere", session="elsewhere", label="kept", node_type="note")
    kv_store.get_store("s").set("k", "v")
    upsert_node("s", "note", "a", "text")
    assert "s" in memory_graph._graph_stores
    graph = memory_graph._graph_stores["s"]
    assert ([node.label for node in graph.nodes.values()], graph.edges) == (["a"], {})
    kv_store._session_stores.clear()
    memory_graph._graph_stores.clear()
    assert (len(kv_store.get_store("s")), get_graph_stats("s")["nodes"]) == (0, 0)
    assert search_graph("s", "text").direct == []
    assert get_graph_stats("elsewhere")["nodes"] == 1  # which this program never touched


def test_the_values_of_one_user_are_no_other_s(monkeypatch: pytest.MonkeyPatch) -> None:
    server.set("s", "k", "alice's own")
    monkeypatch.setenv("ACCESSING_USER", "bob")
    assert server.peek("s", "k") == {"hit": False}
    assert server.resolve_memory_context("s", "k")["source"] == "miss"


def test_stores_are_made_once_reset_and_dropped() -> None:
    store = kv_store.get_store("s", 7)
    assert kv_store.get_store("s") is store
    store.set("k", "v")
    assert kv_store.reset_store("s", 3).silo_size == 3
    assert kv_store.drop_store("s") == 0
    assert kv_store.get_store("s").silo_size == 256


def test_importing_the_names_loads_no_database_no_model_and_no_server() -> None:
    heavy = ("sqlite3", "numpy", "onnxruntime", "mcp", "pydantic", "strawberry", "becausal.engine", "becausal.encode")
    code = f"import sys, becausal.session; print([name for name in {heavy} if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
