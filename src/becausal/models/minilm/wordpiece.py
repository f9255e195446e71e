# SPDX-License-Identifier: Apache-2.0
"""The uncased BERT tokenizer: text to the token ids that MiniLM was trained on.

Two steps. The *basic* one drops control characters, folds case, strips accents and cuts text into words,
single punctuation marks and single CJK ideographs. The *WordPiece* one cuts each word, longest match
first, into pieces of a fixed vocabulary (Devlin et al. 2019, "BERT: Pre-training of Deep Bidirectional
Transformers for Language Understanding").

The ids are those of the widely used ``tokenizers`` library with its special tokens not looked for in the
text: what a user wrote is never taken for a control token, so "[SEP]" is two brackets and a word. That
library sorts characters by Unicode 8, whatever newer tables a Python brings along: see ``_NEWER_LETTERS``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files

from ...errors import ModelUnavailable

MAX_WORD = 100
"""A word of more characters than this is the unknown token."""

_VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
_MEMO_WORDS = 32_768
_MEMO_CHARACTERS = 8_192
_SLICE = 4_096

_ASCII_CONTROLS = {code: None for code in (*range(32), 127) if chr(code) not in "\t\n\r"}
_ASCII_WORD = re.compile(r"[a-z0-9]+|[!-/:-@\[-`{-~]")
_SLICE_END = re.compile(r"[ \n]")

_CJK = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B81F),
    (0x2B920, 0x2CEAF),  # the reference starts 256 characters late
    (0x2F800, 0x2FA1F),
)

# Between these code points Unicode 8 knows no mark, no punctuation and no format character: whatever was
# added since counts as a letter.
_NEWER = (
    "5c8-5c9 61d 7fd 890-8e2 9fd-9fe a76 afa-aff b53-b55 c04-c3c c77 c84 d00 d3b-d3c d81 eba ece 180f-1886 "
    "1abf-1af0 1b4e-1b4f 1b7d-1b7f 1df6-1dfb 2e43-2e63 a82c a8c5 a8ff a9bd 10d24-10f89 11070-11074 110c2-110cd "
    "111cf 1123e-11241 1133b 113bb-1145e 11660-1166c 116b9 1182f-11fff 12ff1-1612f 16d6d-16f4f 16fe2-16fe4 "
    "1cf00-1d128 1d25b-1d25c 1e000-1e6f5 1e944-1e95f"
)
_NEWER_LETTERS = tuple(
    (int(first, 16), int(last or first, 16)) for first, _, last in (span.partition("-") for span in _NEWER.split())
)
_CATEGORY_IN_UNICODE_8 = {0x166D: "Po", 0x1734: "Mn", 0x111C9: "Po", 0x1171E: "Mn"}


def load_vocabulary() -> tuple[str, ...]:
    """Read the 30,522 word pieces that come with this package; a piece's place is its id.

    Raises:
        ModelUnavailable: the file is missing or has been altered.
    """
    resource = files(__package__).joinpath("vocab.txt")
    try:
        data = resource.read_bytes()
    except OSError as error:
        raise ModelUnavailable(f"the vocabulary {resource} cannot be read ({error}); reinstall becausal") from error
    if sha256(data).hexdigest() != _VOCABULARY_SHA256:
        raise ModelUnavailable(f"the vocabulary {resource} is damaged; reinstall becausal")
    return tuple(data.decode("utf-8").removesuffix("\n").split("\n"))


class WordPiece:
    """A tokenizer over ``vocabulary``, in which a piece that continues a word begins with ``##``.

    Safe to use from several threads; it remembers a bounded number of words and characters.
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        ids = {piece: number for number, piece in enumerate(vocabulary)}
        self._first = ids["[CLS]"]
        self._last = ids["[SEP]"]
        self._pieces = lru_cache(maxsize=_MEMO_WORDS)(_splitter(ids, ids["[UNK]"]))
        self._clean = _CharacterMap(_cleaned)
        self._fold = _CharacterMap(_folded)

    def encode(self, text: str, max_tokens: int = 256) -> list[int]:
        """Return ids from ``[CLS]`` to ``[SEP]``, ``max_tokens`` of them at most (at least two)."""
        room = max_tokens - 2
        ids = [self._first]
        start = 0
        while start < len(text) and len(ids) <= room:
            end = len(text)
            if end - start > _SLICE:
                # Only as much of a long text is looked at as fits; cutting at a blank changes no word.
                blank = _SLICE_END.search(text, start + _SLICE)
                end = blank.end() if blank else end
            for word in self._words(text[start:end]):
                ids.extend(self._pieces(word))
                if len(ids) > room:
                    break
            start = end
        del ids[room + 1 :]
        ids.append(self._last)
        return ids

    def _words(self, text: str) -> list[str]:
        if text.isascii():
            return _ASCII_WORD.findall(text.translate(_ASCII_CONTROLS).lower())
        return unicodedata.normalize("NFD", text.translate(self._clean)).translate(self._fold).split()


class _CharacterMap(dict[int, str]):
    """What ``str.translate`` puts in a character's place, worked out when it first occurs."""

    def __init__(self, rule: Callable[[str], str]) -> None:
        super().__init__()
        self._rule = rule

    def __missing__(self, code: int) -> str:
        replacement = self._rule(chr(code))
        if len(self) < _MEMO_CHARACTERS:
            self[code] = replacement
        return replacement


def _cleaned(character: str) -> str:
    if character in "\t\n\r" or (character.isspace() and _category(character) != "Cc"):
        return " "
    if character == "\ufffd" or _category(character) in ("Cc", "Cf", "Co"):
        return ""
    return f" {character} " if _within(ord(character), _CJK) else character


def _folded(character: str) -> str:
    category = _category(character)
    if category == "Mn":
        return ""
    # Symbols such as $, + and ~ count as punctuation as long as they are ASCII.
    symbol = character.isascii() and not character.isalnum() and character != " "
    # One character at a time: a sigma at the end of a word is an ordinary sigma here.
    return f" {character} " if symbol or category[0] == "P" else character.lower()


def _category(character: str) -> str:
    code = ord(character)
    category = _CATEGORY_IN_UNICODE_8.get(code) or unicodedata.category(character)
    if category[0] in "MPC" and _within(code, _NEWER_LETTERS):
        return "Lo"
    return category


def _within(code: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(first <= code <= last for first, last in spans)


def _splitter(ids: dict[str, int], unknown: int) -> Callable[[str], tuple[int, ...]]:
    longest = max(map(len, ids))

    def split(word: str) -> tuple[int, ...]:
        if len(word) > MAX_WORD:
            return (unknown,)
        found = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(min(len(word), start + longest), start, -1):
                piece = ids.get(prefix + word[start:end])
                if piece is not None:
                    found.append(piece)
                    start = end
                    break
            else:
                return (unknown,)
        return tuple(found)

    return split
