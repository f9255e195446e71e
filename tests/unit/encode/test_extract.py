# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from becausal.domain.records import MemoryType
from becausal.encode.extract import extract, query_cues

BITS = (
    *(
        "Ada: ",
        "Dr. ",
        "Bank of England",
        "JWT_SECRET",
        "auth-service",
        "PR #12",
        "@bob",
        "a@b.co",
        "https://x.io/",
        "/a",
    ),
    *(
        "v1.2.3",
        "`x_y()`",
        '"The End"',
        "《红楼梦》",
        "don't",
        "O'Brien's",
        "数据库",
        "サーバー",
        "สวัสดี",
        "Иван",
        "\ud800",
    ),
    *("\0", "\u0301", "\n", "\n\n", "---\n", "# ", "- ", "1. ", " ", ". ", ", ", "? ", "is ", "was ", "run ", "the "),
)
ANY_TEXT = st.text(st.characters(exclude_categories=()))
LIKELY_TEXT = st.lists(st.sampled_from(BITS)).map("".join)
HOSTILE = {
    "letters": "a" * 100_000,
    "capitals": "A " * 50_000,
    "names": "Ada Of The " * 10_000,
    "initials": "A. " * 30_000,
    "titles": '"A" ' * 25_000,
    "open quotes": '"A ' * 33_000,
    "backticks": "`a" * 50_000,
    "colons": "Ada: " * 20_000,
    "conditions": "if a, " * 16_000,
    "dashes": "---\n" * 25_000,
    "links": "[a](" * 25_000,
    "snakes": "a_" * 50_000,
    "slashes": "/a" * 50_000,
    "dots": "a." * 50_000,
    "han": "漢" * 100_000,
    "marks": "a" + "\u0315\u0300" * 50_000,
    "surrogates": "\ud800" * 100_000,
    "nulls": "\0" * 100_000,
}


def test_an_incident_is_read_in_one_pass() -> None:
    found = extract("Yesterday auth-service failed because JWT_SECRET was missing.", label="Outage", source="pager")
    assert found.summary == "Yesterday auth-service failed because JWT_SECRET was missing."
    assert found.memory_type is MemoryType.EPISODIC
    assert [entity.name for entity in found.entities] == ["Outage", "auth-service", "JWT_SECRET"]
    assert [cue.name for cue in found.cues] == ["outage", "auth service", "jwt secret", "pager"]


@settings(max_examples=300)
@given(ANY_TEXT | LIKELY_TEXT, st.none() | LIKELY_TEXT, st.lists(LIKELY_TEXT, max_size=4), st.none() | LIKELY_TEXT)
def test_any_text_can_be_read_and_what_comes_out_can_be_stored(
    text: str, label: str | None, tags: list[str], source: str | None
) -> None:
    found = extract(text, label=label, tags=tags, source=source)
    assert len(found.cues) <= 10
    assert len(found.entities) <= 32
    assert len(found.summary) <= 200
    assert "\n" not in found.summary
    names = [cue.name for cue in found.cues]
    assert len(set(names)) == len(names)
    for name in (found.summary, *names, *(entity.key for entity in found.entities)):
        assert isinstance(name.encode(), bytes)
    assert all(names)
    assert all(entity.key and entity.name.encode() for entity in found.entities)


@given(ANY_TEXT | LIKELY_TEXT)
def test_any_question_can_be_read(text: str) -> None:
    found = query_cues(text)
    assert len(set(found)) == len(found) <= 48
    assert all(name and isinstance(name.encode(), bytes) for name in found)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_takes_no_more_than_linear_time(name: str) -> None:
    text = HOSTILE[name]
    extract(text[:1000])
    begun = time.thread_time()
    extract(text)
    query_cues(text)
    assert time.thread_time() - begun < 5.0  # it takes a tenth of that; quadratic time would be minutes
