# SPDX-License-Identifier: Apache-2.0
"""Verb groups: the auxiliaries, adverbs and negation around the verb that states something."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...domain.causal.verbs import GERUND, PARTICIPLE, PAST, PRESENT
from . import lexicon as lex
from .line import Line
from .patterns import LEMMAS

_PRESENT_BE = frozenset(("is", "are", "am"))
_PAST_BE = frozenset(("was", "were"))
_HAVE = frozenset(("has", "have"))
_CEASED = frozenset(("stopped", "quit", "ceased", "stop"))
_BEGUN = frozenset(("started", "began", "begun"))
VERB_STARTS = frozenset(
    (
        *LEMMAS,
        *_PRESENT_BE,
        *_PAST_BE,
        *_HAVE,
        *lex.ADVERBS,
        *_CEASED,
        *_BEGUN,
        *("'s", "had", "do", "does", "did", "used", "no", "not", "never", "own"),
    )
) - {"first", "best", "only", "all", "both"}
"""Words with which a verb group may begin."""


class Verb(NamedTuple):
    """A verb group, and the word ``at`` which what it takes begins.

    ``voice``: active, passive, be (of a predicate noun or adjective) or have. ``ended`` says that it was so and is no
    more ("no longer", "used to", "stopped"); ``begins`` that it began ("started using").
    """

    lemma: str
    voice: str
    tense: str  # present, past or perfect
    at: int
    progressive: bool = False
    negated: bool = False
    ended: bool = False
    begins: bool = False


class _Adverbs(NamedTuple):
    at: int
    negated: bool
    ended: bool


def _adverbs(line: Line, at: int) -> _Adverbs:
    negated = ended = False
    while True:
        low = line.low[at]
        if low == "no" and line.low[at + 1] == "longer":
            negated = ended = True
            at += 2
        elif (low == "not" and line.low[at + 1] not in ("only", "just")) or low == "never":
            negated = True
            at += 1
        elif low in lex.FORMER and low != "once":
            ended = True
            at += 1
        elif low in lex.ADVERBS:
            at += 1
        else:
            return _Adverbs(at, negated, ended)


def verb_groups(line: Line, at: int, number: str) -> Iterator[Verb]:
    """Yield the ways to read the verb group that begins at a word, likeliest first.

    ``number`` is what the subject asks for: "base" (I live), "third" (Ana lives) or "either".
    """
    before = _adverbs(line, at)
    low = line.low[before.at]
    if low in _PRESENT_BE or low in _PAST_BE or low == "'s":
        if before.negated and not before.ended:
            return
        yield from _after_be(line, before, "present" if low not in _PAST_BE else "past", low == "'s")
    elif low in _HAVE or low == "had":
        yield from _after_have(line, before, low)
    elif low in ("do", "does", "did"):
        after = _adverbs(line, before.at + 1)
        if after.negated and (form := LEMMAS.get(line.low[after.at])) and form[0] == line.low[after.at]:
            tense = "past" if low == "did" else "present"
            yield Verb(form[0], "active", tense, after.at + 1, negated=True)
    elif low == "used" and line.low[before.at + 1] == "to":
        yield from _used_to(line, before.at + 2)
    elif (low in _CEASED or low in _BEGUN) and (form := LEMMAS.get(line.low[before.at + 1])) and form[1] == GERUND:
        stopped = low in _CEASED
        yield Verb(form[0], "active", "past", before.at + 2, ended=stopped, begins=not stopped)
    elif form := LEMMAS.get(low):
        lemma, kind = form
        past = kind == PAST or (kind == PARTICIPLE and lemma in ("come", "become") and low != lemma)
        agrees = (low == lemma and number != "third") or (kind == PRESENT and number != "base")
        if not (past or agrees) or (before.negated and not before.ended):
            return
        tense = "past" if past and not (low == lemma and number == "base") else "present"
        yield Verb(lemma, "active", tense, before.at + 1, negated=before.negated, ended=before.ended)


def _used_to(line: Line, at: int) -> Iterator[Verb]:
    low = line.low[at]
    if low == "be":
        form = LEMMAS.get(line.low[at + 1])
        if form and form[1] in (PAST, PARTICIPLE):
            yield Verb(form[0], "passive", "past", at + 2, ended=True)
        yield Verb("be", "be", "past", at + 1, ended=True)
    elif low == "have":
        yield Verb("have", "have", "past", at + 1, ended=True)
    elif (form := LEMMAS.get(low)) and (form[0] == low):
        yield Verb(form[0], "active", "past", at + 1, ended=True)


def _after_be(line: Line, before: _Adverbs, tense: str, short: bool) -> Iterator[Verb]:
    after = _adverbs(line, before.at + 1)
    negated, ended = before.negated or after.negated, before.ended or after.ended
    if negated and not ended and not _no_more(line, after.at):
        return
    low = line.low[after.at]
    if low == "being":
        return
    form = LEMMAS.get(low)
    if form:
        if form[1] == GERUND:
            yield Verb(form[0], "active", tense, after.at + 1, True, negated, ended)
            return
        if form[1] in (PAST, PARTICIPLE):
            yield Verb(form[0], "passive", tense, after.at + 1, False, negated, ended)
            if short:  # "she's moved"
                yield Verb(form[0], "active", "perfect", after.at + 1, False, negated, ended)
    yield Verb("be", "be", tense, after.at, False, negated, ended)


def _after_have(line: Line, before: _Adverbs, low: str) -> Iterator[Verb]:
    after = _adverbs(line, before.at + 1)
    ended = before.ended or after.ended or low == "had"
    if (before.negated or after.negated) and not (before.ended or after.ended):
        return
    tense = "past" if low == "had" else "perfect"
    if line.low[after.at] == "been":
        inner = _adverbs(line, after.at + 1)
        form = LEMMAS.get(line.low[inner.at])
        if form and form[1] == GERUND:
            yield Verb(form[0], "active", tense, inner.at + 1, True, False, ended)
        elif form and form[1] in (PAST, PARTICIPLE):
            yield Verb(form[0], "passive", tense, inner.at + 1, False, False, ended)
        yield Verb("be", "be", tense, inner.at, False, False, ended)
        return
    form = LEMMAS.get(line.low[after.at])
    if form and (form[1] in (PAST, PARTICIPLE) or form[0] in ("come", "become", "run")):
        yield Verb(form[0], "active", tense, after.at + 1, False, False, ended)
    yield Verb("have", "have", "past" if low == "had" else "present", before.at + 1, ended=ended)


def _no_more(line: Line, at: int) -> bool:
    """Say whether "not" is followed by "any more" before the sentence ends: then it was so once."""
    return no_more_at(line, at) >= 0


def no_more_at(line: Line, at: int) -> int:
    """Return where "anymore", "any more" or "any longer" begins in the next words, or -1."""
    for place in range(at, min(len(line), at + 10)):
        low = line.low[place]
        if low == "anymore" or (low == "any" and line.low[place + 1] in ("more", "longer")):
            return place
        if low in (",", ";", "but"):
            break
    return -1
