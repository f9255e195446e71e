# SPDX-License-Identifier: Apache-2.0
"""What is set is what the memory does."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from becausal import Memory, composition
from becausal.composition import open_memory
from becausal.domain.records import Kind
from becausal.errors import EmbedderMismatch, NotSupported, SettingsError, StoreError
from becausal.magma import views
from becausal.magma.merge import View, ViewName
from becausal.models.registry import make_embedder
from becausal.ports.batch import Batch, Patch
from becausal.ports.models import Embedder
from becausal.ports.store import GraphStore
from becausal.settings import EMBEDDER_DIMENSIONS, Settings


@pytest.fixture(autouse=True)
def _hashing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BECAUSAL_EMBEDDER", "hashing")
    monkeypatch.setenv("STORAGE_LOCATION", str(tmp_path / "storage"))


def test_memory_open_is_the_composition_root(tmp_path: Path) -> None:
    with Memory.open(tmp_path, user="alice") as memory:
        assert isinstance(memory, Memory)
        assert memory.status().user == "alice"


def test_the_user_and_the_storage_location_decide_where_a_memory_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ACCESSING_USER", "alice")

    with open_memory() as memory:
        status = memory.status()

    assert status.user == "alice"
    assert Path(status.location).is_relative_to(tmp_path / "storage" / "alice")


def test_a_path_and_a_user_win_over_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ACCESSING_USER", "alice")

    with open_memory(str(tmp_path / "elsewhere"), user="bob") as memory:
        status = memory.status()

    assert status.user == "bob"
    assert Path(status.location).is_relative_to(tmp_path / "elsewhere")
    assert not (tmp_path / "storage").exists()


def test_without_a_storage_location_memories_are_in_the_platforms_data_folder(
    monkeypatch: pytest.MonkeyPatch, empty_home: Path
) -> None:
    monkeypatch.delenv("STORAGE_LOCATION")

    with open_memory(user="alice") as memory:
        assert Path(memory.status().location).is_relative_to(empty_home)


def test_a_setting_that_is_refused_leaves_no_trace(tmp_path: Path) -> None:
    with pytest.raises(NotSupported, match="magma_causal_depth"):
        open_memory(magma_causal_depth=3)
    with pytest.raises(SettingsError, match="undo_day"):
        open_memory(undo_day=3)

    assert not (tmp_path / "storage").exists()


def test_the_database_type_is_the_backend_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DB_TYPE", "sqlite")

    with open_memory() as memory:
        assert memory.status().backend == "sqlite"


def test_the_embedder_setting_picks_the_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_memory() as memory:
        assert "hashing" in memory.status().embedder
    monkeypatch.delenv("BECAUSAL_EMBEDDER")
    with open_memory(user="another") as memory:
        assert "minilm" in memory.status().embedder.lower()


@pytest.mark.parametrize("name", EMBEDDER_DIMENSIONS)
def test_the_dimensions_that_may_be_stated_are_the_embedders(name: str) -> None:
    assert make_embedder(name).dimension == EMBEDDER_DIMENSIONS[name]


def test_the_models_file_and_threads_reach_the_embedder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[tuple[str, Path | None, int | None]] = []

    def watched(name: str, *, path: Path | None, threads: int | None) -> Embedder:
        asked.append((name, path, threads))
        return make_embedder("hashing")

    monkeypatch.setattr(composition, "make_embedder", watched)
    monkeypatch.setenv("BECAUSAL_EMBEDDER", "minilm")
    monkeypatch.setenv("BECAUSAL_MODEL_PATH", str(tmp_path / "model.onnx"))
    monkeypatch.setenv("BECAUSAL_MODEL_THREADS", "3")

    open_memory().close()

    assert asked == [("minilm", tmp_path / "model.onnx", 3)]


def test_a_store_that_was_opened_is_closed_when_the_memory_cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    stores: list[GraphStore] = []

    def refusing(store: GraphStore, *_: object, **__: object) -> Memory:
        stores.append(store)
        raise EmbedderMismatch("the vectors come from another embedder")

    monkeypatch.setattr(composition, "Memory", refusing)

    with pytest.raises(EmbedderMismatch):
        open_memory()
    with pytest.raises(StoreError):
        stores[0].count()


def test_a_model_path_without_a_model_is_named_by_the_embedders_failure(tmp_path: Path) -> None:
    with open_memory(embedder="minilm", model_path=tmp_path / "missing.onnx") as memory:
        memory.store("The launch was moved to May.")
        memory.settle(20)

        status = memory.status()

    assert status.embedder_state == "failed"
    assert "missing.onnx" in (status.degraded or "")


def test_a_memory_of_another_embedder_opens_for_reindexing_only(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_memory() as memory:
        memory.store("The launch was moved to May.")
        memory.settle(20)
    monkeypatch.setenv("BECAUSAL_EMBEDDER", "minilm")

    with pytest.raises(EmbedderMismatch):
        open_memory()
    open_memory(reindexing=True).close()


def test_undo_days_is_how_long_what_was_forgotten_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDO_DAYS", "3")

    with open_memory() as memory:
        forgotten = memory.forget(memory.store("The launch was moved to May.").engram.id)

    assert forgotten.erased_at is not None
    left = forgotten.erased_at - datetime.now(UTC)
    assert timedelta(days=2, hours=23) < left < timedelta(days=3, hours=1)


def test_the_scoring_setting_changes_how_results_are_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    def score() -> float:
        with open_memory() as memory:
            memory.store("The launch was moved to May.", importance=1.0)
            memory.settle(20)
            return memory.recall("launch", strengthen=False).results[0].score

    by_relevance = score()
    monkeypatch.setenv("SCORING", "smriti")

    # Similarity is 40 % of smriti's formula; recency, importance and decay are all 1 for what was just told.
    assert 0.6 <= score() <= 1.0
    assert score() != by_relevance


def test_a_graph_has_as_many_milliseconds_for_a_question_as_are_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYG_PARALLEL_TIMEOUT", "100")
    asked = threading.Event()

    def late(*given: object) -> View:
        assert asked.wait(60)
        return View(name=ViewName.ENTITY, nodes=())

    monkeypatch.setattr(views, "entity_view", late)
    with open_memory() as memory:
        memory.store("The launch was moved to May because the engine leaked.")
        answer = memory.ask("Why was the launch moved?")
        asked.set()

    assert answer.missing == {"entity": "not ready after 0.1 s"}


def test_times_are_read_in_the_time_zone_that_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BECAUSAL_TIMEZONE", "Asia/Tokyo")

    with open_memory() as memory:
        engram = memory.store("The launch.", occurred_at="2024-03-01T00:30").engram

    assert engram.occurred_at == datetime(2024, 2, 29, 15, 30, tzinfo=UTC)


def test_a_pmll_graph_where_the_setting_points_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "graph.db"
    with closing(sqlite3.connect(file)) as connection:
        for table in ("nodes", "edges"):
            connection.execute(f"CREATE TABLE {table} (session_id TEXT, id TEXT, PRIMARY KEY (session_id, id))")
    monkeypatch.setenv("PMLL_GRAPH_DB", str(file))

    with open_memory() as memory:
        status = memory.status()

    assert [(foreign.system, foreign.path) for foreign in status.foreign] == [("pmll-memory-mcp", str(file))]
    assert status.notes == ()


def test_a_setting_that_points_to_no_pmll_graph_is_noted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PMLL_GRAPH_DB", str(tmp_path / "graph.db"))

    with open_memory() as memory:
        status = memory.status()

    assert status.foreign == ()
    assert status.notes == (f"PMLL_GRAPH_DB is set, but there is no pmll-memory-mcp graph at {tmp_path / 'graph.db'}.",)


def test_a_smriti_memory_in_the_storage_location_is_reported_and_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "storage" / "alice" / "memory.lbug"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"LBUG1" + bytes(59))

    with open_memory(user="alice") as memory:
        memory.store("The launch was moved to May.")
        foreign = memory.status().foreign

    assert [(found.system, found.path) for found in foreign] == [("smriti-mcp", str(file))]
    assert file.read_bytes() == b"LBUG1" + bytes(59)


def test_the_data_home_of_the_platform_is_searched_for_a_pmll_graph(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(tmp_path / "memory_graph.sqlite3")) as connection:
        for table in ("nodes", "edges"):
            connection.execute(f"CREATE TABLE {table} (session_id TEXT, id TEXT, PRIMARY KEY (session_id, id))")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))

    with open_memory() as memory:
        assert [found.system for found in memory.status().foreign] == ["pmll-memory-mcp"]


def test_an_openai_key_that_is_set_is_a_note_in_the_status(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")

    with open_memory() as memory:
        status = memory.status()

    assert [note.split()[0] for note in status.notes] == ["OPENAI_API_KEY"]
    assert status.sends_text_to == ()


def test_users_of_one_server_share_its_embedder_and_only_its_own_user_is_told_of_the_home_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made: list[Embedder] = []

    def make(*args: object, **options: object) -> Embedder:
        made.append(make_embedder("hashing"))
        return made[-1]

    monkeypatch.setattr(composition, "make_embedder", make)
    left = tmp_path / "data" / "memory_graph.sqlite3"
    left.parent.mkdir()
    with closing(sqlite3.connect(left)) as graph:
        for table in ("nodes", "edges"):
            graph.execute(f"CREATE TABLE {table} (session_id TEXT, id TEXT, PRIMARY KEY (session_id, id))")
    monkeypatch.setenv("XDG_DATA_HOME", str(left.parent))
    open_for = composition.opener(Settings.load(user="alice"))
    with open_for("alice") as alice, open_for("bob") as bob:
        alice.store("alice keeps bees")
        assert (alice.status().user, bob.status().user) == ("alice", "bob")
        assert bob.recall().results == ()
        assert [found.path for found in alice.status().foreign] == [str(left)]
        assert bob.status().foreign == ()
    assert len(made) == 1


@pytest.mark.parametrize(
    ("decay", "importance", "archived"),
    [("0.05", "0.3", []), ("0.2", "0.3", ["weak"]), ("0.2", "0.6", ["weak", "plain"]), ("1", "0", [])],
)
def test_what_a_consolidation_archives_is_decided_by_two_thresholds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, decay: str, importance: str, archived: list[str]
) -> None:
    monkeypatch.setenv("PRUNE_DECAY_THRESHOLD", decay)
    monkeypatch.setenv("PRUNE_IMPORTANCE_THRESHOLD", importance)
    used = datetime.now(UTC) - timedelta(days=200)  # e^−2, 0.135, is left
    with open_memory(tmp_path, user="alice", consolidation_interval=0) as memory:
        ids = {memory.store(f"A {name} memory.", importance=each).engram.id: name for name, each in TOLD.items()}
        memory.settle()
        old = tuple(Patch(Kind.ENGRAM, id, set={"last_accessed_at": used}) for id in ids)
        memory._store.write(Batch(patches=old))
        would = memory.upkeep.consolidate(dry_run=True).weak
        memory.upkeep.consolidate()
        found = {ids[each.id] for each in memory.upkeep.archived().memories}
    assert found == {ids[id] for id in would} == set(archived)


TOLD = {"weak": 0.1, "plain": 0.5, "important": 0.9}
