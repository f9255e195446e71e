# SPDX-License-Identifier: Apache-2.0
"""A memory goes from one store into another and back, and is the same."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest

import neo4j_server
from becausal import Memory
from becausal.composition import build_memory, examine_memory, migrate_memory
from becausal.domain.records import Kind, LinkKind
from becausal.engine.results import Progress
from becausal.engine.transfer.migrating import UNFINISHED
from becausal.errors import InvalidInput, NotFound, SettingsError, StoreUnavailable
from becausal.ports.batch import Space
from becausal.ports.store import GraphStore, Kept
from becausal.session.sessions import sessions_of
from becausal.settings import Settings
from becausal.stores.registry import open_store
from falkor_server import FalkorServer

At: TypeAlias = Callable[[str, str], Settings]
"""Gives the settings of a memory by the name of its place and its store."""

OTHERS = ("falkordb", "ladybug", "neo4j")
"""The stores besides the usual one."""


@pytest.fixture(scope="module")
def falkor_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FalkorServer]:
    with FalkorServer(tmp_path_factory.mktemp("falkordb")) as server:
        yield server


@pytest.fixture
def at(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[At]:
    """Settings of memories of this test alone; the test is skipped if it needs a server that is not there."""
    with ExitStack() as stack:
        apart: set[str] = set()

        def settings(name: str, backend: str) -> Settings:
            given: dict[str, Any] = {}
            if backend == "falkordb":
                given = {"falkordb_port": request.getfixturevalue("falkor_server").port}
                given["falkor_graph"] = f"{name}-{hash_of(tmp_path)}"
            elif backend == "neo4j":
                server = neo4j_server.options()
                given = {"neo4j_uri": server["uri"], "neo4j_password": server["password"]}
                if not apart:
                    stack.enter_context(neo4j_server.apart(monkeypatch, str(tmp_path)))
                apart.add(name)
                assert len(apart) == 1  # a user has one memory on a server
            return Settings.load(
                storage_location=tmp_path / name, user="alice", db_type=backend, embedder="hashing", **given
            )

        yield settings


def hash_of(folder: Path) -> str:
    return sha256(str(folder).encode()).hexdigest()[:12]


def settings(folder: Path, backend: str) -> Settings:
    return Settings.load(storage_location=folder, user="alice", db_type=backend, embedder="hashing")


def tell(folder: Path) -> None:
    """Keep a memory with all that one can hold: every kind of record and link, and what was done with them."""
    with Memory.open(folder, user="alice", db_type="sqlite", embedder="hashing") as memory:
        memory.store("The cooling broke down on Sunday, so we moved the backup to eight.", source="ops", tags=["a"])
        memory.store("Because we moved the backup to eight, the disk is overloaded at nine.", source="ops", pinned=True)
        memory.store("Maria lives in Lisbon.", occurred_at="2026-01-03")
        memory.store("Maria lives in Porto.", occurred_at="2026-05-01", importance=0.9, session="s")
        memory.store("記憶 of a long day, told by Maria. " * 300, label="Long")
        for n in range(3):
            memory.store(f"On {n + 1} May 2026 the disk was full and the backup of node {n} failed.", source="log")
        gone, old, changed = (memory.store(f"Nobody needs to know {n}.").engram.id for n in ("this", "that", "it"))
        memory.graphs.add_entity("Maria", "person", {"born": 1990}, ["Mia"])
        memory.graphs.add_entity("Acme", "company")
        memory.graphs.link_entities("Maria", "works for", "Acme")
        memory.graphs.add_fact("Maria", "likes", "tea", valid_from="2026-01-01")
        memory.graphs.add_event("The backup failed", "2026-05-01", entities=["Maria"])
        memory.graphs.add_concept("resilience", "keeping on", ["Acme"])
        memory.graphs.add_causal_link("the cooling broke down", "the backup failed", entities=["Acme"])
        memory.graphs.add_causal_link("the backup was failing", "the night was long")
        memory.settle()
        memory.update(changed, content="Somebody needs to know it.")
        memory.upkeep.archive([old])
        nodes = sessions_of(memory).nodes
        one, two = (nodes.upsert("s", "symbol", label, f"def {label}(): ...").id for label in ("login", "logout"))
        assert sessions_of(memory).linker.relate("s", one, two, "depends_on") is not None
        memory.settle()
        memory.upkeep.consolidate()
        memory.forget(gone)
        memory.recall("backup")
        memory.settle()
        held = memory.status().counts
        assert [kind for kind in (*Kind, *LinkKind) if not held[kind.value]] == []


def export_of(place: Settings) -> bytes:
    stream = io.BytesIO()
    with build_memory(place, start_worker=False) as memory:
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


def opened(place: Settings) -> GraphStore:
    return open_store(
        place.db_type, location=place.storage_location, user="alice", **place.store_options(place.db_type)
    )


CHAINS = {
    "ladybug": ("sqlite", "ladybug", "sqlite"),
    "neo4j-falkordb-ladybug": ("sqlite", "neo4j", "falkordb", "ladybug", "sqlite"),
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
def test_a_memory_that_went_through_other_stores_and_back_is_the_same(
    tmp_path: Path, chain: tuple[str, ...], at: At
) -> None:
    tell(tmp_path / "0")
    places = [at(str(number), backend) for number, backend in enumerate(chain)]
    told: list[Progress] = []
    for source, target in pairwise(places):
        migrate_memory(source, target, told.append)
    found = []
    for place in places:
        with closing(opened(place)) as store:
            found.append(everything(store))
            assert store.check() == ()
            assert store.meta(UNFINISHED) is None
    assert all(each == found[0] for each in found)
    versions = {item.version for item, _, _ in found[0].values() if hasattr(item, "version")}
    assert len(versions) > 1  # so that keeping them is more than starting anew
    exports = [export_of(place) for place in places]
    assert all(export == exports[0] for export in exports)
    assert told[0].what == "migrating"


@pytest.mark.parametrize("backend", OTHERS)
def test_both_stores_answer_alike(tmp_path: Path, backend: str, at: At) -> None:
    tell(tmp_path / "here")
    here, there = at("here", "sqlite"), at("there", backend)
    migrate_memory(here, there)
    answers = []
    for place in (here, there):
        with build_memory(place, start_worker=False) as memory:
            hits = memory.recall("why is the disk overloaded?").results
            history = memory.upkeep.history(memory.upkeep.archived().memories[0].id)
            answers.append(
                (
                    [hit.engram.id for hit in hits],
                    memory.ask("Why is the disk overloaded?").answer,
                    memory.upkeep.clusters(),
                    [change.id for change in memory.changes()],
                    history,
                )
            )
    assert answers[0] == answers[1]


@pytest.mark.parametrize("backend", OTHERS)
def test_a_migration_that_broke_off_goes_on_and_nobody_works_with_half_a_memory(
    tmp_path: Path, backend: str, at: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(tmp_path / "here")
    source, target = at("here", "sqlite"), at("there", backend)
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
        build_memory(target)
    found = examine_memory(target)
    assert not found.healthy
    assert any("has not ended" in finding.what and not finding.mendable for finding in found.findings)
    tell(tmp_path / "elsewhere")
    with pytest.raises(InvalidInput, match="half filled by a migration from"):
        migrate_memory(at("elsewhere", "sqlite"), target)
    answer = migrate_memory(source, target)
    assert answer.known > 0
    with closing(opened(source)) as old, closing(opened(target)) as new:
        assert everything(old) == everything(new)


def test_a_store_that_holds_a_memory_is_not_touched(tmp_path: Path) -> None:
    tell(tmp_path / "here")
    tell(tmp_path / "there")
    before = export_of(settings(tmp_path / "there", "sqlite"))
    with pytest.raises(InvalidInput, match="already holds a memory"):
        migrate_memory(settings(tmp_path / "here", "sqlite"), settings(tmp_path / "there", "sqlite"))
    assert export_of(settings(tmp_path / "there", "sqlite")) == before


def test_there_must_be_a_memory_and_another_place_for_it(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        migrate_memory(settings(tmp_path / "nowhere", "sqlite"), settings(tmp_path / "there", "ladybug"))
    assert list(tmp_path.iterdir()) == []
    tell(tmp_path / "here")
    with pytest.raises(SettingsError, match="already"):
        migrate_memory(settings(tmp_path / "here", "sqlite"), settings(tmp_path / "here", "sqlite"))


@pytest.mark.parametrize("backend", OTHERS)
def test_vectors_of_a_session_go_along(tmp_path: Path, backend: str, at: At) -> None:
    from becausal.models.words import embed_text

    with Memory.open(tmp_path / "here", user="alice", embedder="hashing") as memory:
        memory.store("def login(): ...", node_type="symbol", label="login")
    there = at("there", backend)
    migrate_memory(at("here", "sqlite"), there)
    with closing(opened(there)) as store:
        (node,) = store.find(Kind.ENGRAM).records
        asked = np.array(embed_text("login def login(): ..."), np.float32)
        ((id, score),) = store.vector_search(Kind.ENGRAM, asked, 3, space=Space.HASHED)
        assert (id, round(score, 5)) == (node.id, 1.0)
