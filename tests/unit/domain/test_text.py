# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from becausal.domain.text import (
    MAX_QUERY_TERMS,
    MAX_TERM,
    clip,
    normalize_name,
    passages,
    query_terms,
    sentences,
    terms,
    word_count,
)

ANY_TEXT = st.text(st.characters(exclude_categories=()))
BITS = (
    *("Will", "May", "don't", "#1", "C++", "v1.2", "a@b.c", "http://x.y/z", "1,000", "e.g. ", "José", "東京", "さくら"),
    *("สวัสดี", "서버", "\ud800", "\u0301", "\n", "\n\n", " ", ". ", "! ", "。", "- ", "# ", "| ", "...", "“", "”"),
    *("'", "-", "/", "_"),
)
LIKELY_TEXT = st.lists(st.sampled_from(BITS)).map("".join)
HOSTILE = {
    "letters": "a" * 100_000,
    "stops": "." * 100_000,
    "spaced stops": ". " * 50_000,
    "line breaks": "\n" * 100_000,
    "spaces": " " * 100_000,
    "apostrophes": "x's'" * 25_000,
    "marks": "a" + "\u0315\u0300" * 50_000,
    "humps": "aB" * 50_000,
    "slashes": "/a" * 50_000,
    "addresses": "http://" * 14_000,
    "nulls": "\0" * 100_000,
    "surrogates": "\ud800" * 100_000,
    "han": "漢" * 100_000,
    "capitals": "Will " * 20_000,
    "fences": "```\n" * 25_000,
}


def pieces(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


# --- terms --------------------------------------------------------------------------------------


def test_words_are_stemmed_in_text_order_and_repetitions_are_kept() -> None:
    assert terms("Paintings fade; she paints a painting.") == ("paint", "fade", "paint", "paint")


def test_question_words_auxiliaries_and_pronouns_are_no_terms() -> None:
    assert terms("What did she say to them, and why would it have been about us?") == ("say",)


def test_contractions_are_stop_words_and_a_possessive_is_the_word_itself() -> None:
    assert terms("They don’t know, it's Melanie's dog; we'll see") == ("know", "melani", "dog", "see")


def test_a_name_with_an_apostrophe_is_found_whole_and_by_its_longer_part() -> None:
    assert terms("O'Brien") == ("o'brien", "brien")


def test_numbers_are_kept_and_grouped_digits_are_one_number() -> None:
    assert terms("7 of 1,250,000 rows, 3.5 percent") == ("7", "1250000", "row", "3.5", "3", "5", "percent")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("JWT_SECRET", {"jwt_secret", "jwt", "secret"}),
        ("getUserName", {"user", "name"}),
        ("HTTPServer", {"http", "server"}),
        ("v2.3.0", {"v2.3.0", "2.3.0"}),
        ("PR-1234", {"pr-1234", "pr", "1234"}),
        ("#1234", {"#1234", "1234"}),
        ("auth-service", {"auth-service", "auth"}),
        ("ada@mail.example.org", {"ada@mail.example.org", "mail.example.org", "ada", "mail", "org"}),
        ("(https://api.example.org/v1/items?id=5).", {"https://api.example.org/v1/items?id=5", "api.example.org", "5"}),
        ("src/app/main.py", {"src/app/main.py", "main.py", "src", "app"}),
        ("10.0.0.1", {"10.0.0.1", "10", "0", "1"}),
        ("2023-05-08T10:30:00Z", {"2023-05-08", "2023", "05", "10", "30"}),
        ("C++ and C#", {"c++", "c#"}),
        ("the U.S. at 3 p.m.", {"us", "3", "pm"}),
    ],
)
def test_an_identifier_gives_itself_and_its_parts(text: str, expected: set[str]) -> None:
    assert expected <= set(terms(text))


def test_a_version_is_found_with_and_without_its_letter() -> None:
    assert set(query_terms("2.3.0")) <= set(terms("released v2.3.0 today"))


def test_a_word_with_diacritics_is_found_with_and_without_them() -> None:
    assert terms("José Łódź") == ("josé", "jose", "łódź", "lodz")
    assert set(terms("Jose")) <= set(terms("José"))


def test_compatibility_forms_are_the_plain_characters() -> None:
    assert terms("ＡＢＣ１２ ﬁne") == ("abc12", "fine")


def test_letters_keep_their_combining_marks() -> None:
    assert terms("हिन्दी भाषा") == ("हिन्दी", "भाषा")


def test_scripts_without_spaces_give_characters_and_pairs() -> None:
    assert terms("東京都") == ("東", "東京", "京", "京都", "都")
    assert "ไทย"[:2] in terms("ภาษาไทย")


def test_text_in_two_scripts_is_parted_where_they_meet() -> None:
    assert terms("東のJWT鍵") == ("東", "東の", "の", "jwt", "鍵")


def test_a_korean_word_is_found_without_its_particle() -> None:
    assert set(query_terms("서버")) <= set(terms("서버가 죽었다"))


def test_will_and_may_are_names_except_where_a_sentence_begins() -> None:
    assert terms("We saw Will in May.") == ("saw", "will", "may")
    assert terms("Will you? May I?\nWill it") == ()
    assert terms("Will: hello\nWill's dog") == ("will", "will", "dog")


def test_capital_us_and_it_are_names() -> None:
    assert terms("the US team of IT told us that it works") == ("us", "team", "it", "told", "work")


def test_both_parts_of_a_stop_word_pair_are_left_out() -> None:
    assert terms("he/she and/or") == ()


def test_a_term_is_never_longer_than_the_limit() -> None:
    assert terms("x" * 1000) == ("x" * MAX_TERM,)


@settings(max_examples=300)
@given(ANY_TEXT | LIKELY_TEXT)
def test_no_term_holds_white_space_or_control_characters(text: str) -> None:
    for term in (*terms(text), *query_terms(text)):
        assert 0 < len(term) <= MAX_TERM
        assert isinstance(term.encode(), bytes)
        assert not any(character.isspace() or ord(character) < 32 or 127 <= ord(character) < 160 for character in term)


@given(ANY_TEXT | LIKELY_TEXT)
def test_every_query_term_of_a_text_is_a_term_of_it(text: str) -> None:
    assert set(query_terms(text)) <= set(terms(text))


# --- query_terms --------------------------------------------------------------------------------


def test_a_question_gives_each_term_once() -> None:
    assert query_terms("painting, paintings and painted walls") == ("paint", "wall")


def test_a_question_in_han_gives_pairs_alone_unless_it_is_one_character() -> None:
    assert query_terms("東京都") == ("東京", "京都")
    assert query_terms("鍵") == ("鍵",)


def test_a_question_of_stop_words_gives_nothing() -> None:
    assert query_terms("Who was it?") == ()


def test_a_question_never_gives_more_terms_than_the_limit() -> None:
    assert len(query_terms(" ".join(f"n{i}" for i in range(500)))) == MAX_QUERY_TERMS
    assert len(query_terms("".join(chr(0x4E00 + i) for i in range(500)))) == MAX_QUERY_TERMS


# --- sentences ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sentence",
    [
        "Dr. Grey met Mr. J. R. Hill at 3.14 p.m. in St. Ives.",
        "We run v2.3.0 on 10.0.0.1, see https://example.org/a.b?c=d for more.",
        'She asked "Why?" and left.',
        "Well ... maybe it was the cache.",
        "See fig. 2 and no. 5, i.e. the last ones.",
        "The U.S. market fell.",
        "Acme Inc. bought it.",
        "Call foo.bar() first.",
    ],
)
def test_what_looks_like_an_end_does_not_part_a_sentence(sentence: str) -> None:
    assert pieces(sentence) == [sentence]


def test_sentences_end_at_their_stops_also_where_people_type_no_capitals() -> None:
    assert pieces("I slept. It rained!  why? no idea. The answer is no. Next.") == [
        "I slept.",
        "It rained!",
        "why?",
        "no idea.",
        "The answer is no.",
        "Next.",
    ]


def test_an_abbreviation_ends_a_sentence_before_a_word_that_opens_one() -> None:
    assert pieces("He lives in the U.S. She works at Acme Inc. They met at 9 p.m. The end.") == [
        "He lives in the U.S.",
        "She works at Acme Inc.",
        "They met at 9 p.m.",
        "The end.",
    ]


def test_chinese_and_japanese_stops_need_no_space() -> None:
    assert pieces("我今天去了公园。天气很好！「はい。」と言った") == [
        "我今天去了公园。",
        "天气很好！",
        "「はい。」",
        "と言った",
    ]


def test_headings_and_list_items_are_sentences_without_their_markers() -> None:
    text = "# Cause\n\n- a full disk\n- two alerts. Both late\n1. Free it\n2) Watch it\n> quoted\n"
    assert pieces(text) == ["Cause", "a full disk", "two alerts.", "Both late", "Free it", "Watch it", "quoted"]


def test_a_wrapped_line_goes_on_and_a_short_one_ends() -> None:
    wrapped = "The cache was cold after the restart, so that every request went to\nthe database."
    assert pieces(wrapped) == [wrapped]
    assert pieces("Ada: hello there\nBob: hi") == ["Ada: hello there", "Bob: hi"]


def test_what_has_no_letters_belongs_to_the_sentence_before_it() -> None:
    assert pieces("Great! 😂\n---\n```\ncode\n```\n") == ["Great! 😂", "code"]
    assert pieces(" 😂 ") == ["😂"]
    assert pieces(" \n ") == []


@settings(max_examples=300)
@given(ANY_TEXT | LIKELY_TEXT)
def test_sentences_are_in_order_apart_and_hold_every_letter(text: str) -> None:
    spans = sentences(text)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
    assert all(piece == piece.strip() for piece in pieces(text))


# --- words, passages ----------------------------------------------------------------------------


def test_words_are_counted_as_a_reading_window_fills() -> None:
    assert word_count("The JWT_SECRET was wrong -- again!") == 5
    assert word_count("x" * 33) == 3
    assert word_count("東京都") == 2
    assert word_count("!" * 40) == 2
    assert word_count("हिन्दी") == 1
    assert word_count("") == 0


def test_a_text_a_little_over_the_limit_stays_whole() -> None:
    assert passages("word " * 117, max_words=90) == ()
    assert len(passages("word " * 118, max_words=90)) == 2


def test_passages_end_with_sentences_and_begin_with_the_last_of_the_one_before() -> None:
    text = " ".join(f"Sentence {i} has exactly six words." for i in range(10))
    parts = [text[start:end] for start, end in passages(text, max_words=20)]
    assert parts[0] == " ".join(f"Sentence {i} has exactly six words." for i in range(3))
    assert parts[1] == " ".join(f"Sentence {i} has exactly six words." for i in range(2, 5))
    assert parts[-1].endswith("Sentence 9 has exactly six words.")


def test_without_overlap_no_sentence_stands_twice() -> None:
    text = " ".join(f"Sentence {i} has exactly six words." for i in range(10))
    spans = passages(text, max_words=20, overlap=0)
    assert all(one[1] < other[0] for one, other in pairwise(spans))


def test_a_sentence_longer_than_a_passage_is_cut_near_a_comma() -> None:
    clause = "one two three four five six seven"
    text = ", ".join([clause] * 10)
    parts = [text[start:end] for start, end in passages(text, max_words=15)]
    assert all(part.startswith("one") and part.rstrip(",").endswith("seven") for part in parts)


@pytest.mark.parametrize(("max_words", "overlap"), [(0, 1), (10, -1)])
def test_passages_refuse_impossible_limits(max_words: int, overlap: int) -> None:
    with pytest.raises(ValueError, match="must be at least"):
        passages("text", max_words=max_words, overlap=overlap)


@settings(max_examples=300)
@given(ANY_TEXT | LIKELY_TEXT, st.integers(1, 9), st.integers(0, 2))
def test_no_passage_is_too_long_and_together_they_hold_everything(text: str, max_words: int, overlap: int) -> None:
    spans = passages(text, max_words=max_words, overlap=overlap)
    assert all(word_count(text[start:end]) <= max_words for start, end in spans)
    assert bool(spans) == (word_count(text) > 1.3 * max_words)
    reached = 0
    for start, end in spans:
        assert not text[reached:start].strip()
        assert end > reached
        reached = end
    assert not spans or not text[reached:].strip()


# --- clip, names --------------------------------------------------------------------------------


def test_clipping_cuts_between_words_and_says_so() -> None:
    assert clip("a short text", 20) == "a short text"
    assert clip("the cache was cold, and slow", 20) == "the cache was cold…"
    assert clip("the cache was cold", 14) == "the cache was…"
    assert clip("unbroken" * 5, 10) == "unbrokenu…"


def test_clipping_never_parts_a_letter_from_its_marks() -> None:
    assert clip("abcde\u0301\u0302fgh", 7) == "abcd…"


def test_clipping_to_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="limit must be at least 1"):
        clip("text", 0)


@given(ANY_TEXT, st.integers(1, 50))
def test_a_clipped_text_is_never_longer_than_asked(text: str, limit: int) -> None:
    assert len(clip(text, limit)) <= limit


def test_names_that_differ_in_case_hyphens_or_spaces_are_the_same() -> None:
    assert normalize_name(" Auth-Service ") == normalize_name("auth_service") == normalize_name("AUTH\n service")
    assert normalize_name("Straße") == "strasse"
    assert normalize_name("Ｊosé") == "josé"


@settings(max_examples=300)
@given(ANY_TEXT | LIKELY_TEXT)
def test_a_normalised_name_stays_as_it_is_and_can_be_written_down(text: str) -> None:
    name = normalize_name(text)
    assert normalize_name(name) == name
    assert isinstance(name.encode(), bytes)


# --- cost ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_takes_no_more_than_linear_time(name: str) -> None:
    text = HOSTILE[name]

    def seconds(part: str) -> float:
        begun = time.thread_time()
        for read in (terms, query_terms, sentences, passages, word_count, normalize_name):
            read(part)
        return time.thread_time() - begun

    seconds(text[:1000])
    assert seconds(text) < 5.0  # it takes a tenth of that; quadratic time would be minutes


def test_a_megabyte_is_cut_into_passages() -> None:
    sentence = "The deployment of the auth-service failed because JWT_SECRET was missing in production. "
    text = sentence * (2**20 // len(sentence))
    spans = passages(text)
    assert spans[-1].end == len(text.rstrip())
    assert max(word_count(text[start:end]) for start, end in spans) <= 90
