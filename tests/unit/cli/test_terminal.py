# SPDX-License-Identifier: Apache-2.0
"""What reaches a terminal."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from becausal.cli.terminal import Screen, Styled, clean, clean_json, clean_line, columns, shorten, wrap


def test_escape_sequences_become_visible() -> None:
    assert clean("red \x1b[31malert\x07") == "red \\x1b[31malert\\x07"


def test_the_eight_bit_introducer_becomes_visible() -> None:
    assert clean("a\x9b31mb") == "a\\x9b31mb"


def test_text_cannot_turn_the_direction_of_writing_around() -> None:
    assert clean("pay \u202eetag\u2066") == "pay \\u202eetag\\u2066"


def test_a_carriage_return_cannot_write_over_a_line() -> None:
    assert clean("safe\rEVIL") == "safe\\x0dEVIL"


def test_windows_line_ends_are_line_ends() -> None:
    assert clean("a\r\nb") == "a\nb"


@given(st.text(st.characters(exclude_categories=[])))
def test_no_control_character_is_left_but_tab_and_line_feed(text: str) -> None:
    left = {char for char in clean(text) if unicodedata.category(char) in ("Cc", "Cs")}
    assert left <= {"\t", "\n"}


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_json_says_the_same_after_cleaning_and_is_harmless(text: str) -> None:
    document = clean_json(json.dumps({"text": text}, ensure_ascii=False))
    assert json.loads(document) == {"text": text}
    assert not [char for char in document if unicodedata.category(char) == "Cc"]


def test_a_line_has_no_line_ends() -> None:
    assert clean_line("  a\n\tb\r\n c ") == "a b c"


def test_wide_characters_take_two_columns_and_marks_none() -> None:
    assert columns("記憶 e\u0301") == 6


def test_wrapping_breaks_at_spaces_and_keeps_line_ends() -> None:
    assert list(wrap("one two three\nfour", 8)) == ["one two", "three", "four"]


def test_a_word_wider_than_the_window_is_cut() -> None:
    assert list(wrap("abcdefghij", 4)) == ["abcd", "efgh", "ij"]


def test_wide_characters_are_wrapped_by_their_width() -> None:
    assert list(wrap("記憶記憶記憶", 4)) == ["記憶", "記憶", "記憶"]


@given(st.text(), st.integers(min_value=2, max_value=60))
def test_no_wrapped_line_is_too_wide_and_no_word_is_lost(text: str, width: int) -> None:
    lines = list(wrap(text, width))
    assert all(columns(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_shortening_leaves_room_for_the_ellipsis() -> None:
    assert shorten("alpha beta gamma", 10) == "alpha bet…"
    assert shorten("alpha", 10) == "alpha"


def test_styles_are_left_out_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    Screen().line(Styled("loud", fg="red", bold=True), " and ", "quiet")
    assert capsys.readouterr().out == "loud and quiet\n"


def test_lines_beyond_the_most_allowed_are_not_written(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Screen()
    assert screen.text("a\nb\nc", most=2) is False
    assert screen.text("a\nb", most=2) is True
    assert capsys.readouterr().out == "a\nb\na\nb\n"
