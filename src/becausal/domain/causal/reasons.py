# SPDX-License-Identifier: Apache-2.0
"""Whether "since", "as" and "so" give a reason, or tell a time or a manner."""

from __future__ import annotations

from typing import Final

from . import lexicon as lex
from .lexicon import word_set
from .places import OWNED, TIMES, Place, clause_from, is_participle
from .tokens import has_finite, is_word
from .verbs import PAST, PRESENT, VERB_FORMS

_NOT_SO: Final = word_set("far much many called long on forth be as to what - is do")
_HELD: Final = word_set("do think say or why not if even just how believe hope")
_SINCE_TIMES: Final = word_set("then last early late yesterday today noon midnight lunch dawn when")
_WANTED: Final = word_set("no too enough few little hardly")
_COMPARED: Final = word_set(
    "such same so just much soon long far known seen described regarded well act acts acted serve serves served "
    "used work works worked same exactly"
)


def so(place: Place) -> bool:
    words, at, after = place.words, place.head, place.after
    before = words[at - 1] if at else ""
    if after in _NOT_SO:
        return False
    if at == 0:
        return after == "," or clause_from(words, place.end)
    if before in (",", ";", "and", "—", "–", "-", "--"):
        verbs = any(word in VERB_FORMS or word in lex.AUXILIARIES for word in words[place.end + 1 : place.end + 30])
        return verbs or (before == "and" and after == ",")
    subject = after in lex.SUBJECT_PRONOUNS or after in lex.DETERMINERS
    held = before in lex.AUXILIARIES or before in _HELD
    return subject and not held and clause_from(words, place.end) and has_finite(words, 0, at)


def since(place: Place) -> bool:
    """A reason, not a time: a finite clause follows, without a date, a year or a perfect tense around it."""
    words, at, after = place.words, place.head, place.after
    if after[0].isdigit() or after in lex.MONTHS or after in _SINCE_TIMES:
        return False
    if after in lex.DETERMINERS and any(word in TIMES for word in words[place.end + 1 : place.end + 2]):
        return False
    if at and words[at - 1] in ("ever", "long"):
        return False
    stop = place.until_comma(14)
    if not has_finite(words, place.end + 1, stop):
        return False
    for j in range(max(0, at - 12), at):
        perfect = words[j] in ("has", "have", "'ve", "hasn't", "haven't")
        if perfect and not any(word in lex.MODALS for word in words[max(0, j - 2) : j]):
            return False
        best = words[j] in ("first", "last") or (words[j].endswith("est") and len(words[j]) > 5)
        if best or (words[j] == "only" and j and words[j - 1] in lex.DETERMINERS):
            return False
    later = words[stop : stop + 14] if at <= 1 else ()
    return not any(word in ("has", "have", "'ve") for word in later)


def as_reason(place: Place) -> bool:
    """ "As the lease has ended, …", "… as the pump had failed", "… as it had no water": a perfect, a want, or in front
    a state.

    Comparisons ("as soon as", "as the report has shown") are none.
    """
    words, at, after = place.words, place.head, place.after
    before = words[at - 1] if at else ""
    front = at == 0 or before in ("and", "but", ":")
    obliged = "had" in words[place.end : place.end + 3]  # "as it had to carry all traffic"
    if after in lex.PREPOSITIONS or after in ("if", "though") or not is_word(after):
        return False
    if after in lex.SUBJECT_PRONOUNS - lex.DETERMINERS and not obliged:
        return False
    if "as" in (*words[max(0, at - 6) : at], *words[at + 1 : at + 4]) or before in _COMPARED:
        return False
    stop = place.until_comma(14)
    for j in range(place.end + 1, stop - 1):
        following = words[j + 1]
        if words[j] in ("has", "have", "had"):
            if (lex.is_adverb(following) or following == "n't") and j + 2 < stop:
                following = words[j + 2]
            if words[j] == "had" and following == "to":
                return has_finite(words, 0, at)
            if following in _WANTED:
                return front or has_finite(words, 0, at)
            told = following in lex.REPORTING or following == "pointed"
            return (front or has_finite(words, 0, at)) and is_participle(following) and not told
        if words[j] in lex.FINITE_AUXILIARIES:
            return front and words[j] in lex.BE and not following.endswith("ing") and not is_participle(following)
    return False


def given(place: Place) -> bool:
    before = place.words[place.head - 1] if place.head else ","
    return before in (",", "and", "but", "—", "-") and place.after in OWNED


def degree(place: Place) -> bool:
    before = place.words[place.head - 1] if place.head else ""
    many = place.after in ("many", "much", "few", "little") and before in lex.PREPOSITIONS
    return many or before in lex.AUXILIARIES or VERB_FORMS.get(before, ("", ""))[1] in (PAST, PRESENT)
