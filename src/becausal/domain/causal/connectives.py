# SPDX-License-Identifier: Apache-2.0
"""Where the connectives are in a sentence, with what surrounds them: verb group, negation, hedge, relative."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from . import lexicon as lex
from .guards import GUARDS
from .lexicon import word_set
from .nouns import arrow, blame, label, noun
from .patterns import TRIGGERS, Connective, Frame, Pattern
from .places import Place
from .tokens import Sentence
from .verb_groups import ATTRIBUTIVE, VerbGroup, corrected, is_verb_here, verb_group
from .verbs import BASE, GERUND, NOUN_LIKE, PARTICIPLE, PAST, kind_of

MAX_CONNECTIVES: Final = 16  # in one sentence; a real one has one or two
_AVERTING: Final = word_set("avoid avoids avoided avoiding without prevent prevents prevented preventing")
_RELATIVES: Final = ("which", "that", "who")
_SOFTENERS: Final = lex.DEGREES | lex.HEDGES
_TIME_WORDS: Final = lex.MONTHS | word_set(
    "at on around about approximately roughly am pm a.m p.m utc gmt et pt est edt pst pdt cet cest bst ist "
    "local time of us/pacific us/eastern , the th st nd rd"
)
_ONLY: Final = word_set("only just merely solely simply least")


def find_connectives(sentence: Sentence) -> list[Connective]:
    """Every usable connective of ``sentence`` in order, at most ``MAX_CONNECTIVES``; no word serves two."""
    found: list[Connective] = []
    free = 0
    words = sentence.words
    for at, word in enumerate(words):
        if at < free or word not in TRIGGERS:
            continue
        for pattern in TRIGGERS[word]:
            end = _match_tail(words, at + 1, pattern)
            hit = None if end is None else _FRAMES[pattern.frame](sentence, pattern, at, end, free)
            if hit is not None:
                found.append(hit)
                free = hit.end
                break
        if len(found) >= MAX_CONNECTIVES:
            break
    return found


def _match_tail(words: Sequence[str], at: int, pattern: Pattern) -> int | None:
    """Where ``pattern`` ends if one of its tails follows, perhaps after adverbs of degree."""
    if pattern.tails == ((),):
        return at
    if pattern.guard == "began":
        at = _past_time(words, at)
    for start in range(at, min(at + 4, len(words))):
        for tail in pattern.tails:
            if tuple(words[start : start + len(tail)]) == tail:
                return start + len(tail)
        if words[start] not in lex.DEGREES and not words[start].endswith("ly"):
            return None
    return None


def _past_time(words: Sequence[str], at: int) -> int:
    """The first word behind a time: "(began) at about 14:43 UTC on 2 November (with)"; ``at`` if none stands there."""
    past = at
    while past < min(len(words), at + 12) and (words[past][0].isdigit() or words[past] in _TIME_WORDS):
        past += 1
    return past if any(word[0].isdigit() for word in words[at:past]) else at


def _active(sentence: Sentence, pattern: Pattern, at: int, end: int, floor: int) -> Connective | None:
    words = sentence.words
    if end >= len(words):
        return None
    kind = kind_of(words[at])
    group = verb_group(words, at, floor)
    place = Place(words, group.start, at, end, floor, sentence.capitals)
    before = place.before
    past = kind in (PAST, PARTICIPLE)
    if group.infinitive or ((past or kind == BASE) and group.be):
        return None
    if words[end] == "by" and list(words[end + 1 : end + 2]) != ["far"]:
        return None
    if past and (before in lex.PREPOSITIONS or before in ATTRIBUTIVE):
        return None
    if not past and kind != GERUND and not is_verb_here(words, at, group, before, end, floor):
        return None
    if kind == GERUND and not group.be and (before in lex.PREPOSITIONS - {"by"} or before in ATTRIBUTIVE):
        return None
    if (kind == GERUND and before in _AVERTING) or before == "what" or not GUARDS[pattern.guard](place):
        return None
    return Connective(
        pattern=pattern,
        start=group.start,
        head=at,
        end=at if pattern.keep else end,
        negated=group.negated,
        hedged=group.hedged,
        participle=kind == GERUND and not group.be,
        relative=before if before in _RELATIVES else "",
    )


def _passive(sentence: Sentence, pattern: Pattern, at: int, end: int, floor: int) -> Connective | None:
    words = sentence.words
    group = verb_group(words, at, floor)
    kind = kind_of(words[at])
    if group.infinitive or end >= len(words):
        return None
    if group.have and not group.be and words[end - 1] == "by":  # "has caused by far the most"
        return None
    if group.negated and words[end - 1] in ("by", "from") and (instead := corrected(words, end, words[end - 1])):
        group.negated, end = False, instead
    place = Place(words, group.start, at, end, floor)
    from_verb = kind not in (PAST, PARTICIPLE) or pattern.tails[0][0] in ("from", "when", "due")
    ambiguous = from_verb and kind != GERUND and words[at] in NOUN_LIKE
    if ambiguous and not is_verb_here(words, at, group, place.before, end):
        return None
    if not GUARDS[pattern.guard](place):
        return None
    finite = group.be or (from_verb and kind != GERUND)
    return Connective(
        pattern=pattern,
        start=at + 1 if pattern.keep else group.start,
        head=at,
        end=end,
        negated=group.negated,
        hedged=group.hedged,
        reduced=not finite,
        participle=not finite,
        relative=place.before if place.before in _RELATIVES else "",
    )


def _joined(sentence: Sentence, pattern: Pattern, at: int, end: int, floor: int) -> Connective | None:
    """Conjunctions and prepositions: they may have adverbs, a verb "to be" or a negation before them."""
    words = sentence.words
    if end >= len(words) or not GUARDS[pattern.guard](Place(words, at, at, end, floor)):
        return None
    if pattern.bare:
        return Connective(pattern=pattern, start=at, head=at, end=end, reduced=pattern.frame is Frame.PHRASE)
    inner = at
    while inner > floor and (_softens(words, inner - 1) or _is_not(words[inner - 1])):
        inner -= 1
    between = words[inner:at]
    if list(between) == ["just"] and pattern.name == "because" and at == 1:  # "just because … does not mean"
        return None
    group = VerbGroup(start=inner)
    if inner > floor and (words[inner - 1] in lex.AUXILIARIES or words[inner - 1].endswith("n't")):
        group = verb_group(words, inner, floor)
    if group.start > floor and words[group.start - 1] == "than":  # "rather than because"
        return None
    denied = (group.be and group.negated) or any(_is_not(word) for word in between)
    if denied and group.be and pattern.frame is Frame.PHRASE:  # "was not due to A but to B"
        instead = corrected(words, end, words[end - 1])
        denied, end = instead is None, instead or end
    return Connective(
        pattern=pattern,
        start=group.start if group.be else inner,
        head=at,
        end=end,
        negated=denied and not any(word in _ONLY for word in words[group.start : at]),
        hedged=group.hedged or any(word in lex.HEDGES for word in between),
        reduced=not group.be,
    )


def _softens(words: Sequence[str], at: int) -> bool:
    """Whether a word is one of degree or doubt; "in" only is in "in part", and not in "came in"."""
    return words[at] in _SOFTENERS and (words[at] != "in" or words[at + 1] == "part")


def _is_not(word: str) -> bool:
    return word in ("not", "n't")


def _adverb(sentence: Sentence, pattern: Pattern, at: int, end: int, floor: int) -> Connective | None:
    words = sentence.words
    if end >= len(words) or not GUARDS[pattern.guard](Place(words, at, at, end, floor)):
        return None
    if pattern.name == "is why":
        return _why(words, pattern, at, end)
    if pattern.name != "so … that":
        return Connective(pattern=pattern, start=at, head=at, end=end)
    reach = 9 if words[at] == "such" or words[end] in ("many", "much", "few", "little") else 5
    for stop in range(at + 2, min(at + reach, len(words) - 1)):
        if words[stop] == "that":
            return Connective(pattern=pattern, start=stop, head=stop, end=stop + 1)
    return None


def _why(words: Sequence[str], pattern: Pattern, at: int, end: int) -> Connective | None:
    """ "X is why", "which is exactly why", "that's the reason why"."""
    start = at - 1
    while start > 0 and (words[start] in lex.MANNER or words[start] in ("reason", "the", "part", "of", "exactly")):
        start -= 1
    if start < 0:
        return None
    if words[start] in ("that's", "it's", "this's"):
        return Connective(pattern=pattern, start=start, head=at, end=end, relative="that")
    if words[start] not in lex.BE:
        return None
    before = words[start - 1] if start else ""
    return Connective(
        pattern=pattern,
        start=start,
        head=at,
        end=end,
        relative=before if before in ("which", "that", "this", "it") else "",
        negated=any(_is_not(word) for word in words[start:at]) or words[start].endswith("n't"),
    )


_Finder = Callable[[Sentence, Pattern, int, int, int], Connective | None]
_FRAMES: Final[dict[Frame, _Finder]] = {
    Frame.ACTIVE: _active,
    Frame.PASSIVE: _passive,
    Frame.CLAUSE: _joined,
    Frame.PHRASE: _joined,
    Frame.ADVERB: _adverb,
    Frame.CAUSE_NOUN: noun,
    Frame.RESULT_NOUN: noun,
    Frame.BLAME: blame,
    Frame.CREDIT: blame,
    Frame.LABEL: label,
    Frame.ARROW: arrow,
}
