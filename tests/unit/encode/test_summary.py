# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from becausal.encode.extract import extract
from becausal.encode.summary import MAX_SUMMARY

FILLER = " More words about the same matter follow here, and they go on for a while." * 6


def summary(text: str) -> str:
    return extract(text).summary


def test_a_short_text_is_its_own_summary_on_one_line() -> None:
    assert summary("  The cache was cold.\n\nWe waited. ") == "The cache was cold. We waited."
    assert summary("") == ""


def test_a_long_text_is_summed_up_by_its_first_sentences_if_they_fit() -> None:
    text = "The cache was cold after the restart. Every request went to the database." + FILLER
    assert summary(text) == "The cache was cold after the restart. Every request went to the database."


def test_headings_greetings_and_short_questions_are_skipped() -> None:
    text = "# Report\n\nHi everyone!\nHow are you?\n\nThe payment service lost its connection to the ledger." + FILLER
    assert summary(text).startswith("The payment service lost its connection to the ledger.")


def test_front_matter_is_skipped() -> None:
    text = "---\ntitle: A very long title of some report\nowner: ops\n---\nThe ledger was out of step by noon." + FILLER
    assert summary(text).startswith("The ledger was out of step by noon.")


def test_markup_is_left_out() -> None:
    text = "- The **ledger** was [out of step](https://example.org/x) with `billing`, see ![a](b.png)." + FILLER
    assert summary(text).startswith("The ledger was out of step with billing, see .")


def test_a_sentence_that_is_too_long_is_cut_between_words() -> None:
    text = "The ledger " + "and the archive " * 40
    result = summary(text)
    assert len(result) <= MAX_SUMMARY
    assert result.endswith("…")
    assert text.startswith(result[:-1])


def test_chinese_text_is_summed_up_too() -> None:
    text = "数据库在凌晨三点崩溃，因为磁盘已满。" * 20
    assert summary(text).startswith("数据库在凌晨三点崩溃")
    assert len(summary(text)) <= MAX_SUMMARY


def test_a_text_without_any_telling_sentence_still_has_a_summary() -> None:
    assert summary("Hi! Hello! " * 50).startswith("Hi!")
    assert summary("!" * 500) == "!" * (MAX_SUMMARY - 1) + "…"
