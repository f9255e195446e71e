# SPDX-License-Identifier: Apache-2.0
"""Asking a memory for things."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from becausal.engine.memory import Memory
from becausal.engine.requests import Scoring
from becausal.errors import InvalidInput, StoreBusy
from becausal.models.fake import FakeEmbedder
from becausal.ports.batch import Batch, Written
from becausal.recall.rank import Weights
from memory_tools import TurnableClock, contents, open_test_memory


def test_a_recall_explains_how_each_result_was_found(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        memory.store("The JWT_SECRET was removed from the deployment.")
        result = memory.recall("What happened to JWT_SECRET?").results[0]
    assert result.how.match_type == "text"
    assert any(step.startswith("words: ") and "JWT_SECRET" in step for step in result.how.path)
    assert result.how.parts["text"] > 0
    assert 0 < result.score <= 1


@pytest.mark.parametrize("more", [{"weights": Weights(cue=0.05)}, {"scoring": Scoring.SMRITI}])
def test_cues_are_followed_on_request(tmp_path: Path, more: dict[str, Any]) -> None:
    with open_test_memory(tmp_path, **more) as memory:
        memory.store("The JWT_SECRET was removed from the deployment.")
        result = memory.recall("What happened to JWT_SECRET?").results[0]
    assert result.how.match_type == "cue"
    assert any(step.startswith("cue: jwt_secret") or step.startswith("cue: jwt secret") for step in result.how.path)


def test_a_time_in_the_question_finds_what_happened_then(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        memory.store("Walked the dog.", occurred_at="2026-06-02")
        memory.store("Cleaned the gutters.", occurred_at="2026-06-09")
        memory.store("The gutters will be cleaned on 20 August 2026, they say.", occurred_at="2026-05-05")
        assert contents(memory.recall("What did I do yesterday?"))[0] == "Cleaned the gutters."
        assert contents(memory.recall("anything in August 2026?"))[0].startswith("The gutters will be")


def test_a_turn_is_found_through_the_one_told_before_it(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        for number in range(12):
            memory.store(f"Small talk about topic {number}.", source=f"room-{number}")
        memory.store("Ana: Which restaurant did you pick for the anniversary?", source="chat")
        memory.store("Ben: The little Portuguese one.", source="chat")
        results = memory.recall("restaurant for the anniversary", limit=2).results
    assert [result.engram.content for result in results][1] == "Ben: The little Portuguese one."
    assert results[1].how.match_type == "neighbour"
    assert "told just after a match in the same conversation" in results[1].how.path


def test_turns_of_several_speakers_in_one_session_help_each_other(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        for number in range(12):
            memory.store(f"Small talk about topic {number}.", source="Ana", session=f"s{number}")
        memory.store("Which restaurant did you pick for the anniversary?", source="Ana", session="party")
        memory.store("The little Portuguese one.", source="Ben", session="party")
        results = memory.recall("restaurant for the anniversary", limit=2).results
    assert [result.engram.content for result in results][1] == "The little Portuguese one."
    assert "told just after a match in the same conversation" in results[1].how.path


def test_an_answer_comes_with_its_question_and_before_other_talk(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        for text in (
            "Ana: Did you see the new lighthouse?",
            "Ben: Yes, a lovely lighthouse.",
            "Ana: Which colour is the door of the lighthouse?",
            "Ben: Deep green.",
            "Ben: I will paint mine too.",
        ):
            memory.store(text, source="chat")
        found = contents(memory.recall("the colour of the lighthouse door", limit=5))
    assert set(found[:2]) == {"Ana: Which colour is the door of the lighthouse?", "Ben: Deep green."}


FILM = "Glass Harbour is a film directed by Mirko Vane."
PERSON = "Mirko Vane (born 1931 in Lorn) studied the violin."


def tell_articles(memory: Memory) -> None:
    memory.store(FILM)
    memory.store(PERSON)
    for place in ("Arvend", "Sool", "Teth", "Quarr", "Ulm", "Vasto", "Brel", "Nacre", "Hodd", "Imber"):
        memory.store(f"{place} Hall is a theatre where the director of the opera was born.")


def test_a_question_that_joins_two_facts_finds_both(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        tell_articles(memory)
        results = memory.recall("Where was the director of Glass Harbour born?", limit=2).results
    assert [result.engram.content for result in results] == [FILM, PERSON]
    assert "about 'Glass Harbour', named in the question" in results[0].how.path
    assert "about 'Mirko Vane', named by a match" in results[1].how.path
    assert any(step.startswith("from: Glass Harbour") for step in results[1].how.path)
    assert results[1].how.match_type == "name"
    assert results[1].how.parts["names"] > 0


def test_without_names_a_question_finds_what_it_says_itself(tmp_path: Path) -> None:
    with open_test_memory(tmp_path, weights=Weights(names=0.0)) as memory:
        tell_articles(memory)
        found = memory.recall("Where was the director of Glass Harbour born?", limit=5)
    assert PERSON not in contents(found)
    assert all("names" not in result.how.parts for result in found.results)


def test_names_lead_to_nothing_that_the_filter_leaves_out(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        memory.store(FILM, source="films")
        memory.store(PERSON, source="people")
        found = memory.recall("Where was the director of Glass Harbour born?", limit=5, source="films")
    assert contents(found) == [FILM]


def test_an_edit_changes_what_a_memory_is_about(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        tell_articles(memory)
        id = memory.store("Amber Tide is a novel.").engram.id
        memory.update(id, content="Cold Lantern is a novel.")
        assert memory.recall("Who wrote Cold Lantern?", limit=1).results[0].how.path[-1].startswith("about")
        steps = [step for result in memory.recall("Who wrote Amber Tide?").results for step in result.how.path]
        assert not any(step.startswith("about 'Amber Tide'") for step in steps)


def test_an_association_is_followed_in_both_directions(tmp_path: Path) -> None:
    with open_test_memory(tmp_path, scoring=Scoring.SMRITI) as memory:
        older = memory.store("alpha beta gamma delta epsilon zeta").engram.id
        newer = memory.store("alpha beta gamma delta epsilon eta").engram.id
        memory.settle()
        assert {result.engram.id for result in memory.recall("eta").results} >= {older, newer}
        assert {result.engram.id for result in memory.recall("zeta").results} >= {older, newer}


def test_filters_come_before_the_limit(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        for number in range(30):
            memory.store(f"The boiler note number {number}.", source="common", tags="common")
        rare = memory.store(
            "The boiler is a rare one, they said in passing and at some length.",
            source="rare",
            tags="rare,boiler",
            memory_type="procedural",
            session="s",
            occurred_at="2020-01-01",
        ).engram.id
        for mode in ("recall", "search", "fts", "hybrid", "list"):
            query = None if mode == "list" else "boiler note number"
            for filter in (
                {"source": "rare"},
                {"tags": "rare"},
                {"memory_type": "procedural"},
                {"session": "s"},
                {"until": "2021"},
            ):
                found = memory.recall(query, mode=mode, limit=1, **filter).results
                assert [result.engram.id for result in found] == [rare], (mode, filter)


def test_since_and_until_include_the_days_they_name(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        for day in (1, 2, 3, 4):
            memory.store(f"Day {day}.", occurred_at=f"2026-03-0{day}T10:00:00Z")
        found = memory.recall(mode="list", since="2026-03-02", until="2026-03-03", limit=10)
        assert sorted(contents(found)) == ["Day 2.", "Day 3."]
        with pytest.raises(InvalidInput, match="until: must be later than since"):
            memory.recall(mode="list", since="2026-03-03", until="2026-03-01")


@pytest.mark.parametrize("mode", ["recall", "search", "fts", "hybrid", "list"])
def test_pages_follow_on_without_gap_or_repetition(tmp_path: Path, mode: str) -> None:
    with open_test_memory(tmp_path) as memory:
        told = {memory.store(f"Lantern number {number} is lit.").engram.id for number in range(23)}
        query = None if mode == "list" else "lantern lit"
        seen: list[str] = []
        cursor = None
        while True:
            page = memory.recall(query, mode=mode, limit=5, cursor=cursor, strengthen=False)
            seen += [result.engram.id for result in page.results]
            if (cursor := page.next) is None:
                break
        assert len(seen) == 23
        assert set(seen) == told


def test_an_answer_can_be_read_to_the_last_memory_that_has_the_word(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        told = {memory.store(f"Storm {n}: the relay tripped because fuse {n} blew.").engram.id for n in range(130)}
        memory.settle(60)
        assert len({each.engram.id for each in memory.recall("storm", limit=100).results} & told) == 100
        seen: list[str] = []
        cursor = None
        while True:
            page = memory.recall("storm", limit=20, cursor=cursor, strengthen=False)
            seen += [each.engram.id for each in page.results]
            scores = [each.score for each in page.results]
            assert scores == sorted(scores, reverse=True)
            if (cursor := page.next) is None:
                break
        assert sorted(seen) == sorted(told)


def test_a_cursor_belongs_to_its_question(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        for number in range(9):
            memory.store(f"Lantern number {number}.")
        cursor = memory.recall("lantern", limit=2).next
        for wrong in (cursor, "rubbish", "e30"):
            with pytest.raises(InvalidInput, match="cursor"):
                memory.recall("number", limit=2, cursor=wrong)


def test_an_answer_keeps_within_its_tokens_and_says_where_it_goes_on(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        for number in range(8):
            memory.store(f"Lantern {number}. " + f"It burns with an even light, number {number}. " * 40)
        page = memory.recall("lantern light", limit=8, max_tokens=1500)
        assert 0 < len(page.results) < 8
        assert sum(len(result.text) for result in page.results) <= 1500 * 4
        rest = memory.recall("lantern light", limit=8, max_tokens=1500, cursor=page.next)
        assert not {result.engram.id for result in page.results} & {result.engram.id for result in rest.results}


def test_a_long_memory_is_shown_around_the_passage_that_matched(tmp_path: Path) -> None:
    filler = "The committee met and spoke about the usual matters without a decision. " * 60
    with open_test_memory(tmp_path) as memory:
        memory.store(filler + "The drawbridge needs a new winch before winter. " + filler)
        result = memory.recall("drawbridge winch", limit=1, max_tokens=400).results[0]
    assert result.truncated
    assert "drawbridge needs a new winch" in result.text
    assert result.passage is not None
    assert "drawbridge" in result.passage
    assert len(result.text) < 1700


BAD = [
    ({"limit": 0}, "limit: must be a whole number from 1 to 100"),
    ({"limit": -5}, "limit: must be a whole number from 1 to 100"),
    ({"limit": 10**9}, "limit: must be a whole number from 1 to 100"),
    ({"limit": 2.5}, "limit: must be a whole number from 1 to 100"),
    ({"limit": "5"}, "limit: must be a whole number from 1 to 100"),
    ({"mode": "psychic"}, "unknown mode: psychic"),
    ({"query": None, "mode": "search"}, "query is required for search mode"),
    ({"query": "x" * 9000}, "query: must be at most 8,000 characters"),
    ({"query": "a\0"}, "query: must not contain NUL"),
    ({"query": "a\ud800"}, "query: must be valid Unicode"),
    ({"memory_type": "dream"}, "memory_type: must be one of"),
    ({"max_tokens": 1}, "max_tokens: must be a whole number from 50"),
    ({"since": "whenever"}, "since"),
    ({"timezone": "Nowhere"}, "timezone"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_questions_are_refused_by_name(tmp_path: Path, arguments: dict[str, object], message: str) -> None:
    with open_test_memory(tmp_path) as memory, pytest.raises(InvalidInput, match=message):
        memory.recall(**{"query": "anything", **arguments})


def test_recalling_strengthens_and_listing_does_not(tmp_path: Path) -> None:
    clock = TurnableClock()
    with open_test_memory(tmp_path, clock=clock) as memory:
        id = memory.store("The heron stands in the reeds.").engram.id
        clock.turn(days=10)
        memory.recall("heron")
        memory.settle()
        once = memory.get(id).engram
        assert once.access_count == 1
        assert once.last_accessed_at >= clock.moment.replace(microsecond=0)
        # e^(-0.01 × 10) + 0.05 = 0.90484 + 0.05
        assert once.decay_factor == pytest.approx(0.95484, abs=1e-4)
        memory.recall(mode="list")
        memory.recall("heron", mode="search")
        memory.settle()
        assert memory.get(id).engram.access_count == 1


def test_a_failing_strengthening_never_fails_the_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_test_memory(tmp_path) as memory:
        memory.store("The heron stands in the reeds.")
        memory.settle()

        def busy(batch: Batch) -> Written:
            raise StoreBusy("somebody else writes")

        monkeypatch.setattr(memory._store, "write", busy)
        assert contents(memory.recall("heron")) == ["The heron stands in the reeds."]
        memory.settle()
        assert contents(memory.recall("heron")) == ["The heron stands in the reeds."]


def test_the_smriti_formula_is_selectable_and_exact(tmp_path: Path) -> None:
    clock = TurnableClock()
    with open_test_memory(tmp_path, clock=clock, scoring=Scoring.SMRITI) as memory:
        memory.store("amber basil cedar", importance=0.8)
        memory.settle()
        clock.turn(hours=24)
        result = memory.recall("amber basil cedar").results[0]
    # 0.4·1 + 0.2·1/(1+24/24) + 0.2·0.8 + 0.2·e^(-0.01) = 0.4 + 0.1 + 0.16 + 0.19801
    assert result.score == pytest.approx(0.85801, abs=2e-3)


def test_a_question_about_nothing_in_the_memory_scores_low(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        for text in ("The kettle is blue.", "Grafana watches Kafka.", "Rent is due on Fridays."):
            memory.store(text)
        sure = memory.recall("What does Grafana watch?").results[0].score
        unsure = max((result.score for result in memory.recall("zebra xylem quorum").results), default=0)
    assert unsure < sure / 2


def degrade(memory: Memory) -> str | None:
    return memory.recall("kettle").degraded


def test_without_an_embedder_words_still_find_and_every_answer_says_so(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    embedder.fail("the model file is missing")
    with open_test_memory(tmp_path, embedder=embedder) as memory:
        id = memory.store("The kettle is blue.").engram.id
        answer = memory.recall("kettle")
        assert contents(answer) == ["The kettle is blue."]
        assert "the model file is missing" in (answer.degraded or "")
        assert "the model file is missing" in (memory.status().degraded or "")
        assert answer.pending == 1
        assert memory.get(id).engram.indexed_at is None


def test_a_recall_says_how_sure_it_is_that_the_answer_was_told(tmp_path: Path) -> None:
    with open_test_memory(tmp_path) as memory:
        memory.store("Ana: I painted the lighthouse door green.", source="chat")
        memory.store("Ben: My sister repaired the harbour crane.", source="chat")
        told = memory.recall("Which colour did Ana paint the lighthouse door?").confidence
        never = memory.recall("How many goats live on the moon?").confidence
        other = memory.recall("Who repaired the harbour crane, did Ana?").confidence
        assert None not in (told, never, other)
        assert 0 <= never < 0.2 < told <= 1  # type: ignore[operator]
        assert other < told  # type: ignore[operator]
        assert memory.recall("What happened yesterday?").confidence is None
        assert memory.recall("door", mode="fts").confidence is None


def test_a_memory_whose_embedder_gives_tokens_is_recalled_by_them(tmp_path: Path) -> None:
    with open_test_memory(tmp_path, embedder=FakeEmbedder(tokens=True)) as memory:
        memory.store("The harbour crane was painted green.")
        memory.store("The lighthouse keeps its own goats.")
        memory.settle()
        best = memory.recall("Who painted the crane?").results[0]
    assert "crane" in best.engram.content
    assert best.how.parts["tokens"] > 0.5
