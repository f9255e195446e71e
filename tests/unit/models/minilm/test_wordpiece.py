# SPDX-License-Identifier: Apache-2.0
"""Text becomes the token ids that the model was trained on."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from becausal.errors import ModelUnavailable
from becausal.models.minilm import wordpiece
from becausal.models.minilm.wordpiece import WordPiece, load_vocabulary

CLS, SEP, UNK = 101, 102, 100

# Our texts with what the library `tokenizers` 0.23.3 makes of them.
REFERENCE: list[tuple[str, list[int]]] = [
    (text, ids) for text, ids in json.loads((Path(__file__).parent / "wordpiece_ids.json").read_text(encoding="utf-8"))
]


@cache
def tokenizer() -> WordPiece:
    return WordPiece(load_vocabulary())


def pieces(text: str) -> list[str]:
    vocabulary = load_vocabulary()
    return [vocabulary[number] for number in tokenizer().encode(text)[1:-1]]


@pytest.mark.parametrize(("text", "ids"), REFERENCE, ids=[ascii(text[:30]) for text, _ in REFERENCE])
def test_ids_are_those_of_the_reference_tokenizer(text: str, ids: list[int]) -> None:
    assert tokenizer().encode(text) == ids


def test_ids_are_the_same_when_words_and_characters_are_remembered_already() -> None:
    known = WordPiece(load_vocabulary())
    for text, _ in REFERENCE:
        known.encode(text)
    assert [known.encode(text) for text, _ in REFERENCE] == [ids for _, ids in REFERENCE]


def test_a_word_is_cut_into_the_longest_known_pieces_from_the_left() -> None:
    assert pieces("unaffable") == ["una", "##ffa", "##ble"]


def test_case_and_accents_do_not_matter() -> None:
    assert pieces("CAFÉ Noël") == pieces("cafe noel") == ["cafe", "noel"]


def test_punctuation_marks_and_ideographs_stand_alone() -> None:
    assert pieces("don't!?") == ["don", "'", "t", "!", "?"]
    assert pieces("a中国b") == ["a", "中", "国", "b"]


def test_control_tokens_in_a_text_are_only_words() -> None:
    assert pieces("[SEP]") == ["[", "sep", "]"]


def test_a_word_of_more_than_a_hundred_characters_is_unknown() -> None:
    assert tokenizer().encode("x" * 101) == [CLS, UNK, SEP]
    assert UNK not in tokenizer().encode("x" * 100)


def test_text_without_words_has_nothing_between_the_control_tokens() -> None:
    for text in ("", "  \n\t", "\u200b\x00", "\u0301"):
        assert tokenizer().encode(text) == [CLS, SEP]


def test_what_does_not_fit_is_left_out_and_the_end_is_marked() -> None:
    ids = tokenizer().encode("word " * 1000, max_tokens=10)
    assert (len(ids), ids[0], ids[-1]) == (10, CLS, SEP)
    assert tokenizer().encode("word", max_tokens=2) == [CLS, SEP]


@pytest.mark.parametrize("filler", [" ", "\u200b", "word ", "中", "é ", "\x00"])
@pytest.mark.parametrize("length", [4094, 4095, 4096, 4097, 9000])
def test_a_long_text_gives_what_it_would_give_in_one_piece(
    filler: str, length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (filler * length)[:length] + "kettle is" + " blue and green" * 50
    in_slices = tokenizer().encode(text, 100_000)
    monkeypatch.setattr(wordpiece, "_SLICE", 1_000_000)
    assert tokenizer().encode(text, 100_000) == in_slices


def test_a_lone_surrogate_is_a_character_like_any_other() -> None:
    assert tokenizer().encode("a \ud800 b") == [CLS, *tokenizer().encode("a")[1:-1], UNK, *tokenizer().encode("b")[1:]]


@given(st.text(max_size=400))
def test_any_text_gives_known_ids_between_the_control_tokens(text: str) -> None:
    ids = tokenizer().encode(text, 64)
    assert (ids[0], ids[-1]) == (CLS, SEP)
    assert len(ids) <= 64
    assert all(0 <= number < 30_522 for number in ids)


@given(st.text(max_size=60), st.text(max_size=60))
def test_texts_joined_by_a_blank_give_their_ids_one_after_the_other(first: str, second: str) -> None:
    together = tokenizer().encode(f"{first} {second}")
    assert together[1:-1] == tokenizer().encode(first)[1:-1] + tokenizer().encode(second)[1:-1]


def test_threads_get_the_same_ids_from_one_tokenizer() -> None:
    shared = WordPiece(load_vocabulary())
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(shared.encode, [text for text, _ in REFERENCE] * 8))
    assert found == [ids for _, ids in REFERENCE] * 8


def test_the_vocabulary_has_its_pieces_where_the_model_expects_them() -> None:
    vocabulary = load_vocabulary()
    assert len(vocabulary) == len(set(vocabulary)) == 30_522
    assert [vocabulary[number] for number in (0, UNK, CLS, SEP)] == ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]


def test_a_damaged_or_missing_vocabulary_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordpiece, "files", lambda _package: tmp_path)
    with pytest.raises(ModelUnavailable, match=r"vocab\.txt cannot be read .* reinstall becausal"):
        load_vocabulary()
    (tmp_path / "vocab.txt").write_text("[PAD]\n", encoding="utf-8")
    with pytest.raises(ModelUnavailable, match="is damaged; reinstall becausal"):
        load_vocabulary()
