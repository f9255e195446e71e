# SPDX-License-Identifier: Apache-2.0
"""Who was given an office and who gave it up: "was appointed CFO of Kiva", "stepped down as mayor of Worms"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ...domain.predicates import single_holder
from . import lexicon as lex
from .copula import facts_of_be
from .line import Line
from .matching import Draft, objects_at, subject_fits
from .phrases import Phrase, phrase
from .verbs import Verb

_TAKEN: Final = {"take": ("over",), "step": ("in", "up")}
"""What whoever takes an office does, with the word behind it."""

_GIVEN: Final = {
    "appoint": ("as", "to be", ""),
    "name": ("as", ""),
    "make": ("",),
    "elect": ("as", "to be", ""),
    "reelect": ("as", ""),
    "re-elect": ("as", ""),
    "promote": ("to",),
    "hire": ("as",),
    "choose": ("as", "to be"),
    "pick": ("as", "to be"),
    "confirm": ("as",),
    "install": ("as",),
    "swear": ("in as",),
}
"""What is done to whoever is given an office, with what stands before the office."""

_LEFT: Final = {
    "resign": ("",),
    "retire": ("",),
    "quit": ("",),
    "leave": ("",),
    "depart": ("",),
    "step": ("down", "aside", "back"),
    "stand": ("down", "aside"),
}
"""What whoever gives up an office does, with the word behind it."""

_TAKEN_AWAY: Final = {
    **dict.fromkeys(("dismiss", "remove", "fire", "sack", "oust", "depose", "replace"), ("",)),
    "vote": ("out",),
    "force": ("out",),
}
"""What is done to whoever an office is taken from."""

_POSTS: Final = frozenset(("post", "position", "role", "job", "office"))

VERBS: Final = frozenset((*_TAKEN, *_GIVEN, *_LEFT, *_TAKEN_AWAY))


def facts_of_office(line: Line, subjects: Sequence[Phrase], verb: Verb, at: int) -> list[Draft]:
    """Return who has an office from now on, or has it no more, by what a verb group says of one person."""
    if verb.lemma not in VERBS or verb.negated or verb.progressive or len(subjects) != 1:
        return []
    subject = subjects[0]
    if verb.voice == "passive":
        if verb.lemma in _GIVEN:
            return [] if verb.ended else _given(line, subject, None, verb, at, verb.at)
        return _ended(line, subject, None, verb, at, _TAKEN_AWAY.get(verb.lemma, ()), verb.at)
    if verb.voice != "active" or verb.tense == "present":
        return []
    if verb.lemma in _TAKEN and not verb.ended and (found := _taken(line, subject, verb, at)):
        return found
    if found := _ended(line, subject, None, verb, at, _LEFT.get(verb.lemma, ()), verb.at):
        return found
    who = objects_at(line, verb.at, "P")
    if len(who) != 1 or verb.ended:
        return []
    if verb.lemma in _GIVEN:
        return _given(line, who[0], subject, verb, at, who[0].end)
    if verb.lemma == "replace":  # whoever does that to Marta has her office now
        return []
    return _ended(line, who[0], subject, verb, at, _TAKEN_AWAY.get(verb.lemma, ()), who[0].end)


def successor(line: Line, subjects: Sequence[Phrase], verb: Verb, at: int, place: int) -> list[Draft]:
    """Return who has the office now, of "(Dov replaced Marta) as treasurer of the club"."""
    if line.low[place] != "as" or len(subjects) != 1:
        return []
    return _held(line, subjects[0], verb, at, place + 1)


def _held(line: Line, holder: Phrase, verb: Verb, at: int, place: int) -> list[Draft]:
    """Return that somebody has from then on the office which is named at a word."""
    found = facts_of_be(line, [holder], verb._replace(voice="be", at=place), at)
    return [
        draft._replace(begins=True, tense="present")
        for draft in found
        if not draft.event and single_holder(draft.predicate)
    ]


def _taken(line: Line, subject: Phrase, verb: Verb, at: int) -> list[Draft]:
    """Read "took over (from Marta) as treasurer of the club"."""
    if line.low[verb.at] not in _TAKEN[verb.lemma]:
        return []
    place = _past_times(line, verb.at + 1)
    if line.low[place] == "from":
        before = objects_at(line, place + 1, "PN")
        if len(before) != 1:
            return []
        place = _past_times(line, before[0].end)
    if line.low[place] != "as":
        return []
    return _held(line, subject, verb, at, place + 1)


def _given(line: Line, holder: Phrase, giver: Phrase | None, verb: Verb, at: int, place: int) -> list[Draft]:
    """Read "(Ana was) appointed CFO of Kiva", "(Kiva) appointed (Ana) as CFO"."""
    if not subject_fits(holder, "pw"):
        return []
    for words in sorted(_GIVEN[verb.lemma], key=len, reverse=True):
        behind = tuple(words.split())
        start = _past_times(line, place) if behind else place
        if tuple(line.low[start : start + len(behind)]) != behind:
            continue
        if found := _held(line, holder, verb, at, start + len(behind)):
            return found
        role = _role(line, start + len(behind))
        if giver and role and _is_group(giver):
            predicate = f"is {role.rest} of"
            if single_holder(predicate):
                return [Draft(holder, predicate, giver, "present", at, role.end, begins=True)]
    return []


def _ended(
    line: Line, holder: Phrase, taker: Phrase | None, verb: Verb, at: int, particles: Sequence[str], place: int
) -> list[Draft]:
    """Read "(Ana) resigned as CFO of Kiva", "stepped down from her post as mayor", "was dismissed as treasurer"."""
    if not subject_fits(holder, "pw"):
        return []
    if not any(particle in ("", line.low[place]) for particle in particles):
        return []
    if "" not in particles:
        place += 1
    place = _past_times(line, place)
    if line.low[place] == "from" and line.low[place + 1] in lex.OTHER_OWNER | lex.FIRST_OWNER | lex.ARTICLES:
        if line.low[place + 2] not in _POSTS or line.low[place + 3] not in ("as", "of"):
            return []
        place += 3
    elif line.low[place] != "as":
        return []
    found = facts_of_be(line, [holder], verb._replace(voice="be", at=place + 1), at)
    held = [draft for draft in found if not draft.event and draft.predicate != "works at"]
    if taker and _is_group(taker) and (role := _role(line, place + 1)) and line.low[role.end] != "of":
        held = [Draft(holder, f"is {role.rest} of", taker, "past", at, role.end)]
    return [draft._replace(ended=True, begins=False, negated=False, tense="past") for draft in held]


def _is_group(giver: Phrase) -> bool:
    """Whether an office that somebody gives is one of theirs: of an organization."""
    return giver.kind == "organization" or (giver.det in ("the", "our") and giver.head in lex.ORGANIZED)


def _role(line: Line, at: int) -> Phrase | None:
    found = phrase(line, at)
    return found if found and not found.named and found.head in lex.ROLE_NOUNS and not found.plural else None


def _past_times(line: Line, at: int) -> int:
    """Go past a time and adverbs that stand before "as": "resigned on Monday as …"."""
    place = at
    while line.low[place] in lex.ADVERBS or (line.low[place] in ("on", "in") and place + 1 in line.time_at):
        place += 1
    return line.after_time(place) if place in line.time_at else place if line.low[place] in ("as", "from") else at
