# SPDX-License-Identifier: Apache-2.0
"""Sentences and their words, as reading cause and effect sees them. Every scan is linear in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from . import lexicon as lex
from .lexicon import word_set
from .verbs import BASE, NOUN_LIKE, PAST, PRESENT, VERB_FORMS

MAX_SENTENCE: Final = 1500  # characters; longer stretches are cut at white space
_TOKEN: Final = re.compile(
    r"n['’]t\b|['’] ?(?:s|re|ve|ll|d|m)\b|https?://[^\s)\]>]*[^\s)\]>.,;:!?'\"]|\w+(?:[.:/@’'_-]\w+|,\d+)*%?|[-=]+>|--+|\.\.+|[^\w\s]"
)
_BREAK: Final = re.compile(
    r"(?P<end>(?<![.!?…])[.!?…]++[\"'”’)\]*_]*+)(?=\s)|(?P<wide>[。！？])"
    r"|(?P<line>\n[ \t]*+(?=\n|[-*•+|>#][ \t]|\d{1,3}[.)][ \t]|[#|])\s*+)|(?P<wrap>\n)"
)
_ABBREVIATIONS: Final = word_set(
    "mr mrs ms dr prof st vs etc e.g i.e cf fig no inc ltd co corp gen sen rep gov capt lt col jr sr approx est "
    "dept al u.s u.k a.m p.m jan feb mar apr jun jul aug sep sept oct nov dec"
)
_LABEL_LINE: Final = re.compile(r"[*_#>\s]{0,8}\w[\w /-]{0,40}[*_]{0,3}:")
_LINKING_VERBS: Final = lex.word_set("stay remain seem appear look turn prove")
_AFTER_PRESENT: Final = lex.word_set("to as out down away")  # "runs out", "counts as": not a plural noun
_ATTRIBUTIVE: Final = lex.DETERMINERS - lex.SUBJECT_PRONOUNS
_ABSTRACT: Final = ("ity", "tion", "sion", "ment", "ness", "ance", "ence")
_MONTH: Final = re.compile(r"(?:" + "|".join(sorted(lex.MONTH_NAMES)) + r")\b", re.IGNORECASE)
_HEADING: Final = re.compile(r"[ \t]{0,8}#{1,6}[ \t]")


def split_sentences(text: str) -> Iterator[tuple[int, int]]:
    """Spans of the sentences of ``text``: ends of sentence, blank lines, list items, headings, labelled lines.

    A line break alone does not end a sentence, since prose may be wrapped. No span is longer than
    ``MAX_SENTENCE`` characters.
    """
    start = 0
    for match in _BREAK.finditer(text):
        if match.group("end") is not None:
            if not _ends_sentence(text, match.start("end"), match.end()):
                continue
            end = match.end()
        elif match.group("wide") is not None:
            end = match.end()
        else:
            if match.group("wrap") is not None and not _LABEL_LINE.match(text, match.end()):
                line_start = max(text.rfind("\n", start, match.start()) + 1, start)
                if not _HEADING.match(text, line_start):
                    continue
            end = match.start()
        yield from bounded(text, start, end)
        start = match.end()
    yield from bounded(text, start, len(text))


def _ends_sentence(text: str, at: int, end: int) -> bool:
    after = end
    limit = min(len(text), end + 40)
    while after < limit and text[after].isspace():
        after += 1
    if after < len(text) and text[after].islower():
        return False
    if text[at] != "." or end - at > 1:
        return True
    word_start = at
    while word_start > 0 and at - word_start < 12 and not text[word_start - 1].isspace():
        word_start -= 1
    word = text[word_start:at].lstrip("(\"'“[").lower()
    if word.isdigit() and len(word) < 3 and _MONTH.match(text, after):
        return False  # "5. January"
    return word not in _ABBREVIATIONS and not (len(word) == 1 and word.isalpha() and word != "i")


def bounded(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """``start`` … ``end`` without white space around it, cut into spans no longer than ``MAX_SENTENCE``."""
    while end - start > MAX_SENTENCE:
        cut = text.rfind(" ", start + MAX_SENTENCE // 2, start + MAX_SENTENCE)
        cut = cut if cut > 0 else start + MAX_SENTENCE
        yield start, cut
        start = cut
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if end > start:
        yield start, end


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence: its span in the text and its words, in lower case, with their spans.

    ``gaps`` are the spans of words that are left out, which no clause shows.
    """

    start: int
    end: int
    words: Sequence[str]
    starts: Sequence[int]
    ends: Sequence[int]
    capitals: Sequence[bool]
    gaps: Sequence[tuple[int, int]] = ()

    def __len__(self) -> int:
        return len(self.words)

    def until(self, stop: int) -> Sentence:
        """The same sentence without its words from ``stop`` on."""
        return replace(
            self,
            end=self.ends[stop - 1],
            words=self.words[:stop],
            starts=self.starts[:stop],
            ends=self.ends[:stop],
            capitals=self.capitals[:stop],
        )

    def without(self, ranges: Sequence[tuple[int, int]]) -> Sentence:
        """The same sentence without the words of some ranges."""
        kept = [at for at in range(len(self)) if not any(start <= at < stop for start, stop in ranges)]
        return replace(
            self,
            words=[self.words[at] for at in kept],
            starts=[self.starts[at] for at in kept],
            ends=[self.ends[at] for at in kept],
            capitals=[self.capitals[at] for at in kept],
            gaps=[*self.gaps, *((self.starts[start], self.ends[stop - 1]) for start, stop in ranges)],
        )


def read_sentence(text: str, start: int, end: int) -> Sentence:
    """Cut ``text[start:end]`` into words; contractions written apart (``did n't``) are kept as they are."""
    found = list(_TOKEN.finditer(text, start, end))
    raw = [match.group() for match in found]
    words = [word.lower() for word in raw]
    if "'" in text or "’" in text:
        words = [word.replace("’", "'").replace("' ", "'") for word in words]
    return Sentence(
        start=start,
        end=end,
        words=words,
        starts=[match.start() for match in found],
        ends=[match.end() for match in found],
        capitals=[word[0].isupper() for word in raw],
    )


def is_word(word: str) -> bool:
    """Whether a token is a word or a number, not a mark."""
    return word[0].isalnum() or word[0] == "'"


def is_finite(words: Sequence[str], at: int) -> bool:
    """Whether the word at ``at`` is (most likely) the finite verb of a clause, judged by its neighbours."""
    word = words[at]
    before = words[at - 1] if at else ""
    if word == "am":
        return before == "i"
    if word == "'s":
        return before in lex.SUBJECT_PRONOUNS or before in ("what", "here", "which")
    if word in lex.FINITE_AUXILIARIES or word.endswith(("n't", "'re", "'ve", "'ll", "'m")):
        return True
    after = words[at + 1] if at + 1 < len(words) else ""
    if word.endswith("'s"):
        return word[:-2] in lex.SUBJECT_PRONOUNS or word[:-2] in ("what", "here")
    known = VERB_FORMS.get(word)
    if known is None:
        if len(word) > 4 and word.endswith("ed") and word.isalpha():
            known = (word, PAST)
        else:
            return False
    after_adverb = lex.is_adverb(before)
    if after_adverb:
        before = words[at - 2] if at > 1 else ""
    if not before or before in _ATTRIBUTIVE or before in lex.PREPOSITIONS:
        return False
    subject = before in lex.SUBJECT_PRONOUNS or before in lex.RELATIVES
    kind = known[1]
    if before == "," and kind == PAST and after in _ATTRIBUTIVE:
        return True
    if before in lex.AUXILIARIES or before in lex.COORDINATORS or before in lex.SUBORDINATORS or not is_word(before):
        return False
    if kind == PRESENT:
        if at > 1 and words[at - 2] == "to" and VERB_FORMS.get(before, ("", ""))[1] == BASE:
            return False  # "to ship logs to the archive"
        verbal = subject or word not in NOUN_LIKE or after in lex.DETERMINERS or after in lex.PRONOUNS
        return verbal or after in _AFTER_PRESENT
    if kind == PAST:
        plural = before.endswith("s") and not before.endswith(("ss", "us", "is", "'s"))
        # "instability saturated capacity", "users experienced long delays"
        predicate = after_adverb or subject or plural or before.endswith(_ABSTRACT) or word in lex.UNDERGOING
        linking = predicate or known[0] in _LINKING_VERBS or _follows_verb(after) or after.endswith("s")
        attributive = word.endswith("ed") and not linking
        return after != "by" and not before.endswith("ed") and not attributive
    if kind == BASE:
        plural = before.endswith("s") and not before.endswith("ss") and word not in NOUN_LIKE
        return plural or before in ("i", "we", "you", "they", "who", "that", "which")
    return False


def has_finite(words: Sequence[str], start: int, end: int) -> bool:
    """Whether ``words[start:end]`` holds a finite verb."""
    return any(is_finite(words, at) for at in range(start, end))


def surely_finite(words: Sequence[str], at: int) -> bool:
    """As :func:`is_finite`, but a past form must be followed by what can follow a verb, not by a noun."""
    if not is_finite(words, at):
        return False
    word = words[at]
    if word in lex.AUXILIARIES or VERB_FORMS.get(word, ("", PAST))[1] != PAST:
        return True
    return _follows_verb(words[at + 1] if at + 1 < len(words) else "")


def _follows_verb(after: str) -> bool:
    """Whether a word (or the end) is what may follow a past form but not a participle before its noun."""
    return (
        not after
        or not is_word(after)
        or after[0].isdigit()
        or after.endswith("ly")
        or after in lex.DETERMINERS
        or after in lex.PRONOUNS
        or after in lex.PREPOSITIONS
        or after in lex.COORDINATORS
        or after in lex.SUBORDINATORS
        or after in lex.MANNER
        or after in ("due", "owing", "thanks")
    )
