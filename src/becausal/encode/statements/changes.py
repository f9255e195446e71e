# SPDX-License-Identifier: Apache-2.0
"""Changes: one fact ends and another begins ("moved to", "migrated from … to …", "replaced … with …", "became")."""

from __future__ import annotations

from collections.abc import Sequence

from . import lexicon as lex
from .copula import facts_of_be
from .line import Line
from .matching import Draft, objects_at, subject_fits
from .offices import successor
from .phrases import Phrase, phrase
from .verbs import Verb


def facts_of_change(line: Line, subjects: Sequence[Phrase], verb: Verb, at: int) -> list[Draft]:
    """Return what began and what ended by a change that happened."""
    if verb.progressive or verb.tense == "present" or verb.negated or verb.ended:
        return []
    place = verb.at
    match verb.lemma:
        case "move" | "relocate" | "migrate" | "switch" | "transfer":
            return _moved(line, subjects, verb, at)
        case "replace":
            return _replaced(line, subjects, verb, at)
        case "upgrade":
            return _upgraded(line, subjects, verb, at)
        case "rename":
            return _renamed(line, verb, at)
        case "adopt" | "get":
            return _adopted(line, subjects, verb, at)
        case "become":
            found = facts_of_be(line, subjects, verb._replace(voice="be", at=place), at)
            return [draft._replace(begins=True, tense="present") for draft in found if not draft.event]
        case _:
            return []


def _began(subject: Phrase, predicate: str, thing: Phrase, at: int, after: int) -> Draft:
    return Draft(subject, predicate, thing, "past", at, after, begins=True)


def _ended(subject: Phrase, predicate: str, thing: Phrase, at: int, after: int) -> Draft:
    return Draft(subject, predicate, thing, "past", at, after, ended=True)


def _one(line: Line, at: int, letters: str) -> Phrase | None:
    found = objects_at(line, at, letters)
    return found[0] if len(found) == 1 else None


def _from_to(line: Line, at: int, letters: str) -> tuple[Phrase | None, Phrase | None, int]:
    """Read "from A to B", "to B from A" or "to B"; return A, B and the place behind them."""
    old = new = None
    for _ in range(2):
        if line.low[at] == "from" and old is None and (found := _one(line, at + 1, letters)):
            old, at = found, found.end
        elif line.low[at] == "to" and new is None and (found := _one(line, at + 1, letters)):
            new, at = found, found.end
    return old, new, at


def _moved(line: Line, subjects: Sequence[Phrase], verb: Verb, at: int) -> list[Draft]:
    place = verb.at
    movers = subjects
    if line.low[place] in ("over", "back"):
        place += 1
    people = all(subject_fits(subject, "pw") for subject in subjects)
    if line.low[place] not in ("from", "to"):
        moved = _one(line, place, "C") or _sited_at(line, place, subjects)
        if moved is None or line.low[moved.end] not in ("from", "to"):
            return []
        movers, place, people = [moved], moved.end, False
    if people and verb.lemma in ("move", "relocate", "transfer"):
        old, new, after = _from_to(line, place, "L")
        if new and (new.kind != "thing" or not new.named or new.text[:1].isupper()):
            return _both(subjects, "lives in", old, new, at, after)
        team = _one(line, place + 1, "M") if line.low[place] == "to" else None
        if team:
            return [_began(subject, "is a member of", team, at, team.end) for subject in subjects]
    if verb.lemma not in ("switch", "migrate") and (located := _located(line, movers, at, place)):
        return located
    old, new, after = _from_to(line, place, "C")
    if new is None or not all(subject_fits(subject, "psw") for subject in movers):
        return []
    return _both(movers, "uses", old, new, at, after)


def _sited_at(line: Line, at: int, subjects: Sequence[Phrase]) -> Phrase | None:
    """Return what stands at a place of its own: "the shop", "its headquarters"."""
    found = phrase(line, at)
    if found is None or found.named or found.head not in lex.SITED or not (found.det or found.owner):
        return None
    if found.det not in lex.OTHER_OWNER:
        return found
    owner = subjects[0]
    if len(subjects) > 1 or not owner.named or owner.sort == "first":
        return None
    return found._replace(text=f"{owner.text}'s {found.rest}", owner=owner.text, owner_entity=owner.entity)


def is_sited(mover: Phrase) -> bool:
    """Whether something has a place and runs on nothing: an office, but no data warehouse."""
    hosted = not lex.HOSTED.isdisjoint(mover.rest.casefold().split())
    known = bool(mover.det or mover.owner or mover.entity)
    return mover.head in lex.SITED and not mover.named and not hosted and known


def _located(line: Line, movers: Sequence[Phrase], at: int, place: int) -> list[Draft]:
    """Read "(the office moved) from Paris to Lyon"; what was moved to a product runs on it, and is not there."""
    if any(mover.sort not in ("component", "noun") for mover in movers):
        return []
    sited = all(is_sited(mover) for mover in movers)
    old, new, after = _from_to(line, place, "LD" if sited else "L")
    if new is None or new.kind == "product" or new.sort == "component" or new.text.casefold() in lex.TOOLS:
        return []
    if not sited and (new.kind != "place" or not all(subject_fits(mover, "sn") for mover in movers)):
        return []
    placed = [each if each.owner else each._replace(text=each.rest or each.text) for each in movers]
    return _both(placed, "is located in", old, new, at, after)


def _both(
    subjects: Sequence[Phrase], predicate: str, old: Phrase | None, new: Phrase, at: int, after: int
) -> list[Draft]:
    found = []
    for subject in subjects:
        if old:
            found.append(_ended(subject, predicate, old, at, after))
        found.append(_began(subject, predicate, new, at, after))
    return found


def _replaced(line: Line, subjects: Sequence[Phrase], verb: Verb, at: int) -> list[Draft]:
    old = _one(line, verb.at, "CN")
    if old is None:
        return []
    if line.low[old.end] in ("with", "by"):
        new = _one(line, old.end + 1, "C")
        if new is None or old.sort == "person" or not all(subject_fits(subject, "psw") for subject in subjects):
            return []
        return _both(subjects, "uses", old, new, at, new.end)
    held = successor(line, subjects, verb, at, old.end)
    same = all(subject.sort == old.sort or "first" not in (subject.sort, old.sort) for subject in subjects)
    if not same or any(subject.sort in ("first", "noun") for subject in subjects):
        return held
    return [
        *held,
        *(
            Draft(subject, "replaced", old, "past", at, old.end, event=True)
            for subject in subjects
            if subject_fits(subject, "ps")
        ),
    ]


def _upgraded(line: Line, subjects: Sequence[Phrase], verb: Verb, at: int) -> list[Draft]:
    place = verb.at
    if line.low[place] in ("from", "to"):
        _, new, after = _from_to(line, place, "VC")
        if new is None or not all(subject_fits(subject, "psw") for subject in subjects):
            return []
        if new.sort == "value":
            return [_began(each, "version is", new, at, after) for each in subjects if each.sort != "first"]
        return [_began(each, "uses", new, at, after) for each in subjects]
    thing = _one(line, place, "C")
    if thing is None:
        return []
    _, new, after = _from_to(line, thing.end, "V")
    return [_began(thing, "version is", new, at, after)] if new else []


def _renamed(line: Line, verb: Verb, at: int) -> list[Draft]:
    old = _one(line, verb.at, "CN")
    if old is None or line.low[old.end] not in ("to", "as"):
        return []
    new = _one(line, old.end + 1, "CNV")
    return [_began(old, "is called", new, at, new.end)] if new else []


def _adopted(line: Line, subjects: Sequence[Phrase], verb: Verb, at: int) -> list[Draft]:
    if not all(subject_fits(subject, "psw") for subject in subjects):
        return []
    things = objects_at(line, verb.at, "C") if verb.lemma == "adopt" else []
    if things and all(thing.sort == "component" or thing.kind == "product" for thing in things):
        return [_began(subject, "uses", thing, at, things[-1].end) for subject in subjects for thing in things]
    pet = _one(line, verb.at, "D")
    if pet is None or pet.head not in lex.PETS or pet.det not in ("a", "an"):
        return []
    return [_began(subject, "has", pet, at, pet.end) for subject in subjects]
