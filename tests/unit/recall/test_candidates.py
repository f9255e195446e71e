# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest

from becausal.domain.records import Event, Kind, LinkKind, Precision
from becausal.ports.batch import Batch, Put
from becausal.ports.store import GraphStore
from becausal.recall.candidates import COMMON_CUE
from contract.samples import T0, cue, engram, link, passage, put, put_links, put_vector
from recall_tools import OpenPool


def encode(store: GraphStore, name: str, *ids: str) -> None:
    put(store, cue(f"cue {name}", name=name))
    links = [link(f"{name} {id}", id, f"cue {name}", LinkKind.ENCODED_BY, dst_kind=Kind.CUE) for id in ids]
    put_links(store, *links)


def test_words_and_vectors_are_both_scored_whichever_way_a_candidate_came(store: GraphStore, ask: OpenPool) -> None:
    put(store, engram("worded"), terms=("harbour",))
    put(store, engram("like"), terms=("town",))
    put_vector(store, "worded", 0.6, 0.8)
    put_vector(store, "like", 1, 0)
    pool = ask("harbour", (1.0, 0.0))
    pool.find_by_text(1)
    pool.find_by_vector(1)
    pool.complete(list(pool.by_id))
    worded, like = pool.by_id["worded"], pool.by_id["like"]
    assert worded.text > 0 == like.text
    assert worded.words == ("harbour",)
    assert (worded.cosine, like.cosine) == (pytest.approx(0.6), pytest.approx(1.0))


def test_the_question_is_embedded_when_its_vector_is_first_needed_and_once(store: GraphStore, ask: OpenPool) -> None:
    calls = []
    pool = ask("harbour")
    pool._embed = lambda: calls.append(1)
    pool.find_by_text()
    assert not calls
    pool.find_by_vector()
    pool.complete([])
    assert pool.vector is None
    assert len(calls) == 1


def test_a_cue_counts_for_more_the_fewer_engrams_it_has(store: GraphStore, ask: OpenPool) -> None:
    put(store, *(engram(f"e{i}") for i in range(8)))
    encode(store, "harbour", "e1")
    encode(store, "town", "e1", "e2", "e3", "e4")
    pool = ask("harbour town")
    pool.find_by_cues()
    # weights: ln(1 + 8 / 1) = 2.19722 and ln(1 + 8 / 4) = 1.09861, of 3.29583 in all
    assert pool.by_id["e1"].cue == pytest.approx(1.0)
    assert pool.by_id["e1"].cues == ("harbour", "town")
    assert pool.by_id["e2"].cue == pytest.approx(math.log(3) / (math.log(9) + math.log(3)))


def test_a_cue_that_very_many_engrams_share_finds_none(store: GraphStore, ask: OpenPool) -> None:
    ids = [f"e{i}" for i in range(COMMON_CUE)]
    put(store, *map(engram, ids))
    encode(store, "harbour", *ids)
    encode(store, "town", *ids[1:])
    pool = ask("harbour town")
    pool.find_by_cues()
    assert set(pool.by_id) == set(ids[1:])
    assert pool.by_id["e1"].cues == ("town",)


def test_what_is_archived_is_found_by_no_cue_and_added_by_nobody(store: GraphStore, ask: OpenPool) -> None:
    put(store, engram("old", archived_at=T0), engram("new"))
    encode(store, "harbour", "old", "new")
    pool = ask("harbour")
    pool.find_by_cues()
    assert set(pool.by_id) == {"new"}
    assert pool.add(["old", "new"]) == frozenset()


def test_a_time_finds_what_was_told_of_it_and_what_happened_in_it(store: GraphStore, ask: OpenPool) -> None:
    day = datetime(2025, 2, 28, tzinfo=UTC)
    put(store, engram("told", at=day + timedelta(hours=3)), engram("tells"), engram("else"))
    event = Event(
        id="v", description="d", occurred_at=day, occurred_end=day + timedelta(days=1), precision=Precision.DAY,
        created_at=T0,
    )  # fmt: skip
    store.write(Batch(puts=(Put(event),)))
    put_links(store, link("l", "tells", "v", LinkKind.X_RECORDS, dst_kind=Kind.EVENT))
    pool = ask("What happened yesterday?")
    pool.find_by_time()
    assert {id: each.time for id, each in pool.by_id.items()} == {"told": 1.0, "tells": 1.0}


def test_a_long_engram_is_scored_by_its_best_passage_too(store: GraphStore, ask: OpenPool) -> None:
    put(store, engram("long"), terms=("harbour", "town", *["filler"] * 200))
    put(store, passage("p1", "long", 0), terms=("harbour", "town"))
    put(store, passage("p2", "long", 1), terms=("filler",) * 200)
    put(store, engram("short"), terms=("harbour",))
    pool = ask("harbour town")
    pool.find_by_text()
    long = pool.by_id["long"]
    assert long.passage == "p1"
    assert long.text > sum(long.parts)  # the passage holds the words closer together
    assert not long.short
    assert pool.by_id["short"].short


def test_turns_are_what_was_told_in_a_source(store: GraphStore, ask: OpenPool) -> None:
    put(store, engram("told", content="Ana: Hello.", source="talk"), engram("noted", content="A note."))
    assert ask().turns(["told", "noted", "gone"]) == {"told": ("talk", None, "Ana: Hello.")}
    assert ask().turns([]) == {}
