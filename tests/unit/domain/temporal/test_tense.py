# SPDX-License-Identifier: Apache-2.0
"""A weekday, or a date without its year, lies ahead where the sentence around it says so, as a careful reader would."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from becausal.domain.temporal.text import TimeMention, find_times

BERLIN = ZoneInfo("Europe/Berlin")
WEDNESDAY = "2026-03-11 12:00"  # of the week from 9 to 15 March


def read(text: str, told: str = WEDNESDAY) -> tuple[TimeMention, ...]:
    anchor = datetime.fromisoformat(told).replace(tzinfo=BERLIN).astimezone(UTC)
    return find_times(text, anchor=anchor, zone=BERLIN)


def days(text: str, told: str = WEDNESDAY) -> list[str]:
    """Return the day, or the day and time, at which each time of a text begins in Berlin."""
    starts = [mention.interval.start.astimezone(BERLIN) for mention in read(text, told)]
    return [f"{start:%Y-%m-%d %H:%M}".removesuffix(" 00:00") for start in starts]


AHEAD: list[tuple[str, str]] = [
    ("We will ship on Friday.", "2026-03-13"),
    ("We'll ship Friday.", "2026-03-13"),
    ("We won’t ship on Friday.", "2026-03-13"),
    ("On Friday the shop will be closed.", "2026-03-13"),
    ("We are going to ship on Tuesday.", "2026-03-17"),
    ("On Wednesday we will rest.", "2026-03-18"),  # else it would be called today
    ("The launch was moved to Sunday.", "2026-03-15"),
    ("The meeting has been rescheduled to Tuesday at 3 pm.", "2026-03-17 15:00"),
    ("Bob pushed the whole review back to Monday.", "2026-03-16"),
    ("The deadline was extended until 20 March.", "2026-03-11 12:00"),
    ("We moved the release to September.", "2026-09-01"),
    ("The report is due Friday.", "2026-03-13"),
    ("Rent due by the 15th.", "2026-03-15"),
    ("The launch was scheduled for Monday.", "2026-03-16"),
    ("Kick-off has been set for 2 April.", "2026-04-02"),
    ("The migration is planned for May.", "2026-05-01"),
    ("The migration is planned for Q2.", "2026-04-01"),
    ("The parts are expected on Monday.", "2026-03-16"),
    ("The review is on Thursday.", "2026-03-12"),
    ("He said the review is on Thursday.", "2026-03-12"),
    ("The party's on Saturday", "2026-03-14"),
    ("Bob's birthday is on 3 May.", "2026-05-03"),
    ("The office is closed on Monday.", "2026-03-16"),
    ("The demo is being prepared for Friday.", "2026-03-13"),
    ("Alice is flying to Rome on Saturday.", "2026-03-14"),
    ("I'm meeting Bob on Friday.", "2026-03-13"),
    ("Thursday's review will be short.", "2026-03-12"),
    ("Monday's meeting is cancelled.", "2026-03-16"),
    ("The fix must be done by Friday.", "2026-03-13"),
    ("It should arrive on Friday.", "2026-03-13"),
    ("The server has to be replaced on Friday.", "2026-03-13"),
    ("He would come on Friday, he said.", "2026-03-13"),
    ("They decided to deploy on Friday.", "2026-03-13"),
    ("I promised Bob to help on Friday.", "2026-03-13"),
    ("We want to launch on Friday.", "2026-03-13"),
    ("The plan to launch on Friday stands.", "2026-03-13"),
    ("Any plans for the weekend?", "2026-03-14"),
    ("Bob was told to come on Friday.", "2026-03-13"),
    ("The train leaves on Saturday.", "2026-03-14"),
    ("Classes begin in April.", "2026-04-01"),
    ("Alice starts her new job Monday", "2026-03-16"),
    ("The contract expires on 31 December.", "2026-12-31"),
    ("The warranty runs until 30 June.", "2026-03-11 12:00"),
    ("The next sprint runs from Monday to Friday.", "2026-03-16"),
    ("As of 1 April, prices rise.", "2026-04-01"),
    ("We deploy on Monday.", "2026-03-16"),
    ("I need the numbers by Thursday.", "2026-03-12"),
    ("I have a dentist appointment on Monday.", "2026-03-16"),
    ("Dentist appointment on Monday", "2026-03-16"),
    ("Deadline: Friday.", "2026-03-13"),
    ("See you on Friday!", "2026-03-13"),
    ("Remind me on Friday to call the bank.", "2026-03-13"),
    ("TODO: call the bank Friday", "2026-03-13"),
    ("- [ ] renew the certificate by 20 March", "2026-03-20"),
    ("Please renew it on 20 March.", "2026-03-20"),
    ("Let's meet on Tuesday.", "2026-03-17"),
    ("Can you come on Saturday?", "2026-03-14"),
    ("Who is on call on Saturday?", "2026-03-14"),
    ("What is planned for Friday?", "2026-03-13"),
    ("Why does the bakery close in June?", "2026-06-01"),
    ("When does the train leave on Friday?", "2026-03-13"),
    ("What ends in May?", "2026-05-01"),
    ("After Friday, badges are required.", "2026-03-14"),
    ("I'm away until Friday.", "2026-03-11 12:00"),
    ("Not before Monday.", "2026-03-11 12:00"),
    ("Over the summer we will rest.", "2026-06-01"),
    ("It will ship in late April.", "2026-04-21"),
    ("At the weekend we will rest.", "2026-03-14"),
    ("The contract ends in two weeks.", "2026-03-23"),
    ("We will deploy in three days.", "2026-03-14"),
    ("Between June and August we will hire two people.", "2026-06-01"),
]


@pytest.mark.parametrize(("text", "day"), AHEAD, ids=[text for text, _ in AHEAD])
def test_a_time_lies_ahead_where_its_sentence_says_so(text: str, day: str) -> None:
    assert days(text) == [day]


PAST: list[tuple[str, str]] = [
    ("On Friday the job failed.", "2026-03-06"),
    ("On Wednesday the job failed.", "2026-03-11"),
    ("Friday was quiet.", "2026-03-06"),
    ("The shop was closed on Monday.", "2026-03-09"),
    ("Alice was flying to Rome on Saturday.", "2026-03-07"),
    ("Alice has left on Saturday.", "2026-03-07"),
    ("It should have been done by Friday.", "2026-03-06"),
    ("By Friday we had fixed it.", "2026-03-06"),
    ("It failed to start on Friday.", "2026-03-06"),
    ("We had to restart it on Friday.", "2026-03-06"),
    ("We wanted to launch on Friday.", "2026-03-06"),
    ("We were going to launch on Friday.", "2026-03-06"),
    ("The parts were expected on Monday.", "2026-03-09"),
    ("The launch was scheduled for Monday but slipped.", "2026-03-09"),
    ("We could not log in on Monday.", "2026-03-09"),
    ("It wouldn't start on Monday.", "2026-03-09"),
    ("The changes on Monday broke it.", "2026-03-09"),
    ("Deploy on Monday failed.", "2026-03-09"),
    ("The test run by Bob on Friday passed.", "2026-03-06"),
    ("The ticket says the job failed on Tuesday.", "2026-03-10"),
    ("The error appears on Monday in the log.", "2026-03-09"),
    ("Bob's meeting on Monday was long.", "2026-03-09"),
    ("Monday's meeting was long.", "2026-03-09"),
    ("The result of Monday's release is bad.", "2026-03-09"),
    ("What is the status of Monday's incident?", "2026-03-09"),
    ("The outage on Monday is understood.", "2026-03-09"),
    ("Outage on Monday.", "2026-03-09"),
    ("The December 26th earthquake is an example.", "2025-12-26"),
    ("They signed before Tuesday's deadline without a lawyer.", "2026-03-10"),
    ("Bob was born on 3 May.", "2025-05-03"),
    ("Bob turned 40 on 3 May.", "2025-05-03"),
    ("The log from 3 March is lost.", "2026-03-03"),
    ("In April we moved to Rome.", "2025-04-01"),
    ("Did you come on Saturday?", "2026-03-07"),
    ("Did the bakery close in June?", "2025-06-01"),
    ("Why does the log show an error on Friday?", "2026-03-06"),
    ("Has it been slow on Saturday?", "2026-03-07"),
    ("Why was it slow on Saturday?", "2026-03-07"),
    ("What happened on Friday?", "2026-03-06"),
    ("It is down since Monday.", "2026-03-09"),
    ("It's been broken since Tuesday", "2026-03-10"),
    ("Since Christmas it will not start.", "2025-12-25"),
    ("When it failed on Monday, we rolled back.", "2026-03-09"),
    ("The office was closed over the weekend.", "2026-03-07"),
    ("yesterday, on Tuesday", "2026-03-10"),
]


@pytest.mark.parametrize(("text", "day"), PAST, ids=[text for text, _ in PAST])
def test_elsewhere_a_time_is_the_latest_that_has_begun(text: str, day: str) -> None:
    assert days(text)[-1:] == [day]


SEVERAL: list[tuple[str, list[str]]] = [
    ("The server failed on Monday and will be replaced on Friday.", ["2026-03-09", "2026-03-13"]),
    ("Tuesday's outage will be discussed on Friday.", ["2026-03-10", "2026-03-13"]),
    ("The backup ran at 8 pm on Tuesday, so on Friday we will move it.", ["2026-03-10 20:00", "2026-03-13"]),
    ("The launch was postponed from Friday to Monday.", ["2026-03-13", "2026-03-16"]),
    ("It expired on 10 March and must be renewed by 20 March.", ["2026-03-10", "2026-03-20"]),
    ("The invoice from 3 March is due on 3 April.", ["2026-03-03", "2026-04-03"]),
    ("On Friday, after the tests passed on Monday, we will ship.", ["2026-03-13", "2026-03-09"]),
    ("The job that failed on Monday will be run again on Friday.", ["2026-03-09", "2026-03-13"]),
    ("Let's meet on Tuesday or Thursday.", ["2026-03-17", "2026-03-12"]),
    ("We shipped on Monday. On Friday we will rest.", ["2026-03-09", "2026-03-13"]),
    ("We will rest on Friday. On Monday we shipped.", ["2026-03-13", "2026-03-09"]),
    ("Today is Wednesday.", ["2026-03-11", "2026-03-11"]),
]


@pytest.mark.parametrize(("text", "expected"), SEVERAL, ids=[text for text, _ in SEVERAL])
def test_each_time_of_a_sentence_goes_with_the_verb_of_its_own_clause(text: str, expected: list[str]) -> None:
    assert days(text) == expected


TOLD_THEN: list[tuple[str, str, list[str]]] = [
    ("2026-03-09 19:00", "On Monday the job failed.", ["2026-03-09"]),
    ("2026-03-09 09:00", "Last Monday the job failed.", ["2026-03-02"]),
    ("2026-03-09 09:00", "On Monday at 07:00 the job failed.", ["2026-03-09 07:00"]),
    ("2026-03-09 09:00", "On Monday at 14:00 the job failed.", ["2026-03-02 14:00"]),
    ("2026-03-09 09:00", "Monday evening the pager rang.", ["2026-03-02 18:00"]),
    ("2026-08-09 12:00", "The roof leaked on the evening of 9 August.", ["2026-08-09 18:00"]),
    ("2026-03-11 02:00", "Tonight the server crashed.", ["2026-03-10 18:00"]),
    ("2026-03-11 02:00", "Tonight we will deploy.", ["2026-03-11 18:00"]),
    ("2026-03-11 06:00", "Tonight the server crashed.", ["2026-03-11 18:00"]),
    ("2026-12-31 23:30", "On January 2 we will ship.", ["2027-01-02"]),
    ("2026-12-31 23:30", "January 2 was a holiday.", ["2026-01-02"]),
    ("2026-12-31 23:30", "In January we will move.", ["2027-01-01"]),
    ("2026-12-31 12:00", "We will be closed on 1 January.", ["2027-01-01"]),
    ("2026-12-24 12:00", "It will be down on Christmas.", ["2026-12-25"]),
    ("2026-12-25 12:00", "On Christmas the oven broke.", ["2026-12-25"]),
    ("2026-01-01 00:10", "On Thursday we celebrated.", ["2026-01-01"]),
    ("2026-01-01 00:10", "On 31 December the job failed.", ["2025-12-31"]),
    ("2026-03-15 20:00", "It failed over the weekend.", ["2026-03-14"]),
    ("2026-03-16 08:00", "It failed over the weekend.", ["2026-03-14"]),
    ("2027-03-28 12:00", "On Sunday at 2:30 it failed.", ["2027-03-28 03:30"]),  # skipped by the clocks
    ("2024-02-28 12:00", "On 29 February we will rest.", ["2024-02-29"]),
    ("2026-02-28 12:00", "On 29 February we will rest.", ["2028-02-29"]),
]


@pytest.mark.parametrize("case", TOLD_THEN, ids=lambda case: f"{case[1]} told {case[0]}")
def test_the_hour_and_the_day_of_the_telling_matter(case: tuple[str, str, list[str]]) -> None:
    told, text, expected = case
    assert days(text, told) == expected


NO_TIMES = ["It was fixed in two weeks.", "It will restart in 5 minutes.", "It ran for two hours."]


@pytest.mark.parametrize("text", NO_TIMES)
def test_how_long_something_takes_is_no_time(text: str) -> None:
    assert read(text) == ()
