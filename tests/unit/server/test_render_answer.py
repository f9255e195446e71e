# SPDX-License-Identifier: Apache-2.0
"""An answer as text and as JSON, and what is left out of it first."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from becausal.domain.records import Entity, Event, Fact, Precision
from becausal.engine.results import Answer, ChainStep, Source
from becausal.server import render_answer

NOON = datetime(2026, 6, 10, 12, tzinfo=UTC)


def answer(**given: Any) -> Answer:
    values: dict[str, Any] = {
        "question": "Why?",
        "answer": "Because.",
        "intent": "WHY",
        "confidence": 0.8,
        "abstained": False,
        "chain": (),
        "root_cause": None,
        "chain_confidence": None,
        "timeline": (),
        "facts": (),
        "entities": (),
        "sources": (),
        "context": "",
        "strategy": "causal_chain",
        "views": {},
        "missing": {},
        "degraded": None,
        "pending": 0,
        "timings": {},
    }
    return Answer(**(values | given))


def source(number: int, text: str = "The valve stuck because of rust.") -> Source:
    return Source(number=number, engram=f"e{number}", text=text, source="log", at=NOON)


def hop(source: int | None = 1) -> ChainStep:
    return ChainStep(
        cause="rust",
        cause_id="c1",
        effect="The valve stuck",
        effect_id="c2",
        confidence=0.94,
        cumulative=0.94,
        evidence="The valve stuck because of rust.",
        source=source,
    )


def size(document: dict[str, Any]) -> int:
    return len(json.dumps(document, ensure_ascii=False, separators=(",", ":")))


def test_times_are_in_utc_with_milliseconds_and_what_is_open_is_null() -> None:
    event = Event(
        id="v1",
        description="The valve stuck",
        occurred_at=NOON,
        occurred_end=NOON.replace(hour=13),
        precision=Precision.HOUR,
        created_at=NOON,
    )
    fact = Fact(id="f1", subject="pump", predicate="is in", object="cellar", valid_from=NOON, recorded_at=NOON)
    document = render_answer.document(answer(timeline=(event,), facts=(fact,)), 4_000)
    assert document["timeline"] == [
        {
            "id": "v1",
            "description": "The valve stuck",
            "occurred_at": "2026-06-10T12:00:00.000Z",
            "occurred_until": "2026-06-10T13:00:00.000Z",
            "precision": "hour",
        }
    ]
    assert document["facts"][0]["valid_from"] == "2026-06-10T12:00:00.000Z"
    assert document["facts"][0]["valid_to"] is None


def test_a_source_that_no_hop_cites_is_a_match_by_meaning() -> None:
    document = render_answer.document(answer(chain=(hop(),), sources=(source(1), source(2, "Rust never sleeps."))), 500)
    assert document["reasoning"]["semantic_matches"] == [{"source": 2, "text": "Rust never sleeps."}]


def test_what_makes_an_answer_doubtful_is_said_in_its_text() -> None:
    value = answer(missing={"causal": "not ready after 5 s"}, degraded="no model", pending=3)
    assert render_answer.text(value, 500).splitlines() == [
        "Because.",
        "(WHY, confidence 0.80)",
        "Answered without the causal graph: not ready after 5 s",
        "Degraded: no model",
        "Not indexed yet, so found by words only: 3",
    ]


def test_the_chain_and_the_sources_it_cites_outlast_everything_else() -> None:
    entities = tuple(
        Entity(id=f"n{n}", name=f"name {n}", key=f"name {n}", entity_type="thing", created_at=NOON) for n in range(40)
    )
    value = answer(chain=(hop(),), entities=entities, sources=tuple(source(n) for n in range(1, 9)))
    document = render_answer.document(value, 100)
    assert document["truncated"] is True
    assert (document["entities"], document["reasoning"]) == ([], {})
    assert len(document["chain"]) == 1
    assert [each["number"] for each in document["sources"]] == [1]


def test_an_answer_that_fits_is_left_whole_and_one_just_too_long_is_not() -> None:
    value = answer(sources=tuple(source(n) for n in range(1, 31)))
    whole = render_answer.document(value, 100_000)
    assert "truncated" not in whole
    room = -(-size(whole) // render_answer.CHARS_PER_TOKEN)
    assert render_answer.document(value, room) == whole
    shorter = render_answer.document(value, room - 20)
    assert shorter["truncated"] is True
    assert size(shorter) <= (room - 20) * render_answer.CHARS_PER_TOKEN + len(',"truncated":true')


def test_a_long_stored_text_is_cut_in_every_place_it_appears() -> None:
    long = "rust " * 1_000
    value = answer(chain=(replace(hop(), evidence=long, cause=long),), sources=(source(1, long), source(2, long)))
    assert size(render_answer.document(value, 100_000)) < 6_000
    assert len(render_answer.text(value, 100_000)) < 2_000


def test_the_text_stops_at_its_budget_and_says_so() -> None:
    value = answer(sources=tuple(source(n) for n in range(1, 31)))
    text = render_answer.text(value, 100)
    assert text.splitlines()[-1] == render_answer.MORE
    assert len(text) <= 400 + len(render_answer.MORE) + 1
