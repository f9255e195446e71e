# SPDX-License-Identifier: Apache-2.0
"""Text as search terms, words and names. Every function takes time linear in the text and any ``str``."""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import cache, lru_cache
from typing import Protocol

from .passages import passages
from .scripts import UNSPACED, compose, marks
from .sentences import Span, sentences
from .stopwords import CONTENT_FORMS, STOP_WORDS
from .words import clip, word_count

__all__ = [
    "MAX_QUERY_TERMS",
    "MAX_TERM",
    "Span",
    "clip",
    "is_stop_word",
    "name_terms",
    "normalize_name",
    "passages",
    "query_terms",
    "sentences",
    "stem",
    "terms",
    "word_count",
]

MAX_TERM = 64
"""The longest term, in characters; what is longer is cut."""

MAX_QUERY_TERMS = 64

_STEMMED = 25  # characters; no English word is longer, and stemming noise is slow
_GLUE = r"(?:[-._'@&+\\/]|:(?://|:|\\)?|/[._@]|(?<=\d),(?=\d\d\d(?!\d)))"
_URL = r"https?://[^\s<>\"\x00-\x1f\x7f-\x9f\ud800-\udfff]+"
_C_LIKE = r"\b[CFJcfj](?:\+\+|\#)(?!\w)"  # C++, C#, F#
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^A-Za-z0-9]+")
_CAMEL = re.compile(r"[a-z0-9][A-Z]|[A-Z][A-Z][a-z]")
_SEGMENTS = re.compile(r"[:/\\@?=&#]+")
_INNER = re.compile(r"[!-/:-@\[-`{-~]+")  # all ASCII punctuation, but no combining mark
_TIMESTAMP = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt]([0-9].*)", re.DOTALL)
_VERSION = re.compile(r"v[0-9]+(?:\.[^.]+)+", re.DOTALL)
_INITIALS = re.compile(r"(?:[a-z]\.)+[a-z]")
_CONTRACTED = frozenset(("s", "ll", "ve", "re", "d", "m"))
_SCHEMES = frozenset(("http", "https", "www"))
_NAMES_OR_NOT = re.compile(r"\b(?:Will|May)\b(?!'s|:)")

_LATIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ħ": "h", "ı": "i"})
_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u064b-\u0652\u0670]+")  # Latin…Cyrillic, Hebrew, Arabic
_HANGUL = re.compile("[\uac00-\ud7a3]{3,}")

_ASCII_TOKEN = re.compile(rf"{_URL}|{_C_LIKE}|\#?[A-Za-z0-9_]+(?:{_GLUE}[A-Za-z0-9_]+)*")


@cache
def _token() -> re.Pattern[str]:
    letters = rf"[^\W{UNSPACED}]"
    word = f"{letters}+(?:[{marks()}]+{letters}*)*"
    return re.compile(rf"({_URL}|{_C_LIKE}|\#?{word}(?:{_GLUE}{word})*)|([{UNSPACED}]+)")


def terms(text: str) -> tuple[str, ...]:
    """Return the search terms of a text, in text order and with repetitions.

    Words are case folded and stemmed (Snowball English), stop words left out. Identifiers, addresses,
    versions and paths give themselves and their parts; words with diacritics also their plain form; runs of
    a script without spaces every character and every pair of neighbours.
    """
    found: list[str] = []
    text = _lower_openings(compose(text))
    if text.isascii():
        for word in _ASCII_TOKEN.findall(text):
            found += _word_terms(word) if len(word) <= MAX_TERM else _analyse(word)
    else:
        for word, run in _token().findall(text):
            if run:
                found += _run_terms(run)
            else:
                found += _word_terms(word) if len(word) <= MAX_TERM else _analyse(word)
    return tuple(found)


@lru_cache(maxsize=8192)
def name_terms(name: str) -> tuple[str, ...]:
    """Return the search terms of a name. The same few names are told again and again."""
    return terms(name)


def query_terms(text: str) -> tuple[str, ...]:
    """Return the distinct terms to look a question up by: at most ``MAX_QUERY_TERMS``, the first ones.

    The analysis is that of ``terms``, except that a run of two or more characters of a script without spaces
    gives its pairs alone. A question of nothing but stop words gives ``()``.
    """
    text = _lower_openings(compose(text))
    found: dict[str, None] = {}
    for match in (_ASCII_TOKEN if text.isascii() else _token()).finditer(text):
        word = match[0]
        if match.lastindex == 2:
            pairs = [word[i : i + 2].casefold() for i in range(min(len(word) - 1, MAX_QUERY_TERMS))]
            found.update(dict.fromkeys(pairs or (word,)))
        else:
            found.update(dict.fromkeys(_word_terms(word) if len(word) <= MAX_TERM else _analyse(word)))
        if len(found) >= MAX_QUERY_TERMS:
            break
    return tuple(found)[:MAX_QUERY_TERMS]


def normalize_name(name: str) -> str:
    """Return the identity key of a name: case folded; hyphens, underscores and white space as one space."""
    return _normalized(name) if len(name) <= MAX_TERM else _normalized.__wrapped__(name)


@lru_cache(maxsize=8192)
def _normalized(name: str) -> str:
    folded = compose(name)
    for _ in range(3):  # folding case can undo the composition, and composing the folding
        folded, before = compose(folded.casefold()), folded
        if folded == before:
            break
    return _NAME_SPACE.sub(" ", _SURROGATE.sub("\ufffd", folded)).strip()


_NAME_SPACE = re.compile(r"[-_\s\x00-\x1f\x7f-\x9f]+")
_SURROGATE = re.compile("[\ud800-\udfff]")


def is_stop_word(word: str) -> bool:
    """Say whether a word, as it is spelled, is left out of the index."""
    return word not in CONTENT_FORMS and word.casefold() in STOP_WORDS


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...


_stemming = threading.Lock()


@cache
def _stemmer() -> _Stemmer:
    # Imported here because it loads every language it has, which takes 45 ms; and by this path because the
    # package's own factory prefers another implementation where one is installed, which may stem otherwise.
    from snowballstemmer.english_stemmer import EnglishStemmer

    english: _Stemmer = EnglishStemmer()
    return english


@lru_cache(maxsize=1 << 15)
def stem(word: str) -> str:
    """Return the stem of a case-folded English word (Snowball English)."""
    if len(word) > _STEMMED:
        return word[:MAX_TERM]
    with _stemming:  # the stemmer keeps the word in itself
        return _stemmer().stemWord(word)


def _lower_openings(text: str) -> str:
    # "Will" and "May" are names, except where any word would have a capital.
    if "Will" in text or "May" in text:
        return _NAMES_OR_NOT.sub(_lower_opening, text)
    return text


def _lower_opening(match: re.Match[str]) -> str:
    before = match.string[max(0, match.start() - 8) : match.start()]
    bare = before.rstrip()
    opens = not bare or bare[-1] in ".!?:" or "\n" in before[len(bare) :] or before[-1] in "\"'(*"
    return match[0].lower() if opens else match[0]


def _analyse(token: str) -> tuple[str, ...]:
    """Return the terms of one token: a word, or words joined by glue."""
    if token.isalpha():
        return _plain_word(token)
    # A comma is only ever between the digits of a number; an address may end before the token does.
    token = token.rstrip(".,;:!?)]}'*") if "://" in token else token.replace(",", "")
    while True:
        base, apostrophe, suffix = token.rpartition("'")
        if apostrophe and suffix.lower() == "t" and base[-1:].lower() == "n":  # don't, isn't
            return ()
        if not apostrophe or suffix.lower() not in _CONTRACTED:
            break
        token = base
    token = token.strip("_")
    if token.isalpha():
        return _plain_word(token)
    return _compound(token) if token else ()


_word_terms = lru_cache(maxsize=1 << 15)(_analyse)


def _plain_word(word: str) -> tuple[str, ...]:
    if is_stop_word(word):
        return ()
    lower = _fold(word)
    found = _forms(lower)
    if not word.islower() and _CAMEL.search(word):
        found += tuple(
            form
            for hump in _HUMPS.findall(word)
            if len(hump) > 1 and not is_stop_word(hump)
            for form in _forms(hump.lower())
        )
    return found


def _compound(token: str) -> tuple[str, ...]:
    lower = _fold(token)
    if _INITIALS.fullmatch(lower):  # U.S., p.m.
        return _plain_word(token.replace(".", "").upper())
    if _VERSION.fullmatch(lower):
        return (lower[:MAX_TERM], lower.partition(".")[0][:MAX_TERM], *_compound(lower[1:]))
    if stamp := _TIMESTAMP.fullmatch(lower):
        return (lower[:MAX_TERM], *_compound(stamp[1]), *_compound(stamp[2]))
    segments = [segment for segment in _SEGMENTS.split(token) if segment]
    inner: list[str] = []
    for segment in segments:
        pieces = [piece for piece in _INNER.split(segment) if piece]
        if pieces == [token]:  # a word with marks or digits
            return _forms(lower)
        if len(segments) > 1 and len(pieces) > 1:  # the file in a path, the host in an address
            inner.append(_fold(segment)[:MAX_TERM])
        for piece in pieces:
            if not piece.isalpha():
                inner += _forms(_fold(piece))
            elif len(piece) > 1 and piece.lower() not in _SCHEMES:
                inner += _plain_word(piece)
    if not inner and ("'" in token or "/" in token):  # he/she, y'all
        return ()
    return (lower[:MAX_TERM], *inner)


def _forms(lower: str) -> tuple[str, ...]:
    """Return a folded word as it is indexed: its stem, or itself and its plain form when it has diacritics."""
    if lower.isascii():
        return (stem(lower) if lower.isalpha() else lower[:MAX_TERM],)
    lower = lower[:MAX_TERM]
    plain = unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", lower))).translate(_LATIN)
    found = [lower]
    if plain and plain != lower:
        found.append(stem(plain) if plain.isascii() and plain.isalpha() else plain[:MAX_TERM])
    for run in _HANGUL.findall(lower):  # words carry particles; pairs find the bare word
        found += (run[i : i + 2] for i in range(len(run) - 1))
    return tuple(found)


def _fold(word: str) -> str:
    return word.lower() if word.isascii() else compose(word.casefold())


def _run_terms(run: str) -> list[str]:
    found = [run[0]]
    for i in range(1, len(run)):
        found += (run[i - 1 : i + 1], run[i])
    return found
