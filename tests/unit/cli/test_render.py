# SPDX-License-Identifier: Apache-2.0
"""How answers read."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from becausal.cli import render
from becausal.cli.terminal import Screen
from becausal.domain.records import Engram, Fact, Precision
from becausal.engine.results import Explanation, Foreign, Forgotten, Recalled, Result, Status, Stored

NOW = datetime(2025, 3, 12, 10, tzinfo=UTC)


def engram(**given: object) -> Engram:
    values: dict[str, object] = {
        "id": "e1",
        "content": "The gateway restarted",
        "summary": "The gateway restarted",
        "at": NOW,
        "created_at": NOW,
        "last_accessed_at": NOW,
    }
    return Engram(**(values | given))  # type: ignore[arg-type]


def result(**given: object) -> Result:
    values: dict[str, object] = {
        "engram": engram(),
        "score": 0.5,
        "text": "The gateway restarted",
        "how": Explanation(match_type="text", path=("words: gateway",), parts={"text": 0.91, "time": 0.0}),
    }
    return Result(**(values | given))  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _in_utc() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "UTC")
        _adopt_zone()
        yield
    _adopt_zone()


def _adopt_zone() -> None:
    if hasattr(time, "tzset"):
        time.tzset()


@pytest.mark.parametrize(
    ("start", "days", "precision", "shown"),
    [
        (datetime(2025, 3, 11, 14, 3, tzinfo=UTC), 0.0, Precision.INSTANT, "2025-03-11 14:03"),
        (datetime(2025, 3, 11, tzinfo=UTC), 1, Precision.DAY, "2025-03-11"),
        (datetime(2025, 3, 10, 13, tzinfo=UTC), 1, Precision.DAY, "2025-03-11"),  # a day in Auckland
        (datetime(2025, 3, 11, 7, tzinfo=UTC), 1, Precision.DAY, "2025-03-11"),  # a day in Los Angeles
        (datetime(2025, 3, 10, tzinfo=UTC), 7, Precision.WEEK, "week of 2025-03-10"),
        (datetime(2025, 3, 1, tzinfo=UTC), 31, Precision.MONTH, "2025-03"),
        (datetime(2025, 7, 1, tzinfo=UTC), 92, Precision.QUARTER, "Q3 2025"),
        (datetime(2025, 1, 1, tzinfo=UTC), 365, Precision.YEAR, "2025"),
        (datetime(1990, 1, 1, tzinfo=UTC), 3652, Precision.DECADE, "1990s"),
        (datetime(2025, 6, 1, tzinfo=UTC), 92, Precision.SEASON, "2025-06-01 to 2025-08-31"),
    ],
)
def test_a_time_is_shown_as_exactly_as_it_was_told(
    start: datetime, days: float, precision: Precision, shown: str
) -> None:
    assert render.when(start, start + timedelta(days=days), precision) == shown


def test_the_edges_of_the_calendar_can_be_shown_in_any_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    first, last = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    for zone in ("Pacific/Auckland", "America/Los_Angeles"):
        monkeypatch.setenv("TZ", zone)
        _adopt_zone()
        assert render.when(first, last, Precision.RANGE) == "0001-01-01 to 9999-12-31"


def test_without_a_time_the_telling_is_what_is_shown() -> None:
    assert render.engram_time(engram()) == "told 2025-03-12 10:00"


def test_a_memory_is_described_on_one_line() -> None:
    described = render.about(engram(source="on-call\nchat", tags=("infra",), pinned=True))
    assert described == "told 2025-03-12 10:00 · on-call chat · semantic · pinned · #infra"


def test_why_names_the_evidence_and_leaves_out_parts_that_gave_nothing() -> None:
    assert render.why(result()) == "by text · words: gateway [text 0.91]"
    assert render.why(result(how=Explanation(match_type="list"))) == "by list"


def test_a_long_text_is_represented_by_the_passage_that_matched() -> None:
    text = "a" * 400 + " the passage " + "b" * 400
    shown = render.excerpt(result(engram=engram(content=text), text=text, passage=" the passage ", start=400, end=413))
    assert shown == "… the passage …"


def test_a_short_text_is_shown_whole() -> None:
    assert render.excerpt(result(passage="gateway", start=4, end=11)) == "The gateway restarted"


def test_more_results_are_announced_with_the_command_for_them(capsys: pytest.CaptureFixture[str]) -> None:
    render.recalled(Screen(), Recalled(results=(result(),), mode="recall", next="abc"), "becausal recall x")
    assert capsys.readouterr().out.endswith("\nMore: becausal recall x --cursor abc\n")


def test_a_closed_fact_and_waiting_for_the_index_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    closed = Fact(
        id="f1",
        subject="gateway",
        predicate="runs on",
        object="port 80",
        valid_from=NOW,
        valid_to=NOW,
        recorded_at=NOW,
    )
    stored = Stored(engram=engram(), created=True, cues=("gateway",), superseded=(closed,))
    render.stored(Screen(), stored, 1)
    out = capsys.readouterr().out
    assert "no longer so: gateway runs on port 80 (until 2025-03-12)" in out
    assert "not indexed yet" in out


def test_what_may_remain_after_a_purge_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    render.forgotten(Screen(), [Forgotten(ids=("e1",), purged=True, remains=("backups of the server",))])
    out = capsys.readouterr().out
    assert "1 memory erased for good" in out
    assert "may still hold traces: backups of the server" in out


def test_status_tells_of_foreign_data_and_of_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    status = Status(
        version="1",
        user="alice",
        backend="sqlite",
        location="/somewhere",
        schema=1,
        embedder="minilm",
        embedder_state="failed",
        degraded="the model is missing",
        counts={"engram": 1200, "cue": 0, "entity": 1, "CO_OCCURS": 3, "ENCODED_BY": 4},
        pending=3,
        oldest_undo=NOW,
        consolidated_at=NOW,
        backup=None,
        sends_text_to=("api.example.com",),
        foreign=(Foreign(system="smriti-mcp", path="/old/memory.lbug", advice="It is left untouched."),),
        notes=("A note.",),
    )
    render.status(Screen(), status)
    out = capsys.readouterr().out
    for shown in (
        "1,200 memories, 1 entity, 7 links",
        "3 memories not indexed yet",
        "back to 2025-03-12 10:00",
        "upkeep      2025-03-12 10:00",
        "api.example.com",
        "degraded: the model is missing",
        "found data of smriti-mcp at /old/memory.lbug: It is left untouched.",
        "note: A note.",
    ):
        assert shown in out


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


INTERVALS: list[tuple[str, str, Precision, str]] = [
    ("2026-03-09 14:03", "2026-03-09 14:03:01", Precision.INSTANT, "2026-03-09 14:03"),
    ("2026-03-09 14:00", "2026-03-09 15:00", Precision.HOUR, "2026-03-09 14:00"),
    ("2026-03-09 18:00", "2026-03-10 00:00", Precision.HOUR, "2026-03-09 18:00 to 24:00"),
    ("2026-03-09 18:00", "2026-03-10 06:00", Precision.HOUR, "2026-03-09 18:00 to 2026-03-10 06:00"),
    ("2026-03-09 14:00", "2026-03-09 16:30", Precision.RANGE, "2026-03-09 14:00 to 16:30"),
    ("2026-03-09", "2026-03-10", Precision.DAY, "2026-03-09"),
    ("2026-03-14", "2026-03-16", Precision.DAY, "2026-03-14 to 2026-03-15"),
    ("2026-03-09", "2026-03-16", Precision.WEEK, "week of 2026-03-09"),
    ("2026-03-09", "2026-03-30", Precision.WEEK, "2026-03-09 to 2026-03-29"),
    ("2026-03-01", "2026-04-01", Precision.MONTH, "2026-03"),
    ("2026-03-01", "2026-06-01", Precision.MONTH, "2026-03-01 to 2026-05-31"),
    ("2026-04-01", "2026-07-01", Precision.QUARTER, "Q2 2026"),
    ("2026-01-01", "2027-01-01", Precision.YEAR, "2026"),
    ("2020-01-01", "2030-01-01", Precision.DECADE, "2020s"),
    ("2026-06-01", "2026-09-01", Precision.SEASON, "2026-06-01 to 2026-08-31"),
    ("2026-03-09", "2026-03-10", Precision.RANGE, "2026-03-09"),
    ("2019-01-01", "2026-03-11 12:30", Precision.RANGE, "since 2019-01-01"),
]


@pytest.mark.parametrize("case", INTERVALS, ids=lambda case: case[3])
def test_an_interval_is_shown_as_exactly_as_it_was_told(case: tuple[str, str, Precision, str]) -> None:
    start, end, precision, shown = case
    render.show_in(UTC)
    assert render.when(at(start), at(end), precision) == shown
    render.show_in(None)


def test_times_are_shown_in_the_zone_that_was_set() -> None:
    render.show_in(ZoneInfo("Asia/Tokyo"))
    assert render.stamp(at("2026-03-09 20:00")) == "2026-03-10 05:00"
    render.show_in(None)


def test_of_many_ids_the_first_are_shown_with_what_they_stand_for(capsys: pytest.CaptureFixture[str]) -> None:
    found = Forgotten(ids=tuple(f"e{number}" for number in range(1025)), dry_run=True)
    render.forgotten(Screen(), [found], said={"e0": "The gateway restarted"})
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == ["1,025 memories would be forgotten:", "  e0", "    The gateway restarted"]
    assert lines[-1] == "  and 1,005 more"
