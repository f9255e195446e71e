# SPDX-License-Identifier: Apache-2.0
"""Connectives built on nouns and names: "the cause of X was Y", "blamed X on Y", "Root cause: Y", "Y → X"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from . import lexicon as lex
from .guards import GUARDS
from .lexicon import word_set
from .patterns import Connective, Frame, Pattern
from .places import Place
from .tokens import Sentence, has_finite, is_word
from .verb_groups import IDENTIFIED, VerbGroup, corrected, predicate_link, predicate_verb, verb_group

_OF: Final = word_set("of for behind why that to")
_CAUSING: Final = word_set("cause factor reason culprit trigger contributor")
_CAUSED: Final = word_set("of in for behind")
_SUBJECTS: Final = word_set("we they it he she i you")
_ARTICLES: Final = word_set("the its their our one another a this root that")
_LISTING: Final = word_set("included include includes involved")
_NAMED: Final = IDENTIFIED | {"cited", "blamed", "named"}
_DOUBLED: Final = (["caused", "by"], ["due", "to"], ["attributed", "to"], ["triggered", "by"])


def noun(sentence: Sentence, pattern: Pattern, at: int, end: int, floor: int) -> Connective | None:
    """ "X is the cause of Y" and "the cause of Y was X"; result nouns the same way with the ends exchanged."""
    words = sentence.words
    if end >= len(words) or not GUARDS[pattern.guard](Place(words, at, at, end, floor)):
        return None
    link = predicate_link(words, at, floor)
    if link is not None and words[link] == "," and (predicate_verb(words, end) is not None or _goes_on(words, end)):
        link = None
    if link is not None and (words[end] in _OF or (words[end] == "in" and pattern.name == "factor")):
        return _predicate(sentence, pattern, at, link, floor)
    return _subject(sentence, pattern, at, floor)


def _goes_on(words: Sequence[str], at: int) -> bool:
    """Whether a noun phrase that reaches ``at`` is the subject of a clause and no apposition."""
    stop = next((j for j in range(at, min(len(words), at + 9)) if not is_word(words[j])), min(len(words), at + 9))
    return has_finite(words, at + 1, stop)


def _predicate(sentence: Sentence, pattern: Pattern, at: int, link: int, floor: int) -> Connective | None:
    words = sentence.words
    if at + 2 >= len(words) or (pattern.frame is Frame.RESULT_NOUN and words[at + 1] != "of"):
        return None
    if words[link] == "as" and not any(word in _NAMED for word in words[max(0, link - 12) : link]):
        return None
    group = verb_group(words, link + 1, floor) if words[link] in lex.BE else VerbGroup(start=link)
    between = words[link:at]
    return Connective(
        pattern=pattern,
        start=group.start,
        head=at,
        end=at + 2,
        negated=group.negated or "not" in between or "no" in between,
        hedged=group.hedged or any(word in lex.HEDGES for word in between),
        reduced=words[link] == ",",
    )


def _subject(sentence: Sentence, pattern: Pattern, at: int, floor: int) -> Connective | None:
    words = sentence.words
    swapped_ends = pattern.frame is Frame.RESULT_NOUN
    start = at
    while start > floor and at - start < 6 and is_word(words[start - 1]) and words[start - 1] not in lex.AUXILIARIES:
        start -= 1
        if words[start] in lex.DETERMINERS:
            break
    found = predicate_verb(words, at + 1)
    if pattern.name in ("factor", "cause noun") and words[at + 1] in _LISTING:
        found = at + 1, at + 2
    if found is None or (words[start] not in _ARTICLES and words[start : start + 2] != ["contributing", words[at]]):
        return None
    verb, right = found
    if pattern.guard == "core" and not _tells_what(words, verb, right):
        return None
    inner = None
    if verb > at + 1:
        after = words[at + 1]
        clause = after in _SUBJECTS or (pattern.name == "reason" and after in lex.DETERMINERS)
        if (after not in _OF and not clause) or (swapped_ends and after != "of"):
            return None
        inner = (at + 2 if after in _OF else at + 1, verb)
    if list(words[right : right + 2]) in _DOUBLED:
        right += 2
    if right >= len(words) or (words[right] == "to" and not swapped_ends):
        return None
    said = [*words[start:at], *words[verb:right]]
    if words[right - 1] == "not" and (instead := corrected(words, right)):
        said, right = [word for word in said if word != "not"], instead
    return Connective(
        pattern=pattern,
        start=start,
        head=at,
        end=right,
        inner=inner,
        swapped=True,
        negated="not" in said or "n't" in said or any(word.endswith("n't") for word in said),
        hedged=any(word in lex.HEDGES for word in said),
    )


def _tells_what(words: Sequence[str], verb: int, right: int) -> bool:
    """Whether a predicate says what the core issue is, and not what became of it ("was fixed")."""
    if right >= len(words):
        return False
    owned = words[right].endswith("'s") or words[right + 1 : right + 2] == ["'s"]
    said = words[right] in lex.DETERMINERS or owned or not is_word(words[right]) or words[right - 1] == "that"
    return said or words[verb] in _LISTING


def blame(sentence: Sentence, pattern: Pattern, at: int, end: int, floor: int) -> Connective | None:
    """ "They blamed X on Y", "attributed X to Y", "blamed Y for X"."""
    words = sentence.words
    group = verb_group(words, at, floor)
    if group.be or group.infinitive:
        return None
    if pattern.name == "considered":
        return _considered(words, pattern, at, group)
    if pattern.frame is Frame.CREDIT:
        marks: tuple[str, ...] = ("for",)
    else:
        marks = ("on",) if words[at].startswith("blam") else ("on", "to")
    for j in range(at + 2, min(at + 14, len(words) - 1)):
        if words[j] in marks:
            return Connective(
                pattern=pattern,
                start=group.start,
                head=at,
                end=j + 1,
                inner=(at + 1, j),
                negated=group.negated,
                hedged=group.hedged,
            )
        if not is_word(words[j]) or words[j] in lex.RELATIVES:
            return None
    return None


def _considered(words: Sequence[str], pattern: Pattern, at: int, group: VerbGroup) -> Connective | None:
    """ "We consider X the main factor in Y"."""
    for j in range(at + 3, min(at + 30, len(words) - 2)):
        if words[j] in _CAUSING and words[j + 1] in _CAUSED:
            article = next((i for i in range(j - 1, max(at + 1, j - 4), -1) if words[i] in ("the", "a", "an")), None)
            if article is None:
                return None
            inner = article - 2 if words[article - 2 : article] == ["to", "be"] else article
            return Connective(
                pattern=pattern,
                start=group.start,
                head=at,
                end=j + 2,
                inner=(at + 1, inner),
                negated=group.negated,
                hedged=group.hedged,
            )
        if words[j] in ";:?!":
            return None
    return None


def label(sentence: Sentence, pattern: Pattern, at: int, end: int, floor: int) -> Connective | None:
    """ "Root cause: …", also in bold, at the start of a line or after a pause."""
    words = sentence.words
    start = at
    while start > floor and at - start < 4 and (is_word(words[start - 1]) or words[start - 1] in "*_#"):
        start -= 1
    named = any(word in IDENTIFIED or word == "discovered" for word in words[start:at])
    if start > floor and not named and words[start - 1] not in (".", ";", ",", "(", "-", "–", "—", "|", "*", "#"):
        return None
    stop = end
    while stop < len(words) and words[stop] in ("*", "_", "(", ")", "s"):
        stop += 1
    if stop >= len(words) - 1 or words[stop] != ":":
        return None
    return Connective(pattern=pattern, start=start, head=at, end=stop + 1)


def arrow(sentence: Sentence, pattern: Pattern, at: int, end: int, floor: int) -> Connective | None:
    """An arrow with white space around it, in prose and not in code."""
    if at == 0 or end >= len(sentence) or any(word in lex.CODE_MARKS for word in sentence.words):
        return None
    if sentence.ends[at - 1] == sentence.starts[at] or sentence.starts[end] == sentence.ends[at]:
        return None
    return Connective(pattern=pattern, start=at, head=at, end=end)
