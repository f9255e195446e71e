# SPDX-License-Identifier: Apache-2.0
"""From a subject and a verb group to facts, by the rows of the tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ...domain.causal.verbs import BASE, GERUND, NOUN_LIKE, VERB_FORMS, kind_of
from .. import vocabulary as words
from ..shapes import Shape
from . import lexicon as lex
from .line import Line
from .patterns import ACTIVE, PASSIVE, Pattern
from .phrases import Phrase, extent, phrase, quoted, time, value
from .verbs import Verb, no_more_at

_MAX_LIST = 8
_MAX_FREE = 8
_MAX_MORE = 3
_JOINS = frozenset((",", "and", "&"))
_FREE_ENDS = (
    frozenset(".,;:!?()—–|")
    | lex.BOUNDARIES
    | frozenset(("because", "especially", "too", "anymore", "whenever", "whether", "?", "…", "..."))
)
_FREE_NEVER = frozenset(
    """
    you your yours u it its this that these those him them what how who where me us i we he she they there his ours
    mine one here
    """.split()
)
_NO_LIKING = lex.PREPOSITIONS | lex.MODALS | lex.DEICTIC | words.GREETINGS
_NO_HEADS = words.ADJECTIVES | lex.NATIONALITIES | frozenset("first second third".split())
_FREE_FIRST = frozenset("the to being seeing hearing knowing talking chatting every all both such more when".split())
_TRAILING = frozenset(
    "lately recently again right now so much very really most lot lots a more best as well also either alone".split()
)


class Draft(NamedTuple):
    """A fact as it was read: ``at`` is the word its verb group begins at, ``after`` the one behind its object."""

    subject: Phrase
    predicate: str
    object: Phrase
    tense: str
    at: int
    after: int
    event: bool = False
    begins: bool = False
    ended: bool = False
    negated: bool = False


def match(
    line: Line, subjects: Sequence[Phrase], verb: Verb, at: int, rows: Sequence[Pattern] | None = None
) -> list[Draft]:
    """Return the facts that a verb group states, with those of further prepositions behind it.

    "Ana worked as a nurse at Mercy" states two. ``at`` is the word the verb group begins at.
    """
    if rows is None:
        rows = (PASSIVE if verb.voice == "passive" else ACTIVE).get(verb.lemma, ())
    found: list[Draft] = []
    place = verb.at
    for _ in range(_MAX_MORE):
        more = next((drafts for row in rows if (drafts := _by_row(line, subjects, verb, row, place, at))), None)
        if not more or (found and not line.low[place]):
            break
        found += more
        place = more[-1].after
        if not any(line.low[place] == row.words[0] for row in rows if row.words):
            break
    return found


def _by_row(line: Line, subjects: Sequence[Phrase], verb: Verb, row: Pattern, at: int, start: int) -> list[Draft]:
    size = len(row.words)
    if tuple(line.low[at : at + size]) != row.words or not _tense_fits(verb, row.marks):
        return []
    if not all(subject_fits(subject, row.subjects) for subject in subjects):
        return []
    place = at + size
    if not row.objects:
        thing = Phrase(at, place, "", "free")
        return [_draft(subject, row.predicate, thing, verb, row.marks, start, place) for subject in subjects]
    objects = objects_at(line, place, row.objects)
    if not objects:
        return []
    if verb.negated and not verb.ended:
        return _negated(line, subjects, verb, row, objects, start)
    after = objects[-1].end
    marks_group = not row.marks.isdisjoint(("join", "leave"))
    if "org" in row.marks and not all(each.kind == "organization" for each in (*subjects, *objects)):
        return []
    if marks_group and not all(each.named or each.head in lex.GROUPS for each in objects):
        return []
    pairs = [(subject, thing) for subject in subjects for thing in objects]
    if "swap" in row.marks:
        pairs = [(thing, subject) for subject, thing in pairs]
    return [_draft(subject, row.predicate, thing, verb, row.marks, start, after) for subject, thing in pairs]


def _tense_fits(verb: Verb, marks: frozenset[str]) -> bool:
    happened = verb.voice == "passive" or (verb.tense != "present" and not verb.progressive)
    if marks & {"event", "begins", "ends", "join", "leave"}:
        return happened
    if "refused" in marks:
        return verb.negated
    if "progressive" in marks:
        return verb.progressive
    if "now" in marks:
        return verb.tense == "present" or verb.ended or verb.begins or (verb.tense == "perfect" and verb.progressive)
    return True


_DISLIKED = {"likes": "dislikes", "loves": "dislikes", "enjoys": "dislikes"}


def _negated(
    line: Line, subjects: Sequence[Phrase], verb: Verb, row: Pattern, objects: Sequence[Phrase], start: int
) -> list[Draft]:
    """Read a negation: "does not use it any more" ends a fact, "does not like it" is one."""
    after = objects[-1].end
    if no_more_at(line, after) >= 0:
        return [
            Draft(subject, row.predicate, thing, verb.tense, start, after, ended=True, negated=True)
            for subject in subjects
            for thing in objects
        ]
    predicate = row.predicate if "refused" in row.marks else _DISLIKED.get(row.predicate)
    if predicate is None or verb.tense != "present":
        return []
    return [Draft(subject, predicate, thing, "present", start, after) for subject in subjects for thing in objects]


def _draft(
    subject: Phrase, predicate: str, thing: Phrase, verb: Verb, marks: frozenset[str], start: int, after: int
) -> Draft:
    ends = "ends" in marks or "leave" in marks
    begins = "begins" in marks or "join" in marks or verb.begins
    if "join" in marks or "leave" in marks:
        member = thing.head in lex.ORGANIZED or thing.rest.casefold().rpartition(" ")[2] in lex.ORGANIZED
        common = not thing.named and thing.head not in lex.EMPLOYERS
        predicate = "is a member of" if member or common else "works at"
    return Draft(
        subject,
        predicate,
        thing,
        verb.tense,
        start,
        after,
        event="event" in marks,
        begins=begins,
        ended=ends or (verb.ended and not begins and "event" not in marks),
        negated=verb.negated,
    )


# --- subjects and objects -----------------------------------------------------------------------


def subject_fits(subject: Phrase, letters: str) -> bool:
    """Say whether a phrase may be the subject of a row."""
    match subject.sort:
        case "first":
            return "w" in letters
        case "person":
            return "p" in letters and (subject.named or bool(subject.owner) or subject.det in ("the", "our"))
        case "component":
            return "s" in letters and (subject.entity is not None or _known_one(subject))
        case "name":
            person = subject.kind in ("thing", "") and "p" in letters
            return person or "s" in letters
        case "noun":
            if kind_of(subject.head) == GERUND and subject.head not in words.NOUNS:
                return False
            if subject.det or subject.owner:
                alone = subject.det == "the" and subject.rest.isalpha() and not subject.owner
                known = not alone or subject.rest.casefold() in lex.ATTRIBUTES
                return "n" in letters and subject.head not in lex.VAGUE and known
            return "b" in letters or (bool(subject.entity) and "n" in letters)
        case _:
            return False


def _known_one(subject: Phrase) -> bool:
    return bool(subject.owner) or subject.det in ("our", "'s") or (subject.det == "the" and subject.head in lex.ALONE)


def objects_at(line: Line, at: int, letters: str, *, commas: bool = True) -> list[Phrase]:
    """Return the objects that begin at a word: one, or those of a list, as far as they fit the letters.

    Without ``commas`` only "and" makes a list, for names that a title may follow ("Ernest, Prince of …").
    """
    first = _object(line, at, letters)
    if first is None or line.low[first.end] == "or":
        return []
    found = [first]
    if first.sort == "time":
        return found
    if first.det == "the" and not first.named and _modifies(line, first.end):
        return []
    joined = False
    while len(found) < _MAX_LIST and line.low[found[-1].end] in _JOINS:
        if not commas and line.low[found[-1].end] == ",":
            break
        place = found[-1].end + 1
        if line.low[place - 1] == "," and line.low[place] in ("and", "&"):
            place += 1
        last = line.low[place - 1] != ","
        following = _object(line, place, letters)
        if following is None or _goes_on(line, following.end) or following.named != first.named:
            break
        found.append(following)
        joined = joined or last
        if last:
            break
    return found if joined else found[:1]


def _modifies(line: Line, at: int) -> bool:
    """Say whether a list goes on without articles, as in "the film, television and media company"."""
    if line.low[at] != ",":
        return False
    end = extent(line, at + 1)
    return end > at + 1 and line.name_end(at + 1)[0] == at + 1 and line.low[end] in (",", "and")


def _goes_on(line: Line, at: int) -> bool:
    """Say whether a verb follows: then the phrase before is the subject of another clause."""
    low = line.low[at]
    form = VERB_FORMS.get(low)
    verb = form is not None and low not in NOUN_LIKE and form[1] != GERUND
    return verb or low in lex.MODALS or low in ("is", "are", "was", "were", "has", "have", "had", "'s", "who", "which")


def _object(line: Line, at: int, letters: str) -> Phrase | None:
    if "T" in letters and (found := time(line, at)):
        return found
    if "X" in letters:
        found = _free(line, at)
        return (
            found if found and found.end - at <= (_MAX_FREE if at and line.low[at - 1] not in _JOINS else 3) else None
        )
    if "V" in letters and (found := value(line, at)):
        return found
    if line.low[at] in lex.FIRST:
        return None
    found = phrase(line, at)
    if found is None or line.low[found.end] in ("'s", "'", "’"):
        return None
    return found if any(_fits(line, found, letter) for letter in letters) else None


def _fits(line: Line, found: Phrase, letter: str) -> bool:
    match letter:
        case "N":
            return found.named and found.sort in ("person", "name", "component")
        case "P":
            known = found.sort == "person" and (found.named or bool(found.owner))
            return known or found.sort == "first" or (found.named and found.kind in ("thing", ""))
        case "L":
            if found.named:
                return found.sort == "name" and found.kind in ("place", "thing", "organization", "")
            return found.head in lex.PLACE_NOUNS and bool(found.det)
        case "C":
            return (found.sort == "component" and (found.entity is not None or _known_one(found))) or (
                found.sort == "name" and found.named and found.kind not in ("place",)
            )
        case "D":
            return bool(found.det) and found.sort in ("noun", "person", "component") and _telling(line, found)
        case "B":
            common = found.sort in ("noun", "component") and line.token_shape(found.end - 1) is not Shape.CAPITAL
            return common and not found.det and _telling(line, found)
        case "F":
            return not found.det and (found.head in lex.BARE_FIELDS or found.rest.casefold() in lex.BARE_FIELDS)
        case "G":
            return not found.det and found.rest.casefold().rpartition(" ")[2] in lex.LANGUAGES
        case "Y":
            return line.low[found.end - 1] in lex.PLAYED and found.det in ("", "the")
        case "R":
            return found.head in lex.ROLE_NOUNS or (found.det in ("a", "an") and _telling(line, found))
        case "M":
            return found.head in lex.TEAMS and bool(found.det) and found.end - found.start > 2
        case _:
            return False


def _telling(line: Line, found: Phrase) -> bool:
    """Say whether a common noun tells enough to be an object."""
    if found.head in lex.VAGUE or found.det in lex.OTHER_OWNER:
        return False
    if found.head in _NO_HEADS and found.head not in words.NOUNS:
        return False
    begun = line.low[found.start + 1 if found.det and found.det != "'s" else found.start]
    return begun not in lex.OPINIONS and begun not in ("lot", "bit", "few", "couple", "same")


def _free(line: Line, at: int) -> Phrase | None:
    """Return the few words up to the next pause: what somebody likes."""
    limit = min(len(line), at + _MAX_FREE + 1)
    opening = line.low[at]
    gerund = opening.endswith("ing") and len(opening) > 4
    end = at
    whole = gerund
    while end < limit and end not in line.time_at:
        low = line.low[end]
        whole = whole or low in lex.PREPOSITIONS
        if low in ("and", "&") and whole and not line.low[end + 1].endswith("ing"):
            following = phrase(line, end + 1)
            if following is None or following.end > limit or _goes_on(line, following.end):
                break
            end = following.end
            continue
        if low in _FREE_ENDS or (low == "any" and line.low[end + 1] in ("more", "longer")):
            break
        end += 1
    if end - at > _MAX_FREE:
        return None
    while end > at and line.low[end - 1] in _TRAILING:
        end -= 1
    if end == at or opening in _FREE_FIRST or not _FREE_NEVER.isdisjoint(line.low[at:end]):
        return None
    if opening in lex.OTHER_OWNER or (line.token_shape(at) is Shape.MARK and opening != '"'):
        return None
    name = line.name_end(at)[0]
    if name == end:
        return phrase(line, at)
    form = VERB_FORMS.get(opening)
    joined = at > 0 and line.low[at - 1] in _JOINS
    finite = form is not None and form[1] != BASE and (joined or opening not in NOUN_LIKE)
    if not (gerund or name > at) and (finite or opening in _NO_LIKING):
        return None
    last = line.low[end - 1]
    head = words.singular(last)
    if (head in lex.VAGUE and end - at < 2) or (line.low[end] == "," and last in lex.ONLY_ADJECTIVES):
        return None
    if opening == '"':
        return quoted(line, at)
    text = _MY.sub(f"{line.context.teller}'s", line.text(at, end))
    return Phrase(at, end, text, "free", "", text, head)


_MY = re.compile(r"\bmy\b")
