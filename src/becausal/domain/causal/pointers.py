# SPDX-License-Identifier: Apache-2.0
"""Noun phrases that point back: "this sudden change in the config", and those that name the whole incident."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from . import lexicon as lex
from .lexicon import word_set
from .tokens import has_finite, is_finite, is_word
from .verbs import BASE, GERUND, PARTICIPLE, PAST, VERB_FORMS, kind_of

DEMONSTRATIVES: Final = word_set("this that these those such")
_LONGEST: Final = 6  # words of "this highly unusual second failure"
_QUOTES: Final = frozenset("\"“”'`")
_EVENTS: Final = (
    lex.GENERIC_NOUNS
    | lex.HAPPENINGS
    | lex.OUTCOMES
    | word_set(
        "act acts demand demands attempt attempts block break burst choice clash cut cycle design doubt end fix "
        "flood freeze gap gaps growth halt hang hit jam jump lack lag limit load loads bottleneck misstep "
        "mismatch omission overlap oversight approach pattern pause peak policy practice race rejection removal "
        "repetition request requests reset rise rush retry retries sale setup shift shutdown slip split stall "
        "state step stop strain struggle surge swap switchover termination test theft trend turn use waste "
        "withdrawal exposure closure seizure departure blockage breakage stoppage usage flaw constraint restraint "
        "burden arrival refusal denial reversal trial"
    )
)
_THINGS: Final = word_set(  # end like names of happenings, and are none
    "application applications function functions station section version versions location locations connection "
    "connections instance instances partition partitions transaction transactions component element environment "
    "document department equipment apartment apparatus appliance entrance balance license audience sequence conference "
    "organisation organization position edition television generation solution question region regions "
    "business witness harness substance distance ambulance installation population segment fragment payment statement "
    "wing building king ring string thing"
)
_NOMINAL: Final = ("tion", "sion", "ment", "ance", "ence", "ancy", "ency", "sight", "ness")
_ASIDES: Final = (
    lex.PREPOSITIONS | lex.RELATIVES | lex.SUBORDINATORS | word_set("along together combined coupled especially though")
)
_INCIDENTS: Final = word_set(
    "outage outages downtime unavailability disruption disruptions degradation blackout interruption incident incidents"
)
_SCOPE: Final = word_set(
    "complete full total global widespread general broad broader significant prolonged extended partial major massive "
    "severe serious system-wide sitewide site-wide network-wide worldwide hard"
)
_SERVED: Final = word_set("service services system site website network platform performance application customer user")
_SPANS: Final = word_set("for across in lasting throughout during on at instead rather as")
_FRAMES: Final = word_set("issue problem cause factor factors causes impact trigger culprit effect challenge fault")
_FRAMING: Final = word_set("was were is are included include includes involved")
_HOLLOW: Final = word_set(
    "combination convergence confluence number series set sequence mix variety chain couple pair confluence factor "
    "factors issue issues problem problems event events thing things cause causes reason reasons circumstances "
    "conditions condition mistake mistakes reasons"
)
_VAGUE: Final = word_set(
    "unusual unprecedented rare simple single common unexpected unforeseen unfortunate complex perfect certain "
    "different following separate related underlying contributing known unknown new old strange odd major minor few"
)
_UNITS: Final = word_set("second seconds minute minutes hour hours day days week weeks period")
_FUNCTION: Final = lex.PREPOSITIONS | lex.RELATIVES | lex.COORDINATORS


def names_event(noun: str) -> bool:
    """Whether "this" before the noun points at something that happened, not at a thing."""
    if noun in _EVENTS:
        return True
    if noun in _THINGS:
        return False
    return noun.endswith(_NOMINAL) or (noun.endswith("ing") and VERB_FORMS.get(noun, ("", ""))[1] == GERUND)


def pointing_words(words: Sequence[str]) -> int:
    """How many words at the front of a side point back, as in "This change in the config, made at noon, …".

    0 if the side does not begin with "this" and the like, or is a clause of its own.
    """
    if len(words) < 2 or words[0] not in DEMONSTRATIVES:
        return 0
    at = 1
    while at < len(words) and at <= _LONGEST + 2:
        word = words[at]
        if word in lex.PREPOSITIONS or word in lex.RELATIVES or (not is_word(word) and word not in _QUOTES):
            break
        plural = at == 1 and words[0] in ("these", "those") and word.endswith("s")  # no verb: "these delays"
        if word in lex.COORDINATORS or (is_finite(words, at) and not plural):
            return 0
        at += 1
    else:
        return at if at == len(words) else 0
    acts = any(word == "to" and kind_of(verb) == BASE for word, verb in pairwise(words[at:]))
    if at < 2 or acts:  # "(caused) these queues to fill"
        return 0
    if words[at] == ",":
        following = words[at + 1] if at + 1 < len(words) else ""
        aside = following in _ASIDES or kind_of(following) in (GERUND, PAST, PARTICIPLE)
        return at if aside else 0
    return at if words[at] in _ASIDES or words[at] == "(" else 0


def names_the_incident(words: Sequence[str]) -> bool:
    """Whether a noun phrase names the whole of what went wrong, as "the widespread disruption for users" does.

    "An outage of the queue" may be one part's, and "a further outage" is another one.
    """
    start = _past_duration(words)
    definite = words[:1] == ["the"]
    scoped = start > 0
    start += start == 0 and words[:1] in (["the"], ["a"], ["an"])
    for at in range(start, min(start + 5, len(words))):
        word = words[at]
        if word in _INCIDENTS:
            rest = words[at + 1 :]
            whole = not rest or rest[0] in _SPANS
            return (definite or scoped) and whole and not has_finite(rest, 0, len(rest))
        known = word in _SCOPE or word in _SERVED
        scoped |= known
        if not known and not (definite and is_word(word) and word not in _FUNCTION and not is_finite(words, at)):
            return False
    return False


def past_frame(words: Sequence[str], start: int, stop: int) -> int:
    """Where the news begins in "The core issue was an unhandled panic" and "Customer impact included errors"."""
    for at in range(start, min(start + 5, stop - 2)):
        if words[at] in _FRAMES and words[at + 1] in _FRAMING:
            news = at + 2
            listed = words[at + 1] not in lex.BE
            return news if listed or words[news] in lex.DETERMINERS or words[news] in '`"“' else start
        if not is_word(words[at]) or is_finite(words, at):
            break
    return start


def past_denial(words: Sequence[str], start: int, stop: int) -> int | None:
    """Where it is told what something "had nothing to do with"; ``None`` if a stretch denies nothing like that."""
    said = ["nothing", "to", "do", "with"]
    return next((at + 4 for at in range(start, stop - 4) if list(words[at : at + 4]) == said), None)


def is_hollow(words: Sequence[str]) -> bool:
    """Whether a side says only that there was something: "a combination of three factors", "an unusual event"."""
    said = [word for word in words if is_word(word) and word not in lex.DETERMINERS and word not in ("of", "and")]
    indefinite = words[0] not in ("the", "this", "that", "these", "those")
    return indefinite and bool(said) and said[-1] in _HOLLOW and all(word in _HOLLOW or word in _VAGUE for word in said)


def _past_duration(words: Sequence[str]) -> int:
    """Where the noun begins in "the 18 minutes of hard downtime"; 0 if no time is told."""
    for at, word in enumerate(words[:5]):
        if word == "of" and any(unit in _UNITS for unit in words[:at]):
            return at + 1
    return 0
