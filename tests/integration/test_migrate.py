# SPDX-License-Identifier: Apache-2.0
"""A memory goes from one store into another and back, and is the same."""

from __future__ import annotations

import io
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from becausal import Memory
from becausal.composition import build_memory, migrate_memory
from becausal.domain.records import Kind
from becausal.engine.transfer.migrating import UNFINISHED
from becausal.errors import InvalidInput, NotFound, SettingsError, StoreUnavailable
from becausal.ports.batch import Space
from becausal.ports.store import GraphStore, Kept
from becausal.settings import Settings
from becausal.stores.registry import open_store

OTHERS = ["ladybug"]
"""The stores besides the usual one that keep a memory in a file of their own, and so are always up."""


def settings(folder: Path, backend: str) -> Settings:
    return Settings.load(storage_location=folder, user="alice", db_type=backend, embedder="hashing")


def tell(folder: Path) -> None:
    """Keep a memory with records of every kind, long and short, forgotten, changed, clustered and of a session."""
    with Memory.open(folder, user="alice", db_type="sqlite", embedder="hashing") as memory:
        memory.store("The cooling broke down on Sunday, so we moved the backup to eight.", source="ops", tags=["a"])
        memory.store("Because we moved the backup to eight, the disk is overloaded at nine.", source="ops")
        memory.store("Maria lives in Lisbon.", occurred_at="2026-01-03")
        memory.store("Maria lives in Porto.", occurred_at="2026-05-01")
        memory.store("記憶 of a long day. " * 300, label="Long")
        gone = memory.store("Nobody needs to know this.").engram.id
        memory.graphs.add_entity("Maria", "person", {"born": 1990}, ["Mia"])
        memory.settle()
        memory.upkeep.consolidate()
        memory.forget(gone)
        memory.recall("backup")


def export_of(folder: Path, backend: str) -> bytes:
    stream = io.BytesIO()
    with build_memory(settings(folder, backend), start_worker=False) as memory:
        memory.transfer.export(stream, vectors=True)
    first, rest = stream.getvalue().split(b"\n", 1)
    assert first.startswith(b'{"becausal"')  # says which schema the store has
    return rest


def everything(store: GraphStore) -> dict[str, tuple[object, bytes | None, bytes | None]]:
    found = {}
    for kept in store.scan(vectors=True):
        assert isinstance(kept, Kept)
        vector = None if kept.vector is None else kept.vector.tobytes()
        found[kept.item.id] = (kept.item, vector, None if kept.tokens is None else kept.tokens.tobytes())
    return found


@pytest.mark.parametrize("backend", OTHERS)
def test_a_memory_that_went_to_another_store_and_back_is_the_same(tmp_path: Path, backend: str) -> None:
    tell(tmp_path / "here")
    told = []
    migrate_memory(settings(tmp_path / "here", "sqlite"), settings(tmp_path / "there", backend), told.append)
    migrate_memory(settings(tmp_path / "there", backend), settings(tmp_path / "back", "sqlite"))
    places = [("here", "sqlite"), ("there", backend), ("back", "sqlite")]
    found = []
    for name, kind in places:
        with closing(open_store(kind, location=tmp_path / name, user="alice")) as store:
            found.append(everything(store))
            assert store.check() == ()
            assert store.meta(UNFINISHED) is None
    assert found[0] == found[1] == found[2]
    versions = {item.version for item, _, _ in found[0].values() if hasattr(item, "version")}
    assert len(versions) > 1  # so that keeping them is more than starting anew
    exports = [export_of(tmp_path / name, kind) for name, kind in places]
    assert exports[0] == exports[1] == exports[2]
    assert told
    assert told[0].what == "migrating"


@pytest.mark.parametrize("backend", OTHERS)
def test_both_stores_answer_alike(tmp_path: Path, backend: str) -> None:
    tell(tmp_path / "here")
    migrate_memory(settings(tmp_path / "here", "sqlite"), settings(tmp_path / "there", backend))
    answers = []
    for name, kind in (("here", "sqlite"), ("there", backend)):
        with Memory.open(tmp_path / name, user="alice", db_type=kind, embedder="hashing") as memory:
            hits = memory.recall("why is the disk overloaded?").results
            answers.append(([hit.engram.id for hit in hits], memory.ask("Why is the disk overloaded?").answer))
    assert answers[0] == answers[1]


@pytest.mark.parametrize("backend", OTHERS)
def test_a_migration_that_broke_off_goes_on_and_nobody_works_with_half_a_memory(
    tmp_path: Path, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(tmp_path / "here")
    source, target = settings(tmp_path / "here", "sqlite"), settings(tmp_path / "there", backend)
    monkeypatch.setattr("becausal.engine.transfer.migrating.GROUP", 4)

    class BrokenOff(Exception):
        pass

    def break_off(progress: object) -> None:
        nonlocal left
        left -= 1
        if not left:
            raise BrokenOff

    left = 4
    with pytest.raises(BrokenOff):
        migrate_memory(source, target, break_off)
    with pytest.raises(StoreUnavailable, match="has not ended"):
        Memory.open(tmp_path / "there", user="alice", db_type=backend, embedder="hashing")
    tell(tmp_path / "elsewhere")
    with pytest.raises(InvalidInput, match="half filled by a migration from"):
        migrate_memory(settings(tmp_path / "elsewhere", "sqlite"), target)
    answer = migrate_memory(source, target)
    assert answer.known > 0
    with (
        closing(open_store("sqlite", location=tmp_path / "here", user="alice")) as old,
        closing(open_store(backend, location=tmp_path / "there", user="alice")) as new,
    ):
        assert everything(old) == everything(new)


def test_a_store_that_holds_a_memory_is_not_touched(tmp_path: Path) -> None:
    tell(tmp_path / "here")
    tell(tmp_path / "there")
    before = export_of(tmp_path / "there", "sqlite")
    with pytest.raises(InvalidInput, match="already holds a memory"):
        migrate_memory(settings(tmp_path / "here", "sqlite"), settings(tmp_path / "there", "sqlite"))
    assert export_of(tmp_path / "there", "sqlite") == before


def test_there_must_be_a_memory_and_another_place_for_it(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        migrate_memory(settings(tmp_path / "nowhere", "sqlite"), settings(tmp_path / "there", "ladybug"))
    assert list(tmp_path.iterdir()) == []
    tell(tmp_path / "here")
    with pytest.raises(SettingsError, match="already"):
        migrate_memory(settings(tmp_path / "here", "sqlite"), settings(tmp_path / "here", "sqlite"))


def test_vectors_of_a_session_go_along(tmp_path: Path) -> None:
    from becausal.models.words import embed_text

    with Memory.open(tmp_path / "here", user="alice", embedder="hashing") as memory:
        memory.store("def login(): ...", node_type="symbol", label="login")
    migrate_memory(settings(tmp_path / "here", "sqlite"), settings(tmp_path / "there", "ladybug"))
    with closing(open_store("ladybug", location=tmp_path / "there", user="alice")) as store:
        (node,) = store.find(Kind.ENGRAM).records
        asked = np.array(embed_text("login def login(): ..."), np.float32)
        ((id, score),) = store.vector_search(Kind.ENGRAM, asked, 3, space=Space.HASHED)
        assert (id, round(score, 5)) == (node.id, 1.0)
