# SPDX-License-Identifier: Apache-2.0
"""Facts told with "has": relatives, pets, lasting conditions and possessions, and numbers of things."""

from __future__ import annotations

from collections.abc import Sequence

from ..shapes import Shape
from . import lexicon as lex
from .drafting import made, relation
from .line import Line
from .matching import Draft, objects_at, subject_fits
from .phrases import Phrase, phrase, value
from .verbs import Verb


def facts_of_have(line: Line, subjects: Sequence[Phrase], verb: Verb, at: int) -> list[Draft]:
    """Return the facts of "has …": relatives, pets, lasting conditions and possessions, and numbers of things."""
    place = verb.at
    found = phrase(line, place)
    if found is None or found.named or found.det not in ("", "a", "an"):
        return []
    subject = subjects[0]
    person = subject.sort in ("first", "person") or (subject.sort == "name" and subject.kind in ("thing", ""))
    first = line.low[place]
    counted = line.token_shape(place) is Shape.NUMBER or first in lex.NUMBERS
    if line.low[found.end] in ("named", "called") and (found.head in lex.RELATIONAL or found.head in lex.PETS):
        names = objects_at(line, found.end + 1, "NP")
        return [
            relation(name, found.rest, each, verb, at, names[-1].end)
            for each in subjects
            for name in names
            if person and found.det != ""
        ] or _counted(line, subjects, found, verb, at, counted and person)
    if person:
        if found.head == "allergy" and line.low[found.end] == "to":
            things = objects_at(line, found.end + 1, "B")
            return [made(each, "is allergic to", thing, verb, at) for each in subjects for thing in things]
        if (found.det and found.head in lex.LASTING) or (not found.det and line.low[found.end - 1] in lex.CONDITIONS):
            if line.low[found.end] in ("who", "that", "in") and found.head in lex.RELATIONAL:
                return []
            return [made(each, "has", found, verb, at) for each in subjects]
        return _counted(line, subjects, found, verb, at, counted)
    if not subject_fits(subject, "s"):
        return []
    if counted and (found.sort == "value" or found.end - found.start > 1):
        thing = value(line, place) or found
        if thing.end < found.end:
            thing = found
        return [made(each, "has", thing, verb, at) for each in subjects]
    return []


def _counted(line: Line, subjects: Sequence[Phrase], found: Phrase, verb: Verb, at: int, counted: bool) -> list[Draft]:
    last = line.low[found.end - 1]
    if not counted or last not in lex.COUNTED or found.end - found.start > 4:
        return []
    return [made(each, "has", found, verb, at) for each in subjects]
