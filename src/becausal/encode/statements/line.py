# SPDX-License-Identifier: Apache-2.0
"""A sentence as words, its contractions taken apart, with the names and times in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from ...domain.temporal.text import TimeMention
from ...domain.text import normalize_name
from .. import vocabulary as words
from ..names import NAME_SHAPES, run_end
from ..reading import Reading, Sentence, Token
from ..shapes import Shape
from . import lexicon as lex

_IRREGULAR = {"won't": "will", "can't": "can", "shan't": "shall", "won’t": "will", "can’t": "can"}
_SUFFIXES = {"m": "am", "re": "are", "ve": "have", "ll": "will", "d": "would", "s": "'s"}
_KNOWN_NAMES = words.GIVEN_NAMES | words.PLACES | words.PRODUCTS
_AHEAD = 8
_LONGEST = 8  # words of a name that is looked for among the entities
_NUMERALS = frozenset("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi".split())
_NO_NAMES = lex.PHRASE_STOPS | lex.DOUBT | lex.OPENERS | words.NOT_NAMES | words.CALENDAR


_CACHED = 64  # characters of a name that is worth remembering
_remembered = lru_cache(maxsize=1 << 13)(normalize_name)


def _key(name: str) -> str:
    return _remembered(name) if len(name) <= _CACHED else normalize_name(name)


@dataclass(slots=True)
class Context:
    """What holds for a whole text: what is in it, and who tells it."""

    reading: Reading
    entities: Mapping[str, str]  # type by key
    speaker: str | None = None
    title: str = ""  # a name known beforehand, of whatever words it is made

    user: str = "user"  # who "the user" is

    @property
    def teller(self) -> str:
        """Who "I" is."""
        return self.speaker or self.user


@dataclass(slots=True)
class Line:
    """The words of one sentence: ``low`` as they read, ``start`` and ``end`` where they are in the text.

    Behind the last word come empty ones, so that looking a few ahead needs no check.
    """

    context: Context
    sentence: Sentence
    low: list[str] = field(default_factory=list)
    start: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    time_at: dict[int, TimeMention] = field(default_factory=dict)  # by the word it begins at
    _tokens: list[Token | None] = field(default_factory=list)
    _word_of: list[int] = field(default_factory=list)  # a token's first word
    _token_of: list[int] = field(default_factory=list)
    _names: dict[int, tuple[int, str | None]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.low) - _AHEAD

    @classmethod
    def of(cls, context: Context, sentence: Sentence, times: Sequence[TimeMention]) -> Line:
        """Take a sentence apart. ``times`` are those mentioned in it."""
        line = cls(context, sentence)
        text = context.reading.text
        for number, token in enumerate(sentence.tokens):
            line._word_of.append(len(line.low))
            low, start, end = token.lower, token.start, token.end
            if low.endswith(("n't", "n’t")) and len(low) > 4:
                line._add(_IRREGULAR.get(low, low[:-3]), start, end - 3, None, number)
                line._add("not", end - 3, end, None, number)
            elif low == "cannot":
                line._add("can", start, start + 3, None, number)
                line._add("not", start + 3, end, None, number)
            else:
                line._add(low, start, end, token, number)
                if not token.whole and text[end : end + 1] in ("'", "’"):
                    short = text[end + 1 : end + 3].lower()
                    short = short if short in _SUFFIXES else short[:1]
                    if short in _SUFFIXES:
                        line._add(_SUFFIXES[short], end, end + 1 + len(short), None, number)
        for _ in range(_AHEAD):
            line._add("", sentence.end, sentence.end, None, len(sentence.tokens))
        if times:
            places = {start: at for at, start in enumerate(line.start)}
            line.time_at.update((places[time.start], time) for time in times if time.start in places)
        return line

    def _add(self, low: str, start: int, end: int, token: Token | None, number: int) -> None:
        self.low.append(low)
        self.start.append(start)
        self.end.append(end)
        self._tokens.append(token)
        self._token_of.append(number)

    def text(self, start: int, end: int) -> str:
        """Return the text of words ``start`` … ``end``, on one line."""
        return " ".join(self.context.reading.text[self.start[start] : self.end[end - 1]].split())

    def token_shape(self, at: int) -> Shape | None:
        """Return the shape of the token that a word is, or nothing for a part of one."""
        token = self._tokens[at]
        return token.shape if token else None

    def spaced(self, at: int) -> bool:
        """Say whether white space stands before a word."""
        return self.start[at] > self.end[at - 1]

    def after_time(self, at: int) -> int:
        """Return the word after the time mentioned at a word, or the word itself."""
        time = self.time_at.get(at)
        if time is not None:
            while at < len(self) and self.start[at] < time.end:
                at += 1
        return at

    def guess(self, at: int) -> str:
        """Return the type of the name at a word that is no known entity."""
        low = self.low[at]
        return "person" if low in words.GIVEN_NAMES or low in words.TITLES else "thing"

    def name_end(self, at: int) -> tuple[int, str | None]:
        """Return where the name that begins at a word ends (there, if none does), and its key if it is an entity."""
        found = self._names.get(at)
        if found is None:
            found = self._names[at] = self._name(at)
        return found

    def _name(self, at: int) -> tuple[int, str | None]:
        token = self._tokens[at]
        if token is None:
            return at, None
        entities, text = self.context.entities, self.context.reading.text
        title = self.context.title
        if title and text.startswith(title, token.start) and not text[token.start + len(title) :][:1].isalnum():
            return self._titled(at, token.start + len(title), _key(title))
        if token.shape is Shape.IDENTIFIER:
            key = _key(token.text.removeprefix("@"))
            return at + 1, key if key in entities else None
        if token.shape not in NAME_SHAPES or token.lower in ("i", "a") or token.lower in lex.ROLE_TITLES:
            return at, None
        tokens, number = self.sentence.tokens, self._token_of[at]
        end = run_end(text, tokens, number)
        if end == number + 1 and token.lower in lex.ATTRIBUTES and token.shape is Shape.UPPER:
            return at, None  # the TTL, the URL
        while end - number > 1 and tokens[end - 1].lower in words.CALENDAR:
            end -= 1
        for last in range(min(end, number + _LONGEST), number, -1):
            key = _key(text[token.start : tokens[last - 1].end])
            if key in entities:
                if last < end and tokens[last].lower in _NUMERALS and self._numbered(last):  # Napoleon I
                    return self._word_of[last] + 1, key
                return self._word_of[last - 1] + 1, key
            if tokens[last - 1].lower not in _NO_NAMES and tokens[last - 1].lower not in _NUMERALS:
                break
        if token.lower in words.TITLES and end - number > 1:
            bare = number + 1 + (tokens[number + 1].text == ".")
            if bare < end:
                key = _key(text[tokens[bare].start : tokens[end - 1].end])
                return self._word_of[end - 1] + 1, key if key in entities else None
        if not self._namelike(token, end - number > 1):
            return at, None
        return self._word_of[end - 1] + 1, None

    def _numbered(self, token: int) -> bool:
        """Say whether a token such as "I" is the numeral of a name: nothing follows that "I" would do."""
        tokens = self.sentence.tokens
        if tokens[token].lower != "i":
            return True
        return (
            token + 1 >= len(tokens)
            or tokens[token + 1].shape is Shape.MARK
            or tokens[token + 1].lower in ("of", "and")
        )

    def _titled(self, at: int, end: int, key: str) -> tuple[int, str | None]:
        while at < len(self) and self.start[at] < end:
            at += 1
        return at, key if key in self.context.entities else None

    def _namelike(self, token: Token, more: bool) -> bool:
        lower = token.lower
        if lower in _NO_NAMES or len(token.text) < 2 or self.sentence.loud:
            return False
        if token.shape is Shape.UPPER:
            return lower not in lex.ROLE_NOUNS and lower not in lex.ATTRIBUTES
        return lower in _KNOWN_NAMES or (more and not token.opens) or not words.is_common(lower)
