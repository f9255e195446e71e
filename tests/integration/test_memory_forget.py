# SPDX-License-Identifier: Apache-2.0
"""Forgetting, editing, undoing and purging."""

from __future__ import annotations

from pathlib import Path

import pytest

from becausal.domain.records import Kind, LinkKind
from becausal.engine.memory import Memory
from becausal.errors import Conflict, InvalidInput, NotFound, NothingToUndo
from memory_tools import TurnableClock, bytes_of, contents, open_test_memory


def everything(memory: Memory) -> dict[str, int]:
    """Return how many records and links there are, without the undo log."""
    return {name: count for name, count in memory.status().counts.items() if name != "change" and count}


def test_forgetting_leaves_nothing_that_only_the_memory_supported(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        memory.store("Grafana shows the Kafka lag.", source="chat")
        memory.settle()
        before = everything(memory)
        id = memory.store("On 3 March 2026 Zanzibar replaced Grafana for the Kafka team.", source="chat").engram.id
        memory.settle()
        memory.forget(id)
        assert everything(memory) == before
        assert "zanzibar" not in str(memory.recall("Zanzibar").results).lower()


def test_what_is_forgotten_is_found_by_no_mode(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        memory.store("The lighthouse keeper sings.")
        id = memory.store("The lighthouse keeper left.").engram.id
        memory.settle()
        memory.forget(id)
        for mode in ("recall", "search", "fts", "hybrid", "list"):
            query = None if mode == "list" else "lighthouse keeper left"
            assert contents(memory.recall(query, mode=mode, limit=10)) == ["The lighthouse keeper sings."]


def test_undo_brings_a_forgotten_memory_back_with_all_that_was_around_it(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        first = memory.store("Shall we use Kafka?", source="chat").engram.id
        middle = memory.store("Yes, on 3 March 2026.", source="chat", tags="decision", pinned=True).engram
        last = memory.store("Fine.", source="chat").engram.id
        memory.settle()
        before, state = everything(memory), memory.get(middle.id).engram
        memory.forget(middle.id)
        follows = [link for link in memory.get(last).links if link.kind is LinkKind.FOLLOWS]
        assert [(link.src, link.dst) for link in follows] == [(last, first)]
        undone = memory.undo()
        memory.settle()
        assert undone.ids == (middle.id,)
        assert everything(memory) == before
        after = memory.get(middle.id).engram
        for field in ("content", "tags", "pinned", "created_at", "importance", "source", "content_hash"):
            assert getattr(after, field) == getattr(state, field)


def test_forgetting_an_unknown_memory_is_an_error(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory, pytest.raises(NotFound, match="memory 'nope' not found"):
        memory.forget("nope")


def test_undoing_when_nothing_happened_is_an_error(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        with pytest.raises(NothingToUndo):
            memory.undo()
        with pytest.raises(NotFound, match="change 'x' not found"):
            memory.undo("x")


def test_an_edit_is_found_under_its_new_words_only_and_can_be_undone(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        id = memory.store("The password manager is Keeperino.").engram.id
        memory.settle()
        memory.update(id, content="The password manager is Vaultello.", importance=0.9)
        memory.settle()
        assert contents(memory.recall("Vaultello", mode="fts"))
        assert not contents(memory.recall("Keeperino", mode="fts"))
        assert [cue.name for cue in memory.get(id).cues if "keeperino" in cue.name] == []
        memory.undo()
        assert memory.get(id).engram.importance == 0.5
        assert contents(memory.recall("Keeperino", mode="fts"))
        assert not contents(memory.recall("Vaultello", mode="fts"))


def test_an_edit_to_the_very_words_of_another_memory_is_refused(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        memory.store("One.")
        id = memory.store("Two.").engram.id
        with pytest.raises(Conflict):
            memory.update(id, content="One.")
        assert memory.get(id).engram.content == "Two."


def test_an_edit_needs_something_to_change(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        id = memory.store("One.").engram.id
        with pytest.raises(InvalidInput, match="at least one field"):
            memory.update(id)
        with pytest.raises(InvalidInput, match="importance"):
            memory.update(id, importance=3)
        with pytest.raises(NotFound):
            memory.update("nope", content="x")


def test_changes_are_undone_in_the_right_order_or_not_at_all(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        id = memory.store("First wording.").engram.id
        memory.update(id, content="Second wording.")
        edit = memory.changes()[0].id
        memory.forget(id)
        with pytest.raises(Conflict, match="undo change"):
            memory.undo(edit)
        memory.undo()
        memory.undo()
        assert memory.get(id).engram.content == "First wording."


def test_undoing_a_forgetting_is_refused_when_the_same_was_told_again(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        id = memory.store("Twice.").engram.id
        memory.forget(id)
        memory.store("Twice.")
        with pytest.raises(Conflict, match="stored again"):
            memory.undo()
        assert len(memory.changes()) == 1


def test_forgetting_by_filter_says_first_what_it_would_do(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        for number in range(7):
            memory.store(f"Note {number}.", source="old" if number < 5 else "new")
        preview = memory.forget_matching(source="old")
        assert preview.dry_run
        assert len(preview.ids) == 5
        assert memory.status().counts["engram"] == 7
        done = memory.forget_matching(source="old", dry_run=False)
        assert memory.status().counts["engram"] == 2
        assert set(memory.undo(done.undo).ids) == set(preview.ids)
        assert memory.status().counts["engram"] == 7


def test_forgetting_by_filter_needs_a_filter(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        memory.store("Precious.")
        with pytest.raises(InvalidInput, match="at least one of"):
            memory.forget_matching(dry_run=False)
        assert memory.status().counts["engram"] == 1


def test_what_was_forgotten_is_erased_after_its_days(tmp_path: Path) -> None:
    clock = TurnableClock()
    with open_test_memory(tmp_path, clock=clock, undo_days=7) as memory:
        memory.forget(memory.store("Gone soon.").engram.id)
        clock.turn(days=6)
        assert memory.purge_expired() == 0
        clock.turn(days=1.1)
        with pytest.raises(NothingToUndo):
            memory.undo()
        assert memory.purge_expired() == 1
        assert memory.status().counts["change"] == 0


@pytest.mark.parametrize("backend", ["sqlite", "ladybug"])
def test_a_memory_erases_what_is_past_its_days_by_itself_and_no_byte_of_it_stays(tmp_path: Path, backend: str) -> None:
    clock = TurnableClock()
    with open_test_memory(tmp_path, clock=clock, backend=backend) as memory:
        memory.store("Something harmless stays.")
        memory.forget(memory.store("The codeword is Xylophonist.").engram.id)
        memory.settle()
    assert b"xylophonist" in bytes_of(tmp_path).lower()
    clock.turn(days=8)
    with open_test_memory(tmp_path, clock=clock, backend=backend, start_worker=True):
        pass  # the thread looks after it before it ends
    with open_test_memory(tmp_path, clock=clock, backend=backend) as memory:
        assert memory.status().counts["change"] == 0
        assert contents(memory.recall("harmless")) == ["Something harmless stays."]
    assert b"xylophonist" not in bytes_of(tmp_path).lower()


def test_a_file_is_written_anew_by_itself_once_a_day_at_most_and_at_once_when_asked(tmp_path: Path) -> None:
    clock = TurnableClock()

    def forget_and_wait(secret: str, **turn: float) -> bool:
        """Forget, let the days and then some time pass; say whether a trace is left after a look at it."""
        with open_test_memory(tmp_path, clock=clock, undo_days=0) as memory:
            memory.forget(memory.store(f"The codeword is {secret}.").engram.id)
        clock.turn(**turn)
        return look(secret)

    def look(secret: str) -> bool:
        with open_test_memory(tmp_path, clock=clock, undo_days=0, start_worker=True):
            pass
        return secret.lower()[:8].encode() in bytes_of(tmp_path).lower()  # words are kept without their endings

    assert not forget_and_wait("Xylophonist", hours=1)
    assert forget_and_wait("Marimbaphone", hours=1)
    clock.turn(hours=24)
    assert not look("Marimbaphone")
    assert forget_and_wait("Glockenspiel", hours=1)
    with open_test_memory(tmp_path, clock=clock, undo_days=0) as memory:
        assert memory.purge_expired() == 0
    assert b"glockens" not in bytes_of(tmp_path).lower()


@pytest.mark.parametrize("forgotten_before", [False, True])
def test_purging_leaves_the_text_in_no_byte_of_the_folder(tmp_path: Path, forgotten_before: bool) -> None:
    with open_test_memory(tmp_path) as memory:
        memory.store("Something harmless stays.", source="chat")
        id = memory.store("The codeword is Xylophonist on 4 May 2026.", source="chat", tags="Xylophonist").engram.id
        memory.settle()
        memory.update(id, content="The codeword was Xylophonist, now Marimbaphone.")
        memory.settle()
        memory.recall("Xylophonist Marimbaphone")
        if forgotten_before:
            memory.forget(id)
        assert b"Xylophonist" in bytes_of(tmp_path)
        forgotten = memory.forget(id, purge=True)
        assert forgotten.purged
        assert forgotten.remains == ()
        left = bytes_of(tmp_path).lower()
        assert b"xylophon" not in left
        assert b"marimbaphon" not in left
        assert contents(memory.recall("harmless", mode="fts")) == ["Something harmless stays."]
    assert b"xylophon" not in bytes_of(tmp_path).lower()


def test_a_shared_cue_stays_for_the_other_memory_and_loses_only_its_share(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        one = memory.store("Grafana shows the Kafka lag.", source="a").engram.id
        two = memory.store("Grafana shows the Kafka lag.", source="b").engram.id
        memory.settle()
        memory.forget(two)
        cues = memory.get(one).cues
        pairs = memory._store.links([cue.id for cue in cues], [LinkKind.CO_OCCURS])
        assert {"grafana", "kafka"} <= {cue.name for cue in cues}
        assert pairs
        assert {link.strength for link in pairs} == {1.0}
        entities = memory._store.find(Kind.ENTITY).records
        assert {"Grafana", "Kafka"} <= {entity.name for entity in entities}


def pair_strengths(memory: Memory, id: str) -> set[float]:
    cues = [cue.id for cue in memory.get(id).cues]
    return {link.strength for link in memory._store.links(cues, [LinkKind.CO_OCCURS])}


def test_pairs_of_cues_count_each_memory_once_however_it_is_edited_forgotten_and_brought_back(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        one = memory.store("Grafana shows the Kafka lag.", source="a").engram.id
        two = memory.store("Grafana shows the Kafka lag.", source="b").engram.id
        memory.forget(two)  # before it has given any strength
        memory.settle()
        assert pair_strengths(memory, one) == {1.0}
        memory.undo()
        memory.settle()
        assert max(pair_strengths(memory, one)) == 2.0
        memory.update(two, tags=["urgent"])
        memory.settle()
        memory.reindex()
        assert max(pair_strengths(memory, one)) == 2.0
        memory.forget(two)
        assert pair_strengths(memory, one) == {1.0}


def test_a_large_forgetting_is_one_change_to_undo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("becausal.engine.forgetting.GROUP", 3)
    with open_test_memory(tmp_path) as memory:
        told = {memory.store(f"Note {number}.", source="old").engram.id for number in range(8)}
        done = memory.forget_matching(source="old", dry_run=False)
        assert done.undo in {change.id for change in memory.changes()}
        assert set(memory.undo().ids) == told
        assert memory.changes() == ()
        again = memory.forget_matching(source="old", dry_run=False)
        assert set(memory.undo(again.undo).ids) == told


def test_the_id_to_undo_by_is_the_id_of_the_change(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        id = memory.store("Once.").engram.id
        done = memory.forget(id)
        (change,) = memory.changes()
        assert change.id == done.undo
        assert change.targets == (id,)
