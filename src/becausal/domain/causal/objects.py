# SPDX-License-Identifier: Apache-2.0
"""Whether what follows a verb is brought about by it: "made it slow", "kept us waiting", "left the site down"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from . import lexicon as lex
from .lexicon import word_set
from .places import OWNED, Place, is_base, may_be_noun
from .tokens import is_word
from .verbs import NOUN_LIKE

_COMPLEMENTS: Final = word_set(  # what "made it …" or "left the site …" may end in
    "difficult impossible hard harder easy easier slow slower worse better possible unavailable unusable "
    "unresponsive inaccessible unreachable useless necessary important clear vulnerable sick ill angry happy "
    "sad tired nervous unable able aware uncomfortable expensive cheaper weaker stronger larger smaller safe "
    "unsafe dangerous stranded homeless dead open idle exposed unprotected overloaded out without stuck offline "
    "empty dark invalid inconsistent legal illegal more less short understaffed unstable ineffective obsolete "
    "sore late"
)
_STATES: Final = word_set("state condition mode danger jeopardy disarray trouble jam loop deadlock")
_MAKING: Final = word_set("make makes made making")


def object_complement(place: Place) -> bool:
    """ "made it impossible", "left the site unreachable": an object and what became of it."""
    words, end = place.words, place.end
    if place.by_person:
        return False
    if words[end] in ("it", "them", "him", "her", "us", "me", "you"):
        following = words[end + 1] if end + 1 < len(words) else ","
        if following == "with" and words[place.head] in ("left", "leave", "leaves"):
            return True
        return is_word(following) and following not in lex.PREPOSITIONS and following not in lex.COORDINATORS
    if words[end] in ("sure", "up", "use", "do", "of", "from", "by", "to"):
        return words[end] == "sure"
    if words[end] in OWNED and any(is_base(word) and word not in NOUN_LIKE for word in words[end + 2 : end + 4]):
        return True
    for at in range(end + 1, min(len(words), end + 9)):
        word = words[at]
        if words[place.head] in _MAKING and _does(words, at):
            return True
        attributive = (
            at + 1 < len(words) and may_be_noun(words[at + 1]) and word not in ("without", "out", "less", "more")
        )
        if _is_complement(word) and not attributive:
            return True
        if not is_word(word) or word in lex.AUXILIARIES or word in lex.SUBORDINATORS:
            return False
    return False


def object_down(place: Place) -> bool:
    """ "brought the site down", "took the shop offline", "put it out of action": an object that works no more.

    So is one that was "put into a bad state".
    """
    words, head = place.words, place.words[place.head]
    if place.by_person or words[place.end] in lex.PREPOSITIONS:
        return False
    for at in range(place.end + 1, min(len(words), place.end + 9)):
        following = words[at + 1] if at + 1 < len(words) else "."
        if words[at] == "out" and following == "of":
            return at + 2 < len(words) and words[at + 2] in ("action", "service", "operation", "order", "commission")
        if words[at] in ("in", "into") and head.startswith("put"):
            return not _STATES.isdisjoint(words[at + 1 : at + 8])
        if words[at] == "offline" or (words[at] == "down" and not head.startswith("put")):
            return not is_word(following) or following in lex.PREPOSITIONS or following in lex.COORDINATORS
        if words[at] == "out" and head.startswith("knock"):
            return not is_word(following) or following in lex.PREPOSITIONS or following in lex.COORDINATORS
        if not is_word(words[at]) or words[at] in lex.AUXILIARIES or words[at] in lex.SUBORDINATORS:
            return False
    return False


def _does(words: Sequence[str], at: int) -> bool:
    """Whether a plural at ``at - 1`` does what the word at ``at`` says: "made the students move to …"."""
    plural = words[at - 1].endswith("s") and not words[at - 1].endswith("ss")
    following = words[at + 1] if at + 1 < len(words) else ""
    onward = following in lex.PREPOSITIONS or following in lex.DETERMINERS or not is_word(following or ".")
    return plural and is_base(words[at]) and (words[at] not in NOUN_LIKE or onward)


def _is_complement(word: str) -> bool:
    return word in _COMPLEMENTS or word.endswith(("able", "ible", "less", "ful", "ous", "ive"))


def object_infinitive(place: Place) -> bool:
    words, end = place.words, place.end
    if words[end] in ("to", "for", "by", "that"):
        return False
    inside = False
    for word in words[end + 1 : min(len(words) - 1, end + 16)]:
        inside = (inside or word == "(") and word != ")"
        if word in ("to", "from") and not inside:
            return True
        if not inside and (word in (".", ";", ":", ",") or word in lex.AUXILIARIES):
            return False
    return False
