# SPDX-License-Identifier: Apache-2.0
"""Numbers, letters and versions tell things of one kind apart."""

from __future__ import annotations

import pytest

from becausal.domain.designators import designators, names_others


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("Why did boiler 2 leak?", "Boiler 5 leaked."),
        ("Who rents flat 12?", "Mia rents flat 21."),
        ("Why did the update to v1.8 stall?", "The update to v1.9 stalled."),
        ("Why did version 1.8 stall?", "Release 1.9 stalled."),
        ("Why was ticket OPS-71 closed?", "OPS-72 was closed."),
        ("When does bus M41 leave?", "Bus M29 leaves at noon."),
        ("Why was plan C dropped?", "Plan B was dropped."),
        ("What is on the fourth floor?", "The library is on the 2nd floor."),
        ("Who sits in row seven?", "Lea sits in row 9."),
        ("Why did stage III fail?", "Stage II failed."),
        ("Who ordered 30 chairs?", "Ben ordered 40 chairs."),
        ("Why was pull request #18 closed?", "Pull request #19 was closed."),
        ("Why did node web-3 restart?", "Node web-4 restarted."),
        ("What ended the 1998 strike?", "The 2004 strike ended by a vote."),
        ("Who is the chief financial officer of Quarz?", "Ida Voss is the chief executive of Quarz."),
        ("Who is the CFO of Quarz?", "Ida Voss is the CEO of Quarz."),
        ("Who is the head of marketing?", "Ben Adler is the head of sales."),
    ],
)
def test_another_number_makes_it_another_thing(asked: str, told: str) -> None:
    assert names_others(designators(asked), told)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("Why did boiler 2 leak?", "Boiler 2 leaked after boiler 5 was shut."),
        ("Why did boiler 2 leak?", "The boiler leaked in 5 places."),
        ("Why did boiler two leak?", "Boiler 2 leaked."),
        ("Why did the update to v1 stall?", "The update to v1.9 stalled."),
        ("Why did version 1.9 stall?", "v1.9 stalled."),
        ("What is on the second floor?", "The library is on the 2nd floor."),
        ("Why did the boiler leak?", "Boiler 5 leaked."),
        ("Why did the boiler leak in May 2025?", "In June 2024 the boiler leaked."),
        ("Who was late at 9:15?", "Ben was late at 9:15 on 4 May."),
        ("Why did room 07 flood?", "Room 7 flooded."),
        ("What did A tell B?", "A told C nothing."),
        ("Who won the 2012 election?", "Ada won the 2008 election and the 2012 mayoral election."),
        ("Who is the CEO of Quarz?", "Ida Voss is the chief executive officer of Quarz."),
        ("Who is the chief technical officer?", "Jon Falk is the CTO."),
        ("Who is the head of the school?", "Ben Adler is the head of the academy."),
    ],
)
def test_the_same_number_another_way_of_writing_it_or_none_does_not(asked: str, told: str) -> None:
    assert not names_others(designators(asked), told)
