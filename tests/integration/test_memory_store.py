# SPDX-License-Identifier: Apache-2.0
"""Telling a memory things."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from becausal import Memory
from becausal.domain.records import Kind, LinkKind, MemoryType, Precision
from becausal.encode.index import MAX_TEXTS
from becausal.encode.vectors import SLICE
from becausal.errors import InvalidInput
from becausal.models.fake import FakeEmbedder
from memory_tools import TurnableClock, contents, open_test_memory


def test_what_was_told_is_there_in_a_new_process_of_the_same_memory(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        id = memory.store("The staging database moved to port 5433.", tags="staging, database").engram.id
    with open_test_memory(tmp_path) as memory:
        engram = memory.get(id).engram
    assert engram.content == "The staging database moved to port 5433."
    assert engram.tags == ("staging", "database")


def test_the_same_content_from_the_same_place_and_time_strengthens(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        first = memory.store("Deploys happen on Thursdays.", source="wiki", importance=0.4, tags="deploy")
        again = memory.store("Deploys happen on Thursdays.", source="wiki", importance=0.7, tags="team")
        assert again.engram.id == first.engram.id
        assert not again.created
        engram = memory.get(first.engram.id).engram
        assert (engram.access_count, engram.importance, engram.tags) == (1, 0.7, ("deploy", "team"))
        assert memory.status().counts["engram"] == 1


@pytest.mark.parametrize(
    "difference",
    [
        {"source": "bob"},
        {"session": "s-2"},
        {"label": "reply"},
        {"node_type": "note"},
        {"occurred_at": "2026-06-01"},
    ],
)
def test_the_same_words_from_elsewhere_are_another_memory(tmp_path: Path, difference: dict[str, str]) -> None:
    with open_test_memory(tmp_path) as memory:
        first = memory.store("Thanks!", source="alice", session="s-1")
        other = memory.store("Thanks!", **{"source": "alice", "session": "s-1", **difference})
        assert other.created
        assert other.engram.id != first.engram.id


def test_cues_of_one_memory_gain_strength_together_each_time(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        one = memory.store("Grafana shows the Kafka lag.", source="a").engram.id
        memory.store("Grafana shows the Kafka lag.", source="b")
        memory.settle()
        cues = [cue.id for cue in memory.get(one).cues if cue.name in ("grafana", "kafka")]
        links = memory._store.links(cues, [LinkKind.CO_OCCURS])
        pair = next(link for link in links if {link.src, link.dst} == set(cues))
        assert pair.strength == 2.0


def test_a_relative_time_is_anchored_at_the_moment_it_happened(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        stored = memory.store(
            "We rotated the signing key yesterday.", occurred_at="2026-03-02T09:00:00Z", timezone="UTC"
        )
        event = memory.get(stored.engram.id).events[0]
    assert event.occurred_at == datetime(2026, 3, 1, tzinfo=UTC)
    assert event.occurred_end == datetime(2026, 3, 2, tzinfo=UTC)
    assert event.precision is Precision.DAY


def test_a_relative_time_is_read_in_the_callers_zone(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        # 23:30 UTC on the 2nd is already the 3rd in Tokyo, so "yesterday" is the 2nd there.
        stored = memory.store("It broke yesterday.", occurred_at="2026-03-02T23:30:00Z", timezone="Asia/Tokyo")
        event = memory.get(stored.engram.id).events[0]
    assert event.occurred_at == datetime(2026, 3, 1, 15, tzinfo=UTC)


def test_when_it_happened_and_when_it_was_told_are_kept_apart(tmp_path: Path) -> None:
    clock = TurnableClock()
    with open_test_memory(tmp_path, clock=clock) as memory:
        engram = memory.store("The office opened.", occurred_at="2019-05").engram
    assert engram.occurred_at == engram.at == datetime(2019, 5, 1, tzinfo=UTC)
    assert engram.precision is Precision.MONTH
    assert engram.created_at.year == 2026


def test_what_is_told_in_one_source_follows_what_was_told_before_it(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        first = memory.store("Shall we use Postgres?", source="chat").engram.id
        memory.store("Unrelated.", source="elsewhere")
        second = memory.store("Yes, since everybody knows it.", source="chat").engram.id
        follows = [link for link in memory.get(second).links if link.kind is LinkKind.FOLLOWS]
    assert [(link.src, link.dst) for link in follows] == [(second, first)]


def test_a_long_text_is_indexed_in_passages_and_kept_whole(tmp_path: Path) -> None:
    text = " ".join(f"Paragraph {n} speaks about the number {n} and nothing else at all." for n in range(60))
    with open_test_memory(tmp_path) as memory:
        stored = memory.store(text)
        detail = memory.get(stored.engram.id)
    assert detail.engram.content == text
    assert detail.passages > 3


def test_a_very_long_text_is_indexed_a_slice_at_a_time_and_a_memory_beside_it_does_not_wait(tmp_path: Path) -> None:
    text = " ".join(f"Paragraph {n} speaks about the number {n} and nothing else at all." for n in range(1500))
    embedder = FakeEmbedder()
    with open_test_memory(tmp_path, embedder=embedder) as memory:
        long = memory.store(text).engram.id
        short = memory.store("The kettle is blue.").engram.id
        assert memory.get(long).passages > 3 * SLICE
        rounds = 0
        while memory._worker.pending():
            before = embedder.texts
            assert memory._worker._round()
            assert embedder.texts - before <= MAX_TEXTS + 40  # cues besides
            rounds += 1
            assert memory.get(short).engram.indexed_at is not None
        assert rounds == 3
        detail = memory.get(long)
        found = memory._store.vector_search(Kind.PASSAGE, embedder.embed(["paragraph"])[0], 4096)
    assert detail.engram.indexed_at is not None
    assert len(found) == detail.passages


def test_alike_memories_are_associated_once_indexed(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        one = memory.store("The payment gateway times out under load.").engram.id
        two = memory.store("The payment gateway times out under heavy load.").engram.id
        memory.settle()
        links = [link for link in memory.get(two).links if link.kind is LinkKind.ASSOCIATED_WITH]
    assert [(link.src, link.dst, link.relation_type) for link in links] == [(two, one, "similar_to")]
    assert 0.7 < links[0].strength <= 1


def test_a_memory_type_can_be_read_from_the_text_or_given(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        assert (
            memory.store("To restart the worker, run `systemctl restart worker`.").engram.memory_type
            is MemoryType.PROCEDURAL
        )
        assert memory.store("Berlin is the capital of Germany.").engram.memory_type is MemoryType.SEMANTIC
        given = memory.store("Berlin is big.", memory_type="episodic")
        assert given.engram.memory_type is MemoryType.EPISODIC


BAD = [
    ({"content": ""}, "content is required"),
    ({"content": " \n\t"}, "content is required"),
    ({"content": "x" * (2 * 1024 * 1024)}, "content: must be at most 1,048,576 bytes"),
    ({"content": "a\0b"}, "content: must not contain NUL"),
    ({"content": "a\ud800b"}, "content: must be valid Unicode"),
    ({"content": 7}, "content: must be text"),
    ({"importance": -1}, "importance: must be a number from 0 to 1"),
    ({"importance": 2}, "importance: must be a number from 0 to 1"),
    ({"importance": float("nan")}, "importance: must be a number from 0 to 1"),
    ({"importance": "high"}, "importance: must be a number from 0 to 1"),
    ({"importance": True}, "importance: must be a number from 0 to 1"),
    ({"tags": [f"t{n}" for n in range(300)]}, "tags: must be at most 256"),
    ({"tags": ["a\0"]}, "tags: must not contain NUL"),
    ({"tags": 5}, "tags: must be comma-separated text or a list"),
    ({"source": "s" * 600}, "source: must be at most 512"),
    ({"memory_type": "dream"}, "memory_type: must be one of episodic, semantic, procedural"),
    ({"node_type": "planet"}, "node_type: must be one of memory"),
    ({"occurred_at": "whenever"}, "occurred_at"),
    ({"timezone": "Mars/Olympus"}, "timezone"),
    ({"metadata": {"a": float("inf")}}, "metadata: must hold only JSON values"),
    ({"metadata": {"a": "x" * 70_000}}, "metadata: must be at most 65,536 bytes"),
    ({"metadata": [1]}, "metadata: must be an object"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_input_is_refused_by_name_and_leaves_nothing(
    tmp_path: Path, arguments: dict[str, object], message: str
) -> None:
    with open_test_memory(tmp_path) as memory:
        before = memory.status().counts
        with pytest.raises(InvalidInput, match=message.replace("(", r"\(")):
            memory.store(**{"content": "Something.", **arguments})
        assert memory.status().counts == before


def test_every_script_is_kept_as_it_was_and_found_again(tmp_path: Path) -> None:
    texts = [
        "我昨天在上海见了老朋友",
        "Привет, как дела?",
        "今日は天気がいい",
        "สวัสดีครับ",
        "مرحبا بالعالم",
        "Ça va à José?",
    ]
    with open_test_memory(tmp_path) as memory:
        for text in texts:
            memory.store(text)
        for query, text in [
            ("上海", texts[0]),
            ("дела", texts[1]),
            ("天気", texts[2]),
            ("مرحبا", texts[4]),
            ("jose", texts[5]),
        ]:
            assert contents(memory.recall(query, mode="fts", limit=1)) == [text]


def test_what_a_caller_says_outright_is_kept_with_the_text_and_goes_with_it(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        stored = memory.store(
            "Post-mortem of Monday.",
            occurred_at="2026-03-02",
            entities=["Kestrel", {"name": "Osprey", "type": "service"}],
            causes=[{"cause": "Kestrel ran out of disk", "effect": "Osprey stopped", "confidence": 0.8}],
            facts=[{"subject": "Osprey", "predicate": "owned by", "object": "the storage team"}],
        )
        names = {entity.name: entity.entity_type for entity in memory._store.find(Kind.ENTITY).records}
        assert names["Osprey"] == "service"
        assert "Kestrel" in names
        causes = {cause.id: cause.description for cause in memory._store.find(Kind.CAUSE).records}
        (link,) = memory._store.links(list(causes), [LinkKind.C_CAUSES])
        assert (causes[link.src], causes[link.dst], link.confidence) == (
            "Kestrel ran out of disk",
            "Osprey stopped",
            0.8,
        )
        (fact,) = memory._store.find(Kind.FACT).records
        assert (fact.subject, fact.predicate, fact.object) == ("Osprey", "owned by", "the storage team")
        assert fact.valid_from == datetime(2026, 3, 2, tzinfo=UTC)
        memory.forget(stored.engram.id)
        assert {kind: memory.status().counts[kind] for kind in ("entity", "cause", "fact")} == dict.fromkeys(
            ("entity", "cause", "fact"), 0
        )
        memory.undo()
        assert memory.status().counts["cause"] == 2


def test_a_newer_fact_closes_the_older_and_forgetting_it_opens_that_again(tmp_path: Path) -> None:
    def open_facts(memory: Memory) -> set[str]:
        return {fact.object for fact in memory._store.find(Kind.FACT).records if fact.valid_to is None}

    with open_test_memory(tmp_path) as memory:
        memory.store("Ana lives in Lisbon.", occurred_at="2023-02-01")
        moved = memory.store("Ana lives in Porto.", occurred_at="2024-05-01")
        (closed,) = moved.superseded
        assert (closed.subject, closed.predicate, closed.object) == ("Ana", "lives in", "Lisbon")
        assert closed.valid_to == datetime(2024, 5, 1, tzinfo=UTC)
        assert open_facts(memory) == {"Porto"}
        memory.undo()
        assert open_facts(memory) == {"Lisbon", "Porto"}
        memory.forget(moved.engram.id)
        assert open_facts(memory) == {"Lisbon"}


TOLD_WRONGLY = [
    ({"entities": "Kestrel"}, "entities: must be a list"),
    ({"entities": [{"type": "x"}]}, r"entities\[0\].name: is required"),
    ({"causes": [{"cause": "a"}]}, r"causes\[0\].effect: is required"),
    ({"causes": [{"cause": "a", "effect": "b", "confidence": 2}]}, r"causes\[0\].confidence: must be a number above 0"),
    ({"causes": [{"cause": "a", "effect": "b", "why": "c"}]}, r"causes\[0\].why: is not known"),
    ({"facts": [{"subject": "a", "predicate": "b", "object": ""}]}, r"facts\[0\].object: is required"),
    ({"facts": [{"subject": "a", "predicate": "b", "object": "c", "valid_from": "soonish"}]}, r"facts\[0\].valid_from"),
    ({"facts": [{"subject": "a", "predicate": "b", "object": "c"}] * 65}, "facts: must be at most 64"),
]


@pytest.mark.parametrize(("arguments", "message"), TOLD_WRONGLY, ids=[message for _, message in TOLD_WRONGLY])
def test_what_is_said_outright_is_checked_by_name(tmp_path: Path, arguments: dict[str, object], message: str) -> None:
    with open_test_memory(tmp_path) as memory:
        with pytest.raises(InvalidInput, match=message):
            memory.store("Something.", **arguments)
        assert memory.status().counts["engram"] == 0


def test_what_was_said_outright_with_a_text_finds_it_also_where_the_text_lacks_the_words(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        for number in range(20):
            memory.store(f"The weekly review number {number} went well.")
        told = memory.store(
            "It went live and nobody noticed.",
            entities=["Project Aurora"],
            causes=[{"cause": "the dishwasher flooded", "effect": "the pantry was closed"}],
            facts=[{"subject": "Marit", "predicate": "maintains", "object": "the samovar"}],
        )
        for asked in ("Project Aurora", "dishwasher", "pantry", "samovar"):
            assert memory.recall(asked, limit=1).results[0].engram.id == told.engram.id, asked
