# SPDX-License-Identifier: Apache-2.0
"""Conditions that a connective's surroundings must meet before it counts as causal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from . import lexicon as lex
from .lexicon import word_set
from .objects import object_complement, object_down, object_infinitive
from .places import PEOPLE, TIMES, Guard, Place, after_pause, helps_somebody, is_base, outcome_left
from .reasons import as_reason, degree, given, since, so
from .tokens import has_finite, is_finite, is_word
from .verb_groups import ATTRIBUTIVE
from .verbs import GERUND, PARTICIPLE, PAST, VERB_FORMS, kind_of

_SCHEDULES: Final = word_set(  # "due to start" is a time table
    "start begin arrive leave expire launch open close finish complete be take go meet retire return appear end "
    "speak receive get"
)
_NOT_REASONS: Final = word_set(
    "life good ever now years months weeks days hours help example instance free more less two three at"
)
_NOT_BETWEEN: Final = word_set("for to that which who")
_PENALTIES: Final = word_set("a death life prison jail")
_NOT_SOURCES: Final = word_set("beginning scratch to where here there home work school abroad start")
_UNWANTED: Final = word_set(
    "excess excessive unexpected unwanted unnecessary unintended incorrect invalid faulty corrupt corrupted wrong "
    "erroneous malformed inconsistent scenario situation situations condition conditions"
)
_NOTICING: Final = word_set(
    "detect detected detects alert alerts alerted alerting monitoring noticed notice notices notified reported report "
    "reports received paged aware identified discovered observed saw"
)
_NO_OBJECTS: Final = lex.PREPOSITIONS | lex.COORDINATORS | lex.SUBORDINATORS | lex.RELATIVES | lex.MANNER | {"due"}
_CORE: Final = word_set(
    "core underlying root fundamental real actual key central primary basic main contributing major biggest big "
    "significant important decisive"
)
_LIMITS: Final = word_set("beyond over past limit limits capacity breaking")
_FAULTS: Final = word_set(
    "bug bugs change changes defect defects error errors flaw flaws fault regression misconfiguration issue "
    "vulnerability leak code limit bottleneck"
)


def _trouble(place: Place) -> bool:
    """ "after" and "when" count if the clause they open says that something went wrong."""
    words, at, end = place.words, place.head, place.end
    if at and words[at - 1] in ("even", "only", "except"):
        return False
    if at > 2 and words[at - 1] != "," and not has_finite(words, max(0, at - 20), at):
        return False
    stop = place.until_comma(22)
    told = words[at] == "when" and _suffered(words[place.floor : at])
    return (told or any(word in lex.TROUBLE for word in words[end:stop])) and has_finite(words, end + 1, stop)


def _suffered(words: Sequence[str]) -> bool:
    """Whether a clause says no more than that an incident was suffered: what it happened upon is what led to it."""
    at = next((at for at, word in enumerate(words) if word in lex.UNDERGOING), len(words))
    return not lex.INCIDENT_NOUNS.isdisjoint(words[at + 1 : at + 6])


def _happening(place: Place) -> bool:
    if not outcome_left(place.words, place.head, place.floor):
        return False
    after = place.after
    if after.endswith("ing") and after not in ("nothing", "something", "morning", "evening", "spring"):
        return True
    for word in place.next_words(6):
        if word in lex.HAPPENINGS:
            return True
        if word in lex.AUXILIARIES or not is_word(word):
            return False
    return False


def _outcome_from(place: Place) -> bool:
    """ "headaches from mold", but not "an increase from 3 to 5" or "kept traffic from the site"."""
    words, after = place.words, place.after
    if after[0].isdigit() or after in lex.MONTHS or after in _NOT_SOURCES:
        return False
    following = place.next_words(6)
    if any(word == "to" and number[0].isdigit() for word, number in pairwise(following)):
        return False
    if any(word in lex.WITHHOLDING for word in words[max(0, place.head - 7) : place.head]):
        return False
    return outcome_left(words, place.head, place.floor)


def _verdict(place: Place) -> bool:
    """ "fired for sleeping on the job": a verb of judgement before, and a reason, not a duration, after."""
    words, at, after = place.words, place.head, place.after
    if after[0].isdigit() or after in _NOT_REASONS:
        return False
    if after in lex.DETERMINERS and any(word in TIMES for word in words[place.end + 1 : place.end + 2]):
        return False
    for j in range(at - 1, max(place.floor, at - 12) - 1, -1):
        word = words[j]
        if word in lex.VERDICTS:
            polite = word in ("thank", "thanks", "sorry") and (j == 0 or words[j - 1] in (",", "and", "."))
            return not polite
        penalty = word == "to" and (words[j + 1][0].isdigit() or words[j + 1] in _PENALTIES)
        if word in (";", ":", "—", "–", "?", "!", "|") or (word in _NOT_BETWEEN and not penalty):
            return False
    return False


def _began(place: Place) -> bool:
    eventful = any(word in lex.HAPPENINGS or word in lex.TROUBLE for word in place.next_words(9))
    joined = place.words[place.end - 1] in ("when", "because", "as")
    if any(word in _NOTICING for word in place.words[place.end : place.until_comma(12)]):
        return False
    return (joined or eventful) and outcome_left(place.words, place.start, place.floor)


def _thing(place: Place) -> bool:
    """A thing harms something: "the flood of requests saturated the links"; what people do is no accident."""
    words, head = place.words, place.head
    if place.by_person or place.before in ATTRIBUTIVE or place.before in lex.PREPOSITIONS or not place.before:
        return False
    if kind_of(words[head]) not in (PAST, PARTICIPLE, GERUND) or _specifies(words[place.start : head]):
        return False
    if place.floor and not {",", ";", "and"} & set(words[place.floor : place.start]):
        return False  # "after a bad deploy exhausted the pool": the clause as a whole is a cause
    after = place.after
    if VERB_FORMS.get(place.before, ("", ""))[1] == GERUND:  # "some experiencing degraded access"
        return False
    if kind_of(words[head]) == GERUND:
        return place.before == "," and is_word(after) and after not in _NO_OBJECTS
    adverb = place.start < head and lex.is_adverb(words[head - 1])
    noun = is_word(after) and after not in _NO_OBJECTS and after not in lex.FINITE_AUXILIARIES
    return place.takes_object or (adverb and noun)


def _specifies(words: Sequence[str]) -> bool:
    """Whether adverbs say that no consequence follows but the same in more detail: ", specifically blocking"."""
    return any(word in lex.SPECIFYING for word in words)


def _introduced(place: Place) -> bool:
    """ "A bug introduced during the upgrade": a change that brought a fault with it."""
    left = place.words[max(place.floor, place.head - 5) : place.head]
    return any(word in _FAULTS for word in left) and any(word in lex.HAPPENINGS for word in place.next_words(6))


def _outcome_next(place: Place) -> bool:
    following = place.next_words(6)
    happened = place.before in ("this", "which")  # what stands for an event brings about whatever it creates
    eventful = happened or any(word in lex.OUTCOMES or word in _UNWANTED for word in following)
    return place.before not in PEOPLE and eventful


def _eventful_next(place: Place) -> bool:
    following = place.next_words(7)
    return any(word in lex.OUTCOMES or word in lex.TROUBLE or word.startswith(("caus", "slow")) for word in following)


GUARDS: Final[dict[str, Guard]] = {
    "": lambda place: True,
    "be": lambda place: any(word in lex.BE for word in place.words[place.start : place.head]),
    "thing": _thing,
    "push": lambda place: any(word in _LIMITS for word in place.next_words(14)) and place.before not in PEOPLE,
    "introduced": _introduced,
    "core": lambda place: any(word in _CORE for word in place.words[max(place.floor, place.head - 2) : place.head]),
    "keep": lambda place: is_finite(place.words, place.head) or place.words[place.head - 1] in lex.HAVE,
    "keep hurting": lambda place: place.before not in ATTRIBUTIVE and place.before not in lex.PREPOSITIONS,
    "outcome left": lambda place: outcome_left(place.words, place.start, place.floor),
    "outcome": _outcome_next,
    "eventful": _eventful_next,
    "condition": lambda place: (
        place.after in ("to", "for")
        and place.before not in ATTRIBUTIVE
        and lex.RELATIVES.isdisjoint(place.words[max(place.floor, place.head - 3) : place.head])
    ),
    "outcome from": _outcome_from,
    "began": _began,
    "trouble": _trouble,
    "happening": _happening,
    "since": since,
    "as": as_reason,
    "given": given,
    "verdict": _verdict,
    "object infinitive": object_infinitive,
    "object complement": object_complement,
    "object down": object_down,
    "leaving": lambda place: (place.before == "," and place.words[place.head] == "leaving") or object_complement(place),
    "object": lambda place: place.before not in PEOPLE and place.takes_object,
    "no noun": lambda place: place.before not in ATTRIBUTIVE and place.before not in lex.PREPOSITIONS,
    "no person": lambda place: place.before not in PEOPLE,
    "which mean": lambda place: place.before in ("which", "this", "that", ","),
    "help": lambda place: (
        place.before not in ATTRIBUTIVE
        and (helps_somebody(place) or any(is_base(word) or word == "to" for word in place.next_words(4)))
    ),
    "because": lambda place: is_word(place.after) or place.after in "\"'“`(",
    "due": lambda place: place.after not in _SCHEDULES,
    "degree": degree,
    "so": so,
    "hence": after_pause,
    "thus": lambda place: after_pause(place) and place.after != "far",
    "gerund": lambda place: place.after.endswith("ing"),
}
