# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from becausal.encode.extract import extract
from becausal.encode.heading import heading


def about(text: str, label: str | None = None) -> tuple[str, ...]:
    return heading(text, extract(text, label=label).entities, label)


@pytest.mark.parametrize(
    "text",
    [
        "Glass Harbour\nA novel about two lighthouse keepers.",
        "The Glass Harbour (novel)\nIt is about two lighthouse keepers.",
        "Title: The Glass Harbour\n0. It is about two lighthouse keepers.",
        "# Glass Harbour\n\nIt is about two lighthouse keepers.",
        "**Glass Harbour**\nIt is about two lighthouse keepers.",
        "Glass Harbour is a novel about two lighthouse keepers.",
        "The Glass Harbour (1961) is a novel about two lighthouse keepers.",
        "Glass Harbour, a novel about two lighthouse keepers, sold well.",
    ],
)
def test_a_text_is_about_its_title_or_the_name_it_opens_with(text: str) -> None:
    assert about(text) == ("Glass Harbour",)


def test_a_text_is_about_the_person_who_opens_it() -> None:
    assert about("Ada Quill fixed the printer on the second floor.") == ("Ada Quill",)


def test_a_title_in_small_letters_counts_when_the_text_takes_it_up() -> None:
    assert about("Ręce w górze\nRęce w górze (1970) is a film.") == ("Ręce w górze",)
    assert about("Meeting notes\nWe talked about films.") == ()


def test_a_long_name_is_also_known_without_its_rank_and_without_what_follows_the_comma() -> None:
    text = "Princess Ida of Arvend, Countess of Lorn\nIda of Arvend was the sister of Princess Ida of Arvend's rival."
    assert about(text)[0] == "Princess Ida of Arvend, Countess of Lorn"
    assert "Ida of Arvend" in about(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "The kettle is blue.",
        "Remember to buy milk.",
        "What did Ada Quill say?",
        "Meeting notes\nWe met and agreed.",
        "Ada: Glass Harbour is on tonight.",
        "In 2009, Glass Harbour was filmed.",
        "# ---\nbroken heading",
        "X\nonly a letter",
        "It ends here:\nGlass Harbour",
    ],
)
def test_other_beginnings_do_not_say_what_a_text_is_about(text: str) -> None:
    assert about(text) == ()


def test_a_label_says_what_a_text_is_about_before_its_beginning_does() -> None:
    assert about("Ada Quill fixed it.", label="Printer trouble") == ("Printer trouble", "Ada Quill")
    assert about("It was fixed.", label="a label of far too many words to be the name of anything") == ()


def test_a_first_line_that_cannot_be_shown_is_no_title() -> None:
    assert about("Title: Glass\x01 Harbour\nIt is a novel.") == ()


def test_very_long_beginnings_are_read_in_no_time() -> None:
    assert about("glass " * 100_000) == ()
    assert about("Glass " * 100_000) == ()
    assert about(" " * 500_000 + "Glass Harbour\nIt is.") == ()
