# SPDX-License-Identifier: Apache-2.0
"""Verb groups: the auxiliaries, adverbs, hedges and negation around a verb or a predicate noun."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from . import lexicon as lex
from .lexicon import word_set
from .tokens import has_finite, is_word
from .verbs import BASE, NOUN_LIKE, kind_of

ATTRIBUTIVE: Final = lex.DETERMINERS - lex.SUBJECT_PRONOUNS
_RAISING: Final = word_set(  # what may stand before "to" without making a purpose of it
    "likely known thought believed suspected appears appear appeared seem seems seemed tend tends tended "
    "continue continues continued began begun begins started starts going found reported said able expected "
    "helped helps used potential ability threatens threatened proved proven considered shown enough sufficient "
    "alleged assumed felt hypothesised hypothesized predicted projected claimed rumoured rumored feared "
    "estimated presumed determined understood deemed confirmed managed happened apt prone liable bound"
)
_TURN: Final = word_set("turn turns turned")
_GET: Final = word_set("get gets got getting gotten")
_PLURALS: Final = word_set("people men women children mice bacteria data criteria media feet teeth police")
_NOUN_MODIFIERS: Final = word_set("root main common primary major leading underlying likely probable possible")
_LINKING: Final = word_set("became become becomes remain remains remained as considered")
_PREDICATES: Final = word_set("the a an one another its itself")
_CORRECTED: Final = 16  # words within which "not A" is put right by "but B"
IDENTIFIED: Final = word_set(
    "identified determined found traced believed thought confirmed established reported tracked pinpointed "
    "attributed suspected diagnosed"
)


@dataclass(slots=True, kw_only=True)
class VerbGroup:
    """What stands in front of a verb. ``start`` is the position of its first word."""

    start: int
    negated: bool = False
    hedged: bool = False
    be: bool = False
    have: bool = False
    modal: bool = False
    raised: bool = False  # by "is likely to", "seems to" and the like
    infinitive: bool = False


def verb_group(words: Sequence[str], head: int, floor: int) -> VerbGroup:
    """Read leftwards from ``head``, at most ten words and not beyond ``floor``."""
    group = VerbGroup(start=head)
    at = head - 1
    low = max(floor, head - 10)
    while at >= low:
        word = words[at]
        before = words[at - 1] if at > low else ""
        step = _step(words, at, low, before, group)
        if step == 0:
            break
        group.hedged |= word in lex.HEDGES
        at -= step
    group.start = at + 1
    while group.start < head and words[group.start] in (",", "then", "so", "thus", "therefore"):
        group.start += 1
    return group


def _step(words: Sequence[str], at: int, low: int, before: str, group: VerbGroup) -> int:
    """How many words to take into the group at ``at``; 0 ends it."""
    word = words[at]
    if word == "only" and before == "not":
        return 2
    if word in lex.NEGATIONS and word not in ("no", "nor", "neither", "without"):
        group.negated = True
        group.be |= word in lex.BE and not group.raised  # "wasn't"
        return 1
    if word in lex.AUXILIARIES:
        group.be |= word in lex.BE and not group.raised
        group.have |= word in lex.HAVE
        group.modal |= word in lex.MODALS or word in lex.DO
        return 1
    if word == "first" and before in lex.AUXILIARIES:
        return 1
    if word in _GET and at + 1 == group.start:
        group.be = True
        return 1
    if lex.is_adverb(word) or word in ("help", "helps", "helped", "believed", "thought", "found"):
        return 1
    if word == "turn" and before == "in":
        return 2
    if word == "less" and before == "or" and at - 2 >= low and words[at - 2] == "more":
        return 3
    if word == "to" and before == "out" and at - 2 >= low and words[at - 2] in _TURN:  # "turned out to push"
        group.modal = group.raised = True
        return 3
    if word == "to":
        if before in _RAISING or before in lex.HAVE:
            group.hedged |= before in lex.HEDGES
            group.modal = group.raised = True
            noun = before in ("potential", "ability") and at - 2 >= low and words[at - 2] in lex.DETERMINERS
            return 3 if noun else 2
        group.infinitive = True
        return 0
    parenthetic = ("turn", "however", "therefore", "thus", "also", "eventually", "consequently")
    return 1 if word == "," and before in parenthetic else 0


def is_verb_here(words: Sequence[str], at: int, group: VerbGroup, before: str, end: int, floor: int = 0) -> bool:
    """Whether a base or present form ("cause", "triggers") is a verb at this place and not a noun.

    Its subject is not looked for before ``floor``.
    """
    after = words[end] if end < len(words) else ""
    if group.modal:
        return True
    if before in ATTRIBUTIVE or before in lex.PREPOSITIONS or before in _NOUN_MODIFIERS:
        return False
    if after in ("", ":", ".") or after in lex.BE or after in lex.PREPOSITIONS - {"by"}:
        return False
    if kind_of(words[at]) != BASE:
        noun_context = after in lex.PREPOSITIONS or after in lex.COORDINATORS or after in ("to", ",")
        return words[at] not in NOUN_LIKE or not noun_context
    if before in ("i", "we", "you", "they", "these", "those", "which", "that", "who", "and", "or", "to"):
        return before != "and" or after in lex.DETERMINERS
    if before in _PLURALS or (_is_plural(before) and before not in ("this", "is", "was", "has")):
        return True
    near = words[max(floor, group.start - 8) : group.start]
    joined = ("and" in near or "or" in near) and "," not in near[-3:]
    return joined or any(_plural_head(near, j) and not has_finite(near, j + 1, len(near)) for j in range(len(near) - 1))


def corrected(words: Sequence[str], at: int, preposition: str = "") -> int | None:
    """Where B begins in "(was not) A but B", where A begins at ``at``; ``None`` if nothing is put in its place."""
    for j in range(at + 1, min(at + _CORRECTED, len(words) - 2)):
        if words[j] == "but":
            following = j + 2 if lex.is_adverb(words[j + 1]) else j + 1
            if preposition:
                return following + 1 if words[following] == preposition else None
            named = words[following] in lex.DETERMINERS or not has_finite(
                words, following, min(following + 3, len(words))
            )
            return following if named and words[following] not in lex.SUBJECT_PRONOUNS - lex.DETERMINERS else None
        if words[j] in ";:?!." or words[j] in lex.AUXILIARIES:
            return None
    return None


def _is_plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith("ss")


def _plural_head(words: Sequence[str], at: int) -> bool:
    """A plural noun with a prepositional phrase or an aside behind it, as in "high doses of it"."""
    return _is_plural(words[at]) and len(words[at]) > 3 and (words[at + 1] in lex.PREPOSITIONS or words[at + 1] == ",")


def predicate_link(words: Sequence[str], at: int, floor: int) -> int | None:
    """What a predicate noun at ``at`` hangs on: "to be", "as", or the comma of an apposition."""
    for j in range(at - 1, max(floor, at - 8) - 1, -1):
        word = words[j]
        contracted = word.endswith("'s") and (words[j - 1] if word == "'s" else word[:-2]) in lex.SUBJECT_PRONOUNS
        if contracted or (word in lex.BE and word != "'s") or word in _LINKING:
            return j
        if word == "," and j + 1 < at:
            following = j + 2 if lex.is_adverb(words[j + 1]) else j + 1
            if words[following] in _PREDICATES:
                return j
        if not is_word(word) or word in lex.SUBORDINATORS or (word in lex.PREPOSITIONS and word not in ("of", "among")):
            return None
        if word in lex.SUBJECT_PRONOUNS and word not in lex.DETERMINERS:
            return None
    return None


def predicate_verb(words: Sequence[str], at: int) -> tuple[int, int] | None:
    """The verb group "was", "has been identified as", … to the right of a noun, and where it ends."""
    limit = min(len(words), at + 25)
    for j in range(at, limit):
        word = words[j]
        if (word in lex.BE and word != "being") or word in ("lies", "lay"):
            end = _predicate_end(words, j + 1, limit)
            if end >= len(words) or words[end - 1] in IDENTIFIED or words[end] in lex.COORDINATORS:
                return None
            start = j
            while start > at and (words[start - 1] in lex.AUXILIARIES or words[start - 1] in lex.MANNER):
                start -= 1
            return start, end
        if word in (",", ";", ":", "?", "which", "who") or word in lex.SUBORDINATORS:
            return None
    return None


def _predicate_end(words: Sequence[str], at: int, limit: int) -> int:
    first = at
    while at < limit:
        word = words[at]
        particle = word in ("in", "to", "as", "back", "down") and at > first
        if not (
            particle
            or word in lex.AUXILIARIES
            or lex.is_adverb(word)
            or word in IDENTIFIED
            or word in ("that", "because", "n't")
        ):
            break
        at += 1
    return at
