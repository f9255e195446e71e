# SPDX-License-Identifier: Apache-2.0
"""Intervals are written as clocks and calendars in the teller's zone show them, worked out by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from becausal.domain.interval import INSTANT, LAST_MOMENT, Interval, lasting
from becausal.domain.records import Precision
from becausal.domain.temporal.grammar import Phrases
from becausal.domain.temporal.resolve import MEMORY
from becausal.domain.temporal.text import MAX_ATTEMPTS, MAX_MENTIONS, TimeMention, find_times

BERLIN = ZoneInfo("Europe/Berlin")
NEW_YORK = ZoneInfo("America/New_York")
WEDNESDAY = "2023-06-14 15:30"  # of the week from 12 to 18 June

Case = tuple[str, str, str, str, str]


def at(local: str, zone: tzinfo = BERLIN) -> datetime:
    """Return the moment, in UTC, at which clocks in the zone show a time such as "2023-06-14 15:30"."""
    return datetime.fromisoformat(local).replace(tzinfo=zone).astimezone(UTC)


def found(text: str, anchor: str = WEDNESDAY, zone: tzinfo = BERLIN) -> tuple[TimeMention, ...]:
    return find_times(text, anchor=at(anchor, zone), zone=zone)


def only(text: str, anchor: str = WEDNESDAY, zone: tzinfo = BERLIN) -> TimeMention:
    mentions = found(text, anchor, zone)
    assert len(mentions) == 1, [mention.text for mention in mentions]
    return mentions[0]


def check(mention: TimeMention, words: str, start: str, end: str, precision: str, zone: tzinfo = BERLIN) -> None:
    assert mention.text == words
    assert (mention.interval.start, mention.interval.end) == (at(start, zone), at(end, zone))
    assert mention.interval.precision == precision


DAYS: list[Case] = [
    ("I saw it today.", "today", "2023-06-14", "2023-06-15", "day"),
    ("We broke it yesterday", "yesterday", "2023-06-13", "2023-06-14", "day"),
    ("yesterday evening was fun", "yesterday evening", "2023-06-13 18:00", "2023-06-14", "hour"),
    ("The day before yesterday it rained", "The day before yesterday", "2023-06-12", "2023-06-13", "day"),
    ("see you tomorrow!", "tomorrow", "2023-06-15", "2023-06-16", "day"),
    ("the day after tomorrow", "the day after tomorrow", "2023-06-16", "2023-06-17", "day"),
    ("tomorrow morning", "tomorrow morning", "2023-06-15 05:00", "2023-06-15 12:00", "hour"),
    ("dinner tonight", "tonight", "2023-06-14 18:00", "2023-06-15 06:00", "hour"),
    ("this morning it failed", "this morning", "2023-06-14 05:00", "2023-06-14 12:00", "hour"),
    ("this afternoon", "this afternoon", "2023-06-14 12:00", "2023-06-14 18:00", "hour"),
    ("last night the pager rang", "last night", "2023-06-13 18:00", "2023-06-14 06:00", "hour"),
    ("the night before last", "the night before last", "2023-06-12 18:00", "2023-06-13 06:00", "hour"),
    ("two nights ago", "two nights ago", "2023-06-12 18:00", "2023-06-13 06:00", "hour"),
    ("on Tuesday we met", "Tuesday", "2023-06-13", "2023-06-14", "day"),
    ("on tuesday we met", "tuesday", "2023-06-13", "2023-06-14", "day"),
    ("Wednesday was quiet", "Wednesday", "2023-06-14", "2023-06-15", "day"),
    ("last Wednesday was quiet", "last Wednesday", "2023-06-07", "2023-06-08", "day"),  # never the anchor's own day
    ("Wednesday, 2023-06-07", "Wednesday, 2023-06-07", "2023-06-07", "2023-06-08", "day"),
    ("it failed over the weekend", "weekend", "2023-06-10", "2023-06-12", "day"),
    ("last Thursday", "last Thursday", "2023-06-08", "2023-06-09", "day"),
    ("Last Fri I left", "Last Fri", "2023-06-09", "2023-06-10", "day"),
    ("this Friday", "this Friday", "2023-06-16", "2023-06-17", "day"),
    ("this past Friday", "this past Friday", "2023-06-09", "2023-06-10", "day"),
    ("this coming Friday", "this coming Friday", "2023-06-16", "2023-06-17", "day"),
    ("next Monday", "next Monday", "2023-06-19", "2023-06-20", "day"),
    ("next Wednesday", "next Wednesday", "2023-06-21", "2023-06-22", "day"),
    ("after reading, Tuesday's deployment broke", "Tuesday", "2023-06-13", "2023-06-14", "day"),
    ("Tuesday last week", "Tuesday last week", "2023-06-06", "2023-06-07", "day"),
    ("Friday of next week", "Friday of next week", "2023-06-23", "2023-06-24", "day"),
    ("Friday night", "Friday night", "2023-06-09 18:00", "2023-06-10 06:00", "hour"),
    ("two Fridays ago", "two Fridays ago", "2023-06-02", "2023-06-03", "day"),
    ("a week from Friday", "a week from Friday", "2023-06-23", "2023-06-24", "day"),
    ("Friday the 13th", "Friday the 13th", "2023-01-13", "2023-01-14", "day"),
    ("I met them on the 9th.", "the 9th", "2023-06-09", "2023-06-10", "day"),
    ("I saw you on Fri.", "Fri", "2023-06-09", "2023-06-10", "day"),
]

AGO: list[Case] = [
    ("30 seconds ago", "30 seconds ago", "2023-06-14 15:29:30", "2023-06-14 15:29:31", "instant"),
    ("5 minutes ago", "5 minutes ago", "2023-06-14 15:25", "2023-06-14 15:25:01", "instant"),
    ("half an hour ago", "half an hour ago", "2023-06-14 15:00", "2023-06-14 15:00:01", "instant"),
    ("an hour ago", "an hour ago", "2023-06-14 14:00", "2023-06-14 15:00", "hour"),
    ("2h ago", "2h ago", "2023-06-14 13:00", "2023-06-14 14:00", "hour"),
    ("1 hour 20 minutes ago", "1 hour 20 minutes ago", "2023-06-14 14:10", "2023-06-14 14:10:01", "instant"),
    ("three days ago", "three days ago", "2023-06-11", "2023-06-12", "day"),
    ("a couple of days ago", "a couple of days ago", "2023-06-12", "2023-06-13", "day"),
    ("twenty-two days ago", "twenty-two days ago", "2023-05-23", "2023-05-24", "day"),
    ("2 weeks, 3 days ago", "2 weeks, 3 days ago", "2023-05-28", "2023-05-29", "day"),
    ("two weeks ago", "two weeks ago", "2023-05-29", "2023-06-05", "week"),
    ("a fortnight ago", "a fortnight ago", "2023-05-29", "2023-06-05", "week"),
    ("a few weeks ago", "a few weeks ago", "2023-05-15", "2023-06-05", "week"),  # four to two
    ("several days ago", "several days ago", "2023-06-07", "2023-06-12", "day"),  # seven to three
    ("two weekends ago", "two weekends ago", "2023-06-03", "2023-06-05", "day"),
    ("3 months ago", "3 months ago", "2023-03-01", "2023-04-01", "month"),
    ("two quarters ago", "two quarters ago", "2022-10-01", "2023-01-01", "quarter"),
    ("a year ago", "a year ago", "2022-01-01", "2023-01-01", "year"),
    ("a year ago today", "a year ago today", "2022-06-14", "2022-06-15", "day"),
    ("a few years back", "a few years back", "2019-01-01", "2022-01-01", "year"),
    ("a year and a half ago", "a year and a half ago", "2021-12-01", "2022-01-01", "month"),
    ("three summers ago", "three summers ago", "2020-06-01", "2020-09-01", "season"),
    ("two decades ago", "two decades ago", "2000-01-01", "2010-01-01", "decade"),
    ("two weeks from now", "two weeks from now", "2023-06-26", "2023-07-03", "week"),
    ("in two days' time", "two days' time", "2023-06-16", "2023-06-17", "day"),
]

UNITS: list[Case] = [
    ("last week", "last week", "2023-06-05", "2023-06-12", "week"),
    ("this week", "this week", "2023-06-12", "2023-06-19", "week"),
    ("next week", "next week", "2023-06-19", "2023-06-26", "week"),
    ("the week before last", "the week before last", "2023-05-29", "2023-06-05", "week"),
    ("last weekend", "last weekend", "2023-06-10", "2023-06-12", "day"),
    ("this past weekend", "this past weekend", "2023-06-10", "2023-06-12", "day"),
    ("this weekend", "this weekend", "2023-06-17", "2023-06-19", "day"),
    ("next weekend", "next weekend", "2023-06-24", "2023-06-26", "day"),
    ("the weekend before last", "the weekend before last", "2023-06-03", "2023-06-05", "day"),
    ("last month", "last month", "2023-05-01", "2023-06-01", "month"),
    ("next month", "next month", "2023-07-01", "2023-08-01", "month"),
    ("last quarter", "last quarter", "2023-01-01", "2023-04-01", "quarter"),
    ("this quarter", "this quarter", "2023-04-01", "2023-07-01", "quarter"),
    ("last year", "last year", "2022-01-01", "2023-01-01", "year"),
    ("the year before last", "the year before last", "2021-01-01", "2022-01-01", "year"),
    ("last decade", "last decade", "2010-01-01", "2020-01-01", "decade"),
    ("last spring", "last spring", "2023-03-01", "2023-06-01", "season"),
    ("last summer", "last summer", "2022-06-01", "2022-09-01", "season"),  # the one under way is this summer
    ("this summer", "this summer", "2023-06-01", "2023-09-01", "season"),
    ("next fall", "next fall", "2023-09-01", "2023-12-01", "season"),
    ("last winter", "last winter", "2022-12-01", "2023-03-01", "season"),
    ("last autumn", "last autumn", "2022-09-01", "2022-12-01", "season"),
    ("early next week", "early next week", "2023-06-19", "2023-06-21", "day"),
    ("the end of last month", "the end of last month", "2023-05-21", "2023-06-01", "week"),
    ("earlier this week", "earlier this week", "2023-06-12", "2023-06-14 15:30", "week"),
    ("later this year", "later this year", "2023-06-14 15:30", "2024-01-01", "year"),
    ("the past week", "the past week", "2023-06-07 15:30", "2023-06-14 15:30", "range"),
    ("past three days", "past three days", "2023-06-11 15:30", "2023-06-14 15:30", "range"),
    ("over the last 6 months", "the last 6 months", "2022-12-14 15:30", "2023-06-14 15:30", "range"),
    ("in the last 24 hours", "the last 24 hours", "2023-06-13 15:30", "2023-06-14 15:30", "range"),
    ("in the last week", "the last week", "2023-06-07 15:30", "2023-06-14 15:30", "range"),
    ("for the past two years", "the past two years", "2021-06-14 15:30", "2023-06-14 15:30", "range"),
    ("over the next two weeks", "the next two weeks", "2023-06-14 15:30", "2023-06-28 15:30", "range"),
]

CALENDAR: list[Case] = [
    ("in March 2023", "March 2023", "2023-03-01", "2023-04-01", "month"),
    ("the March 2021 outage", "the March 2021", "2021-03-01", "2021-04-01", "month"),
    ("in March we moved", "March", "2023-03-01", "2023-04-01", "month"),
    ("in June", "June", "2023-06-01", "2023-07-01", "month"),
    ("in August", "August", "2022-08-01", "2022-09-01", "month"),
    ("September's release", "September", "2022-09-01", "2022-10-01", "month"),
    ("march 2023", "march 2023", "2023-03-01", "2023-04-01", "month"),
    ("in Mar. 2023", "Mar. 2023", "2023-03-01", "2023-04-01", "month"),
    ("March of last year", "March of last year", "2022-03-01", "2022-04-01", "month"),
    ("last year in March", "last year in March", "2022-03-01", "2022-04-01", "month"),
    ("last March", "last March", "2023-03-01", "2023-04-01", "month"),
    ("last June", "last June", "2022-06-01", "2022-07-01", "month"),
    ("(2023-06)", "2023-06", "2023-06-01", "2023-07-01", "month"),
    ("early March 2023", "early March 2023", "2023-03-01", "2023-03-11", "week"),
    ("mid-March 2023", "mid-March 2023", "2023-03-11", "2023-03-21", "week"),
    ("in late March", "late March", "2023-03-21", "2023-04-01", "week"),
    ("at the end of 2022", "the end of 2022", "2022-10-01", "2023-01-01", "quarter"),
    ("the beginning of May", "the beginning of May", "2023-05-01", "2023-05-11", "week"),
    ("early 2022", "early 2022", "2022-01-01", "2022-05-01", "quarter"),
    ("mid 2022", "mid 2022", "2022-05-01", "2022-09-01", "quarter"),
    ("the second half of 2021", "the second half of 2021", "2021-07-01", "2022-01-01", "range"),
    ("the first week of June 2023", "the first week of June 2023", "2023-06-01", "2023-06-08", "week"),
    ("the last Friday of May", "the last Friday of May", "2023-05-26", "2023-05-27", "day"),
    ("the first Monday in March 2022", "the first Monday in March 2022", "2022-03-07", "2022-03-08", "day"),
    ("the first weekend of August 2023", "the first weekend of August 2023", "2023-08-05", "2023-08-07", "day"),
    ("9 June 2023", "9 June 2023", "2023-06-09", "2023-06-10", "day"),
    ("8 May, 2023", "8 May, 2023", "2023-05-08", "2023-05-09", "day"),
    ("on Monday 20. January 2020", "Monday 20. January 2020", "2020-01-20", "2020-01-21", "day"),
    ("June 9, 2023", "June 9, 2023", "2023-06-09", "2023-06-10", "day"),
    ("Friday, June 9th, 2023", "Friday, June 9th, 2023", "2023-06-09", "2023-06-10", "day"),
    ("June 9th", "June 9th", "2023-06-09", "2023-06-10", "day"),
    ("June 15", "June 15", "2022-06-15", "2022-06-16", "day"),
    ("June 14", "June 14", "2023-06-14", "2023-06-15", "day"),
    ("the 9th of June", "the 9th of June", "2023-06-09", "2023-06-10", "day"),
    ("the ninth of June", "the ninth of June", "2023-06-09", "2023-06-10", "day"),
    ("on December 1,2022 we", "December 1,2022", "2022-12-01", "2022-12-02", "day"),
    ("on 3June, 2022", "3June, 2022", "2022-06-03", "2022-06-04", "day"),
    ("5 may 2022", "5 may 2022", "2022-05-05", "2022-05-06", "day"),
    ("Sat, 10 Jun", "Sat, 10 Jun", "2023-06-10", "2023-06-11", "day"),
    ("2023-06-09", "2023-06-09", "2023-06-09", "2023-06-10", "day"),
    ("2023/06/09", "2023/06/09", "2023-06-09", "2023-06-10", "day"),
    ("25/05/2023", "25/05/2023", "2023-05-25", "2023-05-26", "day"),
    ("05/25/2023", "05/25/2023", "2023-05-25", "2023-05-26", "day"),
    ("06/06/2023", "06/06/2023", "2023-06-06", "2023-06-07", "day"),
    ("9.6.2023", "9.6.2023", "2023-06-09", "2023-06-10", "day"),
    ("on 4 July 1776", "4 July 1776", "1776-07-04", "1776-07-05", "day"),
    ("on 29 February", "29 February", "2020-02-29", "2020-03-01", "day"),
    ("Q3 2025", "Q3 2025", "2025-07-01", "2025-10-01", "quarter"),
    ("2025 Q1", "2025 Q1", "2025-01-01", "2025-04-01", "quarter"),
    ("the third quarter of 2025", "the third quarter of 2025", "2025-07-01", "2025-10-01", "quarter"),
    ("Q3 was bad", "Q3", "2022-07-01", "2022-10-01", "quarter"),
    ("Q4 last year", "Q4 last year", "2022-10-01", "2023-01-01", "quarter"),
    ("H1 2024", "H1 2024", "2024-01-01", "2024-07-01", "range"),
    ("week 2023-W23 was busy", "2023-W23", "2023-06-05", "2023-06-12", "week"),
    ("in 2019", "2019", "2019-01-01", "2020-01-01", "year"),
    ("the deploy (2019) failed", "2019", "2019-01-01", "2020-01-01", "year"),
    ("the blackout of 2003", "2003", "2003-01-01", "2004-01-01", "year"),
    ("the year 1999", "the year 1999", "1999-01-01", "2000-01-01", "year"),
    ("in the summer of 2022", "the summer of 2022", "2022-06-01", "2022-09-01", "season"),
    ("Fall 2020", "Fall 2020", "2020-09-01", "2020-12-01", "season"),
    ("in the fall of 2020", "the fall of 2020", "2020-09-01", "2020-12-01", "season"),
    ("winter 2022/23", "winter 2022/23", "2022-12-01", "2023-03-01", "season"),
    ("the 1990s", "the 1990s", "1990-01-01", "2000-01-01", "decade"),
    ("the nineties", "the nineties", "1990-01-01", "2000-01-01", "decade"),
    ("in the 80s", "the 80s", "1980-01-01", "1990-01-01", "decade"),
    ("the early 2000s", "the early 2000s", "2000-01-01", "2003-01-01", "year"),
    ("the late '90s", "the late '90s", "1997-01-01", "2000-01-01", "year"),
    ("Christmas Eve", "Christmas Eve", "2022-12-24", "2022-12-25", "day"),
    ("at Christmas", "Christmas", "2022-12-25", "2022-12-26", "day"),
    ("Christmas 2021", "Christmas 2021", "2021-12-25", "2021-12-26", "day"),
    ("New Year’s Eve", "New Year’s Eve", "2022-12-31", "2023-01-01", "day"),
    ("New Year's Day", "New Year's Day", "2023-01-01", "2023-01-02", "day"),
    ("on Halloween", "Halloween", "2022-10-31", "2022-11-01", "day"),
    ("Valentine's Day", "Valentine's Day", "2023-02-14", "2023-02-15", "day"),
]

CLOCKS: list[Case] = [
    ("on 9 June 2023 at 14:03", "9 June 2023 at 14:03", "2023-06-09 14:03", "2023-06-09 14:03:01", "instant"),
    ("at 14:03 on 9 June 2023", "14:03 on 9 June 2023", "2023-06-09 14:03", "2023-06-09 14:03:01", "instant"),
    ("1:56 pm on 8 May, 2023", "1:56 pm on 8 May, 2023", "2023-05-08 13:56", "2023-05-08 13:56:01", "instant"),
    ("it broke at 14:03.", "14:03", "2023-06-14 14:03", "2023-06-14 14:03:01", "instant"),
    ("14:03:07 ERROR", "14:03:07", "2023-06-14 14:03:07", "2023-06-14 14:03:08", "instant"),
    ("at 9:16 it broke", "9:16", "2023-06-14 09:16", "2023-06-14 09:16:01", "instant"),
    ("14:03 UTC", "14:03 UTC", "2023-06-14 16:03", "2023-06-14 16:03:01", "instant"),
    ("14:03 (UTC)", "14:03 (UTC)", "2023-06-14 16:03", "2023-06-14 16:03:01", "instant"),
    ("1403 UTC", "1403 UTC", "2023-06-14 16:03", "2023-06-14 16:03:01", "instant"),
    ("14:03 UTC+3", "14:03 UTC+3", "2023-06-14 13:03", "2023-06-14 13:03:01", "instant"),
    ("14:03 +0300", "14:03 +0300", "2023-06-14 13:03", "2023-06-14 13:03:01", "instant"),
    ("11:45 US/Pacific", "11:45 US/Pacific", "2023-06-14 20:45", "2023-06-14 20:45:01", "instant"),
    ("9:00 AM Eastern Time", "9:00 AM Eastern Time", "2023-06-14 15:00", "2023-06-14 15:00:01", "instant"),
    ("2:30 pm", "2:30 pm", "2023-06-14 14:30", "2023-06-14 14:30:01", "instant"),
    ("at 2 p.m. we met", "2 p.m.", "2023-06-14 14:00", "2023-06-14 15:00", "hour"),
    ("12 am", "12 am", "2023-06-14 00:00", "2023-06-14 01:00", "hour"),
    ("12:30 PM", "12:30 PM", "2023-06-14 12:30", "2023-06-14 12:30:01", "instant"),
    ("at 8:30 in the evening", "8:30 in the evening", "2023-06-14 20:30", "2023-06-14 20:30:01", "instant"),
    ("noon", "noon", "2023-06-14 12:00", "2023-06-14 12:00:01", "instant"),
    ("at midnight", "midnight", "2023-06-14 00:00", "2023-06-14 00:00:01", "instant"),
    ("10 minutes before midnight", "10 minutes before midnight", "2023-06-14 23:50", "2023-06-14 23:50:01", "instant"),
    ("yesterday around 3 pm", "yesterday around 3 pm", "2023-06-13 15:00", "2023-06-13 16:00", "hour"),
    ("yesterday evening at 8:30", "yesterday evening at 8:30", "2023-06-13 20:30", "2023-06-13 20:30:01", "instant"),
    ("tonight at 8", "tonight at 8", "2023-06-14 20:00", "2023-06-14 21:00", "hour"),
    ("last night at 2 am", "last night at 2 am", "2023-06-14 02:00", "2023-06-14 03:00", "hour"),
    ("noon on Friday", "noon on Friday", "2023-06-09 12:00", "2023-06-09 12:00:01", "instant"),
    ("2023-06-09 14:03", "2023-06-09 14:03", "2023-06-09 14:03", "2023-06-09 14:03:01", "instant"),
    ("2023-06-09T14:03:00Z", "2023-06-09T14:03:00Z", "2023-06-09 16:03", "2023-06-09 16:03:01", "instant"),
    ("2023-06-09T14:03-05:00", "2023-06-09T14:03-05:00", "2023-06-09 21:03", "2023-06-09 21:03:01", "instant"),
    (
        "10/Oct/2000:13:55:36 -0700",
        "10/Oct/2000:13:55:36 -0700",
        "2000-10-10 22:55:36",
        "2000-10-10 22:55:37",
        "instant",
    ),
    (
        "Tue Nov 27 12:40:49 EST 2017",
        "Tue Nov 27 12:40:49 EST 2017",
        "2017-11-27 18:40:49",
        "2017-11-27 18:40:50",
        "instant",
    ),
    ("Sep 17 00:00:00 2001 GMT", "Sep 17 00:00:00 2001 GMT", "2001-09-17 02:00", "2001-09-17 02:00:01", "instant"),
    ("from 9:16 PM to 11:16 PM PDT", "from 9:16 PM to 11:16 PM PDT", "2023-06-15 06:16", "2023-06-15 08:16", "range"),
    (
        "14:03–14:30 UTC on 9 June 2023",
        "14:03–14:30 UTC on 9 June 2023",
        "2023-06-09 16:03",
        "2023-06-09 16:30",
        "range",
    ),
    ("between 2 pm and 4 pm", "between 2 pm and 4 pm", "2023-06-14 14:00", "2023-06-14 16:00", "range"),
    ("2–4 pm", "2–4 pm", "2023-06-14 14:00", "2023-06-14 16:00", "range"),
    ("11 to 1 pm", "11 to 1 pm", "2023-06-14 11:00", "2023-06-14 13:00", "range"),
    ("from 23:50 to 00:10", "from 23:50 to 00:10", "2023-06-14 23:50", "2023-06-15 00:10", "range"),
    (
        "from 11:48 PM on June 8 until 1:50 PM on June 9",
        "from 11:48 PM on June 8 until 1:50 PM on June 9",
        "2023-06-08 23:48",
        "2023-06-09 13:50",
        "range",
    ),
    (
        "10:00 PM until 1:50 AM on June 9",
        "10:00 PM until 1:50 AM on June 9",
        "2023-06-08 22:00",
        "2023-06-09 01:50",
        "range",
    ),
]

STRETCHES: list[Case] = [
    ("since 2019", "since 2019", "2019-01-01", "2023-06-14 15:30", "range"),
    ("since March", "since March", "2023-03-01", "2023-06-14 15:30", "range"),
    ("ever since last week", "ever since last week", "2023-06-05", "2023-06-14 15:30", "range"),
    ("since two weeks ago", "since two weeks ago", "2023-05-29", "2023-06-14 15:30", "range"),
    ("since 14:03", "since 14:03", "2023-06-14 14:03", "2023-06-14 15:30", "range"),
    ("from March on", "from March on", "2023-03-01", "2023-06-14 15:30", "range"),
    ("until January 2022", "until January 2022", "1922-02-01", "2022-02-01", "range"),
    ("before 9 January 2023", "before 9 January 2023", "1923-01-09", "2023-01-09", "range"),
    ("until tomorrow", "until tomorrow", "2023-06-14 15:30", "2023-06-16", "range"),
    ("before 2030", "before 2030", "2023-06-14 15:30", "2030-01-01", "range"),
    ("until 15:00", "until 15:00", "2023-06-14 00:00", "2023-06-14 15:00", "range"),
    ("until 2:40 AM on June 9", "until 2:40 AM on June 9", "2023-06-09 00:00", "2023-06-09 02:40", "range"),
    ("after 9 June 2023", "after 9 June 2023", "2023-06-10", "2023-06-14 15:30", "range"),
    ("after 2030", "after 2030", "2031-01-01", "2081-01-01", "range"),
    ("after 2 pm", "after 2 pm", "2023-06-14 14:00", "2023-06-15", "range"),
    ("between March and May 2023", "between March and May 2023", "2023-03-01", "2023-06-01", "range"),
    ("from November to January", "from November to January", "2022-11-01", "2023-02-01", "range"),
    ("March to May 2023", "March to May 2023", "2023-03-01", "2023-06-01", "range"),
    ("Dec 2022 – Jan 2023", "Dec 2022 – Jan 2023", "2022-12-01", "2023-02-01", "range"),
    ("from 3 to 7 May 2023", "from 3 to 7 May 2023", "2023-05-03", "2023-05-08", "range"),
    ("between 3 and 7 May", "between 3 and 7 May", "2023-05-03", "2023-05-08", "range"),
    ("3–7 May 2023", "3–7 May 2023", "2023-05-03", "2023-05-08", "range"),
    ("May 3-7, 2023", "May 3-7, 2023", "2023-05-03", "2023-05-08", "range"),
    ("July 30 and 31, 2012", "July 30 and 31, 2012", "2012-07-30", "2012-08-01", "range"),
    ("from June 9 until June 12", "from June 9 until June 12", "2023-06-09", "2023-06-13", "range"),
    ("March 26 - April 10, 2019", "March 26 - April 10, 2019", "2019-03-26", "2019-04-11", "range"),
    ("2019-2021", "2019-2021", "2019-01-01", "2022-01-01", "range"),
    ("2019–21", "2019–21", "2019-01-01", "2022-01-01", "range"),
    ("from 2019 to 2021", "from 2019 to 2021", "2019-01-01", "2022-01-01", "range"),
    ("from Monday to Wednesday", "from Monday to Wednesday", "2023-06-12", "2023-06-15", "range"),
    ("from last Tuesday to yesterday", "from last Tuesday to yesterday", "2023-06-13", "2023-06-14", "range"),
]

RELATED: list[Case] = [
    ("the week before 9 June 2023", "the week before 9 June 2023", "2023-06-02", "2023-06-09", "week"),
    ("the week after 9 June 2023", "the week after 9 June 2023", "2023-06-10", "2023-06-17", "week"),
    ("the week of 9 June", "the week of 9 June", "2023-06-05", "2023-06-12", "week"),
    ("the Sunday before 25 May 2023", "the Sunday before 25 May 2023", "2023-05-21", "2023-05-22", "day"),
    ("the Sunday after 25 May 2023", "the Sunday after 25 May 2023", "2023-05-28", "2023-05-29", "day"),
    ("the weekend before 17 July 2023", "the weekend before 17 July 2023", "2023-07-15", "2023-07-17", "day"),
    (
        "in the last weekend before April 10, 2023",
        "the last weekend before April 10, 2023",
        "2023-04-08",
        "2023-04-10",
        "day",
    ),
    ("two weekends before 17 July 2023", "two weekends before 17 July 2023", "2023-07-08", "2023-07-10", "day"),
    ("the day after Christmas 2022", "the day after Christmas 2022", "2022-12-26", "2022-12-27", "day"),
    ("two days after 9 June 2023", "two days after 9 June 2023", "2023-06-11", "2023-06-12", "day"),
    ("three days before 2 March 2024", "three days before 2 March 2024", "2024-02-28", "2024-02-29", "day"),
    ("three weeks before Christmas", "three weeks before Christmas", "2022-11-28", "2022-12-05", "week"),
    ("two months after 9 June 2022", "two months after 9 June 2022", "2022-08-01", "2022-09-01", "month"),
    ("the month before June 2023", "the month before June 2023", "2023-05-01", "2023-06-01", "month"),
    ("the summer before 2020", "the summer before 2020", "2019-06-01", "2019-09-01", "season"),
    ("the morning of 9 June 2023", "the morning of 9 June 2023", "2023-06-09 05:00", "2023-06-09 12:00", "hour"),
    ("the night before Christmas", "the night before Christmas", "2022-12-24 18:00", "2022-12-25 06:00", "hour"),
    (
        "the day before 9 June at 14:03",
        "the day before 9 June at 14:03",
        "2023-06-08 14:03",
        "2023-06-08 14:03:01",
        "instant",
    ),
    (
        "two hours after noon yesterday",
        "two hours after noon yesterday",
        "2023-06-13 14:00",
        "2023-06-13 14:00:01",
        "instant",
    ),
    ("the end of the week before Christmas", "the end of the week before Christmas", "2022-12-22", "2022-12-25", "day"),
    (
        "Saturday morning, December 1st, 2012",
        "Saturday morning, December 1st, 2012",
        "2012-12-01 05:00",
        "2012-12-01 12:00",
        "hour",
    ),
]


@pytest.mark.parametrize("case", DAYS + AGO + UNITS + CALENDAR + CLOCKS + STRETCHES + RELATED, ids=lambda case: case[0])
def test_a_time_is_read_as_clocks_and_calendars_where_it_was_told_show_it(case: Case) -> None:
    text, words, start, end, precision = case
    check(only(text), words, start, end, precision)


SUNDAY = "2023-06-11 12:00"
MONDAY = "2023-06-12 09:00"
LAST_EVENING = "2023-12-31 23:30"  # a Sunday
FIRST_MINUTES = "2024-01-01 00:10"
LEAP_DAY = "2024-02-29 10:00"

OTHER_ANCHORS: list[tuple[str, str, str, str, str]] = [
    (SUNDAY, "last Sunday", "2023-06-04", "2023-06-05", "day"),
    (SUNDAY, "this weekend", "2023-06-10", "2023-06-12", "day"),
    (SUNDAY, "last weekend", "2023-06-03", "2023-06-05", "day"),
    (SUNDAY, "next weekend", "2023-06-17", "2023-06-19", "day"),
    (SUNDAY, "next Monday", "2023-06-12", "2023-06-13", "day"),
    (SUNDAY, "this Monday", "2023-06-05", "2023-06-06", "day"),
    (SUNDAY, "last week", "2023-05-29", "2023-06-05", "week"),
    (MONDAY, "last Monday", "2023-06-05", "2023-06-06", "day"),
    (MONDAY, "last weekend", "2023-06-10", "2023-06-12", "day"),
    (MONDAY, "next Monday", "2023-06-19", "2023-06-20", "day"),
    (MONDAY, "last week", "2023-06-05", "2023-06-12", "week"),
    (MONDAY, "a week ago", "2023-06-05", "2023-06-12", "week"),
    (LAST_EVENING, "tomorrow", "2024-01-01", "2024-01-02", "day"),
    (LAST_EVENING, "tonight", "2023-12-31 18:00", "2024-01-01 06:00", "hour"),
    (LAST_EVENING, "next week", "2024-01-01", "2024-01-08", "week"),
    (LAST_EVENING, "next quarter", "2024-01-01", "2024-04-01", "quarter"),
    (LAST_EVENING, "this winter", "2023-12-01", "2024-03-01", "season"),
    (FIRST_MINUTES, "yesterday", "2023-12-31", "2024-01-01", "day"),
    (FIRST_MINUTES, "30 minutes ago", "2023-12-31 23:40", "2023-12-31 23:40:01", "instant"),
    (FIRST_MINUTES, "an hour ago", "2023-12-31 23:00", "2024-01-01 00:00", "hour"),
    (FIRST_MINUTES, "last week", "2023-12-25", "2024-01-01", "week"),
    (FIRST_MINUTES, "last month", "2023-12-01", "2024-01-01", "month"),
    (FIRST_MINUTES, "last quarter", "2023-10-01", "2024-01-01", "quarter"),
    (FIRST_MINUTES, "last year", "2023-01-01", "2024-01-01", "year"),
    (FIRST_MINUTES, "New Year's Eve", "2023-12-31", "2024-01-01", "day"),
    (FIRST_MINUTES, "December 31", "2023-12-31", "2024-01-01", "day"),
    (FIRST_MINUTES, "this winter", "2023-12-01", "2024-03-01", "season"),
    (FIRST_MINUTES, "last winter", "2022-12-01", "2023-03-01", "season"),
    (LEAP_DAY, "yesterday", "2024-02-28", "2024-02-29", "day"),
    (LEAP_DAY, "tomorrow", "2024-03-01", "2024-03-02", "day"),
    (LEAP_DAY, "twelve months ago", "2023-02-01", "2023-03-01", "month"),
    (LEAP_DAY, "29 February", "2024-02-29", "2024-03-01", "day"),
    (LEAP_DAY, "the past year", "2023-02-28 10:00", "2024-02-29 10:00", "range"),
    ("2024-03-01 08:00", "yesterday", "2024-02-29", "2024-03-01", "day"),
    ("2024-03-01 08:00", "Feb 29", "2024-02-29", "2024-03-01", "day"),
    ("2023-08-11 00:10", "last summer", "2022-06-01", "2022-09-01", "season"),
    ("2023-12-26 15:35", "last summer", "2023-06-01", "2023-09-01", "season"),
    ("2023-12-26 15:35", "last Christmas", "2023-12-25", "2023-12-26", "day"),
]


@pytest.mark.parametrize("case", OTHER_ANCHORS, ids=lambda case: f"{case[1]}, told {case[0]}")
def test_it_matters_on_which_day_a_time_was_told(case: tuple[str, str, str, str, str]) -> None:
    anchor, words, start, end, precision = case
    check(only(words, anchor), words, start, end, precision)


# --- changes of the clocks ----------------------------------------------------------------------


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


CLOCK_CHANGES: list[tuple[str, tzinfo, str, str, str]] = [
    # Berlin, 26 March 2023: 02:00 becomes 03:00
    ("2023-03-26 12:00", BERLIN, "today", "2023-03-25 23:00", "2023-03-26 22:00"),
    ("2023-03-26 12:00", BERLIN, "yesterday", "2023-03-24 23:00", "2023-03-25 23:00"),
    ("2023-03-26 12:00", BERLIN, "last night", "2023-03-25 17:00", "2023-03-26 04:00"),
    ("2023-03-26 12:00", BERLIN, "10 hours ago", "2023-03-26 00:00", "2023-03-26 01:00"),
    ("2023-03-26 12:00", BERLIN, "the last 24 hours", "2023-03-25 10:00", "2023-03-26 10:00"),
    ("2023-03-26 12:00", BERLIN, "the past two days", "2023-03-24 11:00", "2023-03-26 10:00"),
    ("2023-03-26 12:00", BERLIN, "2:30 am", "2023-03-26 01:30", "2023-03-26 01:30:01"),  # skipped
    ("2023-03-26 12:00", BERLIN, "2 am", "2023-03-26 01:00", "2023-03-26 02:00"),
    ("2023-03-26 12:00", BERLIN, "this month", "2023-02-28 23:00", "2023-03-31 22:00"),
    # Berlin, 29 October 2023: 03:00 becomes 02:00
    ("2023-10-29 12:00", BERLIN, "today", "2023-10-28 22:00", "2023-10-29 23:00"),
    ("2023-10-29 12:00", BERLIN, "at 2:30", "2023-10-29 00:30", "2023-10-29 00:30:01"),  # the first of two
    # New York, 12 March and 5 November 2023
    ("2023-03-12 12:00", NEW_YORK, "today", "2023-03-12 05:00", "2023-03-13 04:00"),
    ("2023-11-05 12:00", NEW_YORK, "today", "2023-11-05 04:00", "2023-11-06 05:00"),
    ("2023-11-05 12:00", NEW_YORK, "1:30 am", "2023-11-05 05:30", "2023-11-05 05:30:01"),
    ("2023-11-05 12:00", NEW_YORK, "12 hours ago", "2023-11-05 05:00", "2023-11-05 06:00"),
    ("2023-11-05 12:00", NEW_YORK, "9:00 PT", "2023-11-05 17:00", "2023-11-05 17:00:01"),
]


@pytest.mark.parametrize("case", CLOCK_CHANGES, ids=lambda case: f"{case[2]}, told {case[0]}")
def test_days_keep_their_borders_when_the_clocks_change(case: tuple[str, tzinfo, str, str, str]) -> None:
    anchor, zone, text, start, end = case
    interval = only(text, anchor, zone).interval
    assert (interval.start, interval.end) == (utc(start), utc(end))


# --- where only the day, month or year of the telling is known ----------------------------------

VAGUE: list[tuple[str, str, str, str, str, str]] = [
    ("day", "2023-08-09", "on the evening of 9 August it leaked", "2023-08-09 18:00", "2023-08-10", "hour"),
    ("day", "2023-08-09", "on 9 August at 20:00 it leaked", "2023-08-09 20:00", "2023-08-09 20:00:01", "instant"),
    ("day", "2023-08-09", "on Wednesday it leaked", "2023-08-09", "2023-08-10", "day"),
    ("day", "2023-08-09", "on Wednesday at 20:00 it leaked", "2023-08-09 20:00", "2023-08-09 20:00:01", "instant"),
    ("day", "2023-08-09", "on Wednesday it will leak", "2023-08-16", "2023-08-17", "day"),
    ("day", "2023-08-09", "yesterday it leaked", "2023-08-08", "2023-08-09", "day"),
    ("day", "2023-08-09", "this morning it leaked", "2023-08-09 05:00", "2023-08-09 12:00", "hour"),
    ("day", "2023-08-09", "it has leaked since 14:03", "2023-08-09 14:03", "2023-08-10", "range"),
    ("day", "2023-08-09", "it leaked two hours ago", "2023-08-08 22:00", "2023-08-09 23:00", "range"),
    ("day", "2023-08-09", "for the past three days", "2023-08-06", "2023-08-10", "range"),
    ("day", "2023-08-09", "it leaked at 23:00 PST", "2023-08-10 09:00", "2023-08-10 09:00:01", "instant"),
    ("month", "2023-08-01", "it leaked on 9 August", "2023-08-09", "2023-08-10", "day"),
    ("month", "2023-08-01", "yesterday it leaked", "2023-07-31", "2023-08-31", "range"),
    ("month", "2023-08-01", "it leaked on Tuesday", "2023-08-01", "2023-08-30", "range"),
    ("month", "2023-08-01", "it leaked last month", "2023-07-01", "2023-08-01", "month"),
    ("month", "2023-08-01", "it leaked in March", "2023-03-01", "2023-04-01", "month"),
    ("year", "2023-01-01", "it leaked in March", "2023-03-01", "2023-04-01", "month"),
    ("year", "2023-01-01", "it leaked on 31 December", "2023-12-31", "2024-01-01", "day"),
    ("year", "2023-01-01", "it leaked last year", "2022-01-01", "2023-01-01", "year"),
    ("hour", "2023-08-09 10:00", "it leaked 20 minutes ago", "2023-08-09 09:40", "2023-08-09 10:40:01", "range"),
]
ENDS = {
    ("day", "2023-08-09"): "2023-08-10",
    ("month", "2023-08-01"): "2023-09-01",
    ("year", "2023-01-01"): "2024-01-01",
    ("hour", "2023-08-09 10:00"): "2023-08-09 11:00",
}


@pytest.mark.parametrize("case", VAGUE, ids=lambda case: f"{case[2]}, told some time in the {case[0]}")
def test_a_time_told_on_some_day_or_in_some_month_is_all_that_it_may_be(case: tuple[str, ...]) -> None:
    known, day, text, start, end, precision = case
    told = Interval(at(day), at(ENDS[known, day]), Precision(known))
    (mention,) = find_times(text, anchor=told, zone=BERLIN)
    assert mention.interval == Interval(at(start), at(end), Precision(precision))


def test_a_day_begins_at_the_midnight_of_the_teller_not_of_the_anchor() -> None:
    anchor = utc("2023-06-14 23:30")
    (mention,) = find_times("yesterday", anchor=anchor, zone=timezone(timedelta(hours=9)))
    assert mention.interval.start == utc("2023-06-13 15:00")


# --- what one mention tells another -------------------------------------------------------------


def starts(text: str, anchor: str = WEDNESDAY) -> list[datetime]:
    return [mention.interval.start for mention in found(text, anchor)]


def test_a_time_of_day_is_on_the_day_mentioned_before_it_in_the_sentence() -> None:
    assert starts("Yesterday we deployed, and at 14:03 it broke.")[1] == at("2023-06-13 14:03")


def test_a_time_of_day_in_another_sentence_than_a_relative_day_is_on_the_anchors_day() -> None:
    assert starts("Yesterday we deployed. At 14:03 it broke.")[1] == at("2023-06-14 14:03")


def test_times_of_day_go_on_with_the_date_that_a_report_began_with() -> None:
    report = "On 9 March 2021 we deployed.\n\nAt 14:03 it broke. It was fixed by 15:10."
    assert starts(report)[1:] == [at("2021-03-09 14:03"), at("2021-03-09 15:10")]


def test_a_date_is_forgotten_when_the_text_has_gone_on_for_long_without_it() -> None:
    text = "On 9 March 2021 we deployed. " + "x " * MEMORY + "At 14:03 it broke."
    assert starts(text)[1] == at("2023-06-14 14:03")


def test_a_date_without_a_year_is_the_one_nearest_to_the_full_date_before_it() -> None:
    text = "The outage of 30 December 2019 was fixed on January 2nd. The bug dated from November 30."
    assert starts(text) == [at("2019-12-30"), at("2020-01-02"), at("2019-11-30")]


def test_a_date_without_a_year_is_not_pushed_into_the_future_by_a_date_before_it() -> None:
    assert starts("Fetched on 2023-05-04. On September 3 it broke.")[1] == at("2022-09-03")


def test_two_dates_side_by_side_stay_two() -> None:
    assert [mention.text for mention in found("We met on 9 June 2023, 10 June 2023 and 12 June 2023.")] == [
        "9 June 2023",
        "10 June 2023",
        "12 June 2023",
    ]


def test_a_stretch_that_would_end_before_it_begins_is_read_as_two_times() -> None:
    assert [mention.text for mention in found("moved from 9 June 2023 to 3 May 2023")] == ["9 June 2023", "3 May 2023"]


IN_A_PERIOD: list[tuple[str, str]] = [
    ("Last week it failed on Tuesday and was fixed on Thursday.", "2023-06-06"),
    ("Next week: review on Tuesday, release on Thursday.", "2023-06-20"),
    ("In January we met on the 5th.", "2023-01-05"),
    ("Next month's release is on the 15th.", "2023-07-15"),
    ("In 2019 the office burned down on 3 May.", "2019-05-03"),
    ("Last year we married in March.", "2022-03-01"),
    ("Last year we moved to Rome, and in September we will return.", "2023-09-01"),
    ("Last year we moved to Rome. In March we returned.", "2023-03-01"),
    ("Sales were worse than in the blackout of 2003 on 3 May.", "2023-05-03"),
]


@pytest.mark.parametrize(("text", "start"), IN_A_PERIOD, ids=lambda value: str(value))
def test_a_day_or_month_is_in_the_week_month_or_year_that_its_sentence_has_named(text: str, start: str) -> None:
    assert starts(text)[1] == at(start)


@pytest.mark.parametrize(
    ("text", "open_end"),
    [
        ("since 2019", "end"),
        ("after 2019", "end"),
        ("until 2019", "start"),
        ("before 2019", "start"),
        ("in 2019", None),
    ],
)
def test_a_mention_tells_which_of_its_ends_was_not_told(text: str, open_end: str | None) -> None:
    assert only(text).open == open_end


@pytest.mark.parametrize("text", ["shortly after 14:03", "just before 14:03", "days after Tuesday's deployment"])
def test_what_was_near_a_time_is_read_as_that_time(text: str) -> None:
    assert only(text).open is None


# --- what is no time ----------------------------------------------------------------------------

NO_TIMES = [
    "You may enter. It may rain in may. These 3 may fail.",
    "We march at dawn; the march of progress; May I?",
    "April and June wrote it; reviewed by April; an august body",
    "the second attempt, one second, every second counts",
    "version 2.3.0, v2019, 1.2.3.4, Python 3.11, release 2019.1",
    "PR #2019, port 8080, room 2021, HTTP 503, 2019, $2019, 2019%, #2019",
    "in 2500, in 1850, in 2000 users, by 2019 requests, after 2000 retries, a total of 2019",
    "call +1 555-2019-1234 or 555-0199, from 10.20.30.40 to 192.168.20.19",
    "CVE-2019-1234, ISO 8601, PM2019-009, RFC 2119, abc2019-06-09def",
    "sat in the sun, mon ami, the sun sat, we wed, Sun hardware, Jan wrote it",
    "prices fall, a hot spring, he will fall, in the spring, the fall of Rome, leaves fall in autumn",
    "today_count, get_today, today(), foo.today, today.py, @today, #today, todays, xtoday, today-report",
    "USA Today, Black Friday, Good Friday, Ash Wednesday",
    "a 10:1 ratio, a 10:15 ratio, John 3:16, line 10:15, main.c:10:15, 16:9, 25:00, 12:75",
    "every Tuesday, each March, most Fridays, on Mondays, a Tuesday, Friday nights, any last Friday",
    "the third Tuesday, the first day of the week, the first day, the last one, next time, at last, last minute",
    "two weeks, for 3 years, within 2 weeks, a two-week run, 5 minutes, in 5 minutes, 30s, the 60s timeout",
    "https://example.org/2023/06/09/post, /var/log/2023-06-09.log, log-2023-06-09.txt, 2023-06-09-backup",
    "01/02/2023, 2023.06.09, 20230609, 2023-13-45, 31 June 2023, 30 February, 29 February 2023, 0/0/2000",
    "MONDAY, TUESDAY = range(2); 0 = Monday; Monday == 1; range(January, 3); January=1",
    "Q3: what is it? H1 heading, Q5 2020, q3 2020, the quarter, third quarter, Christmas tree, a Halloween party",
    "noonday, midnightly, 99 am, 13 pm, 0 am, I am, 1960 am",
    "before lunch, after the deploy, since then, until it works, between us, from here to there",
    "we walked past two houses, the next two releases, the last two weeks of it, the coming weeks",
    "over the next eight hours it recovered",
    "on the 15th floor, the 15th attempt",
    "MAY, SHOULD and MUST; YOU MAY 500",
    "",
    " \n\t ",
]


@pytest.mark.parametrize("text", NO_TIMES)
def test_what_only_looks_like_a_time_is_left_alone(text: str) -> None:
    assert [mention.text for mention in found(text)] == []


def test_a_date_in_markup_or_a_table_is_read() -> None:
    texts = [
        "**9 June 2023**",
        "|2023-06-09 14:03|",
        "date=2023-06-09",
        "~14:03",
        "[2023-06-09]",
        "<2023-06-09>",
        "…yesterday",
    ]
    assert [text for text in texts if len(found(text)) != 1] == []


def test_a_time_may_run_over_the_end_of_a_line_but_not_of_a_paragraph() -> None:
    assert only("two\nweeks ago").text == "two\nweeks ago"
    assert found("the 9th of May\n\n2023 was")[0].text == "the 9th of May"


NO_SUCH_DAYS = [
    "on 29 February 2023 it failed",
    "February 29, 2023 was cold",
    "Feb 29th 2023",
    "on 31 April we met",
    "2023-02-29T10:00Z it failed",
    "29/02/2023 at 14:00",
    "at 14:00 on 29.2.2023",
    "Tuesday, 31 June",
    "the evening of 29 February 2023",
    "two days after 29 February 2023",
    "since 30 February 2023",
    "between 30 February and 2 March 2023",
    "from 28 to 30 February 2023",
    "from 30 February 2023 on",
]


@pytest.mark.parametrize("text", NO_SUCH_DAYS)
def test_a_day_that_is_on_no_calendar_is_no_time_and_none_of_its_words_are_another(text: str) -> None:
    assert [mention.text for mention in found(text)] == []


# --- limits -------------------------------------------------------------------------------------


def test_times_outside_the_years_1_to_9999_are_none() -> None:
    assert (
        found("9999 years ago, 5000 decades ago, 9999 months ago and 9999 weeks from now")[0].text == "9999 months ago"
    )
    first = find_times("yesterday, last year, a month ago", anchor=utc("0001-01-01 10:00"), zone=UTC)
    last = find_times("tomorrow, next year, this year", anchor=utc("9999-12-31 10:00"), zone=UTC)
    assert first == ()
    assert [(mention.text, mention.interval.end) for mention in last] == [("this year", LAST_MOMENT)]


def test_no_more_mentions_are_read_than_the_limit() -> None:
    text = "yesterday, " * (MAX_MENTIONS + 5)
    assert len(found(text)) == MAX_MENTIONS
    assert len(find_times(text, anchor=at(WEDNESDAY), zone=BERLIN, limit=3)) == 3


def test_no_more_words_are_tried_than_the_limit() -> None:
    assert len(found("since " * MAX_ATTEMPTS + "yesterday")) == 1
    assert len(found("since " * (MAX_ATTEMPTS + 1) + "yesterday")) == 0


HOSTILE = [
    *("last last ", "the the ", "1 1 1 ", "00:00:00:", "since ", "between March and ", "every Tuesday ", "2019 "),
    *("12:00-", "the end of the week before ", "2 weeks before ", "half an hour and a half ", "9 June - ", "a\n", "\n"),
    *(" ", "1.", "1/", "'90s", "the first week of the first week of ", "early late mid ", "9", "twenty-two "),
    *("from 3 to ", "Q1 ", "2023-"),
]


@pytest.mark.parametrize("piece", HOSTILE, ids=repr)
def test_a_long_text_of_pieces_of_times_is_read_in_linear_time(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts the places a phrase is looked for at: twice the text may take twice as many, no more."""
    read = Phrases.read
    calls = 0

    def counted(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        return read(*arguments, **options)

    monkeypatch.setattr(Phrases, "read", counted)
    counts = []
    for length in (5_000, 10_000, 100_000):
        calls = 0
        found((piece * (length // len(piece) + 1))[:length])
        counts.append(calls)
    assert counts[1] <= 2 * counts[0] + 20
    assert counts[2] <= 20 * counts[0] + 200


WORDS = (
    *(
        "last",
        "next",
        "this",
        "past",
        "the",
        "a",
        "an",
        "two",
        "3",
        "few",
        "couple",
        "of",
        "weeks",
        "week",
        "days",
        "day",
    ),
    *("month", "year", "ago", "before", "after", "since", "until", "between", "from", "to", "and", "in", "on", "at"),
    *(
        "early",
        "late",
        "mid",
        "end",
        "first",
        "second",
        "half",
        "Monday",
        "Tue",
        "march",
        "May",
        "June",
        "Jun",
        "9",
        "9th",
    ),
    *(
        "31",
        "2019",
        "2023-06-09",
        "14:03",
        "2:30",
        "pm",
        "am",
        "UTC",
        "PDT",
        "noon",
        "midnight",
        "tonight",
        "yesterday",
    ),
    *("morning", "night", "summer", "winter", "Christmas", "Eve", "Q3", "1990s", "'90s", "New", "Year's", "quarter"),
    *(
        "weekend",
        "decade",
        ",",
        ".",
        "-",
        "–",
        ":",
        "/",
        "(",
        ")",
        "'s",
        "Z",
        "T",
        "+02:00",
        "00",
        "24:00",
        "0",
        "9999",
    ),
    *("\n", "\n\n", "İ", "ſ", "٣", "東京"),
)
LIKELY = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(["", " ", " ", " "])), max_size=30).map(
    lambda pieces: "".join(word + space for word, space in pieces)
)
ANY = st.text(st.characters(exclude_categories=()), max_size=200)
LENGTHS = {precision: timedelta(days=10) for precision in Precision} | {
    Precision.INSTANT: INSTANT,
    Precision.HOUR: timedelta(hours=1),
    Precision.DAY: timedelta(days=1),
    Precision.YEAR: timedelta(days=365),
    Precision.DECADE: timedelta(days=3652),
}
ZONES = st.sampled_from([UTC, BERLIN, NEW_YORK, timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))])


@settings(deadline=None, max_examples=300)
@given(
    text=LIKELY | ANY | st.builds(str.__add__, LIKELY, ANY),
    anchor=st.datetimes(timezones=st.just(UTC)),
    zone=ZONES,
    precision=st.sampled_from(Precision),
)
def test_any_text_is_read_and_mentions_stand_where_they_say(
    text: str, anchor: datetime, zone: tzinfo, precision: Precision
) -> None:
    told = lasting(anchor, LENGTHS[precision], precision)
    try:
        told.start.astimezone(zone), told.end.astimezone(zone)
    except OverflowError:
        return
    mentions = find_times(text, anchor=told, zone=zone)
    end = 0
    for mention in mentions:
        assert end <= mention.start < mention.end <= len(text)
        assert mention.text == text[mention.start : mention.end]
        assert mention.text == mention.text.strip()
        assert mention.interval.start < mention.interval.end
        end = mention.end
