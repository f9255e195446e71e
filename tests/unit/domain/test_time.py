# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import time as clock
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from becausal.domain.interval import LAST_MOMENT, between, lasting, to_utc
from becausal.domain.records import Precision
from becausal.domain.time import MAX_LENGTH, Interval, describe, iso, parse_when, zone
from becausal.errors import InvalidInput

BERLIN = ZoneInfo("Europe/Berlin")
NEW_YORK = ZoneInfo("America/New_York")
ANCHOR = datetime(2023, 6, 14, 13, 30, tzinfo=UTC)  # a Wednesday, 15:30 in Berlin


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def parse(value: object, where: tzinfo = UTC, anchor: datetime | None = None) -> Interval:
    return parse_when(value, field="since", zone=where, anchor=anchor)  # type: ignore[arg-type]


# --- intervals ----------------------------------------------------------------------------------


def interval(start: str, end: str, precision: Precision = Precision.RANGE) -> Interval:
    return Interval(utc(start), utc(end), precision)


def test_an_interval_holds_its_start_but_not_its_end() -> None:
    day = interval("2023-06-09", "2023-06-10")
    assert day.contains(utc("2023-06-09"))
    assert day.contains(utc("2023-06-09 23:59:59"))
    assert not day.contains(utc("2023-06-10"))
    assert day.contains(datetime(2023, 6, 9, 1, tzinfo=BERLIN) + timedelta(hours=1))


def test_intervals_that_touch_do_not_overlap() -> None:
    day = interval("2023-06-09", "2023-06-10")
    assert day.overlaps(interval("2023-06-09 23:00", "2023-06-11"))
    assert day.overlaps(interval("2023-06-01", "2023-07-01"))
    assert not day.overlaps(interval("2023-06-10", "2023-06-11"))
    assert not interval("2023-06-10", "2023-06-11").overlaps(day)


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (utc("2023-06-10"), utc("2023-06-10")),
        (utc("2023-06-10"), utc("2023-06-09")),
        (datetime(2023, 6, 9), utc("2023-06-10")),
        (utc("2023-06-09"), datetime(2023, 6, 10, tzinfo=BERLIN)),
    ],
)
def test_an_interval_must_run_forward_and_be_in_utc(start: datetime, end: datetime) -> None:
    with pytest.raises(ValueError, match="interval"):
        Interval(start, end, Precision.DAY)


def test_a_time_shown_twice_is_the_first_and_a_skipped_one_is_read_by_the_offset_before() -> None:
    assert to_utc(datetime(2023, 10, 29, 2, 30), BERLIN) == utc("2023-10-29 00:30")
    assert to_utc(datetime(2023, 3, 26, 2, 30), BERLIN) == utc("2023-03-26 01:30")


def test_an_hour_that_the_clocks_skip_lasts_an_instant() -> None:
    skipped = between(datetime(2023, 3, 26, 2), datetime(2023, 3, 26, 3), Precision.RANGE, BERLIN)
    assert (skipped.start, skipped.end) == (utc("2023-03-26 01:00"), utc("2023-03-26 01:00:01"))


def test_what_would_last_beyond_the_year_9999_is_cut_off() -> None:
    assert lasting(utc("9999-12-31 23:59:59.5"), timedelta(seconds=1), Precision.INSTANT).end == LAST_MOMENT
    assert between(datetime(9999, 1, 1), datetime.max, Precision.YEAR, NEW_YORK).end == LAST_MOMENT


# --- reading callers' times ---------------------------------------------------------------------

ISO = [
    ("2026", "2026-01-01", "2027-01-01", "year"),
    ("2026-03", "2026-03-01", "2026-04-01", "month"),
    ("2026-12", "2026-12-01", "2027-01-01", "month"),
    ("2026-W10", "2026-03-02", "2026-03-09", "week"),
    ("2026-03-01", "2026-03-01", "2026-03-02", "day"),
    (" 2024-02-29 ", "2024-02-29", "2024-03-01", "day"),
    ("2026-03-01T10", "2026-03-01 10:00", "2026-03-01 11:00", "hour"),
    ("2026-03-01T10:00Z", "2026-03-01 10:00", "2026-03-01 10:00:01", "instant"),
    ("2026-03-01t10:00z", "2026-03-01 10:00", "2026-03-01 10:00:01", "instant"),
    ("2026-03-01 10:00", "2026-03-01 10:00", "2026-03-01 10:00:01", "instant"),
    ("2026-03-01T10:00:05.25+02:00", "2026-03-01 08:00:05.25", "2026-03-01 08:00:06.25", "instant"),
    ("2026-03-01T10:00:05,123456789-0530", "2026-03-01 15:30:05.123456", "2026-03-01 15:30:06.123456", "instant"),
    ("2026-03-01T10:00+14", "2026-02-28 20:00", "2026-02-28 20:00:01", "instant"),
    ("9999", "9999-01-01", "9999-12-31 23:59:59.999999", "year"),
    ("9999-12-31", "9999-12-31", "9999-12-31 23:59:59.999999", "day"),
    ("0001-01-01", "0001-01-01", "0001-01-02", "day"),
]


@pytest.mark.parametrize(("text", "start", "end", "precision"), ISO)
def test_iso_8601_is_read_as_exactly_as_it_is_written(text: str, start: str, end: str, precision: str) -> None:
    assert parse(text) == Interval(utc(start), utc(end), Precision(precision))


def test_what_has_no_offset_is_in_the_callers_zone() -> None:
    assert parse("2026-03-01", BERLIN).start == utc("2026-02-28 23:00")
    assert parse("2026-07-01T10:00", BERLIN).start == utc("2026-07-01 08:00")
    assert parse("2026-07-01T10:00Z", BERLIN).start == utc("2026-07-01 10:00")
    assert parse(datetime(2026, 7, 1, 10), BERLIN).start == utc("2026-07-01 08:00")
    assert parse(date(2026, 7, 1), BERLIN) == interval("2026-06-30 22:00", "2026-07-01 22:00", Precision.DAY)


def test_a_datetime_is_an_instant() -> None:
    moment = datetime(2026, 7, 1, 10, 0, 0, 250, tzinfo=BERLIN)
    expected = utc("2026-07-01 08:00:00.000250")
    assert parse(moment) == Interval(expected, expected + timedelta(seconds=1), Precision.INSTANT)


PROSE = [
    ("yesterday", "2023-06-12 22:00", "2023-06-13 22:00", "day"),
    ("last Tuesday", "2023-06-12 22:00", "2023-06-13 22:00", "day"),
    ("on Monday.", "2023-06-11 22:00", "2023-06-12 22:00", "day"),
    ("the past week", "2023-06-07 13:30", "2023-06-14 13:30", "range"),
    ("since 2019", "2018-12-31 23:00", "2023-06-14 13:30", "range"),
    ("march", "2023-02-28 23:00", "2023-03-31 22:00", "month"),
    ("Christmas", "2022-12-24 23:00", "2022-12-25 23:00", "day"),
    ("9:16", "2023-06-14 07:16", "2023-06-14 07:16:01", "instant"),
    ("the summer of 2022", "2022-05-31 22:00", "2022-08-31 22:00", "season"),
    ("9 June 2023 at 14:03", "2023-06-09 12:03", "2023-06-09 12:03:01", "instant"),
]


@pytest.mark.parametrize(("text", "start", "end", "precision"), PROSE)
def test_words_are_read_from_the_anchor(text: str, start: str, end: str, precision: str) -> None:
    assert parse(text, BERLIN, ANCHOR) == Interval(utc(start), utc(end), Precision(precision))


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("", "1 to 200 characters"),
        ("x" * (MAX_LENGTH + 1), "1 to 200 characters"),
        ("foo", "2026-03-01T10:00Z"),
        ("last Tuesday we met", "last Tuesday"),
        ("yesterday and today", "yesterday"),
        ("2026-13", "month must be in 1..12"),
        ("2026-02-30", "not on the calendar"),
        ("2026-W54", "not on the calendar"),
        ("2026-03-01T25:00", "not on the calendar"),
        ("2026-03-01T10:00+15:00", "14 hours"),
        ("0000", "not on the calendar"),
        ("10000-01-01", "2026-03-01"),
        ("0001-01-01T00:00+14:00", "years 1 to 9999"),
        (datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1))), "years 1 to 9999"),
        (5, "not int"),
        (None, "not NoneType"),
    ],
)
def test_what_is_no_time_is_refused_and_the_message_says_what_is_allowed(value: object, problem: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        parse(value, UTC, ANCHOR)
    assert raised.value.field == "since"
    assert problem in raised.value.problem


def test_words_are_refused_where_there_is_nothing_to_read_them_from() -> None:
    with pytest.raises(InvalidInput, match="since: 'yesterday'"):
        parse("yesterday")


def test_a_date_before_the_calendar_in_the_callers_zone_is_refused() -> None:
    with pytest.raises(InvalidInput, match="years 1 to 9999"):
        parse(date(1, 1, 1), BERLIN)


@given(st.text(max_size=40) | st.from_regex(r"\A[0-9TWZ:+. -]{1,25}\Z"))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(InvalidInput):
        read = parse(text, BERLIN, ANCHOR)
        assert read.start < read.end


# --- zones --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "hours"),
    [("UTC", 0), ("utc", 0), ("Z", 0), ("+02:00", 2), ("-0530", -5.5), ("+2", 2), ("UTC-3", -3), ("+14:00", 14)],
)
def test_a_zone_may_be_an_offset(name: str, hours: float) -> None:
    assert zone(name).utcoffset(datetime(2026, 7, 1)) == timedelta(hours=hours)


def test_a_zone_may_be_an_iana_name() -> None:
    berlin = zone(" Europe/Berlin ")
    assert berlin.utcoffset(datetime(2026, 7, 1)) == timedelta(hours=2)
    assert berlin.utcoffset(datetime(2026, 1, 1)) == timedelta(hours=1)


@pytest.mark.parametrize(
    "name", ["", "Foo/Bar", "America", "../etc/passwd", "/etc/passwd", "\ud800", "\0", "a" * 5000, "+15:00", "-99", "5"]
)
def test_an_unknown_zone_is_refused_by_the_name_of_its_field(name: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        zone(name, field="tz")
    assert raised.value.field == "tz"
    assert len(str(raised.value)) < 200


@pytest.fixture
def in_new_york(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if not hasattr(clock, "tzset"):
        pytest.skip("this system's zone cannot be changed for a test")
    with monkeypatch.context() as patched:
        patched.setenv("TZ", "America/New_York")
        clock.tzset()
        yield
    clock.tzset()


@pytest.mark.usefixtures("in_new_york")
def test_without_a_name_the_zone_is_the_machines_own_with_its_changes_of_the_clocks() -> None:
    local = zone(None)
    for hours in range(0, 24 * 366, 5):
        moment = utc("2023-01-01") + timedelta(hours=hours)
        there = moment.astimezone(local)
        assert there.replace(tzinfo=None, fold=0) == moment.astimezone(NEW_YORK).replace(tzinfo=None, fold=0)
        assert there.astimezone(UTC) == moment
    assert to_utc(datetime(2023, 11, 5, 1, 30), local) == utc("2023-11-05 05:30")
    assert to_utc(datetime(2023, 3, 12, 2, 30), local) == utc("2023-03-12 07:30")
    assert local.tzname(datetime(2023, 1, 1)) == "local"


@pytest.mark.usefixtures("in_new_york")
def test_the_machines_own_zone_holds_at_the_ends_of_the_calendar() -> None:
    local = zone(None)
    assert to_utc(datetime(1, 1, 2), local).year == 1
    assert parse("9999", local).end == LAST_MOMENT
    with pytest.raises(OverflowError):
        utc("0001-01-01").astimezone(local)


# --- writing ------------------------------------------------------------------------------------


def test_iso_is_utc_cut_to_milliseconds() -> None:
    assert iso(datetime(2026, 3, 1, 10, 0, 0, 123999, tzinfo=BERLIN)) == "2026-03-01T09:00:00.123Z"
    assert iso(utc("0001-01-01")) == "0001-01-01T00:00:00.000Z"


def test_iso_refuses_a_time_without_a_zone() -> None:
    with pytest.raises(ValueError, match="without a zone"):
        iso(datetime(2026, 3, 1))


WORDS = [
    ("2023-06-09T14:03", "9 June 2023, 14:03"),
    ("2023-06-09T14:03:07", "9 June 2023, 14:03:07"),
    ("2023-06-09T14", "9 June 2023, 14:00–15:00"),
    ("this morning", "14 June 2023, 05:00–12:00"),
    ("this evening", "14 June 2023, 18:00–24:00"),
    ("last night", "13 June 2023, 18:00 – 14 June 2023, 06:00"),
    ("2023-06-09", "9 June 2023"),
    ("last weekend", "10–11 June 2023"),
    ("2023-W23", "week of 5 June 2023"),
    ("early March 2023", "1–10 March 2023"),
    ("a few weeks ago", "15 May – 4 June 2023"),
    ("2023-03", "March 2023"),
    ("a few months ago", "February–April 2023"),
    ("Q3 2025", "Q3 2025"),
    ("mid 2022", "May–August 2022"),
    ("summer 2022", "summer 2022"),
    ("winter 2022", "winter 2022/23"),
    ("winter 1999", "winter 1999/00"),
    ("fall 2020", "autumn 2020"),
    ("2019", "2019"),
    ("a few years ago", "2019–2021"),
    ("the 1990s", "the 1990s"),
    ("the early 2000s", "2000–2002"),
    ("since 2019", "since 2019"),
    ("since March", "since March 2023"),
    ("since 9 June 2023", "since 9 June 2023"),
    ("until January 2022", "before February 2022"),
    ("before 9 June 2023", "before 9 June 2023"),
    ("before 2020", "before 2020"),
    ("after 2030", "from 2031 on"),
    ("3–7 May 2023", "3–7 May 2023"),
    ("30 May - 2 June 2023", "30 May – 2 June 2023"),
    ("30 December 2022 - 2 January 2023", "30 December 2022 – 2 January 2023"),
    ("March to May 2023", "March–May 2023"),
    ("Dec 2022 – Jan 2023", "December 2022 – January 2023"),
    ("2019-2021", "2019–2021"),
    ("from 14:03 to 14:30", "14 June 2023, 14:03–14:30"),
    ("the last 24 hours", "13 June 2023, 15:30 – 14 June 2023, 15:30"),
    ("9999", "9999"),
    ("9999-12-31", "31 December 9999"),
]


@pytest.mark.parametrize(("text", "words"), WORDS)
def test_an_interval_is_described_as_exactly_as_it_was_told(text: str, words: str) -> None:
    assert describe(parse(text, BERLIN, ANCHOR), BERLIN) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("2023-06-09", "9 June 2023"),
        ("last weekend", "10–11 June 2023"),
        ("2023-03", "March 2023"),
        ("summer 2022", "summer 2022"),
        ("2019", "2019"),
    ],
)
@pytest.mark.parametrize("where", [UTC, NEW_YORK, ZoneInfo("Asia/Tokyo")], ids=str)
def test_days_and_longer_keep_their_names_in_other_zones(text: str, words: str, where: tzinfo) -> None:
    assert describe(parse(text, BERLIN, ANCHOR), where) == words


@given(
    st.datetimes(timezones=st.just(UTC)),
    st.timedeltas(min_value=timedelta(seconds=1), max_value=timedelta(days=40_000)),
    st.sampled_from(Precision),
    st.sampled_from([UTC, BERLIN, timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))]),
)
def test_any_interval_has_a_description(
    start: datetime, length: timedelta, precision: Precision, where: tzinfo
) -> None:
    assert describe(lasting(start, length, precision), where)
