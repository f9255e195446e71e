# SPDX-License-Identifier: Apache-2.0
"""Concepts: stating them, and finding them by meaning, by name and, without vectors, by some of their words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from becausal.domain.records import Cue, CueType, Kind
from becausal.errors import InvalidInput
from becausal.graphs.concepts import Concepts, cue_id, embedded_text
from becausal.graphs.linking import Draft
from becausal.models.fake import FakeEmbedder
from becausal.ports.batch import PutVector
from becausal.ports.store import GraphStore

NOW = datetime(2026, 6, 10, tzinfo=UTC)
EMBEDDER = FakeEmbedder()


def state(store: GraphStore, name: str, description: str | None = None) -> Cue:
    draft = Draft("alice", NOW)
    cue = Concepts(store).make(draft, name, description, ())
    draft.vectors.append(PutVector(Kind.CUE, cue.id, EMBEDDER.embed([embedded_text(cue)])[0]))
    store.write(draft.batch())
    return cue


def read(store: GraphStore, name: str, cue_type: CueType) -> None:
    draft = Draft("alice", NOW, source="engram")
    draft.put(Cue(id=cue_id("alice", cue_type, name), name=name, cue_type=cue_type, created_at=NOW), (name,))
    store.write(draft.batch())


def found(store: GraphStore, query: str, *, meaning: bool = True, **options: object) -> list[str]:
    vector = EMBEDDER.embed([query])[0] if meaning else None
    return [match.cue.name for match in Concepts(store).search(query, vector, 10, 0.5, **options)]  # type: ignore[arg-type]


def test_stating_a_concept_again_keeps_its_description_or_takes_the_new_one(store: GraphStore) -> None:
    one = state(store, "Circuit-Breaker", "stops cascades")
    two = state(store, "circuit breaker")
    three = state(store, "CIRCUIT_BREAKER", "opens when calls fail")
    assert one.id == two.id == three.id
    assert [each.description for each in (two, three)] == ["stops cascades", "opens when calls fail"]
    assert store.count()[Kind.CUE] == 1
    with pytest.raises(InvalidInput, match="name"):
        state(store, "- -")


def test_a_concept_is_found_by_meaning_down_to_the_least_score(store: GraphStore) -> None:
    state(store, "blue kettle", "boils water")
    assert found(store, "what boils the water: a kettle, blue") == ["blue kettle"]
    assert found(store, "tax returns") == []


def test_a_concept_whose_whole_name_is_said_is_found_whatever_its_vector_and_description(store: GraphStore) -> None:
    state(store, "kettle", "a long description of something that has many more words than were asked for")
    (match,) = Concepts(store).search("Where did we leave the kettle?", EMBEDDER.embed(["zebra"])[0], 10, 0.5)
    assert (match.by_name, match.score) == (True, 1.0)


def test_a_part_of_a_name_is_not_the_name_unless_there_are_no_vectors(store: GraphStore) -> None:
    state(store, "blue kettle", "boils water")
    question = "water for the tea at noon with friends"
    assert found(store, question) == []
    assert found(store, question, meaning=False) == []
    assert found(store, question, meaning=False, partly=True) == ["blue kettle"]


def test_keywords_are_found_by_name_on_request_only(store: GraphStore) -> None:
    read(store, "boiler", CueType.KEYWORD)
    assert found(store, "the boiler") == []
    worded: Sequence[CueType] = tuple(CueType)
    assert found(store, "the boiler", worded=worded) == ["boiler"]


def test_a_question_of_stop_words_finds_nothing(store: GraphStore) -> None:
    state(store, "kettle")
    assert found(store, "is it the", meaning=False) == []
