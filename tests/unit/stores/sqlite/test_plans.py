# SPDX-License-Identifier: Apache-2.0
"""The questions that are asked all the time are answered from indexes: none reads a whole table."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from becausal.domain.records import Kind, LinkKind
from becausal.ports.batch import Batch
from becausal.ports.store import Condition, Cursor, Op, Order, Where
from becausal.stores.sqlite.store import SqliteStore
from contract.samples import T0, cue, engram, link, passage, put, put_links, put_vector, vector

IDS = tuple(f"e{i}" for i in range(50))
LIVE: Where = (Condition("archived_at", Op.NULL, True),)
PENDING: Where = (Condition("indexed_at", Op.NULL, True),)
SOURCE: Where = (*LIVE, Condition("source", Op.EQ, "s"))
TAGGED: Where = (*LIVE, Condition("tags", Op.HAS, ("t",)))

QUESTIONS: dict[str, Callable[[SqliteStore], object]] = {
    "get": lambda store: store.get(Kind.ENGRAM, IDS),
    "peek": lambda store: store.peek(Kind.ENGRAM, IDS, ["content", "source"]),
    "links": lambda store: store.links(IDS),
    "links of kinds": lambda store: store.links(IDS, [LinkKind.ENCODED_BY, LinkKind.FOLLOWS], "in"),
    "edges": lambda store: store.edges(IDS, [LinkKind.ENCODED_BY, LinkKind.FOLLOWS], "both", 3),
    "which pass": lambda store: store.passing(Kind.ENGRAM, IDS, SOURCE),
    "strongest links": lambda store: store.links(IDS, limit=1),
    "pending": lambda store: store.find(Kind.ENGRAM, PENDING, Order("created_at"), 10),
    "pending by id": lambda store: store.find(Kind.ENGRAM, PENDING, limit=10),
    "newest": lambda store: store.find(Kind.ENGRAM, LIVE, Order("created_at", descending=True), 10),
    "newer": lambda store: store.find(Kind.ENGRAM, LIVE, Order("created_at"), 10, Cursor(T0, "e1")),
    "older": lambda store: store.find(Kind.ENGRAM, LIVE, Order("at", descending=True), 10, Cursor(T0, "e1")),
    "of a source": lambda store: store.find(Kind.ENGRAM, SOURCE, Order("created_at"), 10),
    "of a label": lambda store: store.find(Kind.ENGRAM, (Condition("label", Op.EQ, "l"),)),
    "of a session": lambda store: store.find(Kind.ENGRAM, (Condition("session", Op.EQ, "s"),)),
    "of a hash": lambda store: store.find(Kind.ENGRAM, (Condition("content_hash", Op.EQ, "h"),)),
    "with a tag": lambda store: store.find(Kind.ENGRAM, TAGGED),
    "in a time": lambda store: store.find(Kind.ENGRAM, (Condition("at", Op.GE, T0), Condition("at", Op.LT, T0))),
    "cues by name": lambda store: store.find(Kind.CUE, (Condition("name", Op.IN, IDS),)),
    "passages": lambda store: store.find(Kind.PASSAGE, (Condition("engram_id", Op.IN, IDS),), Order("position")),
    "text": lambda store: store.text_search(Kind.ENGRAM, ["word", "other"], 10),
    "text of a source": lambda store: store.text_search(Kind.ENGRAM, ["word"], 10, SOURCE),
    "text of ids": lambda store: store.occurrences(Kind.ENGRAM, ["word"], IDS),
    "text of passages": lambda store: store.text_search(Kind.PASSAGE, ["word"], 10, SOURCE),
    "new vectors": lambda store: (
        put_vector(store, "e1", 0, 1),
        store.vector_search(Kind.ENGRAM, vector(1, 0), 5),
    ),
    "vectors of ids": lambda store: store.vector_search(
        Kind.ENGRAM, vector(1, 0), 5, (*SOURCE, Condition("id", Op.IN, IDS))
    ),
    "claims": lambda store: store.claim("index", IDS, "me", 60),
}


@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS)
def test_no_question_reads_a_whole_table(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch, ask: Callable[[SqliteStore], object]
) -> None:
    put(store, *(engram(id, source="s", tags=("t",)) for id in IDS), *(passage(f"p{id}", id) for id in IDS))
    put(store, engram("texted"), cue("c"), terms=("word", "other"))
    put_links(store, *(link(f"l{id}", "texted", id) for id in IDS))
    store.write(Batch(meta={"embedder_dimension": "2"}))
    put_vector(store, "e1", 1, 0)
    store.vector_search(Kind.ENGRAM, vector(1, 0), 5)  # the first search has to load all vectors
    statements: list[str] = []
    connect = store._connections._connect

    def traced() -> object:
        db = connect()
        db.set_trace_callback(statements.append)
        return db

    with store._connections._lending:
        for idle in store._connections._idle:
            idle.close()
        store._connections._idle.clear()
    monkeypatch.setattr(store._connections, "_connect", traced)
    with store._connections.exclusive() as db:
        db.set_trace_callback(statements.append)
    ask(store)
    asked = [sql for sql in statements if sql.startswith(("SELECT", "INSERT INTO claim", "DELETE FROM claim"))]
    assert asked
    with store._connections.exclusive() as db:
        db.set_trace_callback(None)
        for sql in asked:
            for *_, step in db.execute(f"EXPLAIN QUERY PLAN {sql}"):
                whole = step.startswith("SCAN") and "VIRTUAL TABLE" not in step and "INDEX" not in step
                assert not whole or "CONSTANT ROW" in step or "(subquery" in step, (step, sql)
