# SPDX-License-Identifier: Apache-2.0
"""Where the clause or noun phrase beside a connective begins and ends.

All stretches are half-open ranges of word positions. Every walk is bounded by ``REACH`` words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from becausal.domain import causal_lexicon as lex
from becausal.domain.causal_tokens import Sentence, has_finite, is_finite, is_word, surely_finite
from becausal.domain.causal_verbs import BASE, GERUND, PAST, VERB_FORMS

REACH: Final = 60
Range = tuple[int, int]

HARD: Final = frozenset("; : — – - -- --- … ? ! | -> => → ⇒ ⟶ --> ==> •".split())
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")
_AFTER_COMMA: Final = frozenset(
    "which who whom whose where while whereas although though but so yet however because according because unless "
    "prior therefore thus hence thereby nor until if since despite given rather even".split()
)
_FRONTS: Final = lex.PREPOSITIONS | lex.SUBORDINATORS | frozenset(
    "as due because since during once given while when although based shortly immediately soon one".split()
)


def left_clause(sentence: Sentence, stop: int, floor: int, *, subject: bool) -> Range:
    """The clause that ends before ``stop``, or with ``subject`` the noun phrase that is its verb's subject."""
    words = sentence.words
    low = max(floor, stop - REACH)
    low = max([low, *(at + 1 for at in range(low, stop) if words[at] in HARD)])
    low = strip_front(sentence, low, stop)[0]
    start = low
    depth = 0
    at = stop - 1
    while at >= low:
        word = words[at]
        if word in _CLOSE:
            depth += 1
        elif word in _OPEN:
            if depth == 0:
                start = at + 1
                break
            depth -= 1
        elif depth:
            pass
        elif word in HARD:
            start = at + 1
            break
        elif word == "that" and at > low and words[at - 1] in lex.REPORTING:
            start = at + 1
            break
        elif word in lex.SAYING and at + 2 < stop and _starts_noun(words, at + 1) and at > low:
            start = at + 1
            break
        elif word in lex.SUBORDINATORS and _opens_clause(words, at, low, stop, subject):
            start = _past_front(words, at, stop)
            break
        elif word in lex.COORDINATORS and at < stop - 1 and _joins_clauses(words, at, low, stop, subject):
            start = at + 1
            break
        at -= 1
    return strip_front(sentence, start, stop)


def _starts_noun(words: Sequence[str], at: int) -> bool:
    return at < len(words) and (words[at] in lex.DETERMINERS or words[at] in lex.SUBJECT_PRONOUNS)


def _opens_clause(words: Sequence[str], at: int, low: int, stop: int, subject: bool) -> bool:
    """Whether a subordinator at ``at`` really begins the clause that ends at ``stop``."""
    word = words[at]
    if word in ("after", "before", "until", "since", "once"):
        if not has_finite(words, at + 1, stop):
            return subject and has_finite(words, max(low, at - 15), at)
    if word in ("whether", "because"):
        return True
    if subject:
        return True
    return "," in words[at:stop] and not has_finite(words, max(low, at - 15), at)


def _past_front(words: Sequence[str], at: int, stop: int) -> int:
    """Skip a fronted clause "when X failed," that starts at ``at``; its own start if no comma ends it."""
    comma = _front_comma(words, at, stop, clause=True)
    return at + 1 if comma is None else comma + 1


def _front_comma(words: Sequence[str], start: int, stop: int, *, clause: bool) -> int | None:
    """The comma that ends a fronted phrase or clause: the first one that a new subject follows."""
    seen_finite = not clause
    depth = 0
    for at in range(start + 1, stop - 1):
        if not seen_finite and is_finite(words, at):
            seen_finite = True
        depth += (words[at] in _OPEN) - (words[at] in _CLOSE)
        if words[at] != "," or depth > 0:
            continue
        after = words[at + 1]
        if not seen_finite and not (at - start < 5 and _starts_noun(words, at + 1)):
            continue
        if after in lex.COORDINATORS or after in lex.RELATIVES or after in ("including", "such"):
            continue
        later = next((j for j in range(at + 1, stop) if words[j] == ","), None)
        if later is None or _starts_noun(words, at + 1) or has_finite(words, at + 2, later):
            return at
    return None


def _joins_clauses(words: Sequence[str], at: int, low: int, stop: int, subject: bool) -> bool:
    """Whether a coordinator stands between two clauses, the second of which ends at ``stop``."""
    word = words[at]
    if word in ("so", "yet", "nor") or (word == "but" and subject):
        return word != "so" or words[at - 1] in (",", ";")
    left = has_finite(words, _boundary_before(words, at, low), at)
    if subject:
        return left and words[at + 1][0].isalpha()
    return left and not is_finite_verb_next(words, at + 1) and has_finite(words, at + 2, stop)


def _boundary_before(words: Sequence[str], at: int, low: int) -> int:
    """Where the clause that holds ``at`` may begin at the earliest, at most thirty words back."""
    low = max(low, at - 30)
    for j in range(at - 1, low - 1, -1):
        if words[j] in lex.SUBORDINATORS:
            return _past_front(words, j, at)
        if words[j] in HARD or words[j] in ("that", "which", "who"):
            return j + 1
    return low


def is_finite_verb_next(words: Sequence[str], at: int) -> bool:
    """Whether a verb phrase without a subject of its own starts at ``at`` (after adverbs)."""
    while at < len(words) and (lex.is_adverb(words[at])):
        at += 1
    if at >= len(words):
        return False
    if words[at] in lex.AUXILIARIES:
        return True
    known = VERB_FORMS.get(words[at])
    return known is not None and known[1] in (PAST, BASE, "present") and not (
        at + 1 < len(words) and known[1] == BASE and words[at + 1] in lex.AUXILIARIES
    )


def strip_front(sentence: Sentence, start: int, stop: int) -> Range:
    """Drop fronted dates, places and participles ("In March 2020, …", "Driven by demand, …")."""
    words = sentence.words
    for _ in range(3):
        start = skip_openers(words, start, stop)
        if start >= stop:
            break
        word = words[start]
        loose = word in _FRONTS or (word.endswith(("ing", "ed")) and VERB_FORMS.get(word, ("", ""))[1] in (GERUND, PAST))
        if not loose and not _adverbial_front(words, start, stop):
            break
        comma = _front_comma(words, start, stop, clause=word in lex.SUBORDINATORS and has_finite(words, start + 1, stop))
        if comma is None or comma + 1 >= stop:
            break
        if not any(is_word(w) and w not in lex.EMPTY for w in words[comma + 1 : stop]) and words[comma + 1] not in lex.PRONOUNS:
            break
        start = comma + 1
    return start, stop


def _adverbial_front(words: Sequence[str], start: int, stop: int) -> bool:
    """A short opening without a verb, then a comma and a clause: "Ten minutes later, the pump …"."""
    for at in range(start + 1, min(start + 9, stop - 2)):
        if words[at] == ",":
            later = next((j for j in range(at + 1, stop) if words[j] in (",", "and", "or")), stop)
            return _starts_noun(words, at + 1) and has_finite(words, at + 2, later)
        if is_finite(words, at) or not is_word(words[at]):
            return False
    return False


def skip_openers(words: Sequence[str], start: int, stop: int) -> int:
    """Skip marks, conjunctions and sentence adverbs at the front of a stretch."""
    while start < stop:
        word = words[start]
        if not is_word(word) and word not in "([\"“'`$€£@#~" or word in ("#", "'"):
            start += 1
        elif word in lex.OPENERS:
            if word in ("first", "second", "third", "last", "again", "further", "well", "likely", "soon", "now", "later", "instead") and not (
                start + 1 < stop and words[start + 1] == ","
            ):
                break
            if word == "that" and not (start + 1 < stop and _starts_noun(words, start + 1)):
                break
            if word == "which" and stop - start == 1:
                break
            start += 1
        elif words[start : start + 2] in (["in", "turn"], ["in", "fact"], ["of", "course"], ["in", "particular"]):
            start += 2
        else:
            break
    return start


def left_noun_phrase(sentence: Sentence, stop: int, floor: int) -> Range:
    """The noun phrase that ends before ``stop``: what "that caused" or "caused by" hangs on."""
    words = sentence.words
    low = max(floor, stop - 30)
    at = stop - 1
    while at >= low and words[at] in (",",):
        at -= 1
    depth = 0
    while at >= low:
        word = words[at]
        if word in _CLOSE:
            depth += 1
        elif word in _OPEN:
            if depth == 0:
                break
            depth -= 1
        elif depth:
            pass
        elif word in HARD or word in lex.AUXILIARIES or word in lex.SUBORDINATORS or word in lex.RELATIVES:
            break
        elif word in ("but", "so", "to") or (word in lex.SUBJECT_PRONOUNS and word not in lex.DETERMINERS):
            break
        elif word in ("and", "or") and (words[at - 1] == "," or is_finite_verb_next(words, at + 1) or _clause_before(words, at, low)):
            break
        elif at < stop - 1 and is_finite(words, at):
            break
        elif at < stop - 1 and at > low and _verb_form(words, at):
            break
        elif word == "," and not _list_comma(words, at, stop):
            break
        at -= 1
    if at > low and words[at] in ("is", "are", "was", "were") and words[at + 1] in lex.DETERMINERS:
        whole = left_clause(sentence, stop, floor, subject=False)
        if whole[0] < at:
            return whole
    start = skip_openers(words, at + 1, stop)
    while start < stop - 1 and words[start] in lex.PREPOSITIONS and words[start] not in ("over", "under", "about", "up"):
        start += 1
    return start, stop


def _verb_form(words: Sequence[str], at: int) -> bool:
    """A past form or gerund with an object behind it: the noun phrase begins after it."""
    known = VERB_FORMS.get(words[at])
    return known is not None and known[1] in (PAST, GERUND) and _starts_noun(words, at + 1)


def _clause_before(words: Sequence[str], at: int, low: int) -> bool:
    return _starts_noun(words, at + 1) and has_finite(words, max(low, at - 10), at)


def _list_comma(words: Sequence[str], at: int, stop: int) -> bool:
    """Whether the comma at ``at`` separates items of a list that ends before ``stop``."""
    return any(word in ("and", "or") for word in words[at + 1 : min(stop, at + 12)]) and not has_finite(words, at + 1, stop)


def right_stretch(sentence: Sentence, start: int, ceiling: int, *, phrase: bool, clause: bool = False) -> int:
    """Where the side that begins at ``start`` ends.

    With ``phrase`` it is a noun phrase before the sentence's main verb and ends there; with ``clause`` it
    has a verb of its own and does not end before that.
    """
    words = sentence.words
    listed = "following" in words[start : start + 6]
    stop = min(ceiling, start + REACH, len(words))
    look = min(stop + 4, len(words))
    depth = 0
    embedded = 0
    at = start
    while at < stop:
        word = words[at]
        if word in _OPEN:
            depth += 1
        elif word in _CLOSE:
            if depth == 0:
                return at
            depth -= 1
        elif depth:
            pass
        elif word in HARD:
            if not (listed and word == ":"):
                return at
        elif clause and not has_finite(words, start, at):
            pass
        elif word == ",":
            if _comma_ends(words, at, look, start, phrase):
                return at
        elif word in ("but", "so", "yet", "while", "whereas", "although", "though", "because", "unless") and at > start:
            if not (word == "so" and words[at - 1] in lex.AUXILIARIES):
                return at
        elif word in ("and", "or") and at > start:
            if not phrase and _clause_follows(words, at + 1, look):
                return at
            if at + 1 < stop and words[at + 1] in lex.FINITE_AUXILIARIES:
                return at
            if phrase and not embedded and is_finite_verb_next(words, at + 1):
                return at
        elif phrase and at > start:
            if word in lex.RELATIVES or word in lex.SUBORDINATORS or (
                word in lex.SUBJECT_PRONOUNS and word not in lex.DETERMINERS
            ):
                embedded = 1
            elif surely_finite(words, at):
                if not embedded:
                    return _before_adverbs(words, at, start)
                embedded = 0
                while at + 1 < stop and (words[at + 1] in lex.AUXILIARIES or words[at + 1] in lex.MANNER):
                    at += 1
        at += 1
    return stop


def _before_adverbs(words: Sequence[str], at: int, start: int) -> int:
    while at > start + 1 and (lex.is_adverb(words[at - 1])):
        at -= 1
    return at


def _clause_follows(words: Sequence[str], at: int, stop: int) -> bool:
    """A subject and its finite verb, before the next comma."""
    if at >= stop:
        return False
    end = min(stop, at + 10)
    for j in range(at, end):
        if words[j] in (",", "which", "that", "who"):
            end = j
            break
    first = words[at]
    if first in lex.SUBJECT_PRONOUNS or first in lex.DETERMINERS:
        return has_finite(words, at + 1, end)
    return False


def _comma_ends(words: Sequence[str], at: int, stop: int, start: int, phrase: bool) -> bool:
    after = words[at + 1] if at + 1 < stop else ""
    if not after or after in _AFTER_COMMA or after in lex.SAYING:
        return True
    if after.endswith("ing") and "-" not in after and after not in ("including", "during", "nothing", "something", "anything", "everything"):
        listed = words[start].endswith("ing") and _list_comma(words, at, stop)
        return VERB_FORMS.get(after, ("", GERUND))[1] == GERUND and not listed
    later = next((j for j in range(at + 1, min(stop, at + 16)) if words[j] == ","), min(stop, at + 16))
    if after in ("and", "or"):
        return has_finite(words, at + 2, later) or is_finite_verb_next(words, at + 2)
    if any(word in lex.SAYING for word in words[at + 1 : min(stop, at + 6)]):
        return True
    if phrase and is_finite(words, at + 1):
        return True
    return has_finite(words, at + 2, later)


def fronted_split(sentence: Sentence, start: int, ceiling: int, *, clause: bool) -> int | None:
    """The comma between a fronted side that begins at ``start`` and the main clause; ``None`` if there is none."""
    words = sentence.words
    return _front_comma(words, start, min(ceiling, start + REACH, len(words)), clause=clause)
