# SPDX-License-Identifier: Apache-2.0
"""What a memory does for itself: fading, archiving, strengthening, clusters; and how that is seen and undone."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from becausal.consolidate import communities
from becausal.domain.records import Cue, CueType, Kind
from becausal.domain.scoring import retained
from becausal.engine.memory import Memory
from becausal.engine.results import Result
from becausal.engine.upkeep.caretaker import Caretaker
from becausal.errors import InvalidInput, NotFound, NothingToUndo
from becausal.ports.batch import Batch, Patch, Put
from becausal.ports.store import Order
from becausal.recall.rank import Weights
from memory_tools import NOON, TurnableClock, contents, open_test_memory


@dataclass
class Kept:
    memory: Memory
    clock: TurnableClock

    def engram(self, id: str) -> Any:
        return self.memory.get(id).engram


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    clock = TurnableClock()
    with open_test_memory(tmp_path, clock=clock) as memory:
        yield Kept(memory, clock)


def archived(memory: Memory) -> list[str]:
    return [engram.content for engram in memory.upkeep.archived(100).memories]


def everything(memory: Memory) -> dict[str, object]:
    """Return every engram and cue as it is stored."""
    return {
        record.id: record
        for kind in (Kind.ENGRAM, Kind.CUE, Kind.CHANGE)
        for record in memory._store.find(kind, (), Order("id"), 10_000).records
    }


# --- fading -------------------------------------------------------------------------------------


@given(st.lists(st.floats(0.01, 40), min_size=0, max_size=8))
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_left_of_a_memory_depends_on_the_time_alone_and_not_on_how_often_it_is_consolidated(
    tmp_path_factory: pytest.TempPathFactory, days: list[float]
) -> None:
    clock = TurnableClock()
    with open_test_memory(tmp_path_factory.mktemp("memory"), clock=clock) as memory:
        id = memory.store("The kettle is descaled twice a year.", importance=0.9).engram.id
        for passed in days:
            clock.turn(days=passed)
            memory.upkeep.consolidate()
        engram = memory.get(id).engram
        hours = 24 * sum(days)
        assert engram.last_accessed_at < NOON + timedelta(seconds=1)
        assert retained(engram.decay_factor, hours) == pytest.approx(retained(1.0, hours))


def test_what_has_faded_is_counted(kept: Kept) -> None:
    kept.memory.store("Old news.")
    kept.clock.turn(days=300)
    kept.memory.store("New news.")
    assert kept.memory.upkeep.consolidate().steps["decay"] == {"memories": 2, "faded": 1}


# --- the archive --------------------------------------------------------------------------------


def test_what_is_faded_and_unimportant_goes_into_the_archive_and_nothing_else(kept: Kept) -> None:
    kept.memory.store("Weak and old.", importance=0.29)
    kept.memory.store("Weak, old and pinned.", importance=0.1, pinned=True)
    kept.memory.store("Just important enough.", importance=0.3)
    kept.memory.store("Important.", importance=0.9)
    kept.clock.turn(days=299)
    kept.memory.store("Weak and new.", importance=0.1)
    assert kept.memory.upkeep.consolidate().steps["prune"] == {"archived": 0}
    kept.clock.turn(days=1)
    done = kept.memory.upkeep.consolidate()
    assert done.steps["prune"] == {"archived": 1}
    assert archived(kept.memory) == ["Weak and old."]


def test_what_was_used_in_time_is_not_archived(kept: Kept) -> None:
    kept.memory.store("The spare key hangs behind the clock.", importance=0.1)
    kept.clock.turn(days=200)
    kept.memory.recall("spare key")
    kept.memory.settle()
    kept.clock.turn(days=101)
    kept.memory.upkeep.consolidate()
    assert archived(kept.memory) == []


def test_no_question_finds_what_is_archived_and_it_can_be_brought_back(kept: Kept) -> None:
    id = kept.memory.store("The lighthouse keeper left on 3 March 2026.", importance=0.1, source="chat").engram.id
    kept.memory.store("The lighthouse keeper sings.", importance=0.8)
    kept.memory.settle()
    kept.clock.turn(days=301)
    kept.memory.upkeep.consolidate()
    for mode in ("recall", "search", "fts", "hybrid", "list"):
        query = None if mode == "list" else "lighthouse keeper left"
        assert contents(kept.memory.recall(query, mode=mode, limit=10)) == ["The lighthouse keeper sings."]
    assert kept.memory.upkeep.restore([id]).ids == (id,)
    assert archived(kept.memory) == []
    assert contents(kept.memory.recall("lighthouse keeper left", mode="fts"))[0].endswith("2026.")
    kept.memory.upkeep.consolidate()
    assert archived(kept.memory) == []  # asked for again, it is as fresh as on its first day


def test_telling_an_archived_memory_again_brings_it_back(kept: Kept) -> None:
    kept.memory.upkeep.archive([kept.memory.store("Once upon a time.").engram.id])
    kept.memory.store("Once upon a time.")
    assert archived(kept.memory) == []


def test_editing_an_archived_memory_leaves_it_in_the_archive(kept: Kept) -> None:
    id = kept.memory.store("The first wording.").engram.id
    kept.memory.upkeep.archive([id])
    kept.memory.update(id, content="The second wording.")
    assert archived(kept.memory) == ["The second wording."]


def test_archiving_by_consolidation_is_one_change_that_can_be_undone(kept: Kept, monkeypatch: Any) -> None:
    monkeypatch.setattr("becausal.consolidate.fading.PIECE", 2)
    ids = {kept.memory.store(f"Trifle {number}.", importance=0.1).engram.id for number in range(5)}
    kept.clock.turn(days=301)
    done = kept.memory.upkeep.consolidate()
    assert done.steps["prune"] == {"archived": 5}
    assert [change.id for change in kept.memory.changes()] == [done.undo]
    assert set(kept.memory.undo().ids) == ids
    assert archived(kept.memory) == []
    with pytest.raises(NothingToUndo):
        kept.memory.undo()


def test_undoing_an_archiving_passes_over_what_was_brought_back_or_forgotten_since(kept: Kept) -> None:
    first, second, third = (kept.memory.store(f"Trifle {number}.").engram.id for number in range(3))
    done = kept.memory.upkeep.archive([first, second, third])
    kept.memory.upkeep.restore([first])
    kept.memory.forget(second)
    assert kept.memory.undo(done.undo).ids == (third,)
    kept.memory.undo()
    assert archived(kept.memory) == ["Trifle 1."]  # forgotten while it was in the archive, it comes back there


def test_an_edit_can_be_undone_whatever_was_archived_since(kept: Kept) -> None:
    id = kept.memory.store("The first wording.").engram.id
    kept.memory.update(id, content="The second wording.")
    edit = kept.memory.changes()[0].id
    kept.memory.upkeep.archive([id])
    kept.memory.undo(edit)
    assert archived(kept.memory) == ["The first wording."]


def test_the_archive_is_listed_page_by_page_the_latest_first(kept: Kept) -> None:
    ids = [kept.memory.store(f"Trifle {number}.").engram.id for number in range(5)]
    for id in ids:
        kept.memory.upkeep.archive([id])
    seen, cursor = [], None
    while True:
        page = kept.memory.upkeep.archived(2, cursor)
        seen += [engram.id for engram in page.memories]
        if (cursor := page.next) is None:
            break
    assert seen == ids[::-1]
    with pytest.raises(InvalidInput, match="cursor"):
        kept.memory.upkeep.archived(2, "nonsense")


def test_the_archive_is_emptied_only_on_request(kept: Kept) -> None:
    kept.memory.upkeep.archive([kept.memory.store("Trifle.").engram.id])
    assert len(kept.memory.upkeep.empty_archive().ids) == 1
    assert archived(kept.memory) == ["Trifle."]
    kept.memory.upkeep.empty_archive(dry_run=False)
    assert archived(kept.memory) == []
    kept.memory.undo()
    assert archived(kept.memory) == ["Trifle."]


def test_archiving_what_does_not_exist_is_an_error_and_changes_nothing(kept: Kept) -> None:
    id = kept.memory.store("Here.").engram.id
    for call in (kept.memory.upkeep.archive, kept.memory.upkeep.restore):
        with pytest.raises(NotFound, match="memory 'nope' not found"):
            call([id, "nope"])
        with pytest.raises(InvalidInput, match="ids"):
            call([])
    assert archived(kept.memory) == []


# --- strengthening, orphans ---------------------------------------------------------------------


def use(kept: Kept, query: str, times: int) -> None:
    for _ in range(times):
        kept.memory.recall(query)
        kept.memory.settle()


def test_frequent_use_is_made_up_for_once_and_a_second_run_changes_nothing(kept: Kept) -> None:
    id = kept.memory.store("The parking permit is in the glove box.").engram.id
    kept.clock.turn(days=60)
    use(kept, "parking permit", 7)
    factor = kept.engram(id).decay_factor  # e^−.6 + 7 · .05 = .8988
    assert factor == pytest.approx(0.8988, abs=1e-4)
    kept.clock.turn(hours=1)
    assert kept.memory.upkeep.consolidate().steps["strengthen"] == {"strengthened": 1}
    assert kept.engram(id).decay_factor == pytest.approx(factor + 0.07)
    before = everything(kept.memory)
    kept.clock.turn(days=30)
    assert kept.memory.upkeep.consolidate().steps["strengthen"] == {"strengthened": 0}
    assert everything(kept.memory) == before
    use(kept, "parking permit", 1)
    kept.clock.turn(days=100)
    assert kept.memory.upkeep.consolidate().steps["strengthen"] == {"strengthened": 1}


def test_a_consolidation_that_finds_nothing_to_do_leaves_the_export_as_it_was(kept: Kept) -> None:
    tell_topics(kept.memory)
    kept.memory.upkeep.consolidate()
    before = io.BytesIO()
    kept.memory.transfer.export(before)
    kept.clock.turn(days=20)
    kept.memory.upkeep.consolidate()
    after = io.BytesIO()
    kept.memory.transfer.export(after)
    assert after.getvalue() == before.getvalue()


def test_archiving_goes_on_when_a_memory_is_used_in_that_moment(kept: Kept) -> None:
    ids = [kept.memory.store(f"Trifle {number}.").engram.id for number in range(3)]
    batch, used = kept.memory.upkeep._archive.batch, []

    def used_first(memories: Any, group: str, *, first: bool) -> Batch:
        made = batch(memories, group, first=first)
        if not used:
            used.append(ids[1])
            kept.memory._store.write(Batch(patches=(Patch(Kind.ENGRAM, ids[1], increment={"access_count": 1}),)))
        return made

    kept.memory.upkeep._archive.batch = used_first  # type: ignore[method-assign]
    done = kept.memory.upkeep.archive(ids)
    assert set(done.ids) == set(ids)
    assert set(kept.memory.undo(done.undo).ids) == set(ids)


def test_rare_use_and_what_has_not_faded_is_not_strengthened(kept: Kept) -> None:
    rare = kept.memory.store("The kettle is descaled in May.").engram.id
    often = kept.memory.store("Umbrellas dry in the hall.").engram.id
    kept.clock.turn(days=60)
    use(kept, "kettle descaled", 5)
    use(kept, "umbrellas hall", 9)
    before = [kept.engram(id).decay_factor for id in (rare, often)]
    assert before[1] > 0.9
    kept.clock.turn(hours=1)
    kept.memory.upkeep.consolidate()
    assert [kept.engram(id).decay_factor for id in (rare, often)] == before


def test_cues_that_lead_to_no_memory_are_dropped_unless_somebody_stated_them(kept: Kept) -> None:
    kept.memory.store("Grafana shows the Kafka lag.")
    cue = {"cue_type": CueType.KEYWORD, "created_at": NOON}
    kept.memory._store.write(
        Batch(
            puts=(
                Put(Cue(id="loose", name="loose", **cue)),
                Put(Cue(id="stated", name="stated", asserted=True, **cue)),
            )
        )
    )
    before = kept.memory.status().counts["cue"]
    assert kept.memory.upkeep.consolidate().steps["orphans"] == {"dropped": 1}
    assert kept.memory.status().counts["cue"] == before - 1
    assert kept.memory._store.get(Kind.CUE, ["loose", "stated"]).keys() == {"stated"}


# --- clusters -----------------------------------------------------------------------------------

TOPICS = {
    "bakery": "sourdough bakery oven flour morning loaf crust dough",
    "harbour": "harbour crane container ship tide pilot quay anchor",
}


def tell_topics(memory: Memory, each: int = 6) -> dict[str, list[str]]:
    """Tell memories about two topics, those of each alike in all words but one."""
    told = {
        topic: [memory.store(f"{words} number{topic}{n}", source=topic).engram.id for n in range(each)]
        for topic, words in TOPICS.items()
    }
    memory.settle()
    return told


def clusters_of(kept: Kept, ids: list[str]) -> set[int]:
    return {kept.engram(id).cluster_id for id in ids}


def test_memories_about_one_topic_come_into_one_cluster_that_is_named_by_its_cues(kept: Kept) -> None:
    told = tell_topics(kept.memory)
    kept.memory.store("Something else entirely, like nothing here.")
    kept.memory.settle()
    steps = kept.memory.upkeep.consolidate().steps["cluster"]
    assert (steps["memories"], steps["clusters"]) == (13, 2)
    (bakery,), (harbour,) = clusters_of(kept, told["bakery"]), clusters_of(kept, told["harbour"])
    assert bakery != harbour
    named = {cluster.id: cluster for cluster in kept.memory.upkeep.clusters()}
    assert {id: cluster.size for id, cluster in named.items()} == {bakery: 6, harbour: 6}
    assert any(word in TOPICS["bakery"] for word in named[bakery].name.replace(",", "").split())
    topic = kept.memory.upkeep.cluster(harbour)
    assert {engram.id for engram in topic.memories} == set(told["harbour"])
    assert topic.cluster == named[harbour]
    alone = [engram for engram in everything(kept.memory).values() if getattr(engram, "cluster_id", 0) == -1]
    assert len(alone) == 1


def test_cluster_ids_stay_the_same_over_ten_runs(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    told = tell_topics(kept.memory)
    kept.memory.upkeep.consolidate()
    before = {topic: clusters_of(kept, ids) for topic, ids in told.items()}
    for _ in range(10):
        kept.memory._store.write(Batch(meta={communities.SHAPE: None, communities.RESOLUTION: None}))
        assert kept.memory.upkeep.consolidate().steps["cluster"]["moved"] == 0
    assert {topic: clusters_of(kept, ids) for topic, ids in told.items()} == before


def test_a_new_memory_inherits_the_cluster_of_what_it_is_most_like(kept: Kept) -> None:
    told = tell_topics(kept.memory)
    kept.memory.upkeep.consolidate()
    id = kept.memory.store(TOPICS["harbour"] + " inspection").engram.id
    kept.memory.settle()
    assert clusters_of(kept, [id]) == clusters_of(kept, told["harbour"])


def test_an_unchanged_graph_is_not_clustered_again_and_its_resolution_lasts_until_a_tenth_has_changed(
    kept: Kept,
) -> None:
    tell_topics(kept.memory)
    assert kept.memory.upkeep.consolidate().steps["cluster"]["tuned"] == 1
    assert kept.memory.upkeep.consolidate().steps["cluster"] == {"unchanged": 1}
    kept.memory.store(TOPICS["harbour"] + " inspection")
    kept.memory.settle()
    assert kept.memory.upkeep.consolidate().steps["cluster"]["tuned"] == 0  # 13 of 12
    kept.memory.store(TOPICS["harbour"] + " strike")
    kept.memory.settle()
    assert kept.memory.upkeep.consolidate().steps["cluster"]["tuned"] == 1  # 14 of 12


def test_small_graphs_and_graphs_without_associations_are_left_unclustered(kept: Kept) -> None:
    kept.memory.store(TOPICS["harbour"])
    kept.memory.store(TOPICS["harbour"] + " strike")
    kept.memory.settle()
    assert "clusters" not in kept.memory.upkeep.consolidate().steps["cluster"]
    assert kept.memory.upkeep.clusters() == ()
    with pytest.raises(NotFound, match="cluster '0' not found"):
        kept.memory.upkeep.cluster(0)


def test_what_is_archived_belongs_to_no_topic_any_more(kept: Kept) -> None:
    told = tell_topics(kept.memory)
    kept.memory.upkeep.consolidate()
    kept.memory.upkeep.archive(told["bakery"])
    assert kept.memory.upkeep.consolidate().steps["cluster"]["memories"] == 6
    assert [cluster.size for cluster in kept.memory.upkeep.clusters()] == [6]


def test_a_hop_into_another_topic_counts_half_and_is_not_dropped(tmp_path: Path) -> None:
    found: dict[int, Result] = {}
    for home in (0, 1):
        with open_test_memory(tmp_path / str(home), weights=Weights(vitality=0.0, spread=0.5)) as memory:
            seeds = [memory.store(f"{TOPICS['harbour']} north{n}").engram.id for n in range(60)]
            beyond = memory.store("The accordion player lost a sixpence.").engram.id
            memory.settle()
            _associate(memory, seeds[0], beyond)
            homes = dict.fromkeys(seeds, 0) | {beyond: home}
            memory._store.write(
                Batch(patches=tuple(Patch(Kind.ENGRAM, id, set={"cluster_id": each}) for id, each in homes.items()))
            )
            results = memory.recall(TOPICS["harbour"], limit=100, strengthen=False).results
            (found[home],) = [result for result in results if result.engram.id == beyond]
    assert found[0].score > 0
    assert found[1].score == pytest.approx(found[0].score / 2, rel=1e-3)
    assert "from another cluster" in found[1].how.path


def _associate(memory: Memory, one: str, other: str) -> None:
    from becausal.domain.ids import link_id
    from becausal.domain.records import Link, LinkKind
    from becausal.ports.batch import PutLink

    kind = LinkKind.ASSOCIATED_WITH
    link = Link(
        id=link_id("alice", kind, one, other, "depends_on"),
        kind=kind,
        src=one,
        dst=other,
        src_kind=Kind.ENGRAM,
        dst_kind=Kind.ENGRAM,
        relation_type="depends_on",
        created_at=NOON,
        asserted=True,
    )
    memory._store.write(Batch(links=(PutLink(link),)))


# --- running ------------------------------------------------------------------------------------


def test_a_dry_run_says_what_would_be_done_and_changes_nothing(kept: Kept) -> None:
    weak = kept.memory.store("Trifle.", importance=0.1).engram.id
    tell_topics(kept.memory)
    kept.clock.turn(days=301)
    before = everything(kept.memory)
    preview = kept.memory.upkeep.consolidate(dry_run=True)
    assert preview.dry_run
    assert preview.weak == (weak,)
    assert preview.undo is None
    assert everything(kept.memory) == before
    assert kept.memory.upkeep.clusters() == ()
    assert kept.memory.status().consolidated_at is None
    done = kept.memory.upkeep.consolidate()
    indexes = {"indexes": {"rounds": 0}}  # the one step whose work cannot be told in advance
    assert {**done.steps, **indexes} == preview.steps
    assert kept.memory.status().consolidated_at is not None


def test_a_second_consolidation_changes_nothing(kept: Kept) -> None:
    tell_topics(kept.memory)
    kept.memory.store("Trifle.", importance=0.1)
    kept.clock.turn(days=301)
    kept.memory.upkeep.consolidate()
    before = everything(kept.memory)
    kept.memory.upkeep.consolidate()
    assert everything(kept.memory) == before


def test_an_empty_memory_is_consolidated_without_a_word(kept: Kept) -> None:
    assert kept.memory.upkeep.consolidate().ran


def test_only_one_of_several_handles_consolidates_at_a_time(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as one, open_test_memory(tmp_path) as other:
        gate, inside = threading.Event(), threading.Event()
        tend = one._store.tend

        def slow() -> bool:
            inside.set()
            gate.wait(30)
            return tend()

        one._store.tend = slow  # type: ignore[method-assign]
        results = []
        thread = threading.Thread(target=lambda: results.append(one.upkeep.consolidate()))
        thread.start()
        inside.wait(30)
        refused = other.upkeep.consolidate()
        gate.set()
        thread.join()
        assert not refused.ran
        assert "another process" in (refused.note or "")
        assert results[0].ran
        assert other.upkeep.consolidate().ran


def test_whoever_comes_second_when_it_is_due_finds_it_done(tmp_path: Path) -> None:
    clock = TurnableClock()
    with open_test_memory(tmp_path, clock=clock) as one, open_test_memory(tmp_path, clock=clock) as other:
        assert one.upkeep.consolidate_when_due(lambda: False) == pytest.approx(3600, abs=1)
        first = one.status().consolidated_at
        assert other.upkeep.consolidate_when_due(lambda: False) == pytest.approx(3600, abs=1)
        assert other.status().consolidated_at == first
        clock.turn(hours=1)
        other.upkeep.consolidate_when_due(lambda: False)
        assert first is not None
        assert one.status().consolidated_at > first  # type: ignore[operator]


def test_a_consolidation_told_to_stop_is_gone_on_with_later(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("becausal.consolidate.fading.PIECE", 1)
    for number in range(6):
        kept.memory.store(f"Trifle {number}.", importance=0.1)
    kept.clock.turn(days=301)
    stops = iter([False] * 4 + [True] * 100)
    stopped = kept.memory.upkeep._consolidator.run(stopping=lambda: next(stops))
    assert "interrupted" in (stopped.note or "")
    assert 0 < len(archived(kept.memory)) < 6
    assert kept.memory.status().consolidated_at is None
    done = kept.memory.upkeep.consolidate()
    assert done.resumed
    assert done.steps["prune"] == {"archived": 6}
    assert len(archived(kept.memory)) == 6
    assert len(kept.memory.undo().ids) == 6


def test_what_is_used_while_it_is_being_archived_is_spared(kept: Kept) -> None:
    ids = [kept.memory.store(f"Trifle {number}.", importance=0.1).engram.id for number in range(3)]
    kept.clock.turn(days=301)
    batch = kept.memory.upkeep._archive.batch

    def used_first(memories: Any, group: str, *, first: bool) -> Batch:
        if len(memories) == 3:
            kept.memory._store.write(Batch(patches=(Patch(Kind.ENGRAM, ids[1], set={"importance": 0.11}),)))
        return batch(memories, group, first=first)

    kept.memory.upkeep._archive.batch = used_first  # type: ignore[method-assign]
    assert kept.memory.upkeep.consolidate().steps["prune"] == {"archived": 2, "spared": 1}
    assert archived(kept.memory) == ["Trifle 2.", "Trifle 0."]
    assert set(kept.memory.undo().ids) == {ids[0], ids[2]}


def test_a_memory_consolidates_itself_when_it_is_due(tmp_path: Path) -> None:
    clock = TurnableClock()
    with open_test_memory(tmp_path, clock=clock) as memory:
        memory.store("Trifle.", importance=0.1)
    clock.turn(days=301)
    done = threading.Event()
    with open_test_memory(tmp_path, clock=clock) as memory:
        caretaker = Caretaker([lambda stop: memory.upkeep.consolidate_when_due(stop) + (done.set() or 0.0)], 0.0)
        caretaker.start()
        assert done.wait(30)
        caretaker.close()
        assert archived(memory) == ["Trifle."]


def test_an_interval_of_zero_leaves_consolidation_to_whoever_asks_for_it(tmp_path: Path) -> None:
    with open_test_memory(tmp_path, consolidation_interval=0) as memory:
        memory.upkeep.consolidate_when_due(lambda: False)
        assert memory.status().consolidated_at is None
        assert memory.upkeep.consolidate().ran


# --- history ------------------------------------------------------------------------------------


def test_the_history_of_a_memory_tells_what_happened_to_it_and_what_can_be_undone(kept: Kept) -> None:
    id = kept.memory.store("The password manager is Keeperino.").engram.id
    kept.memory.update(id, content="The password manager is Vaultello.")
    use(kept, "password manager", 1)
    kept.memory.upkeep.archive([id])
    told = kept.memory.upkeep.history(id)
    assert [each.action for each in told.happenings] == ["store", "update", "use", "archive", "archive"]
    edit = told.happenings[1]
    assert edit.before == "The password manager is Keeperino."
    kept.memory.undo(edit.change)
    assert kept.engram(id).content == "The password manager is Keeperino."


def test_a_forgotten_memory_has_a_history_until_it_is_erased(kept: Kept) -> None:
    id = kept.memory.store("Gone soon.").engram.id
    kept.memory.forget(id)
    told = kept.memory.upkeep.history(id)
    assert told.engram is None
    assert [(each.action, each.before) for each in told.happenings] == [("store", None), ("forget", "Gone soon.")]
    kept.clock.turn(days=8)
    kept.memory.purge_expired()
    with pytest.raises(NotFound, match="memory"):
        kept.memory.upkeep.history(id)


def test_no_piece_of_a_consolidation_changes_many_records_at_once(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("becausal.consolidate.fading.PIECE", 5)
    monkeypatch.setattr("becausal.consolidate.communities.PIECE", 5)
    tell_topics(kept.memory, 12)
    for number in range(12):
        kept.memory.store(f"Trifle {number}.", importance=0.1)
    kept.clock.turn(days=301)
    write, sizes = kept.memory._store.write, []

    def measured(batch: Batch) -> Any:
        sizes.append(len(batch.patches) + len(batch.deletes) + len(batch.unlinked))
        return write(batch)

    kept.memory._store.write = measured  # type: ignore[method-assign]
    steps = kept.memory.upkeep.consolidate().steps
    assert steps["prune"]["archived"] == 12
    assert steps["cluster"]["moved"] == 24
    assert max(sizes) == 5


def test_clustering_reads_the_links_of_few_memories_at_a_time_and_gives_way_in_between(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("becausal.consolidate.communities.AT_ONCE", 5)
    monkeypatch.setattr("becausal.consolidate.run.PAGE", 5)
    tell_topics(kept.memory)
    edges, did = kept.memory._store.edges, []

    def watched(ids: Any, *given: Any, **more: Any) -> Any:
        did.append(len(ids))
        return edges(ids, *given, **more)

    def asked() -> bool:
        did.append(0)
        return False

    kept.memory._store.edges = watched  # type: ignore[method-assign]
    kept.memory.upkeep._consolidator.run(stopping=asked)
    assert max(did) == 5
    assert {len(list(group)) for reading, group in groupby(did, key=bool) if reading} == {1}
