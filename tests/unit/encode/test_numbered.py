# SPDX-License-Identifier: Apache-2.0
"""A thing that a number tells from others of its kind is named by both."""

from __future__ import annotations

import pytest

from becausal.encode.extract import extract


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Freezer 7 failed because its fuse blew.", {"Freezer 7"}),
        ("We repaired freezer 7 and oven 12.", {"freezer 7", "oven 12"}),
        ("The crew of boat 3 rested.", {"boat 3"}),
        ("Platform 12 was closed.", {"Platform 12"}),
        ("bus 41 stops here.", {"bus 41"}),
    ],
)
def test_a_word_and_its_number_name_a_thing(text: str, names: set[str]) -> None:
    assert {each.name for each in extract(text).entities} == names


@pytest.mark.parametrize(
    "text",
    [
        "We sold 7 apples and 3 pears.",
        "The team waited 7 days.",
        "In summer 2019 we met at 7.",
        "Look at page 7 of chapter 3.",
        "He is aged 45 and lives at number 7.",
        "Only 7 came, and nearly 30 left.",
        "The bus left at 7:30, the train 20 minutes later.",
        "The strike of 2019 lasted long.",
        "The choir 30 guests had heard sang on.",
    ],
)
def test_a_count_a_time_a_page_or_a_year_names_none(text: str) -> None:
    assert extract(text).entities == ()


def test_the_number_is_part_of_the_name_where_a_text_names_several() -> None:
    found = {each.key for each in extract("Valve 1 and valve 12 leaked; later valve 1 burst.").entities}
    assert found == {"valve 1", "valve 12"}
