# SPDX-License-Identifier: Apache-2.0
"""The check finds what does not fit together."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from becausal.domain.records import Kind
from becausal.ports.batch import Batch, PutLink
from becausal.stores.sqlite.store import SqliteStore
from contract.samples import cue, engram, link, passage, put, put_links, put_vector

DAMAGE = {
    "passages without their engram": "DELETE FROM engram WHERE id = 'b'",
    "links whose dst does not exist": "DELETE FROM cue",
    "links whose src does not exist": "UPDATE link SET src = 'nobody'",
    "texts of no engram": "UPDATE doc SET id = 'nobody' WHERE kind = 'engram'",
    "vectors of no engram": "UPDATE vector SET id = 'nobody'",
    "list items of no engram": "UPDATE member SET id = 'nobody'",
    "1 list items of engrams' tags are missing": "DELETE FROM member",
    "1 list items of engrams' tags are in no list": "INSERT INTO member VALUES ('engram', 'tags', 'x', 'b')",
    "text index: holds 2 records with 3 terms, should be 1 with 2": "DELETE FROM doc WHERE kind = 'passage'",
    "count of engram: is remembered as 7, should be 2": "UPDATE tally SET n = 7 WHERE name = 'engram'",
    "count of link:ASSOCIATED_WITH": "DELETE FROM tally WHERE name = 'link:ASSOCIATED_WITH'",
    "count of length:engram": "UPDATE doc SET length = 99 WHERE kind = 'engram'",
}


@pytest.fixture
def sound(store: SqliteStore) -> SqliteStore:
    put(store, engram("a", tags=("t",)), terms=("one", "two"))
    put(store, engram("b"), cue("c"))
    put(store, passage("p", "b"), terms=("one",))
    put_vector(store, "a", 1, 0)
    put_links(store, link("l", "a", "b"))
    return store


@pytest.mark.parametrize(("problem", "damage"), DAMAGE.items(), ids=DAMAGE)
def test_a_check_names_each_disagreement(sound: SqliteStore, path: Path, problem: str, damage: str) -> None:
    sound.write(Batch(links=(PutLink(link("o", "a", "c", dst_kind=Kind.CUE)),)))
    assert sound.check() == ()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(damage)
    assert any(problem in found for found in sound.check())


def test_a_text_index_that_lost_a_part_is_found(sound: SqliteStore, path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE fulltext_data SET block = zeroblob(length(block)) WHERE id > 10")
    assert sound.check()
