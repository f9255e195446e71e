# SPDX-License-Identifier: Apache-2.0
"""The words and phrases of a text that it could be found by, with how much they say."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from ..domain.causal.verbs import BASE, GERUND, NOUN_LIKE, PRESENT, VERB_FORMS
from ..domain.text import is_stop_word, normalize_name
from . import vocabulary as words
from .reading import Reading, Token
from .shapes import Shape

MAX_NAME = 64
MAX_WEAK = 10
WORD_SHAPES = (Shape.LOWER, Shape.CAPITAL, Shape.UPPER, Shape.IDENTIFIER)
_LONGEST_PHRASE = 3  # words
_PROGRESSIVE = frozenset(("be", "am", "is", "are", "was", "were", "been", "keep", "kept", "start", "started"))
_NONE = ("", "")
_KANA = re.compile("[\u3041-\u309f\u30a1-\u30fa\u30fc]")
_JAPANESE = re.compile("[\u3005\u3400-\u4dbf\u4e00-\u9fff]{2,8}|[\u30a1-\u30fa\u30fc]{2,12}")
_CHINESE = re.compile(
    "[^的了在是和与及或不也就都而但被把让对从到我你您他她它们这那个有没会能可要为以于之其很太吗呢吧啊去来说着过]{2,8}"
)


@dataclass(slots=True)
class Terms:
    """What a text could be found by, in the order first met.

    ``words`` (nouns in the singular), ``phrases`` and ``runs`` (pieces of scripts without spaces) with how often
    they occur; ``weak`` are verbs and other words that serve where there is nothing better.
    """

    words: dict[str, int] = field(default_factory=dict)
    phrases: dict[tuple[str, ...], int] = field(default_factory=dict)
    runs: dict[str, int] = field(default_factory=dict)
    weak: dict[str, None] = field(default_factory=dict)


def find_terms(reading: Reading) -> Terms:
    """Collect words and phrases: a phrase is a run of naming words with nothing but spaces between them."""
    found = Terms()
    for sentence in reading.sentences:
        if sentence.start < reading.body:
            continue
        run: list[tuple[str, str]] = []  # words as they stand, and in the singular
        end = -1
        before = ""
        for token in sentence.tokens:
            if token.shape is Shape.RUN:
                for piece in _pieces(token.text):
                    found.runs[piece] = found.runs.get(piece, 0) + 1
            strength = _strength(token)
            gerund = strength == 2 and token.lower.endswith("ing")
            after_plural = bool(run) and run[-1][0][-1] == "s"
            if (gerund and before in _PROGRESSIVE) or (after_plural and VERB_FORMS.get(token.lower, _NONE)[1] == BASE):
                strength = min(strength, 1)  # is searching, buckets hold
            before = token.lower if token.whole else "be"
            if run and (strength < 2 or token.start > end + 1 or (gerund and after_plural)):
                _add_run(found, run)
                run = []
            if strength == 2:
                lower = token.lower
                run.append((lower, words.singular(lower) if token.shape is Shape.LOWER or token.opens else lower))
                end = token.end if token.whole else -1  # a possessive ends a phrase
            elif strength == 1 and len(found.weak) < MAX_WEAK:
                found.weak.setdefault(normalize_name(token.lower))
        if run:
            _add_run(found, run)
    return found


def key_phrases(found: Terms, covered: set[str], limit: int) -> list[str]:
    """Return the best phrases, normalised: their words recur in the text, they recur themselves, they are long.

    A phrase made of ``covered`` words alone is left out, and so is one that adds less than two words to those
    already chosen.
    """
    scored: list[tuple[float, str]] = []
    for phrase, count in found.phrases.items():
        name = normalize_name(" ".join(phrase))
        if not name or len(name) > MAX_NAME or covered.issuperset(name.split()):
            continue
        recurring = sum(min(found.words.get(words.singular(word), 1), 5) for word in phrase) / len(phrase)
        scored.append((recurring + 0.3 * len(phrase) + 2.0 * (count - 1), name))
    scored.sort(key=lambda item: -item[0])
    chosen: list[str] = []
    used: set[str] = set()
    for _, name in scored:
        parts = set(name.split())
        if len(parts - used) > 1:
            chosen.append(name)
            used |= parts
            if len(chosen) == limit:
                break
    return chosen


def keywords(found: Terms, covered: set[str], taken: set[str]) -> list[str]:
    """Return the words, normalised, the most telling first: frequent, and not among the ordinary words.

    ``covered`` words are left out, ``taken`` ones come last; qualities and the like follow as a reserve.
    """
    counts: dict[str, int] = {}
    for word, count in found.words.items():
        if (name := normalize_name(word)) and name not in covered:
            counts[name] = counts.get(name, 0) + count
    weights: dict[str, float] = {}
    for name, count in counts.items():
        weight = count + (0.6 if name not in words.COMMON else 0.0) - (0.9 if _is_mere_quality(name) else 0.0)
        if weight > 0.5:
            weights[name] = weight
        else:
            found.weak.setdefault(name)
    for run, count in found.runs.items():
        weights[run] = count + 0.1 * len(run)
    return sorted(weights, key=lambda name: (name in taken, -weights[name]))


def _strength(token: Token) -> int:
    """Return 2 for a word that names something, 1 for one that at least says something, else 0."""
    lower = token.lower
    if token.shape not in WORD_SHAPES or not 1 < len(lower) <= MAX_NAME or "/" in lower or "@" in lower:
        return 0
    return 2 if token.shape is Shape.IDENTIFIER else _word_strength(token.text, lower, token.shape is Shape.LOWER)


@lru_cache(maxsize=1 << 13)
def _word_strength(text: str, lower: str, no_name: bool) -> int:
    if is_stop_word(text) or not lower[0].isalpha() or lower.endswith(("n't", "n’t")):
        return 0
    if lower in _SAYS_NOTHING or words.singular(lower) in words.VAGUE or words.is_interjection(lower):
        return 0
    form = VERB_FORMS.get(lower)
    if form is not None:
        base, kind = form
        if base in words.LIGHT_VERBS:
            return 0
        return 2 if kind == GERUND or (kind in (BASE, PRESENT) and lower in NOUN_LIKE) else 1
    if lower in words.VERBS or (lower.endswith("ly") and len(lower) > 4 and lower not in words.NAME_PARTS):
        return 1
    past = lower.endswith("ed") and len(lower) > 4 and no_name
    return 1 if past and lower not in words.NAME_PARTS else 2


_SAYS_NOTHING = words.CALENDAR | words.NOT_NAMES | words.VAGUE | words.ADVERBS


def _add_run(found: Terms, run: list[tuple[str, str]]) -> None:
    """Count the words of a run and the phrases cut from its end."""
    for _, one in run:
        found.words[one] = found.words.get(one, 0) + 1
    while len(run) > 1:
        last = run[-_LONGEST_PHRASE:]
        phrase = (*(word for word, _ in last[:-1]), last[-1][1])
        found.phrases[phrase] = found.phrases.get(phrase, 0) + 1
        run = run[:-_LONGEST_PHRASE]


def _is_mere_quality(name: str) -> bool:
    return (name in words.ADJECTIVES and name not in words.NOUNS) or (name in VERB_FORMS and name.endswith("ing"))


def _pieces(run: str) -> list[str]:
    """Return what may be words in a run of a script without spaces."""
    if _KANA.search(run):
        return _JAPANESE.findall(run)
    if "\u3400" <= run[0] <= "\u9fff":
        return _CHINESE.findall(run)
    return [run] if 2 <= len(run) <= 12 else []
